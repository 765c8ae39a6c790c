"""Forgotten footage leaves the graph that a memory would have which never had it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import ComposedClip
from amr_neo4j.domain.forgotten import Selection
from amr_neo4j.store.database import Database
from amr_neo4j.store.integrity import Integrity
from amr_neo4j.store.read.digest import digest
from amr_neo4j.store.write.event_writer import EventWriter
from amr_neo4j.store.write.forget_footage import FootageForgetter
from tests.support.clips import JUMP, NOON, commit, shuffled_clips
from tests.support.person_merges import a_few


@pytest.fixture(scope="module")
def writer(database: Database) -> EventWriter:
    moments = (NOON + timedelta(seconds=n) for n in count())
    return EventWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: next(moments))


def forgetter_of(database: Database, group_id: str) -> FootageForgetter:
    return FootageForgetter(database, group_id, JUMP, lambda: NOON + timedelta(days=1))


def group_of(clips: list[ComposedClip]) -> str:
    return clips[0].source.video.group_id


def elsewhere(clips: list[ComposedClip]) -> list[ComposedClip]:
    """The same clips in another group."""
    group_id = f"test-{uuid4()}"
    return [
        replace(clip, source=replace(clip.source, video=replace(clip.source.video, group_id=group_id)))
        for clip in clips
    ]


def hash_of(database: Database, clips: list[ComposedClip]) -> str:
    return digest(database, group_of(clips)).sha256 if clips else digest(database, str(uuid4())).sha256


@a_few
@given(clips=shuffled_clips(), data=st.data())
def test_a_forgotten_video_was_never_there(
    clips: list[ComposedClip], data: st.DataObject, database: Database, writer: EventWriter
) -> None:
    """By digest, against a memory that never had it; and doctor finds nothing."""
    gone = data.draw(st.sampled_from(sorted({clip.source.video.video_id for clip in clips})))
    rest = elsewhere([clip for clip in clips if clip.source.video.video_id != gone])
    for each in (clips, rest):
        for clip in each:
            commit(writer, [clip])
    forgetter = forgetter_of(database, group_of(clips))
    told = forgetter.count(Selection(gone))
    done = forgetter.forget(Selection(gone))
    assert (told.clips, told.events, told.persons, told.objects) == (
        done.clips,
        done.events,
        done.persons,
        done.objects,
    )
    assert done.vectors == done.events
    assert hash_of(database, clips) == hash_of(database, rest)
    assert_whole(database, group_of(clips))
    assert forgetter.forget(Selection(gone)).clips == 0


def assert_whole(database: Database, group_id: str) -> None:
    integrity = Integrity(database, group_id, JUMP, lambda: NOON)
    assert (integrity.deleted_events(), integrity.broken_chains(), integrity.wrong_edges()) == ([], [], 0)
    assert integrity.lost_receipts() == []
