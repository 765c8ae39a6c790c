"""Live conversations. Each user has an index of facts, filled from the graph, the spool and this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING
from uuid import uuid4
from weakref import WeakSet

from amr_neo4j.app.background import BackgroundWork, GivingWay
from amr_neo4j.app.passive_recall import PassiveRecall
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.belief import ShownFact
from amr_neo4j.domain.episode import EarlierTurn, Episode, SaidTurn, Session
from amr_neo4j.domain.fact import SPEAKER, Hinted, Triple, facts_stated
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.domain.ports import Notify, StatementReader
from amr_neo4j.domain.recall import Held
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.errors import AmrError, InputError, StoreUnavailable
from amr_neo4j.fact_questions.answering import FactQuestion, prepare
from amr_neo4j.language.languages import Language
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.metrics import ChatMetrics
from amr_neo4j.live_chat.session import LiveChat, SpokenTurn
from amr_neo4j.turn_reader.understand import Understander, states_nothing

if TYPE_CHECKING:
    from amr_neo4j.spool.turns import Spool
    from amr_neo4j.store.read.facts import FactChanges, Forgettings, StoredFacts

CountUse = Callable[[str, dict[str, int], Sequence[ShownFact]], None]
"""(user_id, {name: number to add}, facts that were shown)"""
# The most facts of one user that are held in memory; the latest ones are kept.
_MOST_FACTS = 200_000
# Changes are read again from this long before the last one, because the clocks of several machines may differ.
# Reading a change twice has no effect.
_OVERLAP = timedelta(seconds=5)
# A user who has said nothing for 60 seconds is refreshed only every 10 seconds.
_ACTIVE_SECONDS, _IDLE_SECONDS = 60.0, 10.0
# Facts of a user without an open conversation are dropped this many seconds after the last one was opened. A server
# would otherwise hold those of everybody who ever talked.
_KEPT_SECONDS = 600.0
# Seconds between two checks for facts that other processes stated.
_EVERY = 0.4
# The most of a user's latest turns that are read, to be quoted.
_MOST_TURNS = 1000
# When a session is opened again, at most this many of its last turns are read.
_MOST_EARLIER = 40


NoteHints = Callable[[str, Mapping[str, Hinted]], Sequence[str]]
"""Takes (user_id, {episode_id: hints}). Returns the episode_ids of those turns that are in the graph."""


@dataclass
class _User:
    """A user whose facts are in memory.

    is_filled: whether the index was filled; that is done under `reading`.
    read_to: the time of the last change read from the graph; None before the first read.
    seen: the number of the last spooled turn that was read.
    changed: what `StoredFacts.changed` returned before the last read, and since when.
    own: the numbers of turns in the spool that this process put there; their facts are in the index already.
    used: when the user last opened a conversation or spoke, by time.monotonic.
    refreshed: when the facts were last refreshed, by time.monotonic.
    reading: held while facts are read or removed. Otherwise a fact that was read before it was forgotten could be
        added again afterwards.
    forgettings: what the graph had counted as forgotten when this process last looked at what it holds of the user;
        None: look again.
    hinted: {episode_id: hints} that the graph has not noted yet.
    metrics: of the conversations, also of dropped ones until the graph has noted what they counted.
    turns_to: the number of the last turn in the graph that was read for quoting; -1: read them all again.
    forgetting: the number in the spool of the last turn that asks to forget something and may not be in the graph
        yet; 0 if there is none. Until that turn is in the graph, passive recall could still find what it asks to
        forget.
    """

    user_id: str
    index: HotIndex = field(default_factory=HotIndex)
    read_to: datetime | None = None
    changed: tuple[datetime, FactChanges] | None = None
    seen: int = 0
    own: set[int] = field(default_factory=set[int])
    is_filled: bool = False
    # Weak: a conversation that nobody holds any more drops out. Every use is under `changing`: a set must not change
    # while a thread iterates over it.
    chats: WeakSet[LiveChat] = field(default_factory=WeakSet[LiveChat])
    changing: Lock = field(default_factory=Lock)
    used: float = 0.0
    refreshed: float = 0.0
    reading: Lock = field(default_factory=Lock)
    forgettings: Forgettings | None = None
    forgetting: int = 0
    turns_to: int = -1
    hinted: dict[str, Hinted] = field(default_factory=dict[str, Hinted])
    metrics: list[ChatMetrics] = field(default_factory=list[ChatMetrics])

    @property
    def open_chats(self) -> list[LiveChat]:
        """The conversations that somebody holds."""
        with self.changing:
            return list(self.chats)

    @property
    def held(self) -> Held:
        """The turns and events whose words the user's conversations hold."""
        return self.index.said_turns.held.union(*(chat.held for chat in self.open_chats))

    def is_over(self, now: float) -> bool:
        """Return whether nothing of the user is needed any more, and the graph has noted all that was counted."""
        waits = self.open_chats or self.metrics or self.hinted or self.forgetting
        return now - self.used >= _KEPT_SECONDS and not waits

    def is_due(self, now: float) -> bool:
        """Return whether to refresh the user's facts now: every time during a conversation, less often after it."""
        return now - self.used < _ACTIVE_SECONDS or now - self.refreshed >= _IDLE_SECONDS


