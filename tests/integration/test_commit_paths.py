"""Two ways to the same graph: clips committed together, and their events written one by one as merged ones are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given

from amr_neo4j.domain.event import ComposedClip, Use
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database
from amr_neo4j.store.persons.aliases import PersonAliases
from amr_neo4j.store.read.digest import digest
from amr_neo4j.store.write.event_writer import EventWriter
from amr_neo4j.store.write.rows import clip_row
from amr_neo4j.store.write.shared_commits import SharedCommits
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at, shuffled_clips
from tests.support.examples import examples

_FLAGS = """
UNWIND $flags AS row MATCH (v:Video {group_id: $group_id, video_id: row.video_id})
SET v.heard = v.heard OR row.heard, v.voices = v.voices OR row.voices
"""


@examples(push=6, soak=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(clips=shuffled_clips())
def test_clips_together_and_events_one_by_one_give_one_digest(clips: list[ComposedClip], database: Database) -> None:
    """The edges worked out before a commit are those that the statement of one event makes."""
    writer = EventWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    half = len(clips) // 2  # the second half finds stored events before, between and after its own
    for part in (clips[:half], clips[half:]):
        assert {receipt.outcome for receipt in commit(writer, part)} <= {"committed"}
    together = clips[0].source.video.group_id
    alone = f"{together}-alone"
    _one_by_one(database, writer, [_moved(clip, alone) for clip in clips])
    assert digest(database, together) == digest(database, alone)


def test_sources_that_share_transactions_give_the_digest_of_a_quiet_run(database: Database, group_id: str) -> None:
    writer = EventWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    sources = [
        [_seen(Video(group_id, f"v{source}", place="home"), number) for number in range(12)] for source in range(8)
    ]
    shared = SharedCommits(writer.commit)

    def run(clips: list[ComposedClip]) -> list[Receipt]:
        return [receipt for clip in clips for receipt in shared([clip], np.ones((3, 4), np.float32), "m")]

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


def _one_by_one(database: Database, writer: EventWriter, clips: list[ComposedClip]) -> None:
    for clip in clips:
        vectors = np.ones((len(clip.events), 4), np.float32)
        row = clip_row(0, clip, vectors, PersonAliases())
        commit(writer, [replace(clip, events=())])
        flags = [{name: row[name] for name in ("video_id", "heard", "voices")}]
        database.driver.execute_query(_FLAGS, flags=flags, group_id=clip.source.video.group_id)
        for event in row["events"]:
            event |= {"parts": [], "longest": row["longest"], "props": event["props"] | {"at": event["at"]}}
            database.write("ingest/commit_merged", events=[event], model="m", dim=4, jump_gap=JUMP, now=NOON)
