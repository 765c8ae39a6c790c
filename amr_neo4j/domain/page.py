"""A page of a list: what a limited list returns, in Python, on the command line and in JSON."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast, overload

from amr_neo4j.errors import InputError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, eq=False)
class Page(Sequence[T_co]):
    """A part of a list. It is a sequence of its items, and equals any sequence of the same items.

    total: how many items the whole list has.
    next: the cursor of the page after this one, for the argument `cursor` of the same call; None on the last page.
    notes: what did not go as asked, in a line each.
    """

    items: tuple[T_co, ...]
    total: int
    next: str | None = None
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, place: int) -> T_co: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T_co]: ...
    def __getitem__(self, place: int | slice) -> T_co | Sequence[T_co]:
        return self.items[place]

    def __len__(self) -> int:
        return len(self.items)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return self.items == tuple(cast(Sequence[object], other))

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as a list has none


def each_page(list_: Callable[..., Page[T]], given: Mapping[str, Any]) -> Iterator[T]:
    """Yield the items of a list of Memory, page after page. given: its arguments."""
    page = list_(**given)
    yield from page
    while page.next:
        page = list_(**given, cursor=page.next)
        yield from page


@dataclass(frozen=True)
class PageRequest:
    """Which page of a list is asked for.

    limit: the most items.
    after: the place after which the page begins, as `page` was given it for the page before; None for the first.
    """

    limit: int
    after: Any = None
    _list: str = ""

    @classmethod
    def of(cls, limit: int, cursor: str, *what: object) -> PageRequest:
        """Return the request for a page of the list `what`: its name and arguments.

        cursor: Page.next of the page before; empty for the first page. Raises InputError if it is of another list.
        """
        asked = cls(limit, None, repr(what))
        return cls(limit, asked._place_of(cursor), repr(what)) if cursor else asked

    def page(self, items: Sequence[T], total: int, place: Callable[[T], Any]) -> Page[T]:
        """Return the page of these items, which follow the last page.

        items: with one more than `limit`, if there are more.
        place: returns the place of an item, as JSON.
        """
        kept = tuple(items[: self.limit])
        more = len(items) > self.limit
        return Page(kept, total, self._cursor(place(kept[-1])) if more and kept else None)

    @property
    def start(self) -> int:
        """How many items come before the page, in a list whose places are counted."""
        return self.after or 0

    @property
    def end(self) -> int:
        """The same for the page after it."""
        return self.start + self.limit

    @property
    def bounds(self) -> dict[str, int]:
        """The parameters start and limit of a statement or call, for a list with numbered items."""
        return {"start": self.start, "limit": self.limit}

    def part(self, items: Sequence[T], total: int) -> Page[T]:
        """Return the page of these items, in a list with numbered items. items: from `start` to `end`."""
        return Page(tuple(items), total, self._cursor(self.end) if items and self.end < total else None)

    def _cursor(self, place: Any) -> str:
        return base64.urlsafe_b64encode(json.dumps([self._mark(place), place]).encode()).decode().rstrip("=")

    def _mark(self, place: Any) -> str:
        """Return what shows that a cursor was made for this list."""
        return hashlib.sha256(f"{self._list} {json.dumps(place)}".encode()).hexdigest()[:8]

    def _place_of(self, cursor: str) -> Any:
        try:
            mark, place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        except (ValueError, TypeError) as error:
            raise InputError(f"{cursor[:40]} is no cursor", hint="pass `next` of the page before") from error
        if mark != self._mark(place):
            hint = "pass `next` with the arguments that the page before was asked with"
            raise InputError("the cursor is of another list", hint=hint)
        return place


WHOLE = PageRequest(2**31 - 1)
"""Asks for a whole list."""
NOTHING = PageRequest(0)
"""Asks for no item of a list."""
