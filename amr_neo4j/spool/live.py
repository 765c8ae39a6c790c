"""Recordings of live sources on this machine and their clips, in one SQLite file.

A clip is stored here as soon as it is cut from the stream. Its film lies in a folder beside this file. The row stays
for a while after the clip is committed, because receipts show its times.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from amr_neo4j.domain.live import Recording, SpooledClip, State
from amr_neo4j.spool.file import SpoolFile
from amr_neo4j.spool.rows import insert, read, stored

# Columns are the fields of Recording and SpooledClip, and the state of both. t_start and t_end are seconds of the
# recording; other times are ISO 8601, in UTC where they are compared. kept: the film is still on disk.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS recordings (
  group_id TEXT NOT NULL, video_id TEXT NOT NULL, source TEXT NOT NULL, started_at TEXT NOT NULL,
  folder TEXT NOT NULL, place TEXT NOT NULL, recorded_at TEXT,
  width INTEGER, height INTEGER, fps REAL,
  running TEXT NOT NULL DEFAULT 'starting', seen_at TEXT, error TEXT NOT NULL DEFAULT '',
  reconnects INTEGER NOT NULL DEFAULT 0, away_s REAL NOT NULL DEFAULT 0,
  behind_s REAL NOT NULL DEFAULT 0, most_behind_s REAL NOT NULL DEFAULT 0,
  arrived_at TEXT, dated_by TEXT NOT NULL DEFAULT '', timezone TEXT NOT NULL DEFAULT '',
  wearer TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (group_id, video_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS clips (
  group_id TEXT NOT NULL, video_id TEXT NOT NULL, clip_id TEXT NOT NULL, path TEXT NOT NULL,
  t_start REAL NOT NULL, t_end REAL NOT NULL, received_at TEXT NOT NULL, state TEXT NOT NULL,
  ended_at TEXT, analysed_at TEXT, done_at TEXT, searchable_at TEXT, notes TEXT NOT NULL DEFAULT '[]',
  kept INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (group_id, video_id, clip_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS clips_by_state ON clips (group_id, state);
CREATE INDEX IF NOT EXISTS clips_by_path ON clips (path);
CREATE INDEX IF NOT EXISTS clips_kept ON clips (received_at) WHERE kept = 1;
CREATE INDEX IF NOT EXISTS clips_by_time ON clips (group_id, received_at);
"""
# Part of an error message: what happens if a user moves the file away.
_WITHOUT = "the next amr ingest of a live source takes up the films in the folder live beside it"
# The columns that change while a recording runs.
_STANDS = ("running", "seen_at", "error", "reconnects", "away_s", "behind_s", "most_behind_s")


