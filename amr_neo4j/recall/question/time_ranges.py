"""What the words for a time mean: ranges of the wall clock, counted from a moment, or of a film's own time.

Days are those of the moment's time zone. A day of 23 or 25 hours counts as a whole day.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import chain, product
from math import inf
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from amr_neo4j.language.time_expressions import NamedDays, NamedTime, Relation, TimeExpressions
from amr_neo4j.tables import Table, shipped

DAY = timedelta(days=1)
DAY_SEC = 86400.0
WHOLE_DAY = [(-inf, inf)]
INSTANT = timedelta(microseconds=1)
_UNITS = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
# The first and the last day of each part of a month, which nobody names to the day; None for its last day.
_THIRDS = {"early": (1, 12), "mid": (9, 22), "late": (19, None)}
_DAYS_OF = {"day": 1, "week": 7, "month": 30, "year": 365}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# (start, end) of a recording.
Recorded = tuple[datetime, datetime]
# (from, until). None: open.
Range = tuple[datetime | None, datetime | None]
# Seconds from midnight: (from, until). The end may be on the next day. -inf and inf: the ends of the day.
Hours = tuple[float, float]
Each = TypeVar("Each")
# (first day, last day).
Days = tuple[date, date]
Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class HoursOfDay(BaseModel):
    """A range of hours.

    at: the moment that "after noon" counts from.
    day_before: it begins on the day before.
    still: before this hour, a night is meant that began on the day before.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: time
    until: time
    at: time | None = None
    day_before: bool = False
    still: time | None = None


class TimeTable(Table):
    """times.yaml; its comments document the keys."""

    week_begins: Weekday
    weekend: tuple[Weekday, ...]
    parts: Mapping[str, HoursOfDay]
    last_night: HoursOfDay
    this_night: HoursOfDay
    tonight: HoursOfDay
    just_now_minutes: int
    few: int
    most_days_around: int
    most_days: int


meanings = shipped("amr_neo4j.recall.question", "times.yaml", TimeTable)
"""Returns the table of what times mean."""


def clock_ranges(
    named: NamedTime, now: datetime, recorded: Collection[Recorded], times: TimeExpressions
) -> list[Range]:
    """Return the ranges of the wall clock that a text names, in order; empty if there are none.

    now: the moment of the question, in the time zone whose days are meant.
    recorded: the times of the recordings. Hours without a day are those of each day since the first.
    times: reads the marks of the named time.
    """
    # "3000 years ago" is before the calendar, as "in the year 0" is.
    with suppress(ValueError, OverflowError):
        begun = min((since for since, _ in recorded), default=None)
        return _clock_ranges(_with_dates(named, now, recorded), now, begun, times)
    return []


def _with_dates(named: NamedTime, now: datetime, recorded: Collection[Recorded]) -> NamedTime:
    """Return the time with the dates of the days that are counted among those recorded: "on the second day".

    Raises ValueError: that many days were not recorded.
    """
    mentioned = [named.days, named.last_days, *chain.from_iterable(named.other_days)]
    if not any(days and "recorded" in (days.rule, days.near and days.near.rule) for days in mentioned):
        return named
    # A recording that ends at midnight is none of the next day.
    spans = [(since, max(since, until - timedelta.resolution)) for since, until in recorded]
    local = [(since.astimezone(now.tzinfo).date(), until.astimezone(now.tzinfo).date()) for since, until in spans]
    recorded_days = {day for span in local for day, _ in _each(span)}
    every = sorted(day for day in recorded_days if day <= now.date())

    def dated(days: NamedDays | None) -> NamedDays | None:
        if days and days.near:
            return replace(days, near=dated(days.near))
        if days is None or days.rule != "recorded":
            return days
        if (day := _counted(every, int(days.number or 0))) is None:
            raise ValueError(f"{len(every)} days were recorded")
        return replace(days, rule="date", number=0, year=day.year, month=day.month, day=day.day)

    others = tuple((dated(first) or first, dated(last)) for first, last in named.other_days)
    return replace(named, days=dated(named.days), last_days=dated(named.last_days), other_days=others)


