"""The example household end to end: lines in, cited answers out, on a real Neo4j with the real models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Answer
from amr_neo4j.localdb import Connection
from amr_neo4j.store.statements import data_path

ROOT = Path(__file__).parents[2]
KITCHEN = ROOT / "examples" / "kitchen"
QUESTIONS = [json.loads(q) for q in (Path(__file__).parent / "kitchen_questions.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def answers(memory: Memory) -> list[Answer]:
    """Of the questions, in their order."""
    return [memory.ask(question["question"], **question.get("bounds", {})) for question in QUESTIONS]


def test_most_questions_are_answered_in_the_right_words_from_the_right_clip(answers: list[Answer]) -> None:
    """At least nine in ten are. Answers are extracted without a model, which may miss a phrasing."""
    asked = zip(QUESTIONS, answers, strict=True)
    wrong = [question["question"] for question, answer in asked if not right(answer, question)]
    assert len(wrong) <= len(QUESTIONS) // 10, wrong


def right(answer: Answer, question: dict) -> bool:
    """Whether the answer has the words, and cites the clip; also: further clips it must cite."""
    words = all(word.casefold() in answer.text.casefold() for word in question["answer_words"])
    cited = {citation.node_id for citation in answer.citations}
    clips = {clip for hit in answer.evidence if hit.event.node_id in cited for clip in hit.event.clip_ids}
    return words and {question["evidence"]["clip_id"], *question["evidence"].get("also", [])} <= clips


UNKNOWN = [
    "Where is the elephant?",
    "Who repaired the motorcycle?",
    "Did it snow in Lisbon?",
    "Where is the list?",
    "Where did Anna put the note?",
    "What happened to the handle?",
    "Is the camera broken?",
]


@pytest.mark.parametrize("question", UNKNOWN)
def test_unanswerable_questions_are_not_answered(memory: Memory, question: str) -> None:
    answer = memory.ask(question)
    assert not answer.found and not answer.citations


@pytest.mark.parametrize(
    ("question", "says", "clip"),
    [
        ("Wie oft wurde die rote Tasse gespült?", "zweimal: um", "evening-12"),
        ("Où sont les clés ?", "En dernier à 00:05:19 de kitchen_evening", "evening-15"),
        ("¿Cuántas veces se abrió la nevera?", "5 veces: en", "morning-05"),
        ("Per quanto tempo Ben ha tagliato i pomodori?", "17 s: a", "noon-06"),
    ],
)
def test_other_languages_are_answered_in_their_own(memory: Memory, question: str, says: str, clip: str) -> None:
    answer = memory.ask(question)
    cited = {citation.node_id for citation in answer.citations}
    assert says.casefold() in answer.text.casefold()
    assert clip in {each for hit in answer.evidence if hit.event.node_id in cited for each in hit.event.clip_ids}
    assert answer.question.text == question


def test_what_no_event_has_is_named_as_it_was_asked(memory: Memory) -> None:
    assert "„Elefant“" in memory.ask("Wo ist der Elefant?").text


def test_every_citation_lies_within_an_event_of_the_graph(memory: Memory, answers: list[Answer]) -> None:
    for answer in answers:
        for cited in answer.citations:
            event = memory.event(cited.node_id)
            assert event.video_id == cited.video_id
            assert event.time_start <= cited.time_start < cited.time_end <= event.time_end


def test_the_analytics_file_pasted_into_browser_gives_the_lifecycle(
    memory: Memory, neo4j_connection: Connection
) -> None:
    """What `amr lifecycle` prints is what cypher/analytics/object_timeline.cypher returns in Browser."""
    import neo4j

    pasted = (data_path("cypher") / "analytics" / "object_timeline.cypher").read_text()
    auth = (neo4j_connection.username, neo4j_connection.password)
    with neo4j.GraphDatabase.driver(neo4j_connection.uri, auth=auth) as driver:
        rows = driver.execute_query(pasted.replace("'demo'", f"'{memory.group_id}'")).records
    ours = memory.lifecycle("the keys")
    assert [row["node_id"] for row in rows] == [step.node_id for step in ours]
    assert [(row["verb"], row["to_state"]) for row in rows] == [(step.verb, step.to_state) for step in ours]
    assert [step.to_state for step in ours if step.to_state][-1] == "placed"


def test_a_second_run_ingests_nothing(memory: Memory) -> None:
    before = memory.digest()
    report = memory.ingest(KITCHEN)
    assert (report.committed, report.unchanged) == (0, 73)
    assert memory.digest() == before
