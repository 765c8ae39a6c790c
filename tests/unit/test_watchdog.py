"""A test run that is killed leaves no server behind, and none of its files."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

RUN = """
import subprocess, sys, time
from pathlib import Path
from tests.support.watchdog import watch

folder = Path(sys.argv[1])
watchdog = watch(folder)
sleeper = ["bash", "-c", "sleep 600 & wait", f"--home-dir={folder}/neo4j/server"]
print(subprocess.Popen(sleeper, start_new_session=True, stdout=subprocess.DEVNULL).pid, flush=True)
time.sleep(600)
"""


def test_a_killed_test_run_ends_its_servers(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as run:
        assert run.stdout
        server = Path("/proc", run.stdout.readline().strip())
        assert server.exists()
        run.send_signal(signal.SIGKILL)
        until = time.monotonic() + 120  # a busy machine may take long to start the watchdog
        while alive(server):
            assert time.monotonic() < until
            time.sleep(0.05)
        while tmp_path.exists():
            assert time.monotonic() < until
            time.sleep(0.05)


def alive(process: Path) -> bool:
    """Whether it runs; one whose parent has gone may stay as a zombie for a while."""
    try:
        return " Z " not in (process / "stat").read_text()
    except OSError:
        return False
