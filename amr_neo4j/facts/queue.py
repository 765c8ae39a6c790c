"""Embeds the facts and turns that wait for an embedding (specification 002 1).

The queue is in the graph, so nothing that waits is lost when a process ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from amr_neo4j.domain.fact import WaitingText
from amr_neo4j.domain.ports import Embedder, EmbeddingQueue, Follow
from amr_neo4j.errors import AmrError, EmbedderMismatch, ModelError, ModelMissing, RequestRefused

MOST_ATTEMPTS = 5
"""After this many refusals by the embedder, a text is given up."""

# Texts that are embedded by one call. A question that arrives during it shares the processor with at most one page.
_TEXTS_PER_CALL = 32
_FIRST_WAIT, _LONGEST_WAIT = 2.0, 3600.0


class QueuedEmbedding:
    """Embeds what waits in one group."""

    def __init__(
        self,
        queue: EmbeddingQueue,
        embedder: Callable[[], Embedder],
        now: Callable[[], float],
        follow: Follow = lambda embedded: False,
    ) -> None:
        """embedder: opens the group's embedder, once a page.

        now: seconds since 1970.
        """
        self._queue, self._embedder, self._now, self._follow = queue, embedder, now, follow

    def run(self, more: Callable[[], bool] = lambda: True) -> int:
        """Embed what is due, page by page, while `more()` is true; return how many were embedded.

        A text that the embedder refuses is tried again after a growing pause, MOST_ATTEMPTS times in all.
        Raises StoreError; EmbedderMismatch; ModelMissing or a ModelError other than RequestRefused: the embedder
        cannot be used. That is not the fault of a text, so none is postponed for it.
        """
        done = 0
        while more() and (page := self._queue.due(self._now(), _TEXTS_PER_CALL)):
            done += self._embed(page)
        return done

    def _embed(self, texts: Sequence[WaitingText]) -> int:
        """Embed some texts and return how many were embedded.

        If the embedder refuses them together, halves are tried until the refused one stands alone.
        """
        embedder = self._embedder()
        try:
            vectors = embedder.embed([each.text for each in texts])
        except AmrError as error:
            if isinstance(error, ModelError | ModelMissing) and not isinstance(error, RequestRefused):
                raise
            if len(texts) == 1:
                self._postpone(texts[0], error.message)
                return 0
            # A provider refuses a whole request for one text and does not say which.
            half = len(texts) // 2
            return self._embed(texts[:half]) + self._embed(texts[half:])
        try:
            self._queue.commit(texts, vectors, embedder.model)
        except EmbedderMismatch as error:
            # Another process has given the group another embedder.
            if not self._follow(error.embedded):
                raise
            return self._embed(texts)
        return len(texts)

    def _postpone(self, text: WaitingText, why: str) -> None:
        attempts = text.attempts + 1
        after = self._now() + wait(attempts) if attempts < MOST_ATTEMPTS else None
        self._queue.postpone([text], attempts, after, why)


def wait(attempts: int) -> float:
    """Return the seconds to wait after the n-th failure, n from 1: 2, 4, 8 ... an hour at most."""
    return min(_LONGEST_WAIT, _FIRST_WAIT * 2.0 ** (attempts - 1))
