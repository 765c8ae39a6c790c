"""Clips that arrive one by one: a bounded queue that records what it drops, and the analysis of one at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Condition, Event
from time import monotonic

from amr_neo4j.domain.live import OnLag
from amr_neo4j.domain.ports import Analyser
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video, content_sha256
from amr_neo4j.errors import AmrError, CostLimit, InputError, ModelFailed, ModelUnavailable

# Seconds.
_PATIENCE = 0.5
Now = Callable[[], datetime]
"""The wall clock."""


@dataclass(frozen=True)
class Waiting:
    """A clip in the queue.

    dropped: why it is not to be analysed, with how far behind the analysis was; else empty.
    """

    clip: Clip
    notes: tuple[str, ...] = ()
    dropped: str = ""


def timed(
    analyser: Analyser, video: Video, clips: Iterable[Clip], *, now: Now
) -> Iterator[AnalysedClip | FailedClip]:
    """Yield what `analyser.watch` yields, with the times at which each clip was taken in and analysed."""
    received: dict[str, datetime] = {}

    def taken() -> Iterator[Clip]:
        for clip in clips:
            received[clip.clip_id] = now()
            yield clip

    for item in analyser.watch(video, taken()):
        at = received.pop(item.clip.clip_id, None)
        if isinstance(item, AnalysedClip):
            yield replace(item, received_at=at, analysed_at=now())
        else:
            yield replace(item, received_at=at)


class LagQueue:
    """Clips between the camera and the analysis. Thread-safe, for one thread that puts and one that takes.

    When it is full, on_lag decides. With `wait`, `put` blocks, and tells `on_full` so that the source is paused. With
    `drop`, the oldest waiting clip is dropped. With `sample`, every second waiting clip is dropped, so that what is
    analysed stays spread over time. `take` also returns dropped clips, marked as such, so that none disappears.
    """

    def __init__(self, most: int, on_lag: OnLag, on_full: Callable[[bool], None] = lambda full: None) -> None:
        """most: how many clips may wait, at least 1.
        on_lag: "wait", "drop" or "sample".
        on_full: called with True before `put` blocks, and with False after.
        """
        self._most, self._on_lag, self._on_full = most, on_lag, on_full
        self._waiting: deque[Waiting] = deque()
        self._dropped: deque[Waiting] = deque()
        self._changed = Condition()
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def seconds(self) -> float:
        """How many seconds of footage wait."""
        with self._changed:
            return sum(item.clip.t_end - item.clip.t_start for item in self._waiting)

    def put(self, item: Waiting, stop: Event) -> list[Waiting]:
        """Add a clip. Returns the clips that were dropped for it. Does not block once `stop` is set."""
        if self._on_lag == "wait" and self._is_full() and not stop.is_set():
            # Called without the lock, so that `take` can go on while the source is being paused.
            self._on_full(True)
            with self._changed:
                while len(self._waiting) >= self._most and not stop.is_set() and not self._is_closed:
                    # Woken now and then, because nothing notifies this condition when `stop` is set.
                    self._changed.wait(_PATIENCE)
            self._on_full(False)
        with self._changed:
            dropped = self._make_room() if len(self._waiting) >= self._most and self._on_lag != "wait" else []
            self._waiting.append(item)
            self._changed.notify_all()
        return dropped

    def take(self) -> Waiting | None:
        """Return the next clip as soon as there is one; None once the queue is closed and empty."""
        with self._changed:
            while not (self._waiting or self._dropped or self._is_closed):
                self._changed.wait()
            # Dropped clips first: they only need a record, and they are older.
            item = (self._dropped or self._waiting or deque([None])).popleft()
            self._changed.notify_all()
        return item

    def next(self) -> Waiting | None:
        """Return the clip that is analysed next, without taking it; None if no clip waits."""
        with self._changed:
            return self._waiting[0] if self._waiting else None

    def close(self, *, leave: bool = False) -> None:
        """Accept no more clips. leave: from now on `take` returns only dropped clips, not those that wait."""
        with self._changed:
            self._is_closed = True
            if leave:
                self._waiting.clear()
            self._changed.notify_all()

    def _is_full(self) -> bool:
        with self._changed:
            return len(self._waiting) >= self._most

    def _make_room(self) -> list[Waiting]:
        whole = list(self._waiting)
        # With "drop", a step over the whole queue takes only its first clip, the oldest.
        step = 2 if self._on_lag == "sample" else len(whole)
        behind = whole[-1].clip.t_end - whole[0].clip.t_start
        gone = [Waiting(w.clip, w.notes, f"dropped: analysis was {behind:.1f} s behind") for w in whole[::step]]
        self._dropped += gone
        del whole[::step]
        self._waiting = deque(whole)
        return gone


class OneByOne:
    """Analyses the clips of one recording as they are given, by a single `watch`, which remembers who is who.

    in_bursts: for an analyser that reads ahead, such as a model that sees several clips at once. It would wait for a
        second clip, so each clip gets a `watch` of its own.
    """

    def __init__(self, analyser: Analyser, video: Video, *, in_bursts: bool = False) -> None:
        self._analyser, self._video, self._in_bursts = analyser, video, in_bursts
        self._begin()

    def __call__(self, clip: Clip) -> AnalysedClip | FailedClip:
        """Return the analysis of a clip; a FailedClip if the clip cannot be read.

        Raises AmrError for all other errors.
        """
        try:
            if self._in_bursts:
                return next(iter(self._analyser.watch(self._video, [clip])))
            self._feed.append(clip)
            return next(self._watched)
        except AmrError as error:
            self._begin()  # a generator that raised has ended
            if isinstance(error, CostLimit) or not isinstance(error, InputError | ModelFailed):
                raise
            sha = content_sha256(self._video, clip)
            is_away = isinstance(error, ModelUnavailable)
            model = self._analyser.model
            return FailedClip(
                video=self._video,
                clip=clip,
                analyser=self._analyser.name,
                content_sha256=sha,
                error=str(error),
                model=model,
                is_away=is_away,
            )

    def _begin(self) -> None:
        self._feed: deque[Clip] = deque()
        self._watched = iter(self._analyser.watch(self._video, _fed(self._feed)))


def _fed(clips: deque[Clip]) -> Iterator[Clip]:
    """Hands out the clips that are put into the deque, to a `watch` that asks for the next one."""
    # `OneByOne` adds a clip each time before it asks for a result, so this ends only if the analyser reads ahead.
    while clips:
        yield clips.popleft()


@dataclass
class Rate:
    """Return True when called, but at most once every `every_sec` seconds.

    It limits how often notices are written.
    """

    every_sec: float
    clock: Callable[[], float] = monotonic
    _last: float | None = None

    def __call__(self) -> bool:
        now = self.clock()
        if self._last is not None and now - self._last < self.every_sec:
            return False
        self._last = now
        return True
