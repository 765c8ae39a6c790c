"""Embeds facts that wait for an embedding (specification 002 1).

The queue is in the graph, so no waiting fact is lost when a process ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amr_neo4j.domain.fact import WaitingFact
from amr_neo4j.domain.ports import Embedder, FactQueue
from amr_neo4j.errors import AmrError, ModelError, ModelMissing, RequestRefused

MOST_ATTEMPTS = 5
"""After this many refusals by the embedder, a fact is given up."""

# Facts that are embedded by one call.
_PAGE = 64
_FIRST_WAIT, _LONGEST_WAIT = 2.0, 3600.0


class FactEmbedding:
    """Embeds the waiting facts of one group."""

    def __init__(self, queue: FactQueue, embedder: Callable[[], Embedder], now: Callable[[], float]) -> None:
        """embedder: opens the group's embedder, once a page. now: seconds since 1970."""
        self._queue, self._embedder, self._now = queue, embedder, now

    def run(self, more: Callable[[], bool] = lambda: True) -> int:
        """Embed the facts that are due, page by page, while `more()` is true; return how many were embedded.

        A fact that the embedder refuses is tried again after a growing pause, MOST_ATTEMPTS times in all.
        Raises StoreError; EmbedderMismatch; ModelMissing or a ModelError other than RequestRefused: the embedder
        cannot be used. That is not the fault of a fact, so none is postponed for it.
        """
        done = 0
        while more() and (page := self._queue.due(self._now(), _PAGE)):
            done += self._embed(page)
        return done

    def _embed(self, facts: Sequence[WaitingFact]) -> int:
        """Embed some facts and return how many were embedded.

        If the embedder refuses them together, halves are tried until the refused fact stands alone.
        """
        embedder = self._embedder()
        try:
            vectors = embedder.embed([fact.text for fact in facts])
        except AmrError as error:
            if isinstance(error, ModelError | ModelMissing) and not isinstance(error, RequestRefused):
                raise
            if len(facts) == 1:
                self._postpone(facts[0], error.message)
                return 0
            # A provider refuses a whole request for one text and does not say which.
            half = len(facts) // 2
            return self._embed(facts[:half]) + self._embed(facts[half:])
        self._queue.commit(facts, vectors, embedder.model)
        return len(facts)

    def _postpone(self, fact: WaitingFact, why: str) -> None:
        attempts = fact.attempts + 1
        after = self._now() + wait(attempts) if attempts < MOST_ATTEMPTS else None
        self._queue.postpone([fact], attempts, after, why)


def wait(attempts: int) -> float:
    """Return the seconds to wait after the n-th failure, n from 1: 2, 4, 8 ... an hour at most."""
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (attempts - 1))
