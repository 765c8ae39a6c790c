"""Scopes narrowed to the time range that a question names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta, tzinfo

from amr_neo4j.domain.recall import Moment, Scope
from amr_neo4j.language.time_expressions import TimeExpressions
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.question.time_span import TimeSpan
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.retrieve.retriever import Retriever
from amr_neo4j.recall.trace import Notes

DAY_SEC = 86400.0
# Before every event.
NEVER = -1.0


def within_time(parsed: ParsedQuestion, retriever: Retriever, notes: Notes) -> tuple[ParsedQuestion, Retriever]:
    """The question with what its time means, and the retriever within the videos and the time that it names.

    A day is ignored where no recording has a date. In a conversation a day is mostly what is talked about ("on
    Thursday"), not when: it narrows nothing and only re-ranks (rank/score.py).
    """
    reader, times = retriever.sources.reader, parsed.language.time_expressions
    scope = replace(retriever.scope, video_ids=parsed.videos or retriever.scope.video_ids)
    retriever, span = retriever.within(scope), parsed.span
    of_talk = scope.has_turns and span and (span.day or not parsed.asks_for_all)
    if not span or of_talk:
        return parsed, retriever
    videos = reader.recordings(scope)
    recorded = [video.recorded_at for video in videos.values() if video.recorded_at]
    if span.day and not recorded:
        notes.lines.append(notes.grammar.no_recording_dates())
        return parsed, retriever

    def holds_events(scope: Scope) -> bool:
        return bool(retriever.nearest(parsed, scope, 1))

    named = tuple(sorted(name for name in videos if span.part and times.names_part(name, span.part)))
    unknown = not recorded and times.is_twelve_hour(span.since + span.until)
    if unknown and not named:
        return replace(parsed, time_left_out=span.words), retriever
    narrowed = narrow_scope(span, scope, recorded, holds=holds_events, times=times)
    by_name = replace(scope, video_ids=named)
    if named and (unknown or (not holds_events(narrowed) and holds_events(by_name))):
        narrowed = by_name
    parsed = replace(parsed, within=(narrowed.since, narrowed.until))
    if parsed.answer_type is AnswerType.DURATION and narrowed.as_of == scope.as_of:
        narrowed = scope  # what began or ended outside of it counts too
    elif parsed.is_of_a_state and (span.since or span.until):
        narrowed = replace(narrowed, since=scope.since)
    return parsed, retriever.within(narrowed)


def as_of_question(parsed: ParsedQuestion, scope: Scope, candidates: Sequence[Candidate]) -> Scope:
    """The scope by the end of the days that a question to conversations names: what held then answers it."""
    if not parsed.span or not scope.has_turns or scope.as_of is not None:
        return scope
    said = [each.event.at for each in candidates if each.event.turn and each.event.at]
    end = _end_of(parsed.span, max(said)) if said else None
    return scope if end is None else replace(scope, as_of=end)


def narrow_scope(
    span: TimeSpan,
    scope: Scope,
    recorded: Collection[datetime],
    *,
    holds: Callable[[Scope], bool],
    times: TimeExpressions,
) -> Scope:
    """The scope within the span: of the days it may mean the latest that holds an event, else one without any.

    times: what the marks of the span mean.
    """
    choices = scopes_within(span, scope, recorded, times)
    return next(filter(holds, choices), choices[0] if choices else replace(scope, as_of=NEVER))


def _end_of(span: TimeSpan, latest: datetime) -> datetime | None:
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
