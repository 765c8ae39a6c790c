"""A dense index on disk: one file, replaced whole, written under a lock that processes share."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
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


# What numpy and zipfile raise over a damaged file; a flipped bit can ask for a password (RuntimeError).
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


def read(path: Path) -> Snapshot | None:
    """The snapshot, or None where there is none that can be read: it is derived data, the graph has it all."""
    try:
        with np.load(path, allow_pickle=False) as saved:
            names: list[tuple[str, str]] = json.loads(saved["names"].tobytes())
            numbers: list[int] = saved["owners"].tolist()
            groups, videos = [names[n][0] for n in numbers], [names[n][1] for n in numbers]
            return Snapshot(int(saved["next_seq"]), saved["ids"], saved["vectors"], groups, videos)
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
        names, owners = _named(snapshot)
        with part.open("wb") as file:
            np.savez(
                file,
                next_seq=np.int64(snapshot.next_seq),
                ids=snapshot.ids,
                vectors=snapshot.vectors,
                names=names,
                owners=owners,
            )
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)


def _named(snapshot: Snapshot) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
    """Each owner's name once, as JSON bytes, and the number of each vector's owner in that list.

    Not numpy's own strings: they are all as wide as the longest, and lose a NUL at the end.
    """
    owners = list(zip(snapshot.groups, snapshot.videos, strict=True))
    number = {owner: n for n, owner in enumerate(dict.fromkeys(owners))}
    names = json.dumps(list(number)).encode()
    return np.frombuffer(names, np.uint8), np.asarray([number[owner] for owner in owners], np.int32)
