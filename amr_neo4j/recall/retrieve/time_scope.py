"""Narrows a scope to the time range that a question names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import product

from amr_neo4j.domain.recall import Moment, Scope
from amr_neo4j.language.time_expressions import TimeExpressions
from amr_neo4j.recall.question.parsed import AnswerType, ParsedQuestion
from amr_neo4j.recall.question.time_span import TimeSpan
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.retrieve.retriever import Retriever
from amr_neo4j.recall.trace import Notes

DAY_SEC = 86400.0
# An as_of before every event: the scope is empty.
NEVER = -1.0


def within_time(parsed: ParsedQuestion, retriever: Retriever, notes: Notes) -> tuple[ParsedQuestion, Retriever]:
    """Return the question with the meaning of its time, and the retriever narrowed to the videos and time it names.

    A day is ignored if no recording has a date. In a conversation a day is mostly what people talk about ("on
    Thursday"), and not when they talk, so it does not narrow the scope and only re-ranks (rank/score.py).
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
    # "At 7 pm" means nothing if no recording knows its wall clock.
    unknown = not recorded and times.is_twelve_hour(span.since + span.until)
    if unknown and not named:
        return replace(parsed, time_left_out=span.words), retriever
    narrowed = narrow_scope(span, scope, recorded, holds=holds_events, times=times)
    by_name = replace(scope, video_ids=named)
    if named and (unknown or (not holds_events(narrowed) and holds_events(by_name))):
        # A recording may be called "kitchen_morning": then its name says what its clock does not.
        narrowed = by_name
    parsed = replace(parsed, within=(narrowed.since, narrowed.until))
    if parsed.answer_type is AnswerType.DURATION and narrowed.as_of == scope.as_of:
        narrowed = scope  # a state that began or ended outside the time range counts too
    elif parsed.is_of_a_state and (span.since or span.until):
        # How a thing was at a time follows from the events before it.
        narrowed = replace(narrowed, since=scope.since)
    return parsed, retriever.within(narrowed)


def as_of_question(parsed: ParsedQuestion, scope: Scope, candidates: Sequence[Candidate]) -> Scope:
    """Return the scope as of the end of the days that a question about conversations names.

    The facts that were true then answer the question. The scope is unchanged if the question names no date.
    """
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
    """Return the scope within the span, on the latest possible day that has an event, else on a day without any.

    recorded: as in `scopes_within`.
    holds: returns whether a scope has an event.
    times: reads the marks of the span.
    """
    choices = scopes_within(span, scope, recorded, times)
    # "On Tuesday" is the last Tuesday with an event. Without any, the first choice makes the answer "nothing then".
    return next(filter(holds, choices), choices[0] if choices else replace(scope, as_of=NEVER))


def _end_of(span: TimeSpan, latest: datetime) -> datetime | None:
    """Return the end of the days that the span means; None if it names no date.

    If several ranges are possible, the last one that began by `latest` counts.
    """
    ranges = [last for first, last in span.dates(latest.date()) if first <= latest.date()]
    return datetime.combine(max(ranges), time(), latest.tzinfo) + timedelta(days=1) if ranges else None


def scopes_within(
    span: TimeSpan, scope: Scope, recorded: Collection[datetime], times: TimeExpressions
) -> list[Scope]:
    """Return one scope within the span per day that it may mean, the latest first; empty if no day fits.

    recorded: when recordings began, with their time zones. If there are none, or if the span names seconds, the
        video's own time is meant.
    "1:30" may be either; the video's own time is the last choice then.
    """
    since, until = times.seconds_of_video(span.since), times.seconds_of_video(span.until, end=span.is_moment)
    of_day = times.is_twelve_hour(span.since + span.until)
    of_video = [] if span.day or of_day else _bounded(scope, since, until)
    if not recorded or times.is_of_video(span.since) or times.is_of_video(span.until):
        return of_video
    readings = _readings(span, times)
    begun = {(at.date(), at.tzinfo) for at in recorded if span.includes(at.date())}
    if span.day is None and any(_ends_next_day(reading, times) for reading in readings):
        # "At night" may have begun on the evening before the recording.
        begun |= {(day - timedelta(days=1), zone) for day, zone in begun}
    # By the text of (day, zone), because two time zones cannot be compared.
    days = sorted(begun, key=str, reverse=True)
    zones: dict[tuple[date, date], tzinfo | None] = {_date_range(day, span): zone for day, zone in days}
    bounded = (
        _bounded(scope, *_bounds_on(*dates, zone, reading, times))
        for dates, zone in zones.items()
        for reading in readings
    )
    return [*(one for some in bounded for one in some), *of_video]


def _readings(span: TimeSpan, times: TimeExpressions) -> list[TimeSpan]:
    """Return the span in each reading of its marks, the latest first: "8 o'clock" is 8 pm or 8 am."""
    pairs = list(product(times.readings(span.since), times.readings(span.until)))
    if span.is_moment:
        pairs = [(since, until) for since, until in pairs if since == until]
    return [replace(span, since=since, until=until) for since, until in reversed(pairs)]


def _ends_next_day(span: TimeSpan, times: TimeExpressions) -> bool:
    """Return whether the span goes from one day into the next: "at night"."""
    closed = bool(span.since and span.until) and not span.is_moment
    return closed and times.seconds_of_day(span.since) > times.seconds_of_day(span.until)


def _date_range(day: date, span: TimeSpan) -> tuple[date, date]:
    """Return (first, last) day of the range that the span means around one of its days.

    That is the day itself, or its whole month or year if the span names no day.
    """
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
    """Return [the scope narrowed by these bounds]; empty if nothing is left.

    A bound of another kind than the scope's (seconds of a video, wall clock) is ignored.
    """
    since = _tighter(scope.since, since, later=True)
    until = _tighter(scope.until, until, later=False)
    try:
        return [replace(scope, since=since, until=until)]
    except ValueError:
        return []


def _tighter(given: Moment | None, named: Moment | None, *, later: bool) -> Moment | None:
    if given is None or named is None:
        return named if given is None else given
    tighter = max if later else min
    if isinstance(given, datetime) and isinstance(named, datetime):
        return tighter(given, named)
    if isinstance(given, datetime) or isinstance(named, datetime):
        return given  # a date and seconds of a video cannot be compared
    return tighter(given, named)
