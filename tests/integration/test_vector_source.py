"""The rows that the dense index loads, from a real Neo4j."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from math import isnan

import numpy as np
import pytest

from amr_neo4j.domain.event import ComposedClip, EventDraft
from amr_neo4j.domain.ports import StoredVector
from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database
from amr_neo4j.store.embeddings import VectorSource
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.analyses import analysed

LEARNT = datetime(2026, 5, 1, 12, 0, 0, 123457, UTC)
RECORDED = datetime(2026, 3, 18, 8, 0, 0, 250_000, timezone(timedelta(hours=2)))


def stored(database: Database, group_id: str, recorded_at: datetime | None) -> StoredVector:
    """A group's only event, from 12.5 s to 14 s of its video."""
    clip = analysed({"clip_summary": "", "events": []}, video=Video(group_id, "v", recorded_at=recorded_at))
    at = recorded_at and recorded_at + timedelta(seconds=12.5)
    event = EventDraft(0, 12.5, 14.0, "Anna takes the cup", at=at)
    writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: LEARNT)
    writer.commit([ComposedClip(clip, (event,))], np.ones((1, 2), np.float32), f"model-{group_id}")
    [vector] = VectorSource(database).vectors_from(f"model-{group_id}", 0, 10)
    return vector


def test_a_stored_vector_has_its_span_and_both_clocks_to_the_microsecond(database: Database, group_id: str) -> None:
    """As Python counts them, so that rounding moves no vector into or out of a scope."""
    vector = stored(database, group_id, RECORDED)
    assert (vector.group_id, vector.video_id, vector.time_start, vector.time_end) == (group_id, "v", 12.5, 14.0)
    assert vector.created_at == LEARNT.timestamp()
    assert vector.clock_start == pytest.approx(RECORDED.timestamp() + 12.5, abs=1e-6)


def test_an_event_of_a_video_without_a_wall_clock_has_none(database: Database, group_id: str) -> None:
    vector = stored(database, group_id, None)
    assert isnan(vector.clock_start) and vector.created_at == LEARNT.timestamp() and vector.time_start == 12.5
