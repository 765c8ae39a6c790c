"""What a memory does with conversations: the half of `Memory` that wires episodes, mentions and forgetting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.domain.episode import ChatReport, Episode, EpisodeReceipt, Forgotten, Session
from amr_neo4j.errors import AmrError, EmbedderMismatch, InputError, NotInMemory, StoreUnavailable
from amr_neo4j.language.en.persons import person_key
from amr_neo4j.language.registry import language
from amr_neo4j.media.ffmpeg import readable
from amr_neo4j.settings import Settings
from amr_neo4j.spool import GRAPHS_FILE, TURNS_FILE
from amr_neo4j.store.database import Database
from amr_neo4j.store.persons.speaker_links import SpeakerLinks
from amr_neo4j.store.read.vector_source import VectorSource
from amr_neo4j.store.schema.migrations import migrate
from amr_neo4j.wiring.embedder import open_embedder

if TYPE_CHECKING:
    from amr_neo4j.conversations.extract import Extraction, ExtractReport
    from amr_neo4j.conversations.record import Turn
    from amr_neo4j.conversations.service import Conversations
    from amr_neo4j.domain.ports import Embedder, Notify
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.recall.models import Models
    from amr_neo4j.spool.known_databases import KnownDatabases
    from amr_neo4j.store.read.turn_reader import TurnReader
    from amr_neo4j.vectors.turn_index import TurnIndex

Row = dict[str, Any]
_WHO = "amr chat sessions and amr show person NAME tell who is known"


class Conversing:
    """The conversations of the users of one group, on one Neo4j."""

    def __init__(self, settings: Settings, database: Database, notify: Notify) -> None:
        self.settings = settings
        self.group_id = settings.group
        self._database = database
        self._notify = notify
        # Which database it is; empty before that is known, which may be before it is up to date.
        self._graph = ""
        self._is_ready = False

    def remember(self, messages: Iterable[Turn], *, user_id: str = "", session_id: str) -> ChatReport:
        """Take in turns of a conversation, in order, as strings or as tables with content, actor, at and others.

        What is accepted is on this machine's disk when this returns, and in the graph if that can be reached; it is
        searchable then. The same again changes nothing; an id that is taken by other content is rejected in the
        report. user_id: the settings' user unless given. Raises InputError: none is taken; EmbedderMismatch.
        """
        return self._conversations.remember(messages, self._user(user_id), session_id)

    def import_chat(self, *files: str | Path, user_id: str = "", session_id: str = "") -> ChatReport:
        """Take in files of conversations: JSON lines, OpenAI's chat format, LoCoMo's JSON, plain text or an export.

        session_id: in place of the file's name, where the file names none. A turn that cannot be taken, or a file of
        several, is rejected in the report, and the others go on. Raises InputError: the one file holds no
        conversation; NoSuchFile.
        """
        from amr_neo4j.conversations.export import as_export  # noqa: PLC0415
        from amr_neo4j.conversations.formats import read_chat  # noqa: PLC0415

        user, report = self._user(user_id), ChatReport()
        for path in map(Path, files):
            try:
                # What is no UTF-8 stays told apart, so that it costs the turns it is in and no others.
                text = readable(path).read_text(encoding="utf-8", errors="surrogateescape")
                if document := as_export(text):
                    report.add_all(self.import_episodes(document, user))
                    continue
                self._conversations.record_parsed(read_chat(text, session_id or path.stem), user, report)
            except InputError as error:
                if len(files) == 1:
                    raise
                report.add([EpisodeReceipt(session_id, "", "rejected", error=str(error))])
        return report

    def tie(self, speaker: str, person: str, *, user_id: str = "") -> None:
        """Say that somebody of a user's conversations is somebody of the videos: a question that names the speaker
        then crosses from one to the other. Names or descriptions. Raises NotInMemory.
        """
        who = person_key(speaker).person_id, person_key(person).person_id
        if not self._ties.link(self._user(user_id), *who):
            raise NotInMemory(f"no {speaker} talks with this user, or no {person} is in a video", hint=_WHO)

    def untie(self, speaker: str, person: str, *, user_id: str = "") -> None:
        """Take back that they are the same, whether a person said so or their name. Raises NotInMemory."""
        who = person_key(speaker).person_id, person_key(person).person_id
        if not self._ties.unlink(self._user(user_id), *who):
            raise NotInMemory(f"nothing ties {speaker} to {person}", hint=_WHO)

    @cached_property
    def _ties(self) -> SpeakerLinks:
        return SpeakerLinks(self._database, self.group_id, utc_now)

    def extract(self, *, user_id: str = "", session_id: str | None = None) -> ExtractReport:
        """Take from each episode, once, what it mentions and states, in order of session and turn.

        By the model of the settings' provider, where one is chosen, else by rules. An episode that the model fails
        at is left for the next run. Raises InputError, ModelDenied, NoSuchModel, StoreUnavailable; ConfigError: no
        model, and the rules are of English.
        """
        return self._extraction.extract(self._user(user_id), session_id)

    def export_episodes(self, user_id: str = "", session_id: str | None = None) -> Row:
        """A user's episodes with what they mention and state, or those of one session, as seed 004's JSON."""
        from amr_neo4j.conversations.export import export_episodes  # noqa: PLC0415

        return export_episodes(self._extraction.store, self._user(user_id), session_id)

    def import_episodes(self, document: Mapping[str, Any], user_id: str = "") -> ChatReport:
        """Take in what `export_episodes` gives, or a document of that kind; the same again changes nothing.

        An episode that it has mentions of counts as extracted. Raises InputError: none is taken; StoreUnavailable,
        EmbedderMismatch.
        """
        from amr_neo4j.conversations.export import import_episodes  # noqa: PLC0415

        store, record = self._extraction.store, self._conversations.record
        spoken = language(self.settings.language)
        return import_episodes(document, self._user(user_id), store, record, utc_now(), spoken)

    def conversation(
        self,
        session_id: str,
        *,
        user_id: str = "",
        since: datetime | None = None,
        as_of: datetime | None = None,
        known_since: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[Episode]:
        """A conversation as it stood at a moment: its turns in order, as they came in.

        since, as_of: what was said from then on, and by then; known_since, known_at: what memory learnt from then on,
        and by then; with offsets from UTC. Raises NotInMemory: the user has no such session; InputError: a moment
        without its offset.
        """
        from amr_neo4j.store.read.conversation_reader import ConversationReader  # noqa: PLC0415

        for moment in filter(None, (since, as_of, known_since, known_at)):
            if moment.tzinfo is None:
                raise InputError(f"{moment} lacks its offset from UTC", hint="give it a timezone")
        session = self._session(user_id, session_id)
        reader = ConversationReader(self._database)
        return reader.conversation(session, since=since, as_of=as_of, known_since=known_since, known_at=known_at)

    def sessions(self, *, user_id: str = "") -> list[Row]:
        """The conversations of a user, the latest first: how many turns, who speaks, from when to when."""
        from amr_neo4j.store.read.conversation_reader import ConversationReader  # noqa: PLC0415

        return ConversationReader(self._database).sessions(self.group_id, self._user(user_id))

    def forget(self, *, user_id: str = "", session_id: str = "", episode_id: str = "") -> Forgotten:
        """Forget all that a user said, or one session, or one episode: in the graph, its indexes and on this disk.

        What was taken from it goes too: mentions, relations, vectors, and what still waited. Safe to repeat.
        Says what went.
        """
        from amr_neo4j.store.write.forget import Forgetter  # noqa: PLC0415

        whose = (self.group_id, self._user(user_id), session_id or None, episode_id or None)
        waiting = self._conversations.spool.forget(*whose)  # first, or it would come back
        gone = Forgetter(self._database, utc_now).forget(*whose)
        self._forget_vectors()
        return replace(gone, waiting=waiting)

    def _forget_vectors(self) -> None:
        """No dense index on this disk keeps what the graph forgot: it is derived, and made again when asked."""
        folder = self.settings.data_dir / "vectors" / self._database_id
        for file in folder.glob("episode-*.npz"):
            file.unlink(missing_ok=True)
        if "_turn_index" in self.__dict__:
            self._turn_index.catch_up()
            self._turn_index.index.save()

    def _session(self, user_id: str, session_id: str) -> Session:
        try:
            return Session(self.group_id, self._user(user_id), session_id)
        except ValueError as error:
            raise InputError(str(error), hint="name the conversation: amr chat sessions") from error

    def _user(self, user_id: str) -> str:
        user = user_id or self.settings.user
        if not user:
            raise InputError("nobody's conversation", hint="name the user: user_id, --user or AMR_USER")
        return user

    def _take_what_waits(self) -> None:
        """What was accepted while the database was away goes in now; what stands in its way is said."""
        if self._spool_file.exists():
            try:
                self._conversations.drain()
            except AmrError as error:
                self._notify(f"what was said and waits on this machine goes on waiting: {error}")

    def _make_ready(self) -> None:
        """Bring the database up to date, and see that it is the one it was. Raises StoreUnavailable."""
        if self._is_ready:
            return
        migrate(self._database)
        graph = VectorSource(self._database).identity()
        if self._graph not in ("", graph):
            hint = "what was said waits for the one that was there before; open memory again for this one"
            raise StoreUnavailable(f"another database answers at {self._database.uri} by now", hint=hint)
        self._graph, self._is_ready = graph, True
        self._graphs.keep(self._address, graph)

    @property
    def _database_id(self) -> str:
        self._graph = self._graph or VectorSource(self._database).identity()
        return self._graph

    def _was_there_before(self) -> bool:
        """Whether this machine has spoken to the database that is away: then it is known whom to keep things for."""
        self._graph = self._graphs.at(self._address) or ""
        return bool(self._graph)

    @property
    def _address(self) -> str:
        return f"{self._database.uri} {self._database.database or ''}".rstrip()

    @cached_property
    def _graphs(self) -> KnownDatabases:
        from amr_neo4j.spool.known_databases import KnownDatabases  # noqa: PLC0415

        return KnownDatabases(self.settings.data_dir / GRAPHS_FILE)

    @property
    def _spool_file(self) -> Path:
        return self.settings.data_dir / TURNS_FILE

    @cached_property
    def _conversations(self) -> Conversations:
        from amr_neo4j.conversations.service import Conversations  # noqa: PLC0415
        from amr_neo4j.spool.turns import Spool  # noqa: PLC0415
        from amr_neo4j.store.write.episode_writer import EpisodeWriter  # noqa: PLC0415

        spool = Spool(self._spool_file, self._database_id)
        writer = EpisodeWriter(self._database, language=self.settings.language, now=utc_now)
        embedder = lambda: self._embedder  # noqa: E731 - a model is loaded when something is embedded
        spoken = language(self.settings.language)
        return Conversations(self.group_id, spool, writer, embedder, utc_now, self._make_ready, spoken, self._notify)

    @cached_property
    def _extraction(self) -> Extraction:
        from amr_neo4j.conversations.extract import Extraction  # noqa: PLC0415
        from amr_neo4j.store.write.mention_store import MentionStore  # noqa: PLC0415

        store = MentionStore(self._database, self.group_id, now=utc_now)
        code = self.settings.language
        return Extraction(store, language(code), code, self._models.text)

    @cached_property
    def _models(self) -> Models:
        from amr_neo4j.models.endpoints import open_chat  # noqa: PLC0415
        from amr_neo4j.recall.models import Models  # noqa: PLC0415

        return Models(*(open_chat(self.settings, role, self.ledger) for role in ("text", "judge", "answer")))

    @cached_property
    def ledger(self) -> Ledger:
        """What calls to models have taken and cost, at most max_cost_usd; the first to each is said beforehand."""
        from amr_neo4j.models.ledger import Ledger  # noqa: PLC0415

        return Ledger(self._notify, self.settings.max_cost_usd)

    def _admit(self, embedded: tuple[str, int] | None) -> None:
        """Raises NotInMemory: nothing was taken in; EmbedderMismatch."""
        if embedded is None:
            # Not named are the groups there are: each is somebody's, and this line may reach somebody else.
            hint = "take something in: amr ingest kitchen.mp4; or name another group by --group or AMR_GROUP"
            raise NotInMemory(f"nothing has been taken into group {self.group_id} yet", hint=hint)
        self._checked_for(embedded)

    def _checked_for(self, embedded: tuple[str, int] | None) -> str:
        """The model in use, which embedded the group, if anything did. Raises EmbedderMismatch."""
        model, dim = self._embedder.model, self._embedder.dim
        if embedded and embedded != (model, dim):
            raise EmbedderMismatch(
                f"group {self.group_id} is embedded by {embedded[0]} ({embedded[1]} dimensions), "
                f"the settings ask for {model} ({dim})",
                hint="set embedder back, or run: amr index reembed",
            )
        return model

    @cached_property
    def _embedder(self) -> Embedder:
        return open_embedder(self.settings, self.ledger)

    def _snapshot(self, kind: str) -> Path:
        name = re.sub(r"[^\w.-]", "_", self._embedder.model)
        return self.settings.data_dir / "vectors" / self._database_id / f"{kind}-{name}.npz"

    @cached_property
    def _turn_reader(self) -> TurnReader:
        from amr_neo4j.store.read.turn_reader import TurnReader  # noqa: PLC0415

        return TurnReader(self._database, language=self.settings.language, admit=self._admit)

    @cached_property
    def _turn_index(self) -> TurnIndex:
        from amr_neo4j.vectors.faiss_index import FaissIndex  # noqa: PLC0415 - heavy
        from amr_neo4j.vectors.turn_index import TurnIndex  # noqa: PLC0415 - heavy

        source = VectorSource(self._database, "episode")
        return TurnIndex(FaissIndex(source, self._embedder.model, self._embedder.dim, self._snapshot("episode")))


def utc_now() -> datetime:
    """The wall clock, which the rooms are handed."""
    return datetime.now(timezone.utc)
