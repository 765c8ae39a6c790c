"""Where things are beside each other: as stated, from either thing, and as long as nothing moved."""

from __future__ import annotations

import json
from typing import Any

import pytest

from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.nouns import SpatialRelation
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

Event = tuple[float, str, dict[str, str], list[dict[str, str]]]
DESK: list[Event] = [
    (1, "Anna sits down at the desk.", {"phone": "to the left of the mug", "keys": "on top of the book"}, []),
    (6, "Anna reads a letter.", {"backpack": "leaning against the bed frame, next to the pillow"}, []),
]


def graph_of(events: list[Event], *people: str) -> FakeGraph:
    actors = {f"C{n}": name for n, name in enumerate(people or ["Anna"], start=1)}
    shown: list[dict[str, Any]] = [
        {
            "local_event_id": f"E{n}",
            "time_start": start,
            "time_end": start + 1,
            "summary": summary,
            "actors": list(actors),
            "objects": [{"name": name, "spatial_description": where} for name, where in places.items()],
            "dialogue": [],
            "actions": actions,
        }
        for n, (start, summary, places, actions) in enumerate(events)
    ]
    listed = [
        {"local_character_id": key, "role": "other", "name_or_description": name} for key, name in actors.items()
    ]
    analysis = {"clip_summary": "A desk.", "scene_type": "office", "characters": listed, "speaker_turns": []}
    line = {"video_id": "desk", "clip_id": "c", "t_start": 0, "t_end": 60, "analysis": analysis | {"events": shown}}
    return graph_of_lines([json.dumps(line)], HashedWords())


def answer(graph: FakeGraph, question: str) -> Answer:
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Where is the phone?", "phone was to the left of the mug"),
        ("Where is the mug?", "phone was to the left of the mug"),
        ("What is to the left of the mug?", "phone was to the left of the mug"),
        ("What is to the right of the phone?", "phone was to the left of the mug"),
        ("What is beside the mug?", "phone was to the left of the mug"),
        ("What is on the book?", "keys were on top of the book"),
        ("What is under the keys?", "keys were on top of the book"),
        ("What is leaning against the bed frame?", "backpack was leaning against the bed frame"),
    ],
)
def test_a_relation_answers_from_either_thing(question: str, words: str) -> None:
    found = answer(graph_of(DESK), question)
    assert words in found.text and len(found.citations) == 1


@pytest.mark.parametrize("question", ["What is to the right of the mug?", "What is behind the book?"])
def test_another_relation_is_not_taken_for_it(question: str) -> None:
    text = answer(graph_of(DESK), question).text
    assert "was to the left" not in text and "were on top" not in text


def test_a_relation_ends_when_the_thing_is_moved() -> None:
    took = {"actor": "C1", "verb": "take", "object": "phone", "spatial_relation": ""}
    graph = graph_of([*DESK, (20, "Anna takes the phone.", {}, [took])])
    assert "was to the left" not in answer(graph, "What is to the left of the mug?").text
    assert answer(graph, "Where is the phone?").text.startswith("The phone was last taken, by Anna")


def test_a_place_described_since_the_last_move_comes_first() -> None:
    took = {"actor": "C1", "verb": "take", "object": "phone", "spatial_relation": ""}
    later: Event = (30, "Anna writes.", {"phone": "on the shelf"}, [])
    text = answer(graph_of([*DESK, (20, "Anna takes the phone.", {}, [took]), later]), "Where is the phone?").text
    assert text.startswith("The phone was on the shelf, at 00:00:30") and "last taken" in text


def test_what_follows_which_is_said_of_the_landmark() -> None:
    found = ENGLISH.spatial_relations("keys", "ON TOP OF the book, which is to the left of the lamp")
    assert found == [SpatialRelation("keys", "on", "the book"), SpatialRelation("the book", "left", "the lamp")]


@pytest.mark.parametrize("question", ["What is to the left of the picture?", "What is left of the picture?"])
def test_what_has_a_side_is_a_thing_and_not_the_film(question: str) -> None:
    hung = graph_of([(1, "Anna sits down.", {"lamp": "to the left of the picture"}, [])])
    assert "lamp was to the left of the picture" in answer(hung, question).text
    assert not answer(graph_of(DESK), question).found
    assert answer(graph_of(DESK), "What is in the picture?").found


