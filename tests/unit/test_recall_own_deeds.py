"""Whom "I" means in films: the user's own person or one that is tied to the user; else the answer is in doubt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from amr_neo4j.app.beliefs import UserBeliefs, language_asked
from amr_neo4j.domain.ports import Beliefs, Names
from amr_neo4j.domain.recall import Answer, Citation, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Knowledge, Sources
from benchmarks.worlds import has_caveat
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines
from tests.unit.test_recall_footage_of_users import LANGUAGES, no_facts


class Tied(FakeGraph):
    """Knows who the user is in films, where the user's conversations are read."""

    same: Mapping[str, tuple[str, ...]]

    def vocabulary(self, scope: Scope) -> Names:
        return replace(super().vocabulary(scope), same=self.same if scope.user_id else {})


class NoFacts(Beliefs):
    """Knows no facts, but which questions are about the user."""

    def speaks_of_user(self, question: str) -> bool:
        return UserBeliefs(lambda group, user: no_facts(), LANGUAGES).speaks_of_user(question)


def told(question: str, user: str, same: Mapping[str, tuple[str, ...]]) -> tuple[str, bool]:
    """Return (the answer, whether it is in doubt)."""
    deeds = [(60, "Jake"), (3000, "Ben")]
    events = [
        {
            "time_start": at,
            "time_end": at + 4,
            "summary": f"{who} waters the basil.",
            "actors": [who],
            "actions": [{"actor": who, "verb": "water", "object": "basil"}],
        }
        for at, who in deeds
    ]
    clip = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": 4000}
    graph = graph_of_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": events}})])
    graph.__class__, graph.same = Tied, same  # type: ignore[attr-defined]
    answer = ask(question, Sources(Scope("test", user_id=user), graph, graph, HashedWords(), ENGLISH))
    return answer.text, has_caveat(answer)


@pytest.mark.parametrize(
    ("user", "same"), [("jake", {}), ("Jake", {}), ("anna", {"user": ("jake",)}), ("anna", {"anna": ("jake",)})]
)
def test_i_am_the_person_of_my_name_or_the_one_tied_to_me(user: str, same: Mapping[str, tuple[str, ...]]) -> None:
    text, in_doubt = told("How often did I water the basil?", user, same)
    assert text.startswith("Once") and not in_doubt
    text, in_doubt = told("When did I last water the basil?", user, same)
    assert "Jake" in text and "Ben" not in text and not in_doubt


@pytest.mark.parametrize("user", ["anna", ""])
@pytest.mark.parametrize("question", ["How often did I water the basil?", "When did I last water the basil?"])
def test_where_i_may_be_anybody_the_answer_is_in_doubt(question: str, user: str) -> None:
    assert told(question, user, {"ben": ("ben",)})[1]


@pytest.mark.parametrize("user", ["anna", ""])
def test_what_does_not_ask_for_my_deeds_is_told_plainly(user: str) -> None:
    assert not told("Who watered the basil?", user, {})[1]
    assert not told("I don't know who watered the basil", user, {})[1]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who poured me coffee?", "Ben, at"),
        ("Who had breakfast with me?", "Ben, at"),
        ("What did Ben do after I closed the door?", "After that, at 00:00:30 of day: Ben pours coffee"),
    ],
)
def test_what_others_did_with_me_or_after_my_deed_is_theirs(question: str, said: str) -> None:
    deeds = [
        ("Jake", "close", "door"),
        ("Ben", "pour", "coffee"),
        ("Jake", "have", "breakfast"),
        ("Ben", "have", "breakfast"),
    ]
    events = [
        {
            "time_start": 15 * n,
            "time_end": 15 * n + 4,
            "summary": f"{who} {verb if verb != 'have' else 'ha'}s {'the ' * (thing == 'door')}{thing}.",
            "actors": [who],
            "actions": [{"actor": who, "verb": verb, "object": thing}],
        }
        for n, (who, verb, thing) in enumerate(deeds, 1)
    ]
    clip = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": 90}
    graph = graph_of_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": events}})])
    answer = ask(question, Sources(Scope("test", user_id="jake"), graph, graph, HashedWords(), ENGLISH))
    assert said in answer.text and not has_caveat(answer)


