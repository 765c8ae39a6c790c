"""Opens the files that a user names, and makes the files that only this user may read."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from threading import get_ident
from typing import BinaryIO
from urllib.parse import unquote

from amr_neo4j.errors import InputError, NoSuchFile

_FILE, _FOLDER = 0o600, 0o700
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def whole_path(path: Path) -> Path:
    """Return the absolute path without "..". Links are followed only to resolve ".."."""
    return path.parent.resolve() / path.name if ".." in path.parts else path.absolute()


def check_path(path: Path) -> None:
    """Raise InputError if the graph could not store this path: its name is not valid UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the name {str(path)!a} is not valid UTF-8", hint="rename it") from error


def local_path(uri: str) -> str:
    """Return the path that a stored uri names. A path is stored as it is, or as file://."""
    return unquote(uri.removeprefix("file://")) if uri.startswith("file://") else uri


def open_regular(path: Path, *, at_most: int | None = None) -> BinaryIO:
    """Open a regular file for reading. at_most: the most bytes that it may have.

    Raises NoSuchFile: it does not exist or cannot be read; InputError: it is a folder, a pipe, a socket or a device,
    or larger than at_most.
    """
    try:
        # Without O_NONBLOCK, opening a pipe would wait for a writer. The kind of file is checked after opening,
        # because it could be replaced between a check and the opening.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        if _is_socket(path):
            raise _not_regular(path, "a socket") from error
        raise NoSuchFile(f"cannot read {path}: {why}", hint="check the path") from error
    file = os.fdopen(number, "rb") if stat.S_ISREG(os.fstat(number).st_mode) else None
    if file is None:
        kind = _kind(number)
        os.close(number)
        raise _not_regular(path, kind)
    os.set_blocking(number, True)
    size = os.fstat(number).st_size
    if at_most is not None and size > at_most:
        file.close()
        raise too_large(path, at_most)
    return file


def read_regular(path: Path, *, at_most: int) -> bytes:
    """Return the content of a regular file. Takes the same arguments as `open_regular`, and raises its errors."""
    with open_regular(path, at_most=at_most) as file:
        content = file.read(at_most + 1)
    if len(content) > at_most:  # it grew, or its file system reports no size
        raise too_large(path, at_most)
    return content


def too_large(path: Path | str, at_most: int, hint: str = "split it, or check the path") -> InputError:
    """Return the error for a file of more than `at_most` bytes."""
    return InputError(f"{path} is larger than {at_most >> 20} MiB", hint=hint)


def private_folder(folder: Path) -> Path:
    """Make the folder and its missing parents, for this user only, even if the umask allows more.

    Existing folders stay as they are. Returns the folder.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        try:
            path.mkdir(mode=_FOLDER)
        except FileExistsError:  # another process made it
            continue
        path.chmod(_FOLDER)
    folder.mkdir(exist_ok=True)  # raises FileExistsError if it is a file
    return folder


def private_file(path: Path) -> Path:
    """Make the file for this user only, if it is missing. If it exists, take away the rights of others.

    Its folder is made too. Returns the path.
    Raises OSError if it cannot be written, or is a symbolic link, which might lead to a file that is not ours.
    """
    private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _FILE))
    except FileExistsError:
        # A file that exists is not opened, because closing it would drop every lock that this process holds on it.
        # SQLite in another program would take the file for unused, and delete the journal with what was committed.
        if not stat.S_ISREG(path.lstat().st_mode):
            raise
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path)) from None
    make_private(path)
    return path


def write_atomically(path: Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a file as a whole. Readers find the old or the new content, never a part of it, even after a kill.

    Its folder must exist.

    private: make it for this user only.
    Raises InputError: the path is something else than a regular file, which the rename would replace.
    """
    if path.exists() and not path.is_file():
        raise _not_regular(path, next((name for matches, name in _KINDS if matches(path.stat().st_mode)), "no file"))
    part = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}.part")  # two threads may write one file
    try:
        if private:
            private_file(part)
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def make_private(path: Path) -> None:
    """Take away the rights of others on a file. Does nothing if it is missing, a link, or of another user."""
    if path.is_symlink():
        return
    try:
        if stat.S_IMODE(path.stat().st_mode) != _FILE:
            path.chmod(_FILE)
    except (FileNotFoundError, PermissionError):
        return


def _not_regular(path: Path, kind: str) -> InputError:
    if kind == "a folder":
        return InputError(f"{path} is a folder", hint="name a file in it")
    return InputError(f"{path} is not a regular file but {kind}", hint="copy its content to a file first")


def _kind(number: int) -> str:
    mode = os.fstat(number).st_mode
    return next((name for matches, name in _KINDS if matches(mode)), "something else")


def _is_socket(path: Path) -> bool:
    try:
        return path.is_socket()
    except (OSError, ValueError):
        return False
