"""The parts of one memory, each made when it is first asked for."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import datetime, timezone
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from amr_neo4j.app.recall_sources import RecallSources
from amr_neo4j.domain.ports import Analyser, Embedder, Notify, VectorIndex
from amr_neo4j.errors import AmrError, InputError, StoreUnavailable
from amr_neo4j.language.languages import language
from amr_neo4j.settings import Settings
from amr_neo4j.spool import ALERTS_FILE, CLIPS_FILE, GRAPHS_FILE, LIVE_FILE, LIVE_FOLDER, TURNS_FILE
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.admission import Admission
from amr_neo4j.store.read.browse import Browse
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.wiring.database_identity import DatabaseIdentity
from amr_neo4j.wiring.embedder import open_embedder, open_question_embedder

# Imports inside the factories keep `amr --help` and look-ups fast: each part loads what it needs.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from amr_neo4j.app.background_embedding import BackgroundEmbedding
    from amr_neo4j.app.beliefs import UserBeliefs
    from amr_neo4j.app.fact_reading import FactReader
    from amr_neo4j.app.live_chats import LiveChats
    from amr_neo4j.conversations.extract import Extraction, ExtractReport
    from amr_neo4j.conversations.service import Conversations
    from amr_neo4j.domain.episode import ChatReport
    from amr_neo4j.domain.ports import Kind
    from amr_neo4j.domain.recalled import SearchType
    from amr_neo4j.facts.queue import FactEmbedding
    from amr_neo4j.facts.recall import MemorySearch
    from amr_neo4j.ingest.analysis_runner import Refine
    from amr_neo4j.ingest.commit import Committer
    from amr_neo4j.ingest.merging import Merging
    from amr_neo4j.language.languages import Language
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.recall.limits import Models, RecallLimits
    from amr_neo4j.spool.alerts import AlertSpool
    from amr_neo4j.spool.clips import ClipSpool
    from amr_neo4j.spool.known_databases import KnownDatabases
    from amr_neo4j.spool.live import LiveSpool
    from amr_neo4j.store.integrity import Integrity
    from amr_neo4j.store.persons import PersonMerger, SpeakerLinks
    from amr_neo4j.store.read.conversation_reader import ConversationReader
    from amr_neo4j.store.read.facts import Replacements
    from amr_neo4j.store.read.turn_events import TurnEventReader
    from amr_neo4j.store.write.facts import FactQueue
    from amr_neo4j.store.write.retrying_writer import RetryingWriter
    from amr_neo4j.vectors.turn_index import TurnIndex


_LARGE = ("embedder", "question_embedder", "index", "turn_index", "fact_index")
"""Tens to hundreds of MB each."""


class Parts:
    """What a memory is made of. `close` releases the parts that were made, in reverse order, the database last."""

    def __init__(self, settings: Settings, database: Database, notify: Notify) -> None:
        """notify: gets lines for a person. The database is closed with the rest."""
        self.settings = settings
        self.group_id = settings.group
        self.database = database
        self.notify = notify
        self.open_indexes: dict[Kind, list[VectorIndex]] = {}
        self._opening = Lock()
        self.draining = Lock()
        self._closers = ExitStack()
        self._closers.callback(self._let_go)
        self._closers.callback(database.close)

    def close(self) -> None:
        """Save what is worth saving, end the connections, let go of what is large. Safe to repeat."""
        self._closers.close()

    def _let_go(self) -> None:
        """The parts refer to one another: what they hold would stay in memory until garbage is collected in full."""
        for name in _LARGE:
            vars(self).pop(name, None)
        self.open_indexes.clear()

    def prepare(self) -> None:
        """Bring the schema up to date and commit what waits.

        A database that is away is accepted where this machine has used it before: turns are kept for it then.
        Raises StoreUnavailable, StoreDenied, MigrationError.
        """
        try:
            self.identity.make_ready()
        except StoreUnavailable:
            if not self.identity.was_used_before():
                raise
        else:
            self._commit_waiting_turns()
            if self.fact_queue.next_at() is not None:
                self.fact_embedding.wake()

    def _commit_waiting_turns(self) -> None:
        if self._turns_file.exists():
            try:
                self.conversations.drain()
            except AmrError as error:
                self.notify(f"what was said and waits on this machine goes on waiting: {error}")

    @staticmethod
    def now() -> datetime:
        """The wall clock, in UTC."""
        return datetime.now(timezone.utc)

    def seconds(self) -> float:
        """The wall clock, in seconds since 1970."""
        return self.now().timestamp()

    def user(self, user_id: str) -> str:
        """The user, or the settings' user. Raises InputError: neither is named."""
        user = user_id or self.settings.user
        if not user:
            raise InputError("no user given", hint="name one: --user NAME or AMR_USER; in Python user_id")
        return user

    @cached_property
    def language(self) -> Language:
        """The language of the settings."""
        return language(self.settings.language)

    # --- the database

    @cached_property
    def known_databases(self) -> KnownDatabases:
        """The databases that this machine has used, by address."""
        from amr_neo4j.spool.known_databases import KnownDatabases

        known = KnownDatabases(self.settings.data_dir / GRAPHS_FILE)
        self._closers.callback(known.close)
        return known

    @cached_property
    def identity(self) -> DatabaseIdentity:
        """Which database answers."""
        return DatabaseIdentity(self.database, lambda: self.known_databases)

    @cached_property
    def integrity(self) -> Integrity:
        """Checks of the group's data."""
        from amr_neo4j.store.integrity import Integrity

        return Integrity(self.database, self.group_id, self.settings.entity_jump_gap_sec, self.now)

    @cached_property
    def browse(self) -> Browse:
        """Look-ups for people."""
        return Browse(self.database, self.group_id)

    # --- models

    @cached_property
    def ledger(self) -> Ledger:
        """What calls to models have taken and cost, at most max_cost_usd."""
        from amr_neo4j.models.ledger import Ledger

        return Ledger(self.notify, self.settings.max_cost_usd)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedder of the settings."""
        return open_embedder(self.settings, self.ledger)

    @cached_property
    def question_embedder(self) -> Embedder:
        """The embedder, or a faster one with nearly the same vectors, for questions."""
        return open_question_embedder(self.settings, self.embedder)

    @cached_property
    def admission(self) -> Admission:
        """Checks a group against the embedder."""
        return Admission(self.group_id, lambda: self.embedder)

    def embedded_by(self) -> tuple[str, int] | None:
        """(model, dimension) that the group was embedded with; None for an empty one."""
        group = self.browse.group()
        return (group.model, group.dim) if group else None

    @cached_property
    def models(self) -> Models:
        """The chat models of recall; those without a provider are None."""
        from amr_neo4j.models.opener import open_chat
        from amr_neo4j.recall.limits import Models

        return Models(*(open_chat(self.settings, role, self.ledger) for role in ("text", "judge", "answer")))

    # --- recall

    @cached_property
    def sources(self) -> RecallSources:
        """What each question reads."""
        return RecallSources(self)

    @cached_property
    def limits(self) -> RecallLimits:
        """How far recall goes."""
        from amr_neo4j.wiring.recall_limits import recall_limits

        return recall_limits(self.settings)

    @cached_property
    def reader(self) -> EventReader:
        """Reads the events of videos."""
        return EventReader(self.database, language=self.settings.language, admit=self.admission.admit)

    @cached_property
    def turn_reader(self) -> TurnEventReader:
        """Reads the turns of conversations as events."""
        from amr_neo4j.store.read.turn_events import TurnEventReader

        return TurnEventReader(self.database, language=self.settings.language, admit=self.admission.admit)

    @cached_property
    def replacements(self) -> Replacements:
        """Knows which turns later ones replaced."""
        from amr_neo4j.store.read.facts import Replacements

        return Replacements(self.database)

    @cached_property
    def beliefs(self) -> UserBeliefs:
        """Knows what is believed of a user."""
        from amr_neo4j.app.beliefs import UserBeliefs

        return UserBeliefs(self)

    @property
    def vectors_folder(self) -> Path:
        """Where the snapshots of this database's dense indexes are."""
        return self.settings.data_dir / "vectors" / self.identity.database_id

    @cached_property
    def index(self) -> VectorIndex:
        """The dense index of events."""
        return self._open_index("event")

    @cached_property
    def turn_index(self) -> TurnIndex:
        """The dense index of turns."""
        from amr_neo4j.domain.event import said_id
        from amr_neo4j.vectors.turn_index import TurnIndex

        return TurnIndex(self._open_index("episode"), said_id)

    @cached_property
    def fact_index(self) -> TurnIndex:
        """The dense index of facts, by their vector_ids."""
        from amr_neo4j.vectors.turn_index import TurnIndex

        return TurnIndex(self._open_index("fact"), int)

    def _open_index(self, kind: Kind) -> VectorIndex:
        """The dense index of a kind of vectors, closed with the rest."""
        with self._opening:  # recall in passing may ask for it at the same time
            for index in self.open_indexes.get(kind, ()):
                if index.model == self.embedder.model:
                    return index
            index = self._new_index(kind)
            self._closers.callback(index.close)
            self.open_indexes.setdefault(kind, []).append(index)
            return index

    def _new_index(self, kind: Kind) -> VectorIndex:
        from amr_neo4j.wiring.vector_indexes import local_index, neo4j_index, sidecar_index

        if self.settings.dense == "sidecar":
            return sidecar_index(self, kind)
        if self.settings.dense == "neo4j":
            return neo4j_index(self, kind, self.embedder.model, self.embedder.dim)
        return local_index(self, kind, self.embedder.model, self.embedder.dim)

    # --- ingest

    @cached_property
    def writer(self) -> RetryingWriter:
        """Writes clips, and waits for a database that is away."""
        from amr_neo4j.store.write.clip_writer import ClipWriter
        from amr_neo4j.store.write.retrying_writer import RetryingWriter

        gap, language = self.settings.entity_jump_gap_sec, self.settings.language
        writer = ClipWriter(self.database, jump_gap_sec=gap, language=language, now=self.now)
        return RetryingWriter(writer, wait_sec=self.settings.store_wait_sec, notify=self.notify)

    @cached_property
    def merging(self) -> Merging | None:
        """Merges events; None unless merge_events_enabled."""
        if not self.settings.merge_events_enabled:
            return None
        from amr_neo4j.wiring.merging import open_merging

        return open_merging(self.settings, self.writer, self.embedder, self.ledger)

    @property
    def committer(self) -> Committer:
        """Composes, embeds and commits clips."""
        from amr_neo4j.ingest.commit import Committer

        return Committer(self.writer, self.embedder, self.language, self.merging, self.ledger.counting)

    @property
    def clips_file(self) -> Path:
        """The file of analyses that wait for the graph; need not exist."""
        return self.settings.data_dir / CLIPS_FILE

    @cached_property
    def clip_spool(self) -> ClipSpool:
        """Analyses that wait for the graph."""
        from amr_neo4j.spool.clips import ClipSpool

        spool = ClipSpool(self.clips_file, self.notify)
        self._closers.callback(spool.close)
        return spool

    @property
    def live_folder(self) -> Path:
        """Where clips of live sources are recorded."""
        return self.settings.data_dir / LIVE_FOLDER

    @property
    def live_file(self) -> Path:
        """The file of what is recorded from live sources; need not exist."""
        return self.settings.data_dir / LIVE_FILE

    @cached_property
    def live_spool(self) -> LiveSpool:
        """What is recorded from live sources."""
        from amr_neo4j.spool.live import LiveSpool

        spool = LiveSpool(self.live_file)
        self._closers.callback(spool.close)
        return spool

    @property
    def alerts_file(self) -> Path:
        """The file of alerts; need not exist."""
        return self.settings.data_dir / ALERTS_FILE

    @cached_property
    def alert_spool(self) -> AlertSpool:
        """Alerts, and what they have to deliver."""
        from amr_neo4j.spool.alerts import AlertSpool

        spool = AlertSpool(self.alerts_file)
        self._closers.callback(spool.close)
        return spool

    @cached_property
    def analyser(self) -> Analyser:
        """Watches videos."""
        from amr_neo4j.store.read.receipts import people_with_ids
        from amr_neo4j.wiring.analyser import open_analyser

        return open_analyser(self.settings, partial(people_with_ids, self.database), self.clip_spool, self.ledger)

    def refine(self, of: Literal["local", "lines"]) -> Refine:
        """The further calls for clips that no vision model analysed, where the settings ask for them."""
        from amr_neo4j.ingest.analysis_runner import unrefined
        from amr_neo4j.store.read.receipts import people_with_ids
        from amr_neo4j.wiring.analyser import open_refinement

        known_people = partial(people_with_ids, self.database)
        return open_refinement(self.settings, of, known_people, self.clip_spool, self.ledger) or unrefined

    def refine_watched(self) -> Refine:
        """The same for clips that the analyser watched: a vision model makes these calls itself."""
        from amr_neo4j.ingest.analysis_runner import unrefined

        return self.refine("local") if self.analyser.name == "local" else unrefined

    @cached_property
    def merger(self) -> PersonMerger:
        """Merges persons."""
        from amr_neo4j.store.persons import PersonMerger

        return PersonMerger(self.database, self.group_id, self.settings.entity_jump_gap_sec, self.now)

    # --- conversations

    @property
    def _turns_file(self) -> Path:
        return self.settings.data_dir / TURNS_FILE

    @cached_property
    def conversations(self) -> Conversations:
        """Takes in turns."""
        from amr_neo4j.conversations.service import Conversations
        from amr_neo4j.spool.turns import Spool
        from amr_neo4j.store.write.episode_writer import EpisodeWriter

        spool = Spool(self._turns_file, self.identity.database_id)
        self._closers.callback(spool.close)
        writer = EpisodeWriter(self.database, language=self.settings.language, now=self.now)
        ready, embedder = self.identity.make_ready, lambda: self.embedder
        return Conversations(
            self.group_id, spool, writer, embedder, self.now, ready, self.language, self.notify, self.draining
        )

    @cached_property
    def fact_queue(self) -> FactQueue:
        """The facts that wait for an embedding."""
        from amr_neo4j.store.write.facts import FactQueue

        return FactQueue(self.database, self.group_id, self.now)

    @cached_property
    def fact_embedder(self) -> FactEmbedding:
        """Embeds facts."""
        from amr_neo4j.facts.queue import FactEmbedding

        return FactEmbedding(self.fact_queue, lambda: self.embedder, self.seconds)

    @cached_property
    def fact_embedding(self) -> BackgroundEmbedding:
        """Embeds facts in the background."""
        from amr_neo4j.app.background_embedding import BackgroundEmbedding

        background = BackgroundEmbedding(self.fact_queue, self.fact_embedder, self.seconds, self.notify)
        self._closers.callback(background.close)
        return background

    def memory_search(self, user_id: str, search_type: SearchType = "both") -> MemorySearch:
        """Searches facts, or the turns of a user and the events of the group's videos, or both. For one search."""
        from amr_neo4j.app.memory_search import open_search

        return open_search(self, user_id, search_type)

    @cached_property
    def live_chats(self) -> LiveChats:
        """Live conversations."""
        from amr_neo4j.app.live_chats import LiveChats

        chats = LiveChats(self, self.fact_embedding.wake)
        self._closers.callback(chats.close)
        return chats

    @property
    def has_live_chats(self) -> bool:
        """Whether there was a live conversation."""
        return "live_chats" in self.__dict__

    @cached_property
    def conversation_reader(self) -> ConversationReader:
        """Reads sessions."""
        from amr_neo4j.store.read.conversation_reader import ConversationReader

        return ConversationReader(self.database)

    @cached_property
    def extraction(self) -> Extraction:
        """Extracts mentions and relations from turns."""
        from amr_neo4j.conversations.extract import Extraction
        from amr_neo4j.store.write.mention_store import MentionStore

        store = MentionStore(self.database, self.group_id, now=self.now)
        return Extraction(store, self.language, self.fact_reader, self.models.text)

    @cached_property
    def fact_reader(self) -> FactReader:
        """Reads the facts that turns in the graph state."""
        from amr_neo4j.app.fact_reading import FactReader

        return FactReader(self.settings.hot_languages)

    def extract(self, user_id: str, session_id: str | None = None) -> ExtractReport:
        """Extract from turns that nothing was extracted from; their new facts are embedded in the background."""
        try:
            return self.extraction.extract(user_id, session_id)
        finally:
            self.fact_embedding.wake()

    def extract_in_flow(self, report: ChatReport, user_id: str, session_id: str | None = None) -> None:
        """Extract from turns that were just committed, where the settings say so.

        The turns are safe whatever happens here: what is not extracted now is left for `extract`.
        """
        if not (self.settings.extract_mentions and report.committed):
            return
        try:
            found = self.extract(user_id, session_id)
        except AmrError as error:
            self.notify(f"mentions are extracted later: {error}")
        else:
            for line in found.errors:
                self.notify(f"mentions are extracted later: {line}")

    @cached_property
    def speaker_links(self) -> SpeakerLinks:
        """Links speakers to the persons of videos."""
        from amr_neo4j.store.persons import SpeakerLinks

        return SpeakerLinks(self.database, self.group_id, self.now)
