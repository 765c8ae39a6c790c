"""Passive recall: a thread searches memory with the last two turns, for use in the prompt after the next turn.

See specification 002, section 2.1.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple, TypeVar

from amr_neo4j.domain.budget import Budget, Context, CountTokens, Dropped
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.ports import AskedFacts, Nearness, ReadAs
from amr_neo4j.domain.prompt_injection import marked
from amr_neo4j.domain.recall import Held, Recalled, Streamed, first_of
from amr_neo4j.errors import AmrError
from amr_neo4j.facts.budget import build_context
from amr_neo4j.facts.recall import MemorySearch
from amr_neo4j.recall.retrieve.retriever import BACKGROUND
from amr_neo4j.threads import waits_at_exit

_log = logging.getLogger(__name__)
# The query is made of the last two turns. The prompt contains the last five anyway, so nothing that they state
# is recalled.
_ASKED_BY, _IN_PROMPT = 2, 5
_LONGEST_EPISODE = 300
_NOTHING = Streamed()
Found = TypeVar("Found")
# Seconds to wait for a running search when a memory is closed.
_PATIENCE = 0.2
# Seconds that a prompt waits for the turns that answer its question.
_WAIT = 0.5


class PassiveRecall:
    """The thread that runs the searches of a memory's conversations, one after the other."""

    def __init__(
        self,
        search: Callable[[str], MemorySearch],
        *,
        count: CountTokens,
        budget: Budget,
        enabled: bool = True,
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        """search: user_id -> the search of the user's memory.
        count, budget: count and limit the tokens of a prompt.
        give_way: called before each search; waits until nobody waits for an answer.
        """
        self._give_way = give_way
        self._search, self._count, self._budget, self._enabled = search, count, budget, enabled
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._lock = Lock()
        self._ended = False

    def of(self, user_id: str, is_paused: Callable[[], bool] = lambda: False) -> PassiveStream:
        """Return the stream of recalled facts and episodes for one conversation of a user.

        is_paused: whether to recall nothing just now.
        """

        def search(text: str, personal: str, skip: Sequence[str]) -> Streamed:
            return _NOTHING if is_paused() else self._recall(user_id, text, personal, skip)

        def answers(question: AskedFacts, read_as: ReadAs) -> dict[str, Nearness]:
            if is_paused():
                return {}
            return self._quietly(lambda: self._search(user_id).turns_like(question, read_as), {})

        # Once, so that the first question does not wait for it. A web server opens a chat with each request.
        if self._enabled and self._thread is None:
            self._submit(lambda: self._quietly(lambda: self._search(user_id).load(), None))
        submit = self._submit if self._enabled else None
        return PassiveStream(
            search=search, submit=submit, count=self._count, budget=self._budget, is_paused=is_paused, answers=answers
        )

    def close(self) -> None:
        """Let the thread end after its current search.

        If that takes long, this returns, and the end of the program waits for the thread instead.
        """
        self._ended = True
        # None ends the loop of `_run`.
        self._jobs.put(None)
        if self._thread:
            self._thread.join(_PATIENCE)
            if self._thread.is_alive():
                waits_at_exit(self._thread.join)

    def _recall(self, user_id: str, text: str, personal: str, skip: Sequence[str]) -> Streamed:
        return self._quietly(lambda: self._search(user_id).stream(text, skip, personal), _NOTHING)

    def _quietly(self, find: Callable[[], Found], nothing: Found) -> Found:
        """Return what a search finds; `nothing` if the database or the embedder fails.

        So it is if the memory is closed during the search. Its connections are closed then, so any exception may
        follow.
        """
        if self._ended:
            return nothing
        try:
            return find()
        except Exception as error:
            if not (self._ended or isinstance(error, AmrError)):
                raise
            _log.info("nothing was recalled in passing: %s", error)
            return nothing

    def _submit(self, job: Callable[[], None]) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="amr-recall", daemon=True)
                self._thread.start()
        self._jobs.put(job)

    def _run(self) -> None:
        while job := self._jobs.get():
            self._give_way()
            job()


class _Said(NamedTuple):
    episode_id: str
    text: str
    personal: bool


