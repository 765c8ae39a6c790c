"""Compiles the reader's expressions, and keeps them compiled in a file for the next process.

Python compiles regular expressions in Python: those of five languages take half a minute of CPU. What the compiler
makes is a list of numbers for the matching engine, written in C. The file holds these numbers; the engine checks them
whenever it takes them. Without the file, or with a Python whose compiler differs, everything is compiled.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import sys
import zlib
from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

try:
    # Names without a promise, as they are from Python 3.11 on.
    _sre: Any = import_module("_sre")
    _parser: Any = import_module("re._parser")
    _compiler: Any = import_module("re._compiler")
except ImportError:
    _sre = None

_COMPILER = f"{sys.implementation.cache_tag} {getattr(_sre, 'MAGIC', '')} {getattr(_sre, 'CODESIZE', '')}"
_BUSY_SECONDS = 1.0
_DAMAGED = (sqlite3.Error, zlib.error, ValueError, TypeError, RuntimeError)


class _Kept:
    """A file of compiled expressions, which processes and threads share. Its faults are never those of a turn."""

    def __init__(self, file: Path) -> None:
        self._lock = Lock()
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        self._file.execute("PRAGMA synchronous = OFF")  # what a loss of power takes is compiled again
        self._file.execute("CREATE TABLE IF NOT EXISTS expressions (source BLOB PRIMARY KEY, compiled BLOB)")

    def compiled(self, source: str) -> re.Pattern[str]:
        key = _key(source)
        with suppress(*_DAMAGED):
            with self._lock:
                row = self._file.execute("SELECT compiled FROM expressions WHERE source = ?", (key,)).fetchone()
            if row:
                [packed] = row
                return _unpacked(source, packed)
        made, packed = _compile(source)
        with suppress(sqlite3.Error), self._lock:
            self._file.execute("INSERT OR REPLACE INTO expressions VALUES (?, ?)", (key, packed))
        return made

    def has(self, name: str) -> bool:
        with suppress(sqlite3.Error), self._lock:
            return (
                self._file.execute("SELECT 1 FROM expressions WHERE source = ?", (_key(name),)).fetchone() is not None
            )
        return False

    def note(self, name: str) -> None:
        with suppress(sqlite3.Error), self._lock:
            self._file.execute("INSERT OR REPLACE INTO expressions VALUES (?, '')", (_key(name),))


_kept: _Kept | None = None


@cache
def keep_in(file: Path) -> None:
    """Keep the expressions of this process in a file, made if there is none. If that fails, they are compiled."""
    global _kept  # noqa: PLW0603 (as the language kits, expressions are made once in a process)
    if _sre is not None:
        with suppress(OSError, sqlite3.Error):
            _kept = _Kept(file)


def compile_once(name: str, compile_all: Callable[[], object]) -> None:
    """Compile expressions now, unless the file has all of them: those of a turn are read from it in milliseconds.

    name: of these expressions, and no others.
    """
    if _kept is None:
        compile_all()
    elif not _kept.has(name):
        compile_all()
        _kept.note(name)


def _key(source: str) -> bytes:
    return hashlib.sha256(f"{_COMPILER}\n{source}".encode()).digest()


def compiled(source: str) -> re.Pattern[str]:
    """Return a compiled expression, as `re.compile` does."""
    return _kept.compiled(source) if _kept else re.compile(source)


def _compile(source: str) -> tuple[re.Pattern[str], bytes]:
    """Do as `re.compile` does, and also return what it gives to the engine."""
    parsed = _parser.parse(source)
    code: list[int] = _compiler._code(parsed, 0)
    flags, groups, names = parsed.state.flags, parsed.state.groups - 1, parsed.state.groupdict
    head = json.dumps([flags, groups, names]).encode()
    packed = zlib.compress(len(head).to_bytes(4) + head + array("I", code).tobytes(), 1)
    return _pattern(source, flags, code, groups, names), packed


def _unpacked(source: str, packed: bytes) -> re.Pattern[str]:
    plain = zlib.decompress(packed)
    start = 4 + int.from_bytes(plain[:4])
    flags, groups, names = json.loads(plain[4:start])
    return _pattern(source, flags, array("I", plain[start:]).tolist(), groups, names)


def _pattern(source: str, flags: int, code: list[int], groups: int, names: dict[str, int]) -> re.Pattern[str]:
    by_number: list[str | None] = [None] * (groups + 1)
    for name, number in names.items():
        by_number[number] = name
    made: re.Pattern[str] = _sre.compile(source, flags, code, groups, names, tuple(by_number))
    return made
