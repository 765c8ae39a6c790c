"""Alerts: stored questions that are tried against each clip after its commit. Matches are delivered with evidence."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from amr_neo4j.app import alert_delivery
from amr_neo4j.domain.alert import Alert, AlertMatch, Channel, Delivery
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.ports import EventReader, Names, Notify
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.event_match import matches, wanted

if TYPE_CHECKING:
    from amr_neo4j.spool.alerts import AlertSpool
    from amr_neo4j.store.read.new_events import CommittedEvent, NewEvents

# Events that are read and matched at a time.
_EVENTS_PER_READ = 500
# The longest wait between two tries, in seconds. The number of doublings is limited because 2.0 ** 1024 raises
# OverflowError.
_LONGEST_WAIT = 300.0
_MOST_DOUBLINGS = 16


@dataclass(frozen=True, kw_only=True)
class Alerts:
    """The alerts of all groups.

    written: group_id -> reader of the events that were committed to the group.
    locks: the folder with a lock file for each alert.
    """

    spool: AlertSpool
    written: Callable[[str], NewEvents]
    reader: EventReader
    language: Language
    locks: Path
    now: Callable[[], datetime]
    notify: Notify

    def keep(self, group_id: str, question: str, *, command: str = "", webhook: str = "") -> Alert:
        """Store an alert, which matches events committed from now on.

        An alert that is stored already continues where it was. If it was stored for another database, it starts
        again from the first event of this one.
        Without a command and a webhook, what matches is kept until somebody has fetched and acknowledged it.
        Raises InputError: the question names nothing to look for; the command or address cannot be used; or both of
        them are given.
        """
        if command and webhook:
            raise InputError("an alert has a command or a webhook, not both", hint="pass exec= or webhook=")
        # Raises InputError if the question names nothing to look for.
        wanted(question, self._names(group_id), self.language)
        channel: Channel = "kept"
        if command:
            alert_delivery.command(command)
            channel = "exec"
        elif webhook:
            alert_delivery.address(webhook)
            channel = "webhook"
        last = self.written(group_id).last()
        new = Alert(group_id, question, channel, command or webhook, last)
        kept = self.spool.keep(new)
        # Node ids only grow: a cursor past the last event comes from another database.
        if kept.cursor <= last:
            return kept
        self.notify(
            f"the alert {kept.alert_id} was kept for another database: it is tried from the first event of this one"
        )
        return self.spool.restart(kept)

    def remove(self, group_id: str, alert_id: str) -> None:
        """Delete an alert. Raises NotInMemory if there is none with this id."""
        if not self.spool.remove(group_id, alert_id):
            raise _no_alert(alert_id)

    def waiting(self, group_id: str, alert_id: str, asked: PageRequest) -> Page[AlertMatch]:
        """Match what was committed since the last call, and return what nobody has acknowledged.

        Raises NotInMemory if there is no such alert.
        """
        alert = self._kept(group_id, alert_id)
        self._try_new(alert)
        return self.spool.waiting(alert, asked)

    def acknowledge(self, group_id: str, alert_id: str, video_id: str, clip_id: str) -> None:
        """Store that somebody has a match.

        Raises NotInMemory if there is no such alert, or it did not match this clip.
        """
        if not self.spool.fetched(self._kept(group_id, alert_id), video_id, clip_id, self.now()):
            raise NotInMemory(
                f"the alert {alert_id} has no match in clip {clip_id} of video {video_id}",
                hint=f"see what it has: amr alerts --matches {alert_id}",
            )

    def _kept(self, group_id: str, alert_id: str) -> Alert:
        found = next((each for each in self.spool.alerts(group_id) if each.alert_id == alert_id), None)
        if found is None:
            raise _no_alert(alert_id)
        return found

    @contextmanager
    def alone(self, alerts: Iterable[Alert]) -> Generator[None]:
        """Hold the locks of these alerts, so that this process alone delivers them.

        Raises InputError: another process holds one of them.
        """
        with ExitStack() as locks:
            for alert in alerts:
                try:
                    locks.enter_context(FileLock(self.locks / f"alert-{alert.alert_id}.lock", timeout=0))
                except Timeout as error:
                    hint = "it delivers what matches; stop it first"
                    raise InputError(f"another process watches for {alert.question!r}", hint=hint) from error
            yield

    def deliver(self, alert: Alert) -> tuple[int, int]:
        """Match the events committed since the last call, then send the deliveries that are due.

        Returns (number of clips that match, number of deliveries sent). Stops at the first delivery that fails and
        postpones it.
        """
        # The caller's alert may have an old cursor, or may have been removed.
        kept = self.spool.alerts(alert.group_id)
        current = next((each for each in kept if each.alert_id == alert.alert_id), None)
        if current is None:  # it was removed
            return 0, 0
        found = self._try_new(current)
        delivered = 0
        if alert.channel == "kept":  # not delivered: whoever asks fetches its matches
            return found, delivered
        for delivery in self.spool.due(current, self.now()):
            deliver = alert_delivery.run if alert.channel == "exec" else alert_delivery.post
            # An error may quote the target, whose path often holds a secret.
            error = deliver(alert.target, delivery.evidence).replace(alert.target, alert.shown)
            if error:
                self.spool.postpone(delivery, self.now() + timedelta(seconds=wait_s(delivery.attempts)), error)
                if not delivery.attempts:
                    self.notify(f"the alert {alert.alert_id} could not be delivered: {error}; it is tried again")
                break  # a delivery that times out takes up to a minute, and other alerts wait
            self.spool.acknowledge(delivery, self.now())
            delivered += 1
        return found, delivered

    def _names(self, group_id: str) -> Names:
        """Return the names that the group's memory knows; no names while the group is empty."""
        try:
            return self.reader.vocabulary(Scope(group_id))
        except NotInMemory:
            return Names()

    def _try_new(self, alert: Alert) -> int:
        """Match the events after the alert's cursor and store a delivery for each clip that matches.

        Returns how many clips match. The cursor is stored together with the deliveries, batch by batch.
        """
        found, cursor, scope = 0, alert.cursor, Scope(alert.group_id)
        written = self.written(alert.group_id)
        while new := written.after(cursor, _EVENTS_PER_READ):
            clause = wanted(alert.question, self._names(alert.group_id), self.language)
            events = {event.node_id: event for event in self.reader.events([each.node_id for each in new], scope)}
            pairs = [(each, events[each.node_id]) for each in new if each.node_id in events]
            # Sorted by clip, since groupby only joins neighbours.
            fitting = sorted(
                (pair for pair in pairs if matches(clause, pair[1], self.language)),
                key=lambda pair: (*_clip(pair), pair[0].node_id),
            )
            deliveries = [
                Delivery(alert, *clip, _evidence(alert, list(each))) for clip, each in groupby(fitting, key=_clip)
            ]
            cursor = new[-1].node_id
            found += self.spool.matched(alert, cursor, deliveries, self.now())
        return found


