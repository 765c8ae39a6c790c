"""The record of a local database: the engine, ports and password that its first start has chosen."""

from __future__ import annotations

import hashlib
import json
import secrets
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Literal

from amr_neo4j.errors import DatabaseError
from amr_neo4j.files import private_file, private_folder

EngineName = Literal["docker", "maven"]


@dataclass(frozen=True)
class Record:
    """The engine, and the ports on loopback.

    pid: process of the server at the last start; None with Docker.
    folder, inode: path and inode of the home when the record was saved. A copy of the home differs in both.
    store_id: what Neo4j calls the database whose files are in the home; empty before its first start.
    """

    engine: EngineName
    bolt_port: int
    http_port: int
    pid: int | None = None
    folder: str = ""
    inode: int = 0
    store_id: str = ""

    def belongs_to(self, home: Path) -> bool:
        """Return whether the record was saved in this home and not in the original of a copy.

        A home that was moved or is mounted elsewhere has another path, but the same inode.
        """
        return not self.folder or self.folder == str(home) or self.inode == home.stat().st_ino


def load(home: Path) -> Record | None:
    """Return the saved record; None before the first start. Raises DatabaseError: its file is damaged."""
    try:
        return Record(**json.loads(_record_file(home).read_text()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise DatabaseError(f"{_record_file(home)} is damaged", hint=f"repair it, or delete {home}") from error


def save(home: Path, record: Record) -> None:
    """Save the record as that of this home, atomically."""
    private_folder(home)
    written = replace(record, folder=str(home), inode=home.stat().st_ino)
    _write(_record_file(home), json.dumps(asdict(written), indent=2) + "\n")


def password_file(home: Path) -> Path:
    """Return the file that holds the password. Only the user can read it."""
    return home / "password"


def make_password(home: Path) -> str:
    """Make a new password and save it in password_file."""
    password = secrets.token_hex(24)  # hex, because neo4j-admin takes a leading "-" for an option
    _write(password_file(home), password + "\n")
    return password


def password(home: Path) -> str:
    """Return the password that the first start has made. Raises DatabaseError: its file is missing."""
    try:
        return password_file(home).read_text().strip()
    except FileNotFoundError as error:
        raise DatabaseError(f"{password_file(home)} is missing", hint="restore it, or run: amr db destroy") from error


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Context manager: holds a lock on the file `path`. Blocks while another process holds it."""
    with private_file(path).open("w") as file:
        flock(file, LOCK_EX)
        yield


def _record_file(home: Path) -> Path:
    return home / "database.json"


def _write(path: Path, text: str) -> None:
    """Write a file atomically. Only the user can read it."""
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)  # a killed run may have left one
    private_file(temporary).write_text(text)
    temporary.replace(path)


Notify = Callable[[str], None]


# Ports from 20,000 to 31,999. Linux gives higher ones (from 32,768) to outgoing connections.
_FIRST, _COUNT = 20_000, 12_000
# Seconds for which a killed server may still hold its ports.
_CLOSES_WITHIN_S = 2.0


def free_pair(home: Path) -> tuple[int, int]:
    """Return two adjacent free ports (Bolt, HTTP).

    The search starts at a port derived from the home, so that two homes rarely get the same ports, even while their
    servers are stopped. Raises DatabaseError if there are none.
    """
    start = int(hashlib.sha256(str(home).encode()).hexdigest(), 16) % _COUNT
    for step in range(0, _COUNT, 2):
        port = _FIRST + (start + step) % _COUNT // 2 * 2
        if is_free(port) and is_free(port + 1):
            return port, port + 1
    raise DatabaseError("no two free ports on loopback", hint="stop some of the servers on this machine")


def becomes_free(port: int) -> bool:
    """Return whether a port is free or becomes free within 2 s. A killed server closes its ports late."""
    until = time.monotonic() + _CLOSES_WITHIN_S
    while not is_free(port):
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def is_free(port: int) -> bool:
    """Return whether a server could listen on the port now."""
    with socket.socket() as probe:
        # Servers set this option too. With it, a port in TIME_WAIT after a close counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
