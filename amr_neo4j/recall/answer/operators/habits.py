"""Answers what is usual: in how many of the occasions, and on how many days, it was so."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

from amr_neo4j.recall.answer.claim import Claim, Claims, Reason, Unknown, event_claim, listed_claims
from amr_neo4j.recall.answer.operators.counts import no_occurrence
from amr_neo4j.recall.evidence.actors import actors_of
from amr_neo4j.recall.evidence.occurrences import SAME_OCCASION_SEC, Occurrence, lasts, occurrences
from amr_neo4j.recall.evidence.timeline import seconds_between
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.selection import Evidence
from amr_neo4j.recall.retrieve.candidate import Candidate

# Fewer occasions are no habit.
LEAST_OCCASIONS = 2
# A smaller share of the occasions is said to be rare.
USUAL_SHARE = 0.5
Occasion = list[Occurrence]


def habit(parsed: ParsedQuestion, evidence: Evidence) -> Claims | Unknown:
    """Answer a question about what is usual: who does it, with what, when, or whether it is usual at all.

    Everybody's occasions are counted, and not only those of the person in question, so that this person's share of
    them is known.
    """
    occasions = _occasions(parsed, occurrences(parsed.anybody, evidence.events))
    if not occasions:
        return no_occurrence(parsed, evidence)
    asked = _asked(parsed, occasions)
    counted: Counter[str] = Counter(answer for each in asked for answer in sorted(each))
    grammar = parsed.language.grammar
    if not counted:
        return Unknown(Reason.IN_DOUBT, (event_claim(occasions[-1][0].candidate, parsed.main),))
    ranked = counted.most_common()
    if parsed.language.asking.asks_what_is_rare(parsed.question.text):
        if len(ranked) == 1 and ranked[0][1] == len(occasions):  # it was always so, so who else is not known
            return Unknown(Reason.IN_DOUBT, (event_claim(occasions[-1][0].candidate, parsed.main),))
        ranked.reverse()
    answer, number = ranked[0]
    ours = [occasion for occasion, answers in zip(occasions, asked, strict=True) if answer in answers]
    days = len({day for occasion in ours if (day := _day(occasion))})
    evidence_of = [_with_answer(parsed, answer, occasion) for occasion in ours]
    first, *others = listed_claims([Claim(grammar.event_at(each.event), each) for each in evidence_of])
    is_usual = len(occasions) >= LEAST_OCCASIONS and number / len(occasions) >= USUAL_SHARE
    said = grammar.habit(
        _worded(parsed, answer, ours[-1]),
        number,
        occasions=len(occasions),
        days=days,
        usual=is_usual,
        clause=first.text,
    )
    return Claims((replace(first, text=said), *others))


def _occasions(parsed: ParsedQuestion, done: Sequence[Occurrence]) -> list[Occasion]:
    """Return the occurrences grouped into occasions, in order of time.

    People who do something lasting together, such as cooking, share an occasion. If a deed takes a moment, each
    person has an occasion of their own.
    """
    found: list[Occasion] = []
    for each in done:
        goes_on = found and _apart(found[-1][-1], each) <= SAME_OCCASION_SEC
        others = goes_on and _people(parsed, found[-1]).isdisjoint(_people(parsed, [each]))
        if goes_on and (lasts(parsed.main) or not others):
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _apart(before: Occurrence, after: Occurrence) -> float:
    """Return the seconds from the end of one to the start of the other; infinite if they cannot be compared."""
    first = before.candidate.event
    seconds = seconds_between(first, after.candidate.event)
    return float("inf") if seconds is None else seconds - (first.time_end - first.time_start)


def _asked(parsed: ParsedQuestion, occasions: Sequence[Occasion]) -> list[set[str]]:
    """Return for each occasion its answers to the question: persons, things, places or the hour.

    If the question only asks whether it is usual, the answer of an occasion is {""}; of one without the person, {}.
    """
    match parsed.usual:
        case AnswerType.PERSON:
            asked_of = set(parsed.main.persons)
            return [_people(parsed, occasion) - asked_of for occasion in occasions]
        case AnswerType.MOMENT:
            return [_hours(occasion) for occasion in occasions]
        case _:
            persons = set(parsed.main.persons)
            ours = [_of_persons(parsed, persons, occasion) for occasion in occasions]
            places = [_places(parsed, occasion) for occasion in ours]
            if parsed.usual is AnswerType.PLACE and any(places):
                return places
            things = [_things(parsed, occasion) for occasion in ours]
            asks_what = parsed.usual is AnswerType.EVENT and not parsed.main.objects and any(things)
            if asks_what:
                return things
            return [{""} if occasion else set[str]() for occasion in ours]


def _with_answer(parsed: ParsedQuestion, answer: str, occasion: Occasion) -> Candidate:
    """Return the first of an occasion that has the answer: where two shared it, the deed of the one asked for."""
    having = (each for each in occasion if answer in _asked(parsed, [[each]])[0])
    return next(having, occasion[0]).candidate


def _of_persons(parsed: ParsedQuestion, persons: Collection[str], occasion: Occasion) -> Occasion:
    """Return what the persons did of an occasion, all of it for none: what Ida drinks beside Ben is not his."""
    return [each for each in occasion if not persons or not _people(parsed, [each]).isdisjoint(persons)]


def _people(parsed: ParsedQuestion, occasion: Occasion) -> set[str]:
    """Return who did it."""
    actors = (actors_of(each.candidate, parsed.anybody) for each in occasion)
    return {who for found in actors for who in found}


def _things(parsed: ParsedQuestion, occasion: Occasion) -> set[str]:
    things = {parsed.language.object_key(each.action.object) for each in occasion if each.action}
    return {thing for thing in things if thing}


def _places(parsed: ParsedQuestion, occasion: Occasion) -> set[str]:
    """Return where it was done: as the actions say, else the things beside those that the question names."""
    said = {each.action.spatial_relation for each in occasion if each.action and each.action.spatial_relation}
    beside = {thing for each in occasion for thing in each.candidate.objects}
    return said or beside.difference(parsed.main.objects)


def _hours(occasion: Occasion) -> set[str]:
    at = occasion[0].candidate.event.at
    return {f"{at:%H}"} if at else set()


def _day(occasion: Occasion) -> date | None:
    at = occasion[0].candidate.event.at
    return at.date() if at else None


def _worded(parsed: ParsedQuestion, answer: str, occasion: Occasion) -> str:
    """Return the answer as a sentence names it: a person by their name, an hour as "between 08:00 and 09:00"."""
    if answer.isdigit():
        return parsed.language.grammar.hour(int(answer))
    names: dict[str, str] = defaultdict(str)
    for each in occasion:
        names |= each.candidate.people
        names |= dict.fromkeys(each.candidate.askers, parsed.language.grammar.say("you"))
    return names[answer] or answer
