"""Writing clips: complete, once, and with the same edges in any order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from amr_neo4j.domain.event import ComposedClip, Use
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import EmbedderMismatch
from amr_neo4j.store.database import Database, Row, Run
from amr_neo4j.store.integrity import Integrity
from amr_neo4j.store.write import clip_writer
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.store.write.rows import clip_row
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at, shuffled_clips
from tests.support.examples import examples
from tests.support.graph_edges import edges_of, indices_of
from tests.support.plain_graph import PlainGraph


@pytest.fixture(scope="module")
def writer(database: Database) -> ClipWriter:
    return ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)


@examples(push=10, soak=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(clips=shuffled_clips(), batch=st.integers(1, 4))
def test_edges_and_indices_are_those_of_the_plain_model_in_any_order(
    clips: list[ComposedClip], batch: int, database: Database, writer: ClipWriter
) -> None:
    """Edges and the chains of persons and objects depend on the clips alone, not on order or transactions."""
    for start in range(0, len(clips), batch):
        receipts = commit(writer, clips[start : start + batch])
        assert {receipt.outcome for receipt in receipts} == {"committed"}
    group_id, plain = clips[0].source.video.group_id, PlainGraph(clips, JUMP)
    assert edges_of(database, group_id) == plain.edges()
    assert indices_of(database, group_id) == (plain.person_index(), plain.object_index())
    assert Integrity(database, group_id, JUMP, "en", lambda: NOON).wrong_edges() == 0


def test_each_action_of_an_event_has_an_edge_of_its_own(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    """The phone is picked up and put in within one event: two edges, each with the states of its action."""
    seen = event_at(0.0, uses=(Use(0, "phone"),))
    moved = event_at(
        5.0,
        1,
        uses=(Use(0, "phone", "pick up", "anna", None, "held"), Use(1, "phone", "put", "anna", "held", "placed")),
    )
    commit(writer, [clip_of(Video(group_id, "v"), 0, (seen, moved))])
    life = {(edge[1], edge[5]) for edge in edges_of(database, group_id) if edge[0] == "OBJECT_LIFECYCLE"}
    assert life == {("phone", ("0", "pick up", "", "held")), ("phone", ("1", "put", "held", "placed"))}


def test_a_repeated_clip_changes_nothing(database: Database, writer: ClipWriter, group_id: str) -> None:
    clips = [clip_of(Video(group_id, "v"), n, (event_at(n * 10.0, 0, ("anna",)),)) for n in range(5)]
    commit(writer, clips)
    before = _everything(database, group_id)
    assert [receipt.outcome for receipt in commit(writer, clips)] == ["unchanged"] * 5
    assert _everything(database, group_id) == before


def _everything(database: Database, group_id: str) -> list:
    nodes = """
        MATCH (n {group_id: $g})
        RETURN labels(n) AS l, properties(n) AS p, COUNT { (n)--() } AS d ORDER BY elementId(n)
    """
    counters = "MATCH (k:Counter) RETURN k.name AS name, k.next AS next ORDER BY name"
    run = database.driver.execute_query
    return [r.data() for r in run(nodes, g=group_id).records] + [r.data() for r in run(counters).records]


def test_node_ids_have_no_gap_and_receipts_name_them(database: Database, writer: ClipWriter, group_id: str) -> None:
    clips = [clip_of(Video(group_id, "v"), n, (event_at(n * 10.0), event_at(n * 10.0 + 5, 1))) for n in range(3)]
    ids = [node_id for receipt in commit(writer, clips) for node_id in receipt.node_ids]
    assert ids == list(range(ids[0], ids[0] + 6))
    rows = database.driver.execute_query(
        "MATCH (e:Event {group_id: $g}) RETURN e.node_id AS id ORDER BY e.time_start", g=group_id
    ).records
    assert [row["id"] for row in rows] == ids


def test_the_same_id_with_other_content_is_refused_naming_both(writer: ClipWriter, group_id: str) -> None:
    video = Video(group_id, "v")
    commit(writer, [clip_of(video, 0, (event_at(0),), "sha-one")])
    [receipt] = commit(writer, [clip_of(video, 0, (event_at(1),), "sha-two")])
    assert receipt.outcome == "rejected"
    assert "sha-one" in receipt.error and "sha-two" in receipt.error


def test_a_clip_repeated_within_one_call_is_written_once(writer: ClipWriter, group_id: str) -> None:
    clip = clip_of(Video(group_id, "v"), 0, (event_at(0),))
    assert [receipt.outcome for receipt in commit(writer, [clip, clip])] == ["committed", "unchanged"]


def test_a_video_cannot_change_its_place_or_time(writer: ClipWriter, group_id: str) -> None:
    commit(writer, [clip_of(Video(group_id, "v", place="home"), 0, (event_at(0),))])
    [receipt] = commit(writer, [clip_of(Video(group_id, "v", place="office"), 1, (event_at(10),))])
    assert receipt.outcome == "rejected" and "place" in receipt.error


def test_another_model_is_refused_and_nothing_is_written(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    video = Video(group_id, "v")
    commit(writer, [clip_of(video, 0, (event_at(0),))], model="one", dim=4)
    before = _everything(database, group_id)
    with pytest.raises(EmbedderMismatch, match=r"one \(4 dimensions\).*other \(3\)"):
        commit(writer, [clip_of(video, 1, (event_at(10),))], model="other", dim=3)
    assert _everything(database, group_id) == before


def test_clips_with_too_many_events_share_no_transaction(
    database: Database, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each transaction has its own time: two clips of two events fit into five, one of seven is alone."""
    monkeypatch.setattr(clip_writer, "_EVENTS_AT_ONCE", 5)
    moments = (NOON + timedelta(seconds=n) for n in count())
    writer = ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: next(moments))
    sizes = [2, 2, 2, 7, 2, 2]
    clips = [
        clip_of(Video(group_id, "v"), n, tuple(event_at(n * 10.0 + i, i) for i in range(size)))
        for n, size in enumerate(sizes)
    ]
    receipts = commit(writer, clips)
    assert [len(receipt.node_ids) for receipt in receipts] == sizes
    rows = database.driver.execute_query(
        "MATCH (c:Clip {group_id: $g}) RETURN c.committed_at.second AS moment ORDER BY c.t_start", g=group_id
    ).records
    assert [row["moment"] for row in rows] == [0, 0, 1, 2, 3, 3]


