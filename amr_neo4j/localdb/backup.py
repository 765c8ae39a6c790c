"""Packs the local database and the data folder into one file, and unpacks it elsewhere."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from amr_neo4j.disk_space import VECTORS_FOLDER
from amr_neo4j.errors import ConfigError, DatabaseError, InputError
from amr_neo4j.files import open_regular, private_file, private_folder
from amr_neo4j.localdb import record as records
from amr_neo4j.localdb.database import awaited, choose, home_of, launch, locked, open_engine, own_record
from amr_neo4j.localdb.record import Notify, Record
from amr_neo4j.settings import Settings

_FORMAT = "amr-backup-1"
_MANIFEST, _DUMP, _DATA = "manifest.json", "neo4j.dump", "data"
# Bytes. A backup may come from anywhere, so no more than this is read into memory.
_MOST_MANIFEST = 64 * 2**20
_SQLITE = b"SQLite format 3\0"
# Left out of the data folder: the database, which is dumped, and indexes, which are rebuilt from it.
_LEFT_OUT = ("neo4j", "neo4j.lock", VECTORS_FOLDER)


@dataclass(frozen=True)
class Backup:
    """A backup file.

    sha256: digest of the whole file.
    files: how many files of the data folder are in it.
    """

    file: Path
    bytes: int
    sha256: str
    files: int


def backup(settings: Settings, file: Path, notify: Notify = lambda line: None) -> Backup:
    """Write the local database and the data folder to a file.

    A running database is stopped during the backup. Turns that are said in that time wait in the spool.
    Raises DatabaseError: there is no local database, or it could not be dumped. InputError: the file exists, or
    would lie in the data folder, so that the next backup would hold it.
    """
    if file.exists():
        raise InputError(f"{file} exists", hint="name another file, or delete it")
    home = home_of(settings)
    if file.resolve().is_relative_to(home.parent.resolve()):
        raise InputError(
            f"{file} is in the data folder", hint="name a file elsewhere: each backup would hold the last"
        )
    private_folder(file.absolute().parent)
    # The temporary folder is beside the file, so that the finished backup can be renamed into place.
    with locked(home), tempfile.TemporaryDirectory(dir=file.absolute().parent, prefix=".amr-backup-") as name:
        record = own_record(home)
        if record is None:
            raise DatabaseError("there is no local database here", hint="set AMR_DATA_DIR to the folder that has one")
        engine, folder = open_engine(settings, record.engine), Path(name)
        was_running = engine.running(record)
        try:
            if was_running:
                notify("stopping Neo4j for the backup")
                engine.stop(record)
            engine.dump(folder)
            # While the database is stopped, nothing leaves the queues: they and the dump fit together.
            _copy_data(home.parent, folder / _DATA)
        finally:
            if was_running:
                engine.stop(record)  # after an interruption it may still be about to stop
                awaited(engine, launch(engine, record, home), home)
        return _pack(folder, file)


def restore(settings: Settings, file: Path, notify: Notify = lambda line: None) -> Backup:
    """Unpack a backup into the data folder of the settings, and start the database.

    Every file of the backup is checked before anything is written. A restore that was killed can be repeated.
    Raises InputError: the file is no backup or is damaged, or the data folder holds another file of the same name.
    ConfigError: there is already a local database.
    """
    home = home_of(settings)
    with locked(home):
        if records.load(home):
            raise ConfigError(
                f"there is a local database in {home}",
                hint="set AMR_DATA_DIR to an empty folder, or run: amr db destroy",
            )
        found = _checked(file)
        members = [name for name in found if name.startswith(f"{_DATA}/")]
        targets = {name: home.parent / name.removeprefix(f"{_DATA}/") for name in members}
        # A restore that was killed may have put some of them there already.
        for name, path in targets.items():
            if path.exists() and not (path.is_file() and _sha256_of(path) == found[name]):
                raise InputError(f"{path} exists", hint="set AMR_DATA_DIR to an empty folder")
        engine = open_engine(settings, choose(settings, notify))
        record = Record(engine.name, *records.free_pair(home))
        with tempfile.TemporaryDirectory(dir=home.parent, prefix=".amr-restore-") as name:
            folder = Path(name)
            with tarfile.open(file) as archive:
                archive.extractall(folder, filter="data")  # refuses paths that lead out of the folder
            notify("loading the database")
            engine.load(record, folder)
            records.make_password(home)  # the dump holds no users, so the database starts with a new password
            for member, target in targets.items():
                private_folder(target.parent)
                (folder / member).replace(target)
        records.save(home, record)  # last: until then there is no local database, and this can be run again
        notify("starting Neo4j")
        awaited(engine, launch(engine, record, home), home)
        return Backup(file, file.stat().st_size, _sha256_of(file), len(members))


def _copy_data(data_dir: Path, target: Path) -> None:
    """Copy the regular files of the data folder. An SQLite file is copied in its last committed state."""
    target.mkdir()
    for path in sorted(data_dir.rglob("*")):
        name = path.relative_to(data_dir)
        if name.parts[0] in _LEFT_OUT or path.is_symlink() or not path.is_file():
            continue
        if path.name.endswith(("-wal", "-shm")):  # its content is in the copy of the file beside it
            continue
        private_file(target / name)
        if _is_sqlite(path):
            # Another program may be writing to the file. SQLite's own copy waits for it; a plain copy could be torn.
            with sqlite3.connect(path) as source, sqlite3.connect(target / name) as copy:
                source.backup(copy)
            source.close()
            copy.close()
        else:
            shutil.copyfile(path, target / name)


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _pack(folder: Path, file: Path) -> Backup:
    """Write a folder and the digest of each file in it to a tar file, which appears only when it is complete."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    digests = {name: _sha256_of(path) for name, path in names.items()}
    (folder / _MANIFEST).write_text(json.dumps({"format": _FORMAT, "files": digests}, indent=1))
    part = private_file(folder / "packed")
    with tarfile.open(part, "w") as archive:
        for name, path in {_MANIFEST: folder / _MANIFEST, **names}.items():
            archive.add(path, name)
    packed = Backup(file, part.stat().st_size, _sha256_of(part), len(names) - 1)
    # On disk before the rename: otherwise a power failure could leave an empty file under the final name.
    with part.open("rb") as written:
        os.fsync(written.fileno())
    part.replace(file)
    return packed


