"""Long work of the server: a durable queue on disk, and the thread that works it off, one job after the other."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any, Literal, get_args
from uuid import uuid4

from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.plain import plain
from amr_neo4j.domain.receipt import Progress
from amr_neo4j.errors import AmrError, InputError, NotInMemory
from amr_neo4j.memory import Memory
from amr_neo4j.server.rows import insert, read, stored
from amr_neo4j.spool import JOBS_FILE
from amr_neo4j.spool.jobs import JobSpool

_log = logging.getLogger(__name__)
State = Literal["pending", "processing", "completed", "failed", "cancelled"]
# A job that was under way so many times when the server died is not begun again: it may be what kills it.
_MOST_ATTEMPTS = 3


@dataclass(frozen=True, kw_only=True)
class Job:
    """Files that are taken in.

    arguments: of Memory.ingest. attempts: how often it was begun. progress: source, clips (how many are done), done_s
    and total_s (seconds of video). result: the IngestReport of a completed one. error: why it failed.
    """

    id: str
    group_id: str
    user_id: str
    arguments: Mapping[str, Any]
    state: State
    attempts: int
    progress: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    created_at: datetime
    changed_at: datetime


class _Ended(Exception):
    """Ends a job between two clips, because it was cancelled or the server stops. What was committed stays."""


class Jobs:
    """The jobs of the server. Thread-safe. When a job is accepted or changed, that is on disk.

    What was under way when the server died is begun again; clips that are committed are skipped then.
    """

    def __init__(self, data_dir: Path, memory: Memory, now: Callable[[], datetime]) -> None:
        """Raises SpoolUnusable: the file cannot be read or written."""
        self._memory, self._now = memory, now
        self._file = JobSpool(data_dir / JOBS_FILE)
        self._wanted, self._stopped = Event(), Event()
        self._thread = Thread(target=self._run, name="amr-jobs", daemon=True)

    def start(self) -> None:
        """Take up what an earlier server left, and start the thread."""
        with self._file.transaction() as db:
            db.execute(
                "UPDATE jobs SET state = 'failed', error = ? WHERE state = 'processing' AND attempts >= ?",
                (f"the server ended {_MOST_ATTEMPTS} times during it", _MOST_ATTEMPTS),
            )
            db.execute("UPDATE jobs SET state = 'pending' WHERE state = 'processing'")
        self._wanted.set()
        self._thread.start()

    def close(self, seconds: float = 30.0) -> None:
        """Let the clip end that is under way, for at most `seconds`. The job goes on when the server starts again."""
        self._stopped.set()
        self._wanted.set()
        if self._thread.is_alive():
            self._thread.join(seconds)
        self._file.close()

    def add(self, group_id: str, user_id: str, arguments: Mapping[str, Any]) -> Job:
        """Accept a job."""
        now = self._now()
        job = Job(
            id=uuid4().hex,
            group_id=group_id,
            user_id=user_id,
            arguments=arguments,
            state="pending",
            attempts=0,
            created_at=now,
            changed_at=now,
        )
        with self._file.transaction() as db:
            insert(db, "jobs", job)
        self._wanted.set()
        return job

    def count(self) -> dict[str, int]:
        """Return {state: number of jobs} of all groups."""
        counted = dict(self._file.rows("SELECT state, count(*) FROM jobs GROUP BY 1"))
        return {state: counted.get(state, 0) for state in get_args(State)}

    def of(self, group_id: str, user_id: str, asked: PageRequest) -> Page[Job]:
        """Return the jobs of a group and user, the latest first."""
        whose = (group_id, user_id)
        where = "FROM jobs WHERE group_id = ? AND user_id = ?"
        rows = self._file.rows(
            f"SELECT * {where} ORDER BY number DESC LIMIT ? OFFSET ?",
            (*whose, asked.limit, asked.start),
        )
        [(total,)] = self._file.rows(f"SELECT count(*) {where}", whose)
        return asked.part([read(Job, row) for row in rows], total)

    def job(self, group_id: str, user_id: str, job_id: str) -> Job:
        """Return a job of a group and user. Raises NotInMemory."""
        whose = (job_id, group_id, user_id)
        rows = self._file.rows("SELECT * FROM jobs WHERE id = ? AND group_id = ? AND user_id = ?", whose)
        if not rows:
            raise NotInMemory(f"no job {job_id}", hint="GET /jobs lists them")
        return read(Job, rows[0])

    def cancel(self, job: Job) -> None:
        """End a job after the clip that is under way. Raises InputError: it has ended already."""
        self._change(job, "cancelled", ("pending", "processing"))

    def retry(self, job: Job) -> None:
        """Begin a job again that failed or was cancelled. Raises InputError: it did neither."""
        self._change(job, "pending", ("failed", "cancelled"), attempts=0, error="")
        self._wanted.set()

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

    # --- the thread

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wanted.wait()
            self._wanted.clear()
            while not self._stopped.is_set():
                rows = self._file.rows("SELECT * FROM jobs WHERE state = 'pending' ORDER BY number LIMIT 1")
                if not rows:
                    break
                job = read(Job, rows[0])
                if self._set(job.id, ("pending",), state="processing", attempts=job.attempts + 1):
                    self._work(job)

    def _work(self, job: Job) -> None:
        clips = 0

        def watch(progress: Progress) -> None:
            nonlocal clips
            clips += 1
            seen = {"source": progress.source, "clips": clips, "done_s": progress.done_s, "total_s": progress.total_s}
            if self._stopped.is_set() or not self._set(job.id, ("processing",), progress=seen):
                raise _Ended

        try:
            places = job.arguments["places"]
            named = {name: value for name, value in job.arguments.items() if name != "places"}
            if named.get("recorded_at"):
                named["recorded_at"] = datetime.fromisoformat(named["recorded_at"])
            memory = self._memory.group(job.group_id).for_user(job.user_id)
            report = memory.ingest(*places, **named, asked_at=job.created_at, watch=watch)
        except _Ended:
            # Only if it was not cancelled: then the next server goes on with it, as if it had not been begun.
            self._set(job.id, ("processing",), state="pending", attempts=job.attempts)
        except AmrError as error:
            self._set(job.id, ("processing",), state="failed", error=str(error))
        except Exception as error:  # noqa: BLE001 - a bug in one job must not end the thread that does the others
            _log.exception("a job failed")
            self._set(job.id, ("processing",), state="failed", error=f"an internal error: {type(error).__name__}")
        else:
            result = json.loads(json.dumps(report, default=plain))
            self._set(job.id, ("processing",), state="completed", result=result)
