"""One part of a memory, made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
# Numbers the parts in the order they were made; `Parts.close` closes them in reverse.
_ORDER = count(1)


class Part(Generic[T]):
    """An object that is made at the first call of the Part, once, in whichever thread. Every call returns it."""

    def __init__(
        self, make: Callable[[], T], close: Callable[[T], object] = lambda made: None, *, works: bool = False
    ) -> None:
        """works: the object has a thread that uses other parts, so it is closed before them."""
        self._make, self._close, self.works = make, close, works
        self._made: list[T] = []
        self._lock = Lock()
        self.order = 0

    def __call__(self) -> T:
        with self._lock:
            made = self._made
            if not made:
                # The order is taken after making: a part that is made on the way is older, and is closed later.
                self.use(made := self._make())
                return made
            return made[0]

    def if_made(self) -> T | None:
        """Return the object if it has been made, else None."""
        return self._made[0] if self._made else None

    def use(self, made: T) -> None:
        """Use this object from now on."""
        self._made, self.order = [made], next(_ORDER)

    def close(self) -> None:
        """Close the object if it was made, and drop it. Safe to repeat."""
        made, self._made = self._made, []
        for each in made:
            self._close(each)
