"""The edges of events that are about to be written, worked out before: among themselves and with stored events.

Which edges there are is said in docs/graph-model.md. `ingest/commit_merged` and `integrity/relink` make the same ones
event by event; a test compares them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from amr_neo4j.store.database import Row, Run
from amr_neo4j.store.write.chains import Around, Sight, Spliced, Stop, splice, tie_voices

_KINDS = ("videos", "persons", "objects")
# What an edge says of a change.
_SAID = ("verb", "actor", "from_state", "to_state", "spatial_relation")
Change = Mapping[str, Any]


@dataclass
class Edges:
    """Rows of ingest/write_clips, with node_ids at their ends: what stands on an edge. Times in seconds, not rounded.

    passed: of ingest/delete_passed. unlinked: node_id of a new event -> stored events that lose an edge by it.
    """

    temporal: list[list[Any]] = field(default_factory=list[list[Any]])
    jumps: list[list[Any]] = field(default_factory=list[list[Any]])
    lifecycles: list[list[Any]] = field(default_factory=list[list[Any]])
    sounds: list[list[Any]] = field(default_factory=list[list[Any]])
    voices: list[list[Any]] = field(default_factory=list[list[Any]])
    passed: list[list[Any]] = field(default_factory=list[list[Any]])
    unlinked: dict[int, list[int]] = field(default_factory=lambda: defaultdict[int, list[int]](list))

    @property
    def made(self) -> dict[str, list[list[Any]]]:
        """Kind -> rows of the edges to write; the first two of a row are the node_ids of its ends."""
        return {
            "temporal": self.temporal,
            "jumps": self.jumps,
            "lifecycles": self.lifecycles,
            "sounds": self.sounds,
            "voices": self.voices,
        }

    def pass_by(self, src: Stop | Sight, new: Stop | Sight, dst: Stop | Sight, kind: str, key: str) -> None:
        """An edge between stored events goes, because of a new one."""
        self.passed.append([src.node_id, dst.node_id, kind, key])
        if kind != "TEMPORAL":  # of that one both ends get a new edge, which tells as much
            self.unlinked[new.node_id] += [src.node_id, dst.node_id]


def edges_of(run: Run, group_id: str, clips: Sequence[Row], jump_gap: float) -> Edges:
    """Returns the edges that new clips bring. clips: rows with node_ids, `stored` (of their video) and `events`.

    Only reads. Call it where other writers are locked out.
    """
    chains = _Chains()
    for clip in clips:
        for event in clip["events"]:
            chains.add(event)
    around = _around(run, group_id, chains, {clip["video_id"] for clip in clips if clip["stored"] is None})
    edges = Edges()
    _link_videos(edges, chains, around)
    _link_persons(edges, chains, around, jump_gap)
    _link_objects(edges, chains, around)
    _link_sounds(edges, run, group_id, clips)
    _link_voices(edges, run, clips)
    return edges


@dataclass
class _Chains:
    """Chain -> its new events by position, per kind. people: key -> person_id. things: key -> name of the object.

    changes: key and position -> the last change of state in that event.
    """

    stops: dict[str, dict[str, dict[str, Stop]]] = field(
        default_factory=lambda: {kind: defaultdict[str, dict[str, Stop]](dict) for kind in _KINDS}
    )
    people: dict[str, str] = field(default_factory=dict[str, str])
    things: dict[str, str] = field(default_factory=dict[str, str])
    changes: dict[tuple[str, str], Change] = field(default_factory=dict[tuple[str, str], Change])

    def add(self, event: Row) -> None:
        props = event["props"]
        position = props["position"]
        stop = Stop(position, props["node_id"], props["time_start"], props["time_end"], props["clock_start"])
        self.stops["videos"][props["video_id"]][position] = stop
        for part in event["involvements"]:
            key = part["props"]["key"]
            self.stops["persons"][key][position] = stop
            self.people[key] = part["person_id"]
        for use in event["uses"]:
            key = use["props"]["key"]
            self.stops["objects"][key][position] = stop
            self.things[key] = use["name"]
            if use["props"]["to_state"] is not None:  # in order of seq
                self.changes[key, position] = use["props"]


@dataclass
class _Neighbours:
    """Per kind and chain: of each new position the stored events around it. changes: as in _Chains, of stored."""

    of: dict[str, dict[str, dict[str, Around]]]
    changes: dict[tuple[str, str], Change]

    def spliced(self, kind: str, key: str, new: Mapping[str, Stop]) -> Spliced:
        return splice(new.values(), self.of[kind][key])


def _around(run: Run, group_id: str, chains: _Chains, new_videos: set[str]) -> _Neighbours:
    """Most events come after all of their chain: one seek a chain, and two for each event that does not."""
    keys = {kind: list(chains.stops[kind]) for kind in _KINDS}
    keys["videos"] = [key for key in keys["videos"] if key not in new_videos]
    [found] = run("ingest/last_events", group_id=group_id, **keys) if any(keys.values()) else [{}]
    last = {kind: {row[0]: Stop.stored(row[1:]) for row in found.get(kind, ())} for kind in _KINDS}
    neighbours = _Neighbours({kind: {} for kind in _KINDS}, {})
    among: dict[str, list[tuple[str, str]]] = {kind: [] for kind in _KINDS}
    for kind in _KINDS:
        for key, new in chains.stops[kind].items():
            end = last[kind].get(key)
            neighbours.of[kind][key] = dict.fromkeys(new, (end, None))
            if end is not None:
                among[kind] += [(key, position) for position in new if position < end.position]
    if any(among.values()):
        [found] = run("ingest/events_around", group_id=group_id, **among)
        for kind in _KINDS:
            for key, position, before, after, *change in found[kind]:
                neighbours.of[kind][key][position] = Stop.stored(before), Stop.stored(after)
                if change and change[0]:
                    neighbours.changes[key, after[0]] = change[0]
    return neighbours


def _link_videos(edges: Edges, chains: _Chains, around: _Neighbours) -> None:
    for key, new in chains.stops["videos"].items():
        spliced = around.spliced("videos", key, new)
        edges.temporal += [[a.node_id, b.node_id, max(0.0, b.start - a.end)] for a, b in spliced.links]
        for src, stop, dst in spliced.passed:
            edges.pass_by(src, stop, dst, "TEMPORAL", "")


def _link_persons(edges: Edges, chains: _Chains, around: _Neighbours, jump_gap: float) -> None:
    for key, new in chains.stops["persons"].items():
        spliced = around.spliced("persons", key, new)
        for src, dst in spliced.links:
            if (gap := _gap(src, dst)) > jump_gap:
                edges.jumps.append([src.node_id, dst.node_id, gap, key, chains.people[key]])
        for src, stop, dst in spliced.passed:
            if _gap(src, dst) > jump_gap:
                edges.pass_by(src, stop, dst, "ENTITY_JUMP", key)


def _link_objects(edges: Edges, chains: _Chains, around: _Neighbours) -> None:
    changes = {**around.changes, **chains.changes}
    for key, new in chains.stops["objects"].items():
        name = chains.things[key]
        spliced = around.spliced("objects", key, new)
        for src, dst in spliced.links:
            if change := changes.get((key, dst.position)):
                said = {what: change.get(what) for what in _SAID}
                edges.lifecycles.append([src.node_id, dst.node_id, max(0.0, _gap(src, dst)), name, said])
        for src, stop, dst in spliced.passed:
            if (key, dst.position) in changes:
                edges.pass_by(src, stop, dst, "OBJECT_LIFECYCLE", name)


def _gap(src: Stop, dst: Stop) -> float:
    """Seconds from the end of one event to the start of another, on their timeline."""
    return dst.clock - (src.clock + src.end - src.start)


@dataclass(frozen=True)
class _Shown:
    """An event in its video; new: about to be written. summary: of a sound."""

    position: str
    node_id: int
    start: float
    end: float
    heard: bool
    summary: str | None
    new: bool


def _link_sounds(edges: Edges, run: Run, group_id: str, clips: Sequence[Row]) -> None:
    """From each sound to the events seen while it is heard, in videos that have sounds."""
    shown: dict[str, list[_Shown]] = defaultdict(list)
    for clip in _of_videos(clips, "heard"):
        shown[clip["video_id"]] += [_shown(event["props"]) for event in clip["events"]]
    stretches = _joined(_stretch(clip) for clip in _of_videos(clips, "heard") if clip["stored"] and clip["events"])
    asked = [list(stretch) for stretch in stretches]
    for row in run("ingest/sounds_around", group_id=group_id, stretches=asked) if asked else ():
        shown[row.pop("video_id")].append(_Shown(**row, new=False))
    for events in shown.values():
        for sound, sight in _together(events):
            overlap = min(sound.end, sight.end) - max(sound.start, sight.start)
            shorter = min(sound.end - sound.start, sight.end - sight.start)
            sure = overlap / shorter if shorter > 0 else 1.0
            edges.sounds.append([sound.node_id, sight.node_id, sound.summary, overlap, sure])


def _shown(props: Row) -> _Shown:
    return _Shown(
        props["position"],
        props["node_id"],
        props["time_start"],
        props["time_end"],
        props["heard"],
        props["summary_text"],
        new=True,
    )


class _Stretch(NamedTuple):
    """Of a video, where to look for what overlaps: beginnings of positions from `start` up to before `end`.

    since: seconds; what is over by then is left out. heard: the kinds that are looked for.
    """

    video_id: str
    start: str
    end: str
    since: float
    heard: list[bool]

    def with_next(self, other: _Stretch) -> _Stretch:
        """Both as one; the other begins within this one."""
        heard = sorted({*self.heard, *other.heard})
        return _Stretch(self.video_id, self.start, max(self.end, other.end), min(self.since, other.since), heard)


def _stretch(clip: Row) -> _Stretch:
    """Where events that overlap those of the clip have their positions, the second that they reach, and their kinds.

    A position begins with start and end, 20 digits each, in microseconds; what began longer ago than the video's
    longest event lasts is over.
    """
    longest = max(clip["longest"], clip["stored"]["longest"] or 0)
    positions = [event["props"]["position"] for event in clip["events"]]
    first = max(0, int(min(positions)[:20]) - longest)
    last = max(int(position[21:41]) for position in positions)
    since = min(event["props"]["time_start"] for event in clip["events"])
    other = {not event["props"]["heard"] for event in clip["events"]}
    return _Stretch(clip["video_id"], f"{first:020d}", f"{last + 1:020d}", since, sorted(other))


def _joined(stretches: Iterable[_Stretch]) -> list[_Stretch]:
    """Stretches of a video that overlap as one, so that what is in several of them is read once."""
    joined: list[_Stretch] = []
    for stretch in sorted(stretches):
        if joined and joined[-1].video_id == stretch.video_id and stretch.start <= joined[-1].end:
            joined[-1] = joined[-1].with_next(stretch)
        else:
            joined.append(stretch)
    return joined


def _together(events: list[_Shown]) -> Iterator[tuple[_Shown, _Shown]]:
    """Sound and sight that overlap, one of them new. events: of one video."""
    going: list[_Shown] = []
    for event in sorted(events, key=lambda shown: (shown.start, shown.end)):
        going = [other for other in going if other.end >= event.start]
        for other in going:
            if other.heard != event.heard and (other.new or event.new) and _overlap(other, event):
                yield (event, other) if event.heard else (other, event)
        going.append(event)


def _overlap(one: _Shown, other: _Shown) -> bool:
    """Touching counts where one of them is a moment."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared > 0 or (shared == 0 and min(one.end - one.start, other.end - other.start) == 0)


