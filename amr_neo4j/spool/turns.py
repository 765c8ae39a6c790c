"""Accepted episodes that are not in the graph yet, in one SQLite file. Several processes may share it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from amr_neo4j.domain.episode import Accepted, Episode, Session
from amr_neo4j.domain.fact import FactChange, Triple
from amr_neo4j.spool.file import SpoolFile

# AUTOINCREMENT never reuses a number, so that numbers follow the order of acceptance. The unique index leaves out
# refused entries: a turn with the same id may be accepted again.
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


@dataclass(frozen=True)
class RefusedTurn:
    """An episode that was set aside. episode: the episode itself, or why its entry cannot be read."""

    number: int
    user_id: str
    session_id: str
    episode_id: str
    episode: Episode | str
    why: str


# Selects the episodes of a user; of one session, if it is not null; only one episode, if its id is not null.
_WHOSE = (
    "graph = ? AND group_id = ? AND user_id = ? AND (? IS NULL OR session_id = ?) AND (? IS NULL OR episode_id = ?)"
)


class Spool(SpoolFile):
    """A queue of episodes for one database (decision 0057). When `accept` returns, the episodes are on disk."""

    def __init__(self, file: Path, graph: str) -> None:
        """graph: id of the database that the episodes are for. The file may hold episodes for other databases too."""
        self._graph = graph
        super().__init__(file, _SCHEMA, "conversation turns")

    def accept(self, episodes: Sequence[Episode]) -> list[Accepted]:
        """Queue all of these episodes, or none if there is an error. Raises NoSpace.

        An episode that is already queued is not queued again. One with the same id and other content is not queued;
        its result names the other.
        """
        with self.transaction():
            return [self._accept(episode) for episode in episodes]

    def waiting(self, group_id: str, most: int, user_id: str = "") -> list[tuple[int, Episode]]:
        """Return (number, episode) of a group's queued episodes, at most `most`, in the order of acceptance.

        user_id: only those of this user. Entries that cannot be read are set aside.
        """
        # Repeats if a whole page was unreadable: an empty result would mean that nothing waits.
        while True:
            rows = self.rows(
                "SELECT number, episode FROM waiting WHERE graph = ? AND group_id = ? AND refused = '' "
                "AND (? = '' OR user_id = ?) ORDER BY number LIMIT ?",
                (self._graph, group_id, user_id, user_id, most),
            )
            read = [(number, _readable(text)) for number, text in rows]
            for number, episode in read:
                if isinstance(episode, str):
                    self.refuse(number, episode)
            if (episodes := [(n, e) for n, e in read if isinstance(e, Episode)]) or not rows:
                return episodes

    def of_user(self, group_id: str, user_id: str) -> list[tuple[int, Episode]]:
        """Return (number, episode) of a user's queued episodes, in order of acceptance."""
        rows = self.rows(
            "SELECT number, episode FROM waiting WHERE graph = ? AND group_id = ? AND user_id = ? AND refused = '' "
            "ORDER BY number",
            (self._graph, group_id, user_id),
        )
        read = [(number, _readable(text)) for number, text in rows]
        return [(number, episode) for number, episode in read if isinstance(episode, Episode)]

    def done(self, numbers: Sequence[int]) -> None:
        """Remove episodes from the queue: the graph has them now, or their caller was told of an error."""
        with self.transaction():
            self.db.executemany("DELETE FROM waiting WHERE number = ?", [(number,) for number in numbers])

    def refusal(self, number: int) -> str | None:
        """Return why the graph refused an episode; "" while it is queued, None if it is not in the file."""
        rows = self.rows("SELECT refused FROM waiting WHERE number = ?", (number,))
        return rows[0]["refused"] if rows else None

    def refuse(self, number: int, why: str) -> None:
        """Set an episode aside that the graph will never accept. A person should look at it."""
        with self.transaction():
            self.db.execute("UPDATE waiting SET refused = ? WHERE number = ?", (why, number))

    def users(self, group_id: str) -> list[str]:
        """Return the users of a group with queued or refused episodes."""
        query = "SELECT DISTINCT user_id FROM waiting WHERE graph = ? AND group_id = ? ORDER BY user_id"
        return [user_id for (user_id,) in self.rows(query, (self._graph, group_id))]

    def count(self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None) -> int:
        """Return the number of queued and refused episodes of a user, of a session, or with one id."""
        whose = (self._graph, group_id, user_id, session_id, session_id, episode_id, episode_id)
        return self.rows(f"SELECT count(*) FROM waiting WHERE {_WHOSE}", whose)[0][0]  # noqa: S608

    def forget(
        self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None
    ) -> int:
        """Delete the episodes of a user, of a session, or with one id, also from the disk. Returns their number.

        Raises StoreUnavailable if they are deleted, but still in the file's journal because another process reads it.
        """
        with self.transaction():
            whose = (self._graph, group_id, user_id, session_id, session_id, episode_id, episode_id)
            gone = self.db.execute(f"DELETE FROM waiting WHERE {_WHOSE}", whose).rowcount  # noqa: S608
        self.empty_journal("the deleted turns")
        return gone

    def _accept(self, episode: Episode) -> Accepted:
        """Queue one episode inside a transaction."""
        key = self._key(episode)
        row = self.db.execute(_FIND, key).fetchone()
        if row is None:
            number = self.db.execute(
                "INSERT INTO waiting (graph, group_id, user_id, episode_id, session_id, episode) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (*key, episode.session.session_id, _written(replace(episode, accepted=time.time()))),
            ).lastrowid
            return Accepted(cast(int, number), is_new=True)
        there = _readable(row["episode"])
        # The queued entry is damaged. Setting it aside frees its id; the index allows one live row per id.
        if isinstance(there, str):
            self.db.execute("UPDATE waiting SET refused = ? WHERE number = ?", (there, row["number"]))
            return self._accept(episode)
        same = (there.session, there.content_sha256) == (episode.session, episode.content_sha256)
        return Accepted(row["number"], other=None if same else there)

    def _key(self, episode: Episode) -> tuple[str, str, str, str]:
        return self._graph, episode.session.group_id, episode.session.user_id, episode.episode_id