def _clock_ranges(named: NamedTime, now: datetime, begun: datetime | None, times: TimeExpressions) -> list[Range]:
    if named.position:
        # Subtracted in UTC, so that "the last hour" is one hour even when clocks change.
        back = timedelta(seconds=named.position.since or 0)
        return [(now.astimezone(UTC) - back, now)] if named.position.of_clock else []
    days, hours = named.days, _hours_of(named, times)
    if named.goes_on and days and named.last_days:
        # "Since 8 am on Thursday until Friday".
        first = _days_of(days, now, hours)
        last = _last_of(named.last_days, first, now, WHOLE_DAY) if first else []
        return [(first[0][0], last[-1][1])] if last else []
    if named.goes_on and not (days and days.recur) and not named.other_days:
        starts = [since for since, _ in _days_of(days, now, hours)[:1]] if days else _last_starts(hours, now)
        return [(since, now) for since in starts if since <= now]
    listed = [each for each in (days, *(first for first, _ in named.other_days)) if each]
    recurring = [each for each in listed if each.recur]
    if days is None or recurring:
        meant = [
            (day, day)
            for day, _ in _days_until(now, begun)
            if not recurring or any(_is_meant(each, day) for each in recurring)
        ]
        hours = [_seconds(meanings().parts[days.part])] if days and days.part else hours
        ranges = _of_each_day(meant, hours, now.tzinfo) if days or named.has_hours else []
        # "Yesterday and on Mondays".
        once = [other for other in listed if not other.recur]
        dated = [each for other in once for each in _days_of(other, now, hours)]
        return [*sorted({*ranges, *dated})]
    if named.last_days and named.last_days.year and days.rule == "date" and not days.year:
        # "From December to March 2026".
        days = replace(days, year=named.last_days.year - ((days.month or 0) > (named.last_days.month or 0)))
    ranges = _days_of(days, now, hours)
    if days.rule == "ago" and days.unit in _UNITS and named.relation != "within" and ranges:
        # "Less than two hours ago" is counted from that moment.
        moment = now.astimezone(UTC) - (meanings().few if days.number is None else days.number) * _UNITS[days.unit]
        ranges = [(moment, moment)]
    if named.is_moment and ranges and named.relation in ("after", "until"):
        # "After yesterday at 5 pm" begins at the moment that is named.
        ranges = [(since, since) for since, _ in ranges]
    whole = _whole(named.relation, ranges, named.last_days, now, hours)
    # "Monday to Wednesday and on Friday", "on Tuesday and from Thursday to Saturday".
    for first, last in named.other_days:
        whole += _whole("between" if last else "within", _days_of(first, now, hours), last, now, hours)
    return sorted(whole) if named.other_days else whole


def _whole(
    relation: Relation,
    ranges: list[tuple[datetime, datetime]],
    last_days: NamedDays | None,
    now: datetime,
    hours: list[Hours],
) -> list[Range]:
    """Return the ranges of some days, or the one range that the relation makes of them ("since Monday").

    last_days: the second days of "from Monday to Friday", or None.
    """
    last = _last_of(last_days, ranges, now, hours) if last_days and ranges else ranges
    if relation == "between" and ranges and last and hours != WHOLE_DAY:
        # "Monday to Friday between 6 and 8 pm": on each of these days.
        first_day, last_day = (each.astimezone(now.tzinfo).date() for each in (ranges[0][0], last[-1][0]))
        return [*_of_each_day(_each((first_day, last_day)), hours, now.tzinfo)]
    return (_beside(relation, ranges[0][0], last[-1][1], now) or [*ranges]) if ranges and last else []


def _last_of(
    days: NamedDays, first: list[tuple[datetime, datetime]], now: datetime, hours: list[Hours]
) -> list[tuple[datetime, datetime]]:
    """Return the ranges of the last days of "from Monday to Friday": those that follow the first days."""
    last = _days_of(days, now, hours)
    if last and last[-1][1] < first[0][0]:
        # The next such day is within a week, a month or a year.
        recurs_monthly = 31 if days.month is None else 366
        period = 7 if days.rule == "weekday" else recurs_monthly
        last = _days_of(days, now + period * DAY, hours)
    return last


