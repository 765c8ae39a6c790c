"""Ways to the same graph: clips committed together, one by one, and by several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given

from amr_neo4j.domain.event import ComposedClip, Use
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database
from amr_neo4j.store.integrity import Integrity
from amr_neo4j.store.read.digest import digest
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at, shuffled_clips
from tests.support.examples import examples


@examples(push=6, soak=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(clips=shuffled_clips())
def test_clips_together_and_clips_one_by_one_give_one_digest(clips: list[ComposedClip], database: Database) -> None:
    """The edges are also those that a repair would make."""
    writer = ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    half = len(clips) // 2  # the second half finds stored events before, between and after its own
    for part in (clips[:half], clips[half:]):
        assert {receipt.outcome for receipt in commit(writer, part)} <= {"committed"}
    together = clips[0].source.video.group_id
    alone = f"{together}-alone"
    for clip in clips:
        commit(writer, [_moved(clip, alone)])
    assert digest(database, together) == digest(database, alone)
    for group_id in (together, alone):
        assert Integrity(database, group_id, JUMP, "en", lambda: NOON).wrong_edges() == 0


def test_sources_that_share_transactions_give_the_digest_of_a_quiet_run(database: Database, group_id: str) -> None:
    writer = ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    sources = [
        [_seen(Video(group_id, f"v{source}", place="home"), number) for number in range(12)] for source in range(8)
    ]

    def run(clips: list[ComposedClip]) -> list[Receipt]:
        return [receipt for clip in clips for receipt in writer.commit([clip], np.ones((3, 4), np.float32), "m")]

    with ThreadPoolExecutor(len(sources)) as pool:
        for clips, receipts in zip(sources, pool.map(run, sources), strict=True):
            assert [(receipt.clip_id, receipt.outcome) for receipt in receipts] == [
                (clip.source.clip.clip_id, "committed") for clip in clips
            ]
            ids = [node_id for receipt in receipts for node_id in receipt.node_ids]
            assert ids == sorted(ids) and len(set(ids)) == 36
    quiet = f"{group_id}-quiet"
    for clips in sources:
        for clip in clips:
            commit(writer, [_moved(clip, quiet)])
    assert digest(database, group_id) == digest(database, quiet)


def _seen(video: Video, number: int) -> ComposedClip:
    events = tuple(
        replace(
            event_at(number * 10.0 + 3 * ordinal, ordinal, ("anna",), (Use(0, "cup", "take"),)), heard=ordinal == 2
        )
        for ordinal in range(3)
    )
    return clip_of(video, number, events, f"{video.video_id}-{number}")


def _moved(clip: ComposedClip, group_id: str) -> ComposedClip:
    video = replace(clip.source.video, group_id=group_id)
    return replace(clip, source=replace(clip.source, video=video))
