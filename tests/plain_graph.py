"""The graph of seed 000 as plain dictionaries: what the real one must equal, whatever order clips came in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

from amr_neo4j.domain.event import ComposedClip, EventDraft, Use
from amr_neo4j.domain.video import Video

Name = tuple[str, str, int]
EdgeRow = tuple[str, str, Name, Name, float]


class PlainGraph:
    """Indices and edges over composed clips; events are named by video, clip and ordinal."""

    def __init__(self, clips: Iterable[ComposedClip], jump_gap: float) -> None:
        self._jump_gap = jump_gap
        self._events: list[tuple[Name, Video, EventDraft]] = []
        for clip in clips:
            video, clip_id = clip.source.video, clip.source.clip.clip_id
            self._events += [((video.video_id, clip_id, e.ordinal), video, e) for e in clip.events]
        self._events.sort(key=lambda item: (_clock(item[1], item[2]), item[2].time_end, item[0]))

    def edges(self) -> set[EdgeRow]:
        """(channel, subject, from, to, time gap)."""
        return {*self._temporal(), *self._jumps(), *self._lifecycles()}

    def _temporal(self) -> Iterator[EdgeRow]:
        for src, dst in _pairs(self._events, lambda video, event: [video.video_id]):
            yield "TEMPORAL", "", src[0], dst[0], round(max(0.0, dst[2].time_start - src[2].time_end), 3)

    def _jumps(self) -> Iterator[EdgeRow]:
        people = lambda video, event: {(video.timeline, p.scope, p.person_id) for p in event.involvements}  # noqa: E731
        for person, src, dst in _chains(self._events, people):
            gap = _gap(src, dst)
            if gap > self._jump_gap:
                yield "ENTITY_JUMP", person[2], src[0], dst[0], gap

    def _lifecycles(self) -> Iterator[EdgeRow]:
        objects = lambda video, event: {(video.timeline, use.name) for use in event.uses}  # noqa: E731
        for thing, src, dst in _chains(self._events, objects):
            if any(use.name == thing[1] and _changes(use) for use in dst[2].uses):
                yield "OBJECT_LIFECYCLE", thing[1], src[0], dst[0], max(0.0, _gap(src, dst))


def _changes(use: Use) -> bool:
    return use.to_state is not None


def _clock(video: Video, event: EventDraft) -> float:
    return event.time_start + (video.recorded_at.timestamp() if video.recorded_at else 0.0)


def _gap(src, dst) -> float:
    return round(_clock(dst[1], dst[2]) - _clock(src[1], src[2]) - (src[2].time_end - src[2].time_start), 3)


def _chains(events, keys):
    """(key, earlier, later) for each two events that follow one another among those with the same key."""
    index = defaultdict(list)
    for item in events:
        for key in keys(item[1], item[2]):
            index[key].append(item)
    for key, chain in index.items():
        for src, dst in pairwise(chain):
            yield key, src, dst


def _pairs(events, keys):
    return [(src, dst) for _, src, dst in _chains(events, keys)]
