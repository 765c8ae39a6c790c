"""From lines to the graph: one receipt per line in order, clips complete or absent, nothing embedded twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given

from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, Video
from amr_neo4j.errors import StoreError
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.analyses import analysed, spoilt_lines
from tests.support.counting_embedder import CountingEmbedder
from tests.support.examples import examples

Json = dict[str, Any]


@pytest.fixture(scope="module")
def writer(database: Database) -> ClipWriter:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    return ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: noon)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


def line(number: int, *summaries: str, **rest: Any) -> str:
    events = [{"time_start": n, "time_end": n + 1, "summary": text} for n, text in enumerate(summaries)]
    analysis = {"clip_summary": "", "events": events}
    start = number * 10.0
    return json.dumps(
        {"video_id": "v", "clip_id": f"c{number}", "t_start": start, "t_end": start + 10, "analysis": analysis} | rest
    )


def run(
    lines: list[str], group: str, writer: ClipWriter, embedder: CountingEmbedder, batch: int = 1
) -> list[Receipt]:
    return list(
        ingest(
            read_lines(lines, group_id=group, any_group=True),
            Committer(writer, embedder, ENGLISH),
            clips_per_transaction=batch,
        )
    )


def contents(database: Database, group: str) -> list[str]:
    rows = database.driver.execute_query(
        "MATCH (n {group_id: $group}) RETURN labels(n)[0] AS label ORDER BY label", group=group
    ).records
    return [row["label"] for row in rows]


@pytest.mark.parametrize("batch", [1, 2, 3, 8])
def test_receipts_come_in_input_order(
    batch: int, writer: ClipWriter, embedder: CountingEmbedder, group_id: str
) -> None:
    """One receipt per line in the order of the lines, however many clips share a transaction."""
    lines = [
        "{",
        line(0, "a"),
        line(1, "b", "c"),
        "nonsense",
        line(2),
        line(0, "a"),
        line(1, "other"),
        line(3, "d"),
        "[]",
    ]
    outcomes = [
        (receipt.clip_id or receipt.error.split(":")[0], receipt.outcome)
        for receipt in run(lines, group_id, writer, embedder, batch)
    ]
    assert outcomes == [
        ("line 1", "rejected"),
        ("c0", "committed"),
        ("c1", "committed"),
        ("line 4", "rejected"),
        ("c2", "committed"),
        ("c0", "unchanged"),
        ("c1", "rejected"),
        ("c3", "committed"),
        ("line 9", "rejected"),
    ]


def test_a_batch_is_embedded_in_one_call(writer: ClipWriter, embedder: CountingEmbedder, group_id: str) -> None:
    lines = [line(0, "a", "b"), line(1), line(2, "c"), line(3), line(4, "d")]
    run(lines, group_id, writer, embedder, 3)
    assert embedder.asked == [["a", "b", "c"], ["d"]]


def test_a_batch_without_events_calls_no_model(writer: ClipWriter, embedder: CountingEmbedder, group_id: str) -> None:
    assert [receipt.outcome for receipt in run([line(0), line(1)], group_id, writer, embedder, 2)] == [
        "committed"
    ] * 2
    assert embedder.asked == []


def test_speech_is_embedded_with_its_speaker(writer: ClipWriter, embedder: CountingEmbedder, group_id: str) -> None:
    turn = {"speaker_id": "Anna", "utterance": "Hello.", "time_start": 0, "time_end": 1}
    event = {"time_start": 0, "time_end": 2, "summary": "Anna waves."}
    analysis = {"clip_summary": "", "events": [event], "speaker_turns": [turn]}
    run([line(0, analysis=analysis)], group_id, writer, embedder)
    assert embedder.asked == [["Anna waves.\nAnna: Hello."]]


def test_a_second_run_changes_and_embeds_nothing(
    database: Database, writer: ClipWriter, embedder: CountingEmbedder, group_id: str
) -> None:
    lines = [line(n, f"event {n}") for n in range(5)]
    run(lines, group_id, writer, embedder, 2)
    before = contents(database, group_id)
    again = CountingEmbedder()
    assert [receipt.outcome for receipt in run(lines, group_id, writer, again, 2)] == ["unchanged"] * 5
    assert again.asked == [] and contents(database, group_id) == before


def test_the_first_clip_is_searchable_while_the_second_is_analysed(
    database: Database, writer: ClipWriter, embedder: CountingEmbedder, group_id: str
) -> None:
    reader = EventReader(database, language="en")
    found: list[int] = []

    def lines() -> Iterator[str]:
        for n in range(3):
            found.append(len(reader.full_text("keys", Scope(group_id), 9)))
            yield line(n, "Anna finds the keys.")

    list(ingest(read_lines(lines(), group_id=group_id), Committer(writer, embedder, ENGLISH)))
    assert found == [0, 1, 2]


def test_a_failing_embedder_fails_its_batch_only(
    database: Database, writer: ClipWriter, embedder: CountingEmbedder, group_id: str
) -> None:
    class Failing(CountingEmbedder):
        def embed(self, texts):
            if "bad" in texts:
                raise RuntimeError("the model is gone")
            return super().embed(texts)

    lines = [line(0, "good"), line(1, "good"), line(2, "good"), line(3, "bad")]
    receipts = ingest(
        read_lines(lines, group_id=group_id), Committer(writer, Failing(), ENGLISH), clips_per_transaction=2
    )
    assert [next(receipts).outcome, next(receipts).outcome] == ["committed", "committed"]
    with pytest.raises(RuntimeError, match="the model is gone"):
        next(receipts)
    assert dict(writer.committed_clips(group_id, "v")).keys() == {"c0", "c1"}


def test_a_failed_commit_leaves_nothing_behind(
    database: Database, writer: ClipWriter, embedder: CountingEmbedder, group_id: str
) -> None:
    """No clip of the transaction, no event, no person, no group is written; and no node id is used."""
    video = Video(group_id, "v")
    endless = Involvement("x" * 10_000, "actor")  # more than an index entry holds: the graph refuses it
    source = analysed({"clip_summary": "", "events": []}, video=video)
    events = (EventDraft(0, 101.0, 102.0, "fine"), EventDraft(1, 103.0, 104.0, "not fine", involvements=(endless,)))
    with pytest.raises(StoreError):
        writer.commit([ComposedClip(source, events)], np.ones((2, 8), np.float32), embedder.model)
    assert contents(database, group_id) == []
    [first] = run([line(0, "a")], group_id, writer, embedder)
    with pytest.raises(StoreError):
        writer.commit([ComposedClip(source, events)], np.ones((2, 8), np.float32), embedder.model)
    [second] = run([line(1, "b")], group_id, writer, embedder)
    missing = set(range(first.node_ids[0], second.node_ids[0])) - _ids_from(database, first.node_ids[0])
    assert not missing, "a node id went to a clip that was never written"


def _ids_from(database: Database, node_id: int) -> set[int]:
    rows = database.driver.execute_query(
        "MATCH (e:Event) WHERE e.node_id >= $from RETURN e.node_id AS id", parameters_={"from": node_id}
    ).records
    return {row["id"] for row in rows}


@examples(push=9, soak=250)
@given(raw=spoilt_lines())
def test_the_graph_takes_what_the_door_takes(raw: Json, writer: ClipWriter, database: Database) -> None:
    """Whatever a line holds, it is rejected at the door or committed with all its events: Neo4j refuses none."""
    group, embedder = f"test-{uuid4()}", CountingEmbedder()
    if isinstance(raw.get("group_id"), str):
        raw["group_id"] += group
    text = json.dumps(raw)
    [item] = read_lines([text], group_id=group, any_group=True)
    [receipt] = run([text], group, writer, embedder)
    assert receipt.outcome == ("committed" if isinstance(item, AnalysedClip) else "rejected"), receipt.error
    if isinstance(item, AnalysedClip):
        assert len(receipt.node_ids) == sum(len(texts) for texts in embedder.asked)
        scope = Scope(item.video.group_id)
        assert len(EventReader(database, language="en").events(receipt.node_ids, scope)) == len(receipt.node_ids)


@pytest.mark.parametrize(
    "event",
    [
        {"actors": ["𗀀" * 500], "objects": [{"name": "𗀀" * 500}]},
        {"actors": ["ᾷ" * 500], "objects": [{"name": "և" * 500}]},
        {"summary": "She meets " + "Anna " * 2_000},
        {"summary": "She meets A" + "n" * 10_000},
        {"summary": "א\u202e" * 5_000, "dialogue": ["😀" * 10_000]},
        {"summary": "a\x00b", "actors": ["An\x00na"], "objects": [{"name": "c\x00p"}, {"name": " "}]},
    ],
)
def test_names_of_any_script_and_length_are_stored(
    event: Json, writer: ClipWriter, embedder: CountingEmbedder, group_id: str
) -> None:
    """The longest ids the schema allows, in the widest characters, together in one key; and very long texts."""
    wide = "𗀀" * 500
    ids = {"group_id": group_id + wide[len(group_id) :], "video_id": wide, "clip_id": wide, "place": wide}
    analysis = {"clip_summary": "", "events": [{"time_start": 1, "time_end": 2, "summary": "x"} | event]}
    [receipt] = run([line(0, analysis=analysis, **ids)], group_id, writer, embedder)
    assert receipt.outcome == "committed", receipt.error