def _beside(relation: Relation, first: datetime, last: datetime, now: datetime) -> list[Range]:
    """Return the range before, after or between some days, by the relation; [] if the days themselves are meant."""
    sides: Mapping[Relation, list[Range]] = {
        "since": [(first, now)],
        "after": [(last, now)],
        "before": [(None, first)],
        "until": [(None, last)],
        "between": [(first, last)],
    }
    return sides.get(relation, [])


def film_range(
    named: NamedTime, duration_s: float | None, times: TimeExpressions
) -> tuple[float | None, float | None] | None:
    """Return the seconds of a film that a text names, (from, until), None for an open end.

    Returns None if it names no position in a film, or counts from the end of a film of unknown length.
    """
    position = named.position
    if position is None:
        if named.days or not (named.since or named.until) or times.is_twelve_hour(named.since + named.until):
            return None
        return times.seconds_of_video(named.since), times.seconds_of_video(named.until, end=named.is_moment)
    if not position.from_end:
        return position.since, position.until
    if duration_s is None:
        return None
    since, until = (
        None if back is None else max(0.0, duration_s - back) for back in (position.since, position.until)
    )
    return since, until


def counted_in(moment: datetime, unit: str) -> date | None:
    """Return the date that stands for the day, night, weekend or other unit in which a moment lies; None if in none.

    unit: "day", "weekend", or a part of the day. A night counts by the day of its evening.
    """
    day, second = moment.date(), _second(moment.time())
    if unit == "day":
        return day
    if unit == "weekend":
        first, last = _weekend(day, 0)
        return first if first <= day <= last else None
    begin, end = _seconds(meanings().parts[unit])
    return next((day - back * DAY for back in (0, 1) if begin <= second + back * DAY_SEC <= end), None)


def named_dates(named: NamedTime, near: date) -> Iterator[Days]:
    """Yield (first day, last day) of each range that a date may mean.

    Other days than dates yield nothing.

    near: a day. If no year is named, the ranges are in the year of this day, the year before and the year after.
    """
    days = named.days
    if days is None or days.rule != "date" or (days.month is None and days.year is None):
        return
    for year in [days.year] if days.year else range(near.year - 1, near.year + 2):
        with suppress(ValueError):  # no 30 February
            yield _date(days, year, days.month)


def _days_of(days: NamedDays, now: datetime, hours: list[Hours]) -> list[tuple[datetime, datetime]]:
    """Return the ranges that some named days mean. hours: those of each day that are meant."""
    today, zone, table = now.date(), now.tzinfo, meanings()
    number = table.few if days.number is None else days.number
    match days.rule:
        case "just_now" | "now":
            return [(now.astimezone(UTC) - timedelta(minutes=table.just_now_minutes), now)]
        case "last_night" | "this_night" | "tonight":
            night: HoursOfDay = getattr(table, days.rule)
            is_over = days.rule == "last_night" or (night.still is not None and now.time() < night.still)
            evening = today - DAY if is_over else today
            return _of_each_day([(evening, evening)], _within_night(_seconds(night), hours), zone)
        case "last":
            return [(_back(now, number, days.unit), now)]
        case "exactly_ago":
            moment = _back(now, number, days.unit)
            return [(moment, moment)]
        case "ago" if days.unit in _UNITS:
            then, half = now.astimezone(UTC) - number * _UNITS[days.unit], min(number, 1) * _UNITS[days.unit] / 2
            return [(then - half, min(now, then + half))]
        case _:
            found = _dates(days, today, number)
            part = [_seconds(table.parts[days.part])] if days.part else hours
            return _of_each_day(_each(found), part, zone) if found else []


