"""Background work of a conversation: the thread that does it, and when it yields the processor to others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from threading import Condition, Event, Thread
from time import perf_counter, thread_time

from amr_neo4j.domain.ports import EmbeddingQueue, Notify
from amr_neo4j.errors import AmrError
from amr_neo4j.facts.queue import QueuedEmbedding
from amr_neo4j.threads import waits_at_exit

_log = logging.getLogger(__name__)
# How long `close` waits for a commit that is under way: seconds that one may take on a busy machine.
_UNDER_WAY = 30.0
# Seconds to collect new facts before they are embedded together. Until then, they are found by their words.
# The delay also leaves the processor to a search that follows a turn.
_GATHER = 0.5
# Stretches of work shorter than this, in seconds, are too short to compare with their processor time.
_STRETCH = 0.01
# Other threads want the processor if a stretch takes this many times its processor time on the wall clock.
_CONTENDED = 1.3
# Seconds of one pause, and of all pauses together: the work must also end on a machine that is always busy.
_PAUSE_SEC, _PATIENCE = 0.5, 120.0
# Seconds that a piece of background work waits for questions: one after the other must not stop it for good.
_FOR_QUESTIONS = 1.0


Work = Callable[[bool, Callable[[], bool]], float | None]
"""(was `wake` called since the last run, function that returns whether to go on) -> seconds until the next run.

