"""Times as people write them: clock times, seconds and minutes of a video, dates and weekdays."""

from __future__ import annotations

import re
from collections.abc import Iterator

from amr_neo4j.language.base import NamedDay, NamedTime
from amr_neo4j.tables import Table

MINUTE = 60.0
_NUMBER = re.compile(r"(?P<clock>\d+(?::\d\d)+)|(?P<count>\d+(?:\.\d+)?)(?:\s*(?P<unit>[a-z]+))?")
_UNITS = {"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3600, "hour": 3600, "hours": 3600}


class TimeExpressionTable(Table):
    """time_expressions.yaml; its header documents the keys."""

    mark: str
    hours: tuple[str, ...]
    days: tuple[str, ...]
    weekdays: tuple[str, ...]
    months: tuple[str, ...]


class EnglishTimes:
    """The time expressions of a table."""

    def __init__(self, table: TimeExpressionTable) -> None:
        words = {"mark": f"({table.mark})", "weekday": "|".join(table.weekdays), "month": "|".join(table.months)}
        self._table = table
        self._hours, self._days = (
            [re.compile(pattern.format_map(words), re.IGNORECASE) for pattern in kind]
            for kind in (table.hours, table.days)
        )

    def time_in(self, text: str) -> NamedTime | None:
        """The time range that a text names, by the clock, the calendar or both; None where it names none."""
        hour = next((found for pattern in self._hours if (found := pattern.search(text))), None)
        rest = _without(text, hour)
        day = next((found for pattern in self._days if (found := pattern.search(rest))), None)
        if not hour and not day:
            return None
        named = hour.groupdict() if hour else {}
        at = named.get("at") or ""
        since, until = named.get("since") or at, named.get("until") or at
        return NamedTime(_without(rest, day), since, until, self._day(day.groupdict()) if day else None)

    def _day(self, named: dict[str, str | None]) -> NamedDay:
        table = self._table
        weekday, month = ((named.get(name) or "").casefold() for name in ("weekday", "month"))
        by_number = {name: int(value) for name, value in named.items() if value and value.isdigit()}
        return NamedDay(
            by_number.get("year"),
            by_number.get("number") or (table.months.index(month) + 1 if month else None),
            by_number.get("day"),
            table.weekdays.index(weekday) if weekday else None,
        )

    @staticmethod
    def is_of_video(mark: str) -> bool:
        """Whether a mark names a second or a minute of a video: "second 90"."""
        return mark[:1].isalpha()

    @staticmethod
    def is_twelve_hour(mark: str) -> bool:
        """Whether a mark can only be a time of day: "7 pm"."""
        return bool(re.search("m", mark, re.IGNORECASE))

    @staticmethod
    def seconds_of_day(mark: str, *, end: bool = False) -> float:
        """Seconds from midnight. end: the last of those that the mark covers, as 10:30 covers a whole minute."""
        numbers = [int(number) for number in re.findall(r"\d+", mark)]
        hour, minute, second = (*numbers, 0, 0)[:3]
        half = re.search(r"([ap])\.?m", mark, re.IGNORECASE)
        hour = hour % 12 + (12 if half[1].casefold() == "p" else 0) if half else hour
        return hour * 3600.0 + minute * MINUTE + second + (MINUTE - 0.001 if end and len(numbers) < 3 else 0.0)

    @staticmethod
    def seconds_of_video(mark: str, *, end: bool = False) -> float | None:
        """Seconds of a video: "1:30", "second 90", "minute 2". end: the last that the mark covers. None: no mark."""
        if not mark:
            return None
        seconds = 0.0
        for number in re.findall(r"\d+", mark):
            seconds = seconds * 60 + int(number)
        if mark.casefold().startswith("minute"):
            return seconds * MINUTE + (MINUTE if end else 0.0)
        return seconds + (1.0 if end else 0.0)

    @staticmethod
    def second_mark(second: int) -> str:
        """A second of a video as a mark: "second 90"."""
        return f"second {second}"

    @staticmethod
    def seconds_in(text: str) -> Iterator[float]:
        """Every second of a video that a number in the text may mean: "1:30" and "90" are 90, "minute 2" is 120."""
        minutes = "minute" in text.casefold()
        for found in _NUMBER.finditer(text.casefold()):
            if found["clock"]:
                seconds = 0.0
                for part in found["clock"].split(":"):
                    seconds = seconds * 60 + int(part)
                yield seconds
            elif found["count"]:
                count = float(found["count"])
                yield count * _UNITS.get(found["unit"] or "", 1)
                if minutes:
                    yield count * 60


def _without(text: str, found: re.Match[str] | None) -> str:
    return " ".join((text[: found.start()] + " " + text[found.end() :]).split()).strip(" ,") if found else text