DEEDS = [
    ("I water the basil.", ""),
    ("Ida opens the parcel.", "Ida"),
    ("Ida waters the basil.", "Ida"),
    ("Ida waters the basil.", "Ida"),
    ("Ida puts the key on the table.", "Ida"),
    ("I put the key into the drawer.", ""),
    ("Ida puts the key on the shelf.", "Ida"),
]


def asked(question: str, user: str = "", same: Mapping[str, tuple[str, ...]] | None = None) -> Answer:
    """Ask of films whose camera Jake wears, as the program does: again without the user's conversations."""
    lines: list[str] = []
    for number, (said, actor) in enumerate(DEEDS, 1):
        event = {"time_start": 0, "time_end": 4, "summary": said, "actors": [actor] if actor else []}
        clip = {"video_id": f"day{number}", "clip_id": "0", "t_start": 0, "t_end": 60, "wearer": "Jake"}
        clip |= {"time_base": "video", "recorded_at": f"2026-05-0{number}T08:00:00+00:00"}
        lines.append(json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event]}}))
    graph = graph_of_lines(lines)
    graph.__class__, graph.same = Tied, same or {}  # type: ignore[attr-defined]

    def sources(user_id: str) -> Sources:
        scope = Scope("test", user_id=user_id)
        return Sources(scope, graph, graph, HashedWords(), language_asked(question, scope, LANGUAGES, ENGLISH))

    footage = sources("") if user else None
    return ask(question, sources(user), footage=footage, knowledge=Knowledge(beliefs=NoFacts()))


def is_doubted(answer: Answer, question: str) -> bool:
    grammar = language_asked(question, Scope("test"), LANGUAGES, ENGLISH).grammar
    lacks = grammar.words_not_found(["?"]).partition(grammar.quoted("?"))[0]
    return not answer.found or answer.text.startswith((grammar.in_doubt(), lacks)) or has_caveat(answer)


def days_cited(answer: Answer) -> list[str]:
    return [each.video_id for each in answer.citations if isinstance(each, Citation)]


WATERED = [
    "How often did I water the basil?",
    "Wie oft habe ich das Basilikum gegossen?",
    "Combien de fois ai-je arrosé le basilic ?",
    "¿Cuántas veces regué yo la albahaca?",
    "¿Cuántas veces regué la albahaca?",
    "¿Cuántas veces he regado la albahaca?",
    "Quante volte io ho annaffiato il basilico?",
    "Quante volte ho annaffiato il basilico?",
    "Quante volte annaffiai il basilico?",
]
PUT = [
    "Where did I put the key?",
    "Wo habe ich den Schlüssel hingelegt?",
    "Où ai-je mis la clé ?",
    "¿Dónde puse yo la llave?",
    "¿Dónde puse la llave?",
    "¿Dónde he puesto la llave?",
    "Dove ho messo io la chiave?",
    "Dove ho messo la chiave?",
]
OPENED = [
    "Did I open the parcel?",
    "Habe ich das Paket geöffnet?",
    "Ai-je ouvert le colis ?",
    "¿Abrí yo el paquete?",
    "¿Abrí el paquete?",
    "¿He abierto el paquete?",
    "Ho aperto io il pacco?",
    "Ho aperto il pacco?",
]
WHOSE = [("ida", {}), ("zoe", {"user": ("ida",)})]


@pytest.mark.parametrize(("user", "same"), WHOSE)
@pytest.mark.parametrize("question", WATERED)
def test_i_am_no_wearer_of_a_camera_if_i_am_somebody_else(
    question: str, user: str, same: Mapping[str, tuple[str, ...]]
) -> None:
    answer = asked(question, user, same)
    assert days_cited(answer) == ["day3", "day4"] and not is_doubted(answer, question)
    assert days_cited(asked(question, "jake")) == ["day1"]
    assert days_cited(asked(question)) == ["day1"]


@pytest.mark.parametrize(("user", "same"), WHOSE)
@pytest.mark.parametrize("question", PUT)
def test_my_deed_is_that_of_my_person_in_every_language(
    question: str, user: str, same: Mapping[str, tuple[str, ...]]
) -> None:
    answer = asked(question, user, same)
    assert "drawer" not in answer.text and not is_doubted(answer, question)
    assert "drawer" in asked(question, "jake").text and "drawer" in asked(question).text