def test_a_clip_without_events_has_a_receipt(database: Database, writer: ClipWriter, group_id: str) -> None:
    [receipt] = commit(writer, [clip_of(Video(group_id, "v"), 0, ())])
    assert receipt.outcome == "committed" and receipt.node_ids == ()
    assert writer.committed_clips(group_id, "v") == {"c0": "sha-0"}


def test_of_a_video_with_sounds_only_what_may_overlap_is_read_again(
    database: Database, writer: ClipWriter, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = Video(group_id, "v")
    hum = replace(event_at(0.0), time_end=100.0, heard=True)
    commit(writer, [clip_of(video, 0, (hum, *(event_at(float(second), second) for second in range(1, 9))))])
    seen: list[dict] = []

    def kept(run: Run, name: str, params: dict[str, Any]) -> list[dict]:
        rows = run(name, **params)
        seen.extend(rows if name == "ingest/sounds_around" else ())
        return rows

    _intercept(monkeypatch, kept)
    commit(writer, [clip_of(video, 2, (event_at(20.0), replace(event_at(20.5, 1), time_end=21.0)))])
    assert [(row["start"], row["heard"]) for row in seen] == [(0.0, True)]


def test_rows_of_later_transactions_are_built_in_their_turn(
    writer: ClipWriter, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If all rows were built at once, they would take several times the memory of the clips."""
    built: list[ComposedClip] = []
    at_commits: list[int] = []

    def seen(number: int, clip: ComposedClip, **rest: Any) -> Row:
        built.append(clip)
        return clip_row(number, clip, **rest)

    def counted(run: Run, name: str, params: dict[str, Any]) -> list[dict]:
        if name == "ingest/lock":
            at_commits.append(len(built))
        return run(name, **params)

    monkeypatch.setattr(clip_writer, "_EVENTS_AT_ONCE", 1)
    monkeypatch.setattr(clip_writer, "clip_row", seen)
    _intercept(monkeypatch, counted)
    clips = [clip_of(Video(group_id, "v"), n, (event_at(n * 10.0),)) for n in range(3)]
    write = writer.prepare(clips, np.ones((3, 4), np.float32), "m")
    assert built == clips[:1]
    assert [receipt.outcome for receipt in write()] == ["committed"] * 3
    assert at_commits == [1, 2, 3]
    assert [receipt.outcome for receipt in write()] == ["unchanged"] * 3


def test_an_event_that_is_deleted_meanwhile_shifts_no_edge(
    database: Database, writer: ClipWriter, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody deletes it in Neo4j Browser, for example, after the edges were worked out."""
    videos = [Video(group_id, "one"), Video(group_id, "two")]
    [[gone], [left]] = [receipt.node_ids for receipt in commit(writer, [_seen(video, 0) for video in videos])]

    def deleting(run: Run, name: str, params: dict[str, Any]) -> list[dict]:
        if name == "ingest/write_clips":
            assert params["stored"] == [gone, left]
            database.driver.execute_query("MATCH (e:Event {node_id: $node_id}) DETACH DELETE e", node_id=gone)
        return run(name, **params)

    _intercept(monkeypatch, deleting)
    [[_], [new]] = [receipt.node_ids for receipt in commit(writer, [_seen(video, 1) for video in videos])]
    edges = """
        MATCH (a:Event {group_id: $g})-[r:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]->(b)
        RETURN a.node_id AS src, type(r) AS type, b.node_id AS dst ORDER BY type
    """
    found = [tuple(row.values()) for row in database.driver.execute_query(edges, g=group_id).records]
    assert found == [(left, kind, new) for kind in ("ENTITY_JUMP", "OBJECT_LIFECYCLE", "TEMPORAL")]


def _seen(video: Video, number: int) -> ComposedClip:
    """A clip of the video's own person and thing, in minute `number`."""
    door = Use(0, f"door {video.video_id}", "open", f"of {video.video_id}", "closed", "open")
    return clip_of(video, number * 6, (event_at(number * 60.0, 0, (f"of {video.video_id}",), (door,)),))


def _intercept(monkeypatch: pytest.MonkeyPatch, instead: Callable[[Run, str, dict[str, Any]], list[dict]]) -> None:
    """Let `instead` run the statements of all transactions."""
    in_transaction = Database.in_transaction

    def intercepted(self: Database, work: Callable[[Run], Any]) -> Any:
        return in_transaction(self, lambda run: work(lambda name, /, **params: instead(run, name, params)))

    monkeypatch.setattr(Database, "in_transaction", intercepted)
