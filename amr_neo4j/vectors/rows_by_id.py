"""Which row has the vector of an id, whatever the ids are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]

NO_ROW = -1
# Ids that follow one another share a page; one that stands alone costs a page of 1 KiB, less than its vector.
_BITS = 8
_SIZE = 1 << _BITS


class RowsById:
    """id -> row, in pages of 256 ids, made where an id is: memory grows with the ids, not with the highest."""

    def __init__(self) -> None:
        self._page_of: dict[int, int] = {}
        self._pages = np.empty((0, _SIZE), np.int32)

    def get(self, ids: Ids) -> Ids:
        """Returns the row of each id, -1 where there is none."""
        rows = np.full(len(ids), NO_ROW, np.int64)
        pages = self._pages_of(ids)
        known = pages >= 0
        rows[known] = self._pages[pages[known], ids[known] & (_SIZE - 1)]
        return rows

    def set(self, ids: Ids, rows: Ids | int) -> None:
        """Set the row of each id."""
        for number in np.unique(ids >> _BITS).tolist():
            self._page_of.setdefault(number, len(self._page_of))
        if (needed := len(self._page_of)) > len(self._pages):
            wider = np.full((max(needed, 2 * len(self._pages)), _SIZE), NO_ROW, np.int32)
            wider[: len(self._pages)] = self._pages
            self._pages = wider
        self._pages[self._pages_of(ids), ids & (_SIZE - 1)] = rows

    def _pages_of(self, ids: Ids) -> Ids:
        """The place of the page of each id, -1 where there is none."""
        numbers, which = np.unique(ids >> _BITS, return_inverse=True)
        places = [self._page_of.get(number, NO_ROW) for number in numbers.tolist()]
        return np.asarray(places, np.int64)[which]
