"""Names that are suggested in place of one that nothing has."""

from __future__ import annotations

import pytest

from amr_neo4j.store.read.similar_names import similar_to

KNOWN = ["office-7398f8ba", "Kitchen", "kitchen_noon", "kitchen_evening", "kitchen_night", "hall"]


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("office", ["office-7398f8ba"]),
        ("OFFICE-73", ["office-7398f8ba"]),
        ("kitchen", ["Kitchen", "kitchen_noon", "kitchen_evening"]),
        ("kitchn", ["Kitchen"]),
        ("garage", []),
    ],
)
def test_names_that_begin_so_or_are_spelt_alike(name: str, similar: list[str]) -> None:
    assert similar_to(name, KNOWN)[: len(similar) or 1] == similar
