"""Merging in the real graph against plain dictionaries: edges, indices and ids, whatever comes in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_neo4j.domain.event import Action, ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import StoreError
from amr_neo4j.ingest.commit import nobody_counts
from amr_neo4j.ingest.merge.candidates import MergeLimits
from amr_neo4j.ingest.merge.commit import Merging
from amr_neo4j.store.database import Database
from amr_neo4j.store.write.merging_writer import MergingWriter
from tests.integration.test_event_writer import JUMP, NOON, clip_of, edges_of, indices_of, involvements, sure, things
from tests.support.examples import examples
from tests.support.plain_graph import PlainGraph
from tests.support.plain_merging import PlainMerging

LIMITS = MergeLimits(gap_sec=5.0, similarity=0.85, recent=4, longest_sec=40.0)


class Signs:
    """An embedder whose cosines are exact: 16 signs for a text's first word, one of them turned by its second.

    "walks 0" is like "walks 1" (0.875); "walks 1" and "walks 2" are not (0.75).
    """

    model, dim, unrelated, alike = "signs", 16, 0.5, 0.85

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.empty((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            topic, variant = text.split()[:2]
            row[:] = np.where(
                np.random.default_rng(len(topic) * 7 + ord(topic[0])).random(self.dim) < 0.5, -0.25, 0.25
            )
            row[int(variant)] *= -1 if int(variant) else 1
        return rows


def summarise(events: Sequence[EventDraft]) -> tuple[str, tuple[str, ...]]:
    """Of the first one's topic, and now and then unlike what comes next."""
    variants = sum(int(event.summary_text.split()[1]) for event in events)
    return f"{events[0].summary_text.split()[0]} {variants % 3}", ()


@pytest.fixture(scope="module")
def merging(database: Database) -> Merging:
    return merging_on(database)


def merging_on(database: Database, now=lambda: NOON, language: str = "en") -> Merging:
    writer = MergingWriter(database, jump_gap_sec=JUMP, language=language, now=now)
    return Merging(writer, Signs(), summarise, LIMITS, nobody_counts)


def commit(merging: Merging, clips: Sequence[ComposedClip]) -> list:
    texts = [event.summary_text for clip in clips for event in clip.events]
    return list(merging.commit(clips, merging.embedder.embed(texts)))


def plain() -> PlainMerging:
    return PlainMerging(
        lambda draft: Signs().embed([draft.summary_text])[0],
        lambda parts: summarise(parts)[0],
        LIMITS.gap_sec,
        LIMITS.similarity,
        LIMITS.recent,
        LIMITS.longest_sec,
    )


texts = st.tuples(st.sampled_from(["walks", "walks", "cooks"]), st.sampled_from([0, 0, 1, 2])).map(
    lambda parts: f"{parts[0]} {parts[1]}"
)
done = st.builds(Action, st.sampled_from(["anna", ""]), st.sampled_from(["open", "close"]), st.just("door"))


@st.composite
def drafts(draw: st.DrawFn, number: int, video_id: str) -> tuple[EventDraft, ...]:
    """Who is described is the video's: a scope is its id or empty."""
    starts = sorted(draw(st.lists(st.integers(0, 9), min_size=1, max_size=4)))
    return tuple(
        EventDraft(
            ordinal=ordinal,
            time_start=number * 10.0 + start,
            time_end=number * 10.0 + start + draw(st.sampled_from([3, 1, 0, 8])),
            summary_text=draw(texts),
            dialogue_snippets=tuple(draw(st.lists(st.sampled_from(["hello", "bye"]), max_size=1))),
            persons=tuple(draw(st.lists(st.sampled_from(["Anna", "Ben"]), max_size=2))),
            scene_type=draw(st.sampled_from(["kitchen", "kitchen", "hall", ""])),
            actions=tuple(draw(st.lists(done, max_size=2))),
            involvements=tuple(
                Involvement(who, role, scope, confidence=draw(sure))
                for who, scope, role in sorted(
                    {(who, scope and video_id, role) for (who, scope), role in draw(involvements)}
                )
            ),
            uses=tuple(
                Use(seq, name, verb, from_state=before, to_state=after)
                for seq, (name, (verb, before, after)) in enumerate(draw(things))
            ),
            heard=draw(st.sampled_from([False] * 7 + [True])),
        )
        for ordinal, start in enumerate(starts)
    )


