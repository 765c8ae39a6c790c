"""An answer that is not plain about a caption shows what was seen and said around it."""

from __future__ import annotations

import json

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

CODES = ("en", "de", "es", "fr", "it")


def talk_of_a_lamp(actions: tuple[dict[str, str], ...] = (), own: str = "") -> FakeGraph:
    captions = [
        (0, "Ida looks around.", ""),
        (100, "Ida walks to the table.", ""),
        (104, "Ida talks about the lamp.", own),
        (108, "Ida nods.", "C1: It is made of rice paper."),
        (300, "Ida sits down.", ""),
    ]
    events = [
        {"time_start": at, "time_end": at + 2, "summary": text, "actors": ["C1"], "dialogue": [said] if said else []}
        | ({"actions": list(actions)} if actions else {})
        for at, text, said in captions
    ]
    ida = {"local_character_id": "C1", "name_or_description": "Ida", "role": "host"}
    clip = {"video_id": "v", "clip_id": "c", "t_start": 0, "t_end": 600}
    return graph_of_lines(
        [json.dumps(clip | {"analysis": {"clip_summary": "", "characters": [ida], "events": events}})]
    )


def answered(question: str, graph: FakeGraph) -> str:
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH)).text


def test_an_answer_in_doubt_shows_what_was_said_after_its_caption() -> None:
    text = answered("How did Ida build the lamp?", talk_of_a_lamp())
    _, _, around = text.partition("[event 2, v, 00:01:44-00:01:46]. Around it: ")
    assert around.startswith("Ida walks to the table. Ida nods. Ida: It is made of rice paper.")
    assert "sits down" not in text and "talks about the lamp" not in around


@pytest.mark.parametrize("question", ["Is there a lamp made of glass?", "What colour is the lamp?"])
def test_a_declined_answer_shows_what_was_said_around_its_caption(question: str) -> None:
    text = answered(question, talk_of_a_lamp())
    assert text.startswith("Nothing in memory states") and "Around it: Ida walks to the table." in text


def test_what_was_said_in_the_event_itself_is_told_once() -> None:
    text = answered("Where did Ida build the lamp?", talk_of_a_lamp(own="C1: What a day."))
    assert text.count("What a day") == 1 and "Around it: Ida walks to the table. Ida nods." in text


def test_an_event_with_a_list_of_actions_tells_what_went_on_by_itself() -> None:
    acting = ({"actor": "C1", "verb": "talk", "object": "lamp"},)
    assert "Around it" not in answered("How did Ida build the lamp?", talk_of_a_lamp(acting))


@pytest.mark.parametrize("code", CODES)
def test_what_is_around_a_caption_is_said_in_the_language(code: str) -> None:
    assert "Ida nods." in language(code).grammar.say("around", around="Ida nods.")
