"""Memory: the one object a user holds. It wires the rooms and holds no algorithm."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from amr_neo4j import localdb
from amr_neo4j.clients import sources
from amr_neo4j.clients.embedders import open_embedder
from amr_neo4j.clients.media import video_of
from amr_neo4j.domain.recall import Answer, Hit, Scope
from amr_neo4j.domain.receipt import IngestReport, Receipt
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.errors import EmbedderMismatch, InputError
from amr_neo4j.ingest.compose import embedding_text
from amr_neo4j.ingest.lines import read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.ingest.segment import remaining, segment
from amr_neo4j.language.objects import object_key
from amr_neo4j.language.persons import person_key
from amr_neo4j.settings import Settings, load
from amr_neo4j.store.browse import Browse
from amr_neo4j.store.database import Database
from amr_neo4j.store.event_reader import EventReader
from amr_neo4j.store.event_writer import EventWriter
from amr_neo4j.store.migrations import migrate
from amr_neo4j.store.reembed import reembed
from amr_neo4j.store.vector_source import VectorSource

if TYPE_CHECKING:
    from amr_neo4j.domain.ports import Embedder
    from amr_neo4j.vectors.faiss_index import FaissIndex

Row = dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """What a caller of ingest is told after every clip. source: the file, or "stdin"; seconds: of video.

    total_s: the length of the source, None where nobody knows it beforehand.
    """

    source: str
    receipt: Receipt
    done_s: float
    total_s: float | None


Watch = Callable[[Progress], None]


class Memory:
    """Long-term memory of one group, on one Neo4j.

    >>> with Memory.open(group="home") as m:
    ...     m.ingest("kitchen.mp4")
    ...     print(m.ask("Where are the keys?").text)
    """

    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings = settings
        self.group_id = settings.group
        self._database = database
        self._browse = Browse(database, self.group_id)

    @classmethod
    def open(cls, settings: Settings | None = None, **arguments: Any) -> Memory:
        """Connect, and bring the schema up to date.

        arguments: settings by name (group, neo4j_uri, embedder ...). Raises ConfigError, DatabaseError,
        StoreUnavailable, StoreDenied, MigrationError.
        """
        settings = settings or load(**arguments)
        where = localdb.ensure(settings)
        database = Database(where.uri, where.username, where.password, where.database)
        try:
            migrate(database)
        except BaseException:
            database.close()
            raise
        return cls(settings, database)

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
        self._database.close()

    # --- in

    def ingest(
        self,
        *places: str | Path,
        video_id: str = "",
        place: str = "",
        recorded_at: datetime | None = None,
        watch: Watch = lambda progress: None,
    ) -> IngestReport:
        """Take in videos and JSON-lines files, named singly, by folder or by glob.

        What is in memory already is not done again. video_id: for a single video. place: where the videos' objects
        live. recorded_at: wall clock of second 0. Raises InputError, NoSuchFile, ToolError, ModelMissing; what was
        committed by then stays.
        """
        found = list(sources.find(places))
        if video_id and len(found) != 1:
            raise InputError(f"one video_id for {len(found)} files", hint="name one file")
        report = IngestReport()
        for source in found:
            if source.kind == "lines":
                with source.path.open("rb") as lines:
                    self._take(read_lines(lines, group_id=self.group_id), str(source.path), None, report, watch)
            else:
                self._take_video(source.path, video_id, place, recorded_at, report, watch)
        return report

    def ingest_lines(
        self, lines: Iterable[str | bytes], *, name: str = "lines", watch: Watch = lambda progress: None
    ) -> IngestReport:
        """Take in clip analyses as they come, a JSON object a line; each is committed before the next is read."""
        report = IngestReport()
        self._take(read_lines(lines, group_id=self.group_id), name, None, report, watch, clips_per_transaction=1)
        return report

    def _take_video(
        self,
        path: Path,
        video_id: str,
        place: str,
        recorded_at: datetime | None,
        report: IngestReport,
        watch: Watch,
    ) -> None:
        from amr_neo4j.perception.local import LocalAnalyser  # noqa: PLC0415 - heavy, and an extra

        video = video_of(path, self.group_id, video_id=video_id, place=place, recorded_at=recorded_at)
        duration = video.duration_s or 0.0
        clips = list(segment(duration, self.settings.target_clip_sec, video.uri))
        there = self._writer.committed_clips(self.group_id, video.video_id)
        todo = remaining(video.video_id, clips, there)
        report.unchanged += len(clips) - len(todo)
        if todo:
            analyser = LocalAnalyser(self.settings)
            self._take(analyser.watch(video, todo), str(path), duration, report, watch, clips_per_transaction=1)

    def _take(
        self,
        clips: Iterable[AnalysedClip | Receipt],
        name: str,
        total_s: float | None,
        report: IngestReport,
        watch: Watch,
        clips_per_transaction: int | None = None,
    ) -> None:
        size = clips_per_transaction or self.settings.clips_per_transaction
        done = 0.0
        for receipt in ingest(clips, writer=self._writer, embedder=self._embedder, clips_per_transaction=size):
            report.add(receipt, name)
            done += receipt.t_end - receipt.t_start
            watch(Progress(name, receipt, done, total_s))

    # --- out

    def ask(self, question: str, *, videos: Iterable[str] = ()) -> Answer:
        """Answer from memory, with the seconds of video the answer rests on; `found` is False where nothing fits.

        videos: look in these alone. Raises InputError: an empty question; EmbedderMismatch.
        """
        from amr_neo4j.recall.pipeline import ask  # noqa: PLC0415

        self._check_embedder()
        return ask(question, self._scope(videos), self._reader, self._index, self._embedder, self._limits)

    def search(self, text: str, *, videos: Iterable[str] = (), limit: int = 10) -> list[Hit]:
        """The events that fit a text best, by words and by meaning."""
        from amr_neo4j.recall.pipeline import search  # noqa: PLC0415

        self._check_embedder()
        return search(text, self._scope(videos), self._reader, self._index, self._embedder, self._limits)[:limit]

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

    def lifecycle(self, name: str) -> list[Row]:
        """What happened to an object, in order of time: the rows of cypher/analytics/object_timeline.cypher."""
        return self._browse.lifecycle(object_key(name))

    def stats(self) -> Row:
        """How much the group holds."""
        return self._browse.stats()

    # --- the dense index

    def rebuild_index(self) -> int:
        """Make the dense index again from the graph, calling no model; returns how many vectors it holds."""
        return self._index.rebuild()

    def reembed(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Embed the group anew with the settings' embedder, then switch to it; returns how many it embedded."""
        return reembed(self._database, self.group_id, self._embedder, embedding_text, now=_utc_now, progress=progress)

    # --- wiring

    def _scope(self, videos: Iterable[str]) -> Scope:
        return Scope(self.group_id, tuple(videos))

    def _check_embedder(self) -> None:
        group = self._browse.group()
        if group and (group["model"], group["dim"]) != (self._embedder.model, self._embedder.dim):
            raise EmbedderMismatch(
                f"group {self.group_id} is embedded by {group['model']} ({group['dim']} dimensions), "
                f"the settings ask for {self._embedder.model} ({self._embedder.dim})",
                hint="set embedder back, or run: amr index reembed",
            )

    @cached_property
    def _embedder(self) -> Embedder:
        return open_embedder(self.settings)

    @cached_property
    def _writer(self) -> EventWriter:
        return EventWriter(
            self._database,
            jump_gap_sec=self.settings.entity_jump_gap_sec,
            language=self.settings.language,
            now=_utc_now,
        )

    @cached_property
    def _reader(self) -> EventReader:
        return EventReader(self._database, language=self.settings.language)

    @cached_property
    def _index(self) -> FaissIndex:
        from amr_neo4j.vectors.faiss_index import FaissIndex  # noqa: PLC0415 - heavy

        source = VectorSource(self._database)
        name = re.sub(r"[^\w.-]", "_", self._embedder.model)
        path = self.settings.data_dir / "vectors" / source.identity() / f"event-{name}.npz"
        return FaissIndex(source, self._embedder.model, self._embedder.dim, path)


def _utc_now() -> datetime:
    return datetime.now(timezone.utc)
