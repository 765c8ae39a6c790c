"""Whether there is such a thing, or anybody does it."""

from __future__ import annotations

from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown
from amr_neo4j.recall.answer.operators.event import event
from amr_neo4j.recall.answer.phrases import event_claim
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.watched import deeds, is_doubted, is_watched, of_films, shows, shows_somebody, unseen
from amr_neo4j.recall.question.parsed import ParsedQuestion


def presence(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The first event that shows it, one that is sure before one that is not; else that none does.

    Never that there was none: what was not recognised may have been there. What is asked of one place may have
    changed since, and is answered by the likeliest event.
    """
    films = of_films(evidence.found)
    if not films or (not is_watched(films) and sum(not word.acts for word in parsed.main.names) > 1):
        return event(parsed, evidence)
    seen = sorted((c for c in films if shows(parsed, c)), key=lambda c: is_doubted(parsed, c))
    if seen:
        claim = event_claim(seen[0])
        if parsed.guesses:  # a thing like it is no proof
            reason = Reason.IN_DOUBT if all(guess.reported for guess in parsed.guesses) else Reason.NOT_STATED
            words = tuple(dict.fromkeys(guess.word for guess in parsed.guesses))
            return Unknown(reason, (claim,), unmet_words=words)
        said = parsed.language.grammar.seen(claim.text, doubted=is_doubted(parsed, seen[0]))
        return Claims((replace(claim, text=said),))
    somebody = next((c for c in films if shows_somebody(parsed, c)), None)
    if somebody:
        return Unknown(Reason.IN_DOUBT, (event_claim(somebody),), unmet_words=unseen(parsed, somebody))
    nearest = (*evidence.events, *films)[0]
    lacking = unseen(parsed, nearest) or tuple(word.word for word in deeds(parsed))
    return Unknown(Reason.NOT_STATED, (event_claim(nearest),), unmet_words=lacking)
