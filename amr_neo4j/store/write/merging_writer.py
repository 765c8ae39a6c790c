"""Writes merged events, together with the clip that completes them."""

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
from amr_neo4j.store.write.clip_commit import Numbers, supersede, write_clips
from amr_neo4j.store.write.event_writer import EventWriter
from amr_neo4j.store.write.rows import merged_row


class MergingWriter(EventWriter):
    """An EventWriter that also writes merged events."""

    def recent_events(self, video: Video, model: str, limit: int) -> Recent:
        """Returns the latest events of a video in order, at most `limit`, with their vectors of the model."""
        [found] = self._database.read(
            "ingest/recent_events", group_id=video.group_id, video_id=video.video_id, model=model, limit=limit
        )
        return Recent(found["last_node_id"], tuple(_recent(row) for row in found["events"]))

    def commit_merging(
        self, clip: ComposedClip, vectors: Vectors, model: str, merged: Sequence[MergedEvent], after: int | None
    ) -> Receipt | None:
        """Write the clip and its merged events in one transaction.

        after: the video's last_node_id when `merged` was computed; vectors: (the clip's events, dim).
        Returns None, and writes nothing, where another event was written since. Raises EmbedderMismatch.
        """
        return self._database.in_transaction(lambda run: self._merge(run, clip, vectors, model, merged, after))

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
        [video_now] = run("ingest/lock_video", **key)
        # An equal content hash: this clip is committed already, and its receipt was lost.
        if video_now["last_node_id"] != after and video_now["content_sha256"] != source.content_sha256:
            return None
        now = self._now()  # after the lock, so that times follow the order of commits
        [receipt] = self._commit(self._batch([clip], vectors, model), now, run)
        if receipt.outcome != "committed" or not merged:
            return receipt
        parts = [_parts(event, receipt) for event in merged]
        left = supersede(run, video.group_id, [node_id for each in parts for node_id in each], now)
        further = merged_row(clip, merged, self._person_aliases(video.group_id))
        write_clips(
            run,
            video.group_id,
            [further | {"stored": left.events[0]["video"]}],
            Numbers(left.next_id, left.next_seq, model, int(vectors.shape[1])),
            gone=left.events,
            jump_gap=self._jump_gap,
            plain_text=self._plain_text,
            now=now,
        )
        merged_ids = range(left.next_id, left.next_id + len(merged))
        successors = [
            {"node_id": node_id, "parts": replaced_by, "clip_ids": list(event.clip_ids)}
            for node_id, replaced_by, event in zip(merged_ids, parts, merged, strict=True)
        ]
        run("ingest/write_successors", group_id=video.group_id, merged=successors, now=now)
        return replace(receipt, merged_ids=tuple(merged_ids))


def _parts(merged: MergedEvent, receipt: Receipt) -> list[int]:
    """node_ids of the events it replaces; those of the clip's own events are in its receipt."""
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
        derived=row.get("derived", False),
        spatial_descriptions=tuple(row.get("spatial_descriptions") or ()),
    )
