"""No answer uses anything later than the given moment."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask, search
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines, kitchen_lines

QUESTIONS = Path(__file__).parents[1] / "acceptance" / "kitchen_questions.jsonl"
ASKED = [json.loads(line)["question"] for line in QUESTIONS.read_text("utf-8").splitlines()]
EMBEDDER = HashedWords()
LINES = kitchen_lines()


@pytest.fixture(scope="module")
def whole() -> FakeGraph:
    return graph_of_lines(LINES, EMBEDDER)


def ended(event: Event) -> datetime:
    assert event.at
    return event.at + timedelta(seconds=event.time_end - event.time_start)


def asked(graph: FakeGraph, question: str, scope: Scope, now: datetime | None = None) -> Answer:
    return ask(question, Sources(scope, graph, graph, EMBEDDER, ENGLISH, now))


@pytest.mark.parametrize("clips", [12, *(pytest.param(n, marks=pytest.mark.soak) for n in (30, 45, 60))])
def test_as_of_a_moment_memory_answers_as_it_did_then(whole: FakeGraph, clips: int) -> None:
    """The answer, its evidence, paths and notes are those of a memory that holds nothing later."""
    then = graph_of_lines(LINES[:clips], EMBEDDER)
    as_of = max(ended(event) for event in then.stored.values())
    assert {i for i, event in whole.stored.items() if ended(event) <= as_of} == then.stored.keys(), "a clean cut"
    for question in ASKED:
        assert asked(whole, question, Scope("test", as_of=as_of)) == asked(then, question, Scope("test"), as_of)
        found = search(question, Sources(Scope("test", as_of=as_of), whole, whole, EMBEDDER, ENGLISH))
        assert found == search(question, Sources(Scope("test"), then, then, EMBEDDER, ENGLISH, as_of))


@pytest.mark.parametrize("question", ASKED)
def test_known_at_before_the_first_event_finds_nothing(whole: FakeGraph, question: str) -> None:
    found = asked(whole, question, Scope("test", known_at=whole.learnt_at - timedelta(seconds=1)))
    assert not found.found and not found.evidence
    assert asked(whole, question, Scope("test", known_at=whole.learnt_at)) == asked(whole, question, Scope("test"))


@pytest.mark.parametrize("who", ["anna", "ben"])
def test_a_person_scope_contains_the_events_of_that_person(whole: FakeGraph, who: str) -> None:
    found = asked(whole, "What happened in the kitchen?", Scope("test", persons=(who,)))
    assert found.found
    for hit in found.evidence:
        assert who in {part.person_id for part in whole.drafts[hit.event.node_id].involvements}
