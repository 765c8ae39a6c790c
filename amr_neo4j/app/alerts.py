"""Alerts: kept questions, tried against each clip after its commit, and delivered with the evidence."""

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
from amr_neo4j.domain.alert import Alert, Delivery
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.ports import EventReader, Names, Notify
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.event_match import matches, wanted

if TYPE_CHECKING:
    from amr_neo4j.spool.alerts import AlertSpool
    from amr_neo4j.store.read.new_events import CommittedEvent, NewEvents

_AT_ONCE = 500
_LONGEST_WAIT = 300.0
_MOST_DOUBLINGS = 16


@dataclass(frozen=True, kw_only=True)
class Alerts:
    """The alerts of any group. written: follows the events of a group. locks: the folder of the alerts' locks."""

    spool: AlertSpool
    written: Callable[[str], NewEvents]
    reader: EventReader
    language: Language
    locks: Path
    now: Callable[[], datetime]
    notify: Notify

    def keep(self, group_id: str, question: str, *, command: str = "", webhook: str = "") -> Alert:
        """Keep an alert from now on. One that is kept already goes on where it was, or begins anew in another
        database.


        Raises InputError: nothing to look for; no such command, no http(s) address, or not one of the two.
        """
        if bool(command) == bool(webhook):
            raise InputError("an alert needs a command or a webhook", hint="pass exec= or webhook=")
        wanted(question, self._names(group_id), self.language)
        if command:
            alert_delivery.command(command)
        else:
            alert_delivery.address(webhook)
        last = self.written(group_id).last()
        new = Alert(group_id, question, "exec" if command else "webhook", command or webhook, last)
        kept = self.spool.keep(new)
        if kept.cursor <= last:
            return kept
        self.notify(
            f"the alert {question!r} was kept for another database: it is tried from the first event of this one"
        )
        return self.spool.restart(kept)

    def remove(self, group_id: str, alert_id: str) -> None:
        """Keep an alert no longer. Raises NotInMemory."""
        if not self.spool.remove(group_id, alert_id):
            raise NotInMemory(f"there is no alert {alert_id}", hint="see what there is: amr alerts")

    @contextmanager
    def alone(self, alerts: Iterable[Alert]) -> Generator[None]:
        """As the only process that delivers these alerts. Raises InputError: another one does."""
        with ExitStack() as locks:
            for alert in alerts:
                try:
                    locks.enter_context(FileLock(self.locks / f"alert-{alert.alert_id}.lock", timeout=0))
                except Timeout as error:
                    hint = "it delivers what matches; stop it first"
                    raise InputError(f"another process watches for {alert.question!r}", hint=hint) from error
            yield

    def deliver(self, alert: Alert) -> tuple[int, int]:
        """Try the events committed since, and deliver what is due; returns (clips that match, delivered)."""
        kept = self.spool.alerts(alert.group_id)
        current = next((each for each in kept if each.alert_id == alert.alert_id), None)
        if current is None:  # it was removed
            return 0, 0
        found = self._try_new(current)
        delivered = 0
        for delivery in self.spool.due(current, self.now()):
            deliver = alert_delivery.run if alert.channel == "exec" else alert_delivery.post
            error = deliver(alert.target, delivery.evidence).replace(alert.target, alert.shown)
            if error:
                self.spool.postpone(delivery, self.now() + timedelta(seconds=wait_s(delivery.attempts)), error)
                if not delivery.attempts:
                    self.notify(f"the alert {alert.question!r} could not be delivered: {error}; it is tried again")
                break  # a delivery nobody answers takes up to a minute, and other alerts wait
            self.spool.acknowledge(delivery, self.now())
            delivered += 1
        return found, delivered

    def _names(self, group_id: str) -> Names:
        """The names that memory knows; none while the group is empty."""
        try:
            return self.reader.vocabulary(Scope(group_id))
        except NotInMemory:
            return Names()

    def _try_new(self, alert: Alert) -> int:
        """Store what matches among the events since the alert's cursor; returns how many clips."""
        found, cursor, scope = 0, alert.cursor, Scope(alert.group_id)
        written = self.written(alert.group_id)
        while new := written.after(cursor, _AT_ONCE):
            clause = wanted(alert.question, self._names(alert.group_id), self.language)
            events = {event.node_id: event for event in self.reader.events([each.node_id for each in new], scope)}
            pairs = [(each, events[each.node_id]) for each in new if each.node_id in events]
            fitting = sorted((pair for pair in pairs if matches(clause, pair[1], self.language)), key=_by_clip)
            deliveries = [
                Delivery(alert, *clip, _evidence(alert, list(each))) for clip, each in groupby(fitting, key=_clip)
            ]
            cursor = new[-1].node_id
            found += self.spool.matched(alert, cursor, deliveries, self.now())
        return found


def wait_s(attempts: int) -> float:
    """Seconds until a delivery is tried again: 1, 2, 4 ... 300. attempts: those before this one."""
    return min(2.0 ** min(attempts, _MOST_DOUBLINGS), _LONGEST_WAIT)


def _clip(pair: tuple[CommittedEvent, Event]) -> tuple[str, str]:
    return pair[0].video_id, pair[0].clip_id


def _by_clip(pair: tuple[CommittedEvent, Event]) -> tuple[str, str, int]:
    return *_clip(pair), pair[0].node_id


def _evidence(alert: Alert, found: Sequence[tuple[CommittedEvent, Event]]) -> dict[str, Any]:
    """What an alert reports of one clip, as plain values for JSON."""
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
