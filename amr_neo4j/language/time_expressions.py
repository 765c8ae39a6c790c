"""Reads times as people write them: clock times, seconds and minutes of a video, dates and weekdays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from amr_neo4j.tables import Table

MINUTE, HOUR = 60.0, 3600.0
HOURS_OF_A_HALF = 12
_NUMBER = re.compile(r"(?P<clock>\d+(?::\d\d)+)|(?P<count>\d+(?:\.\d+)?)(?:\s*(?P<unit>[a-z]+))?")
_UNITS = {"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3600, "hour": 3600, "hours": 3600}


@dataclass(frozen=True)
class NamedDay:
    """The parts of a date that a text names. A part that it does not name is None. weekday: Monday is 0."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None


@dataclass(frozen=True)
class NamedTime:
    """A time range that a text names.

    since, until: the marks of its ends as written ("10:00", "second 90"). Empty for an open end, equal for a single
        moment.
    rest: the text without the range.
    part: the words for a part of the day ("in the morning"), if any.
    """

    rest: str
    since: str = ""
    until: str = ""
    day: NamedDay | None = None
    part: str = ""


class PartOfDay(BaseModel):
    """A row of `parts`: a part of the day, with its words and the marks of its ends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: tuple[str, ...]
    since: str
    until: str
    at: str = ""


class TimeExpressionTable(Table):
    """time_expressions.yaml; its header documents the keys."""

    mark: str
    hours: tuple[str, ...]
    parts: tuple[PartOfDay, ...]
    ends: str
    in_parts: tuple[str, ...]
    hour_words: tuple[str, ...]
    spoken: tuple[str, ...]
    counted: tuple[str, ...]
    days: tuple[str, ...]
    weekdays: tuple[str, ...]
    months: tuple[str, ...]


class TimeExpressions:
    """Reads times as people write them.

    A mark names a second, a minute or a time of day: "10:00", "7 pm", "second 90".
    """

    def __init__(self, table: TimeExpressionTable) -> None:
        words = {"mark": f"({table.mark})", "weekday": "|".join(table.weekdays), "month": "|".join(table.months)}
        parts = {
            "part": "|".join(word for part in table.parts for word in part.words),
            "ends": table.ends.replace(" |", "|"),
        }
        hours = {"hour": rf"({'|'.join(table.hour_words)}|\d{{1,2}})"}
        self._table = table
        self._hours, self._days = (_compiled(kind, words) for kind in (table.hours, table.days))
        self._counted = _compiled(table.counted, {})
        self._parts, self._spoken = _compiled(table.in_parts, parts), _compiled(table.spoken, hours)
        self._part_of = {word: part for part in table.parts for word in part.words}

    def time_in(self, text: str) -> NamedTime | None:
        """Return the time range that a text names, by clock, calendar or both; None if it names none."""
        text = self._with_marks(text)
        hour = _first(self._hours, text)
        # "At 8 in the morning" was already turned into "8 am", so a clock time needs no part of the day.
        part = None if hour else _first(self._parts, text)
        rest = _without(text, hour or part)
        day = _first(self._days, rest)
        if not (hour or part or day):
            return None
        bounds = self._bounds(part.groupdict()) if part else {}
        named = hour.groupdict() if hour else bounds
        at = named.get("at") or ""
        since, until = named.get("since") or at, named.get("until") or at
        words = part[0].strip() if part else ""
        return NamedTime(_without(rest, day), since, until, self._day(day.groupdict()) if day else None, words)

    def names_part(self, name: str, words: str) -> bool:
        """Return whether a name has a word for the part of the day that `words` names.

        "kitchen_morning" does for "in the morning": a recording without a clock may still have a telling name.
        """
        parts = [part for word in re.findall(r"[a-z]+", words.casefold()) if (part := self._part_of.get(word))]
        named = re.findall(r"[a-z]+", name.casefold())
        return any(word in part.words for part in parts for word in named)

    def _bounds(self, named: dict[str, str | None]) -> dict[str, str]:
        """Return the marks that a part of the day stands for.

        "after noon" begins at 12, "before the evening" ends at 5 pm.
        named: {"at", "since" or "until": the word for the part}.
        """
        of = {name: self._part_of[word.casefold()] for name, word in named.items() if word}
        if at := of.get("at"):
            return {"since": at.since, "until": at.until}
        since, until = of.get("since"), of.get("until")
        return {
            "since": (since.at or since.until) if since else "",
            "until": (until.at or until.since) if until else "",
        }

    def _with_marks(self, text: str) -> str:
        """Return the text with spoken hours and counted seconds as marks: "eight in the morning" -> "8 am"."""
        if found := _first(self._counted, text):
            seconds = int(found["number"]) * (MINUTE if found["unit"].casefold().startswith("m") else 1)
            return f"{text[: found.start()]}at {self.second_mark(int(seconds))}{text[found.end() :]}"
        found = _first(self._spoken, text)
        if not found:
            return text
        named, words = found.groupdict(), self._table.hour_words
        spoken = named["hour"].casefold()
        hour = int(spoken) if spoken.isdigit() else words.index(spoken) + 1
        half = "am" if named.get("am") else "pm"
        if "minute" not in named or hour > len(words):
            half = "o'clock"
        return f"{text[: found.start()]}{hour}{named.get('minute') or ''} {half}{text[found.end() :]}"

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
        """Return whether a mark names a second or a minute of a video: "second 90"."""
        return mark[:1].isalpha()

    @staticmethod
    def is_twelve_hour(mark: str) -> bool:
        """Return whether a mark can only be a time of day: "7 pm", "8 o'clock"."""
        return bool(re.search(r"\d ?[ap]\.?m|clock", mark, re.IGNORECASE))

    @staticmethod
    def readings(mark: str) -> tuple[str, ...]:
        """Return the times of day that a mark may mean: "8 o'clock" -> ("8 am", "8 pm")."""
        hour, clock, _ = mark.partition(" o'clock")
        if not clock:
            return (mark,)
        return (f"{hour} am", f"{hour} pm") if int(hour) <= HOURS_OF_A_HALF else (f"{hour}:00",)

    @staticmethod
    def seconds_of_day(mark: str, *, end: bool = False) -> float:
        """Return the seconds from midnight to a mark.

        end: return the end of what the mark covers: "10:30" covers a minute, "7 pm" an hour.
        """
        numbers = [int(number) for number in re.findall(r"\d+", mark)]
        hour, minute, second = (*numbers, 0, 0)[:3]
        half = re.search(r"([ap])\.?m", mark, re.IGNORECASE)
        if half:
            # 12 am is midnight and 12 pm is noon.
            hour = hour % 12 + (12 if half[1].casefold() == "p" else 0)
        # A thousandth less, so that the end still lies in the hour or minute.
        covered = (HOUR, MINUTE, 0.001)[len(numbers[:3]) - 1] - 0.001 if end and numbers else 0.0
        return hour * HOUR + minute * MINUTE + second + covered

    @staticmethod
    def seconds_of_video(mark: str, *, end: bool = False) -> float | None:
        """Return the second of a video that a mark names: "1:30", "second 90", "minute 2"; None for an empty mark.

        end: return the end of what the mark covers: a second, or a minute for "minute 2".
        """
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
        """Return a second of a video as a mark: "second 90"."""
        return f"second {second}"

    @staticmethod
    def seconds_in(text: str) -> Iterator[float]:
        """Yield every second of a video that a number in the text may mean.

        "1:30" and "90" mean 90. "minute 2" means 120, but yields 2 as well: the seconds are only used to reject a
        text model's times that no number of the question supports.
        """
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
                # A text that says "minute" anywhere may mean minutes by any of its numbers.
                if minutes:
                    yield count * 60


def _compiled(patterns: Iterable[str], words: Mapping[str, str]) -> list[re.Pattern[str]]:
    return [re.compile(pattern.format_map(words), re.IGNORECASE) for pattern in patterns]


def _first(patterns: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((found for pattern in patterns if (found := pattern.search(text))), None)


def _without(text: str, found: re.Match[str] | None) -> str:
    return " ".join((text[: found.start()] + " " + text[found.end() :]).split()).strip(" ,") if found else text
