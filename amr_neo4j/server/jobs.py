"""Long work of the server: a durable queue on disk, worked off one by one. Live sources run beside it."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, Literal, get_args
from uuid import uuid4

from amr_neo4j.domain.arguments import MOST
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.plain import plain
from amr_neo4j.domain.receipt import Progress
from amr_neo4j.errors import AmrError, InputError, NoSpace, NotInMemory, SourceLost, SpoolUnusable, StoreUnavailable
from amr_neo4j.media.live_address import address, without_secrets
from amr_neo4j.memory import Memory
from amr_neo4j.server.problems import Refused, of_files
from amr_neo4j.server.sources import check_source
from amr_neo4j.spool import JOBS_FILE
from amr_neo4j.spool.jobs import JobSpool
from amr_neo4j.spool.rows import insert, read, stored

_log = logging.getLogger(__name__)
State = Literal["pending", "processing", "completed", "failed", "cancelled"]
# In these a job has not ended.
OPEN: tuple[State, ...] = ("pending", "processing")
# From these a job can be begun again.
ENDED_EARLY: tuple[State, ...] = ("failed", "cancelled")
Action = Literal["ingest", "explore", "import", "night", "source"]
# They are not ended half-way: one writes a group whole, the other all that is due.
_WHOLE: tuple[Action, ...] = ("import", "night")
Tell = Callable[[Mapping[str, Any]], None]
"""Notes the progress of a job. Raises _Ended: it was cancelled, or the server stops."""
# A job that was running at this many deaths of the server is not started again: it may be the cause.
_MOST_ATTEMPTS = 3
# Seconds until a lost source is tried again, and between two checks whether the hour of the nightly run has come.
_TRY_AGAIN_S, _LOOK_S = 30.0, 60.0
# Seconds between two notes on the disk of a source that waits to be tried again.
_SOURCE_TELLS_S = 5.0
# Seconds that jobs wait while the database is away or the file of jobs cannot be written.
_AWAY_S = 5.0


@dataclass(frozen=True, kw_only=True)
class Job:
    """Long work: files or a live source that are taken in, a film that is explored, an import, the work of a night.

    key_id: of the key that added it or had it begin again last, and pays for calls to models; empty for the work of a
        night.
    arguments: of the method of Memory.
    attempts: how often it was begun.
    result: what the method returned.
    error: why it failed.
    progress: of an ingest, how many clips are done, and the Progress of the last one; of an exploration, its nodes.
    """

    id: str
    group_id: str
    user_id: str
    key_id: str = ""
    action: Action
    arguments: Mapping[str, Any]
    state: State
    attempts: int
    progress: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    created_at: datetime
    changed_at: datetime


def _shown(job: Job) -> Job:
    """Return a job as clients see it: the address of a live source without user, password and query."""
    if job.action != "source":
        return job
    return replace(
        job, arguments={**job.arguments, "places": [without_secrets(at) for at in job.arguments["places"]]}
    )


def _keys(job: Job) -> list[str]:
    """Return what identifies the live source of a job, whatever its password."""
    return [address(url).key for url in job.arguments["places"]]


class _Ended(Exception):
    """Ends a job between two clips, because it was cancelled or the server stops. Committed clips stay."""


def _ingest(memory: Memory, job: Job, tell: Tell, stop: Event) -> Any:
    given = dict(job.arguments)
    if given.get("recorded_at"):
        given["recorded_at"] = datetime.fromisoformat(given["recorded_at"])
    clips = 0

    def watch(progress: Progress) -> None:
        nonlocal clips
        clips += 1
        tell({"clips": clips, **asdict(progress)})

    return memory.ingest(*given.pop("places"), **given, asked_at=job.created_at, stop=stop, watch=watch)


def _waits(job: Job, error: AmrError) -> bool:
    """Return whether a job goes on by itself after this error.

    A camera is recorded again as soon as its disk has room. Other jobs fail, since their models would be paid again.
    """
    is_of_disk = isinstance(error, NoSpace | SpoolUnusable)
    return isinstance(error, StoreUnavailable) or (is_of_disk and job.action == "source")


def _source(memory: Memory, job: Job, tell: Tell, stop: Event) -> Any:
    while True:
        try:
            for url in job.arguments["places"]:
                # Again each time: the name may lead elsewhere now, or the setting may have changed.
                check_source(url, memory.settings.serve_sources)
            report = _ingest(memory, job, tell, stop)
            if stop.is_set():
                raise _Ended
            if not report.lost:
                return report
            lost = report.errors[-1]
        except (SourceLost, StoreUnavailable, Refused) as error:
            lost = error.message
        until = monotonic() + _TRY_AGAIN_S
        while monotonic() < until:
            tell({"lost": lost})  # also ends the wait, if the job was cancelled
            stop.wait(_SOURCE_TELLS_S)


def _explore(memory: Memory, job: Job, tell: Tell, stop: Event) -> Any:
    given = dict(job.arguments)
    return memory.explore(
        given.pop("source"), given.pop("question"), **given, watch=lambda tree: tell({"nodes": len(tree["nodes"])})
    )


def _night(memory: Memory, job: Job, tell: Tell, stop: Event) -> Any:
    """Return only counts: the job outlives what is forgotten, so it must not name users or quote their facts."""
    tell({})
    runs, gone, counts = memory.consolidate_all(at=job.created_at), memory.forget_expired(), Counter[str]()
    for run in runs:
        counts.update(run.counts)
    expired = {"users": len(gone.users), "footage": gone.footage, "conversations": gone.conversations}
    incomplete = sum(run.status == "incomplete" for run in runs)
    return {"users": len(runs), "incomplete": incomplete, "counts": counts, "expired": expired}


# stop: set when the job is cancelled or the server stops. Between two clips, `tell` ends the job as well.
_WORK: Mapping[Action, Callable[[Memory, Job, Tell, Event], Any]] = {
    "ingest": _ingest,
    "explore": _explore,
    "import": lambda memory, job, tell, stop: memory.import_export(**job.arguments, asked_at=job.created_at),
    "night": _night,
    "source": _source,
}


class Jobs:
    """The jobs of the server. Thread-safe. When a job is accepted or changed, that is on disk.

    What was under way when the server died is begun again; clips that are committed are skipped then.
    """

    def __init__(self, data_dir: Path, memory: Memory, now: Callable[[], datetime]) -> None:
        """Raises SpoolUnusable: the file cannot be read or written."""
        self._memory, self._now = memory, now
        self._file = JobSpool(data_dir / JOBS_FILE)
        self._stopped, self._sources = Event(), dict[str, Thread]()
        self._stops = dict[str, Event]()
        # A night's work for each group at the hour of the settings, by the time of the settings' zone.
        self._hour, self._zone = memory.settings.serve_nightly_hour, memory.settings.zone
        self._last_night: date | None = None
        self._wanted = {False: Event(), True: Event()}
        self._threads = [
            Thread(target=self._run, args=(of_sources,), name="amr-jobs", daemon=True) for of_sources in self._wanted
        ]

    def start(self) -> None:
        """Take up what an earlier server left, and start the threads."""
        with self._file.transaction() as db:
            db.execute(
                "UPDATE jobs SET state = 'failed', error = ?"
                " WHERE state = 'processing' AND attempts >= ? AND action != 'source'",
                (f"the server ended {_MOST_ATTEMPTS} times during it", _MOST_ATTEMPTS),
            )
            db.execute("UPDATE jobs SET state = 'pending' WHERE state = 'processing'")
        for thread in self._threads:
            thread.start()

    def close(self, seconds: float = 30.0) -> None:
        """Let the clips end that are under way, for at most `seconds`. Jobs go on when the server starts again."""
        self._stopped.set()
        for stop in [*self._stops.values()]:
            stop.set()
        self._wake()
        until = monotonic() + seconds
        for thread in (*self._threads, *list(self._sources.values())):
            if thread.is_alive():
                thread.join(max(0.0, until - monotonic()))
        self._file.close()

    def _wake(self) -> None:
        for wanted in self._wanted.values():
            wanted.set()

    def paid_by(self, key_id: str) -> AbstractContextManager[None]:
        """Return a context manager in which calls to models count for a key, if the settings limit that."""
        limit = self._memory.settings.serve_key_usd_a_day
        if limit is None or not key_id:
            return nullcontext()
        return self._memory.ledger.paid_by(key_id, "serve_key_usd_a_day", limit)

    def add(
        self,
        group_id: str,
        user_id: str,
        action: Action,
        arguments: Mapping[str, Any],
        job_id: str = "",
        key_id: str = "",
    ) -> Job:
        """Accept a job. One with this id that is there already is returned, if it is the same; else InputError.

        So is the job of a live source that has not ended: the source would be recorded twice.
        """
        now = self._now()
        job = Job(
            id=job_id or uuid4().hex,
            group_id=group_id,
            user_id=user_id,
            key_id=key_id,
            action=action,
            arguments=arguments,
            state="pending",
            attempts=0,
            created_at=now,
            changed_at=now,
        )
        with self._file.transaction() as db:
            rows = self._file.rows("SELECT * FROM jobs WHERE id = ?", (job.id,))
            there = read(Job, rows[0]) if rows else self._of_same_source(job)
            if not there:
                insert(db, "jobs", job)
        if there and (there.action, stored(there.arguments)) != (action, stored(arguments)):
            if there.id == job.id:
                raise InputError("the Idempotency-Key was used for another job", hint="send a new one")
            message = f"job {there.id} takes in this source with another password, place, time zone or wearer"
            raise InputError(message, hint="cancel that job and remove it, then add the source again")
        self._wake()
        return _shown(there or job)

    def _of_same_source(self, job: Job) -> Job | None:
        """Return the job of the group and user that takes in the same live source, unless the source has ended."""
        if job.action != "source":
            return None
        rows = self._file.rows(
            "SELECT * FROM jobs WHERE group_id = ? AND user_id = ? AND action = 'source' AND state != 'completed'",
            (job.group_id, job.user_id),
        )
        return next((there for there in map(partial(read, Job), rows) if _keys(there) == _keys(job)), None)

    def count(self) -> dict[str, int]:
        """Return {state: number of jobs} of all groups."""
        counted = dict(self._file.rows("SELECT state, count(*) FROM jobs GROUP BY 1"))
        return {state: counted.get(state, 0) for state in get_args(State)}

    def oldest(self) -> datetime | None:
        """Return when the oldest job was accepted that has not ended, live sources aside; None if all have."""
        [(at,)] = self._file.rows(
            "SELECT min(created_at) FROM jobs WHERE state IN ('pending', 'processing') AND action != 'source'"
        )
        return datetime.fromisoformat(at) if at else None

    def recorded_groups(self) -> list[str]:
        """Return the groups that a live source is taken into just now."""
        rows = self._file.rows("SELECT DISTINCT group_id FROM jobs WHERE action = 'source' AND state = 'processing'")
        return [group_id for (group_id,) in rows]

    def of(self, group_id: str, user_id: str, asked: PageRequest) -> Page[Job]:
        """Return the jobs of a group and user, the latest first."""
        whose = (group_id, user_id)
        where = "FROM jobs WHERE group_id = ? AND user_id = ?"
        rows = self._file.rows(
            f"SELECT * {where} ORDER BY number DESC LIMIT ? OFFSET ?",
            (*whose, asked.limit, asked.start),
        )
        [(total,)] = self._file.rows(f"SELECT count(*) {where}", whose)
        return asked.part([_shown(read(Job, row)) for row in rows], total)

    def job(self, group_id: str, user_id: str, job_id: str) -> Job:
        """Return a job of a group and user. Raises NotInMemory."""
        whose = (job_id, group_id, user_id)
        rows = self._file.rows("SELECT * FROM jobs WHERE id = ? AND group_id = ? AND user_id = ?", whose)
        if not rows:
            raise NotInMemory(f"no job {job_id}", hint="GET /jobs lists them")
        return _shown(read(Job, rows[0]))

    def cancel(self, job: Job) -> None:
        """End a job after the current clip. Raises InputError if it has ended already, or cannot be ended."""
        self._change(job, "cancelled", ("pending",) if job.action in _WHOLE else OPEN)
        if stop := self._stops.get(job.id):
            stop.set()

    def retry(self, job: Job, key_id: str) -> None:
        """Begin a job again that failed or was cancelled. From now on this key pays for it.

        Raises InputError if it did neither.
        """
        self._change(job, "pending", ENDED_EARLY, attempts=0, error="", key_id=key_id)
        self._wake()

    def remove(self, job: Job) -> None:
        """Remove a job. Raises InputError if it waits or is under way."""
        states = ("completed", *ENDED_EARLY)
        with self._file.transaction() as db:
            gone = db.execute("DELETE FROM jobs WHERE id = ? AND state IN (?, ?, ?)", (job.id, *states))
        if not gone.rowcount:
            raise InputError("the job waits or is under way", hint="cancel it first")

    def _change(self, job: Job, state: State, before: tuple[State, ...], **more: Any) -> None:
        if not self._set(job.id, before, state=state, **more):
            state = self.job(job.group_id, job.user_id, job.id).state
            raise InputError(f"the job is {state}", hint="a waiting one can be cancelled, a failed one retried")

    def _set(self, job_id: str, before: tuple[State, ...], **values: Any) -> bool:
        """Set values of a job that is in one of these states. Returns whether it is."""
        row = {name: stored(value) for name, value in values.items()} | {"changed_at": self._now().isoformat()}
        set_to = ", ".join(f"{name} = ?" for name in row)
        states = ", ".join("?" * len(before))
        with self._file.transaction() as db:
            done = db.execute(
                f"UPDATE jobs SET {set_to} WHERE id = ? AND state IN ({states})",  # noqa: S608 - our own names
                (*row.values(), job_id, *before),
            )
            return done.rowcount > 0

    # --- the threads

    def _run(self, of_sources: bool) -> None:
        wanted = self._wanted[of_sources]
        while not self._stopped.is_set():
            if not of_sources:
                self._add_nights()
            try:
                while not self._stopped.is_set() and (job := self._next(of_sources)):
                    if self._set(job.id, ("pending",), state="processing", attempts=job.attempts + 1, error=""):
                        if of_sources:
                            thread = Thread(target=self._work_source, args=(job,), name="amr-source", daemon=True)
                            self._sources[job.id] = thread
                            thread.start()
                        else:
                            self._work(job)
            except AmrError as error:
                _log.warning("jobs wait: %s", error)
                self._stopped.wait(_AWAY_S)
                continue
            wanted.wait(_LOOK_S)
            wanted.clear()

    def _next(self, of_sources: bool) -> Job | None:
        """Return the first job that waits. A source that was paused and goes on waits for its earlier thread."""
        rows = self._file.rows(
            "SELECT * FROM jobs WHERE state = 'pending' AND (action = 'source') = ? ORDER BY number", (of_sources,)
        )
        return next((read(Job, row) for row in rows if row["id"] not in self._sources), None)

    def _work_source(self, job: Job) -> None:
        try:
            self._work(job)
        finally:
            del self._sources[job.id]
            self._wanted[True].set()

    def _add_nights(self) -> None:
        """Add a night's work for each group, once a day, at the hour of the settings or later that day."""
        here = self._now().astimezone(self._zone)
        if self._hour is None or here.hour < self._hour or here.date() == self._last_night:
            return
        try:
            for group in self._memory.groups(limit=MOST):
                # Named by its day, so that it is added once, also by a server that was started again.
                job_id = hashlib.sha256(f"night {here.date()} {group.group_id}".encode()).hexdigest()[:32]
                self.add(group.group_id, "", "night", {}, job_id)
            self._last_night = here.date()
        except AmrError as error:
            _log.info("the work of the night waits: %s", error)

    def _work(self, job: Job) -> None:
        def tell(progress: Mapping[str, Any]) -> None:
            if self._stopped.is_set() or not self._set(job.id, ("processing",), progress=progress):
                raise _Ended

        try:
            memory = self._memory.group(job.group_id).for_user(job.user_id)
            stop = self._stops[job.id] = Event()
            tell(job.progress)  # it may have been cancelled before there was something to set
            with self.paid_by(job.key_id):
                found = _WORK[job.action](memory, job, tell, stop)
        except _Ended:
            # Only if it was not cancelled: then the next server goes on with it, as if it had not been begun.
            self._end(job, state="pending", attempts=job.attempts)
        except Exception as error:  # noqa: BLE001 - a bug in one job must not end the thread that does the others
            known = error if isinstance(error, AmrError) else of_files(error)
            if not known:
                _log.exception("a job failed")
            if known and _waits(job, known):
                self._end(job, state="pending", attempts=job.attempts, error=str(known))
                self._stopped.wait(_AWAY_S)
            else:
                self._end(job, state="failed", error=str(known or f"an internal error: {type(error).__name__}"))
        else:
            result = json.loads(json.dumps(found, default=plain))
            self._end(job, state="completed", result=result)
        finally:
            self._stops.pop(job.id, None)

    def _end(self, job: Job, **values: Any) -> None:
        """Note what became of a job, unless it was cancelled. Waits while the file cannot be written."""
        while True:
            try:
                self._set(job.id, ("processing",), **values)
            except AmrError as error:
                _log.warning("what became of a job cannot be noted, so jobs wait: %s", error)
                if self._stopped.wait(_AWAY_S):
                    return
            else:
                return