class LiveChats:
    """The live conversations of one group. Thread-safe.

    When `observe` returns, the turn is on this machine's disk. A thread commits it to the graph afterwards.
    """

    def __init__(
        self,
        *,
        group_id: str,
        language: Language,
        options: HotOptions,
        spool: Spool,
        facts: StoredFacts,
        commit: Callable[[], object],
        count_use: CountUse,
        note_hints: NoteHints,
        last_turns: Callable[[Session, int], Sequence[EarlierTurn]],
        recall: PassiveRecall,
        read: Callable[[], StatementReader],
        give_way: Callable[[], None],
        now: Callable[[str], datetime],
        notify: Notify,
    ) -> None:
        """spool: used only by these conversations, and closed with them.
        commit: commits the turns in the spool.
        count_use: adds to what the graph has noted of a user.
        note_hints: stores with turns which facts and quoted turns were hints for them.
        last_turns: returns at most this many of the last turns of a session that the graph has, in order.
        recall: closed with the conversations.
        read: opens what reads a turn.
        give_way: waits until nobody waits for an answer; called between pieces of work in the background.
        now: returns the present moment in the time zone of a user.
        """
        self._group_id, self._language, self._options = group_id, language, options
        self._read = read
        self._spool, self._recall, self._now, self._last_turns = spool, recall, now, last_turns
        self._users = _Users(
            group_id=group_id, spool=spool, facts=facts, speakers=options.speakers, now=now, give_way=give_way
        )
        self._drain = BackgroundWork(
            "amr-drain",
            partial(_drain, self._users, commit, count_use, note_hints),
            failed=lambda error: notify(f"{error.message}; turns are kept on this machine and committed later"),
            recovered=partial(notify, "turns are committed again"),
        )
        self._drain.start()

    def close(self) -> None:
        """Commit the spooled turns, for at most five seconds. The rest stays in the spool for a later run."""
        self._recall.close()
        self._drain.close()
        self._spool.close()

    def chat(self, user_id: str, session_id: str) -> LiveChat:
        """Return a session of a user. The first call for a user reads their facts from the graph and the spool.

        A session that was begun earlier, here or in another process, continues where it ended.
        Raises InputError: the user or the session has no name.
        """
        try:
            session = Session(self._group_id, user_id, session_id)
        except ValueError as error:
            raise InputError(str(error), hint="name the user and the session") from error
        user = self._users.user(user_id)
        if not self._drain.fails:
            self._users.read_turns(user)
        # Nothing may be forgotten between the read and the moment when the conversation is known.
        with user.reading:
            earlier = self._earlier(user, session)
            chat = LiveChat(
                session_id,
                user_id=user_id,
                index=user.index,
                understand=self._understander.understand,
                ask=partial(about_facts, user_id),
                keep=lambda turn: self._keep(user, session, turn),
                options=self._options,
                now=partial(self._now, user_id),
                clock=time.perf_counter,
                passive=self._recall.of(user_id, lambda: bool(user.forgetting)),
                earlier=earlier,
                spoken=self._understander.language_of([turn.text for turn in earlier]),
                hinted=user.hinted.__setitem__,
            )
            with user.changing:
                user.chats.add(chat)
            user.metrics.append(chat.metrics)
        return chat

    def _earlier(self, user: _User, session: Session) -> list[EarlierTurn]:
        """Return the last turns of a session, from the graph and the spool. During an outage, those of the spool."""
        # The spool before the graph: a turn that is committed between the two is found in one of them.
        waiting = [
            EarlierTurn(
                each.episode_id,
                each.actor,
                each.content,
                is_recalled=not any(change.forgotten for change in each.changes),
            )
            for _, each in self._spool.of_user(self._group_id, user.user_id)
            if each.session == session
        ]
        there: Sequence[EarlierTurn] = ()
        if not self._drain.fails:
            with suppress(StoreUnavailable):
                there = self._last_turns(session, _MOST_EARLIER)
        known = {turn.episode_id for turn in there}
        turns = [*there, *(turn for turn in waiting if turn.episode_id not in known)][-_MOST_EARLIER:]
        hinted = {episode_id: tuple(hints.values()) for episode_id, hints in dict(user.hinted).items()}
        return [replace(turn, hinted=hinted.get(turn.episode_id, turn.hinted)) for turn in turns]

    @property
    def is_away(self) -> bool:
        """Whether the last attempt to commit turns failed."""
        return self._drain.fails

    def wait(self, seconds: float) -> bool:
        """Wait at most `seconds` until every turn is in the graph; return whether it is."""
        return self._drain.wait(seconds)

    def remove(self, user_id: str, triple: Triple) -> None:
        """Remove forgotten facts from the index and from the prompts of this process.

        An empty relation or object of the triple matches every one.
        """
        user = self._users.known(user_id)
        if user:
            with user.reading:
                user.index.remove(*triple)
            for chat in user.open_chats:
                chat.forget(*triple)

    def reload(self, user_id: str) -> None:
        """Drop what this process holds of a user but was deleted from the graph; read facts that were corrected."""
        user = self._users.known(user_id)
        if user:
            self._users.look_again(user)

    @cached_property
    def _understander(self) -> Understander:
        return Understander(self._options.languages, GivingWay(), self._read(), prepare)

    def _keep(self, user: _User, session: Session, turn: SpokenTurn) -> str:
        """Write a turn to the spool and wake the thread that commits it. Returns the episode_id."""
        given = {"content": turn.text, "actor": turn.actor, "metadata": dict(turn.metadata), "turn_id": turn.turn_id}
        given |= {"at": turn.at} if turn.is_dated else {}
        episode = one_episode(given, session, self._now(user.user_id) if turn.is_dated else turn.at, self._language)
        episode = replace(episode, changes=turn.changes, continues=turn.continues, intake_id=uuid4().hex)
        [taken] = self._spool.accept([episode])
        user.own.add(taken.number)
        if any(change.forgotten for change in turn.changes):
            user.forgetting, user.turns_to = taken.number, -1
        user.used = time.monotonic()
        self._drain.wake()
        return episode.episode_id


