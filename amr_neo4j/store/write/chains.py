"""Chains of events with new members among stored ones: which neighbours are new, and which are so no longer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Stop(NamedTuple):
    """An event on a chain. position sorts; start, end: seconds of its video; clock: seconds on its timeline."""

    position: str
    node_id: int
    start: float
    end: float
    clock: float

    @classmethod
    def stored(cls, row: Mapping[str, Any] | None) -> Stop | None:
        """From a row of ingest/last_events or ingest/events_around; None where there is no event."""
        return None if row is None else cls(**row)


Around = tuple[Stop | None, Stop | None]
"""The stored events before and after a new one."""


@dataclass(frozen=True)
class Spliced:
    """links: neighbours of which at least one is new, in order. passed: stored neighbours, with a new one between."""

    links: Sequence[tuple[Stop, Stop]]
    passed: Sequence[tuple[Stop, Stop, Stop]]


def splice(new: Iterable[Stop], around: Mapping[str, Around]) -> Spliced:
    """Put new events into a stored chain. new: any order; around: of their positions.

    A law: the links and what remains of the stored chain are the chain of all of them.
    """
    links: list[tuple[Stop, Stop]] = []
    passed: list[tuple[Stop, Stop, Stop]] = []
    last: Stop | None = None
    gap: Around = (None, None)
    for stop in sorted(new):
        before, after = around[stop.position]
        if last is not None and (before, after) == gap:
            links.append((last, stop))
        else:
            if last is not None and gap[1] is not None:
                links.append((last, gap[1]))
            if before is not None:
                links.append((before, stop))
                if after is not None:
                    passed.append((before, stop, after))
        last, gap = stop, (before, after)
    if last is not None and gap[1] is not None:
        links.append((last, gap[1]))
    return Spliced(links, passed)


class Sight(NamedTuple):
    """An event in which a person is seen, or only heard; then with how that is known, and how surely."""

    position: str
    node_id: int
    confidence: float | None = None
    evidence: str | None = None


@dataclass(frozen=True)
class Voices:
    """links: a voice and the nearest sights, where one of the two is new. passed: a stored voice, the stored sight
    that is no longer the nearest, and the new one that is."""

    links: Sequence[tuple[Sight, Sight]]
    passed: Sequence[tuple[Sight, Sight, Sight]]


def tie_voices(
    seen: Iterable[Sight],
    heard: Iterable[Sight],
    *,
    seen_before: Iterable[Sight] = (),
    heard_before: Iterable[Sight] = (),
) -> Voices:
    """Tie each voice of a person in a video to the nearest events, before and after it, that show the person.

    seen, heard: new. seen_before, heard_before: stored, from the last sight before the first new event to the first
    one after the last. A voice that is known in several ways is taken as it is known best.
    """
    stored = sorted(set(seen_before))
    fresh = set(seen)
    everywhere = sorted({*stored, *fresh})
    links: list[tuple[Sight, Sight]] = []
    passed: list[tuple[Sight, Sight, Sight]] = []
    for voice in _best(heard):
        links += [(voice, sight) for sight in _nearest(voice, everywhere) if sight]
    for voice in _best(heard_before):
        for sight, known in zip(_nearest(voice, everywhere), _nearest(voice, stored), strict=True):
            if sight in fresh and sight:
                links.append((voice, sight))
                if known:
                    passed.append((voice, known, sight))
    return Voices(links, passed)


def _best(heard: Iterable[Sight]) -> Iterator[Sight]:
    ordered = sorted(
        heard, key=lambda voice: (-(voice.confidence or 0), voice.evidence is None, voice.evidence or "")
    )
    yield from {voice.node_id: voice for voice in reversed(ordered)}.values()


def _nearest(voice: Sight, sights: Sequence[Sight]) -> tuple[Sight | None, Sight | None]:
    """The last one before and the first one after. sights: in order."""
    place = bisect_left(sights, voice.position, key=_position)
    behind = bisect_right(sights, voice.position, lo=place, key=_position)
    return (sights[place - 1] if place else None), (sights[behind] if behind < len(sights) else None)


def _position(sight: Sight) -> str:
    return sight.position
