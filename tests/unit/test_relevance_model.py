"""The installed network that reads a question and a turn together."""

from __future__ import annotations

import pytest

from amr_neo4j.embedders.pieces import Pieces
from amr_neo4j.embedders.relevance_model import RelevanceModel
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.settings import load


@pytest.fixture(scope="module")
def model() -> RelevanceModel:
    return RelevanceModel(Pieces(model_dir(load(), "reader")))


@pytest.mark.parametrize(
    ("turn", "helped", "others"),
    [
        ("I can't eat walnuts, my throat closes up", "Which cake could I order for myself?",
         ["How do you crack walnuts?", "What does my sister do for a living?"]),
        ("Mein Bruder Jens hat Höhenangst, er geht auf keinen Turm", "Wohin mache ich mit Jens einen Ausflug?",
         ["Wie hoch ist der Kölner Dom?", "Wie alt ist Jens?"]),
        ("J'ai vendu ma voiture en mars, je fais tout à vélo", "Comment je peux aller au boulot demain ?",
         ["Combien coûte une voiture neuve ?", "Où habite ma mère ?"]),
        ("Mi hija es alérgica al pelo de gato", "¿Le regalo un gatito a mi hija?",
         ["¿Cuánto vive un gato?", "¿Cuándo es el cumpleaños de mi padre?"]),
        ("Marco non beve più alcol da due anni", "Che cosa posso portare a cena da Marco?",
         ["Come si fa il vino?", "Che lavoro fa Marco?"]),
    ],
)  # fmt: skip
def test_a_turn_is_likelier_to_help_with_what_it_tells(
    model: RelevanceModel, turn: str, helped: str, others: list[str]
) -> None:
    (helps,) = model.relevance(helped, [turn])
    assert all(helps > model.relevance(other, [turn])[0] for other in others)


def test_texts_that_are_empty_or_long_are_read(model: RelevanceModel) -> None:
    assert model.relevance("", ["I live in Porto."]) == [0.0]
    assert model.relevance("Where do I live?", []) == []
    assert model.relevance("Where do I live?", ["", "🙂"])[0] == 0.0
    [helps] = model.relevance("word " * 5000, ["I live in Porto. " * 5000])
    assert 0 <= helps <= 1
