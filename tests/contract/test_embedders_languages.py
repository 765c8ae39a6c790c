"""The multilingual encoder: a sentence is nearest to its own translation."""

from __future__ import annotations

import numpy as np
import pytest

from amr_neo4j import settings
from amr_neo4j.domain.ports import Embedder
from amr_neo4j.errors import ModelMissing
from amr_neo4j.wiring.embedder import open_embedder

ENGLISH = [
    "The man opens the fridge.",
    "A dog runs across the street.",
    "She is reading a book.",
    "It is raining today.",
]
TRANSLATIONS = {
    "es": [
        "El hombre abre la nevera.",
        "Un perro cruza la calle corriendo.",
        "Ella está leyendo un libro.",
        "Hoy llueve.",
    ],
    "fr": ["L'homme ouvre le frigo.", "Un chien traverse la rue.", "Elle lit un livre.", "Il pleut aujourd'hui."],
    "de": [
        "Der Mann öffnet den Kühlschrank.",
        "Ein Hund rennt über die Straße.",
        "Sie liest ein Buch.",
        "Heute regnet es.",
    ],
    "it": [
        "L'uomo apre il frigorifero.",
        "Un cane corre per la strada.",
        "Lei sta leggendo un libro.",
        "Oggi piove.",
    ],
}


@pytest.fixture(scope="module")
def encoder() -> Embedder:
    try:
        return open_embedder(settings.load(embedder="multilingual-e5"))
    except ModelMissing as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_is_the_nearest(encoder: Embedder, language: str) -> None:
    likeness = encoder.embed(TRANSLATIONS[language]) @ encoder.embed(ENGLISH).T
    assert likeness.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.diag(likeness).min() > encoder.unrelated
