from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.batches import batched


@given(st.lists(st.integers()), st.integers(1, 7))
def test_batches_together_are_the_items_and_all_but_the_last_are_full(items: list[int], most: int) -> None:
    found = list(batched(items, most))
    assert [item for batch in found for item in batch] == items
    assert all(len(batch) == most for batch in found[:-1])
    assert all(found)


def test_no_item_is_read_before_its_batch_is_wanted() -> None:
    """So that what comes through a pipe is committed before the next line is there."""
    items = iter(range(5))
    assert next(batched(items, 2)) == [0, 1]
    assert next(items) == 2
