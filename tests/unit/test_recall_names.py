"""A question is parsed by the names of the last one while the present ones are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from threading import Event
from typing import Any

import pytest

from amr_neo4j.domain.ports import Names, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall import pipeline
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, kitchen

SCOPE = Scope("test")


class Texts(HashedWords):
    def __init__(self) -> None:
        super().__init__()
        self.seen: Counter[str] = Counter()

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.seen.update(texts)
        return super().embed(texts)


def found(graph: FakeGraph, embedder: HashedWords) -> list[tuple[int, float]]:
    hits = pipeline.search("Where is the kettle of Anna?", Sources(SCOPE, graph, graph, embedder, ENGLISH))
    return [(hit.event.node_id, hit.score) for hit in hits]


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Names]:
    """The names of each parse."""
    by = list[Names]()
    parse = pipeline.parse_question

    def noted(text: str, names: Names, *rest: Any, **more: Any) -> ParsedQuestion:
        by.append(names)
        return parse(text, names, *rest, **more)

    monkeypatch.setattr(pipeline, "parse_question", noted)
    return by


def test_what_came_since_counts(monkeypatch: pytest.MonkeyPatch, parsed: list[Names]) -> None:
    graph, embedder = kitchen(), HashedWords()
    expected = found(graph, embedder)
    monkeypatch.setattr(graph, "last_vocabulary", lambda scope: Names())
    assert found(graph, embedder) == expected
    assert parsed == [graph.vocabulary(SCOPE), Names(), graph.vocabulary(SCOPE)]


def test_where_nothing_came_it_is_parsed_and_embedded_once(
    monkeypatch: pytest.MonkeyPatch, parsed: list[Names]
) -> None:
    graph, embedder = kitchen(), Texts()
    expected = found(graph, HashedWords())
    monkeypatch.setattr(graph, "last_vocabulary", graph.vocabulary)
    assert found(graph, embedder) == expected
    assert len(parsed) == 2 and set(embedder.seen.values()) == {1}


def test_the_clauses_are_looked_for_by_words_while_the_names_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, names, full_text, vocabulary = kitchen(), kitchen().vocabulary(SCOPE), FakeGraph.full_text, Event()
    sought: list[str] = []

    def looked_for(text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        sought.append(text)
        if text == "called":
            vocabulary.set()
        return full_text(graph, text, scope, limit)

    def read(scope: Scope) -> Names:
        assert vocabulary.wait(20), sought
        return names

    monkeypatch.setattr(graph, "full_text", looked_for)
    monkeypatch.setattr(graph, "last_vocabulary", lambda scope: names)
    monkeypatch.setattr(graph, "vocabulary", read)
    assert pipeline.search("Who called after Ben left?", Sources(SCOPE, graph, graph, HashedWords(), ENGLISH))
    assert sorted(sought) == sorted(set(sought))
