"""Alerts: questions that are kept, tried against each clip once it is committed, and delivered with the evidence."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from amr_neo4j.app import alert_delivery
from amr_neo4j.domain.alert import Alert, Channel, Delivery
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.recall.event_match import matches, wanted
from amr_neo4j.store.read.new_events import CommittedEvent, NewEvents

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_AT_ONCE = 500
_LONGEST_WAIT = 300.0
_MOST_DOUBLINGS = 16


def keep_alert(parts: Parts, question: str, channel: Channel, target: str) -> Alert:
    """Keep an alert from now on; one that is kept already goes on where it was, in another database at its start.

    Raises InputError: nothing to look for, no such command, no http(s) URL.
    """
    wanted(question, _names(parts), parts.language)
    if channel == "exec":
        alert_delivery.command(target)
    else:
        alert_delivery.address(target)
    last = NewEvents(parts.database, parts.group_id).last()
    kept = parts.alert_spool.keep(Alert(parts.group_id, question, channel, target, last))
    if kept.cursor <= last:
        return kept
    parts.notify(
        f"the alert {question!r} was kept for another database: it is tried from the first event of this one"
    )
    return parts.alert_spool.restart(kept)


def remove_alert(parts: Parts, alert_id: str) -> None:
    """Keep an alert no longer. Raises NotInMemory."""
    if not parts.alert_spool.remove(parts.group_id, alert_id):
        raise NotInMemory(f"there is no alert {alert_id}", hint="see what there is: amr alerts")


@contextmanager
def alone(parts: Parts, alerts: Iterable[Alert]) -> Generator[None]:
    """As the only process that delivers these alerts. Raises InputError: another one does."""
    with ExitStack() as locks:
        for alert in alerts:
            try:
                locks.enter_context(FileLock(parts.settings.data_dir / f"alert-{alert.alert_id}.lock", timeout=0))
            except Timeout as error:
                hint = "it delivers what matches; stop it first"
                raise InputError(f"another process watches for {alert.question!r}", hint=hint) from error
        yield


def work_off(parts: Parts, alert: Alert) -> tuple[int, int]:
    """Try the events that were committed since, and deliver what is due; returns (clips that match, delivered)."""
    kept = parts.alert_spool.alerts(parts.group_id)
    current = next((each for each in kept if each.alert_id == alert.alert_id), None)
    if current is None:  # it was removed
        return 0, 0
    found = _try_new(parts, current)
    delivered = 0
    for delivery in parts.alert_spool.due(current, parts.now()):
        deliver = alert_delivery.run if alert.channel == "exec" else alert_delivery.post
        error = deliver(alert.target, delivery.evidence).replace(alert.target, alert.shown)
        if error:
            parts.alert_spool.postpone(delivery, parts.now() + timedelta(seconds=wait_s(delivery.attempts)), error)
            if not delivery.attempts:
                parts.notify(f"the alert {alert.question!r} could not be delivered: {error}; it is tried again")
            break  # each takes up to a minute where nobody answers, and other alerts wait
        parts.alert_spool.acknowledge(delivery, parts.now())
        delivered += 1
    return found, delivered


def wait_s(attempts: int) -> float:
    """Seconds until a delivery is tried again: 1, 2, 4 ... 300. attempts: those before this one."""
    return min(2.0 ** min(attempts, _MOST_DOUBLINGS), _LONGEST_WAIT)


def _names(parts: Parts) -> Names:
    """What memory knows; nothing where the group is still empty."""
    try:
        return parts.reader.vocabulary(Scope(parts.group_id))
    except NotInMemory:
        return Names()


def _try_new(parts: Parts, alert: Alert) -> int:
    """Store what matches among the events since the alert's cursor; returns how many clips."""
    found, cursor, scope = 0, alert.cursor, Scope(parts.group_id)
    written = NewEvents(parts.database, parts.group_id)
    while new := written.after(cursor, _AT_ONCE):
        clause = wanted(alert.question, _names(parts), parts.language)
        events = {event.node_id: event for event in parts.reader.events([each.node_id for each in new], scope)}
        pairs = [(each, events[each.node_id]) for each in new if each.node_id in events]
        fitting = sorted((pair for pair in pairs if matches(clause, pair[1], parts.language)), key=_by_clip)
        deliveries = [
            Delivery(alert, *clip, _evidence(alert, list(each))) for clip, each in groupby(fitting, key=_clip)
        ]
        cursor = new[-1].node_id
        found += parts.alert_spool.matched(alert, cursor, deliveries, parts.now())
    return found


def _clip(pair: tuple[CommittedEvent, Event]) -> tuple[str, str]:
    return pair[0].video_id, pair[0].clip_id


def _by_clip(pair: tuple[CommittedEvent, Event]) -> tuple[str, str, int]:
    return *_clip(pair), pair[0].node_id


def _evidence(alert: Alert, found: Sequence[tuple[CommittedEvent, Event]]) -> dict[str, Any]:
    """What is reported of one clip: plain values, for JSON."""
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
