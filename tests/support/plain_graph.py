"""The graph of specification 000 I.6 as plain dictionaries: what the real one must equal in any order of clips."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise, product

from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.video import Video

Name = tuple[str, str, int]
# verb, from_state, to_state
State = tuple[str | None, str | None, str | None]
# Channel, subject, from, to, time gap; then seq, verb and states of a change, else kind and evidence.
EdgeRow = tuple[str, str, Name, Name, float, tuple[str, ...]]
# Whose chain: the kind and the name of the timeline, then who or what.
Chain = tuple[str, ...]
# (scope, person_id), video_id -> those of the person who that is
Now = Callable[[tuple[str, str], str], tuple[str, str]]
PersonIndex = dict[Chain, list[tuple[Name, tuple[str, ...]]]]
ObjectIndex = dict[Chain, list[tuple[Name, tuple[State, ...]]]]


class PlainGraph:
    """Indices and edges over composed clips; events are named by video, clip and ordinal."""

    def __init__(self, clips: Iterable[ComposedClip], jump_gap: float, now: Now = lambda who, video_id: who) -> None:
        """now: who a person is after merges and splits."""
        self._jump_gap = jump_gap
        self._events: list[tuple[Name, Video, EventDraft]] = []
        for clip in clips:
            video, clip_id = clip.source.video, clip.source.clip.clip_id
            self._events += [
                ((video.video_id, clip_id, e.ordinal), video, _known(e, video, now)) for e in clip.events
            ]
        self._events.sort(key=lambda item: (_clock(*item[1:]), _clock(*item[1:]) + _lasting(item[2]), item[0]))

    def edges(self) -> set[EdgeRow]:
        """All edges."""
        return {*self._temporal(), *self._jumps(), *self._lifecycles(), *self._sounds(), *self._voices()}

    def person_index(self) -> PersonIndex:
        """Chain -> its events in order, each with the parts that the person has in it."""
        return {
            chain: [(name, tuple(sorted(_roles(video, event, chain)))) for name, video, event in items]
            for chain, items in _index(self._events, _people).items()
        }

    def object_index(self) -> ObjectIndex:
        """Chain -> its events in order, each with what becomes of the object in it, one action after the other."""
        return {
            chain: [
                (name, tuple((u.verb, u.from_state, u.to_state) for u in event.uses if u.name == chain[-1]))
                for name, _, event in items
            ]
            for chain, items in _index(self._events, _objects).items()
        }

    def _temporal(self) -> Iterator[EdgeRow]:
        for src, dst in _pairs(self._events, lambda video, event: [video.video_id]):
            yield "TEMPORAL", "", src[0], dst[0], round(max(0.0, dst[2].time_start - src[2].time_end), 3), ()

    def _jumps(self) -> Iterator[EdgeRow]:
        for person, src, dst in _chains(self._events, _people):
            gap = _gap(src, dst)
            if gap > self._jump_gap:
                yield "ENTITY_JUMP", person[-1], src[0], dst[0], gap, ()

    def _lifecycles(self) -> Iterator[EdgeRow]:
        for thing, src, dst in _chains(self._events, _objects):
            for use in dst[2].uses:
                if use.name == thing[-1] and _changes(use):
                    what = (str(use.seq), use.verb or "", use.from_state or "", use.to_state or "")
                    yield "OBJECT_LIFECYCLE", thing[-1], src[0], dst[0], max(0.0, _gap(src, dst)), what

    def _sounds(self) -> Iterator[EdgeRow]:
        """Edges between a sound and what is seen while it is heard. The gap is the time that they share."""
        for _, events in _index(self._events, lambda video, event: [video.video_id]).items():
            sounds = [(name, event) for name, _, event in events if event.heard]
            sights = [(name, event) for name, _, event in events if not event.heard]
            for (heard, sound), (seen, sight) in product(sounds, sights):
                shared = min(sound.time_end, sight.time_end) - max(sound.time_start, sight.time_start)
                if shared > 0 or (shared == 0 and _lasting(sound) * _lasting(sight) == 0):
                    yield "CROSS_MODAL", sound.summary_text[:200], heard, seen, round(shared, 3), ("sound", "overlap")

    def _voices(self) -> Iterator[EdgeRow]:
        """Edges between a voice and the nearest events that show its person. The gap is the confidence."""
        for chain, events in _index(self._events, _people_of_a_video).items():
            seen = [_is_seen(event, chain) for _, _, event in events]
            for place, (name, _, event) in enumerate(events):
                if not seen[place] and (parts := _heard_parts(event, chain)):
                    before = [i for i in range(place) if seen[i]][-1:]
                    after = [i for i in range(place, len(events)) if seen[i]][:1]
                    for sight in (*before, *after):
                        sure = max(part.confidence or 0 for part in parts)
                        how = min(part.evidence or "~" for part in parts if (part.confidence or 0) == sure)
                        yield "CROSS_MODAL", chain[-1], name, events[sight][0], sure, ("person", how.strip("~"))


def _known(event: EventDraft, video: Video, now: Now) -> EventDraft:
    """The event with every person replaced by who that is."""
    people = [now((part.scope, part.person_id), video.video_id) for part in event.involvements]
    parts = (
        replace(part, scope=scope, person_id=person_id)
        for part, (scope, person_id) in zip(event.involvements, people, strict=True)
    )
    return replace(event, involvements=tuple(parts))


def _people_of_a_video(video: Video, event: EventDraft) -> set[Chain]:
    return {(video.video_id, part.scope, part.person_id) for part in event.involvements if part.role != "mentioned"}


def _parts(event: EventDraft, chain: Chain) -> list[Involvement]:
    return [part for part in event.involvements if (part.scope, part.person_id) == chain[-2:]]


def _is_seen(event: EventDraft, chain: Chain) -> bool:
    return not event.heard and any(part.role == "actor" for part in _parts(event, chain))


def _heard_parts(event: EventDraft, chain: Chain) -> list[Involvement]:
    return [part for part in _parts(event, chain) if part.role != "mentioned"]


def _lasting(event: EventDraft) -> float:
    return event.time_end - event.time_start


def _people(video: Video, event: EventDraft) -> set[Chain]:
    return {(*video.timeline, part.scope, part.person_id) for part in event.involvements}


def _objects(video: Video, event: EventDraft) -> set[Chain]:
    return {(*video.timeline, use.name) for use in event.uses}


def _roles(video: Video, event: EventDraft, chain: Chain) -> list[str]:
    return [part.role for part in event.involvements if (*video.timeline, part.scope, part.person_id) == chain]


def _changes(use: Use) -> bool:
    return use.to_state is not None


def _clock(video: Video, event: EventDraft) -> float:
    return event.time_start + (video.recorded_at.timestamp() if video.recorded_at else 0.0)


def _gap(src, dst) -> float:
    return round(_clock(dst[1], dst[2]) - _clock(src[1], src[2]) - (src[2].time_end - src[2].time_start), 3)


def _chains(events, keys):
    """(key, earlier, later) for each two events that follow one another among those with the same key."""
    for key, chain in _index(events, keys).items():
        for src, dst in pairwise(chain):
            yield key, src, dst


def _index(events, keys):
    """key -> the events that have it, in their order."""
    index = defaultdict(list)
    for item in events:
        for key in keys(item[1], item[2]):
            index[key].append(item)
    return index


def _pairs(events, keys):
    return [(src, dst) for _, src, dst in _chains(events, keys)]
