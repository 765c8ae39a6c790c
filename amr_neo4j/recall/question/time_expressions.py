"""A stretch of time that a question names by the clock or the calendar: "between 10:00 and 10:30", "on Tuesday"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from functools import cache
from math import exp

from amr_neo4j.domain.recall import Moment, Scope
from amr_neo4j.tables import Table, load

MINUTE, DAY = 60.0, 86400.0
# What is done on a day is told from the day before, as a plan, to a week after; of what is told further off each week
# leaves an e-th.
TOLD_BEFORE, TOLD_AFTER, FADES = 1, 7, 7.0
# Before every event.
NEVER = -1.0


@dataclass(frozen=True)
class TimeSpan:
    """since, until: as written, empty where open ("10:00", "7 pm", "second 90"); alike for a single moment.

    day: what is named of a date: year, month, day of the month, weekday (Monday is 0); None for what is not.
    """

    since: str = ""
    until: str = ""
    day: tuple[int | None, int | None, int | None, int | None] | None = None

    @property
    def is_season(self) -> bool:
        """Whether it is a whole month or year."""
        return bool(self.day) and self.day[2:] == (None, None) and not (self.since or self.until)

    @property
    def is_moment(self) -> bool:
        """Whether it is no longer than its mark says: "at 10:30" is that minute."""
        return self.since == self.until


class SpanTable(Table):
    """spans.yaml, whose head says what its keys mean."""

    mark: str
    hours: tuple[str, ...]
    days: tuple[str, ...]
    weekdays: tuple[str, ...]
    months: tuple[str, ...]


@cache
def _patterns() -> tuple[list[re.Pattern[str]], list[re.Pattern[str]]]:
    table = load("amr_neo4j.language.en", "time_expressions.yaml", SpanTable)
    words = {"mark": f"({table.mark})", "weekday": "|".join(table.weekdays), "month": "|".join(table.months)}
    hours, days = (
        [re.compile(pattern.format_map(words), re.IGNORECASE) for pattern in kind]
        for kind in (table.hours, table.days)
    )
    return hours, days


def span_in(text: str) -> tuple[str, TimeSpan | None]:
    """The text without the stretch of time that it names, and that stretch."""
    hours, days = _patterns()
    hour = next((found for pattern in hours if (found := pattern.search(text))), None)
    text = _without(text, hour)
    day = next((found for pattern in days if (found := pattern.search(text))), None)
    if not hour and not day:
        return text, None
    named = hour.groupdict() if hour else {}
    at = named.get("at") or ""
    span = TimeSpan(named.get("since") or at, named.get("until") or at, _day(day.groupdict()) if day else None)
    return _without(text, day), span


def _without(text: str, found: re.Match[str] | None) -> str:
    return " ".join((text[: found.start()] + " " + text[found.end() :]).split()).strip(" ,") if found else text


def _day(named: dict[str, str | None]) -> tuple[int | None, int | None, int | None, int | None]:
    table = load("amr_neo4j.language.en", "time_expressions.yaml", SpanTable)
    weekday, month = ((named.get(name) or "").casefold() for name in ("weekday", "month"))
    by_number = {name: int(value) for name, value in named.items() if value and value.isdigit()}
    return (
        by_number.get("year"),
        by_number.get("number") or (table.months.index(month) + 1 if month else None),
        by_number.get("day"),
        table.weekdays.index(weekday) if weekday else None,
    )


def narrowed(span: TimeSpan, scope: Scope, recorded: Collection[datetime], holds: Callable[[Scope], bool]) -> Scope:
    """The scope within the span: of the days it may mean the latest that holds an event, else one without any."""
    choices = scopes(span, scope, recorded)
    return next(filter(holds, choices), choices[0] if choices else replace(scope, as_of=NEVER))


def scopes(span: TimeSpan, scope: Scope, recorded: Collection[datetime]) -> list[Scope]:
    """The scope within the span: for each day that it may mean, the latest first; none where no day fits.

    recorded: when recordings began, with their zones. Without any, and for seconds, the video's own time is meant;
    it is the last choice where "1:30" may be read so.
    """
    of_video = [] if span.day else _bounded(scope, _seconds(span.since), _seconds(span.until, ends=span.is_moment))
    if not recorded or _of_video(span):
        return of_video
    days = sorted({(at.date(), at.tzinfo) for at in recorded if _is_on(at.date(), span)}, key=str, reverse=True)
    lasts: dict[tuple[date, date], tzinfo | None] = {_stretch(day, span): zone for day, zone in days}
    found = (_bounded(scope, *_on(*stretch, zone, span)) for stretch, zone in lasts.items())
    by_the_clock = [bounded for some in found for bounded in some]
    return by_the_clock if re.search("m", span.since + span.until, re.IGNORECASE) else [*by_the_clock, *of_video]


def _stretch(day: date, span: TimeSpan) -> tuple[date, date]:
    """First and last day of what the span means by one of its days: that day, or all of its month or year."""
    if not span.is_season:
        return day, day
    return next((first, last) for first, last in _dates(span, day) if first <= day <= last)


def _on(first: date, last: date, zone: tzinfo | None, span: TimeSpan) -> Iterator[datetime]:
    begin, end = (datetime.combine(day, time(), zone) for day in (first, last))
    yield begin + timedelta(seconds=_of_day(span.since) if span.since else 0.0)
    yield end + timedelta(seconds=_of_day(span.until, ends=span.is_moment) if span.until else DAY)


def told_near(span: TimeSpan, day: date) -> float:
    """How near what is said on a day is to the date that a span names, 0 to 1; 0 where it names none.

    A weekday alone is in every week, and says nothing.
    """
    gaps = [
        max((first - day).days - TOLD_BEFORE, (day - last).days - TOLD_AFTER, 0) for first, last in _dates(span, day)
    ]
    return exp(-min(gaps) / FADES) if gaps else 0.0


def _dates(span: TimeSpan, near: date) -> Iterator[tuple[date, date]]:
    """First and last day of each stretch that a date may mean, of the years about a day where it names none."""
    year, month, number, _ = span.day or (None, None, None, None)
    if month is None and (year is None or number is not None):
        return
    for of in [year] if year else range(near.year - 1, near.year + 2):
        with suppress(ValueError):  # no 30 February
            first = date(of, month or 1, number or 1)
            yield first, first if number else date(of, month or 12, monthrange(of, month or 12)[1])


def _is_on(day: date, span: TimeSpan) -> bool:
    if span.day is None:
        return True
    said = zip(span.day, (day.year, day.month, day.day, day.weekday()), strict=True)
    return all(asked in (None, is_so) for asked, is_so in said)


def _of_video(span: TimeSpan) -> bool:
    return any(mark[:1].isalpha() for mark in (span.since, span.until))


def _of_day(mark: str, *, ends: bool = False) -> float:
    """Seconds from midnight; with `ends` the last of those that the mark may mean: all of the minute 10:30."""
    numbers = [int(number) for number in re.findall(r"\d+", mark)]
    hour, minute, second = (*numbers, 0, 0)[:3]
    half = re.search(r"([ap])\.?m", mark, re.IGNORECASE)
    hour = hour % 12 + (12 if half[1].casefold() == "p" else 0) if half else hour
    return hour * 3600.0 + minute * MINUTE + second + (MINUTE - 0.001 if ends and len(numbers) < 3 else 0.0)


def _seconds(mark: str, *, ends: bool = False) -> float | None:
    """Seconds of a video: "1:30", "second 90", "minute 2" (which lasts)."""
    if not mark:
        return None
    seconds = 0.0
    for number in re.findall(r"\d+", mark):
        seconds = seconds * 60 + int(number)
    if mark.casefold().startswith("minute"):
        return seconds * MINUTE + (MINUTE if ends else 0.0)
    return seconds + (1.0 if ends else 0.0)


def _bounded(scope: Scope, since: Moment | None, until: Moment | None) -> list[Scope]:
    """The scope within these bounds as well, where that leaves anything. Of two kinds of bounds its own holds."""
    since = _inner(scope.since, since, later=True)
    until = _inner(scope.until, until, later=False)
    try:
        return [replace(scope, since=since, until=until)]
    except ValueError:
        return []


def _inner(given: Moment | None, named: Moment | None, *, later: bool) -> Moment | None:
    if given is None or named is None:
        return named if given is None else given
    if isinstance(given, datetime) or isinstance(named, datetime):
        both = [moment for moment in (given, named) if isinstance(moment, datetime)]
        return (max(both) if later else min(both)) if len(both) > 1 else given
    return max(given, named) if later else min(given, named)
