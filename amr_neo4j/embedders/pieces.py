"""The pieces of words that networks of an installed model folder read, and their vectors."""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from amr_neo4j.domain.spans import Tokens
from amr_neo4j.embedders.unigram import Unigram
from amr_neo4j.four_bits import unpacked

_KEPT = 256
"""The tokens of so many texts are kept: each turn is read again with the turns after it."""


class Pieces:
    """The tokenizer of a model folder and the vectors of its pieces. Thread-safe. Loaded when first used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tokens = lru_cache(_KEPT)(self._tokens)
        """Returns the tokens of a text, with the (start, end) characters of each."""

    def _tokens(self, text: str) -> Tokens:
        read, places = self._characters_of(text)
        pieces = self._unigram.tokens(read)
        spans: list[tuple[int, int]] = []
        for begin, end in pieces.spans:
            start = end - len(read[begin:end].lstrip())
            first = places[start] if start < len(places) else len(text)
            spans.append((first, places[end - 1] + 1 if end > start else first))
        return Tokens(pieces.ids, spans)

    def vectors(self, ids: list[int]) -> np.ndarray:
        """Return the vectors of pieces, float32, shape (pieces, 384)."""
        return unpacked(self._words[ids])

    def _characters_of(self, text: str) -> tuple[str, list[int]]:
        """Return the text as the tokenizer reads it, and the character of the text that each of its characters is."""
        read: list[str] = []
        places: list[int] = []
        for place, character in enumerate(text):
            for each in self._characters.get(character, character):
                if not (each == " " and read and read[-1] == " "):
                    read.append(each)
                    places.append(place)
        # The tokenizer refuses lone surrogates. Each becomes one character, so that places stay.
        return "".join(read).encode("utf-8", "replace").decode(), places

    @cached_property
    def _words(self) -> np.ndarray:
        return np.load(self.folder / "words.npy", mmap_mode="r")

    @cached_property
    def _characters(self) -> dict[str, str]:
        return json.loads((self.folder / "characters.json").read_text(encoding="utf-8"))

    @cached_property
    def _unigram(self) -> Unigram:
        return Unigram.read(self.folder / "tokenizer.json")
