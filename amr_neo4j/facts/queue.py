"""Embeds the facts that wait for it; the graph is the queue, so none is lost with a process (specification 002 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amr_neo4j.domain.fact import WaitingFact
from amr_neo4j.domain.ports import Embedder, FactQueue
from amr_neo4j.errors import AmrError, ModelError, ModelMissing, RequestRefused

MOST_ATTEMPTS = 5
"""A fact that an embedder refuses so often is given up."""

_PAGE = 64
_FIRST_WAIT, _LONGEST_WAIT = 2.0, 3600.0


class FactEmbedding:
    """Embeds the facts of one group that wait for it."""

    def __init__(self, queue: FactQueue, embedder: Callable[[], Embedder], now: Callable[[], float]) -> None:
        """now: seconds since 1970."""
        self._queue, self._embedder, self._now = queue, embedder, now

    def run(self, more: Callable[[], bool] = lambda: True) -> int:
        """Embed what is due, page by page, while `more`; returns how many facts were embedded.

        A fact that the embedder refuses is tried again after a growing pause, MOST_ATTEMPTS times in all. Raises
        StoreError, EmbedderMismatch, and what says that the embedder is away (other ModelErrors, ModelMissing): that
        is no fault of a fact, and none is postponed for it.
        """
        done = 0
        while more() and (page := self._queue.due(self._now(), _PAGE)):
            done += self._embed(page)
        return done

    def _embed(self, facts: Sequence[WaitingFact]) -> int:
        """Embed some facts, one by one where the embedder refuses them together."""
        embedder = self._embedder()
        try:
            vectors = embedder.embed([fact.text for fact in facts])
        except AmrError as error:
            if isinstance(error, ModelError | ModelMissing) and not isinstance(error, RequestRefused):
                raise
            if len(facts) == 1:
                self._postpone(facts[0], error.message)
                return 0
            half = len(facts) // 2
            return self._embed(facts[:half]) + self._embed(facts[half:])
        self._queue.commit(facts, vectors, embedder.model)
        return len(facts)

    def _postpone(self, fact: WaitingFact, why: str) -> None:
        attempts = fact.attempts + 1
        after = self._now() + wait(attempts) if attempts < MOST_ATTEMPTS else None
        self._queue.postpone([fact], attempts, after, why)


def wait(attempts: int) -> float:
    """Seconds after the n-th failure, n from 1: 2, 4, 8 ... an hour at most."""
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (attempts - 1))