def waiting_turns(file: Path, group_id: str = "") -> int:
    """Return the number of a group's queued episodes that can be read, for all databases. "": those of all."""
    with closing(SpoolFile(file, _SCHEMA, "")) as spool:
        rows = spool.rows("SELECT episode FROM waiting WHERE ? IN (group_id, '') AND refused = ''", (group_id,))
    return sum(isinstance(_readable(text), Episode) for (text,) in rows)


def refused_turns(file: Path, group_id: str) -> list[RefusedTurn]:
    """Return a group's episodes that were refused or cannot be read, for all databases, in order of acceptance."""
    with closing(SpoolFile(file, _SCHEMA, "")) as spool:
        rows = spool.rows(
            "SELECT number, user_id, session_id, episode_id, episode, refused FROM waiting "
            "WHERE group_id = ? ORDER BY number",
            (group_id,),
        )
    found = ((number, user, session, name, _readable(text), why) for number, user, session, name, text, why in rows)
    return [
        RefusedTurn(
            number=number, user_id=user, session_id=session, episode_id=name, episode=episode, why=why or str(episode)
        )
        for number, user, session, name, episode, why in found
        if why or isinstance(episode, str)
    ]


def drop_refused_turn(file: Path, group_id: str, number: int) -> bool:
    """Delete an episode of a group that was refused or cannot be read. Returns whether there was one."""
    # Only what cannot be committed is dropped, never a turn that waits.
    if number not in {turn.number for turn in refused_turns(file, group_id)}:
        return False
    with closing(SpoolFile(file, _SCHEMA, "")) as spool, spool.transaction() as db:
        return bool(db.execute("DELETE FROM waiting WHERE group_id = ? AND number = ?", (group_id, number)).rowcount)


def _readable(text: str) -> Episode | str:
    """Return the episode, or why its entry cannot be read."""
    try:
        return _read(text)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        return f"its entry in the queue cannot be read: {error}"


def _written(episode: Episode) -> str:
    changes = [asdict(change) for change in episode.changes]
    flat = {"session": vars(episode.session), "valid_at": episode.valid_at.isoformat(), "changes": changes}
    # vars, because asdict of the whole episode takes as long as the commit.
    return json.dumps(vars(episode) | flat, ensure_ascii=False)


def _read(text: str) -> Episode:
    table: dict[str, Any] = json.loads(text)
    session = Session(**table.pop("session"))
    valid_at = datetime.fromisoformat(table.pop("valid_at"))
    changes = tuple(_change(row) for row in table.pop("changes", ()))
    return Episode(session=session, valid_at=valid_at, changes=changes, **table)


def _change(row: dict[str, Any]) -> FactChange:
    return FactChange(triple=Triple(*row.pop("triple")), **row)
