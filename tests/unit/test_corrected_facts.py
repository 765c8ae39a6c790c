"""What a fact is corrected to may be given as its object or as a sentence."""

from __future__ import annotations

import pytest

from amr_neo4j.app.correcting import stated_object
from amr_neo4j.domain.fact import Triple

WORK = ("You work at Airbus", Triple("you", "works_at", "airbus"), "en")
ALLERGY = ("Biscuit is allergic to fish", Triple("biscuit", "allergic_to", "fish"), "en")


@pytest.mark.parametrize(
    ("fact", "words", "object_"),
    [
        (WORK, "Boeing", "boeing"),
        (WORK, "I work at Boeing", "boeing"),
        (WORK, "You work at Boeing", "boeing"),
        (WORK, "You work at Airbus", "airbus"),
        (ALLERGY, "Soy", "soy"),
        (ALLERGY, "Biscuit is allergic to soy", "soy"),
        (("Du wohnst in Halle", Triple("you", "lives_in", "halle"), "de"), "Ich wohne in Jena", "jena"),
        (("Tu habites à Lyon", Triple("you", "lives_in", "lyon"), "fr"), "J'habite à Paris", "paris"),
        (("Vives en Valencia", Triple("you", "lives_in", "valencia"), "es"), "Vivo en Sevilla", "sevilla"),
        (("Vivi a Bologna", Triple("you", "lives_in", "bologna"), "it"), "Abito a Milano", "milano"),
    ],
)
def test_a_sentence_that_states_the_fact_gives_its_object(
    fact: tuple[str, Triple, str], words: str, object_: str
) -> None:
    text, triple, language = fact
    assert stated_object(triple, text, language, words) == object_


@pytest.mark.parametrize(
    ("text", "language", "words", "object_"),
    [
        ("Ben likes jazz", "en", "I like blues", "blues"),
        ("Ben likes jazz", "en", "Ben likes blues", "blues"),
        ("Ben mag Jazz", "de", "Ich mag Blues", "blues"),
        ("Ben aime le jazz", "fr", "J'aime le thé", "thé"),
        ("A Ben le gusta el jazz", "es", "Me gusta el blues", "blues"),
        ("A Ben piace il jazz", "it", "Mi piace il blues", "blues"),
    ],
)
def test_whoever_is_heard_in_a_film_may_state_it_in_the_first_person(
    text: str, language: str, words: str, object_: str
) -> None:
    fact = Triple("ben", "likes", "jazz")
    assert stated_object(fact, text, language, words, of_speaker=True) == object_
