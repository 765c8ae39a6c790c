"""A question is parsed by the names of the last one while the present ones are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from amr_neo4j.domain.ports import Names, Vectors
from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.en import LANGUAGE
from amr_neo4j.recall import pipeline
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
    hits = pipeline.search("Where is the kettle of Anna?", SCOPE, graph, graph, embedder, LANGUAGE)
    return [(hit.event.node_id, hit.score) for hit in hits]


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Names]:
    """The names of each parse."""
    by = list[Names]()
    parse = pipeline.parse_question
    monkeypatch.setattr(
        pipeline, "parse_question", lambda text, names, *rest: by.append(names) or parse(text, names, *rest)
    )
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
