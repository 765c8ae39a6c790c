"""Which events a scope contains, in plain Python: the reference of every store and index."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Moment, Scope


def holds(scope: Scope, event: Event, persons: Collection[str], learnt_at: datetime) -> bool:
    """persons: the person_ids it involves."""
    if event.group_id != scope.group_id or (scope.video_ids and event.video_id not in scope.video_ids):
        return False
    if scope.persons and not set(scope.persons) & set(persons):
        return False
    if scope.known_at and learnt_at > scope.known_at:
        return False
    if scope.ranges and not any(_meets(event, *each) for each in scope.ranges):
        return False
    return (
        (scope.since is None or _known_and(_end(event, scope.since), lambda end: end >= scope.since))
        and (scope.until is None or _known_and(_start(event, scope.until), lambda start: start <= scope.until))
        and (scope.as_of is None or _known_and(_end(event, scope.as_of), lambda end: end <= scope.as_of))
    )


def _meets(event: Event, since: datetime, until: datetime) -> bool:
    end = _end(event, since)
    return event.at is not None and isinstance(end, datetime) and event.at <= until and end >= since


def _start(event: Event, asked: Moment | None) -> Moment | None:
    return event.at if isinstance(asked, datetime) else event.time_start


def _end(event: Event, asked: Moment | None) -> Moment | None:
    """When the event ended, on the clock that the filter asks by; None if the event has no wall clock."""
    if isinstance(asked, datetime):
        return event.at + timedelta(seconds=event.time_end - event.time_start) if event.at else None
    return event.time_end


def _known_and(moment: Moment | None, is_so: Callable[[Moment], bool]) -> bool:
    return moment is not None and is_so(moment)
