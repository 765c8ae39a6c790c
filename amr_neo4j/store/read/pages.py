"""Pages of lists whose places are counted: statements with the parameters start and limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.store.database import Row, whole

T = TypeVar("T")


def page_of(rows: Sequence[Row], asked: PageRequest, key: str, shape: Callable[[Row], T]) -> Page[T]:
    """Return the page that a statement returned.

    rows: each with the column `total`. If the page is empty but the list is not, the statement returns one row with
        the total and no item. If the list is empty, it returns no row.
    key: a column that every item has.
    shape: makes the item of a row without its total.
    """
    total = rows[0]["total"] if rows else 0
    items = [{name: value for name, value in row.items() if name != "total"} for row in whole(rows, key)]
    return asked.part([shape(item) for item in items], total)
