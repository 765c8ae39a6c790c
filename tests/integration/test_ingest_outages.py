"""Outages of the database: the ingest waits, resumes by itself, and loses nothing."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from amr_neo4j import Memory, localdb
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from amr_neo4j.store.outages import OutageRetry
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.cut_line import line_to
from tests.support.real_ingest import (
    KITCHEN,
    Environment,
    Process,
    Quiet,
    assert_same_as,
    epic_lines,
    forget,
    overheard,
    settle,
    started,
)

VIDEO = KITCHEN / "kitchen_evening.jsonl"
LINES = VIDEO.read_bytes().splitlines(keepends=True)
FEW = 12  # clips that one outage needs
BACK = "Neo4j answers again; continuing"


@pytest.fixture
def server(spare_server: Settings) -> Settings:
    return spare_server


@pytest.fixture
def environment(server: Settings, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Environment:
    return settle(localdb.start(server), group_id, monkeypatch)


def kill(server: Settings) -> None:
    pid = localdb.status(server).pid
    assert pid
    os.kill(pid, signal.SIGKILL)


Outages = Sequence[Callable[[Settings], None]]
BOTH: Outages = [localdb.stop, kill]


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("outages", "clips"),
    [([kill], LINES[:FEW]), (BOTH, LINES)],
    ids=["kill", "both"],
)
def test_an_ingest_resumes_after_outages_of_the_server(
    server: Settings, environment: Environment, outages: Outages, clips: list[bytes], tmp_path: Path
) -> None:
    """The server is killed, or stopped and then killed, at seeded moments while a video is piped in line by line."""
    video = tmp_path / VIDEO.name
    video.write_bytes(b"".join(clips))
    _hold(server, environment, outages, video, seed=3)


def _hold(server: Settings, environment: Environment, outages: Outages, video: Path, seed: int) -> None:
    """The graph equals that of an undisturbed run, whatever outages there were between lines."""
    moments = random.Random(seed)
    clips = video.read_bytes().splitlines(keepends=True)
    most = (len(clips) - 1) // len(outages) - 1
    with Memory.open() as memory:
        memory.ingest(video)
        quiet = Quiet.of(memory)
        forget(memory)
        lines = iter(clips)
        with overheard("-", environment) as process:
            send(process, next(lines))
            wait_for_clips(memory, 1)
            for outage in outages:
                send(process, *(next(lines) for _ in range(moments.randint(min(3, most), min(8, most)))))
                time.sleep(moments.uniform(0.0, 0.5))
                outage(server)
                send(process, next(lines))
                outlast(process, server)
            send(process, *lines)
            assert process.stdin
            process.stdin.close()
            assert process.wait() == 0
        assert_same_as(quiet, memory)
        assert memory.ingest(video).committed == 0


@pytest.mark.soak
def test_a_wait_ends_at_its_limit_or_at_ctrl_c(
    neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with line_to(neo4j_connection) as line:
        environment = settle(line.connection, group_id, monkeypatch)
        short = {**environment, "AMR_STORE_WAIT_SEC": "1"}
        with overheard("-", short) as impatient, overheard("-", environment) as patient:
            send(impatient, LINES[0])
            send(patient, LINES[1])
            with Memory.open() as memory:
                wait_for_clips(memory, 2)
            line.cut()
            send(impatient, LINES[2])
            send(patient, LINES[2])
            hear(impatient, "retrying for up to 1 s")
            hear(impatient, "what was committed is kept; run the same again to continue")
            assert impatient.wait() == 69
            hear(patient, "retrying for up to 5 min")
            start = time.monotonic()
            patient.send_signal(signal.SIGINT)
            hear(patient, "interrupted; committed clips are kept")
            assert patient.wait() == 130
            assert time.monotonic() - start < 60.0, "not at the limit of 5 min"


class Deaf:
    """A database that commits one transaction without receiving the response."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._deaf = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def in_transaction(self, work: Callable[..., Any]) -> Any:
        receipts = self._database.in_transaction(work)
        if self._deaf:
            self._deaf = False
            raise StoreUnavailable("gone before it could say so")
        return receipts


def test_a_commit_whose_response_was_lost_is_repeated_safely(
    neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(neo4j_connection, group_id, monkeypatch)
    with Memory.open(clips_per_transaction=8) as memory:
        memory.ingest(VIDEO)
        quiet = Quiet.of(memory)
        forget(memory)
        retry = OutageRetry(5.0, print, sleep=lambda seconds: None)
        deaf = cast("Database", Deaf(memory._parts.database))
        writer = ClipWriter(deaf, jump_gap_sec=30.0, language="en", now=lambda: datetime.now(UTC), retry=retry)
        memory._parts.writer.use(writer)
        report = memory.ingest(VIDEO)
        assert (report.unchanged, report.committed) == (8, len(LINES) - 8), "the first transaction's clips were there"
        assert_same_as(quiet, memory)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_repeated_outages_during_a_long_ingest_leave_no_trace(
    server: Settings, environment: Environment, tmp_path: Path
) -> None:
    """Eight outages over the 17,841 records of EPIC-KITCHENS: stops and kills in alternation."""
    moments = random.Random(4)
    outages = [*BOTH] * 4
    lines = epic_lines(tmp_path)
    with Memory.open() as memory:
        start = time.monotonic()
        with started(lines, environment) as process:
            assert process.wait() == 0
        quiet_s = time.monotonic() - start
        quiet = Quiet.of(memory)
        forget(memory)
        with overheard(lines, environment) as process:
            wait_for_clips(memory, 1)
            for outage in outages:
                time.sleep(moments.uniform(0.0, quiet_s / len(outages)))
                assert process.poll() is None, "it was done before the last outage"
                outage(server)
                outlast(process, server)
            assert process.wait() == 0
        assert_same_as(quiet, memory)
        assert memory.ingest(lines).committed == 0


def outlast(process: Process, server: Settings) -> None:
    """The server is unreachable: the process says so, waits until it is started, and says that it continues."""
    hear(process, "retrying for up to 5 min")
    localdb.start(server)
    hear(process, BACK)


def send(process: Process, *lines: bytes) -> None:
    assert process.stdin
    process.stdin.write(b"".join(lines))
    process.stdin.flush()


def hear(process: Process, expected: str) -> None:
    """Read its standard error, up to a line that contains this text."""
    assert process.stderr
    said: list[str] = []
    for line in process.stderr:
        said.append(line.decode())
        if expected in said[-1]:
            return
    pytest.fail(f"it ended without {expected!r}: {said}")


def wait_for_clips(memory: Memory, count: int) -> None:
    """Wait until the group holds this many."""
    while memory.stats().clips < count:
        time.sleep(0.1)