@dataclass
class PassiveStream:
    """A PassiveMemory. Each turn starts a search; its result is used for the turn after the next.

    search: (text, the part of it that may bring up facts, episode_ids to leave out) -> what was found.
    submit: runs a job in the background; None to recall nothing.
    is_paused: whether the prompt gets nothing just now.
    answers: see PassiveMemory.turns_like.
    """

    search: Callable[[str, str, Sequence[str]], Streamed]
    submit: Callable[[Callable[[], None]], None] | None
    count: CountTokens
    budget: Budget
    is_paused: Callable[[], bool] = lambda: False
    answers: Callable[[AskedFacts, ReadAs], dict[str, Nearness]] = lambda question, read_as: {}
    _turns: deque[_Said] = field(default_factory=lambda: deque(maxlen=_IN_PROMPT), init=False)
    # The result for the next prompt, and the one for the prompt after it.
    _ready: Future[Streamed] | None = field(default=None, init=False)
    _coming: Future[Streamed] | None = field(default=None, init=False)
    _asked: Future[dict[str, Nearness]] | None = field(default=None, init=False)

    def said(self, episode_id: str, text: str, *, personal: bool = True) -> None:
        """See PassiveMemory."""
        self._turns.append(_Said(episode_id, text, personal))
        if self.submit is None:
            return
        if self._ready:
            self._ready.cancel()  # its prompt has passed
        found: Future[Streamed] = Future()
        self._ready, self._coming = self._coming, found
        turns = list(self._turns)
        by = turns[-_ASKED_BY:]
        context = "\n".join(turn.text for turn in by)
        of_user = "\n".join(turn.text for turn in by if turn.personal)
        self.submit(lambda: self._fill(found, context, of_user, [turn.episode_id for turn in turns]))

    def turns_like(self, question: AskedFacts, read_as: ReadAs) -> dict[str, Nearness]:
        """See PassiveMemory."""
        # While an embedder is slow, only one question waits for it.
        if self.submit is None or (self._asked and not self._asked.done()):
            return {}
        self._asked = BACKGROUND.submit(self.answers, question, read_as)
        try:
            return self._asked.result(_WAIT)
        except TimeoutError:
            return {}

    def resume(self, turns: Sequence[tuple[str, str]]) -> None:
        """See PassiveMemory."""
        *before, (last, text) = turns
        self._turns.extend(_Said(*turn, personal=True) for turn in before)
        self.said(last, text)

    def clear(self) -> None:
        """See PassiveMemory."""
        self._ready = self._coming = None
        self._turns.clear()

    @property
    def held(self) -> Held:
        """See PassiveMemory."""
        found = [result for each in (self._ready, self._coming) if (result := _result(each))]
        return frozenset(turn.episode_id for turn in self._turns).union(*(each.held for each in found))

    def drop(self, gone: Held) -> None:
        """See PassiveMemory."""
        kept = [turn for turn in self._turns if turn.episode_id not in gone]
        self._turns.clear()
        self._turns.extend(kept)
        self._ready, self._coming = (_without(each, gone) for each in (self._ready, self._coming))

    def context(
        self,
        messages: Sequence[str],
        tools: Sequence[str],
        hints: Sequence[str],
        believed: Callable[[Triple], bool],
        lines: int,
    ) -> Context:
        """See PassiveMemory.

        Messages and tool results belong to the caller: their tokens count, but they are not cut.
        """
        streamed = self._streamed()
        still = [fact for fact in streamed.facts if fact.triple is None or believed(fact.triple)]
        facts = [fact.text for fact in first_of([fact for fact in still if fact.text not in hints], lines)]
        episodes = [_line(episode) for episode in streamed.episodes]
        whole = build_context(messages, tools, [*hints, *facts], episodes, budget=self.budget, count=self.count)
        # Messages and tools belong to the caller, so nothing of them counts as dropped here.
        ours: list[Dropped] = [each for each in whole.dropped if each.tier in ("facts", "episodes")]
        return Context(
            recent=(),
            tools=(),
            facts=whole.facts,
            episodes=whole.episodes,
            system="",
            tokens=whole.tokens,
            dropped=tuple(ours),
        )

    def _streamed(self) -> Streamed:
        """Return the result of the search for this prompt, or nothing if it is not ready."""
        return _NOTHING if self.is_paused() else _result(self._ready) or _NOTHING

    def _fill(self, found: Future[Streamed], context: str, personal: str, skip: Sequence[str]) -> None:
        # Cancelled by `said`, since newer turns have come.
        if not found.set_running_or_notify_cancel():
            return
        try:
            found.set_result(self.search(context, personal, skip))
        except BaseException:
            found.set_result(_NOTHING)
            raise


def _result(search: Future[Streamed] | None) -> Streamed | None:
    """Return what a search has found; None while it is under way, and if it was cancelled."""
    return search.result() if search and search.done() and not search.cancelled() else None


def _without(search: Future[Streamed] | None, gone: Held) -> Future[Streamed] | None:
    """Return a finished search without what is gone; None for one under way, which may still find it."""
    found = _result(search)
    if found is None:
        return None
    kept: Future[Streamed] = Future()
    kept.set_result(found.without(gone))
    return kept


def _line(episode: Recalled) -> str:
    """Return an episode as one line for a prompt: its date and its words, shortened, and marked if suspected.

    What it states that does not hold any more stands after it.
    """
    text = " ".join(episode.text.split())
    begin = text[:_LONGEST_EPISODE]
    short = text if text == begin else f"{begin.rpartition(' ')[0] or begin}…"
    short = marked(short, suspected=episode.suspected_injection)
    short += f" [no longer so: {'; '.join(episode.no_longer)}]" if episode.no_longer else ""
    return f"{episode.timestamp:%Y-%m-%d} {short}" if episode.timestamp else short
