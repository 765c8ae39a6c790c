"""How long ago, the time before the last, what was just done, and what will be, in five languages."""

from __future__ import annotations

import json
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

ZONE = ZoneInfo("Europe/Berlin")
ASKED_AT = datetime(2026, 7, 8, 8, 40, tzinfo=ZONE)
# By day of July: (seconds after 08:00, caption, who does it, what is said).
DAYS = {
    6: [(60, "Ann waters the basil.", "Ann", ""), (600, "Ben waters the basil.", "Ben", "")],
    7: [(60, "Ann waters the basil.", "Ann", ""), (36_000, "Ann eats soup.", "Ann", "")],
    8: [(60, "Ann drinks tea.", "Ann", ""), (900, "Ann waters the basil.", "Ann", "")],
}


def film(day: int, seen: list[tuple[int, str, str, str]]) -> str:
    events = [
        {"time_start": at, "time_end": at + 4, "summary": text, "actors": [who], "actions": []}
        for at, text, who, _ in seen
        if text
    ]
    turns = [
        {"speaker_id": who, "utterance": words, "time_start": at, "time_end": at + 4}
        for at, _, who, words in seen
        if words
    ]
    clip = {"video_id": f"day{day}", "clip_id": "0", "t_start": 0, "t_end": 40_000, "time_base": "video"}
    at = datetime(2026, 7, day, 8, tzinfo=ZONE)
    analysis = {"clip_summary": "", "events": events, "speaker_turns": turns}
    return json.dumps({**clip, "recorded_at": at.isoformat(), "timezone": str(ZONE), "analysis": analysis})


@pytest.fixture(scope="module")
def graph() -> FakeGraph:
    return graph_of_lines([film(day, seen) for day, seen in DAYS.items()])


def answered(graph: FakeGraph, code: str, question: str) -> Answer:
    spoken = ENGLISH if code == "en" else AskedLanguage(code, "en")
    scope = Scope("test", as_of=ASKED_AT)
    return ask(question, Sources(scope, graph, graph, HashedWords(), spoken, now=ASKED_AT, zone=ZONE))


@pytest.mark.parametrize(
    ("code", "question", "span"),
    [
        ("en", "How long ago did Ann eat soup?", "about fifteen hours ago"),
        ("en", "How many hours ago was the soup eaten?", "about fifteen hours ago"),
        ("en", "How long is it since Ann ate soup?", "about fifteen hours ago"),
        ("en", "How long has it been since Ann ate soup?", "about fifteen hours ago"),
        ("de", "Wie lange ist es her, dass Ann Suppe gegessen hat?", "15 Stunden"),
        ("de", "Vor wie vielen Stunden hat Ann Suppe gegessen?", "15 Stunden"),
        ("fr", "Il y a combien de temps que Ann a mangé de la soupe ?", "il y a environ 15 h"),
        ("fr", "Combien de temps s'est écoulé depuis que Ann a mangé de la soupe ?", "il y a environ 15 h"),
        ("es", "¿Hace cuánto tiempo comió Ann sopa?", "15 horas"),
        ("es", "¿Cuánto hace que Ann comió sopa?", "15 horas"),
        ("it", "Quanto tempo fa Ann ha mangiato la zuppa?", "circa 15 ore fa"),
        ("it", "Quante ore fa Ann ha mangiato la zuppa?", "circa 15 ore fa"),
    ],
)
def test_how_long_ago_has_its_span_and_its_clock(graph: FakeGraph, code: str, question: str, span: str) -> None:
    answer = answered(graph, code, question)
    assert answer.found and span in answer.text and "18:00:00 CEST" in answer.text
    assert answer.question.text == question


def test_how_long_ago_is_counted_from_the_last_time(graph: FakeGraph) -> None:
    text = answered(graph, "en", "How long ago was the basil watered?").text
    assert "about twenty-five minutes ago" in text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "When did Ann water the basil the time before last?"),
        ("en", "When did Ann water the basil the second to last time?"),
        ("en", "When did Ann water the basil the last time but one?"),
        ("en", "When was the basil watered the previous time?"),
        ("en", "Who watered the basil the time before?"),
        ("de", "Wann hat Ann das vorletzte Mal das Basilikum gegossen?"),
        ("de", "Wann hat Ann zum vorletzten Mal das Basilikum gegossen?"),
        ("fr", "Quand Ann a-t-elle arrosé le basilic pour l'avant-dernière fois ?"),
        ("es", "¿Cuándo regó Ann la albahaca por penúltima vez?"),
        ("it", "Quando Ann ha annaffiato il basilico la penultima volta?"),
    ],
)
def test_the_time_before_the_last_is_counted_from_the_last(graph: FakeGraph, code: str, question: str) -> None:
    answer = answered(graph, code, question)
    [citation] = answer.citations
    assert "day7, 00:01:00" in citation.label


def test_there_may_be_no_time_before_the_last(graph: FakeGraph) -> None:
    assert "fewer than 2 times" in answered(graph, "en", "When did Ann eat soup the penultimate time?").text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "What did Ann just do?"),
        ("en", "What has Ann just done?"),
        ("en", "What has Ann been doing lately?"),
        ("de", "Was hat Ann soeben gemacht?"),
        ("fr", "Que vient de faire Ann ?"),
        ("es", "¿Qué acaba de hacer Ann?"),
        ("it", "Che cosa ha appena fatto Ann?"),
    ],
)
def test_what_was_just_done_is_the_last_deed(graph: FakeGraph, code: str, question: str) -> None:
    [citation] = answered(graph, code, question).citations
    assert "day8, 00:15:00" in citation.label


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "When will Ann water the basil?"),
        ("en", "Who is going to water the basil?"),
        ("en", "Will Ann water the basil?"),
        ("en", "What time will Ann eat soup?"),
        ("de", "Wann wird Ann das Basilikum gießen?"),
        ("fr", "Quand Ann va-t-elle arroser le basilic ?"),
        ("fr", "Quand Ann arrosera-t-elle le basilic ?"),
        ("es", "¿Quién va a regar la albahaca?"),
        ("es", "¿Cuándo regará Ann la albahaca?"),
        ("it", "Quando Ann annaffierà il basilico?"),
    ],
)
def test_what_was_done_does_not_tell_what_will_be(graph: FakeGraph, code: str, question: str) -> None:
    answers = language(code).answers
    assert answers and answered(graph, code, question).text.startswith(answers.sentences["in_doubt"])


def test_what_was_said_may_tell_what_will_be() -> None:
    graph = graph_of_lines([film(8, [*DAYS[8], (1200, "", "Ann", "I will water the basil on Sunday.")])])
    answer = answered(graph, "en", "When will Ann water the basil?")
    assert "Sunday" in answer.text and "Ann waters" not in answer.text


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "Who was going to the kitchen before Ann watered the basil?"),
        ("en", "What will Ann do after she drinks tea?"),
        ("de", "Wann wird das Basilikum gegossen?"),
        ("de", "Von wem wird das Basilikum gegossen?"),
        ("fr", "Qui va à la cuisine avec Ann ?"),
        ("it", "Però chi ha annaffiato il basilico?"),
    ],
)
def test_a_film_answers_what_only_looks_like_the_future(graph: FakeGraph, code: str, question: str) -> None:
    assert answered(graph, code, question).evidence
