"""Memory: the one object a user holds. Each method hands its arguments to a use case of app/."""

# Imports inside the methods keep `amr --help` and look-ups fast: each method loads what it needs.
# ruff: noqa: PLC0415

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack, cast

from amr_neo4j.domain import arguments as args
from amr_neo4j.domain.arguments import checked
from amr_neo4j.domain.episode import ChatReport, Episode, Forgotten, Session
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.forgotten import ForgottenFootage, ForgottenGroup
from amr_neo4j.domain.ports import KINDS, Notify
from amr_neo4j.domain.recall import Answer, Hit, Recalled, TurnCitation
from amr_neo4j.domain.receipt import IngestReport, Watch
from amr_neo4j.domain.video import Filmed
from amr_neo4j.domain.views import (
    AnalyticsRow,
    ClipView,
    EventView,
    GroupView,
    KnownObject,
    KnownPerson,
    LifecycleStep,
    ObjectView,
    PersonView,
    SessionView,
    Stats,
    VideoView,
)
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.settings import Settings, load
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.analytics import Analysis, analyses
from amr_neo4j.store.read.digest import Digest, digest
from amr_neo4j.store.statements import data_path
from amr_neo4j.wiring.database import open_database
from amr_neo4j.wiring.openers import utc_now
from amr_neo4j.wiring.parts import Parts

if TYPE_CHECKING:
    from amr_neo4j.conversations.extract import ExtractReport
    from amr_neo4j.domain.alert import Alert, AlertStatus
    from amr_neo4j.domain.belief import Consolidated, FactMeasures, FactView
    from amr_neo4j.domain.event import Event
    from amr_neo4j.domain.exploration import Exploration
    from amr_neo4j.domain.fact import EmbeddingState, Fact
    from amr_neo4j.domain.live import ClipReceipt, OnLag, SourceStatus
    from amr_neo4j.domain.mention import Extracted
    from amr_neo4j.domain.ports import TurnSpool
    from amr_neo4j.live_chat.session import LiveChat
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.store.integrity import Integrity
    from amr_neo4j.store.write.fact_upkeep import FactRun

_log = logging.getLogger(__name__)
_WHO = "amr chat sessions lists the speakers, amr persons the persons"


