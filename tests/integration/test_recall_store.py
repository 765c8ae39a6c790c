"""Recall over a real Neo4j and the real dense index answers as it does over the graph in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from amr_neo4j.recall.pipeline import ask, search
from amr_neo4j.recall.sources import Sources
from amr_neo4j.store.database import Database
from amr_neo4j.store.embeddings import VectorSource
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.schema import migrate
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.vectors.faiss_index import FaissIndex
from tests.support.fake_graph import FakeGraph, HashedWords, kitchen, kitchen_lines

QUESTIONS = Path(__file__).parents[1] / "acceptance" / "kitchen_questions.jsonl"
ASKED = [json.loads(line)["question"] for line in QUESTIONS.read_text("utf-8").splitlines()]
NOW = datetime(2026, 3, 18, tzinfo=UTC)
EMBEDDER = HashedWords()


@pytest.fixture(scope="module")
def real(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    group_id = f"test-{uuid4()}"
    with Database(neo4j_connection.uri, neo4j_connection.username, neo4j_connection.password) as database:
        migrate(database)
        writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: NOW)
        clips = [clip for clip in read_lines(kitchen_lines(), group_id=group_id) if isinstance(clip, AnalysedClip)]
        receipts = list(ingest(clips, Committer(writer, EMBEDDER, ENGLISH), clips_per_transaction=8))
        assert {receipt.outcome for receipt in receipts} == {"committed"}
        snapshot = tmp_path_factory.mktemp("index") / "event.npz"
        index = FaissIndex(VectorSource(database), EMBEDDER.model, EMBEDDER.dim, path=snapshot)
        yield Scope(group_id), EventReader(database, language="en"), index


@pytest.fixture(scope="module")
def in_memory() -> FakeGraph:
    return kitchen(EMBEDDER)


@pytest.mark.parametrize("question", [*ASKED, "What did Anna do first?", "Where's the mug?", "Is the lamp on?"])
def test_the_real_graph_gives_the_citations_of_the_fake_graph(real, in_memory: FakeGraph, question: str) -> None:
    """Both graphs give answers with the same citations."""
    scope, reader, index = real
    assert _cited(ask(question, Sources(scope, reader, index, EMBEDDER, ENGLISH))) == _cited(
        ask(question, Sources(Scope("test"), in_memory, in_memory, EMBEDDER, ENGLISH))
    )


def test_unanswerable_questions_are_not_answered(real) -> None:
    scope, reader, index = real
    found = ask("Where is the elephant?", Sources(scope, reader, index, EMBEDDER, ENGLISH))
    assert not found.found and not found.citations


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('what\'s in "a/b"? (c:d)', "what in a b c:d"),
        ("AND OR NOT", "and or not"),
        ("keys~2 AND (", "keys 2 and"),
        ("kéys 鍵 \\", "kéys 鍵"),
    ],
)
def test_query_syntax_is_treated_as_words(real, text: str, words: str) -> None:
    """Operators of the full-text index find what their words find, and no question is refused for them."""
    scope, reader, index = real
    found = reader.full_text(text, scope, 20)
    assert found == reader.full_text(words, scope, 20)
    ask(text, Sources(scope, reader, index, EMBEDDER, ENGLISH))
    search(text, Sources(scope, reader, index, EMBEDDER, ENGLISH))


def _cited(answer: Answer) -> list[tuple[str, float, float]]:
    return [(cited.video_id, cited.time_start, cited.time_end) for cited in answer.citations]
