"""Recordings of live sources on this machine and their clips, in one SQLite file.

A clip is stored here as soon as it is cut from the stream. Its film lies in a folder beside this file. The row stays
for a while after the clip is committed, because receipts show its times.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from amr_neo4j.domain.live import Recording, SpooledClip, State
from amr_neo4j.spool.file import SpoolFile

# Times are seconds since 1970, but t_start and t_end are seconds of the recording. kept: the film is still on disk.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS recordings (
  group_id TEXT NOT NULL, video_id TEXT NOT NULL, source TEXT NOT NULL, started_at REAL NOT NULL,
  folder TEXT NOT NULL, place TEXT NOT NULL, recorded_at REAL,
  width INTEGER, height INTEGER, fps REAL,
  running TEXT NOT NULL DEFAULT 'starting', seen_at REAL, error TEXT NOT NULL DEFAULT '',
  reconnects INTEGER NOT NULL DEFAULT 0, away_s REAL NOT NULL DEFAULT 0,
  behind_s REAL NOT NULL DEFAULT 0, most_behind_s REAL NOT NULL DEFAULT 0,
  arrived_at REAL, dated_by TEXT NOT NULL DEFAULT '', timezone TEXT NOT NULL DEFAULT '',
  wearer TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (group_id, video_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS clips (
  group_id TEXT NOT NULL, video_id TEXT NOT NULL, clip_id TEXT NOT NULL, path TEXT NOT NULL,
  t_start REAL NOT NULL, t_end REAL NOT NULL, received_at REAL NOT NULL, state TEXT NOT NULL,
  ended_at REAL, analysed_at REAL, done_at REAL, searchable_at REAL, notes TEXT NOT NULL DEFAULT '[]',
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
_RECORDING = (
    "group_id, video_id, source, started_at, folder, place, recorded_at, width, height, fps, arrived_at, dated_by,"
    " timezone, wearer"
)
# The columns that change while a recording runs.
_STANDS = ("running", "seen_at", "error", "reconnects", "away_s", "behind_s", "most_behind_s")
_CLIP = "video_id, clip_id, path, t_start, t_end, received_at, state, ended_at, analysed_at, searchable_at, notes"


class LiveSpool:
    """Recordings and their clips. When a method that stores something returns, it is on disk. Thread-safe."""

    def __init__(self, file: Path) -> None:
        """Raises SpoolUnusable: the file cannot be read."""
        self._file = SpoolFile(file, _SCHEMA, "clips of live sources", _WITHOUT)
        # A file of an earlier version lacks some columns.
        there = {row["name"] for row in self._file.rows("PRAGMA table_info(recordings)", ())}
        for name in ("timezone", "wearer"):
            if name not in there:
                with self._file.transaction() as db:
                    db.execute(f"ALTER TABLE recordings ADD COLUMN {name} TEXT NOT NULL DEFAULT ''")

    def close(self) -> None:
        """Close the file; its entries stay."""
        self._file.close()

    def check(self) -> None:
        """Read the whole file. Raises SpoolUnusable: it is damaged."""
        self._file.check()

    def begin(self, recording: Recording) -> bool:
        """Store a new recording. Returns False, and changes nothing, if the group has one with this video_id."""
        row = (
            *(recording.group_id, recording.video_id, recording.source, _seconds(recording.started_at)),
            *(recording.folder, recording.place, *_known(recording), recording.timezone, recording.wearer),
        )
        marks = ", ".join("?" * len(row))
        with self._file.transaction() as db:
            return bool(
                db.execute(f"INSERT OR IGNORE INTO recordings ({_RECORDING}) VALUES ({marks})", row).rowcount  # noqa: S608
            )

    def know(self, recording: Recording) -> None:
        """Store what the first clip of a recording has shown: its start times, picture size and frame rate."""
        names = "recorded_at = ?, width = ?, height = ?, fps = ?, arrived_at = ?, dated_by = ?"
        with self._file.transaction() as db:
            db.execute(
                f"UPDATE recordings SET {names} WHERE group_id = ? AND video_id = ?",  # noqa: S608
                (*_known(recording), recording.group_id, recording.video_id),
            )

    def update(self, group_id: str, video_id: str, at: datetime, **values: object) -> None:
        """Store the state of a recording. values: any of the columns in _STANDS but seen_at, which becomes `at`."""
        with self._file.transaction() as db:
            _stands(db, group_id, video_id, at, values)

    def recordings(self, group_id: str) -> list[tuple[Recording, dict[str, Any]]]:
        """Returns (recording, {column of _STANDS: value}) of the group's recordings, the latest first."""
        rows = self._file.rows(
            "SELECT * FROM recordings WHERE group_id = ? ORDER BY started_at DESC, video_id", (group_id,)
        )
        found: list[tuple[Recording, dict[str, Any]]] = []
        for row in rows:
            state = {name: row[name] for name in _STANDS}
            found.append((_recording(row), state | {"seen_at": _moment(row["seen_at"])}))
        return found

    def receive(self, group_id: str, clip: SpooledClip, **stands: object) -> None:
        """Store a clip that was cut. A clip that is already stored is not changed.

        stands: state of its recording, as for `update`, stored in the same transaction.
        """
        row = (
            *(group_id, clip.video_id, clip.clip_id, clip.path, clip.t_start, clip.t_end),
            *(_seconds(clip.received_at), clip.state, _seconds(clip.ended_at)),
            *(_seconds(clip.analysed_at), _seconds(clip.searchable_at), json.dumps(clip.notes)),
        )
        with self._file.transaction() as db:
            db.execute(
                f"INSERT OR IGNORE INTO clips (group_id, {_CLIP}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                row,
            )
            if stands:
                _stands(db, group_id, clip.video_id, clip.received_at, stands)

    def mark(self, group_id: str, video_id: str, clip_id: str, state: State, at: datetime, **stands: object) -> None:
        """Store a new state of a clip. stands: state of its recording, as for `update`."""
        # Every state after "analysed" ends the work on a clip.
        column = "analysed_at" if state == "analysed" else "done_at"
        with self._file.transaction() as db:
            db.execute(
                f"UPDATE clips SET state = ?, {column} = ? WHERE group_id = ? AND video_id = ? AND clip_id = ?",  # noqa: S608
                (state, _seconds(at), group_id, video_id, clip_id),
            )
            if stands:
                _stands(db, group_id, video_id, at, stands)

    def found(self, group_id: str, video_id: str, clip_id: str, at: datetime) -> None:
        """Store when a search found a clip for the first time."""
        with self._file.transaction() as db:
            db.execute(
                "UPDATE clips SET searchable_at = ? WHERE group_id = ? AND video_id = ? AND clip_id = ?",
                (_seconds(at), group_id, video_id, clip_id),
            )

    def waiting(self, group_id: str, video_id: str) -> list[SpooledClip]:
        """Returns the clips of a recording that are neither committed nor given up, in order of time."""
        return self.clips(group_id, video_id, states=("received", "analysed"))

    def clips(
        self, group_id: str, video_id: str | None = None, *, states: Iterable[State] = (), limit: int = -1
    ) -> list[SpooledClip]:
        """Returns the latest `limit` clips of a recording or of the whole group, in order of time.

        states: only clips in one of these states; empty for any. limit: -1 for all.
        """
        wanted = tuple(states)
        marks = ", ".join("?" * len(wanted))
        among = f"AND state IN ({marks})" if wanted else ""
        rows = self._file.rows(
            f"SELECT {_CLIP} FROM clips WHERE group_id = ? AND (? IS NULL OR video_id = ?) {among} "  # noqa: S608
            "ORDER BY received_at DESC, t_start DESC LIMIT ?",
            (group_id, video_id, video_id, *wanted, limit),
        )
        # The query picks the latest ones; the caller gets these oldest first.
        return sorted((_clip(row) for row in rows), key=lambda clip: (clip.received_at, clip.t_start))

    def clip(self, group_id: str, video_id: str, clip_id: str) -> SpooledClip | None:
        """Returns one clip; None if it is not stored here."""
        rows = self._file.rows(
            f"SELECT {_CLIP} FROM clips WHERE group_id = ? AND video_id = ? AND clip_id = ?",  # noqa: S608
            (group_id, video_id, clip_id),
        )
        return _clip(rows[0]) if rows else None

    def counts(self, group_id: str, video_id: str) -> dict[str, tuple[int, float]]:
        """Returns {state: (number of clips, their length in seconds)} of a recording."""
        rows = self._file.rows(
            "SELECT state, count(*), sum(t_end - t_start) FROM clips WHERE group_id = ? AND video_id = ? "
            "GROUP BY state",
            (group_id, video_id),
        )
        return {state: (number, seconds) for state, number, seconds in rows}

    def last_done(self, group_id: str, video_id: str) -> SpooledClip | None:
        """Returns the latest committed clip of a recording; None if there is none."""
        rows = self._file.rows(
            f"SELECT {_CLIP} FROM clips WHERE group_id = ? AND video_id = ? AND state = 'committed' "  # noqa: S608
            "ORDER BY t_end DESC LIMIT 1",
            (group_id, video_id),
        )
        return _clip(rows[0]) if rows else None

    def rate(self, group_id: str, video_id: str, since: datetime) -> int:
        """Returns how many clips of a recording were committed or given up since a moment."""
        [(number,)] = self._file.rows(
            "SELECT count(*) FROM clips WHERE group_id = ? AND video_id = ? AND done_at >= ?",
            (group_id, video_id, _seconds(since)),
        )
        return number

    def kept_files(self) -> list[str]:
        """Returns the films of all groups that no step needs any more, the oldest first. They may be deleted."""
        rows = self._file.rows(
            "SELECT path FROM clips WHERE kept = 1 AND state NOT IN ('received', 'analysed') ORDER BY received_at"
        )
        return [row["path"] for row in rows]

    def removed(self, path: str) -> None:
        """Store that a clip's file was removed."""
        with self._file.transaction() as db:
            db.execute("UPDATE clips SET kept = 0 WHERE path = ?", (path,))

    def prune(self, before: datetime) -> list[str]:
        """Delete old rows of all groups. Returns the folders of the recordings that were deleted.

        These are the clips that were done before this moment and have no film any more, and the ended recordings that
        have no clips left.
        """
        moment = _seconds(before)
        with self._file.transaction() as db:
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
        with self._file.transaction() as db:
            folders = [folder for (folder,) in db.execute(f"SELECT folder FROM recordings {where}", key)]  # noqa: S608
            for table in ("clips", "recordings"):
                db.execute(f"DELETE FROM {table} {where}", key)  # noqa: S608
        self._file.empty_journal("the deleted recordings")
        return folders

    def forget_clip(self, group_id: str, video_id: str, clip_id: str) -> None:
        """Delete the row of a clip."""
        where = "WHERE group_id = ? AND video_id = ? AND clip_id = ?"
        with self._file.transaction() as db:
            db.execute(f"DELETE FROM clips {where}", (group_id, video_id, clip_id))  # noqa: S608


