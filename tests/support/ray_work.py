"""Functions that workers of Ray run in tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def doubled_or_dead(number: int) -> int:
    """Twice the number; below zero the worker dies."""
    if number < 0:
        os.kill(os.getpid(), 9)
    return number * 2


def listening(_: int) -> list[str]:
    """The addresses at which the parent of this worker, its siblings and itself accept connections."""
    family = {os.getppid(), *children(os.getppid())}
    lines = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split()[3] for line in lines if any(f"pid={pid}," in line for pid in family)]


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = [child for task in Path(f"/proc/{pid}/task").glob("*/children") for child in _read(task).split()]
    return [int(child) for child in found]


def workers(pid: int) -> list[int]:
    """Those descendants of a process in which Ray is running a task of an ingest."""
    below = children(pid)
    inner = [found for child in below for found in workers(child)]
    return inner + [child for child in below if _read(Path(f"/proc/{child}/cmdline")).startswith("ray::take_in")]


def command_lines(pid: int) -> str:
    """The command lines of a process and of all below it."""
    return "\n".join([_read(Path(f"/proc/{pid}/cmdline")), *map(command_lines, children(pid))])


def _read(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:  # the process has ended meanwhile
        return ""
