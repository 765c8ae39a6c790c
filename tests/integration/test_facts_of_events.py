"""Facts of video events on a real Neo4j: by rules and by a model, found, undone and forgotten with their footage."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.belief import NewTalk
from amr_neo4j.domain.fact import fact_id
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.localdb import Connection
from amr_neo4j.store.write.clip_commit import supersede
from amr_neo4j.store.write.fact_upkeep import FactUpkeep
from amr_neo4j.wiring.openers import open_models
from tests.support.chatting import rows, talking
from tests.support.counting_embedder import CountingEmbedder
from tests.support.model_server import ModelServer

NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)
SHELF, TABLE = "on the left shelf", "on the table"


class TwoTopics(CountingEmbedder):
    """A text is about plates or about something else."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = (
            super().embed(texts) * 0.1 + np.eye(self.dim, dtype=np.float32)[[int("plate" in text) for text in texts]]
        )
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    with talking(neo4j_connection, group_id, tmp_path / "data") as memory:
        yield memory


def film(memory: Memory, folder: Path, video_id: str, day: int, *places: str) -> None:
    """Commit a video of a kitchen, a clip for each place that the mug is in."""
    lines: list[str] = []
    for n, place in enumerate(places):
        event = {"local_event_id": "E1", "time_start": n * 10 + 1, "time_end": n * 10 + 4, "actors": []}
        event |= {"summary": f"The mug stands {place}.", "dialogue": [], "actions": []}
        event |= {"objects": [{"name": "mug", "spatial_description": place}]}
        analysis = {"clip_summary": "A mug.", "scene_type": "kitchen", "characters": [], "speaker_turns": []}
        clip = {
            "video_id": video_id,
            "clip_id": str(n),
            "t_start": n * 10,
            "t_end": n * 10 + 10,
            "time_base": "video",
        }
        clip |= {"place": "kitchen", "recorded_at": (NINE + timedelta(days=day)).isoformat()}
        lines.append(json.dumps({**clip, "analysis": {**analysis, "events": [event]}}))
    path = folder / f"{video_id}.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    memory.ingest(path)


def night(memory: Memory, day: int) -> dict[str, int]:
    report = memory.consolidate(user_id="anna", at=NINE + timedelta(days=day, hours=14))
    assert report.status == "completed", report
    return dict(report.counts)


def believed(memory: Memory) -> list[str]:
    return [fact.text for fact in memory.facts(user_id="anna")]


def test_a_usual_place_is_believed_replaced_undone_and_forgotten(memory: Memory, tmp_path: Path) -> None:
    film(memory, tmp_path, "monday", 0, SHELF, SHELF, TABLE, SHELF)
    before = memory.digest()
    counts = night(memory, 0)
    assert (counts["events read"], counts["facts seen"]) == (4, 1)
    [shelf] = memory.facts(user_id="anna")
    assert (shelf.text, shelf.evidence_count) == ("The mug (kitchen) is usually on the left shelf", 3)
    cited = memory.fact(fact_id(shelf.triple), user_id="anna").events
    assert [(each.video_id, each.time_start) for each in cited] == [
        ("monday", 1.0),
        ("monday", 11.0),
        ("monday", 31.0),
    ]
    assert not {"events read", "facts seen"} & night(memory, 0).keys(), "each event is looked at once"

    memory.undo_consolidation(memory.consolidations(user_id="anna")[1].run_id, user_id="anna")
    assert memory.digest() == before
    night(memory, 0)
    assert believed(memory) == [shelf.text]

    memory.embed_facts()
    [found] = memory.search_memory("The mug (kitchen) is usually on the left shelf", "facts", user_id="anna")
    assert found.source is not None and found.source.label.startswith("[event ")

    film(memory, tmp_path, "tuesday", 1, *[TABLE] * 8)
    night(memory, 1)
    assert believed(memory) == ["The mug (kitchen) is usually on the table"]
    memory.forget_videos(video_id="tuesday")
    assert believed(memory) == [shelf.text], "what it had replaced is believed again"
    memory.remember(
        [{"content": "The mug stands left on its shelf.", "actor": "user"}], user_id="anna", session_id="s"
    )
    link = """MATCH (f:Fact {group_id: $group_id}), (e:Episode {group_id: $group_id}) WHERE e.session_id = 's'
              MERGE (f)-[d:DERIVED_FROM]->(e) SET d.similarity = 0.8, d.group_id = $group_id RETURN 1"""
    rows(memory, link)
    memory.forget_videos(video_id="monday")
    assert believed(memory) == [], "a turn that supports it by its meaning does not keep it"


