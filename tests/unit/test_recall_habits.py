"""What is usual is counted over occasions and days."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

# Who waters the basil, who washes the dishes, and what Ben drinks with it; one film a day.
DAYS = [("Alice", "Ben", "tea"), ("Alice", "Ben", "tea"), ("Alice", "Alice", "coffee"), ("Ben", "Ben", "tea")]


def film(day: int, waters: str, washes: str, drink: str) -> str:
    done = [
        (60, waters, "water", "basil", f"{waters} waters the basil."),
        (70, waters, "water", "basil", f"{waters} waters the basil again."),
        (2000, washes, "wash", "dishes", f"{washes} washes the dishes."),
        (4000, "Ben", "drink", drink, f"Ben drinks {drink}."),
    ]
    events: list[dict[str, Any]] = [
        {
            "time_start": start,
            "time_end": start + 5,
            "summary": summary,
            "actors": [actor],
            "actions": [{"actor": actor, "verb": verb, "object": thing}],
        }
        for start, actor, verb, thing, summary in done
    ]
    recorded_at = datetime(2026, 3, 2 + day, 8, tzinfo=UTC) + timedelta(minutes=10 * day)
    clip = {"video_id": f"day{day}", "clip_id": "0", "t_start": 0, "t_end": 5000, "time_base": "video"}
    analysis = {"clip_summary": "", "events": events}
    return json.dumps({**clip, "recorded_at": recorded_at.isoformat(), "analysis": analysis})


@pytest.fixture(scope="module")
def graph() -> FakeGraph:
    return graph_of_lines([film(day, *of_day) for day, of_day in enumerate(DAYS)])


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who usually waters the basil?", "Alice - 3 of 4 occasions, on 3 days"),
        ("Whose job is it to wash the dishes?", "Ben - 3 of 4 occasions, on 3 days"),
        ("What does Ben usually drink?", "tea - 3 of 4 occasions, on 3 days"),
        ("When do we usually water the basil?", "between 08:00 and 09:00 - 4 of 4 occasions, on 4 days"),
        ("Does Alice usually water the basil?", "3 of 4 occasions, on 3 days"),
        ("Does Ben always water the basil?", "1 of 4 occasions, on 1 day, so rarely"),
        ("Who rarely waters the basil?", "Ben - 1 of 4 occasions, on 1 day, so rarely"),
        ("Who hardly ever washes the dishes?", "Alice - 1 of 4 occasions, on 1 day, so rarely"),
        ("Who prefers tea?", "Ben - 3 of 3 occasions, on 3 days"),
        ("What does Ben like to drink best?", "tea - 3 of 4 occasions, on 3 days"),
    ],
)
def test_what_is_usual_has_its_count_and_days(graph: FakeGraph, question: str, said: str) -> None:
    answer = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert answer.found and answer.citations
    assert answer.text.startswith(said[:1].upper() + said[1:]), answer.text


@pytest.mark.parametrize(
    ("code", "question", "said"),
    [
        ("de", "Wer gießt meist das Basilikum?", "Alice – 3 von 4 Malen"),
        ("de", "Wer gießt in der Regel das Basilikum?", "Alice – 3 von 4 Malen"),
        ("de", "Wer gießt am häufigsten das Basilikum?", "Alice – 3 von 4 Malen"),
        ("de", "Wer gießt das Basilikum selten?", "Ben – 1 von 4 Malen"),
        ("de", "Wessen Aufgabe ist es, das Geschirr zu spülen?", "Ben – 3 von 4 Malen"),
        ("de", "Was trinkt Ben am liebsten?", "Tea – 3 von 4 Malen"),
        ("de", "Was trinkt Ben selten?", "Coffee – 1 von 4 Malen"),
        ("de", "Wer bevorzugt Tee?", "Ben – 3 von 3 Malen"),
        ("fr", "Qui préfère le thé ?", "Ben – 3 fois sur 3"),
        ("es", "¿Quién prefiere té?", "Ben – 3 de 3 veces"),
        ("it", "Chi preferisce il tè?", "Ben – 3 su 3 occasioni"),
        ("fr", "Qui arrose le plus souvent le basilic ?", "Alice – 3 fois sur 4"),
        ("fr", "Qui arrose généralement le basilic ?", "Alice – 3 fois sur 4"),
        ("fr", "Qui arrose rarement le basilic ?", "Ben – 1 fois sur 4"),
        ("fr", "À qui revient la tâche de laver la vaisselle ?", "Ben – 3 fois sur 4"),
        ("fr", "Qu'est-ce que Ben boit le plus souvent ?", "Tea – 3 fois sur 4"),
        ("fr", "Qu'est-ce que Ben boit rarement ?", "Coffee – 1 fois sur 4"),
        ("es", "¿Quién suele regar la albahaca?", "Alice – 3 de 4 veces"),
        ("es", "¿Quién riega más a menudo la albahaca?", "Alice – 3 de 4 veces"),
        ("es", "¿Quién riega la albahaca con más frecuencia?", "Alice – 3 de 4 veces"),
        ("es", "¿Quién riega rara vez la albahaca?", "Ben – 1 de 4 veces"),
        ("es", "¿A quién le toca lavar los platos?", "Ben – 3 de 4 veces"),
        ("es", "¿Qué suele beber Ben?", "Tea – 3 de 4 veces"),
        ("es", "¿Qué bebe Ben rara vez?", "Coffee – 1 de 4 veces"),
        ("it", "Chi annaffia più spesso il basilico?", "Alice – 3 su 4 occasioni"),
        ("it", "Chi annaffia in genere il basilico?", "Alice – 3 su 4 occasioni"),
        ("it", "Chi annaffia raramente il basilico?", "Ben – 1 su 4 occasioni"),
        ("it", "A chi tocca lavare i piatti?", "Ben – 3 su 4 occasioni"),
        ("it", "Cosa beve Ben raramente?", "Coffee – 1 su 4 occasioni"),
    ],
)
def test_what_is_usual_or_rare_is_asked_in_each_language(
    graph: FakeGraph, code: str, question: str, said: str
) -> None:
    answer = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), AskedLanguage(code, "en")))
    assert answer.text.startswith(said), answer.text


@pytest.mark.parametrize(
    ("code", "questions"),
    [
        ("en", "Who almost always washes the dishes? | Who likes to walk the dog most?"),
        (
            "de",
            """Wer trinkt lieber Tee? | Wer ist für das Geschirr zuständig? | Wer wäscht fast immer das Geschirr ab?
            | Wer geht am seltensten mit dem Hund spazieren? | Um wie viel Uhr frühstücken wir normalerweise?""",
        ),
        (
            "fr",
            """Que préfère boire Ben ? | Que boit Ben de préférence ? | C'est à qui de laver la
            vaisselle ? | Qui est chargé d'arroser le basilic ? | Qui a l'habitude d'arroser le basilic ?
            | Qui prépare d'ordinaire le café ? | Qui arrose presque toujours le basilic ?""",
        ),
        (
            "es",
            """¿Qué prefiere beber Ben? | ¿Quién prepara casi siempre el café?
            | ¿Qué acostumbra beber Ben? | ¿Quién se encarga de lavar los platos? | ¿Suele Ida regar la albahaca?""",
        ),
        (
            "it",
            """Cosa preferisce bere Ben? | Chi è solito annaffiare il basilico?
            | Di chi è il turno di lavare i piatti? | Cosa beve Ben più volentieri?""",
        ),
    ],
)
def test_words_for_what_is_usual_ask_for_a_habit(code: str, questions: str) -> None:
    language = ENGLISH if code == "en" else AskedLanguage(code, "en")
    names = Names(frozenset({"ben", "ida"}), frozenset({"basil", "dishes", "tea", "coffee", "dog"}))
    for question in (" ".join(each.split()) for each in questions.split("|")):
        english = language.in_english(question, names.persons, names.objects).text
        parsed = parse_question(english, names, language)
        assert parsed.answer_type is AnswerType.HABIT, (question, english)


