"""The network that finds statements in turns: multilingual-e5-small, trained further, on onnxruntime."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from amr_neo4j.domain.spans import SpanLabels, SpanScores, Tokens
from amr_neo4j.four_bits import unpacked
from amr_neo4j.onnx_session import open_session


class SpanModel:
    """Implements the port of the same name with an installed model folder. Thread-safe. Loaded when first used."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loading = Lock()

    @property
    def labels(self) -> SpanLabels:
        """What it tells apart."""
        return self._labels

    @cached_property
    def _labels(self) -> SpanLabels:
        labels = json.loads((self._folder / "labels.json").read_text(encoding="utf-8"))
        with np.load(self._folder / "heads.npz") as heads:
            return SpanLabels(tuple(labels["types"]), tuple(labels["which"]), **{name: heads[name] for name in heads})

    def tokens(self, text: str) -> Tokens:
        """Return the tokens of a text, with the (start, end) characters of each."""
        read, places = self._characters_of(text)
        encoding = self._tokenizer.encode(read)
        spans: list[tuple[int, int]] = []
        for begin, end in encoding.offsets:
            start = end - len(read[begin:end].lstrip())
            first = places[start] if start < len(places) else len(text)
            spans.append((first, places[end - 1] + 1 if end > start else first))
        return Tokens(encoding.ids, spans)

    def scores(self, ids: list[int], segments: list[int]) -> SpanScores:
        """Return what the network says of tokens. segments: 1 for those of the turn, 2 of turns before, 0 between."""
        inputs = {"words": unpacked(self._words[ids])[None], "segments": np.array(segments, np.int64)}
        return SpanScores(*(np.asarray(each).reshape(len(ids), -1) for each in self._session.run(None, inputs)))

    def _characters_of(self, text: str) -> tuple[str, list[int]]:
        """Return the text as the tokenizer reads it, and the character of the text that each of its characters is."""
        read: list[str] = []
        places: list[int] = []
        for place, character in enumerate(text):
            for each in self._characters.get(character, character):
                if not (each == " " and read and read[-1] == " "):
                    read.append(each)
                    places.append(place)
        return "".join(read), places

    @cached_property
    def _words(self) -> np.ndarray:
        return np.load(self._folder / "words.npy", mmap_mode="r")

    @cached_property
    def _characters(self) -> dict[str, str]:
        return json.loads((self._folder / "characters.json").read_text(encoding="utf-8"))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer.from_file(str(self._folder / "tokenizer.json"))

    @property
    def _session(self) -> Any:
        with self._loading:
            return self._loaded

    @cached_property
    def _loaded(self) -> Any:
        return open_session(self._folder / "reader.onnx")
