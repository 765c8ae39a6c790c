"""Actions on objects, read from the graph and compared with the example household in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

import numpy as np
import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.fake_graph import FakeGraph, HashedWords, kitchen_lines

Story = tuple[FakeGraph, EventReader, dict[int, int], str]


@pytest.fixture(scope="module")
def story(database: Database) -> Story:
    """The household in plain Python and in the graph, the mapping between their node_ids, and its group."""
    group = f"test-{uuid4()}"
    clips = [
        compose(clip, ENGLISH)
        for clip in read_lines(kitchen_lines(), group_id=group)
        if isinstance(clip, AnalysedClip)
    ]
    now = datetime(2026, 5, 1, tzinfo=UTC)
    writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: now)
    events = sum(len(clip.events) for clip in clips)
    receipts = writer.commit(clips, np.ones((events, 4), np.float32), "m")
    ids = dict(enumerate(node_id for receipt in receipts for node_id in receipt.node_ids))
    return FakeGraph(clips, HashedWords()), EventReader(database, language="en"), ids, group


@pytest.mark.parametrize(
    ("objects", "states"),
    [
        (["fridge"], ["open"]),
        (["fridge"], []),
        (["key", "phone"], ["placed", "held"]),
        (["red mug", "blue mug"], ["clean"]),
        (["elephant"], []),
        (["fridge"], ["eaten"]),
    ],
)
@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"video_ids": ("kitchen_noon", "kitchen_evening")},
        {"as_of": datetime(2026, 3, 17, 11, 30, tzinfo=UTC)},
        {"since": 100.0, "until": 400.0},
        {"persons": ("ben",)},
        {"known_at": datetime(2025, 1, 1, tzinfo=UTC)},
    ],
    ids=str,
)
def test_actions_on_objects(story: Story, objects: Sequence[str], states: Sequence[str], bounds: dict) -> None:
    plain, reader, ids, group = story
    scope = Scope(group, **bounds)
    for limit in (1000, 2):
        expected = [ids[node_id] for node_id in plain.life(objects, states, scope, limit)]
        assert reader.life(objects, states, scope, limit) == expected


def test_when_and_where_recordings_began(story: Story) -> None:
    plain, reader, _, group = story
    for scope in (Scope(group), Scope(group, ("kitchen_noon",))):
        found = reader.recordings(scope)
        assert found == plain.recordings(scope)
        assert all(str(video.recorded_at).endswith("+01:00") and video.place == "kitchen" for video in found.values())


def test_no_object_of_another_group_is_read(story: Story) -> None:
    _, reader, _, _ = story
    assert reader.life(["fridge"], [], Scope("another"), 10) == [] and reader.recordings(Scope("another")) == {}
