"""Commits of several threads that share a transaction: the database lets one writer in at a time anyway."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock

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
    """Calls that come while another commits wait, and are then committed together. Thread-safe.

    A call alone is committed as it is, at once. After an error of a shared commit each call is committed alone, so
    that it gets its own result; but where the database is away, each gets that error at once.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._committing = Lock()
        self._queue = Lock()
        self._waiting: list[_Asked] = []

    def __call__(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        """As the commit that it was made of."""
        asked = _Asked(clips, vectors, model)
        with self._queue:
            self._waiting.append(asked)
        with self._committing:  # whoever gets here first commits for all that wait
            if not asked.done.done():
                self._commit_waiting()
        return asked.done.result()

    def _commit_waiting(self) -> None:
        with self._queue:
            waiting, self._waiting = self._waiting, []
        by_kind: dict[tuple[str, int], list[_Asked]] = {}
        for each in waiting:
            by_kind.setdefault(each.alike, []).append(each)
        try:
            for together in by_kind.values():
                if len(together) == 1 or not self._commit_together(together):
                    for each in together:
                        self._commit_alone(each)
        finally:  # what an interrupted thread leaves is committed by the next
            with self._queue:
                self._waiting[:0] = [each for each in waiting if not each.done.done()]

    def _commit_together(self, together: Sequence[_Asked]) -> bool:
        """Whether the calls have their results; else each is to be committed alone."""
        clips = [clip for each in together for clip in each.clips]
        vectors = np.concatenate([each.vectors for each in together])
        try:
            receipts = iter(self._commit(clips, vectors, together[0].model))
        except StoreUnavailable as error:  # one call after the other would wait for the same database
            for each in together:
                each.done.set_exception(error)
            return True
        except Exception:  # noqa: BLE001 - raised again to the call that it is about
            return False
        for each in together:
            each.done.set_result([next(receipts) for _ in each.clips])
        return True

    def _commit_alone(self, asked: _Asked) -> None:
        try:
            asked.done.set_result(self._commit(asked.clips, asked.vectors, asked.model))
        except Exception as error:  # noqa: BLE001 - raised to the call that it is about
            asked.done.set_exception(error)
