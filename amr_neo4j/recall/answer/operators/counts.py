"""Answers how often something was done, and how many people or things there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown, event_claim, listed_claims
from amr_neo4j.recall.answer.operators.events import event
from amr_neo4j.recall.evidence.occurrences import Occurrence, occurrences
from amr_neo4j.recall.evidence.premise import lacks, nobody
from amr_neo4j.recall.evidence.watched import (
    at_an_end,
    at_once,
    deeds,
    is_watched,
    of_films,
    people_in,
    people_meant,
    unseen,
    unseen_looks,
    untold_looks,
)
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence, best_match
from amr_neo4j.recall.retrieve.candidate import Candidate


def count(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer how often something was done, and when. If it never was, the best match is the nearest event."""
    claims = count_claims(parsed.main, [c for c in evidence.events if not lacks(parsed.main, c, nobody)])
    if not claims:
        return no_occurrence(parsed, evidence)
    counted = [claim.rests_on for claim in claims]
    if is_watched(counted):
        claims = (replace(claims[0], text=parsed.language.grammar.as_recognised(claims[0].text)), *claims[1:])
    # "How often did the boy jump": the local analyser tells no boys from girls, so the count may be of others.
    lacking = unseen_looks(parsed, counted[0])
    return Unknown(Reason.IN_DOUBT, claims, unmet_words=lacking) if lacking else Claims(claims)


def no_occurrence(parsed: ParsedQuestion, evidence: Evidence) -> Unknown:
    """Report that it never happened, with the best match as the closest event."""
    return Unknown(Reason.NO_OCCURRENCE, (event_claim(best_match(parsed.main, evidence.candidates)),))


def count_claims(clause: Clause, events: Sequence[Candidate]) -> tuple[Claim, ...]:
    """Return claims for the number of times and when they were; empty if there were none."""
    found = [occurrence.candidate for occurrence in occurrences(clause, events)]
    if not found:
        return ()
    grammar = clause.language.grammar
    every = [Claim(grammar.event_at(candidate.event), candidate) for candidate in found]
    [claim, *claims] = listed_claims(every, grammar)
    return (replace(claim, text=grammar.counted(len(found), claim.text)), *claims)


def headcount(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer how many there are: the most that one event of a film shows at once.

    For people, also how many different ones were seen. If the question has a deed, how many did it. The number is a
    lower bound, because an event names the people it is about and not everybody in view.
    """
    films = of_films(evidence.found)
    if not is_watched(films):
        return event(parsed, evidence)
    films = at_an_end(parsed, films)
    if deeds(parsed):
        return _of_deeds(parsed, evidence, films)
    of_people = _of_people(parsed)
    counted = parsed.language.asking.counted.search(parsed.main.text)
    noun = parsed.language.words_of(counted[0])[-1] if counted else ""
    forms = parsed.language.forms(noun)
    fitting = [c for c in films if _is_meant(parsed, c)]
    counts = [(_people_at_once(parsed, c) if of_people else at_once(forms, c), c) for c in fitting]
    most, best = max(counts, key=lambda counted: counted[0], default=(0, films[0]))
    if not most:
        nearest = (*evidence.events, *films)[0]
        return Unknown(Reason.NOT_STATED, (event_claim(nearest),), unmet_words=unseen(parsed, nearest))
    claim = event_claim(best)
    people = [people_meant(parsed, c) for c in fitting] if of_people else []
    # A report may count people that it does not name ("three people"), so each event adds those beyond its names.
    unnamed = [number - len(who) for (number, _), who in zip(counts, people, strict=False)]
    in_all = len(frozenset[str]().union(*people)) + sum(unnamed)
    # Two bounds: the fewest people who explain what was seen, and the number if nobody was seen twice.
    by_looks = _by_looks(parsed, fitting) + max(unnamed, default=0)
    said = parsed.language.grammar.counted_in_view(most, by_looks, in_all, claim.text)
    return Claims((replace(claim, text=said),))


def _of_deeds(parsed: ParsedQuestion, evidence: Evidence, films: Sequence[Candidate]) -> Claims | Unknown:
    """Answer how many people did it; people who look alike count as one."""
    fitting = [c for c in films if _is_meant(parsed, c) and not lacks(parsed.main, c, nobody)]
    done = occurrences(parsed.main, fitting)
    if not done:
        nearest = (*evidence.events, *films)[0]
        lacking = unseen(parsed, nearest) or tuple(word.word for word in deeds(parsed))
        return Unknown(Reason.NOT_STATED, (event_claim(nearest),), unmet_words=lacking)
    grammar = parsed.language.grammar
    claims = [Claim(grammar.event_at(each.candidate.event), each.candidate) for each in done]
    [claim, *claims] = listed_claims(claims, grammar)
    return Claims((replace(claim, text=grammar.counted_by_looks(len(done), _actors(done), claim.text)), *claims))


def _is_meant(parsed: ParsedQuestion, candidate: Candidate) -> bool:
    """Return whether an event has what is counted. A sex or an age is ignored, because no report states it."""
    return set(untold_looks(parsed, candidate)).issuperset(unseen(parsed, candidate))


def _people_at_once(parsed: ParsedQuestion, candidate: Candidate) -> int:
    """Return how many people an event shows.

    People who look alike share one name ("two people in a black top"), so a number in the text counts if it is higher
    than the number of names.
    """
    # If only some people are meant, the number in the text ("three people") may count the others too.
    people, everybody = people_meant(parsed, candidate), people_in(candidate)
    if people != everybody or not people:
        return len(people)
    language = candidate.language
    words = language.words_of(candidate.event.summary_text.partition(":")[0])
    nouns = [language.forms(word) for word in words if language.asking.anybody.fullmatch(word)]
    return max(len(people), at_once(frozenset[str]().union(*nouns), candidate, words))


def _by_looks(parsed: ParsedQuestion, films: Iterable[Candidate]) -> int:
    """Return how many people there are by their looks: of each look, the most people who had it in one event."""
    most: Counter[str] = Counter()
    for candidate in films:
        # The union of Counters keeps the higher count of each look.
        most |= Counter(candidate.people[who] for who in people_meant(parsed, candidate))
    return most.total()


def _actors(done: Sequence[Occurrence]) -> int:
    return len({each.action.actor for each in done if each.action}) or len(done)


def _of_people(parsed: ParsedQuestion) -> bool:
    anybody = parsed.language.asking.anybody.search(parsed.main.text)
    return bool(anybody) or any(word.describes_person for word in parsed.main.words)
