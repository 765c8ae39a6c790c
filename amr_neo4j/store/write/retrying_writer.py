"""Repeats writes while the database is unavailable."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential, wait_random

from amr_neo4j.domain.event import ComposedClip, MergedEvent, Recent
from amr_neo4j.domain.forgotten import ForgottenClips
from amr_neo4j.domain.ports import FormScenes, MergingWriter, Notify, Vectors
from amr_neo4j.domain.receipt import Failure, Receipt
from amr_neo4j.domain.tracked import StoredItem, TrackedItem
from amr_neo4j.domain.video import FailedClip, FileMove, StoredFile, Video
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.store.write.shared_commits import SharedCommits

T = TypeVar("T")

# 0.5 s, 1 s, 2 s ... 10 s, with up to a second of jitter, so that waiting processes do not retry at once.
_BACK_OFF = wait_exponential(multiplier=0.5, max=10.0) + wait_random(0.0, 1.0)


class RetryingWriter:
    """A MergingWriter that retries while the database is unavailable.

    Only StoreUnavailable is retried. Calls are repeated unchanged, which is safe: committing twice changes nothing,
    and a clip whose acknowledgement was lost is "unchanged" the second time.
    A call with one clip may share a transaction with calls of other threads; a call with several clips never does.

    wait_sec: how long to retry after the first failure, in seconds; 0: not at all.
    notify: called with a line when waiting begins, and with one when the database is back.
    """

    def __init__(
        self,
        writer: MergingWriter,
        *,
        wait_sec: float,
        notify: Notify,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer = writer
        self._shared_commit = SharedCommits(writer.commit)
        self._wait_sec = wait_sec
        self._notify = notify
        self._sleep = sleep
        self._clock = clock

    def commit(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self.prepare(clips, vectors, model)()

    def prepare(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> Callable[[], list[Receipt]]:
        """As EventWriter; a single clip may share a transaction. The returned function raises as `commit` does."""
        if len(clips) == 1:
            return partial(self._retry, partial(self._shared_commit, clips, vectors, model))
        return partial(self._retry, self._writer.prepare(clips, vectors, model))

    def committed_clips(self, group_id: str, video_id: str) -> Mapping[str, str]:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.committed_clips(group_id, video_id))

    def committed_clips_of(self, group_id: str, video_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.committed_clips_of(group_id, video_ids))

    def tracked_items(self, group_id: str, items: Sequence[TrackedItem]) -> list[StoredItem]:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.tracked_items(group_id, items))

    def continued(self, video: Video, *, named: bool) -> Video:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.continued(video, named=named))

    def known_lengths(self, video: Video) -> list[float]:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.known_lengths(video))

    def videos_of_content(self, video: Video) -> list[Video]:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.videos_of_content(video))

    def files_below(self, group_id: str, paths: Sequence[str]) -> list[StoredFile]:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.files_below(group_id, paths))

    def move_files(self, group_id: str, moves: Sequence[FileMove]) -> None:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        self._retry(lambda: self._writer.move_files(group_id, moves))

    def stored(self, video: Video) -> Video | None:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.stored(video))

    def forgotten(self, video: Video) -> ForgottenClips:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.forgotten(video))

    def forgotten_item(self, group_id: str, item_id: str) -> ForgottenClips:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.forgotten_item(group_id, item_id))

    def take_again(self, video: Video, clip_id: str = "") -> None:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        self._retry(lambda: self._writer.take_again(video, clip_id))

    def has_words(self, group_id: str, video_id: str) -> bool:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.has_words(group_id, video_id))

    def fail(self, clip: FailedClip, *, attempt: int, skip: bool) -> Receipt:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.fail(clip, attempt=attempt, skip=skip))

    def drop(self, clip: FailedClip) -> Receipt:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.drop(clip))

    def failed_clips(self, group_id: str, video_id: str) -> Mapping[str, Failure]:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.failed_clips(group_id, video_id))

    def skip_failed(self, group_id: str, video_id: str) -> None:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        self._retry(lambda: self._writer.skip_failed(group_id, video_id))

    def remake_scenes(self, group_id: str, form: FormScenes) -> None:
        """As EventWriter. Raises StoreUnavailable: the database did not come back in time."""
        self._retry(lambda: self._writer.remake_scenes(group_id, form))

    def recent_events(self, video: Video, model: str, limit: int) -> Recent:
        """As MergingWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.recent_events(video, model, limit))

    def commit_merging(
        self, clip: ComposedClip, vectors: Vectors, model: str, merged: Sequence[MergedEvent], after: int | None
    ) -> Receipt | None:
        """As MergingWriter. Raises StoreUnavailable: the database did not come back in time."""
        return self._retry(lambda: self._writer.commit_merging(clip, vectors, model, merged, after))

    def _retry(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except StoreUnavailable as error:
            failed = error
        return self._retried(call, failed)  # only now, because Retrying is slow to construct

    def _retried(self, call: Callable[[], T], failed: StoreUnavailable) -> T:
        """Retry a call that has just failed; return its result."""
        first = [failed]  # the first attempt of Retrying raises this again, so that the failure counts as an attempt

        def again() -> T:
            if first:
                raise first.pop()
            return call()

        failed_at = cache(self._clock)  # called first after the first failure, and returns that moment ever after
        attempts = Retrying(
            retry=retry_if_exception_type(StoreUnavailable),
            wait=_BACK_OFF,
            stop=lambda _: failed_at() + self._wait_sec <= self._clock(),
            sleep=self._sleep,
            before_sleep=self._announce,
            reraise=True,
        )
        try:
            result = attempts(again)
        except StoreUnavailable as error:
            resume = "what was committed is kept; run the same again to continue"
            raise StoreUnavailable(error.message, hint=f"{error.hint}; {resume}") from error
        self._notify("Neo4j answers again; continuing")
        return result

    def _announce(self, state: RetryCallState) -> None:
        error = state.outcome and state.outcome.exception()
        if isinstance(error, StoreUnavailable) and state.attempt_number == 1:
            self._notify(f"{error.message}; retrying for up to {_length(self._wait_sec)} ({error.hint})")


def _length(seconds: float) -> str:
    return f"{seconds / 60:.3g} min" if seconds >= 60 else f"{seconds:.3g} s"
