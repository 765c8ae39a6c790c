"""Recall in passing: a thread searches by the last two turns, for the turn after them (specification 002 2.1)."""

from __future__ import annotations

import atexit
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple

from amr_neo4j.domain.budget import Context, CountTokens, Dropped
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.recall import Recalled, Streamed
from amr_neo4j.errors import AmrError
from amr_neo4j.facts.budget import build_context
from amr_neo4j.facts.recall import MemorySearch

_log = logging.getLogger(__name__)
# A search is made by the last two turns. The prompt holds the last five itself, so nothing that rests on them is
# recalled.
_ASKED_BY, _IN_PROMPT = 2, 5
_LONGEST_EPISODE = 300
_NOTHING = Streamed()
# Seconds that the end of a memory, and of the program, waits for the search under way.
_PATIENCE, _AT_EXIT = 0.2, 10.0


class PassiveRecall:
    """The thread that searches for the conversations of a memory, one search after the other.

    No exit waits long for it.
    """

    def __init__(
        self, search: Callable[[str], MemorySearch], *, count: CountTokens, budget: int, enabled: bool = True
    ) -> None:
        """search: opens the search of a user's memory. count, budget: the tokens of a prompt."""
        self._search, self._count, self._budget, self._enabled = search, count, budget, enabled
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._lock = Lock()
        self._ended = False

    def of(self, user_id: str) -> PassiveStream:
        """What a conversation of a user brings to mind."""

        def search(text: str, personal: str, skip: Sequence[str]) -> Streamed:
            return self._recall(user_id, text, personal, skip)

        return PassiveStream(search, self._submit if self._enabled else None, self._count, self._budget)

    def close(self) -> None:
        """End the thread after its present search; the end of the program waits for a slow one.

        An interpreter that exits while a thread is inside a C++ library aborts.
        """
        self._ended = True
        self._jobs.put(None)
        if self._thread:
            self._thread.join(_PATIENCE)
            if self._thread.is_alive():
                atexit.register(self._thread.join, _AT_EXIT)

    def _recall(self, user_id: str, text: str, personal: str, skip: Sequence[str]) -> Streamed:
        """What the search finds; nothing when the database or the embedder fails.

        Also returns nothing if the memory is closed during a search; any exception may follow, since the connections
        are closed under it.
        """
        if self._ended:
            return _NOTHING
        try:
            return self._search(user_id).stream(text, skip, personal)
        except Exception as error:
            if not (self._ended or isinstance(error, AmrError)):
                raise
            _log.info("nothing was recalled in passing: %s", error)
            return _NOTHING

    def _submit(self, job: Callable[[], None]) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="amr-recall", daemon=True)
                self._thread.start()
        self._jobs.put(job)

    def _run(self) -> None:
        while job := self._jobs.get():
            job()


class _Said(NamedTuple):
    episode_id: str
    text: str
    personal: bool


@dataclass
class PassiveStream:
    """A PassiveMemory. The search by a turn starts when the turn was said; its result is for the turn after the next.

    search: (text, the part of it that may bring facts to mind, episode_ids to leave out) -> what was found.
    submit: runs a job in the background; None: nothing is recalled.
    """

    search: Callable[[str, str, Sequence[str]], Streamed]
    submit: Callable[[Callable[[], None]], None] | None
    count: CountTokens
    budget: int
    _turns: deque[_Said] = field(default_factory=lambda: deque(maxlen=_IN_PROMPT), init=False)
    _ready: Future[Streamed] | None = field(default=None, init=False)
    _coming: Future[Streamed] | None = field(default=None, init=False)

    def said(self, episode_id: str, text: str, *, personal: bool = True) -> None:
        """As PassiveMemory."""
        self._turns.append(_Said(episode_id, text, personal))
        if self.submit is None:
            return
        if self._ready:
            self._ready.cancel()  # nobody asks for it any more
        found: Future[Streamed] = Future()
        self._ready, self._coming = self._coming, found
        turns = list(self._turns)
        by = turns[-_ASKED_BY:]
        context = "\n".join(turn.text for turn in by)
        of_user = "\n".join(turn.text for turn in by if turn.personal)
        self.submit(lambda: self._fill(found, context, of_user, [turn.episode_id for turn in turns]))

    def clear(self) -> None:
        """As PassiveMemory."""
        self._ready = self._coming = None
        self._turns.clear()

    def context(
        self,
        messages: Sequence[str],
        tools: Sequence[str],
        hints: Sequence[str],
        believed: Callable[[Triple], bool],
    ) -> Context:
        """As PassiveMemory. Messages and results of tools are the caller's: they are counted, not shortened."""
        streamed = self._streamed()
        facts = [fact.text for fact in streamed.facts if fact.triple is None or believed(fact.triple)]
        episodes = [_line(episode) for episode in streamed.episodes]
        whole = build_context(messages, tools, [*hints, *facts], episodes, total=self.budget, count=self.count)
        ours: list[Dropped] = [each for each in whole.dropped if each.tier in ("facts", "episodes")]
        return Context((), (), whole.facts, whole.episodes, "", whole.tokens, tuple(ours))

    def _streamed(self) -> Streamed:
        """What the turns before the last one brought to mind, where that is ready."""
        if self._ready is None or not self._ready.done() or self._ready.cancelled():
            return _NOTHING
        return self._ready.result()

    def _fill(self, found: Future[Streamed], context: str, personal: str, skip: Sequence[str]) -> None:
        if not found.set_running_or_notify_cancel():
            return
        try:
            found.set_result(self.search(context, personal, skip))
        except BaseException:
            found.set_result(_NOTHING)
            raise


def _line(episode: Recalled) -> str:
    """An episode for a prompt: its day, its words on one line."""
    text = " ".join(episode.text.split())
    short = text if len(text) <= _LONGEST_EPISODE else f"{text[:_LONGEST_EPISODE].rpartition(' ')[0]}…"
    return f"{episode.timestamp:%Y-%m-%d} {short}" if episode.timestamp else short
