"""Facts read as sentences that a person would write."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from amr_neo4j.domain.fact import Triple
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
        ("it", "Adoro i gatti.", "Ti piacciono i gatti"),
        ("it", "Odio le cipolle.", "Non ti piacciono le cipolle"),
        ("es", "Me encantan los perros.", "Te gustan los perros"),
        ("es", "Odio las cebollas.", "No te gustan las cebollas"),
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
        ("en", "I have one dog.", "There is 1 dog"),
        ("it", "Ho 1 cane.", "C'è 1 cane"),
        ("en", "I have two dogs and a van.", "There are 2 dogs"),
        ("de", "Ich habe zwei Hunde.", "Es gibt 2 Hunde"),
        ("es", "Tengo dos hermanas.", "Hay 2 hermanas"),
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


@pytest.mark.parametrize(
    ("code", "fact", "sentence"),
    [
        ("en", ("mother", "dog", "rex"), "Rex is your mother's dog"),
        ("en", ("eva", "husband", "tom"), "Tom is Eva's husband"),
        ("en", ("sister's husband", "works_at", "bmw"), "Your sister's husband works at Bmw"),
        ("de", ("mutter", "dog", "rex"), "Deine Mutter hat Rex als Hund"),
        ("de", ("eva", "husband", "tom"), "Eva hat Tom als Mann"),
        ("de", ("mann meiner schwester", "works_at", "bmw"), "Der Mann deiner Schwester arbeitet bei Bmw"),
        ("de", ("schwester", "friend_of", "you"), "Deine Schwester ist mit dir befreundet"),
        ("fr", ("mère", "dog", "rex"), "Ta mère a Rex pour chien"),
        ("fr", ("eva", "husband", "tom"), "Eva a Tom pour mari"),
        ("fr", ("mari de ma sœur", "works_at", "bmw"), "Le mari de ta sœur travaille chez Bmw"),
        ("fr", ("oncle de mon mari", "works_at", "bmw"), "L'oncle de ton mari travaille chez Bmw"),
        ("en", ("eva", "friend_of", "sister"), "Eva and your sister are friends"),
        ("de", ("eva", "friend_of", "schwester"), "Eva und deine Schwester sind befreundet"),
        ("fr", ("eva", "friend_of", "sœur"), "Eva et ta sœur sont amis"),
        ("es", ("eva", "friend_of", "hermana"), "Eva y tu hermana son amigos"),
        ("it", ("eva", "friend_of", "sorella"), "Eva e tua sorella sono amici"),
        ("fr", ("eva", "cousin", "tom"), "Eva a Tom pour cousin ou cousine"),
        ("es", ("madre", "dog", "rex"), "Rex es perro de tu madre"),
        ("es", ("eva", "husband", "tom"), "Tom es marido de Eva"),
        ("es", ("marido de mi hermana", "works_at", "bmw"), "El marido de tu hermana trabaja en Bmw"),
        ("es", ("hermana", "likes", "café"), "A tu hermana le gusta café"),
        ("it", ("madre", "dog", "rex"), "Tua madre ha Rex come cane"),
        ("it", ("eva", "husband", "tom"), "Eva ha Tom come marito"),
        ("it", ("marito di mia sorella", "works_at", "bmw"), "Il marito di tua sorella lavora presso Bmw"),
    ],
)
def test_another_ones_relative_is_not_worded_as_the_users(
    code: str, fact: tuple[str, str, str], sentence: str
) -> None:
    """Only the subject may have a word of the second person: a model reads "your husband Tom" as the user's."""
    assert language(code).bullets.bullet(Triple(*fact)) == sentence


@pytest.mark.parametrize(
    ("code", "fact", "sentence"),
    [
        ("fr", Triple("élodie", "born_in", "1990"), "Lieu ou année de naissance d'Élodie : 1990"),
        ("fr", Triple("anna", "studies", "droit"), "Études d'Anna : droit"),
        ("fr", Triple("ève", "studies", "droit"), "Études d'Ève : droit"),
        ("fr", Triple("marc", "studies", "droit"), "Études de Marc : droit"),
    ],
)
def test_a_word_before_a_name_is_elided_where_the_language_does(code: str, fact: Triple, sentence: str) -> None:
    assert language(code).bullets.bullet(fact) == sentence


@pytest.mark.parametrize(
    ("code", "quoted"),
    [
        ("de", "Am 1. Mai 2026 hast du gesagt: „x“"),
        ("fr", "Le 1er mai 2026, tu as dit : « x »"),
        ("en", "You said on 1 May 2026: “x”"),
    ],
)
def test_the_first_of_a_month_is_written_as_the_language_does(code: str, quoted: str) -> None:
    assert language(code).quote("x", datetime(2026, 5, 1, tzinfo=UTC)) == quoted
    assert "le 2 mai" in language("fr").quote("x", datetime(2026, 5, 2, tzinfo=UTC)).lower()


@pytest.mark.parametrize(
    ("code", "thing", "sentence"),
    [("es", "Los Ángeles", "Te gusta Los Ángeles"), ("it", "Le Mans", "Ti piace Le Mans")],
)
def test_a_name_with_an_article_is_no_plural(code: str, thing: str, sentence: str) -> None:
    assert language(code).bullets.bullet(Triple("you", "likes", thing)) == sentence
