"""BM25 among the events at hand. The index ranks among all that a server holds: there another tenant's long texts
make short ones of this one look long, and its words decide which of ours are rare."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.floating[Any]]
# How much the first repetitions of a word add, and how much a long text loses. Texts here are short.
K1, B = 1.2, 0.5


def bm25(counts: Values, lengths: Values) -> Values:
    """The score of each text, shape (texts,) (Robertson and Zaragoza 2009).

    counts: how often each term is in each text, shape (terms, texts). lengths: in words, shape (texts,).
    """
    texts = len(lengths)
    holding = (counts > 0).sum(axis=1)
    rarity = np.log(1 + (texts - holding + 0.5) / (holding + 0.5))
    damped = K1 * (1 - B + B * lengths / ((lengths.mean() if texts else 0.0) or 1.0))
    found: Values = counts * (K1 + 1) / np.maximum(counts + damped, np.finfo(np.float64).tiny)
    return rarity @ found
