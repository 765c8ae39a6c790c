"""The batches of the local embedder: their memory is bounded, and onnxruntime keeps that of the largest."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.embedders.transformers import BATCH, BATCH_TOKENS, MAX_TOKENS, _batches


@given(st.lists(st.integers(2, MAX_TOKENS), max_size=200))
def test_a_batch_has_a_bounded_number_of_tokens(lengths: list[int]) -> None:
    """Each text is in one batch; a batch with padding has at most BATCH_TOKENS, and takes the next text if it can."""
    batches = list(_batches(lengths))
    assert sorted(row for rows in batches for row in rows) == list(range(len(lengths)))
    assert all(
        len(rows) <= BATCH and len(rows) * max(lengths[row] for row in rows) <= BATCH_TOKENS for rows in batches
    )
    for rows, after in pairwise(batches):
        assert len(rows) == BATCH or (len(rows) + 1) * lengths[after[0]] > BATCH_TOKENS
