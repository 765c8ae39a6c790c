"""Merging with exact cosines, its clips as hypothesis strategies, and the nodes that result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

import numpy as np
from hypothesis import strategies as st

from amr_neo4j.domain.event import Action, ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.ports import Embedder
from amr_neo4j.domain.video import Video
from amr_neo4j.ingest.commit import nobody_counts
from amr_neo4j.ingest.merging import MergeLimits, Merging
from amr_neo4j.store.database import Database
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.clips import JUMP, NOON, clip_of, involvements, sure, things
from tests.support.plain_merging import PlainMerging

LIMITS = MergeLimits(gap_sec=5.0, similarity=0.85, recent=4, longest_sec=40.0)


class Signs(Embedder):
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
    """A summary on the topic of the first event, which is sometimes unlike the next event."""
    variants = sum(int(event.summary_text.split()[1]) for event in events)
    return f"{events[0].summary_text.split()[0]} {variants % 3}", ()


def merging_on(database: Database, now=lambda: NOON, language: str = "en") -> Merging:
    writer = ClipWriter(database, jump_gap_sec=JUMP, language=language, now=now)
    return Merging(writer, Signs(), summarise, limits=LIMITS, counting=nobody_counts)


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
    """A description belongs to the video: a scope is its id or empty."""
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
    """node_id -> properties, live or superseded, and successor; ids count from `first`."""
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
    return {row["e"]["node_id"] - first: (*_node(row["e"]), row["into"] and row["into"] - first) for row in rows}


def _node(e) -> tuple:
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


def scene(number: int, *spans: tuple[float, float, str]) -> tuple[EventDraft, ...]:
    """Events of Anna in the kitchen with a cup, one a span of (start, end, text)."""
    who, cup = (Involvement("anna", "actor"),), (Use(0, "cup", "wash", from_state="dirty", to_state="clean"),)
    return tuple(
        EventDraft(n, number * 10 + start, number * 10 + end, text, scene_type="kitchen", involvements=who, uses=cup)
        for n, (start, end, text) in enumerate(spans)
    )


def film(group_id: str, *scenes: tuple[EventDraft, ...]) -> list[ComposedClip]:
    return [clip_of(Video(group_id, "film"), number, events) for number, events in enumerate(scenes)]
