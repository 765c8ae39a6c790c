"""The writes of a commit: one statement, with a flat list of rows for each kind of node and edge (decision 0087)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from amr_neo4j.store.database import Row, Run
from amr_neo4j.store.write.edges import Edges, VideoState, edges_of


@dataclass(frozen=True)
class Numbers:
    """The first free node_id and embedding sequence number, and the model and dimension of the embeddings."""

    next_id: int
    next_seq: int
    model: str
    dim: int


def write_clips(
    run: Run,
    group_id: str,
    clips: Sequence[Row],
    *,
    numbers: Numbers,
    gone: Sequence[Row] = (),
    jump_gap: float,
    plain_text: bool,
    now: datetime,
) -> None:
    """Write new clips, or further events of stored clips. Call it in a transaction that holds the writers' lock.

    Their events get node_ids in order, from `numbers.next_id`.

    clips: rows of `clip_row` or `merged_row`, each with `stored`: its video in the graph, None for a new one.
    plain_text: index the events without English stemming and stop words.
    gone: events that `supersede` removed just before.
    """
    if not clips:
        return
    events = [event for clip in clips for event in clip["events"]]
    node_ids = range(numbers.next_id, numbers.next_id + len(events))
    for node_id, event in zip(node_ids, events, strict=True):
        event["props"]["node_id"] = node_id
    # Edges name events by node_id, so they can be worked out only now.
    edges = edges_of(run, group_id, events, gone=gone, videos=_states(clips), jump_gap=jump_gap)
    for event in events:
        event["props"]["links"] = len(_parts(event)) + len(_uses(event))
        if unlinked := edges.unlinked.get(event["props"]["node_id"]):
            event["props"]["unlinked"] = unlinked
        else:  # a retry writes the same rows: remove what the failed attempt has left in them
            event["props"].pop("unlinked", None)
    _delete_edges(run, edges)
    # Rows name an event by its place in one list, so that the statement looks each event up only once.
    stored = sorted(edges.ends().difference(node_ids))
    places = {node_id: place for place, node_id in enumerate((*stored, *node_ids))}
    run(
        "ingest/write_clips",
        group_id=group_id,
        model=numbers.model,
        dim=numbers.dim,
        plain_text=plain_text,
        next_id=node_ids.stop,
        next_seq=numbers.next_seq + len(events),
        stored=stored,
        videos=_videos(clips),
        clips=[_clip(clip) for clip in clips],
        persons=_persons(events, places),
        objects=_objects(events, places),
        edges=edges.rows(places),
        now=now,
    )


def write_edges(run: Run, group_id: str, edges: Edges) -> None:
    """Write edges between stored events, and delete the edges in `edges.passed`.

    A new edge gets the created_at of the later of its two events, as if a commit had made it.
    """
    _delete_edges(run, edges)
    # now=None tells the statement to take created_at from the events.
    if ends := sorted(edges.ends()):
        places = {node_id: place for place, node_id in enumerate(ends)}
        run("ingest/write_edges", group_id=group_id, ends=ends, edges=edges.rows(places), now=None)


@dataclass(frozen=True)
class Superseded:
    """Events that left the current graph, as rows for `edges_of`.

    next_id, next_seq: the next free node_id and embedding sequence number.
    """

    events: Sequence[Row]
    next_id: int
    next_seq: int


def supersede(run: Run, group_id: str, node_ids: Sequence[int], *, now: datetime) -> Superseded:
    """Remove events and their edges from the current graph; questions with known_at still find the events.

    This leaves gaps in the chains. To close them, pass the result to `edges_of` as `gone`.
    """
    [found] = run("ingest/supersede", group_id=group_id, node_ids=list(node_ids), now=now)
    return Superseded(**found)


def _delete_edges(run: Run, edges: Edges) -> None:
    if edges.passed:
        run("ingest/delete_edges", edges=[edge._asdict() for edge in edges.passed])


def _states(clips: Sequence[Row]) -> dict[str, VideoState]:
    """Return {video_id: state of the video once these clips are in it}."""
    found: dict[str, VideoState] = {}
    for clip in clips:
        known = found.get(clip["video_id"]) or state_of(clip["stored"])
        found[clip["video_id"]] = VideoState(
            is_new=known.is_new,
            longest=max(known.longest, clip["longest"]),
            heard=known.heard or clip["heard"],
            voices=known.voices or clip["voices"],
        )
    return found


def state_of(video: Row | None) -> VideoState:
    """Return the state of a stored video. video: its row, None for a video that is not stored yet."""
    if video is None:
        return VideoState(is_new=True, longest=0, heard=False, voices=False)
    return VideoState(
        is_new=False, longest=video["longest"] or 0, heard=bool(video["heard"]), voices=bool(video["voices"])
    )


def _videos(clips: Sequence[Row]) -> list[Row]:
    """Return one row for each video, with values gathered over its clips. `props` is empty for stored videos
    that are whole."""
    found: dict[str, Row] = {}
    times: dict[str, list[float]] = defaultdict(list)
    for clip in clips:
        of = found.setdefault(
            clip["video_id"],
            {
                "video_id": clip["video_id"],
                # `damaged`: a repair recreated the video node without its properties.
                "props": clip["video"] if clip["stored"] is None or clip["stored"].get("damaged") else {},
                "longest": 0,
                "heard": False,
                "voices": False,
                "last_node_id": None,
            },
        )
        of["longest"] = max(of["longest"], clip["longest"])
        of["heard"] |= clip["heard"]
        of["voices"] |= clip["voices"]
        if clip["events"]:
            of["last_node_id"] = clip["events"][-1]["props"]["node_id"]
        for event in clip["events"]:
            times[clip["video_id"]] += [event["props"]["time_start"], event["props"]["time_end"]]
    return [
        of | {"since": min(times[video_id], default=None), "until": max(times[video_id], default=None)}
        for video_id, of in found.items()
    ]


def _clip(clip: Row) -> Row:
    """Return a clip as a row of ingest/write_clips.

    Event times, which are in UTC, go as text: the driver takes 20 µs and more to send a datetime.
    """
    return {
        "video_id": clip["video_id"],
        "clip_id": clip["clip_id"],
        "receipt": clip["receipt"],
        "usage": clip["usage"],
        "events": [
            {
                "props": event["props"],
                "at": at.isoformat() if (at := event["at"]) else None,
                "vector": event["vector"],
            }
            for event in clip["events"]
        ],
    }


def _persons(events: Sequence[Row], places: Mapping[int, int]) -> list[Row]:
    """Return one row for each person, with their parts in events. places: {node_id: index in the event list}."""
    found: dict[tuple[str, str], Row] = {}
    for event in events:
        place = places[event["props"]["node_id"]]
        for part in _parts(event):
            who = part["scope"], part["person_id"]
            if who not in found:
                found[who] = {"scope": who[0], "person_id": who[1], "name": part["name"], "voice": None, "parts": []}
            # The voice stays with the video, so that it is forgotten with it.
            found[who]["voice"] = part.get("voice") if who[0] else None
            found[who]["parts"].append({"event": place, "props": part["props"]})
    return list(found.values())


def _objects(events: Sequence[Row], places: Mapping[int, int]) -> list[Row]:
    """Return one row for each object, with its uses. words: as the latest event writes them.

    places: {node_id: index in the event list}.
    """
    found: dict[tuple[str, str], Row] = {}
    for event in events:
        for use in _uses(event):
            what = event["place"], use["name"]
            row = found.setdefault(what, {"place": what[0], "name": what[1], "words": None, "uses": []})
            row["words"] = use["words"] or row["words"]
            row["uses"].append({"event": places[event["props"]["node_id"]], "props": use["props"]})
    return list(found.values())


def _parts(event: Row) -> Collection[Row]:
    """Return the parts of persons in an event: one for each role and stated identity; of repeated ones the last."""
    parts: dict[tuple[Any, ...], Row] = {}
    for part in event["involvements"]:
        parts[part["scope"], part["person_id"], part["props"]["role"], tuple(part["props"]["stated"])] = part
    return parts.values()


def _uses(event: Row) -> Collection[Row]:
    """Return the uses of objects in an event: one for each object and step; of repeated ones the last."""
    return {(use["name"], use["props"]["seq"]): use for use in event["uses"]}.values()
