"""Episodes that were accepted and wait for the graph, in one SQLite file; several processes may share it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from amr_neo4j.domain.episode import Accepted, Episode, Session
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.spool.file import SpoolFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS waiting (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  graph TEXT NOT NULL, group_id TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
  episode_id TEXT NOT NULL, episode TEXT NOT NULL,
  refused TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX IF NOT EXISTS waiting_key ON waiting (graph, group_id, user_id, episode_id) WHERE refused = '';
"""
_FIND = (
    "SELECT number, episode FROM waiting "
    "WHERE graph = ? AND group_id = ? AND user_id = ? AND episode_id = ? AND refused = ''"
)


class Spool:
    """A queue of episodes for one graph. What `accept` has returned from is on disk, whatever happens next."""

    def __init__(self, file: Path, graph: str) -> None:
        """graph: which database they are for; the file may hold those of others."""
        self._graph = graph
        self._file = SpoolFile(file, _SCHEMA, "what was said")
        self._db = self._file.db

    def close(self) -> None:
        """End the connection; what waits goes on waiting."""
        self._file.close()

    def accept(self, episodes: Sequence[Episode]) -> list[Accepted]:
        """Keep them, all or none. Raises NoSpace."""
        with self._file.transaction():
            return [self._accept(episode) for episode in episodes]

    def waiting(self, group_id: str, most: int) -> list[tuple[int, Episode]]:
        """(number, episode) of those of a group that wait, in the order of their acceptance."""
        rows = self._file.rows(
            "SELECT number, episode FROM waiting WHERE graph = ? AND group_id = ? AND refused = '' "
            "ORDER BY number LIMIT ?",
            (self._graph, group_id, most),
        )
        return [(number, _read(text)) for number, text in rows]

    def done(self, numbers: Sequence[int]) -> None:
        """Let go of these: the graph has them, or their caller was told that they were not taken."""
        with self._file.transaction():
            self._db.executemany("DELETE FROM waiting WHERE number = ?", [(number,) for number in numbers])

    def refusal(self, number: int) -> str | None:
        """Why the graph would not take this one; "" while it waits, None where it is here no more."""
        rows = self._file.rows("SELECT refused FROM waiting WHERE number = ?", (number,))
        return rows[0][0] if rows else None

    def refuse(self, number: int, why: str) -> None:
        """The graph will never take this one: it is kept apart, for a person to look at."""
        with self._file.transaction():
            self._db.execute("UPDATE waiting SET refused = ? WHERE number = ?", (why, number))

    def refused(self, group_id: str) -> list[tuple[Episode, str]]:
        """Those of a group that the graph would not take, with the reason."""
        rows = self._file.rows(
            "SELECT episode, refused FROM waiting WHERE graph = ? AND group_id = ? AND refused <> '' ORDER BY number",
            (self._graph, group_id),
        )
        return [(_read(text), why) for text, why in rows]

    def forget(
        self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None
    ) -> int:
        """Remove a user's episodes, or those of a session, or one; from the disk too. Returns how many there were.

        Raises StoreUnavailable: they are gone, and still in the file's journal, which another process holds.
        """
        with self._file.transaction():
            gone = self._db.execute(
                "DELETE FROM waiting WHERE graph = ? AND group_id = ? AND user_id = ? "
                "AND (? IS NULL OR session_id = ?) AND (? IS NULL OR episode_id = ?)",
                (self._graph, group_id, user_id, session_id, session_id, episode_id, episode_id),
            ).rowcount
        # The journal keeps what was deleted until it is written back.
        [held, *_] = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if held:
            raise StoreUnavailable("another process still reads what is forgotten here", hint="run the same again")
        return gone

    def _accept(self, episode: Episode) -> Accepted:
        key = self._key(episode)
        row = self._db.execute(_FIND, key).fetchone()
        if row is None:
            number = self._db.execute(
                "INSERT INTO waiting (graph, group_id, user_id, episode_id, session_id, episode) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (*key, episode.session.session_id, _written(episode)),
            ).lastrowid
            return Accepted(cast(int, number), is_new=True)
        there = _read(row[1])
        same = (there.session, there.content_sha256) == (episode.session, episode.content_sha256)
        return Accepted(row[0], other=None if same else there)

    def _key(self, episode: Episode) -> tuple[str, str, str, str]:
        return self._graph, episode.session.group_id, episode.session.user_id, episode.episode_id


def waiting_turns(file: Path, group_id: str) -> int:
    """How many episodes of a group wait in a spool, for whatever graph."""
    spool = SpoolFile(file, _SCHEMA, "")
    [[number]] = spool.rows("SELECT count(*) FROM waiting WHERE group_id = ? AND refused = ''", (group_id,))
    spool.close()
    return number


def _written(episode: Episode) -> str:
    return json.dumps(asdict(episode) | {"valid_at": episode.valid_at.isoformat()}, ensure_ascii=False)


def _read(text: str) -> Episode:
    table: dict[str, Any] = json.loads(text)
    session = Session(**table.pop("session"))
    valid_at = datetime.fromisoformat(table.pop("valid_at"))
    return Episode(session=session, valid_at=valid_at, **table)
