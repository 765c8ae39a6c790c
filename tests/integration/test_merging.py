"""Merging in the real graph against the seed's dictionaries: edges, indices and ids, whatever comes in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amr_neo4j.domain.event import Action, ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.video import Video
from amr_neo4j.ingest.merge import MergeLimits
from amr_neo4j.ingest.merging import Merging
from amr_neo4j.store.database import Database
from amr_neo4j.store.merging_writer import MergingWriter
from tests.integration.test_event_writer import JUMP, NOON, clip_of, edges_of, indices_of, involvements, things
from tests.plain_graph import PlainGraph
from tests.plain_merging import PlainMerging

LIMITS = MergeLimits(gap_sec=2.0, similarity=0.85, recent=4)
TOPICS = ["walks", "cooks", "reads"]


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


def summarise(events: Sequence[EventDraft]) -> str:
    """Of the first one's topic, and now and then unlike what comes next."""
    variants = sum(int(event.summary_text.split()[1]) for event in events)
    return f"{events[0].summary_text.split()[0]} {variants % 3}"


@pytest.fixture(scope="module")
def merging(database: Database) -> Merging:
    return merging_on(database)


def merging_on(database: Database, now=lambda: NOON) -> Merging:
    writer = MergingWriter(database, jump_gap_sec=JUMP, language="en", now=now)
    return Merging(writer, Signs(), summarise, LIMITS)


def commit(merging: Merging, clips: Sequence[ComposedClip]) -> list:
    texts = [event.summary_text for clip in clips for event in clip.events]
    return list(merging.commit(clips, merging.embedder.embed(texts)))


def plain() -> PlainMerging:
    return PlainMerging(
        lambda draft: Signs().embed([draft.summary_text])[0],
        summarise,
        LIMITS.gap_sec,
        LIMITS.similarity,
        LIMITS.recent,
    )


texts = st.tuples(st.sampled_from(TOPICS[:2]), st.integers(0, 2)).map(lambda parts: f"{parts[0]} {parts[1]}")
done = st.builds(Action, st.sampled_from(["anna", ""]), st.sampled_from(["open", "close"]), st.just("door"))


@st.composite
def drafts(draw: st.DrawFn, number: int) -> tuple[EventDraft, ...]:
    starts = sorted(draw(st.lists(st.integers(0, 9), max_size=4)))
    return tuple(
        EventDraft(
            ordinal=ordinal,
            time_start=number * 10.0 + start,
            time_end=number * 10.0 + start + draw(st.integers(0, 4)),
            summary_text=draw(texts),
            dialogue_snippets=tuple(draw(st.lists(st.sampled_from(["hello", "bye"]), max_size=1))),
            persons=tuple(draw(st.lists(st.sampled_from(["Anna", "Ben"]), max_size=2))),
            scene_type=draw(st.sampled_from(["", "kitchen", "kitchen", "hall"])),
            actions=tuple(draw(st.lists(done, max_size=2))),
            involvements=tuple(Involvement(who, role, scope) for (who, scope), role in sorted(draw(involvements))),
            uses=tuple(
                Use(seq, name, verb, from_state=before, to_state=after)
                for seq, (name, (verb, before, after)) in enumerate(draw(things))
            ),
            heard=draw(st.integers(0, 5)) == 0,
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
        st.lists(st.tuples(st.sampled_from([0, 0, 1, 2]), st.integers(0, 6)), unique=True, min_size=1, max_size=8)
    )
    if draw(st.booleans()):
        picks.sort(key=lambda pick: pick[1])
    return [clip_of(videos[v], n, draw(drafts(n)), f"{v}-{n}") for v, n in picks]


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
               COLLECT { MATCH (e)-[:IN_CLIP]->(c:Clip) RETURN c.clip_id ORDER BY c.t_start, c.clip_id } AS clips
        """,
        group_id=group_id,
    ).records
    assert len(rows) == len({row["e"]["node_id"] for row in rows}), "it became two"
    for row in rows:
        assert sorted(row["clips"]) == sorted(row["e"]["clip_ids"])
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


@settings(max_examples=25)
@given(clips=arriving())
def test_nodes_edges_and_indices_are_those_of_the_dictionaries(
    clips: list[ComposedClip], database: Database, merging: Merging
) -> None:
    """Whatever merges with what, in one clip or across clips and late ones too: no event is lost, no id has a gap."""
    _same_after(database, merging, clips)
