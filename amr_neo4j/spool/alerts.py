"""Alerts and their deliveries, in one SQLite file, so that a match is delivered even after a restart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from amr_neo4j.domain.alert import Alert, AlertMatch, AlertStatus, Delivery
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.plain import picked
from amr_neo4j.spool.file import SpoolFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS alerts (
  group_id TEXT NOT NULL, alert_id TEXT NOT NULL, question TEXT NOT NULL, channel TEXT NOT NULL, target TEXT NOT NULL,
  cursor INTEGER NOT NULL,
  PRIMARY KEY (group_id, alert_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deliveries (
  group_id TEXT NOT NULL, alert_id TEXT NOT NULL, video_id TEXT NOT NULL, clip_id TEXT NOT NULL,
  evidence TEXT NOT NULL, matched_at REAL NOT NULL, next_at REAL NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '', acknowledged_at REAL,
  PRIMARY KEY (group_id, alert_id, video_id, clip_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (group_id, next_at) WHERE acknowledged_at IS NULL;
"""


class AlertSpool(SpoolFile):
    """The alerts of all groups. When a method that stores something returns, it is on disk. Thread-safe."""

    def __init__(self, file: Path) -> None:
        """Raises SpoolUnusable: the file cannot be read."""
        super().__init__(file, _SCHEMA, "alerts")

    def keep(self, alert: Alert) -> Alert:
        """Store an alert and return it. One that is already stored keeps its cursor and continues from there."""
        row = (alert.group_id, alert.alert_id, alert.question, alert.channel, alert.target, alert.cursor)
        with self.transaction() as db:
            db.execute("INSERT OR IGNORE INTO alerts VALUES (?, ?, ?, ?, ?, ?)", row)
        return next(each for each in self.alerts(alert.group_id) if each.alert_id == alert.alert_id)

    def restart(self, alert: Alert) -> Alert:
        """Try an alert on all events again, from the first one. Returns the alert as it is stored now.

        Clips that matched before are not delivered again.
        """
        key = (alert.group_id, alert.alert_id)
        with self.transaction() as db:
            db.execute("UPDATE alerts SET cursor = -1 WHERE group_id = ? AND alert_id = ?", key)
        return replace(alert, cursor=-1)

    def alerts(self, group_id: str) -> list[Alert]:
        """Return the alerts of a group."""
        query = "SELECT group_id, question, channel, target, cursor FROM alerts WHERE group_id = ? ORDER BY alert_id"
        return [Alert(*row) for row in self.rows(query, (group_id,))]

    def matched(self, alert: Alert, cursor: int, found: Sequence[Delivery], at: datetime) -> int:
        """Store matches, and the last event that was tried (`cursor`), in one transaction.

        Returns how many clips are new. A clip is delivered once for each alert, so a second match of it is ignored.
        """
        rows = [
            (alert.group_id, alert.alert_id, each.video_id, each.clip_id, json.dumps(each.evidence), at.timestamp())
            for each in found
        ]
        # One transaction: with the cursor but not the matches, a crash would lose them. next_at 0 means due at once.
        with self.transaction() as db:
            new = sum(
                db.execute(
                    "INSERT OR IGNORE INTO deliveries (group_id, alert_id, video_id, clip_id, evidence, matched_at, "
                    "next_at) VALUES (?, ?, ?, ?, ?, ?, 0)",
                    row,
                ).rowcount
                for row in rows
            )
            # max(), because another process may have moved the cursor past these events.
            db.execute(
                "UPDATE alerts SET cursor = max(cursor, ?) WHERE group_id = ? AND alert_id = ?",
                (cursor, alert.group_id, alert.alert_id),
            )
        return new

    def due(self, alert: Alert, at: datetime) -> list[Delivery]:
        """Return what an alert has to deliver by now, in the order of the matches."""
        rows = self.rows(
            "SELECT video_id, clip_id, evidence, attempts, error FROM deliveries "
            "WHERE group_id = ? AND alert_id = ? AND acknowledged_at IS NULL AND next_at <= ? ORDER BY matched_at",
            (alert.group_id, alert.alert_id, at.timestamp()),
        )
        return [
            Delivery(alert=alert, video_id=video, clip_id=clip, evidence=json.loads(said), attempts=tries, error=why)
            for video, clip, said, tries, why in rows
        ]

    def waiting(self, alert: Alert, asked: PageRequest) -> Page[AlertMatch]:
        """Return what nobody has acknowledged, in the order of the matches."""
        what = "FROM deliveries WHERE group_id = ? AND alert_id = ? AND acknowledged_at IS NULL"
        whose = (alert.group_id, alert.alert_id)
        rows = self.rows(
            f"SELECT video_id, clip_id, evidence, matched_at {what} "
            "ORDER BY matched_at, video_id, clip_id LIMIT ? OFFSET ?",
            (*whose, asked.limit, asked.start),
        )
        [(total,)] = self.rows(f"SELECT count(*) {what}", whose)
        found = [
            AlertMatch(
                alert_id=alert.alert_id,
                video_id=video_id,
                clip_id=clip_id,
                matched_at=datetime.fromtimestamp(at, UTC),
                evidence=json.loads(evidence),
            )
            for video_id, clip_id, evidence, at in rows
        ]
        return asked.part(found, total)

    def acknowledge(self, delivery: Delivery, at: datetime) -> None:
        """Store that a delivery was acknowledged."""
        self._set(delivery, "acknowledged_at = ?, error = ''", at.timestamp())

    def fetched(self, alert: Alert, video_id: str, clip_id: str, at: datetime) -> bool:
        """Store that a match of an alert was received. Returns False if the alert did not match this clip."""
        with self.transaction() as db:
            done = db.execute(
                "UPDATE deliveries SET acknowledged_at = coalesce(acknowledged_at, ?), error = '' "
                "WHERE group_id = ? AND alert_id = ? AND video_id = ? AND clip_id = ?",
                (at.timestamp(), alert.group_id, alert.alert_id, video_id, clip_id),
            )
            return bool(done.rowcount)

    def postpone(self, delivery: Delivery, until: datetime, error: str) -> None:
        """Store that a delivery failed. It is tried again at `until`."""
        self._set(delivery, "next_at = ?, error = ?, attempts = attempts + 1", until.timestamp(), error)

    def remove(self, group_id: str, alert_id: str) -> bool:
        """Delete an alert with its deliveries. Returns False if there is no such alert."""
        with self.transaction() as db:
            db.execute("DELETE FROM deliveries WHERE group_id = ? AND alert_id = ?", (group_id, alert_id))
            gone = db.execute("DELETE FROM alerts WHERE group_id = ? AND alert_id = ?", (group_id, alert_id))
            return bool(gone.rowcount)

    def forget(self, group_id: str, video_id: str | None = None, clip_id: str | None = None) -> int:
        """Delete the deliveries of a clip, a video or the whole group, also from the disk. Returns their number.

        Raises StoreUnavailable if they are deleted, but still in the file's journal because another process reads it.
        """
        key = (group_id, video_id, video_id, clip_id, clip_id)
        with self.transaction() as db:
            gone = db.execute(
                "DELETE FROM deliveries WHERE group_id = ? AND (? IS NULL OR video_id = ?) "
                "AND (? IS NULL OR clip_id = ?)",
                key,
            ).rowcount
        self.empty_journal("the deleted evidence")
        return gone

    def status(self, group_id: str) -> list[AlertStatus]:
        """Return the status of each alert of a group."""
        found: list[AlertStatus] = []
        for alert in self.alerts(group_id):
            # The error shown is one of a delivery that still waits; errors of acknowledged ones no longer matter.
            [row] = self.rows(
                "SELECT count(*), count(acknowledged_at), max(matched_at), "
                "coalesce(max(CASE WHEN acknowledged_at IS NULL THEN error END), '') "
                "FROM deliveries WHERE group_id = ? AND alert_id = ?",
                (group_id, alert.alert_id),
            )
            matched, delivered, last, error = row
            found.append(
                AlertStatus(
                    **picked(alert, "alert_id", "question", "channel"),
                    target=alert.shown,
                    matched=matched,
                    delivered=delivered,
                    waiting=matched - delivered,
                    last_match_at=None if last is None else datetime.fromtimestamp(last, UTC),
                    error=error,
                )
            )
        return found

    def _set(self, delivery: Delivery, what: str, *values: Any) -> None:
        alert = delivery.alert
        with self.transaction() as db:
            db.execute(
                f"UPDATE deliveries SET {what} "  # noqa: S608
                "WHERE group_id = ? AND alert_id = ? AND video_id = ? AND clip_id = ?",
                (*values, alert.group_id, alert.alert_id, delivery.video_id, delivery.clip_id),
            )