class _Users:
    """The users whose facts are in memory. Their indexes follow the graph and the spool. Thread-safe."""

    def __init__(
        self,
        group_id: str,
        spool: Spool,
        facts: StoredFacts,
        speakers: Speakers,
        now: Callable[[str], datetime],
        give_way: Callable[[], None],
    ) -> None:
        self._group_id, self._spool, self._facts, self._now = group_id, spool, facts, now
        self._speakers = speakers
        self._give_way = give_way
        self._lock = Lock()
        self._users: dict[str, _User] = {}

    def known(self, user_id: str) -> _User | None:
        with self._lock:
            return self._users.get(user_id)

    def all(self) -> list[_User]:
        with self._lock:
            return list(self._users.values())

    def user(self, user_id: str) -> _User:
        """Return the user with their facts. The first call reads the facts."""
        with self._lock:
            user = self._users.setdefault(user_id, _User(user_id))
            user.used = time.monotonic()
        # Read under a lock of the user, so that a second caller never gets a half-filled index. Other users do not
        # wait for it: in an outage it takes long.
        with user.reading:
            if not user.is_filled:
                self._read(user)
                user.is_filled = True
        return user

    def read_turns(self, user: _User) -> None:
        """Read what the user has said since the last call, to be quoted. During an outage nothing is read.

        Nothing is read either while a wish to forget is on its way to the graph.
        """
        with user.reading, suppress(StoreUnavailable):
            if not user.forgetting:
                turns, user.turns_to = self._facts.said_turns(user.user_id, user.turns_to, _MOST_TURNS)
                user.index.said_turns.add(turn for actor, turn in turns if self._is_own(actor, user))

    def _is_own(self, actor: str, user: _User) -> bool:
        return self._speakers.subject(actor, user.user_id) == SPEAKER

    def look_again(self, user: _User) -> None:
        """Drop from the index and the conversations of a user what is not in the graph any more, nor in the spool.

        What the user says during that is not dropped, because what the index holds is noted before the graph is read.
        """
        with user.reading:
            held = user.held
            known = {fact.triple for fact in user.index.facts()}.union(user.index.doubtful())
            # The spool before the graph: a turn that is committed between the two is found in one of them.
            waiting = self.waiting(user)
            waits = {triple for episode in waiting for triple in facts_stated(episode.changes)}
            counted = self._facts.forgettings([user.user_id])[user.user_id]
            believed = self._facts.active(user.user_id, _MOST_FACTS)
            user.index.drop(known - waits - {fact.triple for fact in believed if not fact.waits})
            user.index.merge(believed, [fact for fact in believed if fact.waits])
            _take_back(user, waiting)
            gone = held - self._facts.still_recalled(user.user_id, held) - {episode.episode_id for episode in waiting}
            user.index.said_turns.drop(gone)
            for chat in user.open_chats:
                chat.drop(gone)
            # The graph may refuse to believe a waiting turn of something that was forgotten in the meantime.
            user.forgettings = None if waiting else counted

    def refresh(self, goes_on: Callable[[], bool] = lambda: True) -> None:
        """Read what other processes have stated about these users, and drop what was forgotten in any process.

        goes_on: whether to go on with a further user.
        """
        now = time.monotonic()
        users = self.all()
        counted = self._facts.forgettings([user.user_id for user in users]) if users else {}
        # One read for all of them: with a read for each, a few dozen users kept the database busy.
        read_to = {user.user_id: user.read_to for user in users if user.is_due(now)}
        since = {user_id: moment - _OVERLAP for user_id, moment in read_to.items() if moment}
        changed = self._facts.changed(since) if since else {}
        # Only once the graph has answered: in an outage, what a process holds of a user cannot be read again.
        with self._lock:
            self._users = {user_id: user for user_id, user in self._users.items() if not user.is_over(now)}
        for user in (each for each in users if not each.is_over(now)):
            if not goes_on():
                return
            self._give_way()
            by_now = counted[user.user_id]
            if user.forgettings is None or by_now.differ(user.forgettings):
                self.look_again(user)
            else:
                if by_now.of_group_differ(user.forgettings):
                    self._drop_events(user)
                user.forgettings = by_now
            if user.user_id in read_to:
                user.refreshed = now
                with user.reading:
                    waiting = self._read_spool(user)
                    moment = since.get(user.user_id)
                    found = (moment, changed[user.user_id]) if moment else None
                    if found is None or found != user.changed:
                        self._read_graph(user)
                        _take_back(user, waiting)
                        user.changed = found

    def waiting(self, user: _User) -> list[Episode]:
        """Return the user's turns in the spool."""
        return [episode for _, episode in self._spool.of_user(self._group_id, user.user_id)]

    def _drop_events(self, user: _User) -> None:
        """Drop from the user's conversations the events of videos that the graph does not have any more."""
        if events := frozenset(each for each in user.held if isinstance(each, int)):
            gone = events - self._facts.still_recalled(user.user_id, events)
            for chat in user.open_chats if gone else ():
                chat.drop(gone)

    def _read(self, user: _User) -> None:
        """Fill the index from the graph and the spool.

        If the database is unreachable, `refresh` reads the graph later. The spool holds what this machine took in.
        """
        with suppress(StoreUnavailable):
            self._read_graph(user)
        self._read_spool(user)

    def _read_graph(self, user: _User) -> None:
        if user.read_to is None:
            # Taken before the read, so that the next refresh also gets changes made during it.
            since = self._now(user.user_id) - _OVERLAP
            user.forgettings = self._facts.forgettings([user.user_id])[user.user_id]
            user.index.load(self._facts.active(user.user_id, _MOST_FACTS))
            user.read_to = since
            return
        active, gone, last = self._facts.updated(user.user_id, user.read_to - _OVERLAP)
        user.index.merge(active, gone)
        user.read_to = max(last, user.read_to)

    def _read_spool(self, user: _User) -> list[Episode]:
        """Learn what other processes spooled since the last call. Returns the user's turns in the spool."""
        own = user.own.copy()
        waiting = self._spool.of_user(self._group_id, user.user_id)
        user.own -= own.difference(number for number, _ in waiting)
        for number, episode in waiting:
            if number > user.seen and number not in user.own:
                user.index.apply(episode.changes)
                if self._is_own(episode.actor, user) and not any(change.forgotten for change in episode.changes):
                    facts = facts_stated(episode.changes)
                    said = SaidTurn(episode.episode_id, episode.content, episode.valid_at.timestamp(), facts)
                    user.index.said_turns.add([said])
            user.seen = max(user.seen, number)
        return [episode for _, episode in waiting]


