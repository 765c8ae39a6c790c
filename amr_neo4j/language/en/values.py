"""When something is that a text speaks of, reckoned from when it was said: "yesterday" on 8 May is 7 May."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import cache

from pydantic import BaseModel, ConfigDict

from amr_neo4j.language.base import StatedTime
from amr_neo4j.tables import Table, load

_BESIDE = {-1: "before", 0: "of", 1: "after"}


class TimeRow(BaseModel):
    """A row of stated_times.yaml; its header documents the keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str
    days: int | None = None
    weekday: int | None = None
    week: int | None = None
    month: int | None = None
    year: int | None = None
    said: bool = False


class StatedTimesTable(Table):
    """stated_times.yaml."""

    short_weekdays: dict[str, str]
    numbers: dict[str, int]
    rows: tuple[TimeRow, ...]


def times_stated(
    text: str, said_at: datetime | None, weekdays: Sequence[str], months: Sequence[str]
) -> list[StatedTime]:
    """The times that a text states, in its order. said_at: when it was said; without it only those that need none."""
    found: list[StatedTime] = []
    for row, pattern in _patterns(tuple(weekdays), tuple(months)):
        for match in pattern.finditer(text):
            if any(match.start() < other.end and other.start < match.end() for other in found):
                continue
            meaning = match[0] if row.said else said_at and _meaning(row, match, said_at.date(), weekdays)
            if meaning:
                found.append(StatedTime(match[0], meaning, *match.span()))
    return sorted(found, key=lambda time: time.start)


def _meaning(row: TimeRow, match: re.Match[str], said: date, weekdays: Sequence[str]) -> str:
    number = _number(match.groupdict().get("n"))
    if row.days is not None:
        return _day(said + timedelta(days=row.days * number))
    if row.weekday is not None:
        named = match["weekday"].casefold()
        apart = (weekdays.index(_table().short_weekdays.get(named, named)) - said.weekday()) % 7 or 7
        return _day(said + timedelta(days=apart if row.weekday > 0 else apart - 7 if apart < 7 else -7))
    if row.week is not None:
        return f"the {match['span'].casefold()} {_BESIDE[row.week]} {_day(said)}"
    if row.month is not None:
        months = 12 * said.year + said.month - 1 + row.month * number
        return f"{date(months // 12, months % 12 + 1, 1):%B %Y}"
    return str(said.year + (row.year or 0) * number)


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _number(words: str | None) -> int:
    if words is None:
        return 1
    return int(words) if words.isdigit() else _table().numbers[" ".join(words.casefold().split())]


@cache
def _table() -> StatedTimesTable:
    return load("amr_neo4j.language.en", "stated_times.yaml", StatedTimesTable)


@cache
def _patterns(weekdays: tuple[str, ...], months: tuple[str, ...]) -> tuple[tuple[TimeRow, re.Pattern[str]], ...]:
    return tuple(_compiled(weekdays, months))


def _compiled(weekdays: tuple[str, ...], months: tuple[str, ...]) -> Iterator[tuple[TimeRow, re.Pattern[str]]]:
    numbers = "|".join([*sorted(_table().numbers, key=len, reverse=True), r"\d{1,3}"])
    named = "|".join([*weekdays, *_table().short_weekdays])
    names = {"{weekday}": f"(?:{named})", "{month}": "|".join(months), "{n}": f"(?P<n>{numbers})"}
    for row in _table().rows:
        words = row.words
        for name, pattern in names.items():
            words = words.replace(name, pattern)
        yield row, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
