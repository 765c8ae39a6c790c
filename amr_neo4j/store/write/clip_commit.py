"""The writes of a commit: one statement for each kind of node and edge, over flat rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from amr_neo4j.store.database import Row, Run
from amr_neo4j.store.write.edges import Edges, edges_of


@dataclass(frozen=True)
class Numbers:
    """The first free node_id and embedding seq, and the model of the embeddings."""

    next_id: int
    next_seq: int
    model: str
    dim: int


def write_clips(
    run: Run, group_id: str, clips: Sequence[Row], numbers: Numbers, *, jump_gap: float, now: datetime
) -> None:
    """Write new clips, whole, inside a transaction that has run ingest/lock.

    clips: rows of `clip_row`, with what is `stored` of their videos. Their events get node_ids in order.
    """
    if not clips:
        return
    events = [event for clip in clips for event in clip["events"]]
    for node_id, event in enumerate(events, numbers.next_id):
        event["props"]["node_id"] = node_id
    edges = edges_of(run, group_id, clips, jump_gap)
    for event in events:
        if unlinked := edges.unlinked.get(event["props"]["node_id"]):
            event["props"]["unlinked"] = unlinked
    seqs = iter(range(numbers.next_seq, numbers.next_seq + len(events)))
    run("ingest/write_videos", group_id=group_id, videos=_videos(clips), now=now)
    run(
        "ingest/write_clips",
        group_id=group_id,
        model=numbers.model,
        dim=numbers.dim,
        next_id=numbers.next_id + len(events),
        next_seq=numbers.next_seq + len(events),
        clips=[_clip(clip, seqs) for clip in clips],
        now=now,
    )
    if persons := _persons(events):
        run("ingest/write_persons", group_id=group_id, persons=persons, now=now)
    if objects := _objects(events):
        run("ingest/write_objects", group_id=group_id, objects=objects, now=now)
    _write_edges(run, group_id, edges, now)


def _write_edges(run: Run, group_id: str, edges: Edges, now: datetime) -> None:
    if edges.passed:
        run("ingest/delete_passed", edges=edges.passed)
    for name, rows in (("temporal", edges.temporal), ("jumps", edges.jumps), ("lifecycles", edges.lifecycles)):
        if rows:
            run(f"ingest/write_{name}", group_id=group_id, edges=rows, now=now)
    if edges.sounds or edges.voices:
        run("ingest/write_cross_modal", group_id=group_id, sounds=edges.sounds, voices=edges.voices, now=now)


def _videos(clips: Sequence[Row]) -> list[Row]:
    """Each video once, with what its new clips tell of it; props only of new videos."""
    found: dict[str, Row] = {}
    for clip in clips:
        of = found.setdefault(
            clip["video_id"],
            {
                "video_id": clip["video_id"],
                "props": clip["video"] if clip["stored"] is None else {},
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
    return list(found.values())


def _clip(clip: Row, seqs: Iterator[int]) -> Row:
    """Event times, which are in UTC, go as text: the driver takes 20 µs and more to send a datetime."""
    events: list[Row] = [
        {
            "props": event["props"] | {"at": None},
            "at": at.isoformat() if (at := event["props"]["at"]) else None,
            "plain_text": event["plain_text"],
            "owner": str(event["props"]["node_id"]),
            "seq": next(seqs),
            "vector": event["vector"],
        }
        for event in clip["events"]
    ]
    return {
        "video_id": clip["video_id"],
        "clip_id": clip["clip_id"],
        "clip": clip["clip"],
        "usage": clip["usage"],
        "events": events,
    }


def _persons(events: Sequence[Row]) -> list[Row]:
    """Persons with their parts, each once for an event, role and stated identity."""
    found: dict[tuple[str, str], Row] = {}
    for event in events:
        node_id = event["props"]["node_id"]
        parts: dict[tuple[Any, ...], Row] = {}
        for part in event["involvements"]:
            parts[part["scope"], part["person_id"], part["props"]["role"], tuple(part["props"]["stated"])] = part
        for part in parts.values():
            who = part["scope"], part["person_id"]
            if who not in found:
                found[who] = {"scope": who[0], "person_id": who[1], "name": part["name"], "parts": []}
            found[who]["parts"].append([node_id, part["props"]])
    return list(found.values())


def _objects(events: Sequence[Row]) -> list[Row]:
    """Objects with their uses; their words are the latest."""
    found: dict[tuple[str, str], Row] = {}
    for event in events:
        uses = {(use["name"], use["props"]["seq"]): use for use in event["uses"]}
        for use in uses.values():
            what = event["place"], use["name"]
            row = found.setdefault(what, {"place": what[0], "name": what[1], "words": None, "uses": []})
            row["words"] = use["words"] or row["words"]
            row["uses"].append([event["props"]["node_id"], use["props"]])
    return list(found.values())
