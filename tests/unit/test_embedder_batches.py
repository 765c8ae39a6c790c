"""The batches of the English embedder: of one length each, so that none is padded, and bounded in size."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.embedders.e5 import SHARED_TOKENS, SHORT, batches


@given(st.lists(st.integers(1, 2 * SHORT), max_size=200))
def test_texts_of_one_length_share_batches_of_nearly_the_same_size(lengths: list[int]) -> None:
    """Each text is in one batch, with none of another length; long ones are alone; the longest come first."""
    made = list(batches(lengths))
    assert sorted(row for rows in made for row in rows) == list(range(len(lengths)))
    sizes = defaultdict[int, list[int]](list)
    for rows in made:
        (length,) = {lengths[row] for row in rows}
        sizes[length].append(len(rows))
    assert list(sizes) == sorted(sizes, reverse=True)
    for length, of_length in sizes.items():
        assert max(of_length) - min(of_length) <= 1
        assert max(of_length) * length <= SHARED_TOKENS if length <= SHORT else max(of_length) == 1
