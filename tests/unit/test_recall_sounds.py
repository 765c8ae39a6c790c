"""What is heard is answered by sounds and by words, and not by what is merely seen."""

from __future__ import annotations

import json

import pytest

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import HashedWords, graph_of_lines

# (start, end, summary, whether it is only heard, what is said)
EVENTS = [
    (0, 5, "Ben opens the fridge.", False, []),
    (20, 30, "Anna washes the teapot.", False, []),
    (22, 24, "A car boot slams outside.", True, []),
    (28, 40, "The tap is running.", True, []),
    (60, 70, "Ben closes the window.", False, ["Ben: It is raining in."]),
    (90, 95, "Anna folds the towel.", False, []),
]


def answer(question: str, code: str = "en") -> str:
    events = [
        {"time_start": start, "time_end": end, "summary": told, "heard": heard, "dialogue": said}
        for start, end, told, heard, said in EVENTS
    ]
    clip = {"video_id": "kitchen", "clip_id": "1", "t_start": 0, "t_end": 100}
    line = clip | {"analysis": {"clip_summary": "", "scene_type": "", "events": events}}
    graph = graph_of_lines([json.dumps(line)])
    language = ENGLISH if code == "en" else AskedLanguage(code, "en")
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), language)).text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "What could be heard while Anna washed the teapot?"),
        ("de", "Was war zu hören, während Anna die Teekanne wusch?"),
        ("fr", "Qu'entend-on pendant qu'Anna lave la théière ?"),
        ("es", "¿Qué se oyó mientras Anna lavaba la tetera?"),
        ("it", "Che cosa si è sentito mentre Anna lavava la teiera?"),
    ],
)
def test_each_sound_during_a_deed_is_told(code: str, question: str) -> None:
    """The deed itself was plainly the answer."""
    told = answer(question, code)
    assert "A car boot slams outside" in told and "The tap is running" in told


def test_words_are_heard_too_but_are_no_noise() -> None:
    assert "It is raining in" in answer("What was heard when Ben closed the window?")
    assert "slams" in answer("What noise was there?") and "raining" not in answer("What noises were there?")


@pytest.mark.parametrize(
    "question", ["What could be heard while Anna folded the towel?", "What was heard when Ben opened the fridge?"]
)
def test_a_silent_deed_is_no_sound(question: str) -> None:
    told = answer(question)
    assert told.startswith(("Memory may not hold the answer", "Nothing"))


def test_what_was_done_at_a_sound_is_no_question_for_one() -> None:
    assert "Anna washes the teapot" in answer("What did Anna do when the car boot slammed?")
