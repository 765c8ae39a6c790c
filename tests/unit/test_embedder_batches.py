"""The batches of the local embedders: their memory is bounded, and onnxruntime keeps that of the largest."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.embedders.transformers import (
    BATCH,
    BATCH_TOKENS,
    MAX_TOKENS,
    SHARED_TOKENS,
    SHORT,
    _equal,
    _similar,
)


@given(st.lists(st.integers(2, MAX_TOKENS), max_size=200))
def test_a_batch_has_a_bounded_number_of_tokens(lengths: list[int]) -> None:
    """Each text is in one batch; a batch with padding has at most BATCH_TOKENS, and takes the next text if it can."""
    batches = list(_similar(lengths))
    assert sorted(row for rows in batches for row in rows) == list(range(len(lengths)))
    assert all(
        len(rows) <= BATCH and len(rows) * max(lengths[row] for row in rows) <= BATCH_TOKENS for rows in batches
    )
    for rows, after in pairwise(batches):
        assert len(rows) == BATCH or (len(rows) + 1) * lengths[after[0]] > BATCH_TOKENS


@given(st.lists(st.integers(1, 2 * SHORT), max_size=200))
def test_texts_of_one_length_share_batches_of_nearly_the_same_size(lengths: list[int]) -> None:
    """Each text is in one batch, with none of another length; long ones are alone; the longest come first."""
    batches = list(_equal(lengths))
    assert sorted(row for rows in batches for row in rows) == list(range(len(lengths)))
    sizes = defaultdict[int, list[int]](list)
    for rows in batches:
        (length,) = {lengths[row] for row in rows}
        sizes[length].append(len(rows))
    assert list(sizes) == sorted(sizes, reverse=True)
    for length, of_length in sizes.items():
        assert max(of_length) - min(of_length) <= 1
        assert max(of_length) * length <= SHARED_TOKENS if length <= SHORT else max(of_length) == 1