def _stands(db: sqlite3.Connection, group_id: str, video_id: str, at: datetime, values: Mapping[str, object]) -> None:
    names = [f"{name} = ?" for name in values]
    db.execute(
        f"UPDATE recordings SET {', '.join([*names, 'seen_at = ?'])} WHERE group_id = ? AND video_id = ?",  # noqa: S608
        (*values.values(), _seconds(at), group_id, video_id),
    )


def _seconds(moment: datetime | None) -> float | None:
    return moment.timestamp() if moment else None


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _known(recording: Recording) -> tuple[object, ...]:
    """Returns what the first clip shows about a recording, in the order of the columns in _RECORDING."""
    return (
        *(_seconds(recording.recorded_at), recording.width, recording.height, recording.fps),
        *(_seconds(recording.arrived_at), recording.dated_by),
    )


def _recording(row: sqlite3.Row) -> Recording:
    started = _moment(row["started_at"])
    assert started  # noqa: S101 - the column is never null
    return Recording(
        group_id=row["group_id"],
        video_id=row["video_id"],
        source=row["source"],
        started_at=started,
        folder=row["folder"],
        place=row["place"],
        recorded_at=_moment(row["recorded_at"]),
        width=row["width"],
        height=row["height"],
        fps=row["fps"],
        arrived_at=_moment(row["arrived_at"]),
        dated_by=row["dated_by"],
        timezone=row["timezone"],
        wearer=row["wearer"],
    )


def _clip(row: sqlite3.Row) -> SpooledClip:
    received = _moment(row["received_at"])
    assert received  # noqa: S101 - the column is never null
    return SpooledClip(
        video_id=row["video_id"],
        clip_id=row["clip_id"],
        path=row["path"],
        t_start=row["t_start"],
        t_end=row["t_end"],
        received_at=received,
        state=row["state"],
        ended_at=_moment(row["ended_at"]),
        analysed_at=_moment(row["analysed_at"]),
        searchable_at=_moment(row["searchable_at"]),
        notes=tuple(json.loads(row["notes"])),
    )
