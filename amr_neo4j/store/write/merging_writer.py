"""Events that take the place of others, written with the clip that completes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timezone

import numpy as np

from amr_neo4j.domain.event import (
    Action,
    ComposedClip,
    EventDraft,
    Involvement,
    MergedEvent,
    Recent,
    RecentEvent,
    Use,
)
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Row, Run
from amr_neo4j.store.write.event_writer import EventWriter
from amr_neo4j.store.write.rows import merged_row


class MergingWriter(EventWriter):
    """An EventWriter that merges as well."""

    def recent_events(self, video: Video, model: str, limit: int) -> Recent:
        """The latest events of a video in order, at most so many, with their vectors of this model."""
        [found] = self._database.read(
            "ingest/recent_events", group_id=video.group_id, video_id=video.video_id, model=model, limit=limit
        )
        return Recent(found["last_node_id"], tuple(_recent(row) for row in found["events"]))

    def commit_merging(
        self, clip: ComposedClip, vectors: Vectors, model: str, merged: Sequence[MergedEvent], after: int | None
    ) -> Receipt | None:
        """Write the clip, and what it is merged into, in one transaction: all of it or nothing.

        after: the video's last_node_id, which `merged` was made by; vectors: (the clip's events, dim).
        None, and nothing written, where it moved since. Raises EmbedderMismatch.
        """
        return self._database.together(lambda run: self._merge(run, clip, vectors, model, merged, after))

    def _merge(
        self,
        run: Run,
        clip: ComposedClip,
        vectors: Vectors,
        model: str,
        merged: Sequence[MergedEvent],
        after: int | None,
    ) -> Receipt | None:
        video, source = clip.source.video, clip.source
        key = {"group_id": video.group_id, "video_id": video.video_id, "clip_id": source.clip.clip_id}
        [held] = run("ingest/hold_video", **key)
        # What is there already moved the video itself: its writer, not told so, is here again.
        if held["last_node_id"] != after and held["content_sha256"] != source.content_sha256:
            return None
        now = self._now()  # by then it is this writer's turn: no commit that others see is later
        [receipt] = self._commit([clip], vectors, model, run, now)
        if receipt.outcome != "committed" or not merged:
            return receipt
        parts = [_parts(event, receipt) for event in merged]
        run(
            "ingest/supersede",
            group_id=video.group_id,
            node_ids=[i for some in parts for i in some],
            jump_gap=self._jump_gap,
            now=now,
        )
        made_of = zip(merged, parts, strict=True)
        persons = self._merged_persons(video.group_id)
        rows = [merged_row(clip, event, some, persons, plain_text=self._plain_text) for event, some in made_of]
        dim = int(vectors.shape[1])
        [made] = run("ingest/commit_merged", events=rows, model=model, dim=dim, jump_gap=self._jump_gap, now=now)
        return replace(receipt, merged_ids=tuple(range(made["first_id"], made["first_id"] + len(rows))))


def _parts(merged: MergedEvent, receipt: Receipt) -> list[int]:
    """node_ids of all it is made of; those of the clip's own events are known from its receipt."""
    return [*merged.node_ids, *(receipt.node_ids[ordinal] for ordinal in merged.ordinals)]


def _recent(row: Row) -> RecentEvent:
    vector = np.frombuffer(row["vector"], np.float32)
    return RecentEvent(row["node_id"], tuple(row["clip_ids"]), _draft(row), vector)


def _draft(row: Row) -> EventDraft:
    return EventDraft(
        ordinal=row["ordinal"],
        time_start=row["time_start"],
        time_end=row["time_end"],
        summary_text=row["summary_text"],
        dialogue_snippets=tuple(row["dialogue_snippets"]),
        persons=tuple(row["persons"]),
        objects=tuple(row["objects"]),
        scene_type=row["scene_type"],
        actions=tuple(Action(**action) for action in json.loads(row["actions"])),
        at=row["at"].to_native().astimezone(timezone.utc) if "at" in row else None,
        involvements=tuple(Involvement(**part) for part in row["involvements"]),
        uses=tuple(Use(**use) for use in row["uses"]),
        heard=row.get("heard", False),
    )
