"""The network that finds statements in turns: multilingual-e5-small, trained further, on onnxruntime."""

from __future__ import annotations

import json
from functools import cached_property

import numpy as np

from amr_neo4j.domain.spans import SpanLabels, SpanScores, Tokens
from amr_neo4j.embedders.pieces import Pieces
from amr_neo4j.onnx_session import LazySession


class SpanModel:
    """Implements the port of the same name with an installed model folder. Thread-safe. Loaded when first used."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces, self._folder = pieces, pieces.folder
        self._session = LazySession(pieces.folder / "reader.onnx")

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
        """Return what the network says of tokens. segments: 1 for those of the turn, 2 of turns before, 0 between."""
        inputs = {"words": self._pieces.vectors(ids)[None], "segments": np.array(segments, np.int64)}
        return SpanScores(*(np.asarray(each).reshape(len(ids), -1) for each in self._session.run(inputs)))
