"""Questions where statements were replaced: the newest is answered, with what it replaced and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.fact import FactChange, Triple
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.local_models.registry import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
SAID = [
    ("I live in Porto.", 0, Triple("you", "lives_in", "porto")),
    ("My dog Rex is ill.", 10, Triple("you", "dog", "rex")),
    ("I work at BMW.", 20, Triple("you", "works_at", "bmw")),
    ("The weather in Porto is great in May.", 25, None),
    ("I moved from Porto to Ghent.", 30, Triple("you", "lives_in", "ghent")),
    ("It rains a lot here.", 40, None),
    ("My new job is at Siemens.", 50, Triple("you", "works_at", "siemens")),
    ("We have left for Rome, I live in Rome now.", 60, Triple("you", "lives_in", "rome")),
]


@pytest.fixture(scope="module")
def anna(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    if not {status.name: status for status in installed(load())}["e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    access = {
        "neo4j_uri": neo4j_connection.uri,
        "neo4j_username": neo4j_connection.username,
        "neo4j_password": neo4j_connection.password,
    }
    with Memory.open(**access, group=f"test-{uuid4()}", user="anna", data_dir=tmp_path_factory.mktemp("data")) as m:
        say(m, "anna", SAID)
        yield m


def say(m: Memory, user: str, said: Sequence[tuple[str, int, Triple | None]]) -> None:
    for text, day, triple in said:
        at = START + timedelta(days=day)
        changes = (
            [FactChange(triple, at.timestamp(), ENGLISH.bullets.bullet(triple), 0.7, language="en")] if triple else []
        )
        episode = one_episode({"content": text, "at": at}, Session(m.group_id, user, f"d{day}"), at, ENGLISH)
        m._parts.conversations(m.group_id).record([replace(episode, changes=tuple(changes), intake_id=uuid4().hex)])


def first(memory: Memory, question: str, day: int | None = None) -> str:
    as_of = None if day is None else START + timedelta(days=day)
    return memory.search(question, as_of=as_of)[0].event.summary_text


def order(memory: Memory, question: str) -> list[str]:
    return [hit.event.summary_text.removeprefix("user: ") for hit in memory.search(question, all=True)]


def test_the_newest_statement_is_above_those_it_replaced(anna: Memory) -> None:
    found = order(anna, "Where do I live?")
    places = [found.index(text) for text in (SAID[7][0], SAID[4][0], SAID[0][0]) if text in found]
    assert found[0] == SAID[7][0] and places[0] == 0 and len(places) > 1
    found = order(anna, "Where do I work?")
    assert found.index("My new job is at Siemens.") < found.index("I work at BMW.")


def test_the_answer_tells_the_newest_and_what_it_replaced_and_when(anna: Memory) -> None:
    answer = anna.ask("Where do I live?")
    cited = answer.citations[0]
    assert cited.source == "d60" and "Rome" in answer.text
    assert (
        "Since 6 March 2026 this replaces what was said on " in answer.text and "[turn 0, d30, user]." in answer.text
    )
    assert "Ghent" not in answer.text, "the words of the replaced turn are no part of the answer"
    assert answer.replaced and answer.replaced.event.summary_text == "user: I moved from Porto to Ghent."
    assert answer.citations[-1].source == "d30"
    assert "I live in Porto" not in answer.text


@pytest.mark.parametrize(("day", "expected"), [(1, "d0"), (31, "d30"), (61, "d60")])
def test_what_was_so_is_reached_by_as_of(anna: Memory, day: int, expected: str) -> None:
    assert anna.ask("Where do I live?", as_of=START + timedelta(days=day)).citations[0].source == expected


def test_what_nothing_replaced_stays_as_it_was(anna: Memory) -> None:
    answer = anna.ask("What is wrong with my dog?")
    assert answer.citations[0].source == "d10" and "replaces" not in answer.text
    assert first(anna, "How is the weather in Porto in May?") == "user: The weather in Porto is great in May."


def test_a_fact_answers_where_no_turn_has_the_words_of_the_question(anna: Memory) -> None:
    answer = anna.ask("Where do I work?")
    assert answer.found and answer.text.startswith("You work at Siemens, said on 24 February 2026")
    assert "UTC: “" in answer.text and "Siemens" in answer.text.partition("“")[2]
    assert answer.citations[0].source == "d50"
    assert anna.ask("What is my dog called?").text.startswith("Your dog is Rex")


def test_what_held_at_the_time_that_a_question_names(anna: Memory) -> None:
    answer = anna.ask("Where did I live in January 2026?")
    assert answer.text.startswith("You live in Porto") and answer.citations[0].source == "d0"
    assert anna.ask("Where did I work in January 2026?").citations[0].source == "d20"


def test_what_is_stated_of_another_answers_no_question_about_who_asks(anna: Memory) -> None:
    """The dog's age is the only one that memory has."""
    ages = ("My dog is five years old.", 12, Triple("dog", "age", "5 years old"))
    sister = ("My sister is called Mia.", 14, Triple("you", "sister", "mia"))
    say(anna, "ben", [ages, sister, ("It rains a lot here.", 40, None)])
    answer = anna.ask("How old am I?", user_id="ben")
    assert not answer.found and "five" not in answer.text
    assert anna.ask("How old is my dog?", user_id="ben").citations[0].source == "d12"
    assert "Mia" not in anna.ask("What is my name?", user_id="ben").text
    assert "Mia" in anna.ask("What is my sister called?", user_id="ben").text


@pytest.mark.parametrize(
    ("user", "text", "triple", "question"),
    [
        ("cleo", "My sister is called Kate.", Triple("you", "sister", "kate"), "What is my name?"),
        ("dora", "My brother works at BMW.", Triple("brother", "works_at", "bmw"), "What is my job?"),
    ],
)
def test_a_question_about_a_user_who_only_spoke_of_others(
    anna: Memory, user: str, text: str, triple: Triple, question: str
) -> None:
    say(anna, user, [(text, 12, triple)])
    answer = anna.ask(question, user_id=user)
    assert (answer.found, answer.text) == (False, "Nothing in memory fits.")
