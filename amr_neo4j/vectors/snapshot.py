"""A dense index on disk: one file, replaced whole, written under a lock that processes share."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from filelock import FileLock

from amr_neo4j.domain.ports import Vectors
from amr_neo4j.vectors.roster import Ids


@dataclass(frozen=True)
class Snapshot:
    """The vectors up to a sequence number: ids (n,), vectors (n, dim), groups and videos of n names each."""

    next_seq: int
    ids: Ids
    vectors: Vectors
    groups: Sequence[str]
    videos: Sequence[str]


_UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)


def read(path: Path) -> Snapshot | None:
    """The snapshot, or None where there is none that can be read: it is derived data, the graph has it all."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            return Snapshot(
                int(saved["next_seq"]),
                saved["ids"],
                saved["vectors"],
                saved["groups"].tolist(),
                saved["videos"].tolist(),
            )
    except _UNREADABLE:
        return None


def _next_seq(path: Path) -> int:
    try:
        with np.load(path, allow_pickle=False) as saved:
            return int(saved["next_seq"])
    except _UNREADABLE:
        return 0


def write(path: Path, snapshot: Snapshot) -> None:
    """Replace the file, unless it is newer already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        if _next_seq(path) > snapshot.next_seq:
            return
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez(
                file,
                next_seq=np.int64(snapshot.next_seq),
                ids=snapshot.ids,
                vectors=snapshot.vectors,
                groups=np.asarray(snapshot.groups, dtype=np.str_),
                videos=np.asarray(snapshot.videos, dtype=np.str_),
            )
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
