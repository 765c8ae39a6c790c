"""The network that finds statements in turns: multilingual-e5-small, trained further, on onnxruntime."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

import numpy as np

from amr_neo4j.domain.spans import SpanLabels, SpanScores, Tokens
from amr_neo4j.embedders.e5 import PASSAGE
from amr_neo4j.embedders.pieces import Pieces
from amr_neo4j.embedders.unigram import BREAK, START
from amr_neo4j.onnx_session import LazySession

_MOST_TOKENS = 200  # tokens


class SpanModel:
    """Implements the port of the same name with an installed model folder. Thread-safe. Loaded when first used."""

    def __init__(self, pieces: Pieces, published: Path | None = None) -> None:
        """published: the folder of multilingual-e5 as it was published, for `meaning`."""
        self._pieces, self._folder, self._published = pieces, pieces.folder, published
        self._session = LazySession(pieces.folder / "reader.onnx")
        self._embedder = LazySession(published / "model.onnx") if published else None

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
        return self._pieces.tokens(text)

    def scores(self, ids: list[int], segments: list[int]) -> SpanScores:
        """Return the output of the network. segments: 1 for tokens of the turn, 2 of turns before, 0 between."""
        inputs = {"words": self._pieces.vectors(ids)[None], "segments": np.array(segments, np.int64)}
        return SpanScores(*(np.asarray(each).reshape(len(ids), -1) for each in self._session.run(inputs)))

    def meaning(self, text: str) -> np.ndarray | None:
        """Return the vector that the published network gives to a text, float32, shape (384,); None without it."""
        if self._embedder is None:
            return None
        ids = [START, *self._pieces.tokens(PASSAGE + text).ids[:_MOST_TOKENS], BREAK]
        inputs = {"words": self._pieces.vectors(ids)[None], "taken": self._taken}
        return np.asarray(self._embedder.run(inputs)[0])[0]

    @cached_property
    def _taken(self) -> np.ndarray:
        """What the conversion took out of the graph for passages."""
        return np.load((self._published or self._folder) / "taken.npy")[0]
