"""Reads the values that texts state: numbers, amounts, dates and times.

"Yesterday" is counted from when it was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from pydantic import BaseModel, ConfigDict

from amr_neo4j.domain.folding import folded_words
from amr_neo4j.language.time_expressions import TimeExpressionTable
from amr_neo4j.tables import Table

_BESIDE = {-1: "before", 0: "of", 1: "after"}
Meaning = Callable[[re.Match[str]], str]
"""Returns the value that a match states; empty for none."""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A number, an amount, a date or a time that a text states.

    words: as written.
    value: a form that can be compared with others of its kind, such as "7 May 2023" for "yesterday".
    start, end: where it begins and ends in the text.
    """

    kind: str
    words: str
    value: str
    start: int
    end: int


class TimeRow(BaseModel):
    """A row of `times`: a pattern, and how to count from the day when it was said. values.yaml explains the keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str
    days: int | None = None
    weekday: int | None = None
    week: int | None = None
    month: int | None = None
    year: int | None = None
    said: bool = False


class ValueTable(Table):
    """values.yaml; its header documents the keys."""

    small_numbers: dict[str, int]
    large_numbers: dict[str, int]
    unit_numbers: dict[str, int]
    short_weekdays: dict[str, str]
    values: dict[str, str]
    times: tuple[TimeRow, ...]

    @property
    def numbers(self) -> dict[str, int]:
        """The numerals that stand for a number by themselves."""
        return self.small_numbers | self.large_numbers


class Values:
    """Reads the values that a text states: numbers, amounts, dates and times."""

    def __init__(self, table: ValueTable, calendar: TimeExpressionTable) -> None:
        """calendar: the table with the names of months and weekdays."""
        self.numbers = table.numbers
        self._counts = table.unit_numbers | table.small_numbers
        self._weekdays = {name: place for place, name in enumerate(calendar.weekdays)}
        self._weekdays |= {short: self._weekdays[name] for short, name in table.short_weekdays.items()}
        # The longest first, because a pattern takes the first alternative that matches: "sixty" before "six".
        counts = "|".join([*sorted(self._counts, key=len, reverse=True), r"\d{1,3}"])
        names = {
            "{month}": "|".join(calendar.months),
            "{number}": "|".join(self.numbers),
            "{weekday}": f"(?:{'|'.join(self._weekdays)})",
            "{n}": f"(?P<n>{counts})",
        }
        self._values = [(kind, _pattern(words, names)) for kind, words in table.values.items()]
        self._times = [(row, _pattern(rf"\b(?:{row.words})\b", names)) for row in table.times]

    def values_in(self, text: str) -> list[StatedValue]:
        """Return the numbers, amounts, dates and times that a text states, in order."""
        return _stated(text, ((kind, pattern, self._value) for kind, pattern in self._values))

    def times_in(self, text: str, said_at: datetime | None) -> list[StatedValue]:
        """Return the times that a text states, in order.

        said_at: when the text was said; "yesterday" is counted from it. With None, only times that need no such date
            are returned.
        """
        return _stated(text, (("time", pattern, self._moment(row, said_at)) for row, pattern in self._times))

    def _value(self, match: re.Match[str]) -> str:
        said = match[0].casefold().replace(",", "").strip(". ")
        # "Two" and "2" have the same value, so that they can be compared.
        return str(self.numbers.get(said, said))

    def _moment(self, row: TimeRow, said_at: datetime | None) -> Meaning:
        if row.said:
            return lambda match: match[0]
        return lambda match: self._reckoned(row, match, said_at.date()) if said_at else ""

    def _reckoned(self, row: TimeRow, match: re.Match[str], said: date) -> str:
        number = self._number(match.groupdict().get("n"))
        if row.days is not None:
            return _day(said + timedelta(days=row.days * number))
        if row.weekday is not None:
            # "Next Friday", said on a Friday, is a week away and not today.
            after = (self._weekdays[match["weekday"].casefold()] - said.weekday()) % 7
            return _day(said + timedelta(days=(after or 7) if row.weekday > 0 else after - 7))
        if row.week is not None:
            return f"the {match['span'].casefold()} {_BESIDE[row.week]} {_day(said)}"
        if row.month is not None:
            # Counted in months, so that December to January needs no special case.
            months = 12 * said.year + said.month - 1 + row.month * number
            return f"{date(months // 12, months % 12 + 1, 1):%B %Y}"
        return str(said.year + (row.year or 0) * number)

    def _number(self, words: str | None) -> int:
        if words is None:
            return 1
        return int(words) if words.isdigit() else self._counts[folded_words(words)]


def _stated(text: str, patterns: Iterable[tuple[str, re.Pattern[str], Meaning]]) -> list[StatedValue]:
    """Return what the patterns find in a text, in order. Where matches overlap, the first pattern counts."""
    found: list[StatedValue] = []
    for kind, pattern, meaning in patterns:
        for match in pattern.finditer(text):
            if not any(_overlaps(match, other) for other in found) and (value := meaning(match)):
                found.append(StatedValue(kind, match[0], value, *match.span()))
    return sorted(found, key=lambda each: each.start)


def _overlaps(match: re.Match[str], other: StatedValue) -> bool:
    return match.start() < other.end and other.start < match.end()


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _pattern(words: str, names: dict[str, str]) -> re.Pattern[str]:
    for name, pattern in names.items():
        words = words.replace(name, pattern)
    return re.compile(words, re.IGNORECASE)
