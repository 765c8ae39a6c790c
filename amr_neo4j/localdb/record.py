"""The record of the first start, and the password: files in the database's home, written atomically."""

from __future__ import annotations

import json
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Literal

from amr_neo4j.errors import DatabaseError
from amr_neo4j.files import private_file

EngineName = Literal["docker", "maven"]


@dataclass(frozen=True)
class Record:
    """The engine and the loopback ports. pid: of the last process started, for the Maven engine."""

    engine: EngineName
    bolt_port: int
    http_port: int
    pid: int | None = None


def load(home: Path) -> Record | None:
    """Returns the saved record; None before the first start."""
    try:
        return Record(**json.loads(_record_file(home).read_text()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise DatabaseError(f"{_record_file(home)} is damaged", hint=f"repair it, or delete {home}") from error


def save(home: Path, record: Record) -> None:
    """Save the record."""
    _write(_record_file(home), json.dumps(asdict(record), indent=2) + "\n")


def password_file(home: Path) -> Path:
    """Returns the file of the password; only the user can read it."""
    return home / "password"


def make_password(home: Path) -> str:
    """Make a new password and save it in password_file."""
    password = secrets.token_hex(24)  # neo4j-admin takes a leading "-" for an option
    _write(password_file(home), password + "\n")
    return password


def password(home: Path) -> str:
    """Returns the password made at the first start."""
    try:
        return password_file(home).read_text().strip()
    except FileNotFoundError as error:
        raise DatabaseError(f"{password_file(home)} is missing", hint="restore it, or run: amr db destroy") from error


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Context manager: hold a lock on the file `path`; blocks while another process holds it."""
    with private_file(path).open("w") as file:
        flock(file, LOCK_EX)
        yield


def _record_file(home: Path) -> Path:
    return home / "database.json"


def _write(path: Path, text: str) -> None:
    """Write atomically; readable by the user only."""
    temporary = path.with_suffix(".new")
    temporary.unlink(missing_ok=True)
    private_file(temporary).write_text(text)
    temporary.replace(path)
