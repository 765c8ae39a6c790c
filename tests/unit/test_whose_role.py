"""A turn that says "my dog" is reminded of the user's dog, and of nobody else's, in whatever form it asks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from amr_neo4j.turn_reader.understand import Understander
from tests.unit.test_quoted_turns import LANGUAGES, talk

SAID = {
    "en": (["my dog is called Rex", "my aunt Liz has a dog, Crumb"], "Rex"),
    "de": (["meine Dogge Wotan frisst nicht", "meine Tante Liesel hat einen Dackel, Krümel"], "Wotan"),
    "fr": (["mon chien s'appelle Rex", "ma tante Liz a un chien, Croquette"], "Rex"),
    "es": (["mi perro se llama Rex", "mi tía Liz tiene un perro, Miga"], "Rex"),
    "it": (["il mio cane si chiama Rex", "mia zia Liz ha un cane, Briciola"], "Rex"),
}


@pytest.fixture(scope="module")
def understander() -> Understander:
    return Understander(LANGUAGES)


def hints(understander: Understander, turns: Sequence[str], turn: str) -> list[str]:
    return [hint.text for hint in talk(understander, turns).observe(turn).hints]


@pytest.mark.parametrize(
    ("code", "turn"),
    [
        ("en", "the vet wants to know what my dog is called"),
        ("en", "the vet asked for my dog's name"),
        ("en", "What's my dog called?"),
        ("de", "der Tierarzt will wissen, wie mein Hund heißt"),
        ("de", "Wie heißt mein Hund?"),
        ("fr", "le vétérinaire veut savoir comment s'appelle mon chien"),
        ("es", "el veterinario quiere saber cómo se llama mi perro"),
        ("it", "il veterinario vuole sapere come si chiama il mio cane"),
    ],
)
def test_my_dog_is_nobody_elses(understander: Understander, code: str, turn: str) -> None:
    """Words such as "called" ask for the name of whoever has a role, so an aunt counted as meant, with her dog."""
    said, name = SAID[code]
    found = hints(understander, said, turn)
    assert len(found) == 1 and name in found[0]


def test_whoever_is_named_by_a_role_is_meant(understander: Understander) -> None:
    said, _ = SAID["en"]
    assert "Crumb is Liz's dog" in hints(understander, said, "my aunt asked me what her dog is called again, haha")
    assert "Your aunt is Liz" in hints(understander, said, "What's my aunt called?")
