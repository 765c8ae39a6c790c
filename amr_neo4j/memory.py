"""Memory: the one object a user holds. Each method hands its arguments to a use case of app/."""

# Imports inside the methods keep `amr --help` and look-ups fast: each method loads what it needs.
# ruff: noqa: PLC0415

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from amr_neo4j.domain import arguments as args
from amr_neo4j.domain.arguments import checked
from amr_neo4j.domain.episode import LONGEST_NAME, ChatReport, Episode, Forgotten, Session
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.forgotten import ForgottenFootage, ForgottenGroup
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.ports import KINDS, Notify
from amr_neo4j.domain.recall import Answer, Hit, Margin, MemoryContext, Recalled, Scope, TurnCitation
from amr_neo4j.domain.receipt import IngestOptions, IngestReport, Watch
from amr_neo4j.domain.transfer import Exported, Imported
from amr_neo4j.domain.video import Filmed, Relocated
from amr_neo4j.domain.views import (
    AnalyticsRow,
    ClipView,
    Count,
    EventView,
    GroupView,
    KnownObject,
    KnownPerson,
    LifecycleStep,
    ObjectView,
    PersonView,
    Said,
    SessionView,
    Stats,
    Then,
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
    from amr_neo4j.domain.alert import Alert, AlertMatch, AlertStatus
    from amr_neo4j.domain.belief import Consolidated, FactMeasures, FactView
    from amr_neo4j.domain.event import Event
    from amr_neo4j.domain.exploration import Exploration
    from amr_neo4j.domain.fact import EmbeddingState, Fact
    from amr_neo4j.domain.live import ClipReceipt, OnLag, SourceStatus
    from amr_neo4j.domain.mention import Mention, Relation
    from amr_neo4j.live_chat.session import LiveChat
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.store.integrity import Integrity
    from amr_neo4j.store.write.fact_upkeep import FactRun

_log = logging.getLogger(__name__)
_WHO = "amr chat sessions lists the speakers, amr persons the persons"


class Memory:
    """Long-term memory of one group, in one Neo4j database.

    >>> with Memory.open(group="home") as m:
    ...     m.ingest("kitchen.mp4")
    ...     print(m.ask("Where are the keys?").text)

    Methods that reach the database raise StoreUnavailable and StoreDenied. Any number of threads may use a Memory at
    once (docs/threads.md). `for_user` and `group` return views for other users and groups.

    settings: the loaded settings.
    group_id: the group.
    uri: the address of the database.
    """

    def __init__(self, settings: Settings, database: Database, notify: Notify = _log.warning) -> None:
        """Not called directly; see `open` and `connect`. The database is closed with the memory."""
        self.settings = settings
        self.group_id = settings.group
        self.uri = database.uri
        self._parts = Parts(settings, database, notify)
        self._is_view = False

    @classmethod
    def open(cls, settings: Settings | None = None, *, notify: Notify = _log.warning, **arguments: Any) -> Memory:
        """Connect to the database and bring its schema up to date.

        If the database is unreachable but this machine has used it before, the memory still opens, and turns wait in
        the spool.

        notify: receives messages for the user: outages of the database during an ingest, what is still waiting on
            this machine, and which model is about to be called at what cost.
        arguments: settings by name (group, neo4j_uri, embedder ...).
        Raises ConfigError, DatabaseError, StoreUnavailable, StoreDenied, MigrationError.
        """
        settings = settings or load(**arguments)
        # A local database that is stopped counts as an outage: turns are still accepted, and wait.
        memory = cls(settings, open_database(settings, stopped=True), notify)
        try:
            memory._parts.prepare()
        # Also on Ctrl-C: the parts that were opened may hold files and threads.
        except BaseException:
            memory.close()
            raise
        return memory

    @classmethod
    def connect(cls, settings: Settings, notify: Notify = _log.warning) -> Memory:
        """Connect without changing the schema, for diagnosis and for migrating by hand. Otherwise like `open`."""
        return cls(settings, open_database(settings), notify)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files and connections. Indexes that have changed enough are saved first. Safe to repeat.

        Closing a view of `for_user` or `group` does nothing: it is closed with the memory that it is of.
        """
        if not self._is_view:
            self._parts.close()

    # --- views, for programs with many users

    @checked
    def for_user(self, user_id: args.Called) -> Memory:
        """Return this memory with another user in place of the settings'; an empty user_id: without one.

        >>> m.for_user("anna").ask("Where do I live?")

        A view takes microseconds, and shares connections, models and indexes with this memory.
        Raises InputError: the user_id is too long.
        """
        return self._view(user=user_id)

    @checked
    def group(self, group_id: args.Called) -> Memory:
        """Return the memory of another group, without a user. It is otherwise like `for_user`.

        The first view of a group commits its turns that wait on this machine. Each group whose conversations are used
        has two threads.
        Raises InputError: the group_id is empty or too long.
        """
        if not group_id:
            raise InputError("the group has no name", hint="name one, like home")
        view = self._view(group=group_id, user="")
        view._parts = self._parts.of_group(group_id)
        return view

    def _view(self, **changed: str) -> Memory:
        for name, value in changed.items():
            if len(value) > LONGEST_NAME:
                raise InputError(f"the {name} has {len(value)} characters", hint=f"use at most {LONGEST_NAME}")
        view = copy(self)
        view.settings, view._is_view = self.settings.model_copy(update=changed), True
        view.group_id = view.settings.group
        return view

    # --- videos in

    @checked
    def ingest(
        self,
        *places: args.OneOfFiles,
        video_id: args.Text = "",
        place: args.Text = "",
        recorded_at: args.Clock = None,
        timezone: args.Zone = "",
        wearer: args.Called = "",
        retry_failed: args.Flag = False,
        skip_failed: args.Flag = False,
        any_group: args.Flag = False,
        on_lag: args.Lag = "wait",
        wait: args.Flag = False,
        precut: args.Flag = False,
        follow: args.Flag = False,
        found: args.Flag = False,
        on: args.Workers = "",
        asked_at: args.Clock = None,
        stop: args.StopEvent = None,
        watch: args.Function[Watch] = lambda progress: None,
    ) -> IngestReport:
        """Take in videos and JSON-lines files, by name, folder or glob.

        Clips that are committed already are skipped.

        A place can also be a live source: the URL of a stream (docs/live.md lists the protocols), a device such as
        /dev/video0, or - for a film on standard input. Several live sources run side by side until they end or
        Ctrl-C.

        video_id: for a single video.
        place: where the videos were filmed; videos of one place share their objects.
        recorded_at: wall clock of second 0; by default the date in the file's name, else its creation_time.
        timezone: IANA time zone of the camera (Europe/Berlin), whose days questions mean; by default that of the
            place in the setting place_timezones, else the setting timezone. JSON lines may name their own.
        wearer: the name of whoever wears the camera, who is "I" and "me" in captions; by default the setting wearer.
        retry_failed: try failed clips again, including those that were given up.
        skip_failed: give up clips that fail or have failed.
        any_group: also accept JSON lines that name another group.
        on_lag: what to do if a live source is faster than the analysis: `wait` (pause the source), `drop` (the oldest
            clips) or `sample` (drop every second clip).
        wait: search for each clip after its commit until it is found (IngestReport.first_hit_s). Clips of live
            sources are always searched for.
        precut: the files of a folder or playlist are clips of one video. Their names or the playlist give their
            times.
        follow: take in a file while it grows.
        found: the files were discovered in a folder, as by `watch`, rather than named: forgotten footage is not taken
            in again.
        on: run each file as a task on workers of Ray: `local`, or ray://HOST:PORT (docs/scale.md).
        asked_at: when this was originally requested, if earlier: footage forgotten after that stays forgotten.
        stop: set to end live sources. What was recorded is still completed.
        watch: called after every clip; with Ray, when the clip's file is done.

        If one of several files cannot be taken in, the report has it as rejected, and the others go on. A clip that
        cannot be analysed counts as failed, is kept for later, and stops no other clip. During an outage of the
        database, this waits at most settings.store_wait_sec.
        Raises InputError, NoSuchFile, ToolError, ModelMissing, StoreUnavailable. Raises SourceLost: the only live
        source was lost. What was committed before an error stays.
        """
        how = IngestOptions(
            video_id=video_id,
            place=place,
            recorded_at=recorded_at,
            timezone=timezone,
            wearer=wearer,
            retry_failed=retry_failed,
            skip_failed=skip_failed,
            any_group=any_group,
            on_lag=cast("OnLag", on_lag),  # checked by `checked`
            wait=wait,
            precut=precut,
            follow=follow,
            found=found,
            asked_at=asked_at,
            stop=stop,
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
        """Analyse and take in clips that were cut beforehand. Each is committed before the next one is requested.

        If a clip's file cannot be used, the report has the clip as rejected.

        clips: {"uri": file, "t_start": seconds, "t_end": seconds, "video_id": ...}, with any other keys that JSON
            lines of such clips may have (docs/clip-analyses.md). The given times are kept.
        retry_failed, skip_failed, watch: as for `ingest`.
        """
        from amr_neo4j.app.ingesting import as_line

        how = IngestOptions(retry_failed=retry_failed, skip_failed=skip_failed)
        return self._parts.ingesting.lines(self.group_id, map(as_line, clips), "clips", watch, how)

    @checked
    def ingest_lines(
        self,
        lines: args.Lines,
        *,
        name: args.Words = "lines",
        any_group: args.Flag = False,
        timezone: args.Zone = "",
        below: args.Folders = None,
        found: args.Flag = False,
        watch: args.Function[Watch] = lambda progress: None,
    ) -> IngestReport:
        """Take in clips, one JSON object a line, with or without an analysis.

        The clips of a list share transactions. Of another iterable, such as a pipe, each is committed before the next
        is read, and what was forgotten stays so.

        name: the name of the source in the report.
        any_group: also accept lines that name another group.
        timezone: as for `ingest`.
        below: clips without an analysis may only be files in these folders, for lines of strangers; by default any.
        found: what was forgotten stays so, also for a list, whose clips are taken in again by default. An item of a
            camera system that was forgotten is not, since its lines come again whenever more is known.
        """
        is_pipe = not isinstance(lines, Sequence)
        how = IngestOptions(any_group=any_group, timezone=timezone, below=below, found=found or is_pipe)
        return self._parts.ingesting.lines(self.group_id, lines, name, watch, how)

    @checked
    def receipts(
        self,
        video_id: args.Text = "",
        *,
        limit: args.Limit = 1000,
        cursor: args.Text = "",
        wait_s: args.Patience = 0.0,
    ) -> Page[ClipReceipt]:
        """Return what became of the latest clips of a video, or of the group, in order of time.

        limit: the most receipts.
        cursor: Page.next of the page before, which this one's receipts are older than.
        wait_s: wait at most this long until none of them is still waiting for analysis or commit.
        """
        asked = self._asked(limit, cursor, "receipts", video_id)
        return self._parts.receipts.of(self.group_id, video_id, asked, wait_s=wait_s)

    @checked
    def status(self, *, every: args.Flag = False, from_disk: args.Flag = False) -> list[SourceStatus]:
        """Return the state of the latest recording of each live source on this machine.

        every: of all recordings.
        from_disk: do not ask the database, so that clips are counted by this machine alone.
        """
        return self._parts.receipts.status(self.group_id, every=every, from_disk=from_disk)

    @checked
    def watch(
        self,
        *places: args.OneOfFiles,
        place: args.Text = "",
        timezone: args.Zone = "",
        poll_s: args.Interval = 2.0,
        settle_s: args.Interval = 5.0,
        stop: args.StopEvent = None,
        watch: args.Function[Watch] = lambda progress: None,
    ) -> IngestReport:
        """Take in the files of folders, and files that appear later, until `stop` is set or Ctrl-C.

        A file is taken in once it has not changed for settle_s seconds. Folders are checked every poll_s seconds.
        Instead of folders, `places` may be one MQTT broker of a camera system: mqtt://host/frigate (docs/cameras.md).
        place, timezone, watch: as for `ingest`.
        Raises NoSuchFile: one of the folders does not exist. Raises SourceLost: the broker refuses the user.
        """
        from amr_neo4j.app.watching import Pace
        from amr_neo4j.media.mqtt import is_broker

        if brokers := [str(each) for each in places if is_broker(each)]:
            if len(places) > 1 or place:
                raise InputError("a broker is watched by a process of its own", hint="name it alone, without a place")
            messages = self._parts.camera_messages
            return messages.watch(self.group_id, brokers[0], watch, stop or threading.Event(), timezone=timezone)
        how, pace = IngestOptions(place=place, timezone=timezone), Pace(poll_s, settle_s)
        end = stop or threading.Event()
        return self._parts.ingesting.watch(self.group_id, places, how, pace=pace, watch=watch, stop=end)

    # --- alerts

    @checked
    def keep_alert(self, question: args.Words, *, exec: args.Text = "", webhook: args.Text = "") -> Alert:
        """Store a question that is tried against each clip committed from now on, by any process.

        `deliver_alert` does the matching and the delivery. Without a command and a webhook, what matches waits
        for `alert_matches` and `acknowledge_alert`.

        exec: a command that gets the evidence as JSON on its standard input. It runs without a shell.
        webhook: an http(s) address to which the evidence is posted.
        Raises InputError.
        """
        return self._parts.alerts.keep(self.group_id, question, command=exec, webhook=webhook)

    @checked
    def deliver_alert(self, alert: args.KeptAlert) -> tuple[int, int]:
        """Match what was committed since the last call, and send the deliveries that are due.

        Returns (clips that match, deliveries sent). A delivery that is not acknowledged (exit code 0, or HTTP 2xx) is
        due again after 1 s, 2 s ... 5 min.
        """
        return self._parts.alerts.deliver(alert)

    @checked
    def alert_matches(
        self, alert_id: args.Text, *, limit: args.Limit = 100, cursor: args.Text = ""
    ) -> Page[AlertMatch]:
        """Match what was committed since the last call, and return what nobody has acknowledged, the oldest first.

        limit: the most matches.
        cursor: Page.next of the page before, if nothing of that one was acknowledged.
        Raises NotInMemory if there is no such alert.
        """
        return self._parts.alerts.waiting(
            self.group_id, alert_id, self._asked(limit, cursor, "alert_matches", alert_id)
        )

    @checked
    def acknowledge_alert(self, alert_id: args.Text, video_id: args.Text, clip_id: args.Text) -> None:
        """Note that a match was received, so that it is not returned or delivered again. Safe to repeat.

        Raises NotInMemory if there is no such alert, or it has no match in this clip.
        """
        self._parts.alerts.acknowledge(self.group_id, alert_id, video_id, clip_id)

    @checked
    def alone(self, alerts: args.KeptAlerts) -> AbstractContextManager[None]:
        """Return a context manager that keeps other processes from delivering these alerts.

        Raises InputError: another process delivers one of them.
        """
        return self._parts.alerts.alone(alerts)

    @checked
    def alerts(self) -> list[AlertStatus]:
        """Return the group's alerts that are stored on this machine, with what was delivered."""
        return self._parts.alerts.spool.status(self.group_id)

    @checked
    def remove_alert(self, alert_id: args.Text) -> None:
        """Delete an alert. Raises NotInMemory if there is none with this id."""
        self._parts.alerts.remove(self.group_id, alert_id)

    # --- films that moved

    @checked
    def relocate(
        self, old: args.FileOrFolder, new: args.FileOrFolder, *, dry_run: args.Flag = False
    ) -> list[Relocated]:
        """Store that a film, or all films of a folder, are at another path. No file is moved.

        A film whose fingerprint differs, or that is not there, keeps its old path: `left` says why.
        dry_run: only look.
        Raises NotInMemory: memory refers to no file at or below `old`.
        """
        from amr_neo4j.app.relocating import relocate

        return relocate(self._parts.writer(), self.group_id, Path(old), Path(new), dry_run=dry_run)

    # --- footage forgotten

    @checked
    def forget_videos(
        self,
        *,
        video_id: args.Text = "",
        person: args.Called = "",
        before: args.Clock = None,
        older_than_days: args.Days = None,
        clip_id: args.Text = "",
        event: args.OptionalNodeId = None,
        dry_run: args.Flag = False,
        scrub: args.Flag = False,
    ) -> ForgottenFootage:
        """Forget the footage that all given arguments apply to, as if it had never been taken in.

        See docs/forgetting.md. A folder or `watch` does not bring it back; naming the file does.
        clip_id: forget this clip of the video.
        event: forget this event, by its number; its clip stays.
        person: forget the events that involve this person, given by name, description or id. Their clips stay.
        before, older_than_days: forget clips that ended by then, by the wall clock of their video; if that is
            unknown, clips that memory took in by then.
        dry_run: only count.
        scrub: also overwrite the freed space on the database's disk.
        Returns what was removed. After an interruption, call it again.
        Raises InputError: nothing was named, or several videos have such a person, or `event` or `clip_id` was given
        together with an argument that it excludes. Raises NotInMemory: there is no such video, clip, event or person,
        and nothing was removed.
        """
        return self._parts.forgetting_footage.forget_named(
            self.group_id,
            video_id=video_id,
            person=person,
            before=before,
            older_than_days=older_than_days,
            clip_id=clip_id,
            event=event,
            dry_run=dry_run,
            overwrite=scrub,
        )

    @checked
    def forget_group(self, *, dry_run: args.Flag = False, scrub: args.Flag = False) -> ForgottenGroup:
        """Forget everything that the group holds: footage, and the conversations and facts of all its users.

        Afterwards the group can be given another embedder. Arguments and errors are those of `forget_videos`.
        """
        from amr_neo4j.app.forgetting import forget_group

        parts = self._parts
        places = (parts.forgetting_footage, parts.forgetting_conversations)
        return forget_group(self.group_id, *places, dry_run=dry_run, overwrite=scrub)

    @checked
    def forget_expired(self, *, dry_run: args.Flag = False, scrub: args.Flag = False) -> ForgottenGroup:
        """Forget data older than the settings retention_days, chat_retention_days and fact_retention_days.

        See docs/forgetting.md. Arguments are those of `forget_videos`.
        """
        from amr_neo4j.app.forgetting import forget_expired

        parts = self._parts
        places = (parts.forgetting_footage, parts.forgetting_conversations)
        return forget_expired(self.group_id, *places, dry_run=dry_run, overwrite=scrub)

    # --- exports

    @checked
    def export(self, file: args.FileOrStream, *, user_id: args.Called = "", vectors: args.Flag = False) -> Exported:
        """Write all that the group holds, or one user of it, to a file that `import_export` takes in (docs/scale.md).

        file: a name, packed by gzip if it ends in .gz; or a binary stream that is open for writing. A named file
            appears when it is whole.
        user_id: only this user's conversations and facts, without the group's videos.
        vectors: also write the embeddings, so that the import need not compute them.
        Raises NotInMemory if there is nothing to export. Raises InputError if the file exists.
        """
        return self._parts.transferring.export(self.group_id, user_id, file, vectors=vectors)

    @checked
    def import_export(
        self,
        file: args.FileOrStream,
        *,
        user_id: args.Called = "",
        any_group: args.Flag = False,
        reembed: args.Flag = False,
        asked_at: args.Clock | None = None,
    ) -> Imported:
        """Take in what `export` wrote, into this group, which must be empty, or must not know the exported user.

        The checksum is verified before anything is written. If the import is interrupted, the next one of the same
        file completes it; repeating a complete one changes nothing.
        user_id: whose memory the export of a user becomes; by default the same user's.
        any_group: also accept the export of a group of another name.
        reembed: if the settings' embedder is another than the export's, embed everything anew.
        asked_at: when this was asked for, if that was earlier. What was forgotten since stays forgotten.
        Raises InputError: the file is no export, is damaged, or is of another version or group; or there is
        something already. Raises EmbedderMismatch, NoSuchFile.
        """
        transferring = self._parts.transferring
        how = {"any_group": any_group, "reembed": reembed}
        return transferring.import_export(self.group_id, user_id, file, **how, asked_at=asked_at)

    @checked
    def unfinished_import(self) -> bool:
        """Return whether an import into the group was interrupted. `import_export` of the same file completes it."""
        return self._parts.transferring.unfinished(self.group_id)

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
        """Answer a question with citations. `found` is False if memory does not have the answer.

        >>> for cited in m.ask("Where are the keys?").citations:
        ...     print(cited.label, cited.source, cited.start, cited.end)

        If the settings choose a provider, its models classify the question, judge candidates and word the answer.

        notify: called with each claim of the answer as it comes.
        look: if memory has no answer, cut at most this many segments out of the videos and look at them (see
            `explore`). What is found is kept as events and cited like any other.
        bounds: where to look; by default the whole group.
        Raises InputError: the question is empty or a bound is invalid. Raises NotInMemory: the group is empty, or a
        video is not there. Raises EmbedderMismatch, ModelDenied, NoSuchModel.
        """
        scope = self._bounds(bounds)
        answer = self._parts.asking().ask(self.group_id, question, scope, notify)
        if answer.found or not look:
            return answer
        from amr_neo4j.wiring.explorer import open_explorer

        explorer = open_explorer(self.settings, self._parts.ledger, max_looks=look)
        return self._parts.exploring.look_further(self.group_id, answer, scope, explorer, notify)

    @checked
    def search(
        self,
        text: args.Words,
        *,
        limit: args.Limit = 10,
        cursor: args.Text = "",
        order: args.Order = "fit",
        all: args.Flag = False,
        **bounds: Unpack[args.Bounds],
    ) -> Page[Hit]:
        """Return the events that fit a text, best first: by words, by meaning and by their neighbours.

        The first hits in a long video are of different scenes, 45 s apart. The list ends where hits no
        longer bear on the text (docs/questions.md), unless the bounds name videos or sessions.

        limit: the most events.
        cursor: Page.next of the page before.
        order: of the page: "fit" (best first), "time" (earliest first) or "latest". The same events are found; in an
            order of time, one that says what the one before it says is only named (Hit.repeats).
        all: do not end the list early: return `limit` events if there are that many.
        bounds: as for `ask`.
        """
        scope = self._bounds(bounds)
        asked = self._asked(limit, cursor, "search", text, all, sorted(scope.items()))
        asking = self._parts.asking()
        return asking.search(self.group_id, text, asked, scope, order=order, uncut=all)

    @checked
    def context(
        self, question: args.Words, *, tokens: args.Tokens = 2000, **bounds: Unpack[args.Bounds]
    ) -> MemoryContext:
        """Return what memory holds about a question, as text for a language model of your own.

        >>> prompt = f"{m.context('Where are the keys?')}\n\nWhere are the keys?"

        The text has the stretches of film and talk around the best hits, in order of time, and each line begins with
        its citation. `cited` returns the event of a line's citation. The same is what `ask` sends to an answer model.
        It is empty if nothing in memory fits.

        Text in it may come from strangers: lines that read like an instruction to a model are marked.

        tokens: of the whole text, at most, by an estimate.
        bounds: as for `ask`.
        """
        return self._parts.asking().context(self.group_id, question, tokens, self._bounds(bounds))

    @checked
    def warm_up(self) -> None:
        """Load what the first question would otherwise wait for: embedder, index and the server's query plans.

        For programs that stay open. Afterwards the garbage collector skips all objects that exist by then
        (gc.freeze); otherwise its runs would delay questions. Calls no paid model. Raises StoreUnavailable,
        ModelMissing.
        """
        # Embedding with a provider would be a paid call.
        embeds = self.settings.embedder != "api"
        self._parts.asking().warm_up(self.group_id, self.settings.user, embeds=embeds)

    @checked
    def search_memory(
        self,
        query: args.Words,
        search_type: args.MemoryKind = "both",
        limit: args.Limit = 5,
        *,
        user_id: args.Called = "",
        as_of: args.Clock = None,
        known_at: args.Clock = None,
        cursor: args.Text = "",
    ) -> Page[Recalled]:
        """Search what is believed and what happened, best first. Meant as a tool for a model.

        Each result has text, confidence, timestamp and source.

        query: natural language.
        search_type: "facts", "episodes" (turns of conversations and events of videos) or "both".
        limit: the most results. There are fewer if relevance falls off.
        user_id: whose facts and conversations to search; by default the settings' user. Without a user only videos
            are searched.
        as_of: only what had been said or had happened, and was believed, by then.
        known_at: only what memory had learnt by then. Confidence is that of now.
        cursor: Page.next of the page before.
        Raises InputError: the query has no words. Raises EmbedderMismatch, ModelDenied, NoSuchModel.
        """
        # Not `_user`, which raises: without a user, videos are still searched.
        user = user_id or self.settings.user
        searching = self._parts.searching()
        moment = str(as_of), str(known_at)
        asked = self._asked(limit, cursor, "search_memory", user, query, search_type, *moment)
        scope = Scope(self.group_id, user_id=user, as_of=as_of, known_at=known_at)
        return searching.search(scope, query, asked, search_type=search_type)

    @checked
    def note_search(self, *, found: args.Flag, user_id: args.Called = "") -> None:
        """Count a search of a model whose reply memory does not see, for `fact_measures`.

        A live conversation counts by itself the tool messages that `LiveChat.inject` is given.
        found: whether the search had results.
        """
        user = user_id or self.settings.user
        self._parts.use_notes().searched(self.group_id, user, found=found)

    @checked
    def cited(self, citation: args.Cited, *, user_id: args.Called = "") -> Event:
        """Return the event that an answer cites. A cited turn of a conversation is returned as an event as well.

        user_id: whose conversation it is; by default the settings' user.
        Raises NotInMemory if it was forgotten, or merged into another event since (`event` still returns that one).
        """
        # Only turns belong to a user.
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

        source: a file, or the video_id of an ingested video. If it is in memory, the ranges that fit the question
            come first.
        video_id: as for `ingest`.
        Raises InputError, NoSuchFile, ToolError, ConfigError, ModelDenied, NoSuchModel, ModelMissing. The tree has
        what was explored before an error.
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
    def event(
        self,
        node_id: args.NodeId,
        *,
        vector: args.Flag = False,
        as_of: args.Time = None,
        known_at: args.Clock = None,
    ) -> EventView:
        """Return an event of a video with its persons, uses and edges.

        vector: also its embedding.
        as_of, known_at: as for `ask`; edges to later events are left out.
        Raises NotInMemory if there is no such event, or not by then.
        """
        return self._parts.browse.event(node_id, vector=vector, then=Then(as_of, known_at))

    @checked
    def clips(
        self,
        clip_id: args.Text,
        video_id: args.OptionalText = None,
        *,
        as_of: args.Time = None,
        known_at: args.Clock = None,
        limit: args.Limit = 100,
        cursor: args.Text = "",
    ) -> Page[ClipView]:
        """Return the receipts of a clip id with their events, one for each video that has it. Raises NotInMemory.

        as_of, known_at: as for `video`.
        limit: the most receipts.
        cursor: Page.next of the page before.
        """
        asked = self._asked(limit, cursor, "clips", clip_id, video_id, str(as_of), str(known_at))
        return self._parts.browse.clips(clip_id, video_id, asked, Then(as_of, known_at))

    @checked
    def around(
        self,
        node_id: args.NodeId,
        *,
        before_s: args.Interval = 60.0,
        after_s: args.Interval = 60.0,
        as_of: args.Time = None,
        known_at: args.Clock = None,
    ) -> list[Event]:
        """Return the events of a video around one of its events, itself included, in order of time.

        before_s, after_s: how many seconds before its start and after its end.
        as_of, known_at: as for `ask`.
        Raises NotInMemory if there is no such event, or not by then.
        """
        bounds: args.Bounds = {"as_of": as_of, "known_at": known_at}
        return self._parts.asking().around(self.group_id, node_id, Margin(before_s, after_s, 0), bounds)

    @checked
    def video(
        self,
        video_id: args.Text,
        limit: args.Limit = 1000,
        *,
        since: args.Second = None,
        until: args.Second = None,
        as_of: args.Time = None,
        known_at: args.Clock = None,
        cursor: args.Text = "",
    ) -> VideoView:
        """Return a video with its counts and at most `limit` of its events, in order of time. Raises NotInMemory.

        since, until: only the events that overlap this span, in seconds of the video.
        as_of, known_at: as for `ask`; a video of which memory had nothing by then is not there. A clip that was
            amended counts from its last amendment on.
        cursor: VideoView.next of the page before.
        """
        asked = self._asked(limit, cursor, "video", video_id, since, until, str(as_of), str(known_at))
        return self._parts.browse.video(video_id, asked, since=since, until=until, then=Then(as_of, known_at))

    @checked
    def transcript(
        self,
        video_id: args.Text,
        *,
        since: args.Second = None,
        until: args.Second = None,
        as_of: args.Time = None,
        known_at: args.Clock = None,
        limit: args.Limit = 1000,
        cursor: args.Text = "",
    ) -> Page[Said]:
        """Return what is said in a video, in order of time. Raises NotInMemory.

        since, until, as_of, known_at: as for `video`.
        limit: the most turns.
        cursor: Page.next of the page before.
        """
        asked = self._asked(limit, cursor, "transcript", video_id, since, until, str(as_of), str(known_at))
        then = Then(as_of, known_at)
        return self._parts.browse.transcript(video_id, asked, since=since, until=until, then=then)

    @checked
    def videos(
        self,
        limit: args.Limit = 1000,
        *,
        as_of: args.Time = None,
        known_at: args.Clock = None,
        cursor: args.Text = "",
    ) -> Page[VideoView]:
        """Return the videos of the group, in the order of their ids.

        as_of, known_at: as for `video`.
        cursor: Page.next of the page before.
        """
        asked = self._asked(limit, cursor, "videos", str(as_of), str(known_at))
        return self._parts.browse.videos(asked, Then(as_of, known_at))

    @checked
    def known_persons(
        self,
        limit: args.Limit = 1000,
        *,
        begins: args.Called = "",
        as_of: args.Time = None,
        known_at: args.Clock = None,
        cursor: args.Text = "",
    ) -> Page[KnownPerson]:
        """Return the known persons with counts and when they were last seen, those with most events first.

        Names that were only said are left out; `persons` finds them.
        begins: only those whose names begin like this, in whatever case.
        as_of, known_at: as for `ask`; persons who were in no event by then are left out.
        cursor: Page.next of the page before.
        """
        asked = self._asked(limit, cursor, "persons", begins, str(as_of), str(known_at))
        return self._parts.browse.known_persons(asked, begins, Then(as_of, known_at))

    @checked
    def known_objects(
        self,
        limit: args.Limit = 1000,
        *,
        begins: args.Called = "",
        as_of: args.Time = None,
        known_at: args.Clock = None,
        cursor: args.Text = "",
    ) -> Page[KnownObject]:
        """Return the known objects with counts and when they were last seen, those used most first.

        begins, as_of, known_at: as for `known_persons`.
        cursor: Page.next of the page before.
        """
        asked = self._asked(limit, cursor, "objects", begins, str(as_of), str(known_at))
        return self._parts.browse.known_objects(asked, begins, Then(as_of, known_at))

    @checked
    def filmed(self, node_id: args.NodeId) -> Filmed:
        """Return where an event was filmed, and whether the file is still there. Raises NotInMemory."""
        return self._parts.showing.filmed(self.group_id, node_id)

    @checked
    def save_picture(
        self,
        node_id: args.NodeId,
        file: args.FileName,
        *,
        second: args.Second = None,
        width: args.Pixels = 1280,
        boxes: args.Flag = True,
    ) -> Filmed:
        """Write a picture of an event (.jpg, .png), at most `width` pixels wide. boxes: draw its boxes into it.

        second: of the video; by default the one with most of the event's boxes, or its middle if it has none.
        Raises NotInMemory. Raises NoSuchFile: the film is gone or replaced. Raises InputError: another format. Raises
        ToolError.
        """
        showing, to = self._parts.showing, Path(file)
        return showing.save_picture(self.group_id, node_id, to, second=second, width=width, draws=boxes)

    @checked
    def save_clip(self, node_id: args.NodeId, file: args.FileName, *, width: args.Pixels = 1280) -> Filmed:
        """Write the excerpt of the film that shows an event (.mp4), with a second before and after it.

        Raises the same errors as `save_picture`.
        """
        return self._parts.showing.save_clip(self.group_id, node_id, Path(file), width=width)

    @checked
    def save_latest_picture(self, video_id: args.Text, file: args.FileName, *, width: args.Pixels = 1280) -> None:
        """Write the last picture that was recorded of a live source. video_id: of its recording, as in `status`.

        Raises NoSuchFile: none of its films is on this machine. Raises InputError: another format. Raises ToolError.
        """
        self._parts.showing.save_latest_picture(self.group_id, video_id, Path(file), width=width)

    @checked
    def film(self, video_id: args.Text) -> Path:
        """Return the file of a video, for showing it whole.

        Raises NotInMemory. Raises NoSuchFile: it is gone, was replaced, or came in as clips. Raises InputError: parts
        of its picture are blacked out wherever memory shows it (docs/cameras.md).
        """
        return self._parts.showing.film(self.group_id, video_id)

    @checked
    def persons(
        self,
        name: args.Words,
        limit: args.Limit = 50,
        *,
        events: args.Limit = 50,
        as_of: args.Time = None,
        known_at: args.Clock = None,
        cursor: args.Text = "",
    ) -> Page[PersonView]:
        """Return the persons with a name, description or id. Raises NotInMemory.

        A name is one person of the group; a description is one of each video.
        limit: the most persons.
        events: the most events of each; PersonView.times counts all.
        as_of, known_at: as for `ask`.
        cursor: Page.next of the page before.
        """
        person_id = self._parts.language.person_key(name).person_id
        asked = self._asked(limit, cursor, "person", person_id, str(as_of), str(known_at))
        return self._parts.browse.persons(person_id, events, asked, Then(as_of, known_at))

    @checked
    def objects(
        self,
        name: args.Words,
        limit: args.Limit = 50,
        *,
        events: args.Limit = 50,
        as_of: args.Time = None,
        known_at: args.Clock = None,
        cursor: args.Text = "",
    ) -> Page[ObjectView]:
        """Return the objects with a name in any form, one of each place. Raises NotInMemory.

        limit: the most objects.
        events: the most uses of each; ObjectView.times counts all.
        as_of, known_at: as for `ask`.
        cursor: Page.next of the page before.
        """
        key = self._parts.language.object_key(name)
        asked = self._asked(limit, cursor, "object", key, str(as_of), str(known_at))
        return self._parts.browse.objects(key, events, asked, Then(as_of, known_at))

    @checked
    def lifecycle(
        self,
        name: args.Words,
        *,
        as_of: args.Time = None,
        known_at: args.Clock = None,
        limit: args.Limit = 1000,
        cursor: args.Text = "",
    ) -> Page[LifecycleStep]:
        """Return what happened to an object, given by any form of its name, in order of time. Raises NotInMemory.

        as_of, known_at: as for `ask`.
        limit: the most steps.
        cursor: Page.next of the page before.
        """
        key = self._parts.language.object_key(name)
        asked = self._asked(limit, cursor, "lifecycle", key, str(as_of), str(known_at))
        return self._parts.browse.lifecycle(key, asked, Then(as_of, known_at))

    @checked
    def counts(
        self,
        by: args.CountedBy,
        *,
        as_of: args.Time = None,
        known_at: args.Clock = None,
        limit: args.Limit = 50,
        cursor: args.Text = "",
    ) -> Page[Count]:
        """Return in how many events each person, object, place or day is; the most first, days in their order.

        by: `person`, `object`, `place` or `day` (of the time zone whose days questions mean).
        as_of, known_at: as for `ask`.
        limit, cursor: as for `known_persons`.
        """
        asked = self._asked(limit, cursor, "counts", by, str(as_of), str(known_at))
        zone = self._parts.asking().zone_of_days(self.group_id)
        return self._parts.browse.counts(by, zone, asked, Then(as_of, known_at))

    @checked
    # `name` is positional only, so that a query may have a parameter called name.
    def analytics(
        self, name: args.Words, /, *, limit: args.Limit = 1000, cursor: args.Text = "", **params: Any
    ) -> Page[AnalyticsRow]:
        """Return the rows of cypher/analytics/<name>.cypher for this group: `analytics("hand_overs")`.

        params: replace the query's default values. An object or person may be given in any form of its name.
        limit: the most rows.
        cursor: Page.next of the page before.
        Raises InputError: no such name, parameter or value.
        """
        from amr_neo4j.app.showing import analytics

        asked = self._asked(limit, cursor, "analytics", name, sorted(params.items()))
        return analytics(self._parts.browse, self._parts.language, name, params, asked)

    @staticmethod
    def analyses() -> list[Analysis]:
        """Return the queries that `analytics` can run."""
        return analyses()

    @checked
    def groups(
        self, *, among: args.AllCalledOrNone = None, limit: args.Limit = 1000, cursor: args.Text = ""
    ) -> Page[GroupView]:
        """Return the groups of the database that hold something, with counts, in the order of their names.

        among: of these alone.
        limit: the most groups.
        cursor: Page.next of the page before.
        """
        names = None if among is None else sorted(among)
        return self._parts.browse.groups(PageRequest.of(limit, cursor, "groups", names), names)

    @checked
    def stats(self) -> Stats:
        """Return how much the group holds, and what models cost for it."""
        return self._parts.browse.stats()

    @property
    def is_away(self) -> bool:
        """Whether the database was away when turns were last committed, so that live turns wait on this machine."""
        chats = self._parts.live_chats.if_made()
        return bool(chats and chats.is_away)

    @property
    def ledger(self) -> Ledger:
        """The record of this memory's model calls, with tokens and cost."""
        return self._parts.ledger

    @checked
    def digest(self) -> Digest:
        """Return a hash over everything that the group holds.

        Two groups that took in the same have the same hash, in whatever order and however often they took it in.
        """
        return digest(self._parts.database, self.group_id)

    # --- persons

    @checked
    def merge_persons(
        self,
        one: args.Called,
        other: args.Called,
        *,
        video: args.Text = "",
        other_video: args.Text = "",
        dry_run: args.Flag = False,
    ) -> int:
        """Merge a person into another, each given by name, description or external id.

        Returns how many events moved.

        All edges follow, also those of clips that are taken in later. The words of the analyses stay.
        video, other_video: which person is meant if several videos have one of this description.
        dry_run: only count the events that would move.
        Raises NotInMemory. Raises InputError if they are merged already, or `one` is merged into somebody else.
        """
        person_key = self._parts.language.person_key
        # The key of any words for a person is the person_id, so a name, a description and an id all work.
        who = person_key(one).person_id, person_key(other).person_id
        return self._parts.merger.merge(*who, video, other_video, dry_run=dry_run)

    @checked
    def name_person(
        self, one: args.Called, name: args.Called, *, video: args.Text = "", dry_run: args.Flag = False
    ) -> int:
        """Give a person whom no name is known of their name. Returns how many events moved to that name.

        `undo_merge` takes it back. If it is a voice and the setting `voices` says that the group remembers voices,
        the person is recognised by their voice in films that are taken in later.
        one: a description ("girl in a black hoodie"), an external id, or a voice ("voice 1").
        video: the video that is meant, if several have a person of this description.
        dry_run: as for `merge_persons`.
        Raises NotInMemory: there is no such person. Raises InputError: `one` is a name, `name` is none, or the person
        has a name already.
        """
        person_key = self._parts.language.person_key
        who, named = person_key(one), person_key(name)
        if who.is_name:
            raise InputError(f"{one} is a name already", hint="use: amr person merge or amr person split")
        if not named.is_name:
            raise InputError(f"{name} is not a name", hint="begin it with a capital letter")
        return self._parts.merger.merge(who.person_id, named.person_id, video, name=name, dry_run=dry_run)

    @checked
    def split_person(
        self, one: args.Called, other: args.Called, *, video: args.Text, dry_run: args.Flag = False
    ) -> int:
        """Say that a name stands for another person in one video. Returns how many events moved to that person.

        For two people of one name. It also holds for clips of the video that are taken in later. Answers name the
        other person; the stored words of the analyses stay. `undo_merge` with the video takes it back.
        one: a name or external id.
        other: who it is in the video; a new name makes a person.
        video: the id of the video.
        dry_run: as for `merge_persons`.
        Raises NotInMemory: there is no such person, or not in that video. Raises InputError: `one` is a description,
        both are one person, or it was said before who it is in that video.
        """
        key = self._parts.language.person_key
        person, into = key(one).person_id, key(other)
        name = other if into.is_name else ""
        return self._parts.merger.split(person, into.person_id, video, name=name, dry_run=dry_run)

    @checked
    def undo_merge(self, one: args.Called, *, video: args.Text = "", dry_run: args.Flag = False) -> int:
        """Undo `merge_persons`, `name_person` or `split_person`. Returns how many events moved.

        Afterwards the graph is as if it had never been made, also for clips that were taken in since.
        video, dry_run: as for `merge_persons`.
        Raises NotInMemory. Raises InputError: the person is not merged into anybody.
        """
        return self._parts.merger.undo(self._parts.language.person_key(one).person_id, video, dry_run=dry_run)

    @checked
    def tie(self, speaker: args.Called, person: args.Called, *, user_id: args.Called = "") -> None:
        """Link a speaker of a user's conversations to a person in videos, each given by name or description.

        A question that names the speaker then searches for both. Raises NotInMemory.
        """
        person_key = self._parts.language.person_key
        user, who = self._user(user_id), (person_key(speaker).person_id, person_key(person).person_id)
        if not self._parts.speaker_links.link(user, *who):
            raise NotInMemory(
                f"no speaker {speaker} in the conversations, or no person {person} in the videos", hint=_WHO
            )

    @checked
    def untie(self, speaker: args.Called, person: args.Called, *, user_id: args.Called = "") -> None:
        """Remove a link that `tie` made, or that was made because the names are equal. Raises NotInMemory."""
        person_key = self._parts.language.person_key
        user, who = self._user(user_id), (person_key(speaker).person_id, person_key(person).person_id)
        if not self._parts.speaker_links.unlink(user, *who):
            raise NotInMemory(f"there is no link between {speaker} and {person}", hint=_WHO)

    # --- conversations. user_id: by default the settings' user; InputError if neither is given

    @checked
    def remember(self, messages: args.Turns, *, user_id: args.Called = "", session_id: args.Text) -> ChatReport:
        """Take in turns of a conversation, in order: strings, or mappings with content, actor, at and other keys.

        When this returns, the accepted turns are on this machine's disk. If the database can be reached, they are
        also in the graph and can be found. Repeating a turn changes nothing. An id that is in use for other content
        is rejected in the report.
        Raises InputError: the turns are malformed, and none is taken in. Raises EmbedderMismatch.
        """
        return self._parts.remembering.remember(self.group_id, self._user(user_id), session_id, messages)

    @checked
    def import_chat(
        self, *files: args.OneOfFiles, user_id: args.Called = "", session_id: args.Text = ""
    ) -> ChatReport:
        """Take in files of conversations.

        Formats: JSON lines, OpenAI's chat format, LoCoMo's JSON, plain text, or an export. A turn that cannot be
        taken in, or one of several files, is rejected in the report, and the others go on.
        session_id: the session of files that name none; by default the file's name.
        Raises InputError: the only file holds no conversation. Raises NoSuchFile.
        """
        return self._parts.remembering.import_chat(self.group_id, self._user(user_id), session_id, files)

    @checked
    def import_episodes(self, document: args.Document, user_id: args.Called = "") -> ChatReport:
        """Take in a document that `export_episodes` returned. Repeating it changes nothing.

        Episodes with mentions count as extracted.
        Raises InputError: the document is malformed, and nothing is taken in. Raises StoreUnavailable,
        EmbedderMismatch.
        """
        return self._parts.remembering.import_episodes(self.group_id, self._user(user_id), document)

    @checked
    def export_episodes(
        self,
        user_id: args.Called = "",
        session_id: args.OptionalText = None,
        *,
        as_of: args.Clock = None,
        known_at: args.Clock = None,
        nested: args.Flag = False,
        limit: args.OptionalLimit = None,
        cursor: args.Text = "",
    ) -> dict[str, Any]:
        """Return a user's episodes, or those of one session, with mentions and relations, as a JSON document.

        as_of: only what had been said by then.
        known_at: only what memory had learnt by then.
        nested: write mentions and relations in the form with `content` and `metadata`. Import accepts both forms.
        limit: the most episodes; by default all. A page has also `total` and `next`, as Page has. An edge may name a
            node of an earlier page, so import pages in their order.
        cursor: `next` of the page before.
        """
        from amr_neo4j.conversations.export import export_episodes

        store, user = self._parts.mentions(self.group_id), self._heard(user_id)
        what = ("episodes", user, session_id, str(as_of), str(known_at))
        asked = None
        if limit is not None or cursor:
            asked = self._asked(1000 if limit is None else limit, cursor, *what)
        return export_episodes(store, user, session_id, as_of=as_of, known_at=known_at, asked=asked, nested=nested)

    @checked
    def mentions(
        self,
        *,
        user_id: args.Called = "",
        session_id: args.OptionalText = None,
        as_of: args.Clock = None,
        known_at: args.Clock = None,
        limit: args.Limit = 1000,
        cursor: args.Text = "",
    ) -> Page[Mention]:
        """Return what a user's turns, or those of one session, mention, in order of session and turn.

        as_of: only what had been said by then (valid time).
        known_at: only what memory had learnt by then (known time).
        limit: the most mentions.
        cursor: Page.next of the page before.
        """
        of = (self._heard(user_id), session_id, as_of, known_at)
        asked = self._asked(limit, cursor, "mentions", *map(str, of))
        return self._parts.mentions(self.group_id).mentions(*of, asked)

    @checked
    def relations(
        self,
        *,
        user_id: args.Called = "",
        session_id: args.OptionalText = None,
        as_of: args.Clock = None,
        known_at: args.Clock = None,
        limit: args.Limit = 1000,
        cursor: args.Text = "",
    ) -> Page[Relation]:
        """Return what a user's turns, or those of one session, state of mentions, in order of session and turn.

        as_of, known_at: as for `mentions`.
        limit: the most relations.
        cursor: Page.next of the page before.
        """
        of = (self._heard(user_id), session_id, as_of, known_at)
        asked = self._asked(limit, cursor, "relations", *map(str, of))
        return self._parts.mentions(self.group_id).relations(*of, asked)

    @checked
    def extract(
        self,
        *,
        user_id: args.Called = "",
        session_id: args.OptionalText = None,
        again: args.Flag = False,
        dry_run: args.Flag = False,
    ) -> ExtractReport:
        """Extract mentions, relations and facts from episodes, once each, in order of session and turn.

        Mentions and relations come from the model of the role `text` if a provider is chosen, else from rules. Facts
        come from the rules of live conversations. If the model fails at an episode, the next run tries it again.
        again: the model also reads what rules have read. Its mentions and relations replace theirs.
        dry_run: change nothing, and return how many episodes would be read, and the cost.
        Raises InputError, ModelDenied, NoSuchModel, CostLimit, StoreUnavailable. Raises ConfigError: there is no
        model, and no rules for the language; or there is no model to read again.
        """
        whose = self.group_id, self._user(user_id), session_id
        return self._parts.remembering.extract(*whose, again=again, dry_run=dry_run)

    @checked
    def unread_turns(self, *, user_id: args.Called = "") -> int:
        """Return how many turns of a user neither `extract` nor `consolidate` has read.

        Turns of a live conversation are counted, although their facts were read when they were said.
        """
        return self._parts.browse.unread_turns(self._heard(user_id))

    @checked
    def require_user(self, user_id: args.Called = "") -> None:
        """Check that the group knows a user. Raises NotInMemory if it has nothing of this user.

        `ask` and `search` do not check this, since an assistant may ask before its user has said anything.
        """
        from amr_neo4j.app.remembering import require_user
        from amr_neo4j.store.read.similar_names import similar_to

        user, spool = self._user(user_id), self._parts.turn_spool
        require_user(
            self._parts.database,
            self.group_id,
            user,
            waiting=lambda: spool().users(self.group_id),
            similar=similar_to,
        )

    @checked
    def sessions(
        self, *, user_id: args.Called = "", limit: args.Limit = 1000, cursor: args.Text = ""
    ) -> Page[SessionView]:
        """Return the conversations of a user, the latest first.

        limit: the most conversations.
        cursor: Page.next of the page before.
        """
        user = self._heard(user_id)
        asked = self._asked(limit, cursor, "sessions", user)
        return self._parts.conversation_reader.sessions(self.group_id, user, asked)

    @checked
    def conversation(
        self,
        session_id: args.Text,
        *,
        user_id: args.Called = "",
        since: args.Clock = None,
        as_of: args.Clock = None,
        known_since: args.Clock = None,
        known_at: args.Clock = None,
        limit: args.Limit = 1000,
        cursor: args.Text = "",
    ) -> Page[Episode]:
        """Return the turns of a conversation in order, as they stood at a moment.

        since, as_of: only turns said from and until these times.
        known_since, known_at: only turns that memory learnt of from and until these times.
        limit: the most turns.
        cursor: Page.next of the page before.
        Raises NotInMemory: the user has no such session. Raises InputError: a time has no UTC offset.
        """
        moments = {"since": since, "as_of": as_of, "known_since": known_since, "known_at": known_at}
        session = self._session(user_id, session_id)
        asked = self._asked(limit, cursor, "conversation", session, *map(str, moments.values()))
        return self._parts.conversation_reader.conversation(session, asked, **moments)

    @checked
    def forget(
        self,
        *,
        user_id: args.Called = "",
        session_id: args.Text = "",
        episode_id: args.Text = "",
        dry_run: args.Flag = False,
        scrub: args.Flag = False,
    ) -> Forgotten:
        """Forget all turns of a user, of one session, or one episode: in the graph, its indexes and on this disk.

        Everything derived from them is deleted as well. Safe to repeat.
        dry_run: only count.
        scrub: also overwrite the freed space on the database's disk (docs/forgetting.md).
        Returns what was removed.
        """
        forgetting, user = self._parts.forgetting_conversations, self._user(user_id)
        return forgetting.forget(self.group_id, user, session_id, episode_id, dry_run=dry_run, overwrite=scrub)

    @checked
    def chat(self, *, user_id: args.Called = "", session_id: args.Text) -> LiveChat:
        """Return a live conversation.

        `observe` takes each turn; `inject` adds what is known to the messages for a model.

        >>> chat = m.chat(user_id="anna", session_id="monday")
        >>> chat.observe("I live in Seattle.").understood.facts
        >>> messages = chat.inject([{"role": "user", "content": "Where do I live?"}])

        Opening a session reads what was said before. No turn waits for the database or a model. It is on this
        machine's disk when `observe` returns, and is committed in the background. `close` waits for that, at most
        five seconds. Raises InputError.
        """
        return self._parts.live_chats().chat(self._user(user_id), session_id)

    @checked
    def facts(
        self,
        *,
        user_id: args.Called = "",
        of_group: args.Flag = False,
        subject: args.Called = "",
        relation: args.Text = "",
        history: args.Flag = False,
        contradicted: args.Flag = False,
        as_of: args.Clock = None,
        known_at: args.Clock = None,
        limit: args.Limit = 100,
        cursor: args.Text = "",
    ) -> Page[Fact]:
        """Return what is believed of a user, latest first (docs/facts.md).

        of_group: what is believed of the people in the group's videos, in place of a user's facts. Their subject is
            whoever said it in a video.
        subject: "you" for the user.
        history: also return facts that are no longer believed.
        contradicted: only facts that contradict another one, until `correct_fact`, `forget_facts` or a nightly run
            settles that.
        as_of, known_at: what was believed by then, as for `search_memory`; not together with the two above.
        limit: the most facts.
        cursor: Page.next of the page before.
        Raises InputError: a moment was given together with `history` or `contradicted`; a user and the group were.
        """
        if (history or contradicted) and (as_of or known_at):
            raise InputError("history and contradictions are those of now", hint="leave out as_of and known_at")
        user, moment = self._whose(user_id, of_group=of_group), (str(as_of), str(known_at))
        asked = self._asked(limit, cursor, "facts", user, subject, relation, history, contradicted, *moment)
        return self._parts.facts.facts(
            user,
            asked,
            subject=subject or None,
            relation=relation or None,
            history=history,
            contradicted=contradicted,
            as_of=as_of,
            known_at=known_at,
        )

    @checked
    def forget_facts(
        self,
        fact_id: args.Text = "",
        *,
        user_id: args.Called = "",
        of_group: args.Flag = False,
        subject: args.Called = "",
        relation: args.Text = "",
        object: args.Called = "",
        dry_run: args.Flag = False,
        scrub: args.Flag = False,
    ) -> int:
        """Delete facts for good: one by its id; or all of a subject, those of one of its relations, or a single one.

        Returns how many.

        The turns that state them stay; `forget` deletes turns. Words are compared in lower case.
        fact_id: as for `fact`, whose errors this raises then.
        of_group: as for `facts`.
        dry_run, scrub: as for `forget`.
        Raises InputError: give either an id or a subject.
        """
        if bool(fact_id) == bool(subject):
            raise InputError("no single way to name the facts", hint="pass either fact_id or subject")
        triple = (
            self.fact(fact_id, user_id=user_id, of_group=of_group).triple
            if fact_id
            else Triple(subject, relation, object)
        )
        named = Triple(triple.subject.casefold(), triple.relation, triple.object.casefold())
        forgetting, user = self._parts.forgetting_conversations, self._whose(user_id, of_group=of_group)
        return forgetting.forget_facts(self.group_id, user, named, dry_run=dry_run, overwrite=scrub)

    @checked
    def consolidate(
        self, *, user_id: args.Called = "", at: args.Clock = None, dry_run: args.Flag = False
    ) -> Consolidated:
        """Tidy a user's facts as the nightly run does (docs/consolidation.md).

        If an earlier run was interrupted, this finishes that one.

        at: the time to do it for; by default now.
        dry_run: report what would change, without writing or calling a model.
        Raises StoreBusy: another run is under way. Raises ModelDenied, NoSuchModel.
        """
        run, moment = self._parts.consolidation(self._heard(user_id)), at or utc_now()
        return run.dry_run(moment) if dry_run else run.run(moment)

    @checked
    def consolidate_all(self, *, at: args.Clock = None, dry_run: args.Flag = False) -> list[Consolidated]:
        """Call `consolidate` for every user of the group, one after the other. Returns a report for each.

        A user whom another process is consolidating is reported as incomplete. Raises ModelDenied, NoSuchModel.
        """
        from amr_neo4j.app.nightly import consolidate_all
        from amr_neo4j.app.remembering import known_users

        if not dry_run:
            # Live recordings and cameras commit clips outside `ingest`, which reads the talk of its own.
            self._parts.group_talk.read(self.group_id)
        # Users with spooled turns alone have no facts to tidy yet.
        users = known_users(self._parts.database, self.group_id, waiting=())
        return list(consolidate_all(users, self._parts.consolidation, at or utc_now(), dry_run=dry_run))

    @checked
    def consolidations(
        self, *, user_id: args.Called = "", limit: args.Limit = 1000, cursor: args.Text = ""
    ) -> Page[FactRun]:
        """Return the runs of `consolidate` over a user's facts, the latest first.

        limit: the most runs.
        cursor: Page.next of the page before.
        """
        user = self._user(user_id)
        return self._parts.consolidation(user).runs(self._asked(limit, cursor, "consolidations", user))

    @checked
    def fact_measures(self, *, user_id: args.Called = "") -> FactMeasures:
        """Return how well a user's facts are kept and used, for example how many were merged (docs/facts.md)."""
        from amr_neo4j.app.nightly import fact_measures

        user = self._heard(user_id)
        self._parts.use_notes().flush()
        return fact_measures(self._parts.facts, user, self._parts.consolidation(user).runs())

    @checked
    def undo_consolidation(self, run_id: args.Text, *, user_id: args.Called = "", dry_run: args.Flag = False) -> int:
        """Undo a run of `consolidate` and all later ones. Returns how many changes were undone.

        The latest ten runs can be undone. What was said since stays.

        dry_run: only count.
        Raises NotInMemory if there is no such run. Raises InputError if the run is too long ago.
        """
        return self._parts.consolidation(self._user(user_id)).undo(run_id, dry_run=dry_run)

    @checked
    def fact(self, fact_id: args.Text, *, user_id: args.Called = "", of_group: args.Flag = False) -> FactView:
        """Return a fact with the turns and events that support it and its links to other facts.

        fact_id: the id, or its beginning.
        of_group: a fact of the group's videos, as for `facts`.

        Raises NotInMemory. Raises InputError: several ids begin like this.
        """
        return self._parts.corrections(self._whose(user_id, of_group=of_group)).fact(fact_id)

    @checked
    def restore_fact(self, fact_id: args.Text, *, user_id: args.Called = "", of_group: args.Flag = False) -> FactView:
        """Believe a fact again that was replaced, merged or given up. of_group: as for `facts`.

        Raises the same errors as `fact`. Raises InputError if it is believed already.
        """
        return self._parts.corrections(self._whose(user_id, of_group=of_group)).restore(fact_id)

    @checked
    def pin_fact(
        self, fact_id: args.Text, *, user_id: args.Called = "", of_group: args.Flag = False, pinned: args.Flag = True
    ) -> FactView:
        """Pin a fact: it does not decay, and neither a nightly run nor a later statement retires it.

        pinned: False to unpin it.
        of_group: as for `facts`.
        Raises the same errors as `fact`.
        """
        return self._parts.corrections(self._whose(user_id, of_group=of_group)).pin(fact_id, pinned=pinned)

    @checked
    def correct_fact(
        self, fact_id: args.Text, object: args.Text, *, user_id: args.Called = "", of_group: args.Flag = False
    ) -> FactView:
        """Replace a fact by a pinned one with another object.

        Returns the new fact.

        of_group: as for `facts`.
        Raises the same errors as `fact`.
        """
        return self._parts.corrections(self._whose(user_id, of_group=of_group)).correct(fact_id, object)

    def _asked(self, limit: int, cursor: str, *what: object) -> PageRequest:
        """Return the request for a page of a list of the group. A cursor of another group is refused."""
        return PageRequest.of(limit, cursor, self.group_id, *what)

    def _user(self, user_id: str) -> str:
        """Return the given user, or else the settings' user. Raises InputError if there is neither."""
        user = user_id or self.settings.user
        if not user:
            raise InputError(
                "no user given", hint="name one: --user NAME or AMR_USER; in Python user_id, over HTTP ?user=NAME"
            )
        return user

    def _whose(self, user_id: str, *, of_group: bool) -> str:
        """Return whose facts are meant: a user's, or "" for the group's. Raises InputError: neither, or both."""
        if of_group and user_id:
            raise InputError("facts of a user and of the group", hint="name a user, or ask for the group's, not both")
        return "" if of_group else self._heard(user_id)

    def _heard(self, user_id: str) -> str:
        """Return the user as `_user` does, once the graph has what this machine has heard of them."""
        user = self._user(user_id)
        # Live conversations commit in the background, and who reads what memory holds expects to find the last turn.
        self._parts.commit_waiting(user)
        return user

    def _bounds(self, bounds: args.Bounds) -> args.Bounds:
        """Return the bounds with the settings' user filled in if they name none."""
        return bounds | args.Bounds(user_id=bounds.get("user_id") or self.settings.user)

    def _session(self, user_id: str, session_id: str) -> Session:
        try:
            return Session(self.group_id, self._heard(user_id), session_id)
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

        Works only in the main thread, since it handles signals.
        device: cpu, gpu, or auto (a GPU if FAISS has one).
        gpu_gb: GPU memory for each index.
        started: called with the address.
        Raises InputError, ConfigError, ModelMissing.
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
        """Rebuild the dense indexes of events, turns and facts from the graph, without calling a model.

        Returns how many vectors the index of events holds.
        """
        rebuilt = {kind: self._parts.indexes.rebuild(kind) for kind in KINDS}
        return rebuilt["event"]

    @checked
    def reembed(
        self, progress: args.Function[Callable[[int], None]] = lambda done: None, *, dry_run: args.Flag = False
    ) -> int:
        """Embed the whole group again with the settings' embedder, then switch to it.

        Returns how many texts it embedded.

        progress: called with the number that is done.
        dry_run: only count what would be embedded.
        """
        from amr_neo4j.ingest.compose import embedding_text
        from amr_neo4j.store.embeddings import reembed, without_embedding

        parts = self._parts
        if dry_run:
            return without_embedding(parts.database, self.group_id, parts.embedder().model)
        return reembed(
            parts.database, self.group_id, parts.embedder(), embedding_text, now=utc_now, progress=progress
        )

    @checked
    def index_size(self, kind: args.IndexKind = "event") -> tuple[int, int]:
        """Return (vectors in the dense index after catching up, vectors of this kind in the graph)."""
        return self._parts.indexes.size(kind)

    @checked
    def index_lag(self) -> dict[str, int]:
        """Return {kind: how many vectors of the graph its open dense index has not read yet}.

        An index reads them before each search. Indexes of a sidecar and of Neo4j are left out.
        """
        return self._parts.indexes.unread()

    @checked
    def index_differs(self, kind: args.IndexKind = "event", *, every: args.Flag = False) -> int:
        """Return how many vectors the dense index lacks or holds differently.

        every: compare all vectors instead of a sample.
        """
        return self._parts.indexes.differing(kind, every=every)

    @checked
    def index_is_damaged(self, kind: args.IndexKind = "event") -> bool:
        """Return whether the snapshot of the dense index cannot be read.

        If so, it is ignored, which costs time at the start.
        """
        return self._parts.indexes.is_damaged(kind)

    @checked
    def missing_vectors(self) -> int:
        """Return how many events, turns and facts of the group lack a vector of the group's model.

        Facts that wait for their first vector are not counted; see `fact_embeddings`.
        """
        rows = self._parts.database.read("vectors/missing", group_id=self.group_id)
        return sum(row["missing"] for row in rows)

    @checked
    def fact_embeddings(self) -> EmbeddingState:
        """Return how many facts of the group wait for a vector, and which ones were given up and why.

        Facts are embedded in the background. Until then they are found by their words.
        """
        return self._parts.embedding_queue.state()

    @checked
    def embed_facts(self, *, retry: args.Flag = False) -> int:
        """Embed the waiting facts now. Returns how many were embedded.

        retry: also try those that were given up. Raises ModelError, ModelMissing, EmbedderMismatch, StoreUnavailable.
        """
        queue = self._parts.embedding_queue
        queue.queue_missing()
        if retry:
            queue.retry()
        return self._parts.queued_embedding.run()

    @checked
    def check_embedder(self) -> str:
        """Return the model in use. Raises ModelMissing. Raises EmbedderMismatch: another model embedded the group."""
        return self._parts.admission.model_for(self._parts.browse.embedded_by())

    # --- the database

    @checked
    def server(self) -> str:
        """Return name and version of the server, for example Neo4j/5.26.12."""
        return self._parts.database.check()

    @checked
    def migrate(self) -> list[str]:
        """Bring the schema up to date. Returns the versions that were applied. Raises MigrationError."""
        return schema.migrate(self._parts.database)

    @checked
    def pending_migrations(self) -> list[str]:
        """Return the versions of the schema that the database lacks. Raises MigrationError."""
        return schema.pending(self._parts.database)

    @checked
    def schema_damage(self) -> dict[str, str]:
        """Return {name: "missing" or the state} of constraints and indexes that are not in use."""
        return schema.damage(self._parts.database)

    @checked
    def check_schema(self) -> list[tuple[str, str]]:
        """Return (what, hint) for each constraint of another application by which writes of amr may be refused.

        Raises MigrationError: something of another application is in the way of the schema.
        """
        return schema.check(self._parts.database)

    @checked
    def restore_schema(self) -> list[str]:
        """Create again the constraints and indexes that were dropped or have failed. Returns their names."""
        return schema.restore(self._parts.database)

    @property
    def integrity(self) -> Integrity:
        """Checks of whether the group's graph is complete and consistent."""
        return self._parts.integrity

    @checked
    def repair(self) -> Iterator[str]:
        """Rebuild what is derived from other data. Yields a line for each repair. Calls no model.

        This covers counters, receipts, edges, scenes, constraints, indexes and dense indexes. Deleted events are
        recorded as gone.
        Raises MigrationError: the schema belongs to another version.
        """
        from amr_neo4j.app.repairing import repair_all
        from amr_neo4j.wiring.openers import remake_scenes

        database, parts = self._parts.database, self._parts
        migrate, restore = partial(schema.migrate, database), partial(schema.restore, database)
        return repair_all(
            migrate=migrate,
            restore=restore,
            graph=parts.integrity,
            indexes=parts.indexes,
            embedder=parts.embedder,
            remake_scenes=partial(remake_scenes, parts.writer, parts.language, self.group_id),
            person_id=lambda name: parts.language.person_key(name).person_id,
        )

    @staticmethod
    def browser_folder() -> Path:
        """Return the folder with the style sheet and saved scripts for Neo4j Browser."""
        return data_path("cypher") / "browser"


def explore_file(
    settings: Settings,
    source: str | Path,
    question: str,
    notify: Notify = _log.warning,
    **how: Unpack[args.ExploreArguments],
) -> Exploration:
    """Explore a video like Memory.explore, but without a memory.

    Nothing is known of the video beforehand, and nothing is kept.
    """
    from amr_neo4j.models.ledger import Ledger
    from amr_neo4j.wiring.explorer import open_explorer

    explorer = open_explorer(settings, Ledger(notify, settings.max_cost_usd), **how)
    return explorer.explore(source, question)[0]