class Memory:
    """Long-term memory of one group, on one Neo4j.

    >>> with Memory.open(group="home") as m:
    ...     m.ingest("kitchen.mp4")
    ...     print(m.ask("Where are the keys?").text)

    settings: as loaded. group_id: the group. uri: the address of the database. Methods that reach the database raise
    StoreUnavailable and StoreDenied. Not for use from several threads at once.
    """

    def __init__(self, settings: Settings, database: Database, notify: Notify = _log.warning) -> None:
        """Use `open` or `connect`. The database is closed with the memory."""
        self.settings = settings
        self.group_id = settings.group
        self.uri = database.uri
        self._parts = Parts(settings, database, notify)

    @classmethod
    def open(cls, settings: Settings | None = None, *, notify: Notify = _log.warning, **arguments: Any) -> Memory:
        """Connect, and bring the schema up to date.

        notify: gets lines for a person: when the database goes away during an ingest and when it is back, what waits
        on this machine, where a model is asked and what that may cost. arguments: settings by name (group, neo4j_uri,
        embedder ...). A database that is away is accepted where this machine has used it before: turns wait here
        until it is back. Raises ConfigError, DatabaseError, StoreUnavailable, StoreDenied, MigrationError.
        """
        settings = settings or load(**arguments)
        memory = cls(settings, open_database(settings, stopped=True), notify)
        try:
            memory._parts.prepare()
        except BaseException:
            memory.close()
            raise
        return memory

    @classmethod
    def connect(cls, settings: Settings, notify: Notify = _log.warning) -> Memory:
        """As `open`, but leave the schema as it is: for diagnosis, and to migrate by hand."""
        return cls(settings, open_database(settings), notify)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Save the dense indexes where that is worth it, close the files and the connections. Safe to repeat."""
        self._parts.close()

    # --- videos in

    @checked
    def ingest(
        self,
        *places: args.OneOfFiles,
        video_id: args.Text = "",
        place: args.Text = "",
        recorded_at: args.Clock = None,
        retry_failed: args.Flag = False,
        skip_failed: args.Flag = False,
        any_group: args.Flag = False,
        on_lag: args.Lag = "wait",
        wait: args.Flag = False,
        precut: args.Flag = False,
        follow: args.Flag = False,
        on: args.Workers = "",
        watch: args.Function[Watch] = lambda progress: None,
    ) -> IngestReport:
        """Take in videos and JSON-lines files, by name, folder or glob. Clips that are committed are not done again.

        Or live sources, side by side, until they end or Ctrl-C: http(s)://, rtsp(s)://, rtmp://, srt://, udp:// or
        tcp://, a device such as /dev/video0, or - for a film on standard input. on_lag: what becomes of their clips
        when analysis is slower: `wait` (the source is paused), `drop` (the oldest), `sample` (every second one).

        video_id: for a single video. place: where the videos' objects are. recorded_at: wall clock of second 0;
        by default the date in the file's name, else its creation_time. follow: take in a file while it grows.
        retry_failed: try failed clips again, also those given up. skip_failed: give up clips that fail or failed.
        any_group: also take JSON lines that name another group. wait: search for each clip after its commit until
        it is found (IngestReport.first_hit_s); clips of live sources are always searched. precut: the files of a
        folder or a playlist are clips of one video, whose names or whose playlist tell their times. on: by workers of
        Ray, a task a file: `local`, or ray://HOST:PORT (docs/scale.md). watch: called after every clip; on Ray,
        when its file is done.

        One of several files that cannot be taken is rejected in the report, and the others go on. A clip that cannot
        be analysed is counted as failed, kept, and stops no other. A database that goes away is waited for, at most
        settings.store_wait_sec. Raises InputError, NoSuchFile, ToolError, ModelMissing, StoreUnavailable; SourceLost:
        the only live source; what was committed by then stays.
        """
        from amr_neo4j.app.ingesting import IngestOptions

        how = IngestOptions(
            video_id=video_id,
            place=place,
            recorded_at=recorded_at,
            retry_failed=retry_failed,
            skip_failed=skip_failed,
            any_group=any_group,
            on_lag=cast("OnLag", on_lag),  # checked by `checked`
            wait=wait,
            precut=precut,
            follow=follow,
        )
        if on:
            from amr_neo4j.wiring.ray_worker import ingest_by_workers

            return ingest_by_workers(self.settings, on, places, how, watch=watch, notify=self._parts.notify)
        return self._parts.ingesting.places(self.group_id, places, how, watch)

    @checked
    def ingest_clips(
        self,
        clips: args.CutClips,
        *,
        retry_failed: args.Flag = False,
        skip_failed: args.Flag = False,
        watch: args.Function[Watch] = lambda progress: None,
    ) -> IngestReport:
        """Analyse and take in clips that were cut beforehand, each before the next is asked for.

        clips: {"uri": file, "t_start": seconds, "t_end": seconds, "video_id": ...}, and what else the JSON lines of
        such clips may have (docs/clip-analyses.md). The given times are kept. retry_failed, skip_failed, watch: as
        for `ingest`. A clip whose file cannot be used is rejected in the report.
        """
        from amr_neo4j.app.ingesting import IngestOptions, as_line

        how = IngestOptions(retry_failed=retry_failed, skip_failed=skip_failed)
        return self._parts.ingesting.lines(self.group_id, map(as_line, clips), "clips", watch, how)

    @checked
    def ingest_lines(
        self,
        lines: args.Lines,
        *,
        name: args.Words = "lines",
        any_group: args.Flag = False,
        watch: args.Function[Watch] = lambda progress: None,
    ) -> IngestReport:
        """Take in clips, a JSON object a line, analysed or to be; each is committed before the next is read.

        name: of the source, in the report. any_group: also take lines that name another group.
        """
        from amr_neo4j.app.ingesting import IngestOptions

        how = IngestOptions(any_group=any_group)
        return self._parts.ingesting.lines(self.group_id, lines, name, watch, how)

    @checked
    def receipts(
        self, video_id: args.Text = "", *, limit: args.Limit = 1000, wait_s: args.Patience = 0.0
    ) -> list[ClipReceipt]:
        """What became of the clips of a video, or of the latest of the group, in order of time.

        wait_s: wait so long at most until none of them is on its way.
        """
        return self._parts.receipts.of(self.group_id, video_id, limit=limit, wait_s=wait_s)

    @checked
    def status(self, *, every: args.Flag = False) -> list[SourceStatus]:
        """How the latest recording of each live source of this machine stands; with every, each recording."""
        return self._parts.receipts.status(self.group_id, every=every)

    @checked
    def watch(
        self,
        *places: args.OneOfFiles,
        place: args.Text = "",
        poll_s: args.Interval = 2.0,
        settle_s: args.Interval = 5.0,
        stop: args.StopEvent = None,
        watch: args.Function[Watch] = lambda progress: None,
    ) -> IngestReport:
        """Take in the files of folders, and those that come, until `stop` is set or Ctrl-C.

        A file is taken in once it has not changed for settle_s seconds; folders are looked at every poll_s seconds.
        place, watch: as in `ingest`. Raises NoSuchFile: no such folder.
        """
        from amr_neo4j.app.ingesting import IngestOptions
        from amr_neo4j.app.watching import Pace

        how, pace = IngestOptions(place=place), Pace(poll_s, settle_s)
        return self._parts.ingesting.watch(self.group_id, places, how, pace, watch, stop or threading.Event())

    # --- alerts

    @checked
    def keep_alert(self, question: args.Words, *, exec: args.Text = "", webhook: args.Text = "") -> Alert:
        """Keep a question that is tried against each clip committed from now on, by any process.

        exec: a command that gets the evidence as JSON on its standard input, without a shell. webhook: an http(s)
        address that it is posted to. `deliver_alert` tries and delivers. Raises InputError.
        """
        return self._parts.alerts.keep(self.group_id, question, command=exec, webhook=webhook)

    @checked
    def deliver_alert(self, alert: args.KeptAlert) -> tuple[int, int]:
        """Try what was committed since, and deliver what is due; returns (clips that match, delivered).

        What is not acknowledged (exit code 0, or HTTP 2xx) is due again, after 1 s, 2 s ... 5 min.
        """
        return self._parts.alerts.deliver(alert)

    @checked
    def alone(self, alerts: args.KeptAlerts) -> AbstractContextManager[None]:
        """Context manager: as the only process that delivers these alerts. Raises InputError: another one does."""
        return self._parts.alerts.alone(alerts)

    @checked
    def alerts(self) -> list[AlertStatus]:
        """The alerts of the group that are kept on this machine, and what of them was delivered."""
        return self._parts.alerts.spool.status(self.group_id)

    @checked
    def remove_alert(self, alert_id: args.Text) -> None:
        """Keep an alert no longer. Raises NotInMemory."""
        self._parts.alerts.remove(self.group_id, alert_id)

    # --- footage forgotten

    @checked
    def forget_videos(
        self,
        *,
        video_id: args.Text = "",
        person: args.Text = "",
        before: args.Clock = None,
        older_than_days: args.Days = None,
        dry_run: args.Flag = False,
        scrub: args.Flag = False,
    ) -> ForgottenFootage:
        """Forget what all the arguments apply to, as if it had never been taken in (docs/forgetting.md).

        person: the events that involve them, by name, description or id; the clips stay. before, older_than_days:
        clips that ended by then, by the wall clock of their video, else by when memory took them in. dry_run: only
        count. scrub: also overwrite what the database freed on its disk. After an interruption repeat it. Returns
        what was removed. Raises InputError: nothing was named; several videos have such a person; NotInMemory: there
        was no such video or person, and nothing was removed.
        """
        return self._parts.forgetting_footage.forget_named(
            self.group_id,
            video_id=video_id,
            person=person,
            before=before,
            older_than_days=older_than_days,
            dry_run=dry_run,
            overwrite=scrub,
        )

    @checked
    def forget_group(self, *, dry_run: args.Flag = False, scrub: args.Flag = False) -> ForgottenGroup:
        """Forget all that the group holds: footage, and the conversations and facts of all its users.

        Its embedder is free to choose again afterwards. Otherwise as `forget_videos`.
        """
        from amr_neo4j.app.forgetting import forget_group

        parts = self._parts
        places = (parts.forgetting_footage, parts.forgetting_conversations)
        return forget_group(self.group_id, *places, dry_run=dry_run, overwrite=scrub)

    # --- questions

    @checked
    def ask(
        self,
        question: args.Words,
        *,
        notify: args.Function[Notify] = lambda claim: None,
        look: args.Looks = 0,
        **bounds: Unpack[args.Bounds],
    ) -> Answer:
        """Answer a question with citations; `found` is False where nothing in memory fits.

        >>> for cited in m.ask("Where are the keys?").citations:
        ...     print(cited.label, cited.source, cited.start, cited.end)

        notify: gets each claim of the answer as it comes. bounds: where to look, the whole group unless given.
        look: where memory has no answer, cut at most so many segments out of the videos and look at them
        (`explore`); what is found is kept as events and cited like any other. Where the settings choose a provider,
        its models classify, judge and answer. Raises InputError: an empty question, an invalid bound; NotInMemory:
        an empty group, a video that is not there; EmbedderMismatch; ModelDenied, NoSuchModel.
        """
        scope = self._bounds(bounds)
        answer = self._parts.asking().ask(self.group_id, question, scope, notify)
        if answer.found or not look:
            return answer
        from amr_neo4j.wiring.explorer import open_explorer

        explorer = open_explorer(self.settings, self._parts.ledger, max_looks=look)
        return self._parts.exploring.look_further(self.group_id, answer, scope, explorer, notify)

    @checked
    def search(self, text: args.Words, *, limit: args.Limit = 10, **bounds: Unpack[args.Bounds]) -> list[Hit]:
        """At most `limit` events that fit a text best, by words, by meaning and by their neighbours; as in `ask`."""
        return self._parts.asking().search(self.group_id, text, limit, self._bounds(bounds))

    @checked
    def warm_up(self) -> None:
        """Do now what the first question would wait for: load the embedder and the index, let the server plan.

        For programs that stay open: what is loaded by then is set apart from what Python's collector looks through
        (gc.freeze), which would delay questions. It calls no model that is paid for. Raises StoreUnavailable,
        ModelMissing.
        """
        embeds = self.settings.embedder != "api"
        self._parts.asking().warm_up(self.group_id, self.settings.user, embeds=embeds)

    @checked
    def search_memory(
        self,
        query: args.Words,
        search_type: args.MemoryKind = "both",
        limit: args.Limit = 5,
        *,
        user_id: args.Text = "",
    ) -> list[Recalled]:
        """Search what is believed and what happened, for a model that calls a tool; best first.

        query: natural language. search_type: "facts", "episodes" (turns of conversations and events of videos) or
        "both". limit: at most so many; fewer where relevance falls off. user_id: whose facts and conversations, the
        settings' user unless given; without one only videos are searched. Each result has text, confidence, timestamp
        and source. Raises InputError: no words; EmbedderMismatch, ModelDenied, NoSuchModel.
        """
        user = user_id or self.settings.user
        searching = self._parts.searching()
        return searching.search(self.group_id, user, query, search_type=search_type, limit=limit)

    @checked
    def cited(self, citation: args.Cited, *, user_id: args.Text = "") -> Event:
        """The event, or the turn of a conversation as an event, that an answer cites.

        user_id: whose conversation, the settings' user unless given. Raises NotInMemory: forgotten, or merged since
        (`event` still returns that).
        """
        user = self._user(user_id) if isinstance(citation, TurnCitation) else ""
        return self._parts.asking().cited(self.group_id, user, citation)

    @checked
    def explore(
        self,
        source: args.FileOrFolder,
        question: args.Words,
        *,
        video_id: args.Text = "",
        **how: Unpack[args.ExploreArguments],
    ) -> Exploration:
        """Answer a question about a video file by cutting segments out of it and looking at them.

        >>> m.explore("kitchen.mp4", "When is the jar opened?", remember=True).span

        source: a file, or the video_id of one that was ingested; where it is in memory, the ranges that fit the
        question are looked at first. video_id: as in `ingest`. Raises InputError, NoSuchFile, ToolError, ConfigError,
        ModelDenied, NoSuchModel, ModelMissing; what was explored by then is in the tree.
        """
        from amr_neo4j.wiring.explorer import open_explorer

        explorer = open_explorer(self.settings, self._parts.ledger, **how)
        return self._parts.exploring.explore(
            self.group_id,
            self.settings.user,
            source,
            question,
            explorer,
            video_id=video_id,
        )

    # --- what memory holds

    @checked
    def event(self, node_id: args.NodeId, *, vector: args.Flag = False) -> EventView:
        """An event of a video with its persons, uses and edges. vector: also its embedding. Raises NotInMemory."""
        return self._parts.browse.event(node_id, vector=vector)

    @checked
    def clips(self, clip_id: args.Text, video_id: args.OptionalText = None) -> list[ClipView]:
        """The receipts of this clip id with their events, one for each video that has it. Raises NotInMemory."""
        return self._parts.browse.clips(clip_id, video_id)

    @checked
    def video(self, video_id: args.Text, limit: args.Limit = 1000) -> VideoView:
        """A video with its counts and at most `limit` of its events. Raises NotInMemory."""
        return self._parts.browse.video(video_id, limit)

    @checked
    def videos(self) -> list[VideoView]:
        """Every video of the group."""
        return self._parts.browse.videos()

    @checked
    def known_persons(self, limit: args.Limit = 1000) -> list[KnownPerson]:
        """Who is known, with counts and last seen, the most seen first."""
        return self._parts.browse.known_persons(limit)

    @checked
    def known_objects(self, limit: args.Limit = 1000) -> list[KnownObject]:
        """What is known, with counts and last seen, the most used first."""
        return self._parts.browse.known_objects(limit)

    @checked
    def filmed(self, node_id: args.NodeId) -> Filmed:
        """Where an event was filmed, and whether the file is still there. Raises NotInMemory."""
        return self._parts.showing.filmed(self.group_id, node_id)

    @checked
    def save_picture(
        self, node_id: args.NodeId, file: args.FileName, *, second: args.Second = None, width: args.Pixels = 1280
    ) -> Filmed:
        """Write a picture of an event (.jpg, .png), at a second of its video or in its middle; at most `width` wide.

        Raises NotInMemory; NoSuchFile: the film is gone or replaced; InputError: another format; ToolError.
        """
        return self._parts.showing.save_picture(self.group_id, node_id, Path(file), second=second, width=width)

    @checked
    def save_clip(self, node_id: args.NodeId, file: args.FileName, *, width: args.Pixels = 1280) -> Filmed:
        """Write an event's stretch of film (.mp4), with a second before and after it. Raises as `save_picture`."""
        return self._parts.showing.save_clip(self.group_id, node_id, Path(file), width=width)

    @checked
    def persons(self, name: args.Words, limit: args.Limit = 50) -> list[PersonView]:
        """A person, by name, description or id, with at most `limit` of their events. Raises NotInMemory."""
        return self._parts.browse.persons(self._parts.language.person_key(name).person_id, limit)

    @checked
    def objects(self, name: args.Words, limit: args.Limit = 50) -> list[ObjectView]:
        """An object, in any form of its name, with at most `limit` of its uses. Raises NotInMemory."""
        return self._parts.browse.objects(self._parts.language.object_key(name), limit)

    @checked
    def lifecycle(self, name: args.Words) -> list[LifecycleStep]:
        """What happened to an object, in any form of its name, in order of time. Raises NotInMemory."""
        return self._parts.browse.lifecycle(self._parts.language.object_key(name))

    @checked
    def analytics(self, name: args.Words, /, **params: Any) -> list[AnalyticsRow]:
        """The rows of cypher/analytics/<name>.cypher for this group, such as `analytics("hand_overs")`.

        params: in place of the file's own values; an object or a person in any form of its name.
        Raises InputError: no such name, parameter or value.
        """
        from amr_neo4j.app.showing import analytics

        return analytics(self._parts.browse, self._parts.language, name, params)

    @staticmethod
    def analyses() -> list[Analysis]:
        """What `analytics` can be asked."""
        return analyses()

    @checked
    def groups(self) -> list[GroupView]:
        """The groups of the database that hold something, with counts: this one and all others."""
        return self._parts.browse.groups()

    @checked
    def stats(self) -> Stats:
        """How much the group holds, and what models took for it."""
        return self._parts.browse.stats()

    @property
    def ledger(self) -> Ledger:
        """What this memory's calls to models have taken and cost."""
        return self._parts.ledger

    @checked
    def digest(self) -> Digest:
        """A hash of all the group holds: equal where the same was taken in, in whatever order and however often."""
        return digest(self._parts.database, self.group_id)

    # --- persons

    @checked
    def merge_persons(
        self, one: args.Text, other: args.Text, *, video: args.Text = "", other_video: args.Text = ""
    ) -> int:
        """Merge a person into another: by name, description or external id. Returns how many events moved.

        Every edge follows, also of clips taken in later; the words as seen stay. video, other_video: which person is
        meant, where several videos have one of this description. Raises NotInMemory; InputError: they are merged
        already, or `one` is merged into somebody else.
        """
        person_key = self._parts.language.person_key
        return self._parts.merger.merge(person_key(one).person_id, person_key(other).person_id, video, other_video)

    @checked
    def undo_merge(self, one: args.Text, *, video: args.Text = "") -> int:
        """Undo `merge_persons`; returns how many events moved.

        The graph is then as if they had never been merged, also for clips taken in meanwhile. Raises NotInMemory;
        InputError: the person is not merged into anybody.
        """
        return self._parts.merger.undo(self._parts.language.person_key(one).person_id, video)

    @checked
    def tie(self, speaker: args.Text, person: args.Text, *, user_id: args.Text = "") -> None:
        """Link a speaker of a user's conversations to a person of the videos, by name or description.

        A question that names the speaker then crosses from one to the other. Raises NotInMemory.
        """
        person_key = self._parts.language.person_key
        user, who = self._user(user_id), (person_key(speaker).person_id, person_key(person).person_id)
        if not self._parts.speaker_links.link(user, *who):
            raise NotInMemory(
                f"no speaker {speaker} in the conversations, or no person {person} in the videos", hint=_WHO
            )

    @checked
    def untie(self, speaker: args.Text, person: args.Text, *, user_id: args.Text = "") -> None:
        """Remove the link, whether it was made by `tie` or because the names are equal. Raises NotInMemory."""
        person_key = self._parts.language.person_key
        user, who = self._user(user_id), (person_key(speaker).person_id, person_key(person).person_id)
        if not self._parts.speaker_links.unlink(user, *who):
            raise NotInMemory(f"there is no link between {speaker} and {person}", hint=_WHO)

    # --- conversations. user_id: the settings' user unless given; InputError where neither is

    @checked
    def remember(self, messages: args.Turns, *, user_id: args.Text = "", session_id: args.Text) -> ChatReport:
        """Take in turns of a conversation, in order: strings, or mappings with content, actor, at and others.

        What is accepted is on this machine's disk when this returns, and in the graph and searchable if the database
        can be reached. Repeating a turn changes nothing; an id in use for other content is rejected in the report.
        Raises InputError: none is taken; EmbedderMismatch.
        """
        return self._parts.remembering.remember(self.group_id, self._user(user_id), session_id, messages)

    @checked
    def import_chat(self, *files: args.OneOfFiles, user_id: args.Text = "", session_id: args.Text = "") -> ChatReport:
        """Take in files of conversations: JSON lines, OpenAI's chat format, LoCoMo's JSON, plain text or an export.

        session_id: for files that name no session, in place of the file's name. A turn that cannot be taken, or one
        of several files, is rejected in the report, and the others go on. Raises InputError: the only file holds no
        conversation; NoSuchFile.
        """
        return self._parts.remembering.import_chat(self.group_id, self._user(user_id), session_id, files)

    @checked
    def import_episodes(self, document: args.Document, user_id: args.Text = "") -> ChatReport:
        """Take in a document of the form that `export_episodes` returns; repeating it changes nothing.

        Episodes with mentions count as extracted. Raises InputError: none is taken; StoreUnavailable,
        EmbedderMismatch.
        """
        return self._parts.remembering.import_episodes(self.group_id, self._user(user_id), document)

    @checked
    def export_episodes(
        self,
        user_id: args.Text = "",
        session_id: args.OptionalText = None,
        *,
        as_of: args.Clock = None,
        known_at: args.Clock = None,
        nested: args.Flag = False,
    ) -> dict[str, Any]:
        """A user's episodes, or those of one session, with their mentions and relations, as a JSON document.

        as_of: what had been said by then. known_at: what memory had learnt by then. nested: mentions and relations
        in the form with `content` and `metadata`; import takes either.
        """
        from amr_neo4j.conversations.export import export_episodes

        store, user = self._parts.mentions(self.group_id), self._user(user_id)
        return export_episodes(store, user, session_id, as_of, known_at, nested=nested)

    @checked
    def mentions(
        self,
        *,
        user_id: args.Text = "",
        session_id: args.OptionalText = None,
        as_of: args.Clock = None,
        known_at: args.Clock = None,
    ) -> Extracted:
        """What a user's turns, or those of one session, mention and state, in order.

        as_of: what had been said by then (valid time). known_at: what memory had learnt by then (known time).
        """
        return self._parts.mentions(self.group_id).extracted(self._user(user_id), session_id, as_of, known_at)

    @checked
    def extract(self, *, user_id: args.Text = "", session_id: args.OptionalText = None) -> ExtractReport:
        """Extract mentions, relations and facts from each episode, once, in order of session and turn.

        Mentions and relations by the model of the role `text` where a provider is chosen, else by rules; facts by
        the rules of live conversations. Episodes at which the model fails are left for the next run. Raises
        InputError, ModelDenied, NoSuchModel, StoreUnavailable; ConfigError: no model, and no rules for the language.
        """
        return self._parts.remembering.extract(self.group_id, self._user(user_id), session_id)

    @checked
    def unread_turns(self, *, user_id: args.Text = "") -> int:
        """How many turns of a user neither `extract` nor `consolidate` has read.

        Those of a live conversation count until then, although their facts were read when they were said.
        """
        return self._parts.browse.unread_turns(self._user(user_id))

    @checked
    def require_user(self, user_id: args.Text = "") -> None:
        """Raises NotInMemory: nothing is known of this user in the group; `ask` and `search` find nothing of them.

        Those raise no error, since an assistant may ask before its user has said anything.
        """
        from amr_neo4j.app.remembering import require_user
        from amr_neo4j.store.read.similar_names import similar_to

        user, spool = self._user(user_id), self._parts.turn_spool
        waiting = partial(_waiting_users, spool, self.group_id)
        require_user(self._parts.database, self.group_id, user, waiting=waiting, similar=similar_to)

    @checked
    def sessions(self, *, user_id: args.Text = "") -> list[SessionView]:
        """The conversations of a user, the latest first."""
        return self._parts.conversation_reader.sessions(self.group_id, self._user(user_id))

    @checked
    def conversation(
        self,
        session_id: args.Text,
        *,
        user_id: args.Text = "",
        since: args.Clock = None,
        as_of: args.Clock = None,
        known_since: args.Clock = None,
        known_at: args.Clock = None,
    ) -> list[Episode]:
        """The turns of a conversation in order, as it stood at a moment.

        since, as_of: when they were said, from and up to. known_since, known_at: when memory learnt of them, from and
        up to. Raises NotInMemory: the user has no such session; InputError: a moment without an offset from UTC.
        """
        moments = {"since": since, "as_of": as_of, "known_since": known_since, "known_at": known_at}
        session = self._session(user_id, session_id)
        return self._parts.conversation_reader.conversation(session, **moments)

    @checked
    def forget(
        self,
        *,
        user_id: args.Text = "",
        session_id: args.Text = "",
        episode_id: args.Text = "",
        dry_run: args.Flag = False,
        scrub: args.Flag = False,
    ) -> Forgotten:
        """Forget all turns of a user, of one session, or one episode: in the graph, its indexes and on this disk.

        All that derives from them is deleted too. dry_run: only count. scrub: also overwrite what the database freed
        on its disk (docs/forgetting.md). Safe to repeat. Returns what was removed.
        """
        forgetting, user = self._parts.forgetting_conversations, self._user(user_id)
        return forgetting.forget(self.group_id, user, session_id, episode_id, dry_run=dry_run, overwrite=scrub)

    @checked
    def chat(self, *, user_id: args.Text = "", session_id: args.Text) -> LiveChat:
        """A live conversation: `observe` each turn, `inject` what is known into the messages for a model.

        >>> chat = m.chat(user_id="anna", session_id="monday")
        >>> chat.observe("I live in Seattle.").understood.facts
        >>> messages = chat.inject([{"role": "user", "content": "Where do I live?"}])

        No turn waits for the database or a model: it is on this machine's disk when `observe` returns, and committed
        in the background; `close` waits for that, at most five seconds. Raises InputError.
        """
        return self._parts.live_chats().chat(self._user(user_id), session_id)

    @checked
    def facts(
        self,
        *,
        user_id: args.Text = "",
        subject: args.Text = "",
        relation: args.Text = "",
        history: args.Flag = False,
        limit: args.Limit = 100,
    ) -> list[Fact]:
        """What is believed of a user, latest first; docs/facts.md.

        subject: "you" for the user. history: also facts that are not believed any more. Facts of turns that were said
        a moment ago may still be on their way.
        """
        user = self._user(user_id)
        return self._parts.facts.facts(
            user, subject=subject or None, relation=relation or None, history=history, limit=limit
        )

    @checked
    def forget_facts(
        self, *, user_id: args.Text = "", subject: args.Text, relation: args.Text = "", object: args.Text = ""
    ) -> int:
        """Delete facts for good: of a subject, of one of its relations, or one; returns their number.

        The turns that state them stay: `forget` deletes those. Words are compared in lower case.
        """
        triple = Triple(subject.casefold(), relation, object.casefold())
        return self._parts.forgetting_conversations.forget_facts(self.group_id, self._user(user_id), triple)

    @checked
    def consolidate(
        self, *, user_id: args.Text = "", at: args.Clock = None, dry_run: args.Flag = False
    ) -> Consolidated:
        """Tidy a user's facts, as every night: docs/consolidation.md.

        at: the time to do it for, now unless given. dry_run: report what would change; write nothing, ask no model.
        An interrupted run is finished first. Raises StoreBusy: another run is under way; ModelDenied, NoSuchModel.
        """
        run, moment = self._parts.consolidation(self._user(user_id)), at or utc_now()
        return run.dry_run(moment) if dry_run else run.run(moment)

    @checked
    def consolidate_all(self, *, at: args.Clock = None, dry_run: args.Flag = False) -> list[Consolidated]:
        """As `consolidate`, for every user of the group, one after the other; a report of each.

        A user whom another process is consolidating is reported as incomplete. Raises ModelDenied, NoSuchModel.
        """
        from amr_neo4j.app.nightly import consolidate_all
        from amr_neo4j.app.remembering import known_users

        users = known_users(self._parts.database, self.group_id, waiting=())
        return list(consolidate_all(users, self._parts.consolidation, at or utc_now(), dry_run=dry_run))

    @checked
    def consolidations(self, *, user_id: args.Text = "") -> list[FactRun]:
        """The runs of `consolidate` over a user's facts, the latest first."""
        return self._parts.consolidation(self._user(user_id)).runs()

    @checked
    def fact_measures(self, *, user_id: args.Text = "") -> FactMeasures:
        """How well a user's facts are kept and used: how many were merged, what replies used; docs/facts.md."""
        from amr_neo4j.app.nightly import fact_measures

        user = self._user(user_id)
        return fact_measures(self._parts.facts, user, self._parts.consolidation(user).runs())

    @checked
    def undo_consolidation(self, run_id: args.Text, *, user_id: args.Text = "") -> int:
        """Undo a run of `consolidate` and those after it, of the latest ten; returns how many changes were undone.

        What was said since stays. Raises NotInMemory: no such run; InputError: it is too long ago.
        """
        return self._parts.consolidation(self._user(user_id)).undo(run_id)

    @checked
    def fact(self, fact_id: args.Text, *, user_id: args.Text = "") -> FactView:
        """A fact with the turns it rests on and what it is to others, by its id or the beginning of it.

        Raises NotInMemory; InputError: several begin so.
        """
        return self._parts.corrections(self._user(user_id)).fact(fact_id)

    @checked
    def restore_fact(self, fact_id: args.Text, *, user_id: args.Text = "") -> FactView:
        """Believe a fact again that was replaced, merged or given up.

        Raises as `fact`; InputError: it is believed.
        """
        return self._parts.corrections(self._user(user_id)).restore(fact_id)

    @checked
    def pin_fact(self, fact_id: args.Text, *, user_id: args.Text = "", pinned: args.Flag = True) -> FactView:
        """Keep a fact as it is: it does not decay, and neither a run nor what is said later retires it.

        Raises as `fact`.
        """
        return self._parts.corrections(self._user(user_id)).pin(fact_id, pinned=pinned)

    @checked
    def correct_fact(self, fact_id: args.Text, object: args.Text, *, user_id: args.Text = "") -> FactView:
        """Put a fact right: one with this object takes its place, pinned. Returns that. Raises as `fact`."""
        return self._parts.corrections(self._user(user_id)).correct(fact_id, object)

    def _user(self, user_id: str) -> str:
        """The user, or the settings' user. Raises InputError: neither is named."""
        user = user_id or self.settings.user
        if not user:
            raise InputError("no user given", hint="name one: --user NAME or AMR_USER; in Python user_id")
        return user

    def _bounds(self, bounds: args.Bounds) -> args.Bounds:
        """The bounds of a question, with the settings' user unless another one is given."""
        return bounds | args.Bounds(user_id=bounds.get("user_id") or self.settings.user)

    def _session(self, user_id: str, session_id: str) -> Session:
        try:
            return Session(self.group_id, self._user(user_id), session_id)
        except ValueError as error:
            raise InputError(str(error), hint="name the conversation: amr chat sessions") from error

    # --- the dense index

    @checked
    def serve_vectors(
        self,
        host: args.Text = "127.0.0.1",
        port: args.Port = 8377,
        *,
        certificate: args.OptionalFile = None,
        key: args.OptionalFile = None,
        tls: args.Flag = True,
        max_gb: args.OptionalGigabytes = None,
        device: args.SearchDevice = "auto",
        gpu_gb: args.Gigabytes = 8.0,
        started: args.Function[Callable[[str], None]] = _log.info,
    ) -> None:
        """Serve the dense indexes of this database to programs with the setting dense: sidecar, until SIGTERM.

        Only from the main thread. device: cpu, gpu, or auto: a GPU where FAISS has one. gpu_gb: of the GPU's memory,
        for each index. started: gets the address. Raises InputError, ConfigError, ModelMissing.
        """
        from amr_neo4j.wiring.sidecar import serve

        serve(
            self.settings,
            self._parts.indexes.local,
            host,
            port,
            certificate=certificate,
            key=key,
            tls=tls,
            max_gb=max_gb,
            device=device,
            gpu_gb=gpu_gb,
            started=started,
            notify=self._parts.notify,
        )

    @checked
    def rebuild_index(self) -> int:
        """Make the dense indexes of events, turns and facts again from the graph, calling no model.

        Returns how many vectors that of events holds.
        """
        rebuilt = {kind: self._parts.indexes.rebuild(kind) for kind in KINDS}
        return rebuilt["event"]

    @checked
    def reembed(self, progress: args.Function[Callable[[int], None]] = lambda done: None) -> int:
        """Embed the group again with the settings' embedder, then switch to it; returns how many texts it embedded.

        progress: called with how many are done.
        """
        from amr_neo4j.ingest.compose import embedding_text
        from amr_neo4j.store.embeddings import reembed

        parts = self._parts
        return reembed(
            parts.database, self.group_id, parts.embedder(), embedding_text, now=utc_now, progress=progress
        )

    @checked
    def index_size(self, kind: args.IndexKind = "event") -> tuple[int, int]:
        """(vectors in the dense index once it has caught up, events, turns or facts with a vector in the graph)."""
        return self._parts.indexes.size(kind)

    @checked
    def index_differs(self, kind: args.IndexKind = "event", *, every: args.Flag = False) -> int:
        """How many of a sample of the graph's vectors, or of all, the dense index lacks or holds otherwise."""
        return self._parts.indexes.differing(kind, every=every)

    @checked
    def index_is_damaged(self, kind: args.IndexKind = "event") -> bool:
        """Whether the snapshot of the dense index cannot be read. It is ignored then, at the cost of time."""
        return self._parts.indexes.is_damaged(kind)

    @checked
    def missing_vectors(self) -> int:
        """How many events, turns and facts of the group have no vector of the group's model.

        Facts that wait for their first vector are not counted: `fact_embeddings` has them.
        """
        rows = self._parts.database.read("vectors/missing", group_id=self.group_id)
        return sum(row["missing"] for row in rows)

    @checked
    def fact_embeddings(self) -> EmbeddingState:
        """How many facts of the group wait for a vector, and which were given up, with the reason.

        Facts are embedded in the background, and found by their words until then.
        """
        return self._parts.fact_queue.state()

    @checked
    def embed_facts(self, *, retry: args.Flag = False) -> int:
        """Embed now the facts that wait for it; returns how many were embedded.

        retry: also those that were given up. Raises ModelError, ModelMissing, EmbedderMismatch, StoreUnavailable.
        """
        queue = self._parts.fact_queue
        queue.queue_missing()
        if retry:
            queue.retry()
        return self._parts.fact_embedder.run()

    @checked
    def check_embedder(self) -> str:
        """The model in use. Raises ModelMissing; EmbedderMismatch: another model embedded the group."""
        group = self._parts.browse.group()
        return self._parts.admission.model_for((group.model, group.dim) if group else None)

    # --- the database

    @checked
    def server(self) -> str:
        """Name and version of the server, like Neo4j/5.26.12."""
        return self._parts.database.check()

    @checked
    def migrate(self) -> list[str]:
        """Bring the schema up to date; returns the versions applied. Raises MigrationError."""
        return schema.migrate(self._parts.database)

    @checked
    def pending_migrations(self) -> list[str]:
        """Versions of the schema that the database lacks. Raises MigrationError."""
        return schema.pending(self._parts.database)

    @checked
    def schema_damage(self) -> dict[str, str]:
        """Constraints and indexes that are not in use: by name, "missing" or the state they are in."""
        return schema.damage(self._parts.database)

    @checked
    def restore_schema(self) -> list[str]:
        """Make the constraints and indexes again that were dropped or have failed; returns their names."""
        return schema.restore(self._parts.database)

    @property
    def integrity(self) -> Integrity:
        """Checks whether the graph of the group is whole."""
        return self._parts.integrity

    @checked
    def repair(self) -> Iterator[str]:
        """Make again what is derived; yields a line for each thing that was wrong. Calls no model.

        Counters, receipts, edges, constraints, indexes and dense indexes. Events that were deleted are recorded as
        gone. Raises MigrationError: the schema is another version's.
        """
        from amr_neo4j.app.repairing import repair_all

        database, parts = self._parts.database, self._parts
        migrate, restore = partial(schema.migrate, database), partial(schema.restore, database)
        return repair_all(migrate=migrate, restore=restore, graph=parts.integrity, indexes=parts.indexes)

    @staticmethod
    def browser_folder() -> Path:
        """The folder of the style sheet and the saved scripts for Neo4j Browser."""
        return data_path("cypher") / "browser"


def _waiting_users(spool: Callable[[], TurnSpool], group_id: str) -> Sequence[str]:
    return spool().users(group_id)


def explore_file(
    settings: Settings,
    source: str | Path,
    question: str,
    notify: Notify = _log.warning,
    **how: Unpack[args.ExploreArguments],
) -> Exploration:
    """As Memory.explore, without a memory: nothing of the video is known, and nothing is kept."""
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.wiring.explorer import open_explorer

    explorer = open_explorer(settings, Ledger(notify, settings.max_cost_usd), **how)
    return explorer.explore(source, question)[0]
