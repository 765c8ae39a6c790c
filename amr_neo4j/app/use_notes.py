"""Notes which facts are asked for outside live conversations, and how many searches of a model find something."""

from __future__ import annotations

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from threading import Lock

from amr_neo4j.domain.belief import ShownFact
from amr_neo4j.domain.recall import Recalled
from amr_neo4j.errors import AmrError, StoreDenied, StoreUnavailable

_log = logging.getLogger(__name__)
# Seconds between two writes. What is noted in between is kept in memory.
_EVERY = 30.0
Write = Callable[[str, str, Mapping[str, int], Sequence[ShownFact]], None]
"""Takes (group_id, user_id, {name of a count: number to add}, facts), and adds them to the counts in the graph."""


class UseNotes:
    """Collects notes and writes them at most every 30 seconds, so that reading stays fast. Thread-safe.

    A note that cannot be written never makes an answer fail. It is kept in memory and tried again until the process
    ends.
    """

    def __init__(self, write: Write, now: Callable[[], datetime]) -> None:
        self._write, self._now = write, now
        self._lock = Lock()
        # By (group_id, user_id).
        self._asked: defaultdict[tuple[str, str], dict[str, ShownFact]] = defaultdict(dict)
        self._counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._written = time.monotonic()

    def asked(self, group_id: str, user_id: str, facts: Iterable[Recalled]) -> None:
        """Note that a user's facts were asked for now."""
        now = self._now()
        noted = {fact.fact_id: ShownFact(fact.fact_id, now, asked=True) for fact in facts if fact.fact_id}
        if noted and user_id:
            with self._lock:
                self._asked[group_id, user_id].update(noted)
            self._write_sometimes()

    def searched(self, group_id: str, user_id: str, *, found: bool) -> None:
        """Count a search of a model whose reply is not seen. It counts as helpful if it found something."""
        if user_id:
            with self._lock:
                self._counts[group_id, user_id].update(searched=1, search_helped=int(found))
            self._write_sometimes()

    def flush(self) -> None:
        """Write what has been noted."""
        with self._lock:
            asked, counts = dict(self._asked), dict(self._counts)
            self._asked.clear()
            self._counts.clear()
            self._written = time.monotonic()
        for whose in asked.keys() | counts.keys():
            facts, numbers = asked.get(whose, {}), counts.get(whose, Counter())
            try:
                self._write(*whose, numbers, list(facts.values()))
            except (StoreUnavailable, StoreDenied):
                with self._lock:
                    self._asked[whose] = facts | self._asked[whose]  # what was noted during the write is newer
                    self._counts[whose].update(numbers)
            except AmrError as error:
                _log.warning("what was asked for could not be noted: %s", error)

    def _write_sometimes(self) -> None:
        if time.monotonic() - self._written >= _EVERY:
            self.flush()