@pytest.mark.parametrize("question", [*WATERED, *PUT, *OPENED])
def test_of_a_user_who_is_nobody_in_the_films_nothing_is_told_plainly(question: str) -> None:
    assert is_doubted(asked(question, "zoe"), question)


@pytest.mark.parametrize("question", OPENED)
def test_what_another_did_is_no_deed_of_mine_in_any_language(question: str) -> None:
    answer = asked(question, "ida")
    assert "Ida opens the parcel" in answer.text and not is_doubted(answer, question)
    assert is_doubted(asked(question, "jake"), question) and is_doubted(asked(question), question)


@pytest.mark.parametrize(
    "question",
    [
        "When did I last water the basil?",
        "Wann habe ich das letzte Mal das Basilikum gegossen?",
        "Quand ai-je arrosé le basilic pour la dernière fois ?",
        "¿Cuándo regué la albahaca por última vez?",
        "Quando ho annaffiato il basilico l'ultima volta?",
    ],
)
def test_when_i_last_did_it_is_the_time_of_my_deed(question: str) -> None:
    assert "I water the basil" in asked(question).text
    assert "Ida waters the basil" in asked(question, "ida").text


@pytest.mark.parametrize("user", ["", "ida"])
def test_a_verb_of_the_first_or_the_third_person_is_told_in_doubt(user: str) -> None:
    for question in ("¿Cuántas veces regaba la albahaca?", "¿Cuándo regaba la albahaca?"):
        assert is_doubted(asked(question, user), question)
    for question in ("¿Cuántas veces regaba Ida la albahaca?", "¿Cuántas veces regó la albahaca?"):
        assert not is_doubted(asked(question, user), question)


@pytest.mark.parametrize(
    "question",
    [
        "What did Ida do after I put the key into the drawer?",
        "Was tat Ida, nachdem ich den Schlüssel in die Schublade gelegt habe?",
        "¿Qué hizo Ida después de que puse la llave en el cajón?",
        "Cosa ha fatto Ida dopo che ho messo la chiave nel cassetto?",
    ],
)
def test_time_is_counted_from_my_deed_alone(question: str) -> None:
    assert is_doubted(asked(question, "ida"), question)


def test_company_is_that_of_my_own_deed() -> None:
    question = "Who was with me when I watered the basil?"
    assert is_doubted(asked(question, "zoe"), question)


WHO_PUT = [
    ("Who put the key into the drawer after I watered the basil?", "you, on"),
    ("Wer hat den Schlüssel in die Schublade gelegt, nachdem ich das Basilikum gegossen habe?", "du, am"),
    ("Qui a mis la clé dans le tiroir après que j'ai arrosé le basilic ?", "toi, le"),
    ("¿Quién puso la llave en el cajón después de que regué la albahaca?", "tú, el"),
    ("Chi ha messo la chiave nel cassetto dopo che ho annaffiato il basilico?", "tu, mercoledì"),
]


@pytest.mark.parametrize("user", ["", "jake"])
@pytest.mark.parametrize(("question", "you"), WHO_PUT)
def test_whoever_says_i_is_you_in_the_answer(question: str, you: str, user: str) -> None:
    assert you in asked(question, user).text and "Jake," not in asked(question, user).text


@pytest.mark.parametrize("question", [question for question, _ in WHO_PUT])
def test_the_wearer_goes_by_name_if_somebody_else_asks(question: str) -> None:
    assert "Jake," in asked(question, "ida").text


def test_a_change_is_told_as_done_by_you() -> None:
    action = {"actor": "Jake", "verb": "put down", "object": "keys", "spatial_relation": "on the hook"}
    event = {"time_start": 0, "time_end": 4, "summary": "Jake puts the keys down on the hook.", "actors": ["Jake"]}
    clip = {"video_id": "day", "clip_id": "1", "t_start": 0, "t_end": 60, "wearer": "Jake"}
    graph = graph_of_lines(
        [json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event | {"actions": [action]}]}})]
    )
    for user in ("", "jake"):
        answer = ask(
            "Where did I put down the keys?",
            Sources(Scope("test", user_id=user), graph, graph, HashedWords(), ENGLISH),
        )
        assert "by you" in answer.text and "by Jake" not in answer.text