def _no_alert(alert_id: str) -> NotInMemory:
    return NotInMemory(f"there is no alert {alert_id}", hint="see what there is: amr alerts")


def wait_s(attempts: int) -> float:
    """Return the seconds before a delivery is tried again: 1, 2, 4 ... 300. attempts: how many tries came before."""
    return min(2.0 ** min(attempts, _MOST_DOUBLINGS), _LONGEST_WAIT)


def _clip(pair: tuple[CommittedEvent, Event]) -> tuple[str, str]:
    return pair[0].video_id, pair[0].clip_id


def _evidence(alert: Alert, found: Sequence[tuple[CommittedEvent, Event]]) -> dict[str, Any]:
    """Return what an alert reports of one clip: a dict of plain values that JSON can hold."""
    clip = found[0][0]
    return {
        "alert": alert.alert_id,
        "question": alert.question,
        "group": alert.group_id,
        "source": clip.source,
        "video": clip.video_id,
        "clip": clip.clip_id,
        "start": clip.t_start,
        "end": clip.t_end,
        "at": _wall(clip.recorded_at, clip.t_start),
        "file": clip.file,
        "events": [_event(event, clip.recorded_at) for _, event in found],
    }


def _wall(recorded_at: datetime | None, second: float) -> str | None:
    """Return the wall clock at a second of a video, as ISO 8601; None if the video's wall clock is unknown."""
    return (recorded_at + timedelta(seconds=second)).isoformat() if recorded_at else None


def _event(event: Event, recorded: datetime | None) -> dict[str, Any]:
    return {
        "event": event.node_id,
        "start": event.time_start,
        "end": event.time_end,
        "at": _wall(recorded, event.time_start),
        "summary": event.summary_text,
        "said": list(event.dialogue_snippets),
        "persons": list(event.persons),
        "objects": list(event.objects),
    }