def test_a_model_reads_what_events_show(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, model_server: ModelServer
) -> None:
    with talking(neo4j_connection, group_id, tmp_path / "data", embedder=TwoTopics()) as memory:
        _ask_about_events(memory, tmp_path, model_server)


def _ask_about_events(memory: Memory, tmp_path: Path, model_server: ModelServer) -> None:
    film(memory, tmp_path, "monday", 0, *(f"beside {thing} {n}" for thing in ("plate", "pot") for n in range(5)))
    before = memory.digest()
    asking = memory.settings.model_copy(update={"provider": model_server.url})
    memory._parts.models.use(open_models(asking, memory.ledger))
    fact = {
        "events": [1, 2, 99],
        "subject": "Mug",
        "relation": "belongs_to",
        "object": "The plates",
        "text": "The mug goes with plates",
    }
    model_server.then({"facts": [fact]})
    report = memory.consolidate(user_id="anna", at=NINE)
    assert report.counts["facts seen by the model"] == 1, report
    [found] = memory.facts(user_id="anna")
    assert (found.triple, found.evidence_count) == (("mug", "belongs_to", "the plates"), 2)
    memory.undo_consolidation(report.run_id, user_id="anna")
    assert memory.digest() == before
    model_server.then("no JSON").then("still none")
    assert memory.consolidate(user_id="anna", at=NINE).status == "incomplete"


def test_a_fact_from_a_camera_whose_clock_is_ahead_is_named_with_its_video(memory: Memory) -> None:
    """It is the group's and no user's."""
    ahead = datetime.now(UTC) + timedelta(days=3650)
    said = {"speaker_id": "S1", "utterance": "I like figs.", "time_start": 1, "time_end": 2}
    anna = {"local_character_id": "C1", "name_or_description": "Anna", "identity": "Anna", "speaker_id": "S1"}
    event = {"summary": "Anna waves.", "time_start": 1, "time_end": 2, "actors": ["C1"]}
    analysis = {"clip_summary": "", "characters": [anna], "speaker_turns": [said], "events": [event]}
    clip = {"video_id": "hall", "clip_id": "0", "t_start": 0, "t_end": 10, "recorded_at": ahead.isoformat()}
    memory.ingest_lines([json.dumps(clip | {"analysis": analysis})])
    assert memory.integrity.found("future_facts") == [f"“Anna likes figs” of video hall, said {ahead:%Y-%m-%d}"]


@pytest.mark.parametrize("forgets", [True, False])
def test_talk_whose_events_went_while_it_was_read_states_nothing(
    memory: Memory, forgets: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing would find such a fact when more is forgotten. What replaces the events is read in its turn."""
    anna = {"local_character_id": "C1", "name_or_description": "Anna", "identity": "Anna", "speaker_id": "S1"}

    def clip(video_id: str, thing: str) -> str:
        said = {"speaker_id": "S1", "utterance": f"I like {thing}.", "time_start": 1, "time_end": 2}
        event = {"summary": "Anna waves.", "time_start": 1, "time_end": 2, "actors": ["C1"]}
        analysis = {"clip_summary": "", "characters": [anna], "speaker_turns": [said], "events": [event]}
        where = {"video_id": video_id, "clip_id": "0", "t_start": 0, "t_end": 10, "recorded_at": NINE.isoformat()}
        return json.dumps(where | {"analysis": analysis})

    read = FactUpkeep.new_talk

    def then_gone(self: FactUpkeep, after: int, limit: int) -> list[NewTalk]:
        page = read(self, after, limit)
        if page and forgets:
            memory.forget_videos(video_id="hall")
        elif page:
            node_ids = [talk.node_id for talk in page if talk.video_id == "hall"]
            memory._parts.database.in_transaction(
                lambda run: supersede(run, memory.group_id, node_ids, now=datetime.now(UTC))
            )
        return page

    monkeypatch.setattr(FactUpkeep, "new_talk", then_gone)
    memory.ingest_lines([clip("hall", "figs"), clip("yard", "plums")])
    assert [fact.triple.object for fact in memory.facts(of_group=True)] == ["plums"]