def _take_back(user: _User, waiting: Sequence[Episode]) -> None:
    """Take back what turns in the spool take back: the graph, which was just read, still believes it."""
    changes = [change for episode in waiting for change in episode.changes]
    user.index.apply([change for change in changes if change.retracted])


def _drain(
    users: _Users,
    commit: Callable[[], object],
    count_use: CountUse,
    note_hints: NoteHints,
    is_wanted: bool,
    goes_on: Callable[[], bool],
) -> float:
    """Commit the spooled turns if there was a wake, then read what other processes stated.

    Returns the seconds until the next run.
    """
    if is_wanted:
        forgetting = {user.user_id: user.forgetting for user in users.all()}
        commit()
        for user in users.all():
            _note_use(user, count_use)
            _note_hints(users, user, note_hints)
            if user.forgetting and user.forgetting == forgetting.get(user.user_id):
                users.look_again(user)
                user.forgetting = 0
                users.read_turns(user)
    users.refresh(goes_on)
    return _EVERY


def about_facts(user_id: str, question: str, code: str) -> FactQuestion:
    """Return a question about the facts of a user. code: of its language."""
    asked = FactQuestion.of(question, user_id, code)

    def is_meant(turn: str) -> bool:
        return not states_nothing(turn, code)

    return replace(asked, is_meant=is_meant)