def _checked(file: Path) -> dict[str, str]:
    """Return {name of a file in a backup: its SHA-256}.

    Raises InputError: the file is no backup, or a file in it differs from its digest.
    """
    with open_regular(file) as opened:
        try:
            with tarfile.open(fileobj=opened) as archive:
                manifest = _manifest(archive)
                found = {member.name: _sha256(content) for member, content in _members(archive)}
        except (tarfile.TarError, ValueError, KeyError, EOFError, OSError) as error:
            raise InputError(
                f"{file} is not a backup: {error}", hint="name a file that amr db backup wrote"
            ) from error
    if found != manifest:
        wrong = sorted(name for name in {**found, **manifest} if found.get(name) != manifest.get(name))
        raise InputError(f"{file} is damaged: {wrong[0]}", hint="copy it again, or use another backup")
    return found


def _manifest(archive: tarfile.TarFile) -> dict[str, str]:
    first = archive.next()
    content = archive.extractfile(first) if first and first.name == _MANIFEST else None
    if content is None:
        raise ValueError("it does not begin with a list of its files")
    stated: dict[str, Any] = json.loads(content.read(_MOST_MANIFEST))
    if stated["format"] != _FORMAT:
        raise ValueError(f"its format is {stated['format']}, not {_FORMAT}")
    return stated["files"]


def _members(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """Yield the files of a backup that follow the manifest. Raises ValueError if it contains anything else."""
    for member in archive:
        content = archive.extractfile(member)
        if member.name == _MANIFEST:
            continue
        if (
            not member.isfile()
            or content is None
            or (member.name != _DUMP and not member.name.startswith(f"{_DATA}/"))
        ):
            raise ValueError(f"it has an unexpected {member.name}")
        yield member, content


def _sha256(content: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while piece := content.read(2**20):
        digest.update(piece)
    return digest.hexdigest()


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return _sha256(file)
