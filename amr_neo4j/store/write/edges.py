"""Computes the edges between events (docs/graph-model.md, Channels). `write_edges` in clip_commit.py writes them.

Commits, merged events, forgetting, merged persons and repair all add events to the chains of videos, persons and
objects, or remove them. They all use the rules of this module.

An event is a row with `props`, `involvements` and `uses`. New events come from `rows.py`, stored ones from
`ingest/linked_events`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from amr_neo4j.store.database import Row, Run
from amr_neo4j.store.write.chains import Around, Sight, Spliced, Stop, splice, tie_voices

# {list in ingest/write_edges: relationship type}. Two edges of one type between the same two events differ in their
# `key`; there is none where there can be only one edge. To add a channel, add an entry here, a method of Edges and a
# part of that statement.
EDGE_LISTS: Mapping[str, str] = {
    "temporal": "TEMPORAL",
    "jumps": "ENTITY_JUMP",
    "lifecycles": "OBJECT_LIFECYCLE",
    "sounds": "CROSS_MODAL",
    "voices": "CROSS_MODAL",
}
_KINDS = ("videos", "persons", "objects")
# Properties that an OBJECT_LIFECYCLE edge copies from the USES relationship that changes the object.
_SAID = ("seq", "verb", "actor", "from_state", "to_state", "spatial_relation")
Change = Mapping[str, Any]


class EdgeKey(NamedTuple):
    """The identity of an edge.

    key: of the person's chain, or the seq of the action and the name of its object; "" for TEMPORAL and sounds.
    """

    src: int
    dst: int
    type: str
    key: str


@dataclass(frozen=True)
class VideoState:
    """What is known of a video, its new events included. It saves reads if no edge can arise.

    is_new: none of its events are stored yet.
    longest: duration of its longest event in microseconds.
    heard: it has sound events.
    voices: in some event a person is heard but not seen.
    """

    is_new: bool
    longest: int
    heard: bool
    voices: bool


@dataclass
class Edges:
    """Edges to write and edges to delete.

    made: the rows of each list in EDGE_LISTS. `src` and `dst` are node_ids; times are in seconds, not rounded.
    passed: stored edges to delete, because a new event now lies between their two events.
    unlinked: {node_id of a new event: node_ids of the stored events that lost an edge to each other because of it}.
    """

    jump_gap: float
    made: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in EDGE_LISTS})
    passed: list[EdgeKey] = field(default_factory=list[EdgeKey])
    unlinked: dict[int, list[int]] = field(default_factory=lambda: defaultdict[int, list[int]](list))

    def ends(self) -> set[int]:
        """Return the node_ids of the events that get an edge."""
        edges = list(self.made_edges())
        return {edge.src for edge in edges} | {edge.dst for edge in edges}

    def made_edges(self) -> Iterator[EdgeKey]:
        """Yield the edges to write."""
        for name, rows in self.made.items():
            for row in rows:
                yield EdgeKey(row["src"], row["dst"], EDGE_LISTS[name], row.get("key", ""))

    def rows(self, place_of: Mapping[int, int]) -> dict[str, list[Row]]:
        """Return the edges to write as parameters. place_of: {node_id: index in the statement's event list}."""
        return {
            name: [row | {"src": place_of[row["src"]], "dst": place_of[row["dst"]]} for row in rows]
            for name, rows in self.made.items()
        }

    def tie_video(self, spliced: Spliced) -> None:
        """Add TEMPORAL edges between neighbours in a video."""
        for src, dst in spliced.links:
            self.made["temporal"].append(
                {"src": src.node_id, "dst": dst.node_id, "gap": max(0.0, dst.start - src.end)}
            )
        for src, stop, dst in spliced.passed:
            self._pass_by(src, stop, dst, type_="TEMPORAL")

    def tie_person(self, key: str, person: str, spliced: Spliced) -> None:
        """Add ENTITY_JUMP edges between neighbours in a person's chain more than `jump_gap` seconds apart."""
        for src, dst in spliced.links:
            if (gap := _gap(src, dst)) > self.jump_gap:
                self.made["jumps"].append(
                    {"src": src.node_id, "dst": dst.node_id, "gap": gap, "key": key, "person": person}
                )
        for src, stop, dst in spliced.passed:
            if _gap(src, dst) > self.jump_gap:
                self._pass_by(src, stop, dst, type_="ENTITY_JUMP", key=key)

    def tie_object(
        self, key: str, name: str, spliced: Spliced, *, changes: Mapping[tuple[str, str], Sequence[Change]]
    ) -> None:
        """Add an OBJECT_LIFECYCLE edge between neighbours in an object's chain for each change in the later one.

        changes: {(key, position of an event): the changes of state in that event, in order}.
        """
        for src, dst in spliced.links:
            gap = max(0.0, _gap(src, dst))  # events that overlap have no gap
            for change in changes.get((key, dst.position), ()):
                said = {what: change.get(what) for what in _SAID}
                edge = {"object": name, "key": _life_key(change, name), "gap": gap, "change": said}
                self.made["lifecycles"].append({"src": src.node_id, "dst": dst.node_id, **edge})
        for src, stop, dst in spliced.passed:
            for change in changes.get((key, dst.position), ()):
                self._pass_by(src, stop, dst, type_="OBJECT_LIFECYCLE", key=_life_key(change, name))

    def tie_sound(self, sound: _Shown, sight: _Shown) -> None:
        """Add a CROSS_MODAL edge from a sound to a seen event that overlaps it.

        Its confidence is the share of the shorter of the two that lies in both.
        """
        overlap = min(sound.end, sight.end) - max(sound.start, sight.start)
        shorter = min(sound.end - sound.start, sight.end - sight.start)
        self.made["sounds"].append(
            {
                "src": sound.node_id,
                "dst": sight.node_id,
                "subject": sound.summary,
                "overlap": overlap,
                "confidence": overlap / shorter if shorter > 0 else 1.0,
            }
        )

    def tie_voice(self, voice: Sight, sight: Sight, *, key: str, person: str) -> None:
        """Add a CROSS_MODAL edge from a voice to an event that shows the speaker. key: of the person's chain."""
        self.made["voices"].append(
            {
                "src": voice.node_id,
                "dst": sight.node_id,
                "key": key,
                "person": person,
                "evidence": voice.evidence,
                "confidence": voice.confidence,
            }
        )

    def pass_voice(self, voice: Sight, new: Sight, known: Sight, *, key: str) -> None:
        """Delete the edge from a voice to the sight `known`, because the sight `new` is nearer."""
        self._pass_by(voice, new, known, type_="CROSS_MODAL", key=key)

    def _pass_by(self, src: Stop | Sight, new: Stop | Sight, dst: Stop | Sight, *, type_: str, key: str = "") -> None:
        self.passed.append(EdgeKey(src.node_id, dst.node_id, type_, key))
        # Read caches must drop the edges of both events. For TEMPORAL they notice anyway: both events get a new edge.
        if type_ != "TEMPORAL":
            self.unlinked[new.node_id] += [src.node_id, dst.node_id]


def edges_of(
    run: Run,
    group_id: str,
    new: Sequence[Row],
    *,
    gone: Sequence[Row] = (),
    videos: Mapping[str, VideoState],
    jump_gap: float,
) -> Edges:
    """Return the edges to write and to delete when events enter the graph (`new`) and others leave it (`gone`).

    This only reads. The caller must hold the writers' lock: the neighbours must not change before the edges exist.

    new: events that are not stored yet, or are stored without the label Event.
    gone: stored events that have already lost this label and their edges. Their neighbours get an edge to each other.
    videos: {video_id: state} for all of these events.
    """
    chains = _Chains.of(new)
    left = _Chains.of(gone)
    new_videos = {name for name, state in videos.items() if state.is_new}
    around = _around(run, group_id, chains=chains, left=left, new_videos=new_videos)
    changes = {**around.changes, **chains.changes}

    def spliced(kind: str, key: str) -> Spliced:
        neighbours, stops = around.of[kind][key], chains.stops[kind].get(key, {})
        found = splice(stops.values(), neighbours)
        if key not in left.stops[kind]:
            return found
        # Each gone event leaves a gap between two stored neighbours. Several gone events may share one gap.
        gaps = {neighbours[position] for position in left.stops[kind][key]}
        gaps -= {neighbours[position] for position in stops}  # a new event fills it; `splice` made these links
        closed = [(before, after) for before, after in gaps if before and after]
        return Spliced([*found.links, *closed], found.passed)

    edges = Edges(jump_gap)
    _tie_chains(edges, (left, chains), spliced=spliced, changes=changes)
    _tie_new_sounds(edges, run, group_id, events=new, videos=videos)
    _tie_new_voices(edges, run, new=new, gone=gone, videos=videos)
    return edges


def edges_from(
    run: Run, group_id: str, events: Sequence[Row], *, videos: Mapping[str, VideoState], jump_gap: float
) -> Edges:
    """Return the edges that should start at these stored events. Repair compares them with those there are."""
    chains = _Chains.of(events)
    among = {kind: list(chains.members(kind)) for kind in _KINDS}
    around = _Neighbours.empty()
    around.read(run, group_id, among)

    def onward(kind: str, key: str) -> Spliced:
        stops, neighbours = chains.stops[kind][key], around.of[kind][key]
        links = [(stop, after) for position, stop in stops.items() if (after := neighbours[position][1])]
        return Spliced(links, [])

    edges = Edges(jump_gap)
    _tie_chains(edges, [chains], spliced=onward, changes=around.changes)
    _tie_new_sounds(edges, run, group_id, events=events, videos=videos)
    sources = {event["props"]["node_id"] for event in events}
    edges.made["sounds"] = [row for row in edges.made["sounds"] if row["src"] in sources]
    people = _Perceived.of(events)
    stored = _stored_voices(run, people.heard, people.heard)
    for key, heard in people.heard.items():
        seen = [Sight(**sight) for sight in stored[key]["seen"]]
        people.tie(edges, key, tie_voices((), heard, seen_before=seen).links)
    return edges


def edges_of_person(events: Sequence[Row], jump_gap: float) -> Edges:
    """Return the edges along all chains of one person.

    events: all events of this person. Their rows hold the involvements of this person only.
    """
    chains, edges = _Chains.of(events), Edges(jump_gap)
    for key, stops in chains.stops["persons"].items():
        neighbours = list(pairwise(sorted(stops.values())))
        edges.tie_person(key, chains.people[key], Spliced(neighbours, []))
    people = _Perceived.of(events)
    for key, heard in people.heard.items():
        people.tie(edges, key, tie_voices((), heard, seen_before=people.seen.get(key, ())).links)
    return edges


@dataclass
class _Chains:
    """The chains that some events belong to. stops: {kind: {key of the chain: {position: event}}}.

    people: {key: person_id}.
    things: {key: name of the object}.
    changes: {(key, position): the changes of the object's state in that event, in order}.
    """

    stops: dict[str, dict[str, dict[str, Stop]]] = field(
        default_factory=lambda: {kind: defaultdict[str, dict[str, Stop]](dict) for kind in _KINDS}
    )
    people: dict[str, str] = field(default_factory=dict[str, str])
    things: dict[str, str] = field(default_factory=dict[str, str])
    changes: dict[tuple[str, str], list[Change]] = field(
        default_factory=lambda: defaultdict[tuple[str, str], list[Change]](list)
    )

    @classmethod
    def of(cls, events: Iterable[Row]) -> _Chains:
        chains = cls()
        for event in events:
            chains._add(event)
        return chains

    def _add(self, event: Row) -> None:
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
            if use["props"]["to_state"] is not None:
                self.changes[key, position].append(use["props"])

    def members(self, kind: str) -> Iterator[tuple[str, str]]:
        """Yield the key and position of each event in each of its chains."""
        return ((key, position) for key, stops in self.stops[kind].items() for position in stops)


def _tie_chains(
    edges: Edges,
    chains: Sequence[_Chains],
    *,
    spliced: Callable[[str, str], Spliced],
    changes: Mapping[tuple[str, str], Sequence[Change]],
) -> None:
    """Add the TEMPORAL, ENTITY_JUMP and OBJECT_LIFECYCLE edges of all these chains.

    spliced: called with the kind and key of a chain; returns its new neighbours and the edges they replace.
    """
    for video_id in {key for each in chains for key in each.stops["videos"]}:
        edges.tie_video(spliced("videos", video_id))
    for key, person in {key: name for each in chains for key, name in each.people.items()}.items():
        edges.tie_person(key, person, spliced("persons", key))
    for key, name in {key: name for each in chains for key, name in each.things.items()}.items():
        edges.tie_object(key, name, spliced("objects", key), changes=changes)


def _life_key(change: Change, name: str) -> str:
    return f"{change['seq']} {name}"


def _gap(src: Stop, dst: Stop) -> float:
    """Seconds on their timeline from the end of `src` to the start of `dst`; negative if they overlap."""
    return dst.clock - (src.clock + src.end - src.start)


@dataclass
class _Neighbours:
    """Stored neighbours in chains. of: {kind: {key: {position: the stored events before and after it}}}.

    changes: as in _Chains, for the events after these positions.
    """

    of: dict[str, dict[str, dict[str, Around]]]
    changes: dict[tuple[str, str], Sequence[Change]]

    @classmethod
    def empty(cls) -> _Neighbours:
        return cls({kind: defaultdict[str, dict[str, Around]](dict) for kind in _KINDS}, {})

    def read(self, run: Run, group_id: str, among: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        """Read and add the neighbours of positions in chains. among: {kind: [(key, position)]}."""
        if not any(among.values()):
            return
        asked = {kind: [{"key": key, "position": position} for key, position in among[kind]] for kind in _KINDS}
        [found] = run("ingest/events_around", group_id=group_id, **asked)
        for kind in _KINDS:
            for row in found[kind]:
                key, after = row["key"], Stop.stored(row["after"])
                self.of[kind][key][row["position"]] = Stop.stored(row["before"]), after
                if after and row.get("changes"):
                    self.changes[key, after.position] = row["changes"]


def _around(run: Run, group_id: str, *, chains: _Chains, left: _Chains, new_videos: set[str]) -> _Neighbours:
    """Return the stored neighbours of new events and of gone events.

    Most new events come after everything else in their chain. So the last event of each chain is read first, with
    one index seek. Only an event that lies before it costs two more seeks.
    """
    asked = {kind: {**chains.stops[kind], **left.stops[kind]} for kind in _KINDS}
    keys = {kind: list(asked[kind]) for kind in _KINDS}
    # Nothing is stored of a new video yet, so there is nothing to read.
    keys["videos"] = [key for key in keys["videos"] if key not in new_videos]
    [found] = run("ingest/last_events", group_id=group_id, **keys) if any(keys.values()) else [{}]
    last = {kind: {row["key"]: Stop.stored(row["last"]) for row in found.get(kind, ())} for kind in _KINDS}
    neighbours = _Neighbours.empty()
    among: dict[str, list[tuple[str, str]]] = {kind: [] for kind in _KINDS}
    for kind in _KINDS:
        for key in asked[kind]:
            end = last[kind].get(key)
            positions = {*chains.stops[kind].get(key, ()), *left.stops[kind].get(key, ())}
            neighbours.of[kind][key] = dict.fromkeys(positions, (end, None))
            # Events that lie before the end of their chain: their neighbours are read and replace the guess above.
            if end is not None:
                among[kind] += [(key, position) for position in positions if position < end.position]
    neighbours.read(run, group_id, among)
    return neighbours


@dataclass(frozen=True)
class _Shown:
    """An event with its seconds in the video.

    heard: it is a sound.
    summary: may be None if it is not a sound.
    is_new: it is one of the events whose edges are wanted.
    """

    position: str
    node_id: int
    start: float
    end: float
    heard: bool
    summary: str | None
    is_new: bool


def _tie_new_sounds(
    edges: Edges, run: Run, group_id: str, *, events: Sequence[Row], videos: Mapping[str, VideoState]
) -> None:
    """Add the edges from each sound to the events seen during it, if at least one of the two is in `events`."""
    with_sounds = [event for event in events if videos[event["props"]["video_id"]].heard]
    if not with_sounds:
        return
    # One stretch of time for each clip: the stored events in it may overlap the new ones. A new video has none.
    by_clip: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for event in with_sounds:
        by_clip[event["props"]["video_id"], event["props"]["clip_id"]].append(event["props"])
    stretches = _joined(
        _stretch(of_clip, videos[video_id].longest)
        for (video_id, _), of_clip in by_clip.items()
        if not videos[video_id].is_new
    )
    shown: dict[str, dict[int, _Shown]] = defaultdict(dict)
    asked = [stretch._asdict() for stretch in stretches]
    for row in run("ingest/sounds_around", group_id=group_id, stretches=asked) if asked else ():
        video_id = row.pop("video_id")
        shown[video_id][row["node_id"]] = _Shown(**row, is_new=False)
    for event in with_sounds:
        props = event["props"]
        shown[props["video_id"]][props["node_id"]] = _Shown(
            position=props["position"],
            node_id=props["node_id"],
            start=props["time_start"],
            end=props["time_end"],
            heard=props["heard"],
            summary=props["summary_text"],
            is_new=True,
        )
    for of_video in shown.values():
        for sound, sight in _together(of_video.values()):
            edges.tie_sound(sound, sight)


class _Stretch(NamedTuple):
    """Where to look in a video for stored events that overlap some others.

    start, end: beginnings of positions; events from `start` up to, but not including, `end` are read.
    since: seconds of the video; events that end earlier are left out.
    heard: [True] to find sounds, [False] to find seen events, [False, True] for both.
    """

    video_id: str
    start: str
    end: str
    since: float
    heard: list[bool]

    def with_next(self, other: _Stretch) -> _Stretch:
        """Return the union of both. `other` must begin within this stretch."""
        heard = sorted({*self.heard, *other.heard})
        return _Stretch(self.video_id, self.start, max(self.end, other.end), min(self.since, other.since), heard)


def _stretch(events: Sequence[Row], longest: int) -> _Stretch:
    """Return the stretch that holds all stored events which may overlap the events of one clip.

    A position begins with the start and the end of its event, 20 digits each, in microseconds.

    longest: duration of the video's longest event in microseconds. An event that began earlier than this before the
        clip's first event is over by then.
    """
    first = max(0, min(int(event["position"][:20]) for event in events) - longest)
    last = max(int(event["position"][21:41]) for event in events)
    since = min(event["time_start"] for event in events)
    other = {not event["heard"] for event in events}  # a sound is tied to what is seen, and the reverse
    return _Stretch(events[0]["video_id"], f"{first:020d}", f"{last + 1:020d}", since, sorted(other))


def _joined(stretches: Iterable[_Stretch]) -> list[_Stretch]:
    """Unite stretches that overlap, so that no event is read twice."""
    joined: list[_Stretch] = []
    for stretch in sorted(stretches):
        if joined and joined[-1].video_id == stretch.video_id and stretch.start <= joined[-1].end:
            joined[-1] = joined[-1].with_next(stretch)
        else:
            joined.append(stretch)
    return joined


def _together(events: Iterable[_Shown]) -> Iterator[tuple[_Shown, _Shown]]:
    """Yield (sound, seen event) for each pair that overlaps and has a new member. events: of one video."""
    # Events that may still be going on when the next one starts.
    going: list[_Shown] = []
    for event in sorted(events, key=lambda shown: (shown.start, shown.end)):
        going = [other for other in going if other.end >= event.start]
        for other in going:
            if other.heard != event.heard and (other.is_new or event.is_new) and _overlap(other, event):
                yield (event, other) if event.heard else (other, event)
        going.append(event)


def _overlap(one: _Shown, other: _Shown) -> bool:
    """Return whether two events share time. If one of them is a moment (no duration), touching is enough."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared > 0 or (shared == 0 and min(one.end - one.start, other.end - other.start) == 0)


@dataclass
class _Perceived:
    """The events in which persons are seen, and those in which they are only heard.

    seen, heard: {key: events}. The key, a property of INVOLVES, stands for one person in one video.
    whose: {that key: (key of the person's chain, person_id)}.
    video_of: {that key: video_id}.
    """

    seen: dict[str, set[Sight]] = field(default_factory=lambda: defaultdict[str, set[Sight]](set))
    heard: dict[str, set[Sight]] = field(default_factory=lambda: defaultdict[str, set[Sight]](set))
    whose: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    video_of: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, events: Iterable[Row]) -> _Perceived:
        found = cls()
        for event in events:
            position, node_id = event["props"]["position"], event["props"]["node_id"]
            for part in event["involvements"]:
                props = part["props"]
                if key := props["seen"]:
                    found.seen[key].add(Sight(position, node_id))
                elif key := props["heard"]:
                    found.heard[key].add(Sight(position, node_id, props["confidence"], props["evidence"]))
                if key:
                    found.whose[key] = props["key"], part["person_id"]
                    found.video_of[key] = event["props"]["video_id"]
        return found

    def tie(self, edges: Edges, key: str, links: Iterable[tuple[Sight, Sight]]) -> None:
        for voice, sight in links:
            chain, person = self.whose[key]
            edges.tie_voice(voice, sight, key=chain, person=person)


def _tie_new_voices(
    edges: Edges, run: Run, *, new: Sequence[Row], gone: Sequence[Row], videos: Mapping[str, VideoState]
) -> None:
    """Add the edges from each voice to the nearest events that show its person, in videos that have voices.

    A stored voice that was tied to an event of `gone` is tied to the event that is nearest now.
    """
    people = _Perceived.of(event for event in new if videos[event["props"]["video_id"]].voices)
    left = _Perceived.of(event for event in gone if videos[event["props"]["video_id"]].voices)
    video_of = people.video_of | {key: left.video_of[key] for key in left.seen}
    there = [key for key, video_id in video_of.items() if not videos[video_id].is_new]
    stored = _stored_voices(run, there, people.seen, people.heard, left.seen)
    people.whose = left.whose | people.whose
    for key in video_of:
        seen, heard = people.seen.get(key, set[Sight]()), people.heard.get(key, set[Sight]())
        known = [Sight(**sight) for sight in stored[key]["seen"]] if key in stored else []
        voices = [Sight(**voice) for voice in stored[key]["heard"]] if key in stored else []
        tied = tie_voices(seen, heard, seen_before=known, heard_before=voices)
        links = tied.links
        # An event that left may have been the nearest sight of any stored voice. So all of them are tied, as if they
        # were new: writing an edge that exists changes nothing.
        if key in left.seen:
            links = tie_voices(seen, [*heard, *voices], seen_before=known).links
        people.tie(edges, key, links)
        for voice, passed, sight in tied.passed:
            chain, _ = people.whose[key]
            edges.pass_voice(voice, sight, passed, key=chain)


def _stored_voices(run: Run, keys: Iterable[str], *sights: Mapping[str, set[Sight]]) -> dict[str, Row]:
    """Return {key: row with the lists `seen` and `heard`}: what is stored around the positions of `sights`."""
    chains: list[Row] = []
    for key in keys:
        positions = [sight.position for by_key in sights for sight in by_key.get(key, ())]
        chains.append({"key": key, "first": min(positions), "last": max(positions)})
    return {row["key"]: row for row in run("ingest/voices_around", chains=chains)} if chains else {}
