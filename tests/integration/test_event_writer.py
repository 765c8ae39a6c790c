"""Clips in the graph: whole, once, and tied in the same way whatever order they came in."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta, timezone
from itertools import count
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.errors import EmbedderMismatch
from amr_neo4j.store.database import Database
from amr_neo4j.store.write import event_writer
from amr_neo4j.store.write.event_writer import EventWriter
from tests.support.examples import examples
from tests.support.plain_graph import Chain, Name, ObjectIndex, PersonIndex, PlainGraph

NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
JUMP = 30.0


@pytest.fixture(scope="module")
def writer(database: Database) -> EventWriter:
    return EventWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)


def commit(writer: EventWriter, clips: list[ComposedClip], model: str = "m", dim: int = 4) -> list:
    count = sum(len(clip.events) for clip in clips)
    return writer.commit(clips, np.ones((count, dim), np.float32), model)


def clip_of(video: Video, number: int, events: tuple[EventDraft, ...], sha: str = "") -> ComposedClip:
    clip = Clip(f"c{number}", number * 10.0, number * 10.0 + 10.0)
    analysis = ClipAnalysis(clip_summary="", events=())
    return ComposedClip(AnalysedClip(video, clip, analysis, "test", sha or f"sha-{number}"), events)


def event_at(start: float, ordinal: int = 0, people: tuple[str, ...] = (), uses: tuple[Use, ...] = ()) -> EventDraft:
    parts = tuple(Involvement(person, "actor") for person in people)
    return EventDraft(ordinal, start, start + 2.0, f"at {start}", involvements=parts, uses=uses)


# A name is the group's, a description its video's; both may have several parts in one event.
people = st.sampled_from([("anna", ""), ("ben", ""), ("girl", "v0"), ("girl", "v1")])
involvements = st.sets(st.tuples(people, st.sampled_from(["actor", "speaker", "mentioned"])), max_size=4)
sure = st.sampled_from([0.5, 0.9])
states = [("open", "closed", "open"), ("close", "open", "closed"), ("look at", None, None), (None, None, None)]
things = st.lists(st.tuples(st.sampled_from(["cup", "door"]), st.sampled_from(states)), max_size=3)


@st.composite
def drafts(draw: st.DrawFn, number: int) -> tuple[EventDraft, ...]:
    starts = sorted(draw(st.lists(st.integers(0, 8), max_size=3)))
    return tuple(_draft(draw, ordinal, number * 10.0 + start) for ordinal, start in enumerate(starts))


def _draft(draw: st.DrawFn, ordinal: int, start: float) -> EventDraft:
    parts = sorted(draw(involvements))
    acting = st.sampled_from(["", *(who for (who, scope), role in parts if role == "actor" and not scope)])
    return EventDraft(
        ordinal=ordinal,
        time_start=start,
        time_end=start + draw(st.integers(0, 4)),
        summary_text="something",
        involvements=tuple(Involvement(who, role, scope, confidence=draw(sure)) for (who, scope), role in parts),
        uses=tuple(
            Use(seq, name, verb, draw(acting), before, after)
            for seq, (name, (verb, before, after)) in enumerate(draw(things))
        ),
        heard=draw(st.booleans()),
    )


@st.composite
def shuffled_clips(draw: st.DrawFn) -> list[ComposedClip]:
    """Clips of three videos (two of one place that know their wall clock), in any order."""
    group = f"test-{uuid4()}"
    videos = [
        Video(group, "plain"),
        Video(group, "first", place="home", recorded_at=NOON),
        Video(group, "second", place="home", recorded_at=NOON + timedelta(seconds=45)),
    ]
    picks = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), unique=True, min_size=1, max_size=8))
    return [clip_of(videos[v], n, draw(drafts(n)), f"{v}-{n}") for v, n in picks]


def edges_of(database: Database, group_id: str) -> set:
    rows = database.driver.execute_query(
        """
        MATCH (a:Event {group_id: $group_id})-[r:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]->(b:Event)
        RETURN type(r) AS channel, coalesce(r.person, r.object, r.subject, '') AS subject,
               coalesce(r.time_gap, r.overlap, r.confidence) AS gap, r.key AS key,
               CASE type(r) WHEN 'OBJECT_LIFECYCLE' THEN [r.verb, coalesce(r.from_state, ''), r.to_state]
                            WHEN 'CROSS_MODAL' THEN [r.kind, coalesce(r.evidence, '')] ELSE [] END AS what,
               [a.video_id, a.clip_id, a.ordinal] AS src, [b.video_id, b.clip_id, b.ordinal] AS dst
        """,
        group_id=group_id,
    ).records
    edges = [(r["channel"], r["subject"], tuple(r["src"]), tuple(r["dst"]), r["gap"], tuple(r["what"])) for r in rows]
    # Two people who are called alike are told apart by the key of their chain.
    assert len(edges) == len({(*edge, r["key"]) for edge, r in zip(edges, rows, strict=True)}), (
        "an edge is there twice"
    )
    return set(edges)


def indices_of(database: Database, group_id: str) -> tuple[PersonIndex, ObjectIndex]:
    """The chains of INVOLVES and of USES, by timeline and identity, in the order of their positions."""
    persons: PersonIndex = defaultdict(list)
    for chain, name, parts in _chains(database, group_id, "INVOLVES", "Person"):
        persons[chain].append((name, tuple(sorted(part["role"] for part in parts))))
    objects: ObjectIndex = defaultdict(list)
    for chain, name, parts in _chains(database, group_id, "USES", "Object"):
        in_turn = sorted(parts, key=lambda part: part["seq"])
        objects[chain].append((name, tuple((p.get("verb"), p.get("from_state"), p.get("to_state")) for p in in_turn)))
    return persons, objects


def _chains(database: Database, group_id: str, relationship: str, label: str) -> list[tuple[Chain, Name, list[dict]]]:
    """(chain, event, what ties them) in the order of position; each chain has a key of its own."""
    rows = database.driver.execute_query(
        f"""
        MATCH (x:{label} {{group_id: $group_id}})<-[r:{relationship}]-(e:Event),
              (e)-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(v:Video)
        WITH DISTINCT x, e, v, r
        WITH x, e, v, r.key AS key, r.position AS position, collect(properties(r)) AS parts
        RETURN CASE WHEN v.recorded_at IS NULL THEN ['video', v.video_id] ELSE ['place', v.place] END
               + CASE WHEN x:Person THEN [x.scope, x.person_id] ELSE [x.name] END AS chain,
               [e.video_id, e.clip_id, e.ordinal] AS event, key, parts ORDER BY position
        """,  # pyright: ignore[reportArgumentType]
        group_id=group_id,
    ).records
    chains = {(row["key"], *row["chain"]) for row in rows}
    assert len(chains) == len({row["key"] for row in rows}) == len({tuple(row["chain"]) for row in rows})
    return [(tuple(row["chain"]), tuple(row["event"]), row["parts"]) for row in rows]


@examples(push=10, soak=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(clips=shuffled_clips(), batch=st.integers(1, 4))
def test_edges_and_indices_are_those_of_the_plain_model_in_any_order(
    clips: list[ComposedClip], batch: int, database: Database, writer: EventWriter
) -> None:
    """Edges and the chains of persons and objects depend on the clips alone, not on order or transactions."""
    for start in range(0, len(clips), batch):
        receipts = commit(writer, clips[start : start + batch])
        assert {receipt.outcome for receipt in receipts} == {"committed"}
    group_id, plain = clips[0].source.video.group_id, PlainGraph(clips, JUMP)
    assert edges_of(database, group_id) == plain.edges()
    assert indices_of(database, group_id) == (plain.person_index(), plain.object_index())


def test_a_repeated_clip_changes_nothing(database: Database, writer: EventWriter, group_id: str) -> None:
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


def test_node_ids_have_no_gap_and_receipts_name_them(database: Database, writer: EventWriter, group_id: str) -> None:
    clips = [clip_of(Video(group_id, "v"), n, (event_at(n * 10.0), event_at(n * 10.0 + 5, 1))) for n in range(3)]
    ids = [node_id for receipt in commit(writer, clips) for node_id in receipt.node_ids]
    assert ids == list(range(ids[0], ids[0] + 6))
    rows = database.driver.execute_query(
        "MATCH (e:Event {group_id: $g}) RETURN e.node_id AS id ORDER BY e.time_start", g=group_id
    ).records
    assert [row["id"] for row in rows] == ids


def test_the_same_id_with_other_content_is_refused_naming_both(writer: EventWriter, group_id: str) -> None:
    video = Video(group_id, "v")
    commit(writer, [clip_of(video, 0, (event_at(0),), "sha-one")])
    [receipt] = commit(writer, [clip_of(video, 0, (event_at(1),), "sha-two")])
    assert receipt.outcome == "rejected"
    assert "sha-one" in receipt.error and "sha-two" in receipt.error


def test_a_clip_repeated_within_one_call_is_written_once(writer: EventWriter, group_id: str) -> None:
    clip = clip_of(Video(group_id, "v"), 0, (event_at(0),))
    assert [receipt.outcome for receipt in commit(writer, [clip, clip])] == ["committed", "unchanged"]


def test_a_video_cannot_change_its_place_or_time(writer: EventWriter, group_id: str) -> None:
    commit(writer, [clip_of(Video(group_id, "v", place="home"), 0, (event_at(0),))])
    [receipt] = commit(writer, [clip_of(Video(group_id, "v", place="office"), 1, (event_at(10),))])
    assert receipt.outcome == "rejected" and "place" in receipt.error


def test_another_model_is_refused_and_nothing_is_written(
    database: Database, writer: EventWriter, group_id: str
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
    """Each transaction has a time of its own: two clips of two events fit into five, one of seven comes alone."""
    monkeypatch.setattr(event_writer, "_EVENTS_AT_ONCE", 5)
    moments = (NOON + timedelta(seconds=n) for n in count())
    writer = EventWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: next(moments))
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


def test_a_clip_without_events_has_a_receipt(database: Database, writer: EventWriter, group_id: str) -> None:
    [receipt] = commit(writer, [clip_of(Video(group_id, "v"), 0, ())])
    assert receipt.outcome == "committed" and receipt.node_ids == ()
    assert writer.committed_clips(group_id, "v") == {"c0": "sha-0"}
