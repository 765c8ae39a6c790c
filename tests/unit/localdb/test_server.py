"""The Java server of a local database, with a process in its place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from amr_neo4j.errors import DatabaseError
from amr_neo4j.localdb import server
from amr_neo4j.localdb.record import Record

# It says when it no longer minds being asked to stop.
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)


def test_a_server_that_does_not_stop_is_ended_when_it_is_destroyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_STOP_S", 0.2)
    home = f"--home-dir={tmp_path / 'server'}"
    with subprocess.Popen([sys.executable, "-c", STUBBORN, home], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        java = server.JavaServer(tmp_path, tmp_path, 512, None)
        record = Record("maven", 0, 0, pid=process.pid)
        with pytest.raises(DatabaseError, match="has not stopped"):
            java.stop(record)
        assert process.poll() is None
        java.destroy(record)
        assert process.wait(10) == -9
