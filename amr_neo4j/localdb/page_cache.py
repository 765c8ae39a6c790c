"""How much of the store's files the local database may keep in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

# Of the memory: the rest is for the heap, the program and other things.
_SHARE = 4
_LEAST_MB = 512
_MOST_MB = 8192
# Where the heap leaves less than _LEAST_MB: as little as the setting may be.
_SMALLEST_MB = 64


def page_cache_mb(memory: int | None, heap_mb: int) -> int:
    """Returns a quarter of the memory in MB, at least 512 and at most 8192, but no more than the heap leaves.

    Neo4j takes it page by page as the store is read, so a small database never holds that much. It does not start
    where page cache and heap are more than the memory it sees.

    memory: bytes; None: not known.
    """
    if memory is None:
        return _LEAST_MB
    memory_mb = memory >> 20
    share = min(max(_LEAST_MB, memory_mb // _SHARE), _MOST_MB)
    return max(_SMALLEST_MB, min(share, memory_mb - heap_mb))


def memory_bytes(root: Path = Path("/")) -> int | None:
    """Returns the memory that processes have here: the machine's, or less where a cgroup limits it.

    None: the system does not say. root: where /proc and /sys are.
    """
    return min([*_physical(), *_cgroup_limits(root)], default=None)


def _physical() -> Iterator[int]:
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # a system that does not say
        return
    if memory > 0:  # -1 is "not known" too
        yield memory


def _cgroup_limits(root: Path) -> Iterator[int]:
    """Limits of this process's cgroup and of all above it, of version 1 and 2.

    A container may see its own cgroup as the root, whatever its path says: that one is above all paths.
    """
    for line in _read(root / "proc/self/cgroup").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            folder, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            folder, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        cgroup = PurePosixPath(path.lstrip("/"))
        for each in (cgroup, *cgroup.parents):
            limit = _read(folder / each / name).strip()
            if limit.isdecimal():  # otherwise there is none: "max"
                yield int(limit)


def _read(file: Path) -> str:
    """Its text; empty where it cannot be read."""
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
