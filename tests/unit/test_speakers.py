"""Who speaks: one table decides for every door whether an actor is the user, a program or another person."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from amr_neo4j.app.fact_reading import RuleReader
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.belief import HeardTurn
from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.language.languages import language

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SPEAKERS = Speakers.with_agents("Nova, Jarvis")


USERS = "user|USER|human|you| Anna |ANNA|the user|HumanMessage|usuario|Me|I|me:|Ich|Yo|Moi|Io|Tú"
PROGRAMS = (
    "assistant|Assistant|the assistant|AI|A.I.|AI Assistant|assistant_1|AIMessage|agent|PlannerAgent|planner_agent"
    "|system|tool|tool:search|function_call|developer|model|bot|weather-bot|Ben (assistant)|Système|KI|gpt-4o"
    "|GPT4|openai/gpt-4o|ChatGPT|o1-mini|claude-3-5-sonnet-20241022|Claude Opus|anthropic.claude-v2|gemma-2-9b-it"
    "|google/gemma|gemini-1.5-pro|llama3:8b|mistral-large-latest|acme/foo-2|nova|JARVIS"
    "|command-r|command-r-plus|Command R+|text-davinci-003|Nous-Hermes-2-Mixtral"
    "|open-mixtral-8x22b|c4ai-command-r-v01"
    # A role with an adjective behind it, alone or beside a name.
    "|asistente virtual|Asistente de voz|asistente personal|agente conversacional|modelo de lenguaje"
    "|assistant vocal|assistant numérique|agent conversationnel|modèle de langage|mon assistant vocal"
    "|assistente virtuale|assistente vocale|agente conversazionale|modello di linguaggio"
    "|virtual agent|language model|large language model|Nova (assistant vocal)|Nova, asistente virtual"
    "|inteligencia artificial|Künstliche Intelligenz|intelligence artificielle|intelligenza artificiale"
    # German writes the role as one word.
    "|Sprachassistent|Sprachassistentin|Sprachmodell|Wetterbot|voicebot|KI-Agent|Suchwerkzeug|virtueller Assistent"
    # A role before a name or beside it in brackets.
    "|AI (Nova)|KI (Nova)|Agent (Nova)|Assistant [Nova]|Assistant Nova|the assistant Nova|Asistente Nova"
    "|Assistente Nova|AI Nova|IA Nova|voice agent Nova|agent vocal Nova|Bot Nova|Sprachassistent Nova"
    # A family of models with its version, and a known provider of an unknown model.
    "|sonnet-4.5|opus-4|haiku-3|Claude Sonnet 4.5|Opus 4.1|nvidia/parakeet|openrouter/acme/foo|stabilityai/foo"
)
PEOPLE = (
    "Moira|Mario Davinci|Yo-Yo Ma|Du Pont|Iain|Ben|Gemma|Claude|Gemma Rossi|Gemma B."
    "|Claude Martin|Ben Bot|Agent Smith|Ai-Ling|Zoë|Sean O'Brien"
    "|Ai Weiwei|Ki Hong Lee|Ia Kintsurashvili|the agent Smith|Agente García|Developer Ben|Opus|Haiku|Talbot"
    "|Jean Guillebot|Vidal Voz|Łai|Øai|Ben de la Torre|Digital Dave"
    # A role that the work of a person has, too.
    "|assistant manager|Assistant Professor Lee|AI Engineer|AI researcher Ben|web developer|Intelligence officer"
    "|system administrator|tool maker|KI-Forscherin|Regieassistent|Zahnarztassistentin|Versicherungsagent|Fotomodell"
    "|assistante sociale|Assistante maternelle Marie|asistente social|asistente de vuelo|assistente sociale"
    "|assistente di volo"
)


@pytest.mark.parametrize("actor", USERS.split("|"))
def test_the_user(actor: str) -> None:
    assert SPEAKERS.subject(actor, "anna") == SPEAKER


@pytest.mark.parametrize("actor", PROGRAMS.split("|"))
def test_a_program_is_never_a_person(actor: str) -> None:
    assert not SPEAKERS.subject(actor, "anna")


@pytest.mark.parametrize("actor", PEOPLE.split("|"))
def test_any_other_name_is_that_person(actor: str) -> None:
    assert SPEAKERS.subject(actor, "anna") == actor.casefold()


def test_a_user_named_like_a_program_is_the_user() -> None:
    assert Speakers().subject("Bot", "bot") == SPEAKER


@pytest.mark.parametrize(
    ("message", "actor"),
    [
        ({"role": "assistant", "name": "Gemma"}, "assistant"),
        ({"role": "user", "name": None}, "user"),
        ({"role": "user", "name": "Anna"}, "user"),
        ({"name": "Ben"}, "Ben"),
        ({"actor": "Ben", "role": "user"}, "Ben"),
        ({"actor": None, "role": None, "name": None}, "user"),
    ],
)
def test_in_openais_messages_the_role_beats_the_name(message: dict[str, str | None], actor: str) -> None:
    episode = one_episode({**message, "content": "hi"}, Session("g", "anna", "s"), NOW, language("en"))
    assert episode.actor == actor


@pytest.mark.parametrize(
    ("actor", "facts"),
    [
        ("Ben", [("ben", "lives_in", "oslo"), ("eva", "friend_of", "ben")]),
        ("Anna", [("you", "lives_in", "oslo"), ("eva", "friend_of", "you")]),
        ("gpt-4o", []),
        ("Nova", []),
    ],
)
def test_a_stored_turn_states_facts_about_its_speaker(actor: str, facts: list[tuple[str, str, str]]) -> None:
    turn = HeardTurn(0, "e", "s", actor, actor, "I live in Oslo. My friend is Eva.", NOW, states=False)
    changes = RuleReader(["en"], SPEAKERS).changes(turn, "anna")
    assert [change.triple for change in changes] == [Triple(*fact) for fact in facts]
    assert all("Ben" in change.text for change in changes if "ben" in change.triple)


@pytest.mark.parametrize(
    ("note", "facts"),
    [
        (
            "User moved to Porto and works at Siemens.",
            [("you", "address", ""), ("you", "lives_in", "porto"), ("you", "works_at", "siemens")],
        ),
        ("The user's name is Anna.", [("you", "name", "anna")]),
        ("User works as a nurse. She lives in Kiel.", [("you", "is", "nurse"), ("you", "lives_in", "kiel")]),
        ("The user's sister Kate lives in Leeds.", [("you", "sister", "kate"), ("kate", "lives_in", "leeds")]),
        ("El usuario vive en Oporto.", [("you", "lives_in", "oporto")]),
        ("El nombre de la usuaria es Ana.", [("you", "name", "ana")]),
        ("L'utilisateur habite à Lyon.", [("you", "lives_in", "lyon")]),
        ("Die Nutzerin heißt Anna.", [("you", "name", "anna")]),
        ("Die Frau des Nutzers heißt Eva.", [("you", "wife", "eva")]),
        ("L'utente vive a Torino.", [("you", "lives_in", "torino")]),
        ("The user interface is green.", []),
    ],
)
def test_a_note_about_the_user_is_about_the_user(note: str, facts: list[tuple[str, str, str]]) -> None:
    turn = HeardTurn(0, "e", "s", "user", "user", note, NOW, states=False)
    changes = RuleReader(("en", "es", "fr", "de", "it"), SPEAKERS).changes(turn, "anna")
    assert [change.triple for change in changes] == [Triple(*fact) for fact in facts]


@pytest.mark.parametrize("name", ["Łai", "Øai", "Đbot", "Łukasz"])
def test_a_foreign_letter_is_part_of_a_speakers_name(name: str) -> None:
    """Without it "Łai" would be an AI."""
    assert Speakers().subject(name, "anna") == name.lower()
