"""Commits of several threads that share a transaction: the database lets one writer in at a time anyway."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
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
class _Call:
    """kind: equal for calls that one transaction can write."""

    clips: Sequence[ComposedClip]
    vectors: Vectors
    model: str
    kind: Hashable
    done: Future[list[Receipt]] = field(default_factory=Future["list[Receipt]"])


class SharedCommits:
    """Calls that come while others are committed wait, and are then committed together. Thread-safe.

    A call alone is committed at once. Clips of different groups, or with vectors of different models, share nothing.
    After an error a shared commit is tried again in halves, so that each call gets its own result; but once the
    database is away, each that waited gets that error.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._queue = Lock()
        self._waiting: list[_Call] = []
        self._committing = False

    def __call__(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        """As the commit that it was made of."""
        call = _Call(clips, vectors, model, _kind(clips, vectors, model))
        alone = False
        try:
            with self._queue:
                if self._committing:
                    self._waiting.append(call)
                else:
                    alone = self._committing = True  # in this order: an interrupt between them leaves nothing taken
            if alone:
                return self._commit(clips, vectors, model)
        finally:
            if alone:
                self._hand_over()
        return call.done.result()

    def _hand_over(self) -> None:
        """To a thread of its own, where calls wait: no call has its result later because of the next ones."""
        with self._queue:
            self._committing = some = bool(self._waiting)
        if some:
            try:
                Thread(target=self._commit_waiting, daemon=True).start()
            except RuntimeError:  # the system has no thread left
                self._commit_waiting()

    def _commit_waiting(self) -> None:
        while waiting := self._take_waiting():
            try:
                by_kind: dict[Hashable, list[_Call]] = {}
                for call in waiting:
                    by_kind.setdefault(call.kind, []).append(call)
                for together in by_kind.values():
                    self._commit_together(together)
            except BaseException as error:
                for call in waiting:
                    if not call.done.done():
                        call.done.set_exception(error)
                if not isinstance(error, Exception):  # this thread is to end
                    self._hand_over()
                    raise

    def _take_waiting(self) -> list[_Call]:
        """What waits; where nothing does, the next call is committed alone."""
        with self._queue:
            waiting, self._waiting = self._waiting, []
            self._committing = bool(waiting)
        return waiting

    def _commit_together(self, together: Sequence[_Call]) -> None:
        """Give each call its result. Raises StoreUnavailable: the rest has none yet, and is not to be tried."""
        clips = [clip for call in together for clip in call.clips]
        try:
            vectors = np.concatenate([call.vectors for call in together])
            receipts = iter(self._commit(clips, vectors, together[0].model))
            results = [[next(receipts) for _ in call.clips] for call in together]
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - raised to the call that it is about
            if len(together) == 1:
                together[0].done.set_exception(error)
                return
            middle = len(together) // 2
            self._commit_together(together[:middle])
            self._commit_together(together[middle:])
            return
        for call, result in zip(together, results, strict=True):
            call.done.set_result(result)


def _kind(clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> Hashable:
    """The model and dimension of the vectors, and the groups.

    Each group is a transaction of its own: if one failed, a second try would lose the receipts of another.
    """
    return model, vectors.shape[1], frozenset(clip.source.video.group_id for clip in clips)
