"""What somebody wears."""

from __future__ import annotations

from collections.abc import Iterable

from amr_neo4j.recall.answer.claim import Claims, Reason, Unknown
from amr_neo4j.recall.answer.phrases import event_claim
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.evidence import Evidence
from amr_neo4j.recall.evidence.premise import unmet
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.evidence.watched import is_doubted, people_in, unseen
from amr_neo4j.recall.question.parsed import Order, ParsedQuestion
from amr_neo4j.recall.rank.score import best_first

# People whose clothes are shown at most.
MAX_PERSONS = 3


def clothing(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """The events that say what those asked about wear, one for each look; the first or last where that is asked."""
    shown = [c for c in _in_order(parsed, evidence) if _says(parsed, c)]
    looks = _different(shown)[: 1 if parsed.order or parsed.reference else MAX_PERSONS]
    if not looks:
        nearest = tuple(event_claim(candidate, parsed.main) for candidate in evidence.events[:1])
        return Unknown(Reason.IN_DOUBT, nearest, attribute="clothing")
    claims = tuple(event_claim(candidate) for candidate in looks)
    lacking = unseen(parsed, looks[0])
    one_of_them = len(looks) > 1 and parsed.language.asking.pronouns.search(parsed.main.text)
    if lacking or one_of_them or is_doubted(parsed, looks[0]):
        return Unknown(Reason.IN_DOUBT, claims, unmet_words=lacking)
    return Claims(claims)


def _in_order(parsed: ParsedQuestion, evidence: Evidence) -> list[Candidate]:
    if parsed.reference:
        return list(evidence.events)
    if parsed.order:
        return chronological(evidence.found)[:: -1 if parsed.order is Order.LAST else 1]
    return best_first(evidence.found)


def _says(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Whether an event says what somebody wears, and has whom the question names."""
    main = parsed.main
    named = not main.persons or not {*main.persons, *main.aliases}.isdisjoint(candidate.people)
    stated = parsed.language.asking.clothes_stated.search(candidate.event.summary_text)
    return bool(stated) and named and not unmet(parsed, main, candidate).things


def _different(shown: Iterable[Candidate]) -> list[Candidate]:
    """Those that are about people whom none before is about."""
    known: set[str] = set()
    found: list[Candidate] = []
    for candidate in shown:
        people = people_in(candidate)
        if not found or not people <= known:
            found.append(candidate)
        known |= people
    return found
