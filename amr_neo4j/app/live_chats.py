"""Live conversations of one memory: an index of facts per user, fed from the graph, the spool and this process."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING
from uuid import uuid4
from weakref import WeakSet

from amr_neo4j.app.background_drain import BackgroundDrain
from amr_neo4j.app.giving_way import GivingWay
from amr_neo4j.app.passive_recall import PassiveRecall
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.conversations.service import Conversations
from amr_neo4j.domain.episode import Session
from amr_neo4j.errors import InputError, StoreUnavailable
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.options import HotOptions, Weights
from amr_neo4j.live_chat.session import LiveChat, SpokenTurn
from amr_neo4j.spool import TURNS_FILE
from amr_neo4j.spool.turns import Spool
from amr_neo4j.store.read.facts import StoredFacts
from amr_neo4j.store.write.episode_writer import EpisodeWriter
from amr_neo4j.store.write.facts import count_use
from amr_neo4j.turn_reader.understand import Understander

if TYPE_CHECKING:
    from amr_neo4j.settings import Settings
    from amr_neo4j.wiring.parts import Parts

_log = logging.getLogger(__name__)
# Facts of a user that are kept in memory, the latest.
_MOST = 200_000
# Clocks of several machines may differ by so much; what is read twice changes nothing.
_OVERLAP = timedelta(seconds=5)
# A user who has said nothing for so long is looked after less often.
_ACTIVE_SECONDS, _IDLE_SECONDS = 60.0, 10.0


def hot_options(settings: Settings) -> HotOptions:
    """The options of the hot path. Raises InputError: weights that are not four numbers."""
    parts = settings.hot_score_weights.split(",")
    try:
        weights = Weights(*(float(part) for part in parts))
    except (ValueError, TypeError) as error:
        hint = "give four numbers: priority, recency, overlap, weight, such as 0.4,0.2,0.3,0.1"
        raise InputError(f"HOTMEM_SCORE_WEIGHTS is {settings.hot_score_weights!r}", hint=hint) from error
    return HotOptions(
        languages=tuple(code.strip() for code in settings.hot_languages.split(",") if code.strip()),
        role=settings.hot_inject_role,
        header=settings.hot_inject_header,
        window=settings.hot_hint_window,
        most_bullets=settings.hot_bullets_max,
        novelty_turns=settings.hot_novelty_turns,
        recency_days=settings.hot_recency_days,
        weights=weights,
        full_text_boost=settings.hot_full_text_boost,
        ttl_days=settings.hot_ttl_days,
        per_turn_messages=settings.hot_per_turn_messages,
        injects=not settings.hot_disable_injection,
        extracts=not settings.hot_disable_extraction,
        redact=settings.hot_redact_logs,
        stream_header=settings.hot_stream_header,
    )


@dataclass
class _User:
    """A user whose facts are in memory.

    read_to: when the last change that was read from the graph was made; None before the first read. seen: the last
    number of the spool that was read. own: the numbers of this process's turns. used, refreshed: by time.monotonic.
    reading: held while facts are read or removed, so that none comes back that was read before it was forgotten.
    """

    user_id: str
    index: HotIndex = field(default_factory=HotIndex)
    read_to: datetime | None = None
    seen: int = 0
    own: set[int] = field(default_factory=set[int])
    chats: WeakSet[LiveChat] = field(default_factory=WeakSet[LiveChat])
    used: float = 0.0
    refreshed: float = 0.0
    reading: Lock = field(default_factory=Lock)

    def is_due(self, now: float) -> bool:
        """Whether to look for what other processes stated: each time in a conversation, now and then after it."""
        return now - self.used < _ACTIVE_SECONDS or now - self.refreshed >= _IDLE_SECONDS


class LiveChats:
    """The live conversations of one group. Thread-safe."""

    def __init__(self, parts: Parts, committed: Callable[[], None]) -> None:
        """committed: called after turns were committed, with the facts they state."""
        self._parts, self._committed = parts, committed
        self._lock = Lock()
        self._users: dict[str, _User] = {}
        self._options = hot_options(parts.settings)
        self._spool = Spool(parts.settings.data_dir / TURNS_FILE, parts.identity.database_id)
        self._facts = StoredFacts(parts.database, parts.group_id)
        self._passive = PassiveRecall(parts)
        self._drain = BackgroundDrain(self._commit_waiting, self._refresh, parts.notify)

    def close(self) -> None:
        """Commit what waits, for at most five seconds; the rest stays on this machine."""
        self._passive.close()
        self._drain.close()
        self._spool.close()

    def chat(self, user_id: str, session_id: str) -> LiveChat:
        """A session of a user; their facts are read from the graph and the spool the first time.

        Raises InputError: the session has no name.
        """
        try:
            session = Session(self._parts.group_id, user_id, session_id)
        except ValueError as error:
            raise InputError(str(error), hint="name the user and the session") from error
        user = self._user(user_id)
        chat = LiveChat(
            session_id,
            index=user.index,
            understand=self._understander.understand,
            keep=lambda turn: self._keep(user, session, turn),
            options=self._options,
            now=self._parts.now,
            clock=time.perf_counter,
            passive=self._passive.of(user_id),
        )
        user.chats.add(chat)
        user.used = time.monotonic()
        return chat

    def wait(self, seconds: float) -> bool:
        """Wait until what was said is in the graph, at most so long; returns whether it is."""
        return self._drain.wait(seconds)

    def remove(self, user_id: str, subject: str, relation: str, object: str) -> None:
        """Take forgotten facts out of memory and out of the prompts of this process."""
        with self._lock:
            user = self._users.get(user_id)
        if user:
            with user.reading:
                user.index.remove(subject, relation, object)
            for chat in user.chats:
                chat.forget(subject, relation, object)

    def reload(self, user_id: str) -> None:
        """Read a user's facts again, after turns were forgotten."""
        with self._lock:
            user = self._users.get(user_id)
        if user:
            with user.reading:
                for fact in list(user.index.facts()):
                    user.index.remove(*fact.triple)
                user.read_to, user.seen = None, 0
                self._read(user)
            for chat in user.chats:
                chat.forget_recalled()

    @cached_property
    def _understander(self) -> Understander:
        return Understander(self._options.languages, GivingWay())

    def _user(self, user_id: str) -> _User:
        with self._lock:
            user = self._users.get(user_id)
            if not user:
                user = self._users[user_id] = _User(user_id)
                self._read(user)
            return user

    def _read(self, user: _User) -> None:
        """Fill the index. A database that is away is read later; the spool has what this machine was given."""
        with suppress(StoreUnavailable):
            self._read_graph(user)
        self._read_spool(user)

    def _read_graph(self, user: _User) -> None:
        if user.read_to is None:
            since = self._parts.now() - _OVERLAP
            user.index.load(self._facts.active(user.user_id, _MOST))
            user.read_to = since
            return
        active, gone, last = self._facts.updated(user.user_id, user.read_to - _OVERLAP)
        user.index.merge(active, gone)
        user.read_to = max(last, user.read_to)

    def _read_spool(self, user: _User) -> None:
        for number, episode in self._spool.changes_after(user.seen, self._parts.group_id, user.user_id):
            if number not in user.own:
                user.index.apply(episode.changes)
            user.seen = max(user.seen, number)

    def _refresh(self) -> None:
        """Read what other processes of these users have stated."""
        now = time.monotonic()
        with self._lock:
            users = [user for user in self._users.values() if user.is_due(now)]
        for user in users:
            user.refreshed = now
            with user.reading:
                self._read_spool(user)
                self._read_graph(user)

    def _keep(self, user: _User, session: Session, turn: SpokenTurn) -> str:
        """Keep a turn on this machine's disk; returns its episode_id."""
        given = {"content": turn.text, "actor": turn.actor, "at": turn.at, "metadata": dict(turn.metadata)}
        episode = one_episode(given, session, turn.at, self._parts.language)
        episode = replace(episode, changes=turn.changes, intake_id=uuid4().hex)
        [taken] = self._spool.accept([episode])
        user.own.add(taken.number)
        user.used = time.monotonic()
        self._drain.wake()
        return episode.episode_id

    def _commit_waiting(self) -> None:
        self._conversations.drain()
        self._note_use()
        self._committed()

    def _note_use(self) -> None:
        """Add what conversations have counted since to the counts of their users in the graph."""
        with self._lock:
            users = list(self._users.values())
        for user in users:
            for chat in list(user.chats):
                counted, noted = chat.metrics.of_use(), chat.metrics.noted
                new = {name: number - noted.get(name, 0) for name, number in counted.items()}
                if any(new.values()):
                    count_use(self._parts.database, self._parts.group_id, user.user_id, new, self._parts.now())
                    chat.metrics.noted = counted

    @cached_property
    def _conversations(self) -> Conversations:
        """As Parts.conversations, for the thread: an outage is an error here, which the thread waits out."""
        parts = self._parts
        writer = EpisodeWriter(parts.database, language=parts.settings.language, now=parts.now)
        ready: Callable[[], None] = parts.identity.make_ready
        return Conversations(
            parts.group_id,
            self._spool,
            writer,
            lambda: parts.embedder,
            parts.now,
            ready,
            parts.language,
            _away,
            parts.draining,
        )


def _away(message: str) -> None:
    raise StoreUnavailable(message)
