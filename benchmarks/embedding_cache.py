"""An embedder with a persistent cache, so that repeated benchmark runs do not compute vectors again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.errors import ConfigError
from amr_neo4j.files import private_file

_CREATE = (
    "CREATE TABLE IF NOT EXISTS vectors (model TEXT, text BLOB, data BLOB, PRIMARY KEY (model, text)) WITHOUT ROWID"
)
_READ = "SELECT data FROM vectors WHERE model = ? AND text = ?"
_WRITE = "INSERT OR IGNORE INTO vectors VALUES (?, ?, ?)"


class CachedEmbedder(Embedder):
    """The vectors of the wrapped embedder, each text computed once per model and stored in a SQLite file.

    Texts are stored as their sha256 only. Safe to use from several threads and processes.
    """

    def __init__(self, embedder: Embedder, path: Path) -> None:
        """Raises ConfigError: the file exists and is not such a cache."""
        self.model, self.dim, self.unrelated = embedder.model, embedder.dim, embedder.unrelated
        self.alike = embedder.alike
        self._embedder = embedder
        self._lock = Lock()
        self._file = _open(path)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), dim) float32, rows of length 1."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        known = self._read(set(keys))
        known |= self._compute({key: text for key, text in zip(keys, texts, strict=True) if key not in known})
        vectors = np.empty((len(keys), self.dim), np.float32)
        for row, key in enumerate(keys):
            vectors[row] = known[key]
        return vectors

    def close(self) -> None:
        self._file.close()

    def _read(self, keys: Iterable[bytes]) -> dict[bytes, Vectors]:
        with self._lock:
            found = {key: self._file.execute(_READ, (self.model, key)).fetchone() for key in keys}
        return {key: np.frombuffer(row[0], np.float32) for key, row in found.items() if row}

    def _compute(self, texts: Mapping[bytes, str]) -> dict[bytes, Vectors]:
        vectors = dict(zip(texts, self._embedder.embed(list(texts.values())), strict=True))
        with self._lock, self._file:
            self._file.executemany(_WRITE, ((self.model, key, vector.tobytes()) for key, vector in vectors.items()))
        return vectors


def _open(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(private_file(path), check_same_thread=False, timeout=30)
    try:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute(_CREATE)
    except sqlite3.DatabaseError as error:
        file.close()
        raise ConfigError(f"{path} is not a cache of embeddings: {error}", hint="delete it") from error
    return file
