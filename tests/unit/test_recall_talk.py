"""Questions about a film's talk are answered by the line that tells, with its speaker and its second."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

Said = tuple[str, str, float]
HOTEL: list[Said] = [
    ("S1", "We want two weeks in Portugal.", 1.0),
    ("S2", "I recommend the hotel near the harbour.", 4.0),
    ("S1", "My wife prefers an apartment with a balcony.", 7.0),
    ("S1", "Who carries the suitcases upstairs?", 11.0),
    ("S2", "Our porter Peter does that.", 21.0),
    ("S2", "You must go to the police station before Friday.", 33.0),
]
SUMMARIES = [
    'Voice 1 and voice 2 say: "{}"',
    "Voice 1 asks something.",
    "Something grey enters from the left, as seen by the camera.",
    "Something small goes to the right, as seen by the camera.",
]


def talk(said: Sequence[Said], summaries: Sequence[str]) -> FakeGraph:
    """A film in clips of ten seconds, with an event in each that lasts as long. {} stands for what is said in it."""
    names = {"S1": "voice 1", "S2": "voice 2"}
    people = [
        {"local_character_id": id_, "role": "speaker", "name_or_description": who} for id_, who in names.items()
    ]
    lines: list[str] = []
    for number, summary in enumerate(summaries):
        start = 10 * number
        turns = [
            {"speaker_id": who, "utterance": words, "time_start": at - start, "time_end": at - start + 2}
            for who, words, at in said
            if start <= at < start + 10
        ]
        text = summary.format(" ".join(str(turn["utterance"]) for turn in turns))
        event = {"time_start": 0, "time_end": 10, "summary": text, "actors": [], "actions": []}
        analysis = {"clip_summary": "", "characters": people, "speaker_turns": turns, "events": [event]}
        clip = {"video_id": "hotel", "clip_id": str(number), "t_start": start, "t_end": start + 10}
        lines.append(json.dumps(clip | {"analysis": analysis}))
    return graph_of_lines(lines)


GRAPH = talk(HOTEL, SUMMARIES)


def answer(question: str, graph: FakeGraph = GRAPH) -> Answer:
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "Who prefers an apartment?",
            "Voice 1 said, at 00:00:07 of hotel: “My wife prefers an apartment with a balcony.”",
        ),
        (
            "What does the wife prefer?",
            "Voice 1 said, at 00:00:07 of hotel: “My wife prefers an apartment with a balcony.”",
        ),
        (
            "When should they go to the police station?",
            "Voice 2 said, at 00:00:33 of hotel: “You must go to the police station before Friday.”",
        ),
    ],
)
def test_the_line_that_tells_is_quoted_alone(question: str, text: str) -> None:
    """Not the whole event, nor what was in view meanwhile."""
    assert answer(question).text.startswith(text)


def test_a_question_is_quoted_with_the_reply_of_the_next_event() -> None:
    found = answer("Who carries the suitcases?")
    said = (
        "to “Who carries the suitcases upstairs?” voice 2 said, at 00:00:21 of hotel: “Our porter Peter does that.”"
    )
    assert said in found.text.replace("To “", "to “")
    assert [each.start for each in found.citations] == [21.0]


def test_the_reply_is_quoted_too_where_another_event_was_first_taken_for_the_answer() -> None:
    """The event of the reply has the contract, that of the question also the verb."""
    said: list[Said] = [
        ("S1", "I stayed at home and painted the wall.", 1.0),
        ("S2", "Who is going to write the contract?", 8.0),
        ("S1", "My colleague Susan has the contract this week.", 12.0),
        ("S1", "I suggest that we meet on Tuesday.", 21.0),
    ]
    found = answer("Who is writing the contract?", talk(said, ['Voice 1 and voice 2 say: "{}"'] * 3))
    assert "“My colleague Susan has the contract this week.”" in found.text


@pytest.mark.parametrize(
    ("asked", "does", "does_not"),
    [
        ("recommend", "You should take the train.", "The train is green."),
        ("suggest", "Let us take the train.", "We took the train."),
        ("advise", "Du solltest den Zug nehmen.", "Der Zug ist grün."),
        ("propose", "Pourquoi ne pas prendre le train ?", "Le train est vert."),
        ("recommend", "Deberíamos tomar el tren.", "El tren es verde."),
        ("suggest", "Dovremmo prendere il treno.", "Il treno è verde."),
        ("promise", "I will bring a cake.", "The cake is sweet."),
        ("warn me about", "Be careful on the stairs.", "The stairs are steep."),
        ("complain about", "The soup is too salty.", "The soup is hot."),
        ("apologise for", "Sorry for the noise.", "The noise came from above."),
        ("thank somebody for", "Thank you for the flowers.", "The flowers are yellow."),
    ],
)
def test_what_somebody_recommended_is_no_other_line_of_theirs(asked: str, does: str, does_not: str) -> None:
    question = f"What did voice 1 {asked}?"
    for words, doubted in ((does, False), (does_not, True)):
        found = answer(question, talk([("S1", words, 1.0)], SUMMARIES[1:2]))
        assert words in found.text
        assert found.text.startswith("Memory may not hold") == doubted, found.text


@pytest.mark.parametrize(
    ("line", "is_sure"), [("I cannot find my glasses.", False), ("My glasses are on the shelf.", True)]
)
def test_where_a_thing_is_must_be_in_the_line_and_not_in_what_is_seen_meanwhile(line: str, is_sure: bool) -> None:
    graph = talk([("S1", line, 3.0), ("S2", "It will rain tomorrow.", 14.0)], SUMMARIES[2:])
    found = answer("Where are the glasses?", graph).text
    assert line in found and (found.startswith("Voice 1 said") is is_sure)


def test_a_line_that_recommends_comes_before_others_of_the_speaker() -> None:
    said: list[Said] = [("S1", "The harbour is old.", 1.0), ("S1", "You should take the train.", 4.0)]
    assert "take the train" in answer("What did voice 1 recommend?", talk(said, SUMMARIES[1:2])).text


def test_evidence_shows_the_line_that_it_was_found_by() -> None:
    """Its caption may say nothing of what is asked."""
    found = answer("How heavy were the suitcases?")
    assert not found.citations
    lines = {hit.event.time_start: hit.line for hit in found.evidence}
    assert lines[10.0] == "voice 1: Who carries the suitcases upstairs?"
    # A summary that quotes the line is not followed by it.
    assert lines[0.0] == ""
