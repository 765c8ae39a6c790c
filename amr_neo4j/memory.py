"""Memory: the one object a user holds. It wires the rooms and holds no algorithm."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from typing_extensions import Unpack

from amr_neo4j import localdb
from amr_neo4j.domain import ports
from amr_neo4j.domain.recall import Answer, Bounds, Hit, Scope
from amr_neo4j.domain.receipt import IngestReport, Receipt
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import ConfigError, InputError, StoreUnavailable
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.compose import embedding_text
from amr_neo4j.ingest.failed_clip_barrier import Taken
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import ingest, ingest_video
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.persons import person_key
from amr_neo4j.language.registry import language
from amr_neo4j.media import sources
from amr_neo4j.media.ffmpeg import readable
from amr_neo4j.media.video_file import video_of
from amr_neo4j.settings import Settings, load
from amr_neo4j.spool import CLIPS_FILE
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.analytics import Analysis, analyses
from amr_neo4j.store.read.browse import Browse
from amr_neo4j.store.read.digest import Digest, digest
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.read.vector_source import VectorSource
from amr_neo4j.store.schema.migrations import migrate, pending
from amr_neo4j.store.schema.repair import damage, restore
from amr_neo4j.store.statements import data_path
from amr_neo4j.store.write.merging_writer import MergingWriter
from amr_neo4j.store.write.reembed import reembed
from amr_neo4j.wiring.conversing import Conversing, Row, utc_now

if TYPE_CHECKING:
    from amr_neo4j.domain.ports import Analyser, Embedder, Notify
    from amr_neo4j.ingest.merge.commit import Merging
    from amr_neo4j.recall.limits import RecallLimits
    from amr_neo4j.spool.clips import ClipSpool
    from amr_neo4j.store.persons.merger import PersonMerger
    from amr_neo4j.store.write.retrying_writer import RetryingWriter
    from amr_neo4j.tables import AnyTable
    from amr_neo4j.vectors.faiss_index import FaissIndex


_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """What a caller of ingest is told after every clip. source: the file, or "stdin".

    done_s, total_s: seconds of video done in this run, and to be done; total_s is None where nobody knows it
    beforehand.
    """

    source: str
    receipt: Receipt
    done_s: float = 0.0
    total_s: float | None = None


Watch = Callable[[Progress], None]


class Memory(Conversing):
    """Long-term memory of one group, on one Neo4j.

    >>> with Memory.open(group="home") as m:
    ...     m.ingest("kitchen.mp4")
    ...     print(m.ask("Where are the keys?").text)
    """

    def __init__(self, settings: Settings, database: Database, notify: Notify = _log.warning) -> None:
        super().__init__(settings, database, notify)
        self.uri = database.uri
        self._browse = Browse(database, self.group_id)
        self._videos_seen = False

    @classmethod
    def open(cls, settings: Settings | None = None, *, notify: Notify = _log.warning, **arguments: Any) -> Memory:
        """Connect, and bring the schema up to date.

        say: gets a line when the database goes away during an ingestion, and one when it is back.
        arguments: settings by name (group, neo4j_uri, embedder ...). A database that is away is no hindrance where
        it answered before: what is said to memory waits on this machine. Raises ConfigError, DatabaseError,
        StoreUnavailable, StoreDenied, MigrationError.
        """
        memory = cls.connect(settings or load(**arguments), notify)
        try:
            memory._prepare()
        except BaseException:
            memory.close()
            raise
        return memory

    def _prepare(self) -> None:
        """Schema, and which database this is. One that is away and was there before can still be told things."""
        try:
            self._make_ready()
        except StoreUnavailable:
            if not self._was_there_before():
                raise
        else:
            self._take_what_waits()

    @classmethod
    def connect(cls, settings: Settings, notify: Notify = _log.warning) -> Memory:
        """As `open`, with the schema as it is: for looking into what is wrong, and for migrating by hand."""
        where = localdb.ensure(settings)
        return cls(settings, Database(where.uri, where.username, where.password, where.database), notify)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Keep what is worth keeping, end the connections."""
        if "_index" in self.__dict__:
            self._index.close()
        if "_turn_index" in self.__dict__:
            self._turn_index.index.close()
        if "_clip_spool" in self.__dict__:
            self._clip_spool.close()
        if "_conversations" in self.__dict__:
            self._conversations.spool.close()
        if "_graphs" in self.__dict__:
            self._graphs.close()
        self._database.close()

    # --- in

    def ingest(
        self,
        *places: str | Path,
        video_id: str = "",
        place: str = "",
        recorded_at: datetime | None = None,
        retry_failed: bool = False,
        skip_failed: bool = False,
        watch: Watch = lambda progress: None,
    ) -> IngestReport:
        """Take in videos and JSON-lines files, named singly, by folder or by glob.

        What is in memory already is not done again. video_id: for a single video. place: where the videos' objects
        live. recorded_at: wall clock of second 0. Of several files one that cannot be taken is rejected in the
        report, and the others go on. A clip that could not be analysed costs no other: it is failed in the report,
        and kept. retry_failed: try those again, also the ones given up; skip_failed: give up what fails or failed.
        A database that is away is waited for, settings.store_wait_sec at most.
        Raises InputError, NoSuchFile, ToolError, ModelMissing, StoreUnavailable; what was committed by then stays.
        """
        found = list(sources.find(places))
        if video_id and len(found) != 1:
            raise InputError(f"one video_id for {len(found)} files", hint="name one file")
        if (video_id or place or recorded_at) and all(source.kind == "lines" for source in found):
            raise InputError("JSON lines say themselves which video, place and time they are of", hint="leave it out")
        report = IngestReport()
        tell = _telling(report, watch)
        for source in found:
            try:
                if source.kind == "lines":
                    self._take_lines(source.path, tell)
                else:
                    video = video_of(
                        source.path, self.group_id, video_id=video_id, place=place, recorded_at=recorded_at
                    )
                    self._take_video(video, source.path, tell, retry_failed=retry_failed, skip_failed=skip_failed)
            except InputError as error:
                if len(found) == 1:
                    raise
                tell(Progress(str(source.path), Receipt("", "", "rejected", error=str(error))))
        return report

    def ingest_lines(
        self, lines: Iterable[str | bytes], *, name: str = "lines", watch: Watch = lambda progress: None
    ) -> IngestReport:
        """Take in clip analyses as they come, a JSON object a line; each is committed before the next is read."""
        report = IngestReport()
        _tell_each(self._commit(read_lines(lines, group_id=self.group_id)), name, _telling(report, watch))
        return report

    def _take_lines(self, path: Path, tell: Watch) -> None:
        with readable(path).open("rb") as lines:
            clips = read_lines(sources.lines_of(lines), group_id=self.group_id)
            receipts = self._commit(clips, clips_per_transaction=self.settings.clips_per_transaction)
            _tell_each(receipts, str(path), tell)

    def _take_video(self, video: Video, path: Path, tell: Watch, *, retry_failed: bool, skip_failed: bool) -> None:
        run = ingest_video(
            video,
            lambda: self._analyser,
            lambda: self._committer,
            self._writer,
            self._clip_spool,
            target_clip_sec=self.settings.target_clip_sec,
            retry_failed=retry_failed,
            skip_failed=skip_failed,
        )
        for receipt in run.skipped:
            tell(Progress(str(path), receipt, total_s=video.duration_s or 0.0))
        _tell_each(run.receipts, str(path), tell, run.seconds)

    def _commit(self, clips: Iterable[Taken], clips_per_transaction: int = 1) -> Iterator[Receipt]:
        return ingest(clips, self._committer, clips_per_transaction=clips_per_transaction)

    @cached_property
    def _committer(self) -> Committer:
        spoken = language(self.settings.language)
        return Committer(self._writer, self._embedder, spoken, self._merging, self.ledger.counting)

    # --- out

    def ask(self, question: str, *, notify: Notify = lambda claim: None, **bounds: Unpack[Bounds]) -> Answer:
        """Answer from memory, with the seconds of video the answer rests on; `found` is False where nothing fits.

        say: is told each claim as it comes. bounds: what it looks in, the whole group unless given. Where the
        settings choose a provider, its models type, judge and answer. Raises InputError: an empty question, a moment
        that is none; NotInMemory: a group that took nothing in yet, a video that is not there; EmbedderMismatch;
        ModelDenied, NoSuchModel.
        """
        from amr_neo4j.recall.pipeline import ask  # noqa: PLC0415

        return ask(question, *self._where(bounds), self._limits, self._models, notify, time.perf_counter)

    def search(self, text: str, *, limit: int = 10, **bounds: Unpack[Bounds]) -> list[Hit]:
        """The events that fit a text best, by words, by meaning and by what lies beside them; bounded as in `ask`."""
        from amr_neo4j.recall.pipeline import search  # noqa: PLC0415

        return search(text, *self._where(bounds), self._limits, limit)

    def event(self, node_id: int) -> Row:
        """One event with its people, uses and edges. Raises NotInMemory."""
        return self._browse.event(node_id)

    def clips(self, clip_id: str, video_id: str | None = None) -> list[Row]:
        """The receipts of this clip id with their events, one for each video that has it. Raises NotInMemory."""
        return self._browse.clips(clip_id, video_id)

    def video(self, video_id: str) -> Row:
        """What is known of a video. Raises NotInMemory."""
        return self._browse.video(video_id)

    def videos(self) -> list[Row]:
        """Every video of the group."""
        return self._browse.videos()

    def persons(self, name: str, limit: int = 50) -> list[Row]:
        """A person, by name, description or id, with the events they take part in. Raises NotInMemory."""
        return self._browse.persons(person_key(name).person_id, limit)

    def objects(self, name: str, limit: int = 50) -> list[Row]:
        """An object, in any form of its name, with the events that use it. Raises NotInMemory."""
        return self._browse.objects(object_key(name), limit)

    def merge_persons(self, one: str, other: str, *, video: str = "", other_video: str = "") -> int:
        """Say that a person is another: by name, description or identity from outside; how many events it moved.

        Every edge follows, and so does what is taken in later; the words as seen stay. video, other_video: which one
        is meant, where a description is somebody in each of several. Raises NotInMemory; InputError: they are the
        same already, or somebody else by now.
        """
        return self._merger.merge(person_key(one).person_id, person_key(other).person_id, video, other_video)

    def undo_merge(self, one: str, *, video: str = "") -> int:
        """Take back that a person is another; how many events it moved.

        The graph is then as if nobody had said so, what was taken in meanwhile included. Raises NotInMemory;
        InputError: nobody said so.
        """
        return self._merger.undo(person_key(one).person_id, video)

    def lifecycle(self, name: str) -> list[Row]:
        """What happened to an object, in order of time: the rows of cypher/analytics/object_timeline.cypher."""
        return self._browse.lifecycle(object_key(name))

    def analytics(self, name: str, /, **params: Any) -> list[Row]:
        """The rows of cypher/analytics/<name>.cypher for this group, such as `analytics("hand_overs")`.

        params: in place of the file's own values; an object or a person in any form of its name.
        Raises InputError: no such name, parameter or value.
        """
        return self._browse.analytics(name, {param: _identity(param, value) for param, value in params.items()})

    @staticmethod
    def analyses() -> list[Analysis]:
        """What `analytics` can be asked."""
        return analyses()

    @staticmethod
    def browser_folder() -> Path:
        """Where the style sheet and the saved scripts for Neo4j Browser are."""
        return data_path("cypher") / "browser"

    def stats(self) -> Row:
        """How much the group holds."""
        return self._browse.stats()

    def digest(self) -> Digest:
        """One hash for all the group holds: equal where the same went in, in whatever order and however often."""
        return digest(self._database, self.group_id)

    # --- the dense index

    def rebuild_index(self) -> int:
        """Make the dense index again from the graph, calling no model; returns how many vectors it holds."""
        return self._index.rebuild()

    def reembed(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Embed the group anew with the settings' embedder, then switch to it; returns how many it embedded."""
        return reembed(self._database, self.group_id, self._embedder, embedding_text, now=utc_now, progress=progress)

    def index_size(self) -> tuple[int, int]:
        """(vectors in the dense index once it has caught up, events that the graph has a vector for)."""
        self._index.catch_up()
        [row] = self._database.read("vectors/count", model=self._embedder.model)
        return len(self._index), row["vectors"]

    def index_differs(self) -> int:
        """How many of a sample of the graph's vectors the dense index lacks or has otherwise."""
        from amr_neo4j.vectors.consistency import differing  # noqa: PLC0415 - heavy

        model = self._embedder.model
        [row] = self._database.read("vectors/count", model=model)
        return differing(self._index, VectorSource(self._database), model, row["last_seq"])

    def index_is_damaged(self) -> bool:
        """Whether the dense index left a file that cannot be read. It is done without, at the cost of time."""
        from amr_neo4j.vectors.snapshot import is_damaged  # noqa: PLC0415 - heavy

        return is_damaged(self._index_file)

    def missing_vectors(self) -> int:
        """How many events of the group its own model has no vector for."""
        rows = self._database.read("vectors/missing", group_id=self.group_id)
        return sum(row["missing"] for row in rows)

    # --- the database

    def server(self) -> str:
        """What answers, like Neo4j/5.26.12. Raises StoreUnavailable, StoreDenied."""
        return self._database.check()

    def migrate(self) -> list[str]:
        """Bring the schema up to date; returns the versions applied. Raises MigrationError."""
        return migrate(self._database)

    def pending_migrations(self) -> list[str]:
        """Versions of the schema that the database lacks. Raises MigrationError."""
        return pending(self._database)

    def schema_damage(self) -> dict[str, str]:
        """Constraints and indexes that are not in use: by name, "missing" or the state they are in."""
        return damage(self._database)

    def restore_schema(self) -> list[str]:
        """Make the constraints and indexes again that were dropped or have failed; returns their names."""
        return restore(self._database)

    def check_embedder(self) -> str:
        """The model in use. Raises ModelMissing, and EmbedderMismatch where the group was embedded by another."""
        return self._checked_for(self._embedded_by())

    # --- wiring

    def _where(self, bounds: Bounds) -> tuple[Scope, ports.EventReader, ports.DenseIndex, Embedder]:
        """What a question looks in. Whether the group is there, and what embedded it, its names tell (_admit)."""
        scope = self._scope(**bounds)
        if not scope.has_turns:
            return scope, self._reader, self._index, self._embedder
        self._conversations.drain()
        if not (scope.has_videos and self._has_videos()):
            return scope, self._turn_reader, self._turn_index, self._embedder
        from amr_neo4j.recall.retrieve.combined import CombinedIndex, CombinedReader  # noqa: PLC0415

        both = CombinedReader(self._reader, self._turn_reader), CombinedIndex(self._index, self._turn_index)
        return scope, *both, self._embedder

    def _embedded_by(self) -> tuple[str, int] | None:
        group = self._browse.group()
        return (group["model"], group["dim"]) if group else None

    def _has_videos(self) -> bool:
        """Whether the group has any: asked until it has, for none is ever taken out."""
        if not self._videos_seen:
            self._videos_seen = bool((self._browse.group() or {}).get("has_videos"))
        return self._videos_seen

    def _scope(
        self,
        videos: Iterable[str] = (),
        persons: Iterable[str] = (),
        user_id: str = "",
        sessions: Iterable[str] = (),
        **moments: Any,
    ) -> Scope:
        named, user = tuple(videos), user_id or self.settings.user
        known = self._reader.recordings(Scope(self.group_id, named)) if named else dict[str, Video]()
        for video_id in named:
            if video_id not in known:
                self._admit(self._embedded_by())  # a group without any is told first
                self._browse.video(video_id)  # says which there are
        try:
            ids = [person_key(name).person_id for name in persons]
            who = tuple(dict.fromkeys(now for told in ids for now in self._reader.aliases_of(self.group_id, told)))
            return Scope(self.group_id, named, who, user_id=user, session_ids=tuple(sessions), **moments)
        except ValueError as error:
            raise InputError(
                str(error), hint="a moment is seconds of the video, or a datetime with its zone"
            ) from error

    @cached_property
    def _limits(self) -> RecallLimits:
        from amr_neo4j.recall.limits import RecallLimits  # noqa: PLC0415
        from amr_neo4j.recall.rank.channels import channel_table  # noqa: PLC0415
        from amr_neo4j.recall.rank.fusion import fusion_table  # noqa: PLC0415

        given = self.settings
        return RecallLimits(
            sparse=given.anchors_sparse,
            dense=given.anchors_dense,
            anchors=given.anchors,
            width=given.beam_width,
            hops=given.max_hops,
            visited=given.max_visited,
            convergence=given.convergence,
            fusion=given.fusion,
            channels=_table(given.channels_file, channel_table()),
            fusions=_table(given.fusion_file, fusion_table()),
        )

    @cached_property
    def _analyser(self) -> Analyser:
        from amr_neo4j.store.persons.described import people_with_ids  # noqa: PLC0415
        from amr_neo4j.wiring.analyser import open_analyser  # noqa: PLC0415 - heavy

        return open_analyser(self.settings, partial(people_with_ids, self._database), self._clip_spool, self.ledger)

    @cached_property
    def _writer(self) -> RetryingWriter:
        from amr_neo4j.store.write.retrying_writer import RetryingWriter  # noqa: PLC0415 - only writing needs it

        writer = MergingWriter(
            self._database,
            jump_gap_sec=self.settings.entity_jump_gap_sec,
            language=self.settings.language,
            now=utc_now,
        )
        return RetryingWriter(writer, wait_sec=self.settings.store_wait_sec, notify=self._notify)

    @property
    def _merger(self) -> PersonMerger:
        from amr_neo4j.store.persons.merger import PersonMerger  # noqa: PLC0415 - seldom needed

        return PersonMerger(self._database, self.group_id, self.settings.entity_jump_gap_sec, utc_now)

    @cached_property
    def _clip_spool(self) -> ClipSpool:
        from amr_neo4j.spool.clips import ClipSpool  # noqa: PLC0415 - only videos need it

        return ClipSpool(self.settings.data_dir / CLIPS_FILE, self._notify)

    @cached_property
    def _merging(self) -> Merging | None:
        """None where each event stays one."""
        if not self.settings.merge_events_enabled:
            return None
        from amr_neo4j.ingest.merge.candidates import MergeLimits  # noqa: PLC0415
        from amr_neo4j.ingest.merge.commit import Merging  # noqa: PLC0415
        from amr_neo4j.ingest.merge.summary import ModelSummary, RuleSummary  # noqa: PLC0415
        from amr_neo4j.models.endpoints import open_chat  # noqa: PLC0415 - heavy

        given = self.settings.merge_similarity
        model = open_chat(self.settings, "refine", self.ledger) if "merged" in self.settings.refine.calls else None
        similarity = self._embedder.alike if given is None else given
        limits = MergeLimits(
            self.settings.merge_time_gap_sec, similarity, longest_sec=self.settings.merge_longest_sec
        )
        spoken = language(self.settings.language)
        summarise = ModelSummary(model, spoken) if model else RuleSummary(spoken)
        return Merging(self._writer, self._embedder, summarise, limits, self.ledger.counting)

    @cached_property
    def _reader(self) -> EventReader:
        return EventReader(self._database, language=self.settings.language, admit=self._admit)

    @cached_property
    def _index(self) -> FaissIndex:
        from amr_neo4j.vectors.faiss_index import FaissIndex  # noqa: PLC0415 - heavy

        source = VectorSource(self._database)
        return FaissIndex(source, self._embedder.model, self._embedder.dim, self._index_file)

    @property
    def _index_file(self) -> Path:
        return self._snapshot("event")


def _tell_each(receipts: Iterable[Receipt], source: str, tell: Watch, total_s: float | None = None) -> None:
    done_s = 0.0
    for receipt in receipts:
        done_s += receipt.t_end - receipt.t_start
        tell(Progress(source, receipt, done_s, total_s))


def _telling(report: IngestReport, watch: Watch) -> Watch:
    """Count each receipt before the caller is told of it."""

    def tell(progress: Progress) -> None:
        report.add(progress.receipt, progress.source)
        watch(progress)

    return tell


def _table(file: Path | None, ours: AnyTable) -> AnyTable:
    """The user's own copy of a table, where there is one. Raises ConfigError."""
    if file is None:
        return ours
    from amr_neo4j.tables import user_copy  # noqa: PLC0415

    try:
        return user_copy(file.read_text(encoding="utf-8"), ours)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        hint = "begin with a copy of amr_neo4j/recall/channels.yaml or fusion.yaml, whole"
        raise ConfigError(f"{file}: {why}", hint=hint) from error


def _identity(param: str, value: Any) -> Any:
    """What the graph calls the object or person that a parameter names; other values as they are."""
    if param == "object":
        return object_key(str(value))
    return person_key(str(value)).person_id if param == "person" else value
