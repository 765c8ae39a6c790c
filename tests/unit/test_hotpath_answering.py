"""Which believed facts answer a question."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.recalled import Recalled
from amr_neo4j.hotpath.answering import FactQuestion, language_of
from amr_neo4j.language.registry import bullets, fact_rules

NOW = datetime(2026, 5, 1, tzinfo=timezone.utc)
FACTS = [
    ("you", "lives_in", "berlin"),
    ("you", "works_at", "charité"),
    ("you", "is", "vegetarian"),
    ("you", "age", "34"),
    ("you", "likes", "dark chocolate"),
    ("you", "dislikes", "pink"),
    ("you", "dog", "bruno"),
    ("you", "boyfriend", "max"),
    ("you", "name", "lena"),
    ("you", "born_in", "gdańsk"),
    ("you", "favorite_color", "green"),
    ("sister", "lives_in", "lyon"),
    ("sister", "age", "30"),
    ("dentist appointment", "time", "3 pm"),
]


def answers(question: str, language: str = "en", user: str = "lena") -> list[tuple[str, ...]]:
    facts = [Recalled("fact", " ".join(each), 0.8, NOW, None, triple=Triple(*each)) for each in FACTS]
    asked = FactQuestion.of(question, user, language, bullets(language), fact_rules(language))
    slots = set(asked.subjects), set(asked.relations)
    read = [
        fact for fact in facts if fact.triple and fact.triple.subject in slots[0] and fact.triple.relation in slots[1]
    ]
    return [fact.triple for fact in asked.answered_by(read) if fact.triple]


@pytest.mark.parametrize(
    ("question", "relation", "named"),
    [
        ("Where do I live?", "lives_in", "berlin"),
        ("where do i live", "lives_in", "berlin"),
        ("Which city do I live in?", "lives_in", "berlin"),
        ("Where does Lena live?", "lives_in", "berlin"),
        ("Where do I work?", "works_at", "charité"),
        ("What do I do for a living?", "works_at", "charité"),
        ("How old am I?", "age", "34"),
        ("Do I like pink?", "dislikes", "pink"),
        ("Do I like dark chocolate?", "likes", "dark chocolate"),
        ("What is my dog called?", "dog", "bruno"),
        ("What's my dog's name?", "dog", "bruno"),
        ("Who is Max?", "boyfriend", "max"),
        ("What is my name?", "name", "lena"),
        ("Where was I born?", "born_in", "gdańsk"),
        ("What is my favorite color?", "favorite_color", "green"),
        ("Where does my sister live?", "lives_in", "lyon"),
        ("How old is my sister?", "age", "30"),
        ("Am I vegetarian?", "is", "vegetarian"),
        ("When is my dentist appointment?", "time", "3 pm"),
    ],
)
def test_a_fact_answers_what_its_words_ask_for(question: str, relation: str, named: str) -> None:
    assert [(each[1], each[2]) for each in answers(question)] == [(relation, named)]


@pytest.mark.parametrize(
    "question",
    [
        "Where does he live?",
        "Where do you live?",
        "Where did I live?",
        "Where did I live in 2019?",
        "Where do I live in summer?",
        "Do I live in Rome?",
        "Where should I live?",
        "Why do I live in Berlin?",
        "When did I move to Berlin?",
        "What am I?",
        "Who am I meeting?",
        "Where does my brother live?",
        "How old is my brother?",
        "What colour is the parcel?",
        "Do I like chocolate cake?",
        "Where does Max live?",
        "What did my dog eat?",
        "",
    ],
)
def test_no_fact_answers_what_it_does_not_state(question: str) -> None:
    assert answers(question) == []


@pytest.mark.parametrize(
    ("question", "language", "relation"),
    [
        ("¿Dónde vivo?", "es", "lives_in"),
        ("Où est-ce que j'habite ?", "fr", "lives_in"),
        ("Wo wohne ich?", "de", "lives_in"),
        ("Dove abito?", "it", "lives_in"),
        ("Wie alt bin ich?", "de", "age"),
        ("¿Cuántos años tengo?", "es", "age"),
        ("Wo arbeite ich?", "de", "works_at"),
        ("Dove lavoro?", "it", "works_at"),
    ],
)
def test_questions_in_other_languages(question: str, language: str, relation: str) -> None:
    tables = {code: bullets(code) for code in ("en", "es", "fr", "de", "it")}
    assert language_of(question, tables) == language
    assert [each[1] for each in answers(question, language)] == [relation]
