"""Makes the scenes of videos again where their events have changed since."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from math import inf

import numpy as np

from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.ports import FormScenes
from amr_neo4j.domain.scene import LEVELS, MARGIN_SEC, TOP, Scene, SceneEvent, cells_around
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import StoreTooLarge
from amr_neo4j.store.database import Database, Row, Run
from amr_neo4j.store.full_text import scope_text

# Events that are read at once: more take a small server's memory, and fewer could end before the first scene does.
_EVENTS_AT_ONCE = 4000
_FEWEST_EVENTS = 100


def remake_scenes(database: Database, group_id: str, form: FormScenes, *, plain_text: bool, now: datetime) -> None:
    """Make the scenes of a group up to date.

    A transaction that writes or removes events also notes the changed stretch on their video (`scenes_since`,
    `scenes_until`). So the next run completes what an interrupted one has left.
    """
    limit, largest = _EVENTS_AT_ONCE, inf
    while database.read("scenes/stale", group_id=group_id):
        remade = partial(_remake, group_id=group_id, form=form, limit=limit, plain_text=plain_text, now=now)
        try:
            while not database.in_transaction(remade):
                limit *= 2
                remade = partial(remade, limit=limit)
        except StoreTooLarge:
            if limit < _FEWEST_EVENTS or limit >= largest:
                raise
            limit, largest = limit // 2, limit


def _remake(run: Run, *, group_id: str, form: FormScenes, limit: int, plain_text: bool, now: datetime) -> bool:
    """Make some scenes again in a transaction. Returns False if `limit` events are too few for a whole scene."""
    run("ingest/take_turn", now=now)
    stale = run("scenes/stale", group_id=group_id)
    if not stale:  # another process was faster
        return True
    [video] = stale
    first, last = cells_around(video["since"], video["until"])
    where = {"group_id": group_id, "video_id": video["video_id"]}
    [found] = run("scenes/events", **where, top=TOP, first=first, last=last, margin=MARGIN_SEC, limit=limit)
    events = [_event(row) for row in found["events"]]
    since = -inf if found["since"] is None else found["since"]
    end = inf if found["until"] is None else found["until"]
    read_to = events[-1].time_start if len(events) == limit else inf
    scenes, until = form(events, since=since, until=end, read_to=read_to)
    if until < end and until <= max(since, video["since"]):
        return False
    run(
        "scenes/write",
        **where,
        since=max(since, 0.0),
        until=None if until == inf else until,
        stale_since=until if until < end else None,
        scenes=_rows(scenes, scope_text(Video(group_id, video["video_id"], place=video["place"]), ())),
        plain_text=plain_text,
        now=now,
    )
    return True


def _event(row: Row) -> SceneEvent:
    return SceneEvent(
        node_id=row["node_id"],
        time_start=row["time_start"],
        time_end=row["time_end"],
        summary_text=row["summary_text"],
        dialogue_snippets=tuple(row["dialogue_snippets"]),
        objects=tuple(row["objects"]),
        scene_type=row["scene_type"] or "",
        present=tuple(row["present"]),
        vector=np.frombuffer(row["vector"], np.float32) if row["vector"] else None,
    )


def _rows(scenes: Sequence[Scene], scope: str) -> list[Row]:
    """Return the rows of scenes/write.

    scenes: level by level.
    scope: their scope tokens.
    """
    starts = [[scene.t_start for scene in scenes if scene.level == level] for level in range(len(LEVELS))]
    before = [sum(map(len, starts[:level])) for level in range(len(LEVELS))]
    rows: list[Row] = []
    for scene in scenes:
        wider = scene.level + 1
        props = {
            **picked(scene, "level", "t_start", "t_end", "scene_type", "summary_text", "text"),
            "persons": [who.person_id for who in scene.present],
            "persons_since": [who.since for who in scene.present],
            "persons_until": [who.until for who in scene.present],
            "topics": list(scene.topics),
            "scope_text": scope,
            "events": len(scene.node_ids),
        }
        within = None if wider > TOP else before[wider] + bisect_right(starts[wider], scene.t_start) - 1
        rows.append({"props": props, "node_ids": [] if scene.level else list(scene.node_ids), "within": within})
    return rows
