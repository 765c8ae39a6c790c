"""The real `amr ingest` in a process of its own, and checks of the resulting graph."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.local_models.registry import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from amr_neo4j.store.database import Row
from amr_neo4j.store.read.digest import Digest

ROOT = Path(__file__).parents[2]
KITCHEN = ROOT / "examples" / "kitchen"
_EPIC = ROOT.parent / "shared" / "data" / "epic" / "events.jsonl.gz"
_CONVERTER = ROOT / "examples" / "epic_kitchens" / "convert.py"

Environment = Mapping[str, str]
Process = subprocess.Popen[bytes]


def settle(there: Connection, group_id: str, patch: pytest.MonkeyPatch) -> Environment:
    """Settings for the real command and for Memory alike, by the environment. Skips where the embedder is missing."""
    if not {status.name: status for status in installed(load())}["e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    patch.setenv("NEO4J_URI", there.uri)
    patch.setenv("NEO4J_USERNAME", there.username)
    patch.setenv("NEO4J_PASSWORD", there.password)
    patch.setenv("AMR_GROUP", group_id)
    return dict(os.environ)


def epic_lines(folder: Path) -> Path:
    """The 17,841 records of EPIC-KITCHENS as clip lines. Skips where they are missing."""
    if not _EPIC.exists():
        pytest.skip(f"{_EPIC} is not there")
    lines = folder / "epic.jsonl"
    with lines.open("w") as out:
        subprocess.run([sys.executable, str(_CONVERTER), str(_EPIC)], stdout=out, check=True)
    return lines


def started(source: Path | str, environment: Environment, *, piped: bool = False) -> Process:
    """`amr ingest SOURCE`, running. piped: its standard input and standard error are pipes of ours."""
    command = [sys.executable, "-m", "amr_neo4j", "ingest", str(source)]
    pipe = subprocess.PIPE if piped else None
    return subprocess.Popen(
        command,
        env=environment,
        stdin=pipe,
        stdout=subprocess.DEVNULL,
        stderr=pipe,
        preexec_fn=heeding_ctrl_c,  # noqa: PLW1509 - it takes no lock that a thread of ours might hold
    )


def take_in(source: Path) -> None:
    """An undisturbed ingest with the same settings, here: it needs no process that could be killed."""
    with Memory.open() as memory:
        report = memory.ingest(source)
        assert (report.rejected, report.failed) == (0, 0)


def killed(source: Path, environment: Environment, after: float) -> bool:
    """Kill `amr ingest` so many seconds after it committed its first new clip; False if it had ended by then."""
    with started(source, environment) as process, Memory.open() as memory:
        there = memory.stats().clips
        while process.poll() is None and memory.stats().clips == there:
            time.sleep(0.05)
        try:
            code = process.wait(timeout=after)
            assert code == 0, f"amr ingest ended with {code}"
        except subprocess.TimeoutExpired:
            process.kill()
            return True
        return False


def heeding_ctrl_c() -> None:
    """A background job of a shell ignores Ctrl-C, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def overheard(source: Path | str, environment: Environment) -> Iterator[Process]:
    """As `started`, piped; it does not outlive the block."""
    with started(source, environment, piped=True) as process:
        try:
            yield process
        finally:
            process.kill()


def forget(memory: Memory) -> None:
    """Remove all that the group holds."""
    _run(memory, "MATCH (n {group_id: $group_id}) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS")


@dataclass(frozen=True)
class Quiet:
    """What an undisturbed run left. rows: of the digest, by what they are of."""

    digest: Digest
    rows: dict[str, Row]

    @classmethod
    def of(cls, memory: Memory) -> Quiet:
        """Of the memory as it is."""
        return cls(memory.digest(), _rows(memory))


def assert_same_as(quiet: Quiet, memory: Memory) -> None:
    """The digest equals that of an undisturbed run, and node ids have no gap, merged events included."""
    if memory.digest() != quiet.digest:
        pytest.fail("not as the undisturbed run left it:\n" + "\n".join(_differences(quiet.rows, _rows(memory))))
    ids = _run(memory, "MATCH (e:Event|SupersededEvent {group_id: $group_id}) RETURN e.node_id AS id ORDER BY id")
    assert ids == list(range(ids[0], ids[0] + len(ids)))


def _rows(memory: Memory) -> dict[str, Row]:
    """The rows behind the digest, less the text of an event's scope, which has the group's name in it."""
    return {
        f"{part} {row['video_id']} {row['clip_id']} {row.get('ordinal', '')}": {**row, "scope_text": ""}
        for part in ("clips", "events", "superseded")
        for row in memory._parts.database.stream(f"digest/{part}", group_id=memory.group_id)
    }


def _differences(before: Mapping[str, Row], after: Mapping[str, Row]) -> list[str]:
    """The first rows that differ, each with both values of every property that differs."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return [f"{name}: {_changed(before.get(name, {}), after.get(name, {}))}" for name in names[:10]]


def _changed(before: Row, after: Row) -> dict[str, tuple[object, object]]:
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    return {key: (before.get(key), after.get(key)) for key in keys}


def _run(memory: Memory, statement: str) -> list[int]:
    with memory._parts.database.session() as session:
        return [record[0] for record in session.run(statement, group_id=memory.group_id)]
