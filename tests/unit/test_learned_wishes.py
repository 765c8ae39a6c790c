"""Wishes to forget in words that no rule knows."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j.domain.fact import Triple, TurnContext
from amr_neo4j.embedders.pieces import Pieces
from amr_neo4j.embedders.span_model import SpanModel
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.settings import load
from amr_neo4j.turn_reader.learned import LearnedReader
from amr_neo4j.turn_reader.understand import read_by_rules

GOLD = Path(__file__).parents[1] / "gold"
HOME = {
    "en": ("I live in Derby.", "derby"),
    "de": ("Ich wohne in Kassel.", "kassel"),
    "fr": ("J'habite à Nantes.", "nantes"),
    "es": ("Vivo en Murcia.", "murcia"),
    "it": ("Abito a Parma.", "parma"),
}


@pytest.fixture(scope="module")
def reader() -> LearnedReader:
    return LearnedReader(SpanModel(Pieces(model_dir(load(), "reader")), model_dir(load(), "multilingual-e5")))


def context(language: str) -> TurnContext:
    said, place = HOME[language]
    return TurnContext((said,), believed=(Triple("you", "lives_in", place),))


@pytest.mark.parametrize(
    ("language", "turn"),
    [
        ("en", "Hmm, could Derby be kept out of your records? That was private."),
        ("en", "scratch what I just said, nobody needs that on file"),
        ("de", "Ach, das mit Kassel streich bitte wieder aus deinen Notizen, das geht niemanden was an."),
        ("fr", "Nantes, j'aimerais mieux que ça ne reste pas dans tes fiches."),
        ("es", "Preferiría que lo de Murcia no quedara guardado en ningún sitio."),
        ("it", "Parma, per favore, cancellala dalla tua memoria: è una cosa privata."),
    ],
)
def test_a_wish_in_any_words_takes_back_what_it_means(reader: LearnedReader, language: str, turn: str) -> None:
    assert not read_by_rules(turn, language, context(language)).forgets
    read = reader(turn, language, context(language))
    assert read.forgets and read.retracted == context(language).believed


@pytest.mark.parametrize(
    ("language", "turn"),
    [
        ("en", "Don't forget I live in Derby when you look up the trains."),
        ("en", "Remove my name from the mailing list in Derby."),
        ("en", "I keep forgetting where I live, haha."),
        ("de", "Ich habe die Wetter-App für Kassel gelöscht."),
        ("fr", "Nantes a perdu hier, quelle soirée."),
        ("es", "He borrado la aplicación del tiempo de Murcia."),
        ("it", "A Parma ho dimenticato l'ombrello."),
    ],
)
def test_what_only_sounds_like_one_takes_back_nothing(reader: LearnedReader, language: str, turn: str) -> None:
    read = reader(turn, language, context(language))
    assert not read.forgets and not read.retracted


def test_nothing_known_is_nothing_to_forget(reader: LearnedReader) -> None:
    assert not reader("scratch what I just said, nobody needs that on file", "en").forgets


def test_the_weights_are_of_the_data() -> None:
    files = [
        GOLD / "acts" / "open.jsonl",
        GOLD / "acts" / "lookalikes.jsonl",
        *(each for each in sorted((GOLD / "dev").glob("*.jsonl")) if not each.stem.endswith(("-chat", "-ends"))),
    ]
    digest = hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()
    with np.load(str(resources.files("amr_neo4j.turn_reader").joinpath("wish_weights.npz"))) as weights:
        assert str(weights["trained_on"]) == digest
