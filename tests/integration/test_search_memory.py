"""Search over facts and episodes on a real Neo4j: what is asked for comes back, and nothing else."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.fact import FactChange, Triple
from amr_neo4j.domain.recall import Scope, TurnCitation
from amr_neo4j.errors import InputError, ModelUnavailable
from amr_neo4j.integrations.tools import call
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.local_models.registry import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from tests.support.chatting import rows

NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)
FACTS = {
    "I moved to Ghent last month, the flat is great.": (Triple("you", "lives_in", "ghent"), "You live in Ghent"),
    "I work at BMW.": (Triple("you", "works_at", "bmw"), "You work at BMW"),
    "I love coffee.": (Triple("you", "likes", "coffee"), "You like coffee"),
    "Tea is nice too.": (Triple("you", "likes", "tea"), "You like tea"),
    "Rex, my dog, is allergic to chicken.": (Triple("rex", "allergic_to", "chicken"), "Rex is allergic to chicken"),
    "My favourite colour is green.": (Triple("you", "favorite_color", "green"), "Your favorite color is green"),
}
OTHERS = ["Where do I live?", "Can you recommend a restaurant?", "The weather is awful today."]


def say(memory: Memory, user: str, text: str, minute: int, triple: Triple | None = None, words: str = "") -> None:
    at = NINE + timedelta(minutes=minute)
    changes = [FactChange(triple, at.timestamp(), words, 0.7, language="en")] if triple else []
    episode = one_episode({"content": text, "at": at}, Session(memory.group_id, user, "monday"), at, ENGLISH)
    memory._parts.conversations(memory.group_id).record(
        [replace(episode, changes=tuple(changes), intake_id=uuid4().hex)]
    )


@pytest.fixture(scope="module")
def anna(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Anna's memory: she lived in Porto before; Ben lives in Rome."""
    if not {status.name: status for status in installed(load())}["e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    access: dict[str, Any] = {
        "neo4j_uri": neo4j_connection.uri,
        "neo4j_username": neo4j_connection.username,
        "neo4j_password": neo4j_connection.password,
    }
    with Memory.open(**access, group=f"test-{uuid4()}", user="anna", data_dir=tmp_path_factory.mktemp("data")) as m:
        say(m, "anna", "I live in Porto.", 0, Triple("you", "lives_in", "porto"), "You live in Porto")
        for minute, (text, (triple, words)) in enumerate(FACTS.items(), 1):
            say(m, "anna", text, minute, triple, words)
        for minute, text in enumerate(OTHERS, 20):
            say(m, "anna", text, minute)
        say(m, "ben", "I live in Rome.", 0, Triple("you", "lives_in", "rome"), "You live in Rome")
        m.embed_facts()
        yield m


def texts(memory: Memory, query: str, search_type: str = "facts", limit: int = 5) -> list[str]:
    return [found.text for found in memory.search_memory(query, search_type, limit)]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Where do I live?", {"You live in Ghent"}),
        ("What can Rex not eat?", {"Rex is allergic to chicken"}),
        ("What do I like to drink?", {"You like coffee", "You like tea"}),
        ("favourite colour", {"Your favorite color is green"}),
        ("How do I sort a list in Python?", set()),
    ],
)
def test_facts_that_were_asked_for_and_no_others(anna: Memory, query: str, expected: set[str]) -> None:
    """Neither replaced facts nor those of others come along."""
    assert set(texts(anna, query)) == expected


def test_a_result_says_when_and_where_it_is_from(anna: Memory) -> None:
    [fact] = anna.search_memory("Where do I live?", "facts")
    assert (fact.kind, fact.confidence, fact.timestamp) == ("fact", 0.7, NINE + timedelta(minutes=1))
    assert isinstance(fact.source, TurnCitation)
    assert anna.cited(fact.source).summary_text.startswith("user: I moved to Ghent")


def test_what_was_believed_by_a_moment_is_found_as_of_it(anna: Memory) -> None:
    """As of second 30 of the talk Porto was home, and nothing of later is told; now it is Ghent."""
    then = NINE + timedelta(seconds=30)
    [fact] = anna.search_memory("Where do I live?", "facts", as_of=then)
    assert (fact.text, fact.status, fact.timestamp) == ("You live in Porto", "active", NINE)
    assert isinstance(fact.source, TurnCitation) and fact.source.turn == 0
    assert [each.text for each in anna.search_memory("Where do I live?", "episodes", as_of=then)] == [
        "user: I live in Porto."
    ]
    assert not anna.search_memory("What do I like to drink?", as_of=then)
    [listed] = anna.facts(as_of=then)
    assert (listed.triple.object, listed.status, listed.replaced_by, listed.archived_at) == (
        "porto",
        "active",
        "",
        None,
    )
    assert {each.triple.object for each in anna.facts(as_of=NINE + timedelta(minutes=1))} == {"ghent"}
    assert not anna.facts(as_of=NINE - timedelta(minutes=1))
    pages = anna.facts(as_of=NINE + timedelta(minutes=3), limit=2)
    assert [each.triple.object for each in pages] == ["coffee", "bmw"] and pages.total == 3
    rest = anna.facts(as_of=NINE + timedelta(minutes=3), limit=2, cursor=pages.next or "")
    assert [each.triple.object for each in rest] == ["ghent"]
    with pytest.raises(InputError, match="those of now"):
        anna.facts(as_of=then, history=True)


