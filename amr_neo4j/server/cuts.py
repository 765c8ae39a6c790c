"""Pictures and clips, cut out of films when they are first asked for and kept for a while in a private folder."""

from __future__ import annotations

import hashlib
import shutil
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from amr_neo4j.files import private_folder
from amr_neo4j.spool import SERVED_FOLDER

# Cut pictures and clips that are kept at most.
_MOST_FILES = 200


@dataclass(frozen=True)
class SentOnce:
    """A file that is deleted after the reply."""

    path: Path


class Cuts:
    """Files cut out of films. Thread-safe. Forgetting deletes them, and so does a server that starts or ends."""

    def __init__(self, data_dir: Path) -> None:
        self._folder, self._lock = private_folder(data_dir) / SERVED_FOLDER, Lock()
        self._files: OrderedDict[str, Path] = OrderedDict()
        self.clear()

    def file(self, what: tuple[object, ...], suffix: str, cut: Callable[[Path], Any]) -> Path:
        """Return the file of `what`, which `cut` writes if it is not there yet."""
        name = hashlib.sha256(repr(what).encode()).hexdigest() + suffix
        path = private_folder(self._folder) / name
        if not path.exists():
            try:
                cut(path)
            except FileNotFoundError:  # deleted by a call that forgets
                private_folder(self._folder)
                cut(path)
        with self._lock:
            self._files[name] = path
            self._files.move_to_end(name)
            # An open file can still be read to its end after it was deleted.
            while len(self._files) > _MOST_FILES:
                self._files.popitem(last=False)[1].unlink(missing_ok=True)
        return path

    def new(self, suffix: str) -> Path:
        """Return the name of a new file, which whoever asked deletes after use."""
        return private_folder(self._folder) / f"{uuid4().hex}{suffix}"

    def clear(self) -> None:
        """Delete all files."""
        with self._lock:
            self._files.clear()
            shutil.rmtree(self._folder, ignore_errors=True)
