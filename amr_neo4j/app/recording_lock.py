"""The lock in a recording's folder: its process holds it, so that others see whether that process lives."""

from __future__ import annotations

import fcntl
import os
from contextlib import ExitStack
from pathlib import Path

from filelock import FileLock, Timeout

_FILE = ".lock"
_ASKED = 1.0
"""Seconds for which a lock may be shared by those who only ask: far more than they take."""


def hold(folder: Path, locks: ExitStack) -> bool:
    """Hold a recording until `locks` is closed; False where a process holds it already."""
    if is_held(folder):
        return False
    try:
        locks.enter_context(FileLock(folder / _FILE, timeout=_ASKED))
    except Timeout:
        return False
    return True


def is_held(folder: Path) -> bool:
    """Whether a process holds a recording. Those who ask at the same time are not taken for one that does."""
    try:
        lock = os.open(folder / _FILE, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
