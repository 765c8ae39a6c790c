"""Cuts iterables into batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], most: int) -> Iterator[list[T]]:
    """Yield the items in order, in lists of `most`; the last may be shorter. As itertools.batched of Python 3.12."""
    source = iter(items)
    while batch := list(islice(source, most)):
        yield batch