@st.composite
def arriving(draw: st.DrawFn) -> list[ComposedClip]:
    """Clips of three videos (two of one place that know their wall clock); most in order of time, some late."""
    group = f"test-{uuid4()}"
    videos = [
        Video(group, "plain"),
        Video(group, "first", place="home", recorded_at=NOON),
        Video(group, "second", place="home", recorded_at=NOON + timedelta(seconds=25)),
    ]
    picks = draw(
        st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 2]), st.integers(0, 3)), unique=True, min_size=3, max_size=8)
    )
    if draw(st.booleans()):
        picks.sort(key=lambda pick: pick[1])
    return [clip_of(videos[v], n, draw(drafts(n, videos[v].video_id)), f"{v}-{n}") for v, n in picks]


def next_id(database: Database) -> int:
    rows = database.driver.execute_query("MATCH (k:Counter {name: 'node_id'}) RETURN k.next AS next").records
    return rows[0]["next"] if rows else 0


def nodes_of(database: Database, group_id: str, first: int) -> dict[int, tuple]:
    """node_id -> what it is, live or superseded, and what it became; ids count from `first`."""
    rows = database.driver.execute_query(
        """
        MATCH (e:Event|SupersededEvent {group_id: $group_id})
        OPTIONAL MATCH (e)-[:MERGED_INTO]->(into:Event|SupersededEvent)
        RETURN e, e:Event AS live, into.node_id AS into,
               EXISTS { (e)-[:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-() } AS tied,
               EXISTS { MATCH (e)-[part:INVOLVES|USES]->() WHERE part.key IS NOT NULL } AS in_chains,
               EXISTS { MATCH (e)-[part:INVOLVES|USES]->() WHERE part.key IS NULL } AS out_of_chains,
               COLLECT { MATCH (e)-[:IN_CLIP]->(c:Clip) RETURN c.clip_id ORDER BY c.t_start, c.clip_id } AS clips
        """,
        group_id=group_id,
    ).records
    assert len(rows) == len({row["e"]["node_id"] for row in rows}), "it became two"
    for row in rows:
        assert sorted(row["clips"]) == sorted(row["e"]["clip_ids"])
        assert not row["tied"] or row["live"]
        assert not (row["in_chains"] and not row["live"]) and not (row["out_of_chains"] and row["live"])
        assert (row["e"].get("superseded_at") is None) == row["live"] == (row["into"] is None)
    return {row["e"]["node_id"] - first: (*_told(row["e"]), row["into"] and row["into"] - first) for row in rows}


def _told(e) -> tuple:
    actions = tuple(Action(**action) for action in json.loads(e["actions"]))
    texts = (e["summary_text"], tuple(e["dialogue_snippets"]), tuple(e["persons"]), e["scene_type"])
    return (e["video_id"], e["clip_id"], e["ordinal"]), e["time_start"], e["time_end"], *texts, actions, e["clip_ids"]


def plain_nodes(model: PlainMerging) -> dict[int, tuple]:
    return {
        node_id: (
            node.name,
            node.draft.time_start,
            node.draft.time_end,
            node.draft.summary_text,
            node.draft.dialogue_snippets,
            node.draft.persons,
            node.draft.scene_type,
            node.draft.actions,
            node.clip_ids,
            model.merged_into.get(node_id),
        )
        for node_id, node in model.global_event_dict.items()
    }


def assert_same(database: Database, group_id: str, first: int, model: PlainMerging) -> None:
    """Nodes with their ids and successors, edges, and the chains of persons and objects."""
    assert nodes_of(database, group_id, first) == plain_nodes(model)
    assert next_id(database) == first + model.next_node_id
    live = PlainGraph(model.live_clips(), JUMP)
    assert edges_of(database, group_id) == live.edges()
    assert indices_of(database, group_id) == (live.person_index(), live.object_index())


def _same_after(database: Database, merging: Merging, clips: list[ComposedClip]) -> PlainMerging:
    model, first = plain(), next_id(database)
    for clip in clips:
        model.take(clip)
    assert {receipt.outcome for receipt in commit(merging, clips)} <= {"committed"}
    assert_same(database, clips[0].source.video.group_id, first, model)
    return model


@examples(push=9, soak=250)
@given(clips=arriving())
def test_nodes_edges_and_indices_are_those_of_the_dictionaries(
    clips: list[ComposedClip], database: Database, merging: Merging
) -> None:
    """Whatever merges with what, in one clip or across clips and late ones too: no event is lost, no id has a gap."""
    _same_after(database, merging, clips)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=2000)