def _note_hints(users: _Users, user: _User, note_hints: NoteHints) -> None:
    """Store hints with the turns that the graph has by now.

    Of the others, those stay whose turns wait in the spool. The turns of the rest were forgotten or refused.
    """
    if hinted := dict(user.hinted):
        waiting = {episode.episode_id for episode in users.waiting(user)}
        noted = note_hints(user.user_id, hinted)
        for episode_id in hinted.keys() - waiting.difference(noted):
            del user.hinted[episode_id]


def _note_use(user: _User, count_use: CountUse) -> None:
    """Add to the graph what the user's conversations have counted and shown since the last call."""
    # Must be read before the metrics. If another thread closes a conversation meanwhile, the next call still records
    # its last counts.
    open_now = {id(chat.metrics) for chat in user.open_chats}
    for metrics in list(user.metrics):
        counted = metrics.of_use()
        new = {name: number - metrics.noted.get(name, 0) for name, number in counted.items()}
        shown = [metrics.shown.popleft() for _ in range(len(metrics.shown))]
        # The first call makes the node that also counts what is forgotten of this user.
        if any(new.values()) or shown or not metrics.noted:
            try:
                # The latest of each fact.
                count_use(user.user_id, new, list({fact.fact_id: fact for fact in shown}.values()))
            except AmrError:
                metrics.shown.extendleft(reversed(shown))
                raise
            metrics.noted = counted
        if id(metrics) not in open_now:
            user.metrics.remove(metrics)
