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