None: the next run waits for a wake.
"""


class BackgroundWork:
    """A thread that works after each `wake`, so that no speaker waits for the database or an embedder.

    If the work fails, it is repeated after a pause. The pause doubles up to a longest one.
    """

    def __init__(
        self,
        name: str,
        work: Work,
        *,
        failed: Callable[[AmrError], None],
        recovered: Callable[[], None] = lambda: None,
        pauses: tuple[float, float] = (0.5, 10.0),
        gather: float = 0.0,
        last: float = _UNDER_WAY,
    ) -> None:
        """name: the name of the thread.
        failed, recovered: called once for each outage, not for each attempt.
        pauses: the first and the longest pause after a failure, in seconds.
        gather: seconds to wait for more work after a wake; `wait` and `close` cut this short.
        last: seconds that `close` waits for work that is under way.
        """
        self._name, self._work = name, work
        self._failed, self._recovered = failed, recovered
        self._first_pause, self._longest_pause = pauses
        self._gather, self._last = gather, last
        self._wanted, self._ended, self._idle, self._hurried = Event(), Event(), Event(), Event()
        self._idle.set()
        self._pause = 0.0
        self._thread: Thread | None = None

    def start(self) -> None:
        """Start the thread, which works once right away. `wake` calls this, too."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Tell the thread that there is work."""
        self._idle.clear()
        self._wanted.set()
        self.start()

    @property
    def fails(self) -> bool:
        """Whether the last attempt failed, as during an outage of the database."""
        return self._pause > 0

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` until all work is done; return whether it is."""
        self._hurried.set()
        return self._idle.wait(seconds)

    def close(self, seconds: float = 5.0) -> None:
        """Finish the pending work, for at most `seconds`, and end the thread.

        What remains stays in its queue or spool.

        Work already running is given more time (`last`), because the caller closes the database connection
        afterwards.
        """
        if self._thread is None:
            return
        self._hurried.set()
        # During an outage there is no point in waiting.
        if not self._pause:
            self._idle.wait(seconds)
        self._ended.set()
        self._wanted.set()
        self._thread.join(max(seconds, self._last))
        if self._thread.is_alive():
            waits_at_exit(self._thread.join)
        self._thread = None

    def _goes_on(self) -> bool:
        return not self._ended.is_set()

    def _run(self) -> None:
        delay: float | None = 0.0
        while self._goes_on():
            if self._pause:
                self._ended.wait(self._pause)
            elif self._wanted.wait(delay) and self._goes_on():
                # Collect more work for a moment, unless somebody waits for it.
                self._hurried.wait(self._gather)
            if self._goes_on():
                self._hurried.clear()
                delay = self._attempt()

    def _attempt(self) -> float | None:
        """Work once. Returns the seconds until the next attempt, or None to wait for a wake."""
        is_wanted = self._wanted.is_set()
        self._wanted.clear()
        try:
            delay = self._work(is_wanted, self._goes_on)
        except Exception as raised:  # noqa: BLE001 - a bug must not end the thread: turns would wait for ever
            error = raised if isinstance(raised, AmrError) else AmrError(f"internal error: {type(raised).__name__}")
            if error is not raised:
                _log.exception("background work failed")
            # The work is not done, so the wake still counts.
            if is_wanted:
                self._wanted.set()
            # After `close` gave up waiting, the file and the connection are gone; what is left is done by the next
            # process.
            if not self._pause and self._goes_on():
                self._failed(error)
            self._pause = min(self._longest_pause, max(self._first_pause, 2 * self._pause))
            return None
        if self._pause:
            self._recovered()
        self._pause = 0.0
        if not self._wanted.is_set():
            self._idle.set()
        return delay


def queue_embedder(
    queue: EmbeddingQueue,
    embedding: QueuedEmbedding,
    now: Callable[[], float],
    notify: Notify,
    questions: QuestionsFirst,
    *,
    gather: float = _GATHER,
) -> BackgroundWork:
    """Return the thread that embeds what waits: after each wake, and when a postponed text is due.

    now: seconds since 1970.
    questions: go before each page.
    """
    return BackgroundWork(
        "amr-embed",
        partial(_embed, queue, embedding, now, questions),
        failed=lambda error: notify(f"facts and turns wait for their embedding: {error.message}"),
        pauses=(1.0, 300.0),
        gather=gather,
        last=5.0,
    )


def _embed(
    queue: EmbeddingQueue,
    embedding: QueuedEmbedding,
    now: Callable[[], float],
    questions: QuestionsFirst,
    _is_wanted: bool,
    goes_on: Callable[[], bool],
) -> float | None:
    def more() -> bool:
        questions.wait()
        return goes_on()

    embedding.run(more)
    next_at = queue.next_at()
    return None if next_at is None else max(0.1, next_at - now())


class QuestionsFirst:
    """Pauses background work while a caller waits for an answer."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._questions = 0

    @contextmanager
    def question(self) -> Generator[None]:
        """Context manager: runs a question, during which `wait` waits."""
        with self._changed:
            self._questions += 1
        try:
            yield
        finally:
            with self._changed:
                self._questions -= 1
                self._changed.notify_all()

    def wait(self) -> None:
        """Wait until no question is under way, for a second at most. Called between pieces of background work."""
        with self._changed:
            self._changed.wait_for(lambda: not self._questions, _FOR_QUESTIONS)


class GivingWay:
    """Pauses a working thread while other threads want the processor. The worker calls it between pieces of work.

    Python runs one thread at a time. A thread that never blocks delays each of the others by five milliseconds at
    every switch, and a search switches many times.
    """

    def __init__(
        self, wall: Callable[[], float] = perf_counter, processor: Callable[[], float] = thread_time
    ) -> None:
        """wall: returns seconds of wall clock.

        processor: returns seconds that the calling thread has run.
        """
        self._wall, self._processor = wall, processor
        self._from: tuple[float, float] | None = None
        self._left = _PATIENCE

    def __call__(self, hurried: Event) -> None:
        """Pause if others want the processor. hurried: set when somebody waits for this work; it ends the pause."""
        wall, processor = self._wall(), self._processor()
        if self._from is not None:
            took, ran = wall - self._from[0], processor - self._from[1]
            if took < _STRETCH:
                return
            if took > _CONTENDED * ran and self._left > 0:
                hurried.wait(_PAUSE_SEC)
                self._left -= _PAUSE_SEC
        self._from = self._wall(), self._processor()