def test_what_never_happened_is_no_habit(graph: FakeGraph) -> None:
    answer = ask("Who usually feeds the parrot?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert not answer.found


def kept(*where: str) -> FakeGraph:
    """Anna puts the keys somewhere else each day; Ben and Clara open the fridge a minute apart."""
    lines: list[str] = []
    for day, place in enumerate(where):
        done = [
            ("Anna", "put", "keys", f"into the {place}", f"Anna puts the keys into the {place}."),
            ("Ben", "open", "fridge", "", "Ben opens the fridge."),
            ("Clara", "open", "fridge", "", "Clara opens the fridge."),
        ]
        events = [
            {
                "time_start": 60 * number,
                "time_end": 60 * number + 4,
                "summary": summary,
                "actors": [actor],
                "actions": [{"actor": actor, "verb": verb, "object": thing, "spatial_relation": place_said}],
            }
            for number, (actor, verb, thing, place_said, summary) in enumerate(done)
        ]
        clip = {"video_id": f"day{day}", "clip_id": "0", "t_start": 0, "t_end": 500, "time_base": "video"}
        at = datetime(2026, 3, 2 + day, 8, tzinfo=UTC).isoformat()
        lines.append(json.dumps({**clip, "recorded_at": at, "analysis": {"clip_summary": "", "events": events}}))
    return graph_of_lines(lines)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Where does Anna usually put the keys?", "Into the drawer - 2 of 3 occasions, on 2 days"),
        ("Who usually opens the fridge?", "Ben - 3 of 6 occasions, on 3 days"),
    ],
)
def test_a_habit_is_counted_by_where_and_by_whom(question: str, said: str) -> None:
    found = kept("drawer", "bowl", "drawer")
    answer = ask(question, Sources(Scope("test"), found, found, HashedWords(), ENGLISH))
    assert answer.text.startswith(said), answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Is the fridge usually open?",
        "Has the fridge always been open?",
        "How often does Ben usually open the fridge?",
        "What does Ben usually do?",
    ],
)
def test_a_state_and_a_count_are_no_habit(question: str) -> None:
    found = kept("drawer", "bowl")
    answer = ask(question, Sources(Scope("test"), found, found, HashedWords(), ENGLISH))
    assert "occasions" not in answer.text


