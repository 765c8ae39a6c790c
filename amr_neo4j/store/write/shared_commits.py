"""Commits of several threads that share a transaction: the database lets one writer in at a time anyway."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock, Thread

import numpy as np

from amr_neo4j.domain.event import ComposedClip
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.errors import StoreUnavailable

# Writes clips; returns a receipt of each, in order (EventWriter.commit).
Commit = Callable[[Sequence[ComposedClip], Vectors, str], "list[Receipt]"]


@dataclass
class _Asked:
    clips: Sequence[ComposedClip]
    vectors: Vectors
    model: str
    done: Future[list[Receipt]] = field(default_factory=Future["list[Receipt]"])

    @property
    def alike(self) -> tuple[str, int]:
        """Equal for what one commit can write: the model and dimension of the vectors."""
        return self.model, int(self.vectors.shape[1])


class SharedCommits:
    """Calls that come while others are committed wait, and are then committed together. Thread-safe.

    A call alone is committed at once. After an error a shared commit is tried again in halves, so that each call gets
    its own result; but where the database is away, each gets that error at once.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._queue = Lock()
        self._waiting: list[_Asked] = []
        self._committing = False

    def __call__(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        """As the commit that it was made of."""
        asked = _Asked(clips, vectors, model)
        with self._queue:
            alone, self._committing = not self._committing, True
            if not alone:
                self._waiting.append(asked)
        if not alone:
            return asked.done.result()
        try:
            return self._commit(clips, vectors, model)
        finally:
            self._hand_over()

    def _hand_over(self) -> None:
        """To a thread of its own, where calls wait: no call has its result later because of the next ones."""
        with self._queue:
            self._committing = some = bool(self._waiting)
        if some:
            Thread(target=self._commit_waiting, daemon=True).start()

    def _commit_waiting(self) -> None:
        while waiting := self._taken():
            by_kind: dict[tuple[str, int], list[_Asked]] = {}
            for each in waiting:
                by_kind.setdefault(each.alike, []).append(each)
            for together in by_kind.values():
                self._commit_together(together)

    def _taken(self) -> list[_Asked]:
        """What waits; where nothing does, the next call is committed alone."""
        with self._queue:
            waiting, self._waiting = self._waiting, []
            self._committing = bool(waiting)
        return waiting

    def _commit_together(self, together: Sequence[_Asked]) -> None:
        clips = [clip for each in together for clip in each.clips]
        try:
            vectors = np.concatenate([each.vectors for each in together])
            receipts = iter(self._commit(clips, vectors, together[0].model))
            results = [[next(receipts) for _ in each.clips] for each in together]
        except BaseException as error:  # noqa: BLE001 - raised to the calls that it is about
            if len(together) == 1 or isinstance(error, StoreUnavailable):
                for each in together:
                    each.done.set_exception(error)
                return
            middle = len(together) // 2
            self._commit_together(together[:middle])
            self._commit_together(together[middle:])
            return
        for each, result in zip(together, results, strict=True):
            each.done.set_result(result)