@given(clips=arriving())
def test_the_same_for_as_long_as_one_likes(clips: list[ComposedClip], database: Database, merging: Merging) -> None:
    """As above, with more of it."""
    _same_after(database, merging, clips)


def scene(number: int, *spans: tuple[float, float, str]) -> tuple[EventDraft, ...]:
    """Events of Anna in the kitchen with a cup, one a span of (start, end, text)."""
    who, cup = (Involvement("anna", "actor"),), (Use(0, "cup", "wash", from_state="dirty", to_state="clean"),)
    return tuple(
        EventDraft(n, number * 10 + start, number * 10 + end, text, scene_type="kitchen", involvements=who, uses=cup)
        for n, (start, end, text) in enumerate(spans)
    )


def film(group_id: str, *scenes: tuple[EventDraft, ...]) -> list[ComposedClip]:
    return [clip_of(Video(group_id, "film"), number, events) for number, events in enumerate(scenes)]


def test_a_chain_in_one_clip_is_one_event(database: Database, merging: Merging, group_id: str) -> None:
    clips = film(group_id, scene(0, (0, 2, "walks 0"), (2, 4, "walks 1"), (4, 6, "walks 0"), (6, 9, "cooks 0")))
    model = _same_after(database, merging, clips)
    assert model.merged_into == {0: 4, 1: 4, 2: 4}


def test_an_action_continued_in_the_next_clip_is_one_event_of_both(
    database: Database, merging: Merging, group_id: str
) -> None:
    """And in the one after that: each time what was there gives way to a new one."""
    clips = film(group_id, *(scene(n, (0, 10, "walks 0")) for n in range(4)))
    model = _same_after(database, merging, clips)
    assert model.merged_into == {0: 2, 1: 2, 2: 4, 3: 4, 4: 6, 5: 6}
    assert model.global_event_dict[6].clip_ids == ["c0", "c1", "c2", "c3"]


def test_receipts_name_the_events_and_their_successors(merging: Merging, group_id: str) -> None:
    first, second, third = commit(
        merging, film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 4, "walks 0"), (5, 9, "cooks 0")), scene(2))
    )
    assert (first.merged_ids, third.node_ids, third.merged_ids) == ((), (), ())
    assert second.node_ids == (first.node_ids[0] + 1, first.node_ids[0] + 2)
    assert second.merged_ids == (second.node_ids[1] + 1,)


def test_a_repeated_clip_changes_nothing(database: Database, merging: Merging, group_id: str) -> None:
    clips = film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0")))
    commit(merging, clips)
    before, following = nodes_of(database, group_id, 0), next_id(database)
    assert [receipt.outcome for receipt in commit(merging, clips)] == ["unchanged"] * 2
    assert (nodes_of(database, group_id, 0), next_id(database)) == (before, following)


def test_a_video_changed_by_another_writer_is_read_again(database: Database, group_id: str) -> None:
    """Another process commits between the reading and the writing: what it wrote is merged with as well."""
    one, other = film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0")))
    between = iter([lambda: commit(merging_on(database), [one]), lambda: None])

    class Overtaken(MergingWriter):
        def commit_merging(self, *arguments):
            next(between)()
            return super().commit_merging(*arguments)

    writer = Overtaken(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    [receipt] = commit(Merging(writer, Signs(), summarise, LIMITS, nobody_counts), [other])
    first = receipt.node_ids[0] - 1
    model = plain()
    model.take(one)
    model.take(other)
    assert_same(database, group_id, first, model)
    assert next(between, None) is None


def test_a_failed_merge_leaves_nothing_behind(database: Database, group_id: str) -> None:
    """Its clip neither: not when the last of its statements is refused."""
    merging = merging_on(database)
    [one, other] = film(group_id, scene(0, (0, 9, "walks 0")), scene(1, (0, 9, "walks 0")))
    commit(merging, [one])
    before, following = nodes_of(database, group_id, 0), next_id(database)

    class Breaking(MergingWriter):
        def commit_merging(self, clip, vectors, model, merged, after):
            endless = replace(merged[0].event, involvements=(Involvement("x" * 10_000, "actor"),))
            return super().commit_merging(clip, vectors, model, [replace(merged[0], event=endless)], after)

    writer = Breaking(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    with pytest.raises(StoreError):
        commit(Merging(writer, Signs(), summarise, LIMITS, nobody_counts), [other])
    assert (nodes_of(database, group_id, 0), next_id(database)) == (before, following)
    assert {receipt.outcome for receipt in commit(merging, [other])} == {"committed"}