def test_a_name_beside_which_somebody_was_asks_for_company_and_a_thing_does_not() -> None:
    types = ENGLISH.asking.answer_types
    assert types["COMPANY"].search("Who sat next to Ida?") and not types["COMPANY"].search("Who sat by the window?")


def watered(*, beside: str = "") -> FakeGraph:
    """Alice waters the basil half an hour after midnight of Sydney on three days; somebody beside her before that."""
    lines: list[str] = []
    for day in range(3):
        who = [(0, beside)] if beside else []
        events = [
            {
                "time_start": start,
                "time_end": start + 4,
                "summary": f"{name} waters the basil.",
                "actors": [name],
                "actions": [{"actor": name, "verb": "water", "object": "basil"}],
            }
            for start, name in [*who, (60, "Alice")]
        ]
        at = datetime(2026, 3, 2 + day, 0, 30, tzinfo=ZoneInfo("Australia/Sydney"))
        clip = {"video_id": f"day{day}", "clip_id": "0", "t_start": 0, "t_end": 500, "time_base": "video"}
        of_day = {"recorded_at": at.isoformat(), "timezone": "Australia/Sydney"}
        lines.append(json.dumps({**clip, **of_day, "analysis": {"clip_summary": "", "events": events}}))
    return graph_of_lines(lines)


@pytest.mark.parametrize(
    ("code", "question", "said"),
    [
        ("en", "When does Alice usually water the basil?", "Between 00:00 and 01:00 - 3 of 3 occasions, on 3 days:"),
        ("de", "Wann gießt Alice meistens das Basilikum?", "Zwischen 00:00 und 01:00 – 3 von 3 Malen, an 3 Tagen"),
        (
            "fr",
            "Quand Alice arrose-t-elle d'habitude le basilic ?",
            "Entre 00:00 et 01:00 – 3 fois sur 3, sur 3",
        ),
        (
            "es",
            "¿Cuándo riega Alice normalmente la albahaca?",
            "Entre las 00:00 y las 01:00 – 3 de 3 veces, en 3 d",
        ),
        (
            "it",
            "Quando Alice annaffia di solito il basilico?",
            "Fra le 00:00 e le 01:00 – 3 su 3 occasioni, in 3 giorni",
        ),
    ],
)
def test_the_hour_of_a_habit_is_that_of_the_recording_and_told_in_the_language(
    code: str, question: str, said: str
) -> None:
    graph = watered()
    language = ENGLISH if code == "en" else AskedLanguage(code, "en")
    assert ask(question, Sources(Scope("test"), graph, graph, HashedWords(), language)).text.startswith(said)


def test_a_habit_cites_the_deed_of_whom_it_is() -> None:
    graph = watered(beside="Ben")
    answer = ask("Does Alice usually water the basil?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert answer.text.startswith("3 of 3 occasions, on 3 days:") and "Ben" not in answer.text


@pytest.mark.parametrize(("who", "drink"), [("Ben", "Tea"), ("Ida", "Coffee")])
def test_what_another_has_on_the_same_occasion_is_not_theirs(who: str, drink: str) -> None:
    events = [
        {
            "time_start": 60 * n,
            "time_end": 60 * n + 4,
            "summary": f"{person} drinks {thing}.",
            "actors": [person],
            "actions": [{"actor": person, "verb": "drink", "object": thing}],
        }
        for n, (person, thing) in enumerate([("Ben", "tea"), ("Ida", "coffee"), ("Ben", "tea")])
    ]
    clip = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": 600}
    drunk = graph_of_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": events}})])
    answer = ask(f"What does {who} usually drink?", Sources(Scope("test"), drunk, drunk, HashedWords(), ENGLISH))
    assert answer.text.startswith(drink)
