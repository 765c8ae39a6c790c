"""A page of a list: a sequence that says how many there are and how to go on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j import InputError, Page
from amr_neo4j.domain.page import PageRequest


@given(total=st.integers(0, 40), limit=st.integers(1, 12), keyed=st.booleans())
def test_pages_in_a_row_are_the_whole_list(total: int, limit: int, *, keyed: bool) -> None:
    """Whether places are counted, or are those of the last items."""
    whole, seen, cursor = list(range(total)), list[int](), ""
    while cursor is not None:
        asked = PageRequest.of(limit, cursor, "numbers", "anna")
        if keyed:
            rest = [n for n in whole if asked.after is None or n > asked.after]
            page = asked.page(rest[: limit + 1], total, lambda n: n)
        else:
            page = asked.part(whole[asked.start : asked.end], total)
        assert page.total == total and len(page) <= limit
        seen += page
        cursor = page.next
    assert seen == whole


def test_a_page_is_used_like_a_list() -> None:
    page = Page((1, 2, 3), 9, "x")
    assert page == [1, 2, 3] and page == (1, 2, 3) and page != [1, 2] and page == Page((1, 2, 3), 3)
    assert page[0] == 1 and page[-1] == 3 and list(page[1:]) == [2, 3] and 2 in page and bool(page)
    assert not Page[int]((), 0) and [*reversed(page)] == [3, 2, 1]


@pytest.mark.parametrize("cursor", ["x", "W10", "e30", "WzEsMiwzXQ", "ü", "bnVsbA"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InputError, match="is no cursor"):
        PageRequest.of(5, cursor, "facts")


def test_a_cursor_of_another_list_is_refused() -> None:
    page = PageRequest.of(2, "", "facts", "anna").part([1, 2], 3)
    assert page.next
    assert PageRequest.of(9, page.next, "facts", "anna").start == 2
    for other in (("facts", "ben"), ("persons",)):
        with pytest.raises(InputError, match="another list"):
            PageRequest.of(2, page.next, *other)