def test_a_place_is_not_answered_surely_by_what_was_not_so() -> None:
    lost = graph_of([(1, "Anna cannot find the ring behind the desk.", {}, [])])
    assert answer(lost, "Where is the ring?").text.startswith("Memory may not hold the answer; the nearest is this.")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is to the man's right?", "phone was to his right on the desk"),
        ("What is to the right of the man?", "phone was to his right on the desk"),
        ("What is in front of the man?", "laptop was in front of him"),
        ("Where is the phone?", "phone was to his right on the desk"),
    ],
)
def test_a_side_of_the_one_who_acts_is_read(question: str, words: str) -> None:
    """From the man's perspective, as specification 000 I.2.2 has it."""
    desk = graph_of(
        [(1, "He writes.", {"laptop": "in front of him", "phone": "to his right on the desk"}, [])], "man"
    )
    assert words in answer(desk, question).text
    two = graph_of([(1, "They write.", {"phone": "to his right"}, [])], "man", "woman")
    assert "was to his right" not in answer(two, "What is to the man's right?").text


@pytest.mark.parametrize(
    ("thing", "where", "stated"),
    [
        ("Jacket", "hanging ABOVE the hat on the coat rack", [("above", "the hat"), ("on", "the coat rack")]),
        ("Phone", "placed TO THE LEFT OF the mug on the table", [("left", "the mug"), ("on", "the table")]),
        (
            "Backpack",
            "leaning AGAINST the bed frame, NEXT TO the pillow",
            [("against", "the bed frame"), ("beside", "the pillow")],
        ),
        ("Keys", "ON TOP OF the book, which is on the desk", [("on", "the book"), ("on", "the desk")]),
        ("laptop", "in front of him", [("in front", "him")]),
        ("phone", "to his right on the desk", [("right", "his"), ("on", "the desk")]),
        ("phone", "on the man’s right-hand side", [("right", "the man")]),
    ],
)
def test_the_examples_of_the_specification_are_read(thing: str, where: str, stated: list[tuple[str, str]]) -> None:
    """Specification 000 I.2.2, as they stand there."""
    assert [(each.relation, each.landmark) for each in ENGLISH.spatial_relations(thing, where)] == stated


PERSPECTIVE = "From the man's perspective, the laptop is in front of him and the phone is to his right on the desk."


@pytest.mark.parametrize(
    ("thing", "described", "place"),
    [
        ("jacket", "Jacket is hanging ABOVE the hat on the coat rack", "hanging ABOVE the hat on the coat rack"),
        (
            "phone",
            "Phone is placed TO THE LEFT OF the mug on the table",
            "placed TO THE LEFT OF the mug on the table",
        ),
        (
            "backpack",
            "Backpack is leaning AGAINST the bed frame, NEXT TO the pillow",
            "leaning AGAINST the bed frame, NEXT TO the pillow",
        ),
        (
            "keys",
            "Keys are ON TOP OF the book, which is on the desk",
            "ON TOP OF the book, which is on the desk",
        ),
        ("laptop", PERSPECTIVE, "in front of him"),
        ("phone", PERSPECTIVE, "to his right on the desk"),
        ("cup", "The red phone lies on the shelf; the cup stands below it.", "below it"),
        *(
            (thing, described, described)
            for thing, described in (
                ("key", "on the table where the key is kept"),
                ("key", "on table where key is kept"),
                ("laptop", "next to the bag the laptop lies in"),
                ("hat", "in the box under the sign that says the hat is for sale"),
                ("man", "sitting where the man was before"),
            )
        ),
        ("pot", "the lid is on top of the pot", "the lid is on top of the pot"),
        ("mug", "on the table and the phone is beside it", "on the table and the phone is beside it"),
    ],
)
def test_a_description_may_be_a_sentence(thing: str, described: str, place: str) -> None:
    """The descriptions that specification 000 I.2.2 asks a model for, as they stand there."""
    assert ENGLISH.place_of(thing, described) == place


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is in front of the man?", "The laptop was in front of him"),
        ("What is to the man's right?", "The phone was to his right on the desk"),
        ("Where is the phone?", "The phone was to his right on the desk"),
        ("Where is the laptop?", "The laptop was in front of him"),
    ],
)
def test_of_a_sentence_about_two_things_each_has_its_part(question: str, words: str) -> None:
    desk = graph_of([(1, "He writes.", {"laptop": PERSPECTIVE, "phone": PERSPECTIVE}, [])], "man")
    assert words in answer(desk, question).text