def _dates(days: NamedDays, today: date, count: float) -> Days | None:
    """Return the first and the last day that some named days mean; None if there is no such day."""
    if days.near:
        dated = _dates(days.near, today, days.near.number or 0)
        return _near(replace(days, near=None), *dated) if dated else None
    number = int(count)
    match days.rule:
        case "day":
            found = today + number * DAY, today + number * DAY
        case "week":
            found = _week_of(today, number)
        case "weekend":
            found = _weekend(today, number)
        case "month":
            found = _month(today, number)
        case "year":
            found = _year(today, number)
        case "weekday" if days.unit:  # "Monday of last week"
            found = next(each for each in _each(_week_of(today, number)) if each[0].weekday() == (days.weekday or 0))
        case "weekday":
            # "On Monday" may be today. "Next Monday" is after today, "last Monday" before it, and "the Monday before
            # last" a week earlier.
            back = (today.weekday() - (days.weekday or 0)) % 7
            if number > 0:
                back -= 7
            elif number < 0:
                back = (back or 7) + 7 * (-number - 1)
            found = today - back * DAY, today - back * DAY
        case "ago":
            found = _ago(today, number, days.unit) if count == number else _around_ago(today, count, days.unit)
        case _:
            found = _latest(days, today)
    return found


def _near(days: NamedDays, first: date, last: date) -> Days | None:
    """Return the days that are counted from a date. first, last: the days of the date, which may be a month."""
    if days.side == "of" and days.number:
        return _nth(days, first, last)
    is_before = days.side == "before"
    if days.rule == "weekday":
        return _dates(days, first - DAY, 0) if is_before else _dates(days, last, 1)
    if days.rule == "weekend":
        if days.side == "of":
            return _weekend(_week_of(first, 0)[1], 0)
        found = _weekend(first - DAY, 0) if is_before else _weekend(last, 1)
        return _weekend(first - DAY, -1) if is_before and found[1] >= first else found
    number = meanings().few if days.number is None else int(days.number)
    are_few = days.unit == "day" and days.number is None
    if are_few or (days.unit == "week" and number == 1):  # "a few days before", "the week before"
        length = number * DAY if are_few else 7 * DAY
        return (first - length, first - DAY) if is_before else (last + DAY, last + length)
    return _ago(first, number, days.unit) if is_before else _ago(last, -number, days.unit)


def _nth(days: NamedDays, first: date, last: date) -> Days | None:
    """Return the nth day, week or weekend from `first` to `last`; a negative number counts from the end.

    Returns None if there are fewer.
    """
    number, every = int(days.number or 0), _each((first, last))
    if days.rule == "week":
        length = 6 * DAY
        begins = first + (number - 1) * 7 * DAY if number > 0 else last - length + (number + 1) * 7 * DAY
        return (begins, min(begins + length, last)) if first <= begins <= last else None
    if days.rule == "weekend":
        every = [weekend for day, _ in every if (weekend := _weekend(day, 0))[0] == day]
    elif days.weekday is not None:
        every = [each for each in every if each[0].weekday() == days.weekday]
    return _counted(every, number)


def _counted(every: Sequence[Each], number: int) -> Each | None:
    """Return the nth of these; a negative number counts from the end. Returns None if there are fewer."""
    place = number - 1 if number > 0 else number
    return every[place] if -len(every) <= place < len(every) else None


