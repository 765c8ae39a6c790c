"""The time range that a question names by the clock or the calendar: "between 10:00 and 10:30", "on Tuesday"."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

from amr_neo4j.language.time_expressions import NamedDay, TimeExpressions


@dataclass(frozen=True)
class TimeSpan:
    """A time range as a question names it.

    since, until: the marks of its ends as written ("10:00", "7 pm", "second 90"). Empty for an open end, equal for a
        single moment.
    day: the parts of a date that are named, or None.
    part: the words for a part of the day, as written.
    """

    since: str = ""
    until: str = ""
    day: NamedDay | None = None
    part: str = ""

    @property
    def words(self) -> str:
        """The words for the time of day."""
        return self.part or " - ".join(dict.fromkeys(filter(None, (self.since, self.until))))

    @property
    def is_season(self) -> bool:
        """Whether it is a whole month or year, without a day or a time of day."""
        of_one_day = self.day is None or self.day.day is not None or self.day.weekday is not None
        return not (of_one_day or self.since or self.until)

    @property
    def is_moment(self) -> bool:
        """Whether both ends have the same mark: "at 10:30" means the minute that the mark covers."""
        return self.since == self.until

    def dates(self, near: date) -> Iterator[tuple[date, date]]:
        """Yield (first day, last day) of each range that it may mean.

        near: a day. If no year is named, the ranges are in the year of this day, the year before and the year after.
        A weekday alone yields nothing, because every week has one.
        """
        named = self.day or NamedDay()
        if named.month is None and (named.year is None or named.day is not None):
            return
        # "In March" without a year: the answer may lie in the March before or after this day.
        for year in [named.year] if named.year else range(near.year - 1, near.year + 2):
            with suppress(ValueError):  # no 30 February
                first = date(year, named.month or 1, named.day or 1)
                month = named.month or 12
                yield first, first if named.day else date(year, month, monthrange(year, month)[1])

    def includes(self, day: date) -> bool:
        """Return whether a day agrees with every part of the date that is named."""
        if self.day is None:
            return True
        named = (self.day.year, self.day.month, self.day.day, self.day.weekday)
        actual = (day.year, day.month, day.day, day.weekday())
        return all(part in (None, of_day) for part, of_day in zip(named, actual, strict=True))


def time_span_in(text: str, times: TimeExpressions) -> tuple[str, TimeSpan | None]:
    """Return (the text without its time range, the range); the range is None if the text names none."""
    found = times.time_in(text)
    return (found.rest, TimeSpan(found.since, found.until, found.day, found.part)) if found else (text, None)
