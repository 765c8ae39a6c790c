"""A process that imports is killed, again and again: the digest is that of the exported group."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.real_ingest import KITCHEN, settle

# Prints a line before each transaction, so that a slow machine is killed at as many places as a fast one.
_RUN = """
import sys
from amr_neo4j import Memory
from amr_neo4j.app import transferring
from amr_neo4j.store.records import RecordWriter
transferring._RECORDS_PER_COMMIT = 20
draw = RecordWriter._draw
def announced(self, *given, **numbers):
    print("writes", flush=True)
    return draw(self, *given, **numbers)
RecordWriter._draw = announced
with Memory.open() as memory:
    memory.import_export(sys.argv[1], any_group=True)
    print("done", flush=True)
"""


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_an_import_that_is_killed_twenty_times_loses_nothing_and_repeats_nothing(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment, file = settle(neo4j_connection, group_id, monkeypatch), tmp_path / "home.jsonl.gz"
    with Memory.open() as memory:
        memory.ingest(*sorted(KITCHEN.glob("*.jsonl")), any_group=True)
        memory.remember(["I live in Lisbon.", "I love tea."], user_id="anna", session_id="monday")
        memory.extract(user_id="anna")
        memory.embed_facts()
        memory.export(file, vectors=True)
        whole = memory.digest()
    target = f"test-{uuid4()}"
    moments, finished, kills = random.Random(7), False, 0
    while not finished:
        run = subprocess.Popen(
            [sys.executable, "-c", _RUN, str(file)],
            env=dict(environment) | {"AMR_GROUP": target},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert run.stdout
        left = moments.randrange(1, 5) if kills < 20 else None
        for line in run.stdout:
            finished = line == "done\n"
            left = None if left is None else left - 1
            if left == 0:
                time.sleep(moments.uniform(0, 0.05))  # within the transaction, or after it
                run.kill()
                kills += 1
                break
        run.wait(60)
    assert kills >= 10
    with Memory.open(group=target) as memory:
        assert memory.digest() == whole and not memory.unfinished_import()
        assert not memory.integrity.found("deleted_events") and not memory.integrity.wrong_edges()
