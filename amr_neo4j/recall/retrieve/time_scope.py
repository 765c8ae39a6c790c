"""Scopes narrowed to the time range that a question names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta, tzinfo

from amr_neo4j.domain.recall import Moment, Scope
from amr_neo4j.language.time_expressions import TimeExpressions
from amr_neo4j.recall.question.time_span import TimeSpan

DAY_SEC = 86400.0
# Before every event.
NEVER = -1.0


def narrow_scope(
    span: TimeSpan,
    scope: Scope,
    recorded: Collection[datetime],
    holds: Callable[[Scope], bool],
    times: TimeExpressions,
) -> Scope:
    """The scope within the span: of the days it may mean the latest that holds an event, else one without any.

    times: what the marks of the span mean.
    """
    choices = scopes_within(span, scope, recorded, times)
    return next(filter(holds, choices), choices[0] if choices else replace(scope, as_of=NEVER))


def end_of(span: TimeSpan, latest: datetime) -> datetime | None:
    """The end of the range of days that the span means, of several the last that began by `latest`; None: no date."""
    ranges = [last for first, last in span.dates(latest.date()) if first <= latest.date()]
    return datetime.combine(max(ranges), time(), latest.tzinfo) + timedelta(days=1) if ranges else None


def scopes_within(
    span: TimeSpan, scope: Scope, recorded: Collection[datetime], times: TimeExpressions
) -> list[Scope]:
    """The scope within the span: one for each day that it may mean, the latest first; empty where no day fits.

    recorded: when recordings began, with their zones. Without any, and for seconds, the video's own time is meant;
    it is the last choice where "1:30" may be either.
    """
    since, until = times.seconds_of_video(span.since), times.seconds_of_video(span.until, end=span.is_moment)
    of_day = times.is_twelve_hour(span.since + span.until)
    of_video = [] if span.day or of_day else _bounded(scope, since, until)
    if not recorded or times.is_of_video(span.since) or times.is_of_video(span.until):
        return of_video
    readings = _readings(span, times)
    begun = {(at.date(), at.tzinfo) for at in recorded if span.includes(at.date())}
    if span.day is None and any(_ends_next_day(reading, times) for reading in readings):
        begun |= {(day - timedelta(days=1), zone) for day, zone in begun}
    days = sorted(begun, key=str, reverse=True)
    zones: dict[tuple[date, date], tzinfo | None] = {_date_range(day, span): zone for day, zone in days}
    bounded = (
        _bounded(scope, *_bounds_on(*dates, zone, reading, times))
        for dates, zone in zones.items()
        for reading in readings
    )
    return [*(one for some in bounded for one in some), *of_video]


def _readings(span: TimeSpan, times: TimeExpressions) -> list[TimeSpan]:
    """The span by each time of day that its marks may mean, the latest first."""
    pairs = [
        (since, until)
        for since in times.readings(span.since)
        for until in times.readings(span.until)
        if not span.is_moment or since == until
    ]
    return [replace(span, since=since, until=until) for since, until in reversed(pairs)]


def _ends_next_day(span: TimeSpan, times: TimeExpressions) -> bool:
    """Whether it is from a time of one day to one of the next: "at night"."""
    closed = bool(span.since and span.until) and not span.is_moment
    return closed and times.seconds_of_day(span.since) > times.seconds_of_day(span.until)


def _date_range(day: date, span: TimeSpan) -> tuple[date, date]:
    """First and last day of what the span means by one of its days: that day, or all of its month or year."""
    if not span.is_season:
        return day, day
    return next((first, last) for first, last in span.dates(day) if first <= day <= last)


def _bounds_on(
    first: date, last: date, zone: tzinfo | None, span: TimeSpan, times: TimeExpressions
) -> Iterator[datetime]:
    begin, end = (datetime.combine(day, time(), zone) for day in (first, last))
    end += timedelta(days=_ends_next_day(span, times))
    yield begin + timedelta(seconds=times.seconds_of_day(span.since) if span.since else 0.0)
    yield end + timedelta(seconds=times.seconds_of_day(span.until, end=span.is_moment) if span.until else DAY_SEC)


def _bounded(scope: Scope, since: Moment | None, until: Moment | None) -> list[Scope]:
    """The scope within these bounds too; empty where nothing is left. A bound of another kind than the scope's is
    ignored."""
    since = _tighter(scope.since, since, later=True)
    until = _tighter(scope.until, until, later=False)
    try:
        return [replace(scope, since=since, until=until)]
    except ValueError:
        return []


def _tighter(given: Moment | None, named: Moment | None, *, later: bool) -> Moment | None:
    if given is None or named is None:
        return named if given is None else given
    if isinstance(given, datetime) or isinstance(named, datetime):
        both = [moment for moment in (given, named) if isinstance(moment, datetime)]
        return (max(both) if later else min(both)) if len(both) > 1 else given
    return max(given, named) if later else min(given, named)