def _link_voices(edges: Edges, run: Run, clips: Sequence[Row]) -> None:
    """From each voice to the nearest events that show its person, in videos that have voices."""
    seen, heard = defaultdict[str, set[Sight]](set), defaultdict[str, set[Sight]](set)
    whose: dict[str, tuple[str, str]] = {}
    there = set[str]()
    for clip in _of_videos(clips, "voices"):
        for event in clip["events"]:
            of = event["props"]
            for part in event["involvements"]:
                props = part["props"]
                key = props["seen"] or props["heard"]
                if key is None:
                    continue
                whose[key] = props["key"], part["person_id"]
                if clip["stored"]:
                    there.add(key)
                if props["seen"]:
                    seen[key].add(Sight(of["position"], of["node_id"]))
                else:
                    known = props["confidence"], props["evidence"]
                    heard[key].add(Sight(of["position"], of["node_id"], *known))
    stored = {row["key"]: row for row in _stored_voices(run, there, seen, heard)}
    for key, (chain, person) in whose.items():
        before = stored.get(key, {"seen": (), "heard": ()})
        tied = tie_voices(
            seen[key],
            heard[key],
            (Sight(*row) for row in before["seen"]),
            (Sight(*row) for row in before["heard"]),
        )
        for voice, sight in tied.links:
            edges.voices.append([voice.node_id, sight.node_id, chain, person, voice.evidence, voice.confidence])
        for voice, known, sight in tied.passed:
            edges.pass_by(voice, sight, known, "CROSS_MODAL", chain)


def _stored_voices(
    run: Run, keys: Iterable[str], seen: Mapping[str, set[Sight]], heard: Mapping[str, set[Sight]]
) -> list[Row]:
    chains: list[tuple[str, str, str]] = []
    for key in keys:
        positions = [sight.position for sight in (*seen.get(key, ()), *heard.get(key, ()))]
        chains.append((key, min(positions), max(positions)))
    return run("ingest/voices_around", chains=chains) if chains else []


def _of_videos(clips: Sequence[Row], flag: str) -> Iterator[Row]:
    """The clips of videos that have the flag, stored or by one of the clips."""
    flagged = {clip["video_id"] for clip in clips if clip[flag] or (clip["stored"] and clip["stored"][flag])}
    return (clip for clip in clips if clip["video_id"] in flagged)
