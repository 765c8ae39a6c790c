"""Wishes in a conversation about what memory keeps, with a database."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j.localdb import Connection
from tests.support.chatting import rows, talking


def test_forgotten_and_private_turns_are_stored_and_not_recalled(
    neo4j_connection: Connection, tmp_path: Path
) -> None:
    with talking(neo4j_connection, f"test-{uuid4()}", tmp_path) as memory:
        chat = memory.chat(user_id="anna", session_id="monday")
        chat.observe("I live in Leeds.")
        assert memory.search_memory("Leeds", user_id="anna"), "so that a reader has it in its cache"
        chat.observe("Don't remember this: I have diabetes.")
        forgetting = chat.observe("Forget that I live in Leeds.")
        chat.observe("I play the cello.")
        memory.remember(["Off the record, I work at Nestle.", "I like jazz."], user_id="anna", session_id="tuesday")
        assert memory._parts.live_chats().wait(60)
        assert memory.search_memory("Nestle", user_id="anna")
        memory.extract(user_id="anna")
        assert forgetting.retracted == (("you", "lives_in", "leeds"),)
        assert not forgetting.is_recalled
        texts = [turn.text for turn in memory.conversation("monday", user_id="anna")]
        assert len(texts) == 4
        assert not {fact.triple.relation for fact in memory.facts(user_id="anna")} & {"lives_in", "has", "works_at"}
        found = [
            each.text
            for words in ("Leeds", "diabetes", "Nestle", "cello jazz")
            for each in memory.search_memory(words, user_id="anna", limit=10)
        ]
        assert found
        assert not [text for text in found if any(word in text for word in ("Leeds", "diabetes", "Nestle"))]
        assert "Leeds" not in memory.ask("Where do I live?", user_id="anna").text
        marked = "MATCH (e:Episode {group_id: $group_id}) WHERE e.unrecalled RETURN count(e)"
        assert rows(memory, marked) == [4]


@pytest.mark.parametrize(
    ("told", "wish", "age", "asked", "kept"),
    [
        ("I am 87 and work at Siemens.", "please forget my age", "How old am I?", "Where do I work?", "You work at"),
        (
            "ich bin 87 und arbeite bei Siemens",
            "vergiss bitte mein alter",
            "Wie alt bin ich?",
            "Wo arbeite ich?",
            "Du arbeitest bei",
        ),
        (
            "J'ai 87 ans et je travaille chez Siemens.",
            "efface mon âge stp",
            "Quel âge ai-je ?",
            "Où est-ce que je travaille ?",
            "Tu travailles chez",
        ),
        (
            "Tengo 87 años y trabajo en Siemens.",
            "borra mi edad por favor",
            "¿Cuántos años tengo?",
            "¿Dónde trabajo?",
            "Trabajas en",
        ),
        (
            "Ho 87 anni e lavoro alla Siemens.",
            "cancella la mia età",
            "Quanti anni ho?",
            "Dove lavoro?",
            "Lavori",
        ),
    ],
)
def test_the_other_fact_of_a_turn_answers_without_its_words(
    neo4j_connection: Connection, tmp_path: Path, told: str, wish: str, age: str, asked: str, kept: str
) -> None:
    gone = "87"
    with talking(neo4j_connection, f"test-{uuid4()}", tmp_path) as memory:
        chat = memory.chat(user_id="anna", session_id="monday")
        turn = chat.observe(told)
        before = datetime.now(UTC)
        chat.observe(wish)
        assert memory._parts.live_chats().wait(60)
        answer = memory.ask(asked, user_id="anna")
        assert answer.found
        assert answer.text.startswith(kept)
        assert "Siemens" in answer.text
        assert gone not in answer.text
        assert next(hit.event.turn.episode_id for hit in answer.evidence if hit.event.turn) == turn.episode_id
        assert all(gone not in hit.event.summary_text for hit in answer.evidence)
        assert gone not in memory.ask(age, user_id="anna", as_of=before).text
        for moment in (None, before):
            found = memory.search_memory(told, user_id="anna", as_of=moment)
            assert not [each for each in found if gone in each.text]
            assert [fact.triple.relation for fact in memory.facts(user_id="anna", as_of=moment)] == ["works_at"]


def test_the_turn_of_a_fact_that_has_ended_answers_nothing(neo4j_connection: Connection, tmp_path: Path) -> None:
    """What ended it may, as the nearest that is known."""
    talks = {
        "en": ("I work at Nando's and live in Cardiff", "Nando's let me go today", "Where do I work?"),
        "de": ("Ich arbeite bei Bosch und wohne in Kiel", "Bei Bosch habe ich gekündigt", "Wo arbeite ich?"),
        "fr": ("mon mari c'est Julien", "divorce prononcé, Julien n'est plus mon mari", "Qui est mon mari ?"),
        "es": ("Trabajo en Iberdrola y vivo en Lugo", "ya no trabajo en Iberdrola", "¿Dónde trabajo?"),
        "it": ("Lavoro da Eataly e vivo a Bari", "mi sono licenziata da Eataly", "Dove lavoro?"),
    }
    with talking(neo4j_connection, f"test-{uuid4()}", tmp_path) as memory:
        for user, (stated, ended, _) in talks.items():
            chat = memory.chat(user_id=user, session_id="monday")
            chat.observe(stated)
            assert chat.observe(ended).retracted
        assert memory._parts.live_chats().wait(60)
        for user, (stated, _, question) in talks.items():
            assert stated not in memory.ask(question, user_id=user).text
            assert not {fact.triple.relation for fact in memory.facts(user_id=user)} & {"works_at", "husband"}
        past = memory.ask("Where did I work before Nando's let me go?", user_id="en")
        assert talks["en"][0] in past.text
        assert talks["es"][1] in memory.ask(talks["es"][2], user_id="es").text
