"""Which of the verified events a question means: the best, or one by its place in time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from amr_neo4j.domain.event import Event
from amr_neo4j.recall.candidate import Candidate
from amr_neo4j.recall.reading import Clause, Order, Reading
from amr_neo4j.recall.verify import relevance


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


def choose(reading: Reading, candidates: Sequence[Candidate], default: Order | None) -> list[Candidate]:
    """The events that may answer what is asked, the likeliest first. candidates: best first.

    default: the order where the question tells none; None for the best.
    """
    order = reading.order or default
    if reading.reference:
        return _from(reading, matching(reading.main, candidates), refer(reading.reference, candidates))
    fitting = matching(reading.main, candidates)
    if order is None:
        return sorted(fitting, key=lambda c: (-relevance(c, reading.main), c.node_id))
    return chronological(fitting)[:: -1 if order is Order.LAST else 1]


def refer(reference: Clause, candidates: Sequence[Candidate]) -> Candidate:
    """The event that a clause of time tells of."""
    return max(candidates, key=lambda c: (relevance(c, reference), -c.node_id))


def matching(clause: Clause, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that meet as much of the clause as any does: the things and people it names, then its words."""
    found = _most(candidates, lambda c: len({*clause.objects} & c.objects) + len({*clause.persons} & c.people.keys()))
    return _most(found, lambda c: sum(bool(word.forms & c.forms) for word in clause.words if not word.vague))


def _most(candidates: Sequence[Candidate], count: Callable[[Candidate], float]) -> list[Candidate]:
    most = max(map(count, candidates), default=0)
    return [candidate for candidate in candidates if count(candidate) == most]


def _from(reading: Reading, candidates: Sequence[Candidate], reference: Candidate) -> list[Candidate]:
    """The candidates on the asked side of another event, the nearest in time first."""
    sides: dict[Order | None, Callable[[float], bool]] = {
        Order.BEFORE: lambda gap: gap < 0,
        Order.AFTER: lambda gap: gap >= 0,
        Order.DURING: lambda _: True,
    }
    itself = None if reading.order is Order.DURING else reference.node_id
    gaps = [(_seconds_between(reference.event, c.event), c) for c in candidates if c.node_id != itself]
    near = [(gap, c) for gap, c in gaps if gap is not None and sides[reading.order](gap)]
    return [c for _, c in sorted(near, key=lambda pair: (abs(pair[0]), pair[1].node_id))]


def _seconds_between(one: Event, other: Event) -> float | None:
    """From the start of one event to the start of the other; None where nothing puts them on one time line."""
    if one.video_id == other.video_id:
        return other.time_start - one.time_start
    return (other.at - one.at).total_seconds() if one.at and other.at else None
