"""Notes which facts are asked for outside live conversations, and how many searches of a model find something."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from threading import Lock

from amr_neo4j.domain.belief import ShownFact
from amr_neo4j.domain.recall import Recalled
from amr_neo4j.errors import AmrError

# Seconds between two writes. What is noted in between is kept in memory.
_EVERY = 30.0
Write = Callable[[str, str, Mapping[str, int], Sequence[ShownFact]], None]
"""(group_id, user_id, {count: number to add}, facts) adds to what the graph has noted of a user."""


class UseNotes:
    """Collects what is noted and writes it seldom, so that reading stays fast. Thread-safe.

    A note is lost if it cannot be written: no answer may fail for it.
    """

    def __init__(self, write: Write, now: Callable[[], datetime]) -> None:
        self._write, self._now = write, now
        self._lock = Lock()
        self._asked: dict[tuple[str, str], dict[str, ShownFact]] = {}
        self._counts: dict[tuple[str, str], Counter[str]] = {}
        self._written = time.monotonic()

    def asked(self, group_id: str, user_id: str, facts: Iterable[Recalled]) -> None:
        """Note that a user's facts were asked for now."""
        now = self._now()
        noted = {fact.fact_id: ShownFact(fact.fact_id, now, asked=True) for fact in facts if fact.fact_id}
        if noted and user_id:
            with self._lock:
                self._asked.setdefault((group_id, user_id), {}).update(noted)
            self._write_sometimes()

    def searched(self, group_id: str, user_id: str, *, found: bool) -> None:
        """Count a search of a model whose reply is not seen. It counts as helpful if it found something."""
        if user_id:
            with self._lock:
                counts = self._counts.setdefault((group_id, user_id), Counter())
                counts.update(searched=1, search_helped=int(found))
            self._write_sometimes()

    def flush(self) -> None:
        """Write what has been noted."""
        with self._lock:
            asked, counts = self._asked, self._counts
            self._asked, self._counts, self._written = {}, {}, time.monotonic()
        for group_id, user_id in asked.keys() | counts.keys():
            whose = (group_id, user_id)
            with suppress(AmrError):
                self._write(*whose, counts.get(whose, {}), list(asked.get(whose, {}).values()))

    def _write_sometimes(self) -> None:
        if time.monotonic() - self._written >= _EVERY:
            self.flush()
