"""Inserts new events into stored chains: which pairs become neighbours, and which pairs no longer are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Stop(NamedTuple):
    """An event in a chain.

    position: sorts the chain.
    start, end: seconds of the video.
    clock: the start in seconds on its timeline, which may span several videos.
    """

    position: str
    node_id: int
    start: float
    end: float
    clock: float

    @classmethod
    def stored(cls, row: Mapping[str, Any] | None) -> Stop | None:
        """Return the event in a row of ingest/last_events or ingest/events_around; None if the row is null."""
        return None if row is None else cls(**row)


Around = tuple[Stop | None, Stop | None]
"""The stored events before and after a new one."""


@dataclass(frozen=True)
class Spliced:
    """How a chain changes. links: pairs of neighbours, in order, with at least one new event in each.

    passed: (stored event, new event, stored event), where the two stored events were neighbours before.
    """

    links: Sequence[tuple[Stop, Stop]]
    passed: Sequence[tuple[Stop, Stop, Stop]]


def splice(new: Iterable[Stop], around: Mapping[str, Around]) -> Spliced:
    """Insert new events into a stored chain.

    Tests check this law: the new links and what remains of the stored chain are together the chain of all events.

    new: in any order.
    around: {position of a new event: the stored events before and after it}.
    """
    links: list[tuple[Stop, Stop]] = []
    passed: list[tuple[Stop, Stop, Stop]] = []
    last: Stop | None = None
    gap: Around = (None, None)
    for stop in sorted(new):
        before, after = around[stop.position]
        if last is not None and (before, after) == gap:  # both new events are between the same two stored ones
            links.append((last, stop))
        else:  # close the gap of the new event before, and open the gap of this one
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
    """An event in which a person is seen or only heard.

    evidence: how it is known whose voice it is.
    confidence: how surely, 0 to 1. Both are None if the person is seen.
    """

    position: str
    node_id: int
    confidence: float | None = None
    evidence: str | None = None


@dataclass(frozen=True)
class TiedVoices:
    """How the edges from voices to sights change. links: (voice, one of its nearest sights) with a new member.

    passed: (stored voice, stored sight that is no longer the nearest, new sight that is).
    """

    links: Sequence[tuple[Sight, Sight]]
    passed: Sequence[tuple[Sight, Sight, Sight]]


def tie_voices(
    seen: Iterable[Sight],
    heard: Iterable[Sight],
    *,
    seen_before: Iterable[Sight] = (),
    heard_before: Iterable[Sight] = (),
) -> TiedVoices:
    """Tie each voice of one person in one video to the nearest events before and after it that show the person.

    If an event is listed with several kinds of evidence, the one with the highest confidence is used.

    seen, heard: new events.
    seen_before, heard_before: stored events, from the last sight before the first new event to the first sight after
        the last new event. The nearest sights of events outside that range do not change.
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
    return TiedVoices(links, passed)


def _best(heard: Iterable[Sight]) -> Iterator[Sight]:
    """Yield each event once, with its highest confidence. Evidence breaks ties, so the input order is irrelevant."""
    ordered = sorted(
        heard, key=lambda voice: (-(voice.confidence or 0), voice.evidence is None, voice.evidence or "")
    )
    yield from {voice.node_id: voice for voice in reversed(ordered)}.values()


def _nearest(voice: Sight, sights: Sequence[Sight]) -> tuple[Sight | None, Sight | None]:
    """Return the last sight before a voice and the first one after it. sights: sorted by position."""
    place = bisect_left(sights, voice.position, key=_position)
    behind = bisect_right(sights, voice.position, lo=place, key=_position)
    return (sights[place - 1] if place else None), (sights[behind] if behind < len(sights) else None)


def _position(sight: Sight) -> str:
    return sight.position
