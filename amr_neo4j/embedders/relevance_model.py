"""The network that reads a question and a turn together: multilingual-e5-small, trained further, on onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from amr_neo4j.embedders.pieces import Pieces
from amr_neo4j.embedders.unigram import BREAK, START
from amr_neo4j.onnx_session import LazySession

_GRAPH = "relevance.onnx"
# The most pieces of a question and of a turn. Longer ones are cut, as in training.
_QUESTION, _TURN = 60, 120
# Segments: nothing, the question's pieces, the turn's; and those of each that the other has too.
_NONE, _ASKED, _SAID, _ASKED_AND_SAID, _SAID_AND_ASKED = range(5)


class RelevanceModel:
    """Implements the port of the same name with an installed model folder. Thread-safe. Loaded when first used."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._session = LazySession(pieces.folder / _GRAPH)

    def relevance(self, question: str, turns: Sequence[str]) -> list[float]:
        """Return how likely each turn is to help with the question, in [0, 1]. A turn takes 5 to 10 ms."""
        asked = self._pieces.tokens(question).ids[:_QUESTION]
        return [self._of(asked, self._pieces.tokens(turn).ids[:_TURN]) for turn in turns]

    def _of(self, asked: list[int], said: list[int]) -> float:
        if not asked or not said:
            return 0.0
        both = set(asked).intersection(said)
        segments = [
            _NONE,
            *(_ASKED_AND_SAID if each in both else _ASKED for each in asked),
            _NONE,
            *(_SAID_AND_ASKED if each in both else _SAID for each in said),
            _NONE,
        ]
        inputs = {
            "words": self._pieces.vectors([START, *asked, BREAK, *said, BREAK])[None],
            "segments": np.array(segments, np.int64),
            "means": _means(segments),
        }
        (logit,) = self._session.run(inputs)
        return float(1 / (1 + np.exp(-np.asarray(logit).item())))


def _means(segments: Sequence[int]) -> np.ndarray:
    """Return the weights that average the vectors of the question and of the turn: float32, shape (2, pieces)."""
    kinds = np.array(segments)
    parts = np.stack([np.isin(kinds, (_ASKED, _ASKED_AND_SAID)), np.isin(kinds, (_SAID, _SAID_AND_ASKED))])
    return (parts / parts.sum(axis=1, keepdims=True)).astype(np.float32)
