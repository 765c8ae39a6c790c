"""Joins the commits of several threads into one transaction. The database admits one writer at a time anyway."""

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

# Writes clips and returns one receipt per clip, in order (EventWriter.commit).
Commit = Callable[[Sequence[ComposedClip], Vectors, str], "list[Receipt]"]


@dataclass
class _Call:
    """A call that waits for its result. kind: equal for calls that can share a transaction."""

    clips: Sequence[ComposedClip]
    vectors: Vectors
    model: str
    kind: Hashable
    done: Future[list[Receipt]] = field(default_factory=Future["list[Receipt]"])


class SharedCommits:
    """Commits calls together that arrive while another commit is running. Thread-safe.

    A call that arrives alone is committed at once. Calls for different groups or embedding models never share a
    transaction. If a shared commit fails, its calls are tried again in halves, so that each gets its own result or
    error. If the database is unavailable, nothing is tried again: all waiting calls get this error.
    """

    def __init__(self, commit: Commit) -> None:
        self._commit = commit
        self._queue = Lock()
        self._waiting: list[_Call] = []
        self._committing = False

    def __call__(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        """Commit clips, alone or together with other calls. Arguments, result and errors are those of `commit`."""
        call = _Call(clips, vectors, model, _kind(clips, vectors, model))
        alone = False
        try:
            with self._queue:
                if self._committing:
                    self._waiting.append(call)
                else:
                    # Assigned from left to right: an interrupt in between never leaves _committing set for good.
                    alone = self._committing = True
            if alone:
                return self._commit(clips, vectors, model)
        finally:
            if alone:
                self._hand_over()
        return call.done.result()

    def _hand_over(self) -> None:
        """Let a thread of its own commit the calls that wait, so that the caller gets its result without delay."""
        with self._queue:
            self._committing = some = bool(self._waiting)
        if some:
            try:
                Thread(target=self._commit_waiting, daemon=True).start()
            except RuntimeError:  # no thread can be started: the calls must not wait forever
                self._commit_waiting()

    def _commit_waiting(self) -> None:
        """Commit all waiting calls, and those that arrive in the meantime. Every call gets a result or an error."""
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
                if not isinstance(error, Exception):  # such as KeyboardInterrupt: this thread must end, others go on
                    self._hand_over()
                    raise

    def _take_waiting(self) -> list[_Call]:
        """Take all waiting calls. If there are none, the next call to arrive commits alone."""
        with self._queue:
            waiting, self._waiting = self._waiting, []
            self._committing = bool(waiting)
        return waiting

    def _commit_together(self, together: Sequence[_Call]) -> None:
        """Commit calls of one kind and give each its result or error.

        Raises StoreUnavailable: these calls have no result yet, and the caller should not try the rest.
        """
        clips = [clip for call in together for clip in call.clips]
        try:
            vectors = np.concatenate([call.vectors for call in together])
            receipts = iter(self._commit(clips, vectors, together[0].model))
            results = [[next(receipts) for _ in call.clips] for call in together]
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the call that caused it raises it again
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
    """Return the model, the dimension of the vectors, and the groups: what calls must have in common to be joined.

    Each group gets a transaction of its own. If calls of two groups were joined and one transaction failed, the
    second try would report the clips of the other as "unchanged" instead of "committed".
    """
    return model, vectors.shape[1], frozenset(clip.source.video.group_id for clip in clips)