class LiveSpool(SpoolFile):
    """Recordings and their clips. When a method that stores something returns, it is on disk. Thread-safe."""

    def __init__(self, file: Path) -> None:
        """Raises SpoolUnusable: the file cannot be read."""
        super().__init__(file, _SCHEMA, "clips of live sources", _WITHOUT)

    def begin(self, recording: Recording) -> bool:
        """Store a new recording. Returns False, and changes nothing, if the group has one with this video_id."""
        with self.transaction() as db:
            return insert(db, "recordings", recording)

    def know(self, recording: Recording) -> None:
        """Store what the first clip of a recording has shown: its start times, picture size and frame rate."""
        known = ("recorded_at", "width", "height", "fps", "arrived_at", "dated_by")
        with self.transaction() as db:
            _set(db, recording.group_id, recording.video_id, {name: getattr(recording, name) for name in known})

    def update(self, group_id: str, video_id: str, at: datetime, **values: object) -> None:
        """Store the state of a recording.

        values: {column of _STANDS: value}, without seen_at, which is set to `at`.
        """
        with self.transaction() as db:
            _set(db, group_id, video_id, values | {"seen_at": at})

    def recordings(self, group_id: str) -> list[tuple[Recording, dict[str, Any]]]:
        """Return (recording, {column of _STANDS: value}) of the group's recordings, the latest first."""
        rows = self.rows(
            "SELECT * FROM recordings WHERE group_id = ? ORDER BY started_at DESC, video_id", (group_id,)
        )
        found: list[tuple[Recording, dict[str, Any]]] = []
        for row in rows:
            state = {name: row[name] for name in _STANDS}
            seen = row["seen_at"] and datetime.fromisoformat(row["seen_at"])
            found.append((read(Recording, row), state | {"seen_at": seen}))
        return found

    def receive(self, group_id: str, clip: SpooledClip, **stands: object) -> None:
        """Store a clip that was cut. A clip that is already stored is not changed.

        stands: state of its recording, as for `update`, stored in the same transaction.
        """
        with self.transaction() as db:
            insert(db, "clips", clip, group_id=group_id)
            if stands:
                _set(db, group_id, clip.video_id, stands | {"seen_at": clip.received_at})

    def mark(self, group_id: str, video_id: str, clip_id: str, state: State, at: datetime, **stands: object) -> None:
        """Store a new state of a clip. stands: state of its recording, as for `update`."""
        # Every state after "analysed" ends the work on a clip.
        column = "analysed_at" if state == "analysed" else "done_at"
        with self.transaction() as db:
            db.execute(
                f"UPDATE clips SET state = ?, {column} = ? WHERE group_id = ? AND video_id = ? AND clip_id = ?",  # noqa: S608
                (state, stored(at), group_id, video_id, clip_id),
            )
            if stands:
                _set(db, group_id, video_id, stands | {"seen_at": at})

    def found(self, group_id: str, video_id: str, clip_id: str, at: datetime) -> None:
        """Store when a search found a clip for the first time."""
        with self.transaction() as db:
            db.execute(
                "UPDATE clips SET searchable_at = ? WHERE group_id = ? AND video_id = ? AND clip_id = ?",
                (stored(at), group_id, video_id, clip_id),
            )

    def waiting(self, group_id: str, video_id: str) -> list[SpooledClip]:
        """Return the clips of a recording that are neither committed nor given up, in order of time."""
        return self.clips(group_id, video_id, states=("received", "analysed"))

    def clips(
        self, group_id: str, video_id: str | None = None, *, states: Iterable[State] = (), limit: int = -1
    ) -> list[SpooledClip]:
        """Return the latest `limit` clips of a recording or of the whole group, in order of time.

        states: only clips in one of these states; empty for any.
        limit: -1 for all.
        """
        wanted = tuple(states)
        marks = ", ".join("?" * len(wanted))
        among = f"AND state IN ({marks})" if wanted else ""
        rows = self.rows(
            f"SELECT * FROM clips WHERE group_id = ? AND (? IS NULL OR video_id = ?) {among} "  # noqa: S608
            "ORDER BY received_at DESC, t_start DESC LIMIT ?",
            (group_id, video_id, video_id, *wanted, limit),
        )
        # The query picks the latest ones; the caller gets these oldest first.
        return sorted((read(SpooledClip, row) for row in rows), key=lambda clip: (clip.received_at, clip.t_start))

    def clip(self, group_id: str, video_id: str, clip_id: str) -> SpooledClip | None:
        """Return one clip; None if it is not stored here."""
        rows = self.rows(
            "SELECT * FROM clips WHERE group_id = ? AND video_id = ? AND clip_id = ?",
            (group_id, video_id, clip_id),
        )
        return read(SpooledClip, rows[0]) if rows else None

    def ended_by(self, group_id: str, video_id: str | None, before: datetime) -> list[tuple[str, str]]:
        """Return (video_id, clip_id) of the clips that had ended by a moment, of a recording or of the whole group.

        If the wall clock of a recording is unknown, the moment when a clip was received counts.
        """
        rows = self.rows(
            "SELECT c.video_id, c.clip_id FROM clips c "
            "LEFT JOIN recordings r ON r.group_id = c.group_id AND r.video_id = c.video_id "
            "WHERE c.group_id = ? AND (? IS NULL OR c.video_id = ?) AND julianday(?) "
            ">= coalesce(julianday(r.recorded_at) + c.t_end / 86400.0, julianday(c.received_at))",
            (group_id, video_id, video_id, stored(before)),
        )
        return [(row["video_id"], row["clip_id"]) for row in rows]

    def counts(self, group_id: str, video_id: str) -> dict[str, tuple[int, float]]:
        """Return {state: (number of clips, their length in seconds)} of a recording."""
        rows = self.rows(
            "SELECT state, count(*), sum(t_end - t_start) FROM clips WHERE group_id = ? AND video_id = ? "
            "GROUP BY state",
            (group_id, video_id),
        )
        return {state: (number, seconds) for state, number, seconds in rows}

    def last_done(self, group_id: str, video_id: str) -> SpooledClip | None:
        """Return the latest committed clip of a recording; None if there is none."""
        rows = self.rows(
            "SELECT * FROM clips WHERE group_id = ? AND video_id = ? AND state = 'committed' "
            "ORDER BY t_end DESC LIMIT 1",
            (group_id, video_id),
        )
        return read(SpooledClip, rows[0]) if rows else None

    def rate(self, group_id: str, video_id: str, since: datetime) -> int:
        """Return how many clips of a recording were committed or given up since a moment."""
        [(number,)] = self.rows(
            "SELECT count(*) FROM clips WHERE group_id = ? AND video_id = ? AND done_at >= ?",
            (group_id, video_id, stored(since)),
        )
        return number

    def kept_files(self) -> list[str]:
        """Return the films of all groups that no step needs any more, the oldest first. They may be deleted."""
        rows = self.rows(
            "SELECT path FROM clips WHERE kept = 1 AND state NOT IN ('received', 'analysed') ORDER BY received_at"
        )
        return [row["path"] for row in rows]

    def removed(self, path: str) -> None:
        """Store that a clip's file was removed."""
        with self.transaction() as db:
            db.execute("UPDATE clips SET kept = 0 WHERE path = ?", (path,))

    def prune(self, before: datetime) -> list[str]:
        """Delete old rows of all groups. Returns the folders of the recordings that were deleted.

        These are the clips that were done before this moment and have no film any more, and the ended recordings that
        have no clips left.
        """
        moment = stored(before)
        with self.transaction() as db:
            db.execute(
                "DELETE FROM clips WHERE coalesce(done_at, received_at) < ? "
                "AND (state = 'dropped' OR kept = 0 AND state NOT IN ('received', 'analysed'))",
                (moment,),
            )
            gone = db.execute(
                "SELECT group_id, video_id, folder FROM recordings r WHERE running IN ('ended', 'failed') "
                "AND coalesce(seen_at, started_at) < ? AND NOT EXISTS "
                "(SELECT 1 FROM clips c WHERE c.group_id = r.group_id AND c.video_id = r.video_id)",
                (moment,),
            ).fetchall()
            db.executemany("DELETE FROM recordings WHERE group_id = ? AND video_id = ?", [row[:2] for row in gone])
        return [row["folder"] for row in gone]

    def forget(self, group_id: str, video_id: str | None = None) -> list[str]:
        """Delete a recording, or all of the group, from this file and its journal.

        Returns the folders of their films, which the caller deletes. Raises StoreUnavailable: the rows are deleted,
        but still in the journal, which another process reads.
        """
        key = (group_id, video_id, video_id)
        where = "WHERE group_id = ? AND (? IS NULL OR video_id = ?)"
        with self.transaction() as db:
            folders = [folder for (folder,) in db.execute(f"SELECT folder FROM recordings {where}", key)]  # noqa: S608
            for table in ("clips", "recordings"):
                db.execute(f"DELETE FROM {table} {where}", key)  # noqa: S608
        self.empty_journal("the deleted recordings")
        return folders

    def forget_clip(self, group_id: str, video_id: str, clip_id: str) -> None:
        """Delete the row of a clip."""
        where = "WHERE group_id = ? AND video_id = ? AND clip_id = ?"
        with self.transaction() as db:
            db.execute(f"DELETE FROM clips {where}", (group_id, video_id, clip_id))  # noqa: S608


def _set(db: sqlite3.Connection, group_id: str, video_id: str, values: Mapping[str, object]) -> None:
    """Set columns of a recording."""
    names = ", ".join(f"{name} = ?" for name in values)
    db.execute(
        f"UPDATE recordings SET {names} WHERE group_id = ? AND video_id = ?",  # noqa: S608
        (*map(stored, values.values()), group_id, video_id),
    )
