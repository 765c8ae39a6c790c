"""Opens the parts of a memory from its settings, each at its first use, and closes them.

A part gets what it needs as arguments, or as functions if it takes long to open. No part knows the Parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload
from uuid import getnode

from amr_neo4j.domain.page import PageRequest
from amr_neo4j.domain.ports import Analyser, Embedder, Follow, Notify, StatementReader
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.domain.video import LeftOut
from amr_neo4j.errors import AmrError, StoreUnavailable
from amr_neo4j.model_roles import LOCAL_EMBEDDERS, MULTILINGUAL
from amr_neo4j.settings import Settings
from amr_neo4j.spool import (
    ALERTS_FILE,
    CLIPS_FILE,
    GRAPHS_FILE,
    JOBS_FILE,
    LIVE_FILE,
    LIVE_FOLDER,
    MESSAGES_FILE,
    SERVED_FOLDER,
    TURNS_FILE,
)
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.admission import Admission
from amr_neo4j.store.read.browse import Browse
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.version import __version__
from amr_neo4j.wiring import openers
from amr_neo4j.wiring.database import DatabaseIdentity
from amr_neo4j.wiring.embedder import is_for_english, open_brief_embedder, open_embedder
from amr_neo4j.wiring.openers import unix_seconds, utc_now
from amr_neo4j.wiring.part import Part
from amr_neo4j.wiring.vector_indexes import VectorIndexes

# Imports inside the openers keep `amr --help` and look-ups fast: each part loads what it needs.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    from amr_neo4j.app.alerts import Alerts
    from amr_neo4j.app.asking import Asking
    from amr_neo4j.app.background import BackgroundWork, QuestionsFirst
    from amr_neo4j.app.beliefs import UserBeliefs
    from amr_neo4j.app.camera_messages import CameraMessages
    from amr_neo4j.app.chatting import LiveChats
    from amr_neo4j.app.correcting import FactCorrections
    from amr_neo4j.app.exploring import ExploringMemory
    from amr_neo4j.app.fact_reading import RuleReader
    from amr_neo4j.app.facts_of_talk import GroupTalk
    from amr_neo4j.app.forgetting import ForgettingConversations, ForgettingFootage
    from amr_neo4j.app.group_language import GroupLanguage
    from amr_neo4j.app.ingesting import Ingesting
    from amr_neo4j.app.live_footage import LiveFootage
    from amr_neo4j.app.live_ingest import LiveIngest
    from amr_neo4j.app.memory_search import SearchingMemory
    from amr_neo4j.app.nightly import Consolidation
    from amr_neo4j.app.receipts import FirstHit, Receipts
    from amr_neo4j.app.remembering import Remembering
    from amr_neo4j.app.showing import Showing
    from amr_neo4j.app.transferring import Transferring
    from amr_neo4j.app.use_notes import UseNotes
    from amr_neo4j.conversations.extract import Extraction
    from amr_neo4j.conversations.service import Conversations
    from amr_neo4j.domain.belief import ShownFact
    from amr_neo4j.facts.queue import QueuedEmbedding
    from amr_neo4j.ingest.analysis_runner import Refine
    from amr_neo4j.ingest.commit import Committer
    from amr_neo4j.ingest.merging import Merging
    from amr_neo4j.ingest.pipeline import KnownPeople
    from amr_neo4j.language.languages import Language
    from amr_neo4j.language.synonyms import Synonyms
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.recall.limits import Models
    from amr_neo4j.spool.alerts import AlertSpool
    from amr_neo4j.spool.clips import ClipSpool
    from amr_neo4j.spool.jobs import JobSpool
    from amr_neo4j.spool.known_databases import KnownDatabases
    from amr_neo4j.spool.live import LiveSpool
    from amr_neo4j.spool.messages import MessageSpool
    from amr_neo4j.spool.turns import Spool
    from amr_neo4j.store.integrity import Integrity
    from amr_neo4j.store.persons import PersonMerger, SpeakerLinks
    from amr_neo4j.store.read.conversation_reader import ConversationReader
    from amr_neo4j.store.read.facts import StoredFacts
    from amr_neo4j.store.read.turn_events import TurnEventReader
    from amr_neo4j.store.write.clip_writer import ClipWriter
    from amr_neo4j.store.write.facts import EmbeddingQueue
    from amr_neo4j.store.write.mention_store import MentionStore

T = TypeVar("T")
_LEFT_OUT: dict[str, LeftOut] = {"keep": "", "drop": "sound", "first": "pictures"}


class lazy(Generic[T]):  # noqa: N801 - a decorator
    """A property of Parts that is computed once, in whichever thread asks first.

    functools.cached_property computes it in each of the threads that ask at once. Then a memory would have two live
    conversations, two spools and so on, of which only one is closed.
    """

    def __init__(self, make: Callable[[Parts], T], *, is_shared: bool = False) -> None:
        """is_shared: the parts of all groups have the same value, that of the base."""
        self._make, self._is_shared, self._name = make, is_shared, make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, parts: None, owner: type[Parts]) -> lazy[T]: ...
    @overload
    def __get__(self, parts: Parts, owner: type[Parts]) -> T: ...
    def __get__(self, parts: Parts | None, owner: type[Parts]) -> lazy[T] | T:
        if parts is None:
            return self
        # The value hides this descriptor, so only the first calls come here.
        with parts.lock:
            values = vars(parts)
            if self._name not in values:
                of_base = self._is_shared and parts.base
                values[self._name] = getattr(of_base, self._name) if of_base else self._make(parts)
            return values[self._name]


def shared(make: Callable[[Parts], T]) -> lazy[T]:
    """Decorate a property of Parts that all groups have in common, because it is large or holds a file or a lock."""
    return lazy(make, is_shared=True)


class Parts:
    """The parts of a memory. `close` closes those that were made, the latest first and the database last.

    All of it may be used from any number of threads.
    """

    def __init__(self, settings: Settings, database: Database, notify: Notify, base: Parts | None = None) -> None:
        """notify: receives messages for the user. The database is closed with the other parts.

        base: the parts of another group, with which these have the `shared` ones in common; see `of_group`.
        """
        self.settings = settings
        self.group_id = settings.group
        self.database = database
        self.notify = notify
        self.base = base
        # Held while a property is computed. All groups share it, since one's property may ask for the base's.
        self.lock: AbstractContextManager[object] = base.lock if base else RLock()
        # Held while turns are committed, by calls of the memory and by the thread of live conversations.
        self.draining: Lock = base.draining if base else Lock()
        self._closed_with: list[Part[Any]] = base._closed_with if base else []
        self._groups: dict[str, Parts] = {}
        if not base:
            # Made first, so that it is closed last.
            self._part(lambda: database, Database.close)()

    def of_group(self, group_id: str) -> Parts:
        """Return the parts of another group, over the same connections, models, indexes and files.

        The first call commits the turns of the group that wait in the spool. `close` of the base closes them.
        """
        base = self.base or self
        if group_id == base.group_id:
            return base
        with base.lock:
            is_new = group_id not in base._groups
            if is_new:
                settings = base.settings.model_copy(update={"group": group_id})
                base._groups[group_id] = Parts(settings, base.database, base.notify, base)
            found = base._groups[group_id]
        if is_new:
            found.prepare()
        return found

    def close(self) -> None:
        """Close all parts. Indexes that have changed enough are saved first. Safe to repeat."""
        with ExitStack() as closing:
            # ExitStack runs the callbacks last in, first out, and all of them even if one raises.
            # What works in a thread comes first: it may still need any other part to finish.
            for part in sorted(self._closed_with, key=lambda part: (part.works, part.order)):
                closing.callback(part.close)
        self._groups.clear()

    def prepare(self) -> None:
        """Bring the schema up to date and commit the turns in the spool.

        If the database is unreachable but this machine has used it before, this succeeds, and turns wait in the
        spool.
        Raises StoreUnavailable, StoreDenied, MigrationError.
        """
        try:
            self.identity.make_ready()
        except StoreUnavailable:
            if not self.identity.was_used_before():
                raise
        else:
            self.commit_waiting()
            # Facts of an earlier run may still wait for their embeddings.
            with suppress(StoreUnavailable):
                if self.embedding_queue.next_at() is not None:
                    self.queue_embedder().wake()

    def commit_waiting(self, user_id: str = "") -> None:
        """Commit the turns in the spool, by default of every user. If that fails, `notify` says so, and they wait."""
        try:
            openers.drain_turns(self._file(TURNS_FILE), self.conversations, self.group_id, user_id=user_id)
        except AmrError as error:
            self.notify(f"what was said and waits on this machine goes on waiting: {error}")

    def _part(
        self, make: Callable[[], T], close: Callable[[T], object] = lambda made: None, *, works: bool = False
    ) -> Part[T]:
        """Return a new part that is closed with the others."""
        part = Part(make, close, works=works)
        self._closed_with.append(part)
        return part

    def _file(self, name: str) -> Path:
        return self.settings.data_dir / name

    @shared
    def language(self) -> Language:
        from amr_neo4j.language.languages import language

        return language(self.settings.language)

    # A property connects a part with what it needs. A Part opens it at its first call: others can be given it before
    # it is open, and none holds the Parts, so that a memory that is dropped is freed at once.

    # --- the database

    @shared
    def known_databases(self) -> Part[KnownDatabases]:
        """The databases that this machine has used, by address."""
        from amr_neo4j.spool.known_databases import KnownDatabases

        return self._part(partial(KnownDatabases, self._file(GRAPHS_FILE)), KnownDatabases.close)

    @shared
    def identity(self) -> DatabaseIdentity:
        """Tells which database answers."""
        return DatabaseIdentity(self.database, self.known_databases, self.notify)

    @lazy
    def integrity(self) -> Integrity:
        from amr_neo4j.store.integrity import Integrity

        gap, language = self.settings.entity_jump_gap_sec, self.settings.language
        return Integrity(self.database, self.group_id, gap, language, utc_now)

    @shared
    def browse_of(self) -> Callable[[str], Browse]:
        """Opens the look-ups of a group."""
        return partial(Browse, self.database, zone=self.settings.zone)

    @lazy
    def browse(self) -> Browse:
        return self.browse_of(self.group_id)

    # --- models

    @shared
    def ledger(self) -> Ledger:
        """Records calls to models and their cost, and stops them at max_cost_usd."""
        from amr_neo4j.models.ledger import Ledger

        return Ledger(self.notify, self.settings.max_cost_usd)

    @lazy
    def embedder(self) -> Part[Embedder]:
        """The embedder of the group."""
        stored = partial(openers.embedded_by, self.browse)
        opened = partial(open_embedder, self.settings, self.ledger, stored)
        return self._part(partial(openers.same_for_all, self.base.embedder, opened) if self.base else opened)

    @lazy
    def brief_embedder(self) -> Part[Embedder]:
        """The embedder of what is stored while somebody waits."""
        settings, embedder = self.settings, self.embedder
        return self._part(lambda: open_brief_embedder(settings, embedder()))

    @lazy
    def question_embedder(self) -> Part[Embedder]:
        """The embedder of questions, for which somebody waits, too."""
        brief_embedder = self.brief_embedder
        return self._part(lambda: brief_embedder().asking())

    @lazy
    def follow(self) -> Follow:
        """Changes to the embedder by which another process, or this one, has embedded the group anew."""
        made_of_it = (self.brief_embedder, self.question_embedder, self.merging)
        return partial(openers.follow, self.settings, self.embedder, made_of_it)

    @lazy
    def group_language(self) -> GroupLanguage:
        """Gives a group in which not all is English the embedder for many languages."""
        from amr_neo4j.app.group_language import GroupLanguage
        from amr_neo4j.store.embeddings import first_texts, without_embedding

        settings, embedder = self.settings, self.embedder
        return GroupLanguage(
            group_id=self.group_id,
            is_english=lambda: is_for_english(settings, embedder()),
            language=settings.language,
            texts=partial(first_texts, self.database, self.group_id),
            language_of=openers.language_of,
            change=partial(openers.change_embedder, settings, self.database, self.browse, self.follow),
            left=partial(without_embedding, self.database, self.group_id, model=LOCAL_EMBEDDERS[MULTILINGUAL][0]),
            notify=self.notify,
        )

    @lazy
    def admission(self) -> Admission:
        """Checks that the group was embedded with the current embedder."""
        return Admission(self.group_id, self.embedder, self.follow)

    @shared
    def models(self) -> Part[Models]:
        """The chat models of recall; those without a provider are None."""
        return Part(partial(openers.open_models, self.settings, self.ledger))

    @lazy
    def indexes(self) -> VectorIndexes:
        """The dense indexes, of which all groups share those of one model."""
        if self.base:
            return self.base.indexes.of_embedder(self.embedder)
        folder, identity = self._file("vectors"), self.identity

        def snapshots() -> Path:
            return folder / identity.database_id

        indexes = VectorIndexes(self.settings, self.database, self.embedder, snapshots, self.notify)
        self._part(lambda: indexes, VectorIndexes.close)()
        return indexes

    # --- asking

    @shared
    def questions(self) -> QuestionsFirst:
        """Lets background work wait while a question is answered."""
        from amr_neo4j.app.background import QuestionsFirst

        return QuestionsFirst()

    @lazy
    def events(self) -> EventReader:
        """Reads events of videos for recall."""
        return EventReader(self.database, language=self.settings.language, admit=self.admission.admit)

    @lazy
    def turns(self) -> TurnEventReader:
        """Reads turns of conversations for recall, as events."""
        from amr_neo4j.store.read.turn_events import TurnEventReader

        return TurnEventReader(self.database, language=self.settings.language, admit=self.admission.admit)

    @lazy
    def beliefs(self) -> UserBeliefs:
        """Finds the believed facts of a user that answer a question."""
        from amr_neo4j.app.beliefs import UserBeliefs
        from amr_neo4j.store.read.facts import FactSearch

        settings, use_notes = self.settings, self.use_notes
        speakers = Speakers.with_agents(settings.agent_names)
        return UserBeliefs(
            partial(FactSearch, self.database),
            self.settings.languages,
            speakers=speakers,
            asked=lambda scope, facts: use_notes().asked(scope.group_id, scope.user_id, facts),
            relevance=partial(openers.open_relevance_model, settings),
        )

    @shared
    def use_notes(self) -> Part[UseNotes]:
        """Notes what is asked for outside live conversations, and writes it when it is closed at the latest."""
        from amr_neo4j.app.use_notes import UseNotes
        from amr_neo4j.store.write.facts import count_use

        def write(group_id: str, user_id: str, counts: Mapping[str, int], shown: Sequence[ShownFact]) -> None:
            count_use(database, utc_now, group_id, user_id, counts=counts, shown=shown)

        database = self.database
        return self._part(lambda: UseNotes(write, utc_now), UseNotes.flush)

    @lazy
    def asking(self) -> Part[Asking]:
        """Answers questions. A Part, because loading recall takes a moment."""
        from amr_neo4j.store.read.facts import StatedReplacements

        def make() -> Asking:
            from amr_neo4j.app.asking import Asking
            from amr_neo4j.language.languages import language
            from amr_neo4j.wiring.options import recall_limits

            return Asking(
                language=language(settings.language),
                languages=settings.languages,
                limits=recall_limits(settings),
                models=partial(openers.question_models, settings, models),
                events=events,
                turns=turns,
                browse=browse,
                replacements=StatedReplacements(database),
                beliefs=beliefs,
                indexes=indexes,
                embedder=question_embedder,
                note_language=note_language,
                drain=partial(openers.drain_turns, turns_file, conversations),
                questions=questions,
                admit=lambda group_id: admission.admit(browse(group_id).embedded_by()),
                notify=notify,
                now=now_of,
                zone=zone,
                wearer=wearer,
            )

        # Local names, so that `make` does not hold self.
        zone, now_of, wearer = self.settings.zone, self._now_of, self.settings.wearer
        settings, database, notify, models = self.settings, self.database, self.notify, self.models
        events, turns, beliefs, browse = self.events, self.turns, self.beliefs, self.browse_of
        indexes, question_embedder = self.indexes, self.question_embedder
        note_language = self.group_language.note_question
        conversations, admission, questions = self.conversations, self.admission, self.questions
        turns_file = self._file(TURNS_FILE)
        return self._part(make)

    @lazy
    def _now_of(self) -> Callable[[str], datetime]:
        """Return the present moment in the time zone of a user."""
        settings = self.settings
        return lambda user_id: utc_now().astimezone(settings.zone_of_user(user_id))

    @lazy
    def searching(self) -> Part[SearchingMemory]:
        """Searches what is believed and what happened."""
        from amr_neo4j.store.read.facts import FactSearch

        def make() -> SearchingMemory:
            from amr_neo4j.app.memory_search import SearchingMemory

            return SearchingMemory(
                asking=asking(),
                facts=partial(FactSearch, database),
                admitted_facts=partial(FactSearch, database, admit=admit),
                embedder=embedder,
                relevance=partial(openers.open_relevance_model, settings),
                now=utc_now,
                note_asked=lambda group_id, user_id, found: use_notes().asked(group_id, user_id, found),
            )

        asking, database, admit = self.asking, self.database, self.admission.admit
        embedder, use_notes, settings = self.question_embedder, self.use_notes, self.settings
        return self._part(make)

    @lazy
    def showing(self) -> Showing:
        from amr_neo4j.app.showing import Showing

        return Showing(
            database=self.database, browse=self.browse_of, views=self.settings.views, live=self._recordings_if_there
        )

    # --- ingest

    @shared
    def writer(self) -> Part[ClipWriter]:
        """Writes clips. During an outage of the database it waits."""

        def make() -> ClipWriter:
            from amr_neo4j.store.outages import OutageRetry
            from amr_neo4j.store.write.clip_writer import ClipWriter

            retry, gap = OutageRetry(settings.store_wait_sec, notify), settings.entity_jump_gap_sec
            return ClipWriter(database, jump_gap_sec=gap, language=settings.language, now=utc_now, retry=retry)

        settings, database, notify = self.settings, self.database, self.notify
        return Part(make)

    @lazy
    def merging(self) -> Part[Merging | None]:
        """Merges events; None unless merge_events_enabled."""
        settings, writer, embedder, ledger = self.settings, self.writer, self.embedder, self.ledger

        def make() -> Merging | None:
            from amr_neo4j.wiring.analyser import open_merging

            merges = settings.merge_events_enabled
            return open_merging(settings, writer(), embedder(), ledger) if merges else None

        return self._part(make)

    @lazy
    def committer(self) -> Callable[[], Committer]:
        """Opens what composes, embeds and commits clips."""
        needs = (self.writer, self.embedder, self.language, self.merging, self.ledger)
        return partial(openers.open_committer, *needs, follow=self.follow, committed=self.group_language.look)

    @shared
    def clip_spool(self) -> Part[ClipSpool]:
        """Keeps analyses that are not committed yet."""
        from amr_neo4j.spool.clips import ClipSpool

        return self._part(partial(ClipSpool, self._file(CLIPS_FILE), self.notify), ClipSpool.close)

    @shared
    def live_spool(self) -> Part[LiveSpool]:
        """Keeps the state of recordings of live sources."""
        from amr_neo4j.spool.live import LiveSpool

        return self._part(partial(LiveSpool, self._file(LIVE_FILE)), LiveSpool.close)

    @shared
    def alert_spool(self) -> Part[AlertSpool]:
        """Keeps alerts and their deliveries."""
        from amr_neo4j.spool.alerts import AlertSpool

        return self._part(partial(AlertSpool, self._file(ALERTS_FILE)), AlertSpool.close)

    @shared
    def analyser(self) -> Part[Analyser]:
        """Watches videos."""
        from amr_neo4j.store.read.receipts import heard_voices, named_voices
        from amr_neo4j.wiring.analyser import open_analyser

        settings, known_people, ledger, clip_spool = self.settings, self._known_people, self.ledger, self.clip_spool
        named, heard = partial(named_voices, self.database), partial(heard_voices, self.database)
        return self._part(
            lambda: open_analyser(
                settings, known_people, clip_spool(), ledger, named_voices=named, heard_voices=heard
            )
        )

    @shared
    def _known_people(self) -> KnownPeople:
        from amr_neo4j.store.read.receipts import people_with_ids

        return partial(people_with_ids, self.database)

    def _refine(self, of: Literal["local", "lines"]) -> Callable[[], Refine]:
        """Opens the further calls for clips that no vision model analysed."""
        from amr_neo4j.wiring.analyser import open_refinement

        settings, known_people, ledger, clip_spool = self.settings, self._known_people, self.ledger, self.clip_spool
        return lambda: open_refinement(settings, of, known_people, clip_spool(), ledger)

    @lazy
    def refine_lines(self) -> Callable[[], Refine]:
        """Opens the further calls for clips of JSON lines."""
        return self._refine("lines")

    @lazy
    def refine_watched(self) -> Callable[[], Refine]:
        """Opens the further calls for clips that the analyser watched."""
        from amr_neo4j.ingest.analysis_runner import unrefined

        analyser, refine_local = self.analyser, self._refine("local")
        # A vision model has made these calls itself.
        return lambda: refine_local() if analyser().name == "local" else unrefined

    @lazy
    def ingesting(self) -> Ingesting:
        from amr_neo4j.app.ingesting import Ingesting

        return Ingesting(
            analyser=self.analyser,
            committer=self.committer,
            writer=self.writer,
            clip_spool=self.clip_spool,
            refine_lines=self.refine_lines,
            refine_watched=self.refine_watched,
            live=self.live_ingest,
            apply_retention=self.forgetting_footage.apply_retention,
            measure=self.first_hit.add_to,
            target_clip_sec=self.settings.target_clip_sec,
            clips_per_transaction=self.settings.clips_per_transaction,
            now=utc_now,
            zone=self.settings.zone,
            place_zones=self.settings.place_timezones,
            place=self.settings.place,
            dates_by_arrival=self.settings.undated_films == "arrival",
            wearer=self.settings.wearer,
            views=self.settings.views,
            notify=self.notify,
            settle_scenes=partial(
                openers.settle_scenes, self.settings, self.writer, self.language, self.ledger, self.notify
            ),
            hear=self.group_talk.read,
            one_video=self.one_video,
        )

    @shared
    def one_video(self) -> AbstractContextManager[object]:
        """Held while a video is taken in: its analyser takes all cores."""
        return RLock()  # re-entrant: the `watch` of a caller may call `ingest` again

    @lazy
    def group_talk(self) -> GroupTalk:
        """Reads what people say in videos."""
        from amr_neo4j.app.facts_of_talk import GroupTalk

        return GroupTalk(
            store=partial(openers.fact_upkeep, self.database, user_id=""),
            reader=self.rule_reader,
            language=self.language,
            notify=self.notify,
        )

    @lazy
    def camera_messages(self) -> CameraMessages:
        """Takes in the messages of camera systems."""
        from amr_neo4j.app.camera_messages import CameraMessages

        file = self._file(MESSAGES_FILE)
        return CameraMessages(
            spool=self.message_spool,
            take_in=self.ingesting.items,
            lock=file.with_suffix(".lock"),
            session=f"{getnode()} {file}",
            notify=self.notify,
        )

    @shared
    def message_spool(self) -> Part[MessageSpool]:
        """Keeps messages that are not taken in yet."""
        from amr_neo4j.spool.messages import MessageSpool

        return self._part(partial(MessageSpool, self._file(MESSAGES_FILE)), MessageSpool.close)

    @shared
    def job_spool(self) -> Part[JobSpool]:
        """The server's jobs, to be forgotten with what they are about."""
        from amr_neo4j.spool.jobs import JobSpool

        return self._part(partial(JobSpool, self._file(JOBS_FILE)), JobSpool.close)

    @lazy
    def first_hit(self) -> FirstHit:
        """Measures how soon a search finds committed clips."""
        from amr_neo4j.app.receipts import FirstHit

        asking = self.asking
        return FirstHit(
            reader=self.events,
            search=lambda group_id, text, limit, bounds: asking().search(group_id, text, PageRequest(limit), bounds),
            live=self._recordings_if_there,
            now=utc_now,
        )

    @lazy
    def _recordings_if_there(self) -> Callable[[], LiveSpool | None]:
        """Opens the spool of live sources, if there is one."""
        return partial(openers.if_there, self._file(LIVE_FILE), self.live_spool)

    @lazy
    def receipts(self) -> Receipts:
        from amr_neo4j.app.receipts import Receipts
        from amr_neo4j.store.read.receipts import ReceiptReader

        return Receipts(
            graph=partial(ReceiptReader, self.database),
            live=self._recordings_if_there,
            now=utc_now,
            notify=self.notify,
        )

    @shared
    def live_footage(self) -> Part[LiveFootage]:
        """Manages the films of live sources on this machine."""
        from amr_neo4j.app.live_footage import LiveFootage

        spool, folder, keep_gb = self.live_spool, self._file(LIVE_FOLDER), self.settings.live_keep_gb
        return Part(lambda: LiveFootage(spool=spool(), folder=folder, keep_gb=keep_gb, now=utc_now))

    @lazy
    def live_ingest(self) -> Part[LiveIngest]:
        """Takes in live sources."""
        from amr_neo4j.app.live_ingest import LiveIngest
        from amr_neo4j.app.live_job import LiveTools
        from amr_neo4j.app.live_recordings import Recordings
        from amr_neo4j.app.rehearsal import rehearse
        from amr_neo4j.store.read.receipts import ReceiptReader

        def make() -> LiveIngest:
            spool = live_spool()
            recordings = Recordings(
                spool=spool,
                folder=folder,
                films=lambda group_id, video_id: ReceiptReader(database, group_id).films(video_id),
                target_sec=settings.target_clip_sec,
                reconnect_sec=settings.live_reconnect_sec,
                zones=settings.place_timezones,
                now=utc_now,
                notify=notify,
            )
            tools = LiveTools(
                recordings=recordings,
                footage=footage(),
                spool=spool,
                clip_spool=clip_spool,
                analyser=analyser,
                committer=committer,
                writer=writer,
                refine=refine,
                warm_up=lambda group_id: rehearse(group_id, committer(), asking(), reader()),
                merges=settings.merge_events_enabled,
                queue_clips=settings.live_queue_clips,
                left_out=_LEFT_OUT[settings.live_speech],
                now=utc_now,
                notify=notify,
            )
            return LiveIngest(tools=tools, apply_retention=retention, measure=measure)

        settings, database, notify, folder = self.settings, self.database, self.notify, self._file(LIVE_FOLDER)
        live_spool, footage, clip_spool = self.live_spool, self.live_footage, self.clip_spool
        analyser, committer, writer = self.analyser, self.committer, self.writer
        refine, measure, asking = self.refine_watched, self.first_hit.add_to, self.asking
        retention = self.forgetting_footage.apply_retention
        # Without the check of the group, which nothing may have been taken into yet.
        reader = partial(EventReader, database, language=settings.language)
        return Part(make)

    @lazy
    def merger(self) -> PersonMerger:
        """Merges persons."""
        from amr_neo4j.store.persons import PersonMerger

        return PersonMerger(self.database, self.group_id, self.settings.entity_jump_gap_sec, utc_now)

    @lazy
    def speaker_links(self) -> SpeakerLinks:
        """Links speakers to the persons of videos."""
        from amr_neo4j.store.persons import SpeakerLinks

        return SpeakerLinks(self.database, self.group_id, utc_now)

    @lazy
    def alerts(self) -> Alerts:
        from amr_neo4j.app.alerts import Alerts
        from amr_neo4j.store.read.new_events import NewEvents

        return Alerts(
            spool=self.alert_spool(),
            written=partial(NewEvents, self.database),
            reader=self.events,
            language=self.language,
            locks=self.settings.data_dir,
            now=utc_now,
            notify=self.notify,
        )

    @lazy
    def exploring(self) -> ExploringMemory:
        from amr_neo4j.app.exploring import ExploringMemory

        return ExploringMemory(
            asking=self.asking(),
            ingesting=self.ingesting,
            views=self.settings.views,
            browse=self.browse_of,
            notify=self.notify,
        )

    # --- conversations

    @shared
    def turn_spool(self) -> Part[Spool]:
        """Keeps turns that are not committed yet."""
        from amr_neo4j.spool.turns import Spool

        return self._part(partial(openers.open_turn_spool, self._file(TURNS_FILE), self.identity), Spool.close)

    @lazy
    def conversations(self) -> Callable[[str], Conversations]:
        """Returns a function that opens the Conversations service of a group."""
        return partial(openers.open_conversations, self.turn_spool, self._commits_turns, self.notify)

    @lazy
    def _commits_turns(self) -> dict[str, Any]:
        """The keyword arguments of Conversations, except group, spool, `notify` and `give_way`."""
        from amr_neo4j.store.write.episode_writer import EpisodeWriter

        queue_embedder = self.queue_embedder
        return {
            "writer": EpisodeWriter(self.database, language=self.settings.language, now=utc_now),
            "embedder": self.brief_embedder,
            "now": self._now_of,
            "ready": self.identity.make_ready,
            "masks": self.settings.mask_secrets,
            "language": self.language,
            "draining": self.draining,
            "follow": self.follow,
            "committed": self.group_language.look,
            "queued": lambda: queue_embedder().wake(),
            "continues": self.rule_reader.continues,
        }

    @lazy
    def mentions(self) -> Callable[[str], MentionStore]:
        """Opens the mentions and relations of a group."""
        from amr_neo4j.store.write.mention_store import MentionStore

        return partial(MentionStore, self.database, now=utc_now)

    @shared
    def rule_reader(self) -> RuleReader:
        """Reads the facts that turns in the graph state."""
        from amr_neo4j.app.fact_reading import RuleReader

        speakers = Speakers.with_agents(self.settings.agent_names)
        return RuleReader(self.settings.languages, speakers, self._statement_reader)

    @lazy
    def _statement_reader(self) -> Callable[[], StatementReader]:
        """Opens what reads turns."""
        return partial(openers.open_statement_reader, self.settings)

    @lazy
    def remembering(self) -> Remembering:
        from amr_neo4j.app.remembering import Remembering

        def extraction(group_id: str) -> Extraction:
            from amr_neo4j.conversations.extract import Extraction

            return Extraction(
                store=mentions(group_id),
                language=language,
                read_turn=reader.read,
                turn_languages=reader.languages,
                model=models().text,
                window=window,
            )

        mentions, language, reader, models = self.mentions, self.language, self.rule_reader, self.models
        window, queue_embedder = self.settings.extract_window, self.queue_embedder
        return Remembering(
            conversations=self.conversations,
            mentions=self.mentions,
            extraction=extraction,
            language=self.language,
            in_flow=self.settings.extract_mentions,
            extracted=lambda: queue_embedder().wake(),
            now=utc_now,
            notify=self.notify,
        )

    @shared
    def conversation_reader(self) -> ConversationReader:
        """Reads sessions of conversations."""
        from amr_neo4j.store.read.conversation_reader import ConversationReader

        return ConversationReader(self.database)

    @lazy
    def live_chats(self) -> Part[LiveChats]:
        """Holds the live conversations."""
        from amr_neo4j.app.chatting import LiveChats
        from amr_neo4j.app.passive_recall import PassiveRecall
        from amr_neo4j.language.languages import language
        from amr_neo4j.store.read.facts import StoredFacts
        from amr_neo4j.store.write.facts import count_use, note_hints
        from amr_neo4j.wiring.options import budget_of, hot_options, token_counter

        def make() -> LiveChats:
            options = hot_options(settings)
            spool = openers.open_turn_spool(file, identity)  # a spool of its own, for the thread of the conversations
            in_background = commits_turns | {"give_way": questions.wait}
            conversations = openers.open_conversations(lambda: spool, in_background, notify, group_id)
            # Made before the chats, so that it is closed after them: their last turns wake it.
            queue_embedder()
            recall = PassiveRecall(
                lambda user_id: searching().open(Scope(group_id, user_id=user_id)),
                count=token_counter(),
                budget=budget_of(settings),
                enabled=settings.passive_recall,
                give_way=questions.wait,
            )
            return LiveChats(
                group_id=group_id,
                language=language(settings.language),
                options=options,
                spool=spool,
                facts=StoredFacts(database, group_id),
                commit=conversations.drain,
                count_use=lambda user_id, counts, shown: count_use(
                    database, utc_now, group_id, user_id, counts=counts, shown=shown
                ),
                note_hints=partial(note_hints, database, group_id),
                last_turns=last_turns,
                recall=recall,
                read=read,
                give_way=questions.wait,
                now=now_of,
                notify=notify,
            )

        settings, database, notify, group_id = self.settings, self.database, self.notify, self.group_id
        file, identity, commits_turns = self._file(TURNS_FILE), self.identity, self._commits_turns
        searching, queue_embedder, questions = self.searching, self.queue_embedder, self.questions
        last_turns, now_of = self.conversation_reader.last_turns, self._now_of
        read = self._statement_reader
        return self._part(make, LiveChats.close, works=True)

    # --- facts

    @lazy
    def embedding_queue(self) -> EmbeddingQueue:
        """The facts and turns that wait for an embedding."""
        from amr_neo4j.store.write.facts import EmbeddingQueue

        return EmbeddingQueue(self.database, self.group_id, utc_now)

    @lazy
    def queued_embedding(self) -> QueuedEmbedding:
        """Embeds what waits when it is called."""
        from amr_neo4j.facts.queue import QueuedEmbedding

        return QueuedEmbedding(self.embedding_queue, self.embedder, unix_seconds, self.follow)

    @lazy
    def queue_embedder(self) -> Part[BackgroundWork]:
        """Embeds what waits in a thread."""
        from amr_neo4j.app.background import BackgroundWork, queue_embedder

        queue, embedding, questions = self.embedding_queue, self.queued_embedding, self.questions
        make = partial(queue_embedder, queue, embedding, unix_seconds, self.notify, questions)
        return self._part(make, BackgroundWork.close, works=True)

    @lazy
    def facts(self) -> StoredFacts:
        from amr_neo4j.store.read.facts import StoredFacts

        return StoredFacts(self.database, self.group_id)

    def corrections(self, user_id: str) -> FactCorrections:
        """Return what looks up and corrects a user's facts."""
        from amr_neo4j.app.correcting import FactCorrections
        from amr_neo4j.store.write.facts import FactHand

        def changed() -> None:
            if chats := live_chats():
                chats.reload(user_id)

        live_chats, hand = self.live_chats.if_made, FactHand(self.database, self.group_id, user_id, utc_now)
        return FactCorrections(user_id=user_id, hand=hand, changed=changed)

    def consolidation(self, user_id: str) -> Consolidation:
        """Return the nightly run over a user's facts."""
        from amr_neo4j.app.nightly import Consolidation
        from amr_neo4j.store.write.fact_upkeep import KEPT

        models = self.models
        return Consolidation(
            user_id=user_id,
            store=openers.fact_upkeep(self.database, self.group_id, user_id),
            undoable=KEPT,
            reader=self.rule_reader,
            embedder=self.embedder,
            model=lambda: models().text,
            counting=self.ledger.counting,
            language=self.language,
            near_pairs=openers.near_pairs,
            synonyms=self.synonyms,
            forget_expired=partial(self.forgetting_conversations.forget_expired, self.group_id, user_id),
        )

    @shared
    def synonyms(self) -> Part[Synonyms | None]:
        """The English synonyms; None if the word net is not installed."""
        return self._part(partial(openers.open_synonyms, self.settings))

    # --- exports

    @lazy
    def transferring(self) -> Transferring:
        """Exports and imports groups and users."""
        from amr_neo4j.app.transferring import Transferring
        from amr_neo4j.store.records import GroupOrUser, RecordReader, RecordWriter

        def waiting(group_id: str, user_id: str) -> int:
            users = [user_id] if user_id else spool().users(group_id)
            return sum(spool().count(group_id, user) for user in users)

        def embed(group_id: str) -> int:
            from amr_neo4j.ingest.compose import embedding_text
            from amr_neo4j.store.embeddings import reembed

            done = reembed(database, group_id, embedder(), embedding_text, now=utc_now, progress=lambda done: None)
            return done + facts.run()

        spool, database, embedder, facts = self.turn_spool, self.database, self.embedder, self.queued_embedding
        return Transferring(
            reader=RecordReader(self.database),
            whose=GroupOrUser,
            writer=partial(RecordWriter, self.database, now=utc_now),
            embedder=self.embedder,
            follow=self.follow,
            embed=embed,
            waiting=waiting,
            folder=self.settings.data_dir.expanduser(),
            product=__version__,
            now=utc_now,
            notify=self.notify,
        )

    # --- forgetting

    @lazy
    def forgetting_conversations(self) -> ForgettingConversations:
        from amr_neo4j.app.forgetting import ForgettingConversations
        from amr_neo4j.store.read.facts import FactForgetter
        from amr_neo4j.store.write.forgetting import Forgetter, scrub

        return ForgettingConversations(
            database=self.database,
            spool=self.turn_spool,
            jobs=partial(openers.if_there, self._file(JOBS_FILE), self.job_spool),
            turns=Forgetter(self.database, utc_now),
            facts=partial(FactForgetter, self.database, now=utc_now),
            live=self.live_chats.if_made,
            indexes=self.indexes,
            scrub=partial(scrub, self.database),
            chat_retention_days=self.settings.chat_retention_days,
            fact_retention_days=self.settings.fact_retention_days,
            now=utc_now,
        )

    @lazy
    def forgetting_footage(self) -> ForgettingFootage:
        from amr_neo4j.app.forgetting import ForgettingFootage
        from amr_neo4j.store.person_aliases import read_aliases
        from amr_neo4j.store.persons import find_person
        from amr_neo4j.store.write.forgetting import FootageForgetter, scrub, strip_receipts
        from amr_neo4j.wiring import explorer

        database, gap = self.database, self.settings.entity_jump_gap_sec
        return ForgettingFootage(
            database=database,
            clips=partial(openers.if_there, self._file(CLIPS_FILE), self.clip_spool),
            alerts=partial(openers.if_there, self._file(ALERTS_FILE), self.alert_spool),
            live=partial(openers.if_there, self._file(LIVE_FILE), self.live_footage),
            messages=partial(openers.if_there, self._file(MESSAGES_FILE), self.message_spool),
            jobs=partial(openers.if_there, self._file(JOBS_FILE), self.job_spool),
            explorations=self._file(explorer.FOLDER),
            served=self._file(SERVED_FOLDER),
            footage=partial(FootageForgetter, self.database, jump_gap_sec=gap, now=utc_now),
            browse=self.browse_of,
            reader=self.events,
            find_person=lambda group, who, video: find_person(partial(database.read, group_id=group), who, video),
            meant=lambda group: read_aliases(database.read, group).is_meant,
            strip=partial(strip_receipts, self.database),
            indexes=self.indexes,
            remake_scenes=partial(openers.remake_scenes, self.writer, self.language),
            scrub=partial(scrub, self.database),
            language=self.language,
            retention_days=self.settings.retention_days,
            now=utc_now,
            notify=self.notify,
        )
