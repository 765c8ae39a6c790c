"""Which of the verified events a question means: the best, or one by its place in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.occurrences import alone, occasions
from amr_neo4j.recall.evidence.timeline import chronological, seconds_between
from amr_neo4j.recall.question.clause import Clause
from amr_neo4j.recall.question.parsed import AnswerType, Order, ParsedQuestion
from amr_neo4j.recall.rank.score import relevance

# Events that fit a clause of time as nearly as this are all taken for what it may tell of.
AS_GOOD = 0.9


@dataclass(frozen=True)
class Selection:
    """The events that may answer, the likeliest first, and those they are told from, where the question has any."""

    events: Sequence[Candidate]
    told_from: Candidate | None = None
    until: Candidate | None = None


def choose(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Selection:
    """The events that may answer what is asked. candidates: at least one."""
    if parsed.reference and parsed.until:
        return _between(parsed, parsed.reference, parsed.until, candidates)
    if parsed.reference:
        return _told_from(parsed, parsed.reference, candidates)
    if parsed.nth:
        return Selection([o.candidate for o in occasions(parsed.main, candidates)[parsed.nth - 1 :][:1]])
    if parsed.answer_type in (AnswerType.COUNT, AnswerType.DURATION):
        return Selection(candidates)
    if parsed.asks_for_all:
        return Selection(chronological(matching(parsed.main, candidates)))
    return Selection(_in_turn(parsed, candidates))


def _in_turn(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The likeliest first: by time where one end of it is asked for, else by how well they fit."""
    order = parsed.order or (Order.LAST if parsed.is_about_now else None)
    if order is None:
        return sorted(candidates, key=lambda c: (-relevance(c, parsed.main), c.node_id))
    return chronological(_fitting(parsed, candidates))[:: -1 if order is Order.LAST else 1]


def _fitting(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    if parsed.answer_type is AnswerType.CONTENTS:
        return candidates  # what is on the table may have been put elsewhere by an event that knows no table
    by_effect = parsed.answer_type is not AnswerType.STATE  # "is the fridge open" is also about who closed it
    return matching(parsed.main, candidates, by_effect=by_effect)


def matching(clause: Clause, candidates: Sequence[Candidate], *, by_effect: bool = True) -> list[Candidate]:
    """The candidates that meet as much of a clause as any does: a thing and a person it names, a deed, its words."""
    things, people = {*clause.objects}, {*clause.persons}
    deeds = {(who, thing) for who in people for thing in things}
    found = _most(candidates, lambda c: bool(things & c.objects) + bool(people & c.people.keys()))
    found = _most(
        found, lambda c: bool(deeds & c.actors_on_objects) + (by_effect and bool(clause.effects & c.effects))
    )
    # What was taken is as good as what was picked up.
    done = not by_effect or any(clause.effects & c.effects for c in found)
    telling = {form for word in clause.specific_words if not (done and word.acts) for form in word.forms}
    return _most(found, lambda c: c.matched(clause, telling & c.forms))


def _most(candidates: Sequence[Candidate], count: Callable[[Candidate], float]) -> list[Candidate]:
    counts = [count(candidate) for candidate in candidates]
    most = max(counts, default=0)
    return [candidate for candidate, counted in zip(candidates, counts, strict=True) if counted == most]


def _told_from(parsed: ParsedQuestion, reference: Clause, candidates: Sequence[Candidate]) -> Selection:
    """Of the events that the clause of time may tell of, the one with an answer nearest to it on the asked side."""
    fit = {c.node_id: relevance(c, reference) for c in candidates}
    meant = _meant(reference, candidates)
    fitting = _fitting(parsed, candidates)
    sides = [(_beside(parsed.order, told_from, fitting), told_from) for told_from in meant]
    near = [(side[0][0], -fit[told_from.node_id], told_from.node_id) for side, told_from in sides if side]
    if not near:
        return Selection([])
    best = min(near)[2]
    side, told_from = next((side, c) for side, c in sides if c.node_id == best)
    return Selection([candidate for _, candidate in side], told_from)


def _meant(clause: Clause, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The events that a clause of time may tell of."""
    fit = [relevance(c, clause) for c in candidates]
    enough = AS_GOOD * max(fit, default=0.0)
    return [c for c, fits in zip(candidates, fit, strict=True) if fits >= enough]


def _between(parsed: ParsedQuestion, start: Clause, end: Clause, candidates: Sequence[Candidate]) -> Selection:
    """What lies between the two events, in its order."""
    found = ends(start, end, candidates)
    if not found:
        return Selection([])
    known = {c.node_id for c in found}
    inside = [c for c in candidates if c.node_id not in known and _lies_between(c, *found)]
    return Selection(chronological(matching(parsed.main, inside)), *found)


def ends(start: Clause, end: Clause, candidates: Sequence[Candidate]) -> tuple[Candidate, Candidate] | None:
    """Of the events that two clauses may tell of, the two that follow each other most closely, the former first."""
    pairs = product(_events(start, candidates), _events(end, candidates))
    gaps = [(seconds_between(a.event, b.event), a, b) for a, b in pairs]
    near = [(gap, a.node_id, b.node_id, a, b) for gap, a, b in gaps if gap is not None and gap > 0]
    return min(near)[3:] if near else None


def _events(clause: Clause, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those in which it is done; else those that fit best."""
    return list(alone(occasions(clause, candidates))) or _meant(clause, candidates)


def _lies_between(candidate: Candidate, start: Candidate, end: Candidate) -> bool:
    after, before = seconds_between(start.event, candidate.event), seconds_between(candidate.event, end.event)
    return after is not None and before is not None and after >= 0 and before >= 0


def _beside(order: Order | None, origin: Candidate, candidates: Sequence[Candidate]) -> list[tuple[float, Candidate]]:
    """(seconds away, candidate) of those before, after or about another event, the nearest first."""
    gaps = [(seconds_between(origin.event, c.event), c) for c in candidates]
    sides: dict[Order | None, Callable[[float, Candidate], bool]] = {
        Order.BEFORE: lambda gap, c: gap < 0,
        Order.AFTER: lambda gap, c: gap >= 0 and c.node_id != origin.node_id,
    }
    asked = sides.get(order, lambda gap, c: True)
    near = [(abs(gap), c) for gap, c in gaps if gap is not None and asked(gap, c)]
    return sorted(near, key=lambda pair: (pair[0], pair[1].node_id))
