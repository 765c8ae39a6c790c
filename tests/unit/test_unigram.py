"""The cutting of texts into pieces, against the package whose files it reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

tokenizers = pytest.importorskip("tokenizers", reason="the extra [local] is not installed")

from amr_neo4j.embedders.unigram import Unigram  # noqa: E402 - needs the extra

PIECES = [
    ("<s>", 0.0),
    ("<pad>", 0.0),
    ("</s>", 0.0),
    ("<unk>", 0.0),
    ("▁", -4.0),
    ("a", -6.5),
    ("b", -6.0),
    ("▁a", -5.0),
    ("▁b", -5.25),
    ("ab", -7.0),
    ("ba", -7.125),
    ("▁ab", -8.0),
    ("bab", -9.0),
    ("é", -8.5),
    ('"', -9.5),
    ("\\", -9.75),
    ("猫", -10.0),
]


@pytest.fixture(scope="module")
def cutters(tmp_path_factory: pytest.TempPathFactory) -> tuple[Unigram, Any]:
    made = tokenizers.Tokenizer(tokenizers.models.Unigram(PIECES, unk_id=3, byte_fallback=False))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    file: Path = tmp_path_factory.mktemp("unigram") / "tokenizer.json"
    made.save(str(file), pretty=False)
    return Unigram.read(file), made


@given(text=st.text(alphabet='ab é"\\▁猫犬🙂\n', max_size=30))
def test_pieces_and_their_places_are_those_of_the_package(cutters: tuple[Unigram, Any], text: str) -> None:
    ours, package = cutters
    expected = package.encode(text)
    assert ours.tokens(text) == (expected.ids, expected.offsets)


def test_a_piece_is_read_as_it_is_written_in_json(cutters: tuple[Unigram, Any]) -> None:
    ours, _ = cutters
    assert list(ours.numbers) == [piece for piece, _ in PIECES]
    assert list(ours.scores) == [score for _, score in PIECES]
