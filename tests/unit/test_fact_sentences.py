"""Facts read as sentences that a person would write."""

from __future__ import annotations

import pytest

from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.understand import read_by_rules


@pytest.mark.parametrize(
    ("code", "said", "sentence"),
    [
        ("en", "I have a garden.", "You have a garden"),
        ("en", "I am a backend developer.", "You are a backend developer"),
        ("en", "I have an old car.", "You have an old car"),
        ("en", "I'm vegan.", "You are vegan"),
        ("en", "My brother is a nurse.", "Your brother is a nurse"),
        ("de", "Ich habe einen Garten.", "Du hast einen Garten"),
        ("de", "Ich bin Entwickler.", "Du bist Entwickler"),
        ("fr", "J'ai un jardin.", "Tu as un jardin"),
        ("es", "Tengo un jardín.", "Tienes un jardín"),
        ("it", "Sono un'infermiera.", "Sei un'infermiera"),
        ("fr", "J'aime le thé.", "Tu aimes le thé"),
        ("es", "Me encanta el senderismo.", "Te gusta el senderismo"),
        ("it", "Adoro il trekking.", "Ti piace il trekking"),
        ("en", "I like tea.", "You like tea"),
    ],
)
def test_a_thing_keeps_the_article_it_was_said_with(code: str, said: str, sentence: str) -> None:
    bullets = language(code).bullets
    [fact] = read_by_rules(said, code).facts
    assert bullets.bullet(fact.triple, f"user: {said}") == sentence
    assert bullets.bullet(fact.triple, sentence) == sentence, "the sentence itself shows the article"


@pytest.mark.parametrize(
    ("code", "said", "sentence"),
    [
        ("en", "I have two cats.", "There are 2 cats"),
        ("es", "Tengo dos gatos.", "Hay 2 gatos"),
        ("fr", "J'ai deux chats.", "Il y a 2 chats"),
        ("de", "Ich habe zwei Katzen.", "Es gibt 2 Katzen"),
        ("it", "Ho due gatti.", "Ci sono 2 gatti"),
        ("en", "The flight lasts 3 hours.", "Flight lasts 3 hours"),
    ],
)
def test_a_number_is_a_sentence(code: str, said: str, sentence: str) -> None:
    facts = [f.triple for f in read_by_rules(said, code).facts if f.triple.relation in ("quantity", "duration")]
    assert [language(code).bullets.bullet(each, f"user: {said}") for each in facts] == [sentence]
