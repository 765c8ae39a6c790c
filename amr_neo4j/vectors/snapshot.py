"""A dense index on disk: one file, replaced whole, written under a lock that processes share."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from amr_neo4j.vectors.row_metadata import Column

# What the arrays are and mean. One of another version is no snapshot.
_VERSION = 3


@dataclass(frozen=True)
class Snapshot:
    """Arrays by name that hold the vectors up to a sequence number."""

    next_seq: int
    arrays: Mapping[str, Any]


# What numpy and zipfile raise over a damaged file; a flipped bit can ask for a password (RuntimeError).
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


def read(path: Path) -> Snapshot | None:
    """The snapshot, or None where there is none that can be read: it is derived data, the graph has it all."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            next_seq = _next_seq(saved)
            return Snapshot(next_seq, {name: saved[name] for name in saved if name not in ("version", "next_seq")})
    except _UNREADABLE:
        return None


def is_damaged(path: Path) -> bool:
    """Whether there is a file that no snapshot can be read from."""
    return path.exists() and read(path) is None


def write(path: Path, snapshot: Snapshot) -> None:
    """Replace the file, unless it is newer already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        if _saved_up_to(path) > snapshot.next_seq:
            return
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            head: dict[str, Any] = {"version": np.int64(_VERSION), "next_seq": np.int64(snapshot.next_seq)}
            np.savez(file, **head, **snapshot.arrays)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)


def _saved_up_to(path: Path) -> int:
    try:
        with np.load(path, allow_pickle=False) as saved:
            return _next_seq(saved)
    except _UNREADABLE:
        return 0


def _next_seq(saved: Mapping[str, Column]) -> int:
    """Raises ValueError: another version."""
    if saved["version"] != _VERSION:
        raise ValueError(f"a snapshot of version {saved['version']}")
    return int(saved["next_seq"])
