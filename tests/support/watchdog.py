"""Ends the Neo4j servers that a killed test run would leave behind.

It is a process of its own that waits for the end of its standard input. The test run holds the other end of that
pipe, so the end comes however the run ends, SIGKILL included. Lines on standard input are ids of containers to remove
as well.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path


def watch(folder: Path) -> subprocess.Popen[str]:
    """Start one. When this process ends, it kills servers whose home is inside `folder`, and deletes `folder`."""
    command = [sys.executable, __file__, str(folder.resolve())]
    return subprocess.Popen(command, stdin=subprocess.PIPE, text=True, start_new_session=True)


def _servers(folder: str) -> list[int]:
    """Ids of the processes that run a server with a home inside the folder."""
    found: list[int] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = file.read_text(errors="replace").split("\0")
        except OSError:  # it has ended
            continue
        if any(argument.startswith(f"--home-dir={folder}/") for argument in arguments):
            found.append(int(file.parent.name))
    return found


def _main() -> None:
    containers = sys.stdin.read().split()
    for pid in _servers(sys.argv[1]):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    if containers:
        subprocess.run(["docker", "rm", "--force", "--volumes", *containers], check=False, capture_output=True)


if __name__ == "__main__":
    _main()