def test_what_memory_had_not_learnt_by_a_moment_is_not_told(anna: Memory) -> None:
    """All was stored now, although it was said long ago."""
    long_ago = NINE + timedelta(days=1)
    assert not anna.search_memory("Where do I live?", known_at=long_ago) and not anna.facts(known_at=long_ago)
    now = datetime.now(UTC) + timedelta(minutes=1)
    assert [each.text for each in anna.search_memory("Where do I live?", "facts", known_at=now)] == [
        "You live in Ghent"
    ]
    assert [each.fact_id for each in anna.facts(known_at=now)] == [each.fact_id for each in anna.facts()]


def test_a_correction_by_hand_and_what_was_taken_back_are_not_told_of_before(
    neo4j_connection: Connection, tmp_path: Path
) -> None:
    settings = load(
        neo4j_uri=neo4j_connection.uri,
        neo4j_username=neo4j_connection.username,
        neo4j_password=neo4j_connection.password,
        group=f"test-{uuid4()}",
        user="carl",
        data_dir=tmp_path,
    )

    def homes(memory: Memory, at: datetime | None) -> list[str]:
        return sorted(each.triple.object for each in memory.facts(relation="lives_in", as_of=at))

    with Memory.open(settings) as memory:
        chat = memory.chat(session_id="s")
        said = ["I live in Rome.", "I live in Leeds.", "I live in Rome.", "I don't live in Rome any more."]
        for day, text in enumerate(said):
            chat.observe(text, at=NINE + timedelta(days=day))
            assert memory._parts.live_chats().wait(60)  # what is stored at once is settled at its end alone
        chat.observe("I work at BMW.", at=NINE)
    with Memory.open(settings) as memory:
        days = [homes(memory, NINE + timedelta(days=day, hours=1)) for day in range(4)]
        assert days == [["rome"], ["leeds"], ["rome"], []]
        before = datetime.now(UTC)
        [job] = memory.facts(relation="works_at")
        memory.correct_fact(job.fact_id, "Audi")
        assert [each.triple.object for each in memory.facts(relation="works_at", as_of=before)] == ["bmw"]
        assert [each.triple.object for each in memory.facts(relation="works_at", known_at=before)] == ["bmw"]
        after = datetime.now(UTC) + timedelta(minutes=1)
        assert [each.triple.object for each in memory.facts(relation="works_at", as_of=after)] == ["audi"]
        memory.forget(session_id="s")
        assert [each.triple.object for each in memory.facts()] == ["audi"]
        assert [each.triple.object for each in memory.facts(as_of=after)] == ["audi"]
        assert [each.fact_id for each in memory.search_memory("Where do I work?", "facts", as_of=after)] == [
            each.fact_id for each in memory.facts()
        ]
        assert not memory.facts(as_of=before) and not memory.search_memory("Where do I work?", as_of=before)


def test_a_user_is_named_by_the_call_or_the_settings(anna: Memory) -> None:
    assert [found.text for found in anna.search_memory("Where do I live?", "facts", user_id="ben")] == [
        "You live in Rome"
    ]
    with Memory.open(anna.settings.model_copy(update={"user": ""})) as nobodys:
        [fact] = nobodys.search_memory("Where do I live?", "facts", user_id="anna")
        assert fact.text == "You live in Ghent"
        assert nobodys.search_memory("Where do I live?") == [], "only videos are searched"


def test_episodes_leave_out_open_questions_and_what_was_replaced(anna: Memory) -> None:
    found = texts(anna, "Where do I live?", "episodes")
    assert not [text for text in found if "Porto" in text or text.endswith("?")]
    assert texts(anna, "Can you recommend a restaurant?", "episodes") == []


def test_what_somebody_else_does_and_what_was_renewed_is_left_out(anna: Memory) -> None:
    said = [
        "My son Karim plays the cello.",
        "My boss is Mr Tanaka.",
        "My new boss is Ms Dubois.",
        "Paula sells boats.",
    ]
    for minute, text in enumerate(said):
        say(anna, "cleo", text, minute)

    def found(query: str) -> list[str]:
        return [each.text for each in anna.search_memory(query, user_id="cleo")]

    assert found("Which instrument does the user play?") == []
    assert found("Which instrument does Karim play?") == ["user: My son Karim plays the cello."]
    assert found("Who is the user's boss?") == ["user: My new boss is Ms Dubois."]
    assert len(found("Who was the user's boss?")) == 2


