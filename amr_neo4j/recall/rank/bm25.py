"""BM25 among the candidates.

The full-text index ranks among everything on the server: other tenants' texts would decide which words are rare and
which texts are long.
"""

from __future__ import annotations

import numpy as np

from amr_neo4j.recall.evidence.pool import Values

# Term saturation and length normalisation for short texts: whether a word occurs counts, not how often.
K1, B = 0.4, 0.5


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
