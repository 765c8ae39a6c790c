"""Reads the receipts of clips in the graph, and the people that they list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from amr_neo4j.domain.live import ClipReceipt, SpooledClip, State
from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database, Row, Scoped, natively

_FIELDS = {field.name for field in fields(ClipReceipt)}


class ReceiptReader:
    """Reads the receipts of one group."""

    def __init__(self, database: Database, group_id: str) -> None:
        self._graph = Scoped(database, group_id=group_id)

    def of_video(self, video_id: str) -> list[ClipReceipt]:
        """Return the receipts of a video, in order of time."""
        rows = self._graph.read("show/receipts", video_id=video_id)
        return [_receipt(row) for row in rows]

    def latest(self, limit: int) -> tuple[list[ClipReceipt], int]:
        """Return (the latest `limit` receipts of the group, oldest first; how many it has)."""
        # Each row has the total, so one is read even if none is wanted.
        rows = self._graph.read("show/latest_receipts", limit=max(limit, 1))
        # The statement returns the latest first.
        return [_receipt(row) for row in reversed(rows[:limit])], next((row["total"] for row in rows), 0)

    def films(self, video_id: str) -> dict[str, SpooledClip]:
        """Return {file: clip} of a video's clips that are files of their own, in the form of the live spool."""
        rows = self._graph.read("show/receipts", video_id=video_id)
        return {row["uri"]: _done(_receipt(row), row["uri"]) for row in rows if row["uri"]}

    def counts(self, video_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return {video_id: row}. A row has the counts committed, failed and dropped, and dropped_sec (seconds)."""
        rows = self._graph.read("show/clip_counts", video_ids=list(video_ids))
        return {row["video_id"]: dict(row) for row in rows}


def named_voices(database: Database, group_id: str) -> list[tuple[str, Sequence[float]]]:
    """Return (name, unit vector) of the voices that a group remembers of persons who were named."""
    return [(row["name"], row["voice"]) for row in database.read("persons/voices", group_id=group_id)]


def heard_voices(database: Database, video: Video) -> dict[int, Sequence[float] | None]:
    """Return {number: unit vector} of the voices of a video; None: not remembered; empty: has a name."""
    rows = database.read("persons/voices_of_video", group_id=video.group_id, video_id=video.video_id)
    numbers = ((row["person_id"].removeprefix("voice_"), row["voice"]) for row in rows)
    return {int(number): voice for number, voice in numbers if number.isdecimal()}


def people_with_ids(database: Database, video: Video) -> dict[str, str]:
    """Return {person_id: description} of the characters in a video's receipts; the person seen last comes last.

    The description is the first one that was given with this id.
    """
    rows = database.read("ingest/characters_of_video", group_id=video.group_id, video_id=video.video_id)
    people = [person for row in rows for person in json.loads(row["characters"])]
    found: dict[str, str] = {}
    for person in people:
        # pop and set again: keeps the first description, and moves the person to the end of the dict.
        if person_id := person.get("person_id"):
            found[person_id] = found.pop(person_id, person["name_or_description"])
    return found


def _receipt(row: Row) -> ClipReceipt:
    return ClipReceipt(**natively({name: value for name, value in row.items() if name in _FIELDS}))


def _done(clip: ClipReceipt, path: str) -> SpooledClip:
    ended = clip.committed_at or clip.failed_at or datetime.now(UTC)
    state: State = "committed" if clip.state == "committed" else "failed"
    place = (clip.video_id, clip.clip_id, path, clip.t_start, clip.t_end)
    return SpooledClip(*place, clip.received_at or ended, state, analysed_at=clip.analysed_at)
