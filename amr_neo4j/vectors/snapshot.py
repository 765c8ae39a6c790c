"""Stores dense indexes on disk: a file per kind and model, replaced atomically under a lock between processes."""

from __future__ import annotations

import errno
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from filelock import FileLock
from numpy.lib.npyio import NpzFile

from amr_neo4j.disk_space import fits
from amr_neo4j.domain.ports import Kind
from amr_neo4j.errors import InputError
from amr_neo4j.files import open_regular, private_file, private_folder
from amr_neo4j.vectors.row_metadata import Column

# The format of the arrays. Snapshots of another version are ignored.
_VERSION = 3
# Larger arrays of bytes are mapped and not read, because copying a million vectors takes longer than everything else.
_COPIED_BYTES = 1 << 24
# Offsets in the header of a zip member: that of the lengths of its name and extra field, and that of its end.
_LENGTHS, _HEADER_END = 26, 30


@dataclass(frozen=True)
class Snapshot:
    """An index as named arrays, with all vectors before sequence number next_seq.

    Arrays that were read may be read-only.
    """

    next_seq: int
    arrays: Mapping[str, Any]


# Errors of numpy and zipfile for a damaged file. RuntimeError: a flipped bit makes it look encrypted. InputError: it
# is missing, or not a regular file; opening a pipe would block.
_UNREADABLE = (
    InputError,
    OSError,
    ValueError,
    KeyError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)


def read(path: Path) -> Snapshot | None:
    """Return the snapshot; None if it is missing or unreadable, since it is derived data."""
    try:
        with open_regular(path) as file, np.load(file, allow_pickle=False) as saved:
            next_seq = _next_seq(saved)
            names = [name for name in saved if name not in ("version", "next_seq")]
            return Snapshot(next_seq, {name: _array(file, saved, name) for name in names})
    except _UNREADABLE:
        return None


def _array(file: BinaryIO, saved: NpzFile, name: str) -> Column:
    """Return an array: a copy, or a view of the file after checking it as zipfile would."""
    archive = cast("zipfile.ZipFile", saved.zip)
    member = archive.getinfo(f"{name}.npy")
    if member.file_size <= _COPIED_BYTES or member.compress_type != zipfile.ZIP_STORED:
        return saved[name]
    file.seek(member.header_offset + _LENGTHS)
    lengths = struct.unpack("<HH", file.read(_HEADER_END - _LENGTHS))
    # The data of a stored (uncompressed) member follows its header in the file, unchanged.
    start = member.header_offset + _HEADER_END + sum(lengths)
    stored = np.memmap(file, np.uint8, "r", start, (member.file_size,))
    if zlib.crc32(stored.data) != member.CRC:
        raise zipfile.BadZipFile(f"the checksum of {name} is wrong")
    file.seek(start)
    if np.lib.format.read_magic(file) != (1, 0):
        return saved[name]
    shape, by_columns, kind = np.lib.format.read_array_header_1_0(file)
    # Arrays of wider numbers would be misaligned in memory, which is slow to read.
    if by_columns or kind != np.uint8:
        return saved[name]
    return np.reshape(stored[file.tell() - start :], shape)


def is_damaged(path: Path) -> bool:
    """Return whether the file exists but cannot be read."""
    return path.exists() and read(path) is None


def write(path: Path, snapshot: Snapshot) -> None:
    """Replace the file, unless it is newer.

    Raises OSError: it cannot be written, or would fill the disk; the old file is then untouched, with no part left.
    """
    private_folder(path.parent)
    with FileLock(private_file(path.with_name(f"{path.name}.lock")), mode=0o600):
        if _saved_up_to(path) > snapshot.next_seq:
            return
        if not fits(path.parent, sum(np.asarray(values).nbytes for values in snapshot.arrays.values())):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        part = path.with_suffix(".part")
        try:
            _save(part, snapshot)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise


def _save(part: Path, snapshot: Snapshot) -> None:
    with private_file(part).open("wb") as file:
        head: dict[str, Any] = {"version": np.int64(_VERSION), "next_seq": np.int64(snapshot.next_seq)}
        np.savez(file, **head, **snapshot.arrays)
        file.flush()
        # The name must not point to the new file before its content is on the disk.
        os.fsync(file.fileno())


def _saved_up_to(path: Path) -> int:
    try:
        with open_regular(path) as file, np.load(file, allow_pickle=False) as saved:
            return _next_seq(saved)
    except _UNREADABLE:
        return 0


def _next_seq(saved: Mapping[str, Column]) -> int:
    """Return the sequence number up to which the snapshot goes. Raises ValueError if it has another version."""
    if saved["version"] != _VERSION:
        raise ValueError(f"a snapshot of version {saved['version']}")
    return int(saved["next_seq"])


def snapshot_file(folder: Path, kind: Kind, model: str) -> Path:
    """Return the file of this kind and model. folder: the folder of one database."""
    name = re.sub(r"[^\w.-]", "_", model)
    return folder / f"{kind}-{name}.npz"


def remove_snapshots(folder: Path, kind: Kind) -> None:
    """Remove the snapshots of a kind, for all models. They are rebuilt from the graph."""
    for file in folder.glob(f"{kind}-*.npz"):
        file.unlink(missing_ok=True)
