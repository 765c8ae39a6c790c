"""Hits of a question with a temporal order: of one for an end of time the cited events come first."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.en import LANGUAGE
from amr_neo4j.recall.pipeline import ask, search
from tests.support.fake_graph import HashedWords, kitchen

GRAPH, EMBEDDER, ALL = kitchen(), HashedWords(), Scope("test")


@pytest.mark.parametrize(
    "question",
    [
        "What did Ben do last?",
        "Where was the knife at first?",
        "Who last used the phone?",
        "What did Anna say first?",
        "When did I last see the phone?",
        "What was in the drawer first?",
    ],
)
def test_events_of_an_end_of_time_that_the_answer_cites_come_first(question: str) -> None:
    cited = {citation.node_id for citation in ask(question, ALL, GRAPH, GRAPH, EMBEDDER, LANGUAGE).citations}
    hits = [hit.event.node_id for hit in search(question, ALL, GRAPH, GRAPH, EMBEDDER, LANGUAGE)]
    assert cited and set(hits[: len(cited)]) == cited


@pytest.mark.parametrize(
    "question",
    [
        "Who called after Ben left?",
        "What happened before Ben left the kitchen at noon?",
        "What happened to the keys after noon?",
    ],
)
def test_what_is_beside_another_event_follows_the_best_match(question: str) -> None:
    cited = {citation.node_id for citation in ask(question, ALL, GRAPH, GRAPH, EMBEDDER, LANGUAGE).citations}
    hits = [hit.event.node_id for hit in search(question, ALL, GRAPH, GRAPH, EMBEDDER, LANGUAGE)]
    assert cited and cited <= set(hits[: len(cited) + 1])
