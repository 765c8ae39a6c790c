"""Makes room on a full disk by deleting files that can be rebuilt from the graph."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

SPARE = 8 * 2**20
"""Bytes that derived files leave free for the queues. Those hold what is accepted but not yet in the graph."""

VECTORS_FOLDER = "vectors"
"""The folder in the data directory with the snapshots of the dense indexes, one folder per database in it."""

_log = logging.getLogger(__name__)


def fits(folder: Path, size: int) -> bool:
    """Return whether a derived file of `size` bytes fits on the disk of an existing folder, with SPARE left."""
    return shutil.disk_usage(folder).free >= size + SPARE


def make_room(data_dir: Path) -> int:
    """Remove the snapshots of the dense indexes if less than SPARE is free. Return how many bytes were removed."""
    if shutil.disk_usage(data_dir).free >= SPARE:
        return 0
    removed = 0
    for file in [*data_dir.glob(f"{VECTORS_FOLDER}/*/*.part"), *data_dir.glob(f"{VECTORS_FOLDER}/*/*.npz")]:
        try:
            size = file.stat().st_size
            file.unlink()
        except OSError:  # another process removed it
            continue
        removed += size
    if removed:
        _log.critical(
            "the disk is full: removed %.1f MB of index files, which are made again from the graph", removed / 1e6
        )
    return removed