def test_one_of_what_says_the_same(anna: Memory) -> None:
    """The fact, and not the turn that states it in the same words."""
    assert texts(anna, "Where do I work?", "both") == ["You work at BMW"]


def test_the_limit_holds(anna: Memory) -> None:
    assert len(texts(anna, "What do I like to drink?", limit=1)) == 1


def test_a_fact_is_found_by_its_words_before_it_has_a_vector(anna: Memory) -> None:
    say(anna, "anna", "I own a boat.", 40, Triple("you", "owns", "boat"), "You own a boat")
    assert texts(anna, "Do I own a boat?") == ["You own a boat"]
    anna.embed_facts()
    assert texts(anna, "Do I own a boat?") == ["You own a boat"]


def test_without_its_embedder_memory_searches_by_words(anna: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(self: object, texts: object) -> None:
        raise ModelUnavailable("the embedder is away")

    monkeypatch.setattr(type(anna._parts.embedder()), "embed", away)
    assert texts(anna, "Where do I live?") == ["You live in Ghent"]
    assert "user: I love coffee." in texts(anna, "coffee", "episodes")


def test_facts_of_little_confidence_are_left_out(anna: Memory) -> None:
    """Over 0.3 for a query, over 0.5 in passing."""
    setting = "MATCH (f:Fact {group_id: $group_id, object: 'chicken'}) SET f.confidence = $value RETURN f.confidence"
    search = partial(anna._parts.searching().open, Scope(anna.group_id, user_id="anna"))
    try:
        rows(anna, setting, value=0.4)
        assert texts(anna, "What can Rex not eat?") == ["Rex is allergic to chicken"]
        assert not search().stream("What can Rex not eat?").facts
        rows(anna, setting, value=0.3)
        assert texts(anna, "What can Rex not eat?") == []
    finally:
        rows(anna, setting, value=0.7)
    first, *_ = search().stream("What can Rex not eat?").facts
    assert first.text == "Rex is allergic to chicken"


def test_the_tool_of_a_chat_model(anna: Memory) -> None:
    asked = {"query": "Where do I live?", "search_type": "facts", "limit": None}
    [result] = json.loads(call(anna, "search_memory", json.dumps(asked)))["results"]
    assert result == {
        "kind": "fact",
        "text": "You live in Ghent",
        "confidence": 0.7,
        "timestamp": "2026-03-01T09:01:00+00:00",
        "source": "[turn 1, monday, user]",
        "said_by": None,
        "status": "active",
        "fact_id": anna.facts(subject="you", relation="lives_in")[0].fact_id,
    }


@pytest.mark.parametrize(
    "arguments", [{"query": " "}, {"query": "x", "search_type": "all"}, {"query": "x", "limit": -1}]
)
def test_nonsense_is_refused(anna: Memory, arguments: dict[str, object]) -> None:
    with pytest.raises(InputError):
        anna.search_memory(**arguments)  # pyright: ignore[reportArgumentType]


# The homes of a user, a brother Ben and a sister Anna; how each is asked for; what else they say.
HOMES = {
    "en": (
        ["I live in Paris.", "My brother Ben lives in Oslo.", "My sister Anna lives in Rome."],
        {
            "Paris": ["Where do I live?", "the user's home"],
            "Oslo": ["Where does my brother live?", "Where does Ben live?"],
        },
    ),
    "de": (
        ["Ich wohne in Paris.", "Mein Bruder Ben wohnt in Oslo.", "Meine Schwester Anna wohnt in Rom."],
        {"Paris": ["Wo wohne ich?"], "Oslo": ["Wo wohnt mein Bruder?", "Wo wohnt Ben?"]},
    ),
    "fr": (
        ["J'habite à Paris.", "Mon frère Ben habite à Oslo.", "Ma sœur Anna habite à Rome."],
        {"Paris": ["Où est-ce que j'habite ?"], "Oslo": ["Où habite mon frère ?", "Où habite Ben ?"]},
    ),
    "es": (
        ["Vivo en París.", "Mi hermano Ben vive en Oslo.", "Mi hermana Anna vive en Roma."],
        {"Par": ["¿Dónde vivo?"], "Oslo": ["¿Dónde vive mi hermano?", "¿Dónde vive Ben?"]},
    ),
    "it": (
        ["Abito a Parigi.", "Mio fratello Ben abita a Oslo.", "Mia sorella Anna abita a Roma."],
        {"Parigi": ["Dove abito?"], "Oslo": ["Dove abita mio fratello?", "Dove abita Ben?"]},
    ),
}


@pytest.fixture(scope="module")
def homes(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A user in each language, who tells of three homes in six turns."""
    if not {status.name: status for status in installed(load())}["multilingual-e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    access: dict[str, Any] = {
        "neo4j_uri": neo4j_connection.uri,
        "neo4j_username": neo4j_connection.username,
        "neo4j_password": neo4j_connection.password,
        # By itself the group would change to it at some moment of the test.
        "embedder": "multilingual-e5",
    }
    with Memory.open(**access, group=f"test-{uuid4()}", data_dir=tmp_path_factory.mktemp("data")) as m:
        for code, (turns, _) in HOMES.items():
            for session in ("monday", "tuesday"):
                chat = m.chat(user_id=code, session_id=session)
                for text in turns:
                    chat.observe(text)
        for code in HOMES:
            m.facts(user_id=code)  # commits what waits
        # Another thread may be embedding some of them.
        deadline = time.monotonic() + 60
        while m.fact_embeddings().waiting:
            m.embed_facts()
            assert time.monotonic() < deadline
        yield m


@pytest.mark.parametrize("code", HOMES)
def test_whose_fact_is_asked_for_decides(homes: Memory, code: str) -> None:
    """For a relative and for a name, only that person's home is told; for the user, only the user's."""
    homes_of, towns = HOMES[code][1], (*HOMES[code][1], "Rom")
    memory, told = homes.for_user(code), dict[tuple[str, str], set[str]]()
    for question in (each for questions in homes_of.values() for each in questions):
        for search_type in ("facts", "episodes", "both"):
            found = json.loads(
                call(memory, "search_memory", json.dumps({"query": question, "search_type": search_type}))
            )
            texts = [each["text"] for each in found["results"]]
            told[question, search_type] = {town for text in texts for town in towns if town in text}
    asked = {question: place for place, questions in homes_of.items() for question in questions}
    assert told == {(question, kind): {asked[question]} for question, kind in told}


@pytest.mark.parametrize(
    ("code", "query", "home"),
    [
        ("en", "the user's home", "You live in Paris"),
        ("de", "Wohnung des Nutzers", "Du wohnst in Paris"),
        ("fr", "logement de l'utilisateur", "Tu habites à Paris"),
        ("es", "vivienda del usuario", "Vives en París"),
        ("it", "abitazione dell'utente", "Vivi a Parigi"),
        ("en", "Where does my brother live?", "Ben lives in Oslo"),
        ("de", "Wo wohnt mein Bruder?", "Ben wohnt in Oslo"),
        ("fr", "Où habite mon frère ?", "Ben habite à Oslo"),
        ("es", "¿Dónde vive mi hermano?", "Ben vive en Oslo"),
        ("it", "Dove abita mio fratello?", "Ben vive a Oslo"),
    ],
)
def test_a_fact_that_is_asked_for_is_found_before_it_has_a_vector(
    homes: Memory, monkeypatch: pytest.MonkeyPatch, code: str, query: str, home: str
) -> None:
    def away(self: object, texts: object) -> None:
        raise ModelUnavailable("the embedder is away")

    monkeypatch.setattr(type(homes._parts.embedder()), "embed", away)
    assert home in texts(homes.for_user(code), query)


@pytest.mark.parametrize(
    ("code", "said", "later", "query", "over"),
    [
        ("en", "I live in Porto and work at BMW.", "I moved to Ghent.", "work of the user", "You live in Porto"),
        ("de", "Ich wohne in Ulm und arbeite bei Miele.", "Ich bin nach Kiel gezogen.", "Arbeit des Nutzers", "Ulm"),
        ("fr", "J'habite à Nantes et je travaille chez Danone.", "J'ai déménagé à Lyon.", "travail", "Nantes"),
        ("es", "Vivo en Vigo y trabajo en Iberia.", "Me mudé a Lugo.", "trabajo del usuario", "Vigo"),
        ("it", "Vivo a Pisa e lavoro alla Barilla.", "Mi sono trasferito a Lecce.", "lavoro dell'utente", "Pisa"),
    ],
)
def test_a_turn_of_which_one_of_two_facts_was_replaced_says_so(
    anna: Memory, code: str, said: str, later: str, query: str, over: str
) -> None:
    user = anna.for_user(f"half-{code}")
    chat = user.chat(session_id="monday")
    for text in (said, "ok", later):
        chat.observe(text)
    assert user._parts.live_chats().wait(60)
    found = {each.text.partition(": ")[2]: each.no_longer for each in user.search_memory(query, "episodes")}
    [outdated] = found[said]
    assert over in outdated
    assert found.get(later, ()) == ()
    shown = call(user, "search_memory", json.dumps({"query": query, "search_type": "episodes"}))
    assert [each.get("no_longer") for each in json.loads(shown)["results"] if said in each["text"]] == [[outdated]]
