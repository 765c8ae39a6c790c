"""Which of the verified events a question means: the best, or one by its place in time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from amr_neo4j.domain.event import Event
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.reading import Aim, Clause, Order, Reading
from amr_neo4j.recall.verify import relevance

# Events that fit a clause of time as nearly as this are all taken for what it may tell of.
AS_GOOD = 0.9


@dataclass(frozen=True)
class Choice:
    """The events that may answer, the likeliest first, and the one they are told from, where the question has one."""

    events: Sequence[Candidate]
    told_from: Candidate | None = None


def choose(reading: Reading, candidates: Sequence[Candidate], default: Order | None = None) -> Choice:
    """The events that may answer what is asked. candidates: at least one.

    default: the order where the question tells none; None for the best fit.
    """
    order = reading.order or default
    if reading.reference:
        return _told_from(reading, reading.reference, candidates)
    if order is None:
        return Choice(sorted(candidates, key=lambda c: (-relevance(c, reading.main), c.node_id)))
    return Choice(chronological(_fitting(reading, candidates))[:: -1 if order is Order.LAST else 1])


def _fitting(reading: Reading, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    if reading.aim is Aim.CONTENTS:
        return candidates  # what is on the table may have been put elsewhere by an event that knows no table
    by_effect = reading.aim is not Aim.STATE  # "is the fridge open" is also about who closed it
    return matching(reading.main, candidates, by_effect=by_effect)


def matching(clause: Clause, candidates: Sequence[Candidate], *, by_effect: bool = True) -> list[Candidate]:
    """The candidates that meet as much of a clause as any does: a thing and a person it names, a deed, its words."""
    things, people = {*clause.objects}, {*clause.persons}
    deeds = {(who, thing) for who in people for thing in things}
    telling = {form for word in clause.telling for form in word.forms}
    found = _most(candidates, lambda c: bool(things & c.objects) + bool(people & c.people.keys()))
    found = _most(found, lambda c: bool(deeds & c.deeds) + (by_effect and bool(clause.effects & c.effects)))
    return _most(found, lambda c: clause.met(telling & c.forms))


def chronological(candidates: Iterable[Candidate]) -> list[Candidate]:
    """By wall clock where every event knows it; else video by video as they came into memory, each by its seconds."""
    found = list(candidates)
    if all(c.event.at for c in found):
        return sorted(found, key=lambda c: (c.event.at, c.event.time_start, c.node_id))
    came: dict[str, int] = {}
    for candidate in found:
        video_id = candidate.event.video_id
        came[video_id] = min(candidate.node_id, came.get(video_id, candidate.node_id))
    return sorted(found, key=lambda c: (came[c.event.video_id], c.event.time_start, c.node_id))


def _most(candidates: Sequence[Candidate], count: Callable[[Candidate], float]) -> list[Candidate]:
    most = max(map(count, candidates), default=0)
    return [candidate for candidate in candidates if count(candidate) == most]


def _told_from(reading: Reading, reference: Clause, candidates: Sequence[Candidate]) -> Choice:
    """Of the events that the clause of time may tell of, the one with an answer nearest to it on the asked side."""
    fit = {c.node_id: relevance(c, reference) for c in candidates}
    meant = [c for c in candidates if fit[c.node_id] >= AS_GOOD * max(fit.values())]
    fitting = _fitting(reading, candidates)
    sides = [(_beside(reading.order, told_from, fitting), told_from) for told_from in meant]
    near = [(side[0][0], -fit[told_from.node_id], told_from.node_id) for side, told_from in sides if side]
    if not near:
        return Choice([])
    best = min(near)[2]
    side, told_from = next((side, c) for side, c in sides if c.node_id == best)
    return Choice([candidate for _, candidate in side], told_from)


def _beside(order: Order | None, origin: Candidate, candidates: Sequence[Candidate]) -> list[tuple[float, Candidate]]:
    """(seconds away, candidate) of those before, after or about another event, the nearest first."""
    gaps = [(_seconds_between(origin.event, c.event), c) for c in candidates]
    sides: dict[Order | None, Callable[[float, Candidate], bool]] = {
        Order.BEFORE: lambda gap, c: gap < 0,
        Order.AFTER: lambda gap, c: gap >= 0 and c.node_id != origin.node_id,
    }
    asked = sides.get(order, lambda gap, c: True)
    near = [(abs(gap), c) for gap, c in gaps if gap is not None and asked(gap, c)]
    return sorted(near, key=lambda pair: (pair[0], pair[1].node_id))


def _seconds_between(one: Event, other: Event) -> float | None:
    """From the start of one event to the start of the other; None where nothing puts them on one time line."""
    if one.video_id == other.video_id:
        return other.time_start - one.time_start
    return (other.at - one.at).total_seconds() if one.at and other.at else None