def _around_ago(today: date, number: float, unit: str) -> Days:
    """Return the days around a time `number` units ago ("about two and a half weeks ago": 2.5 weeks).

    The words are vague, so a quarter of a unit is added on either side, at least a day, up to today.
    """
    length = _DAYS_OF[unit]
    day, around = today - round(number * length) * DAY, max(1, length // 4) * DAY
    return day - around, min(day + around, today)


def _ago(today: date, number: int, unit: str) -> Days:
    """Return the days of the unit (week, month ...) that was `number` units ago; a negative number is ahead."""
    if unit == "month":
        return _month(today, -number)
    if unit == "year":
        return _year(today, -number)
    around = min(abs(number), meanings().most_days_around) if unit == "week" else 0
    day = today - number * DAY * (7 if unit == "week" else 1)
    return day - around * DAY, day + around * DAY


def _week_of(day: date, number: int) -> Days:
    """Return the week of a day, or the week `number` weeks after it."""
    begins = _WEEKDAYS.index(meanings().week_begins)
    first = day - (day.weekday() - begins) % 7 * DAY + 7 * number * DAY
    return first, first + 6 * DAY


def _year(today: date, number: int) -> Days:
    return date(today.year + number, 1, 1), date(today.year + number, 12, 31)


def _month(today: date, number: int) -> Days:
    # Counted in months, so that December to January needs no special case.
    months = 12 * today.year + today.month - 1 + number
    year, month = months // 12, months % 12 + 1
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _weekend(today: date, number: int) -> Days:
    """Return the latest weekend that has begun. "Last weekend" is over."""
    days = sorted(map(_WEEKDAYS.index, meanings().weekend))
    first = today - (today.weekday() - days[0]) % 7 * DAY
    length = (days[-1] - days[0]) * DAY
    if number < 0 and first + length < today:
        number += 1
    first += 7 * number * DAY
    return first, first + length


def _latest(days: NamedDays, today: date) -> Days | None:
    """Return the date if its year is named, otherwise the latest such date that is not in the future."""
    year = days.year
    month = days.month
    if days.unit in ("month", "year"):  # "the 23rd of last month", "November last year"
        first = (_month if days.unit == "month" else _year)(today, int(days.number or 0))[0]
        year, month = first.year, first.month if days.unit == "month" else month
    if year:
        with suppress(ValueError):
            return _date(days, year, month)
        return None
    months = (_month(today, -back)[0] for back in range(12 * 8 + 1))  # 29 February may be eight years ago
    for month in months:
        if days.month in (None, month.month):
            with suppress(ValueError):
                first, last = _date(days, month.year, month.month)
                # "Last November", said in November, is that of last year.
                if first <= today and not (days.number and last >= today):
                    return _week_of(first, 0) if days.unit == "week" else (first, last)
    return None


def _date(days: NamedDays, year: int, month: int | None) -> Days:
    """Return a date, month or year. Raises ValueError if there is no such day."""
    first = date(year, month or 1, days.day or 1)
    if days.day:
        return first, date(year, first.month, days.last_day or days.day)
    if month and days.third:
        begins, ends = _THIRDS[days.third]
        return date(year, month, begins), date(year, month, ends or monthrange(year, month)[1])
    end = month or 12
    return first, date(year, end, monthrange(year, end)[1])


def _back(now: datetime, number: float, unit: str) -> datetime:
    """Return the moment that many units before `now`, days and longer ones at the same time of day."""
    if unit in _UNITS:
        return now.astimezone(UTC) - number * _UNITS[unit]
    whole = int(number)
    if unit in ("month", "year"):
        first = _month(now.date(), -whole * (12 if unit == "year" else 1))
        day = first[0].replace(day=min(now.day, first[1].day))
    else:
        day = now.date() - whole * _DAYS_OF[unit] * DAY
    return datetime.combine(day, now.timetz()).astimezone(UTC) - (number - whole) * _DAYS_OF[unit] * DAY


def _is_meant(days: NamedDays, day: date) -> bool:
    if days.rule == "every_weekend":
        return _WEEKDAYS[day.weekday()] in meanings().weekend
    if days.weekday is None:  # "on weekdays"
        return _WEEKDAYS[day.weekday()] not in meanings().weekend
    return day.weekday() == days.weekday


def _hours_of(named: NamedTime, times: TimeExpressions) -> list[Hours]:
    """Return the hours of a day that a text names, in each reading ("8 o'clock"); the whole day if it names none."""
    parts = meanings().parts
    if named.part:
        return [_seconds(parts[named.part])]
    if named.part_since or named.part_until:
        since = parts[named.part_since] if named.part_since else None
        until = parts[named.part_until] if named.part_until else None
        begin = -inf
        if since:
            # "Since the morning" is since its start, and "after the morning" since its end.
            side = since.since if named.goes_on else since.until
            begin = _second(since.at or side)
        # "Before midnight" is until the end of the day.
        end = (_second(until.at or until.since) or DAY_SEC) if until else inf
        # "After midnight" is the rest of the night, and not the rest of the day.
        if since and not until and begin == 0:
            end = _second(parts["night"].until)
        return [(begin, end)]
    pairs = list(product(times.readings(named.since), times.readings(named.until)))
    if named.is_moment:
        pairs = [(since, until) for since, until in pairs if since == until]
    if named.until and not named.since:
        pairs = pairs[:1]  # "before 8 o'clock" would else be all until 8 pm
    hours: list[Hours] = []
    for since, until in pairs:
        begin = times.seconds_of_day(since) if since else -inf
        end = times.seconds_of_day(until, end=named.is_moment) if until else inf
        end = end if end > begin else end + DAY_SEC
        # "From 10 to 2 o'clock" is four hours, in each half of the day.
        if len(pairs) <= 1 or not (since and until) or end - begin <= DAY_SEC / 2:
            hours.append((begin, end))
    return hours


def _last_starts(hours: list[Hours], now: datetime) -> list[datetime]:
    """Return the latest moment when these hours began, alone in a list: "since 6 pm" means the last 6 pm only."""
    days = (now.date() - DAY, now.date())
    starts = [_moment(day, begin, now.tzinfo, fold=0) for day in days for begin, _ in hours]
    return sorted(start for start in starts if start <= now)[-1:]


def _seconds(hours: HoursOfDay) -> Hours:
    begin, end = _second(hours.since) - hours.day_before * DAY_SEC, _second(hours.until)
    return begin, end if end > begin else end + DAY_SEC


def _within_night(night: Hours, hours: list[Hours]) -> list[Hours]:
    """Return the hours that lie in a night ("at 2 last night"); the whole night if none of them do.

    An open end ("after 10", "before 2") is that of the night.
    """
    found: list[Hours] = []
    for since, until in hours:
        begin, end = (night[0] if since == -inf else since), (night[1] if until == inf else until)
        # Hours before the start of the night are those of the next day: "at 2" of a night from 22 to 30.
        begin += 0.0 if begin >= night[0] else DAY_SEC
        end += 0.0 if end > night[0] else DAY_SEC
        found.append((begin, end))
    return [(begin, end) for begin, end in found if begin <= end <= night[1]] or [night]


def _second(of_day: time) -> float:
    return of_day.hour * 3600.0 + of_day.minute * 60 + of_day.second


def _each(days: Days) -> list[Days]:
    """Return each day by itself."""
    first, last = days
    return [(first + n * DAY, first + n * DAY) for n in range((last - first).days + 1)]


def _days_until(now: datetime, begun: datetime | None) -> list[Days]:
    """Return each day from the first recording to now. A night may have begun on the evening before."""
    today = now.date()
    earliest = today - meanings().most_days * DAY
    first = max(begun.astimezone(now.tzinfo).date() - DAY, earliest) if begun else earliest
    return _each((min(first, today), today))


def _of_each_day(days: list[Days], hours: list[Hours], zone: tzinfo | None) -> list[tuple[datetime, datetime]]:
    """Return the ranges of these hours on each of these days. Ranges that touch are joined."""
    ranges: list[tuple[datetime, datetime]] = []
    whole = [(0.0 if begin == -inf else begin, DAY_SEC if end == inf else end) for begin, end in hours]
    for (first, last), (begin, end) in product(days, sorted(whole)):
        # A day ends when the next one begins, even where clocks are then set back to show its last hour once more.
        since, until = _moment(first, begin, zone, fold=0), _moment(last, end, zone, fold=1 if end % DAY_SEC else 0)
        if end == DAY_SEC:  # what begins at midnight belongs to the next day
            until -= INSTANT
        if until < since or (until == since and begin < end):  # clocks that were set forward skipped these hours
            continue
        if ranges and since <= ranges[-1][1] + INSTANT:
            ranges[-1] = ranges[-1][0], max(until, ranges[-1][1])
        else:
            ranges.append((since, until))
    return ranges


def _moment(day: date, seconds: float, zone: tzinfo | None, *, fold: int) -> datetime:
    """Return the moment when the clocks of a zone show these seconds after midnight.

    If clocks are set forward and skip this time, the moment of the change is returned.

    fold: if clocks are set back and show this time twice, 0 means the first moment and 1 the second.
    """
    local = (datetime.combine(day, time()) + timedelta(seconds=seconds)).replace(tzinfo=zone)
    once, again = (local.replace(fold=each).astimezone(UTC) for each in (0, 1))
    if once <= again:
        return again if fold else once
    # The clocks skip this time: between `again` and `once` they are set forward.
    before, after = again, once
    while after - before > INSTANT:
        middle = before + (after - before) / 2
        is_set = middle.astimezone(zone).utcoffset() == once.astimezone(zone).utcoffset()
        before, after = (before, middle) if is_set else (middle, after)
    return after
