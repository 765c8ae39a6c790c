"""Finds the words for times in a text: clock times, days, and positions in a film. It does not say what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from amr_neo4j.tables import Table

MINUTE, HOUR = 60.0, 3600.0
HOURS_OF_A_HALF = 12
# "At 3 at night" is before the morning, "at 11 at night" before midnight.
_LATEST_AT_NIGHT = 6
_MOST_CHARACTERS = 1000
FEW = "few"
# A name of a day or month in this few small letters may be another word ("sat", "may").
_SHORT_WORD = re.compile("[a-z]{1,3}")
SHORT = 3  # the first letters that tell months and weekdays apart
_NUMBER = re.compile(r"(?P<clock>\d+(?::\d\d)+)|(?P<count>\d+(?:\.\d+)?)(?:\s*(?P<unit>[a-z]+))?")
# An amount in "m" alone, which may be minutes or metres.
_BARE_M = re.compile(r"^\D*\d+(?:\.\d+)? ?m$", re.IGNORECASE)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_WORD, _DIGIT = re.compile(r"[^\W\d_]+"), re.compile(r"\d")
_UNITS = {"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3600, "hour": 3600, "hours": 3600}

Rule = Literal[
    "day",
    "week",
    "weekend",
    "month",
    "year",
    "weekday",
    "every_weekday",
    "every_weekend",
    "date",
    "last",
    "ago",
    "exactly_ago",
    "last_night",
    "this_night",
    "tonight",
    "just_now",
    "now",
    "recorded",
]
Relation = Literal["within", "since", "after", "before", "until", "between"]
Side = Literal["before", "after", "of"]


@dataclass(frozen=True)
class NamedDays:
    """Days that a text names, by a rule and its numbers (recall/question/time_ranges.py says what they mean).

    number: 0 is the present day, week or other unit, and -1 the one before: yesterday, last week, last Monday. For
        the rules "last" and "ago" it is how many units; None for "a few". On the side "of" it counts within the
        days of `near`, and for the rule "recorded" among the days that were recorded: 1 is the first, -1 the last.
    year, month, day, last_day, weekday: what it names; None if it does not. Monday is 0.
    third: of a month, "early", "mid" or "late"; empty for the whole.
    part: the part of each day ("yesterday evening"), as a key of `parts`.
    near, side: days from which they are counted, instead of from the moment of the question, and on which side of
        them they lie: "the Friday before 20 May". `number` is then 0, or how many units for the rule "ago".
    """

    rule: Rule
    number: float | None = 0
    unit: str = ""
    year: int | None = None
    month: int | None = None
    day: int | None = None
    last_day: int | None = None
    weekday: int | None = None
    third: str = ""
    part: str = ""
    near: NamedDays | None = None
    side: Side = "before"

    @property
    def recur(self) -> bool:
        """Whether they come again and again: "on Fridays"."""
        return self.rule in ("every_weekday", "every_weekend")


@dataclass(frozen=True)
class NamedPosition:
    """A part of a film, from one second to another.

    since, until: None for the start or the end of the film.
    from_end: both are counted back from the end of the film.
    of_clock: it may also be a time of the wall clock: "the last ten minutes" may be those before the question.
    """

    since: float | None = None
    until: float | None = None
    from_end: bool = False
    of_clock: bool = False


@dataclass(frozen=True)
class NamedTime:
    """A time range that a text names.

    words: the words for it, as written.
    since, until: the marks of its ends by the clock, as written ("10:00", "second 90"). Empty for an open end, equal
        for a single moment.
    part_since: the part of the day after which it is.
    part_until: the one before which it is.
    part: the one it is in.
    days: the days.
    last_days: the last of them ("from Monday to Friday").
    other_days: the rest of a list ("on Monday, Wednesday or Friday"), each as (first, last) with None for a last that
        is not named.
    goes_on: it goes on from the first mark to the moment of the question: "since 6 pm yesterday".
    relation: whether the range is those days, or before or after them.
    position: the part of a film.
    film: the film that is meant, as written; None if no film is mentioned, empty for "the film".
    unknown: words for a time that are not understood. The rest of the range holds.
    """

    words: str = ""
    since: str = ""
    until: str = ""
    part: str = ""
    part_since: str = ""
    part_until: str = ""
    goes_on: bool = False
    days: NamedDays | None = None
    last_days: NamedDays | None = None
    other_days: tuple[tuple[NamedDays, NamedDays | None], ...] = ()
    relation: Relation = "within"
    position: NamedPosition | None = None
    film: str | None = None
    unknown: str = ""

    @property
    def has_hours(self) -> bool:
        """Whether it names a time of day."""
        return bool(self.since or self.until or self.part or self.part_since or self.part_until)

    @property
    def is_understood(self) -> bool:
        """Whether any of it has a meaning."""
        return bool(self.has_hours or self.days or self.position)

    @property
    def is_moment(self) -> bool:
        """Whether both ends have the same mark: "at 10:30" means the minute that the mark covers."""
        return bool(self.since) and self.since == self.until


class DayRow(BaseModel):
    """A row of `days`. part: the part of the day that is meant, if the words name none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str
    rule: Rule
    number: float = 0
    part: str = ""
    behind: str = ""
    ends: bool = False


class PositionRow(BaseModel):
    """A row of `positions`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str
    rule: Literal["between", "last", "before_last", "before_end", "nth", "at"]


class Pairs(BaseModel):
    """The words before and between two days; `also`: between days of a list; `again`: after them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    before: str
    middle: str
    also: str
    again: str


class RewrittenRow(BaseModel):
    """A row of `rewritten`: text that matches `words` (a regular expression) is replaced by `reads`, as re.sub takes
    it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: str
    reads: str


class TimeExpressionTable(Table):
    """time_expressions.yaml; its header documents the keys."""

    hints: tuple[str, ...]
    mark: str
    hours: tuple[str, ...]
    parts: Mapping[str, tuple[str, ...]]
    ends: str
    alone: str
    in_parts: tuple[str, ...]
    hour_words: tuple[str, ...]
    spoken: tuple[str, ...]
    minutes: Mapping[str, int]
    beside_hour: tuple[str, ...]
    before_hour: tuple[str, ...]
    day: str
    spelt_day: str
    rewritten: tuple[RewrittenRow, ...]
    weekdays: tuple[str, ...]
    short_weekdays: tuple[str, ...]
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    relations: Mapping[Relation, str]
    pairs: Pairs
    days: tuple[DayRow, ...]
    numbers: Mapping[str, int | Literal["few"]]
    ordinals: Mapping[str, int]
    units: Mapping[int, tuple[str, ...]]
    amount: str
    and_a_half: str
    positions: tuple[PositionRow, ...]
    no_position: str
    metres: str
    present: str
    near_date: str
    last: str
    of_days: str
    film: str
    other_times: tuple[str, ...]
    unread: tuple[str, ...]
    left_beside: str


class TimeExpressions:
    """Finds the words for times in a text.

    A mark names a second, a minute or a time of day: "10:00", "7 pm", "second 90".
    """

    def __init__(self, table: TimeExpressionTable) -> None:
        self._table = table
        self._part_of = {word: part for part, words in table.parts.items() for word in words}
        self._seconds_of = {word: seconds for seconds, words in table.units.items() for word in words}
        # "Twenty-five" and "twenty-fifth" are read by their words, as "two hundred and five" is.
        tens = _any(word for word, number in table.numbers.items() if number in range(20, 100, 10))
        ones = _any(word for word, number in table.numbers.items() if number in range(1, 10) and len(word) > 2)
        nths = _any(word for word, number in table.ordinals.items() if number < 10)
        hundreds = _any(word for word, number in table.numbers.items() if number in range(100, 1000, 100))
        below = _any(word for word, number in table.numbers.items() if number in range(1, 100))
        number = (
            rf"(?:(?:{hundreds} (?:and )?)?{tens}[ -]{ones}|{hundreds} and {below}|{_any(table.numbers)}"
            r"|\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"
        )
        unit = _any(self._seconds_of)
        words = {
            "day": table.day.replace(" |", "|"),
            "amount": table.amount,
            "n": number,
            "unit": unit,
            "compound": rf"{tens}[ -]{nths}",
            "ordinal": rf"{tens}[ -]{nths}|{_any(table.ordinals)}|\d{{1,2}}(?:st|nd|rd|th)",
            "and_a_half": table.and_a_half,
            "film": table.film,
            "mark": f"({table.mark})",
            "weekday": "|".join(table.weekdays),
            "short_weekday": "|".join(table.short_weekdays),
            "month": "|".join(table.months),
            "short_month": "|".join([*table.months, *table.short_months]),
            "hour": rf"({'|'.join(table.hour_words)}|\d{{1,2}})",
            "ends": table.ends.replace(" |", "|"),
            "alone": table.alone,
            "minutes": _any(table.minutes),
            "before_hour": _any(table.before_hour),
        }
        of_month = words | {"short_month": rf"(?P<month>{words['short_month']})"}
        in_days = words | {
            "n": rf"(?P<n>{number})",
            "part": rf"(?P<part>{_any(self._part_of)})",
            "nth": rf"(?P<nth>{table.last}|{words['ordinal']})",
            "of_days": _compiled(table.of_days, of_month).pattern,
        }
        of_day = words | {"part": _any(self._part_of)}
        weekdays = [*table.weekdays, *(f"{day}s" for day in table.weekdays), *table.short_weekdays]
        units = (word for unit in self._seconds_of for word in re.split("[ -]", unit))
        months = [*table.months, *table.short_months]
        self._hints = frozenset([*table.hints, *table.hour_words, *self._part_of, *weekdays, *months, *units])
        # A question is read more than once: as a whole, by its clauses, and again when memory has new names.
        self._time_in = lru_cache(maxsize=32)(self._read_time)
        self._hours = [_compiled(pattern, words) for pattern in table.hours]
        self._parts = [_compiled(pattern, of_day) for pattern in table.in_parts]
        self._spoken = [_compiled(pattern, words) for pattern in table.spoken]
        self._beside_hour = [_compiled(pattern, words) for pattern in table.beside_hour]
        self._spelt_day = _compiled(table.spelt_day, words)
        self._rewritten = [(_compiled(row.words, words), row.reads) for row in table.rewritten]
        self._days = [(row, _compiled(rf"\b(?:{row.words})(?![\w'’])", in_days)) for row in table.days]
        self._behind = {row.behind: _compiled(rf"\b(?:{row.behind}) $", words) for row in table.days}
        relations = table.relations.items()
        self._relations: Mapping[Relation, re.Pattern[str]] = {
            name: _compiled(rf"\b(?:{pattern}) (?:the )?$", {}) for name, pattern in relations
        }
        self._pair = _compiled(rf"\b(?:{table.pairs.before}) $", {})
        self._middle = _compiled(rf"(?: (?:{table.pairs.middle}) | ?[-–] ?)(?:the )?", {})
        self._also = _compiled(
            rf"(?:, | (?:{table.pairs.also}) |, (?:{table.pairs.also}) )(?:{table.pairs.again}|the| )*", {}
        )
        self._ends = _compiled("{ends}", words)
        self._positions = [(row.rule, _compiled(row.words, words)) for row in table.positions]
        self._no_position, self._film = _compiled(table.no_position, words), _compiled(table.film, {})
        self._metres = _compiled(table.metres.replace(" |", "|").replace("\n", ""), words)
        self._present = _compiled(table.present, words)
        self._near_date = _compiled(rf"(?:{table.near_date.replace(' |', '|')})$", in_days)
        self._other_times = [_compiled(pattern, words) for pattern in table.other_times]
        self._left_beside = _compiled(table.left_beside, words)
        self._unread = [_compiled(pattern, of_day) for pattern in table.unread]
        self._amounts = _compiled(
            rf"(?:(?P<n>{number})(?P<half> {table.and_a_half})? ?)?(?P<unit>{unit})(?![a-z])", {}
        )

    def time_in(self, text: str) -> tuple[str, NamedTime | None]:
        """Return (the text without its time range, the range); the range is None if the text names none."""
        # A question stands at the end of a long text. Patterns with repetitions would take seconds for the whole.
        before, asked = text[:-_MOST_CHARACTERS], text[-_MOST_CHARACTERS:]
        words = _WORD.findall(asked.casefold())
        if self._hints.isdisjoint(words) and not _DIGIT.search(asked):
            return text, None
        rest, named = self._time_in(asked)
        return before + rest, named

    def _read_time(self, text: str) -> tuple[str, NamedTime | None]:
        rest, other = _without(text, _first(self._other_times, text))
        rewritten = self._with_minutes(self._spelt_day.sub(self._day_number, rest))
        for pattern, reads in self._rewritten:
            rewritten = pattern.sub(reads, rewritten)
        rest, position, of_position = self._position(rewritten)
        rest = self._with_marks(rest)
        hour = None if position else _first(self._hours, rest)
        rest, of_hour = _without(rest, hour)
        rest, days, of_days = self._days_in(rest)
        # "At 8 in the morning" was already turned into "8 am", so a clock time needs no part of the day.
        in_part = None if hour or position else _first(self._parts, rest)
        rest, of_part = _without(rest, in_part)
        film = self._film.search(rest) if position or hour else None
        rest, _ = _without(rest, film)
        is_read = bool(of_position or of_hour or of_days or of_part)
        rest, unread = _without(rest, _first([*self._unread, *([self._left_beside] if is_read else [])], rest))
        unknown = " ".join(filter(None, (other, unread)))
        words = " ".join(filter(None, (of_position, of_hour, of_days, of_part, unknown)))
        if not words:
            return text, None
        hours = _hours(hour)
        parts = {name: self._part_of[word] for name, word in _folded(in_part).items() if name != "goes_on"}
        return rest, replace(
            days or NamedTime(),
            words=words,
            since=hours[0],
            until=hours[1],
            part=parts.get("at", ""),
            part_since=parts.get("since", ""),
            part_until=parts.get("until", ""),
            goes_on="goes_on" in _groups(hour or in_part),
            position=position,
            film=film["film"].strip() if film else None,
            unknown=unknown,
        )

    @property
    def weekdays(self) -> Sequence[str]:
        """The names of the days of the week, Monday first."""
        return self._table.weekdays

    @property
    def months(self) -> Sequence[str]:
        """The names of the months."""
        return self._table.months

    def is_present(self, text: str) -> bool:
        """Return whether a question is about the present ("Where do I live today?")."""
        return bool(self._present.search(text))

    def names_part(self, name: str, part: str) -> bool:
        """Return whether a name has a word for a part of the day.

        "kitchen_morning" has one for the morning: a recording without a clock may still have a telling name.
        """
        named = re.findall(r"[a-z]+", name.casefold())
        return bool(part) and any(word in self._table.parts[part] for word in named)

    def _days_in(self, text: str) -> tuple[str, NamedTime | None, str]:
        """Return (the text without the days that it names, the days with their relation, their words)."""
        found = self._all_days(text)
        if not found:
            return text, None, ""
        for dated, near in found:
            counted = self._near_date.search(text[: dated.start()])
            if counted and not near.recur:
                relation, side = self._relation(text[: counted.start()])
                rest, words = _cut(text, (side or counted).start(), dated.end())
                return rest, NamedTime(days=self._days_near(near, counted), relation=relation), words
        match, days = found[0]
        start, end = match.span()
        before = text[:start]
        pair = self._pair.search(before)
        if len(found) > 1 and self._are_ends(match, found[1][0], text, is_pair=bool(pair)):
            others, end = self._listed_after(found[1][0].end(), found[2:], text)
            side = pair or self._relations["within"].search(before)
            rest, words = _cut(text, side.start() if side else start, end)
            return rest, NamedTime(days=days, last_days=found[1][1], other_days=others, relation="between"), words
        others, end = self._listed_after(end, found[1:], text)
        relation, side = self._relation(before)
        side = side or (pair if days.last_day else None)
        rest, words = _cut(text, side.start() if side else start, end)
        return rest, NamedTime(days=days, other_days=others if relation == "within" else (), relation=relation), words

    def _relation(self, before: str) -> tuple[Relation, re.Match[str] | None]:
        """Return the relation that the last of the words before some days names, and that word."""
        for name, pattern in self._relations.items():
            if word := pattern.search(before):
                return name, word
        return "within", None

    def _days_near(self, date: NamedDays, counted: re.Match[str]) -> NamedDays:
        """Return the days that words count from a date: "the weekend before", "two weeks after"."""
        named = _folded(counted)
        side = next(side for side in get_args(Side) if side in named)
        number, part = self._number(named.get("n", "1")), self._part_of.get(named.get("part", ""), "")
        if "weekday" in named:
            return NamedDays("weekday", weekday=self._weekday(named), near=date, side=side)
        if named.get("unit") == "weekend":
            return NamedDays("weekend", near=date, side=side)
        unit = named.get("unit") or named.get("units", "day")
        return NamedDays("ago", number, unit, part=part, near=date, side=side)

    def _are_ends(self, first: re.Match[str], last: re.Match[str], text: str, *, is_pair: bool) -> bool:
        """Return whether two days are the ends of a range: "Monday to Friday", "between May and July"."""
        between = text[first.end() : last.start()]
        return bool(self._middle.fullmatch(between)) and (is_pair or not self._also.fullmatch(between))

    def _listed_after(
        self, end: int, found: Sequence[tuple[re.Match[str], NamedDays]], text: str
    ) -> tuple[tuple[tuple[NamedDays, NamedDays | None], ...], int]:
        """Return (the days that continue a list of days which ends at `end`, the end of the list with them)."""
        others: list[tuple[NamedDays, NamedDays | None]] = []
        rest = list(found)
        while rest:
            match, days = rest.pop(0)
            also = self._also.fullmatch(text[end : match.start()])
            if not also:
                break
            end, last = match.end(), None
            if rest and self._are_ends(match, rest[0][0], text, is_pair=bool(self._pair.search(also[0]))):
                after, last = rest.pop(0)
                end = after.end()
            others.append((days, last))
        return tuple(others), end

    def _all_days(self, text: str) -> list[tuple[re.Match[str], NamedDays]]:
        """Return every name of days in a text, in order. If names overlap, the one of the first row counts."""
        found: list[tuple[re.Match[str], NamedDays]] = []
        unsure: list[tuple[re.Match[str], NamedDays]] = []
        for row, pattern in self._days:
            for match in pattern.finditer(text):
                if _overlaps(match, found):
                    continue
                days = self._named_days(row, match)
                (found if self._is_named(row, match, text) else unsure).append((match, days))
        # Words in a list or range with a name of days are names of days too: "Monday to Friday" and "in May and
        # June".
        while named := [one for one in unsure if not _overlaps(one[0], found) and self._is_joined(one, found, text)]:
            found.append(named[0])
        return sorted(found, key=lambda each: each[0].start())

    def _is_joined(
        self, one: tuple[re.Match[str], NamedDays], found: Sequence[tuple[re.Match[str], NamedDays]], text: str
    ) -> bool:
        """Return whether words stand in a list ("in May and June") or a range ("Monday to Friday") with named days.

        "Yesterday, and sat down" names no Saturday, and "on Monday and Jan on Tuesday" no January.
        """
        match, days = one
        if _SHORT_WORD.fullmatch(match[0]):
            return False
        is_month = days.month is not None and days.day is None
        return any(
            (
                self._also.fullmatch(text[other.end() : match.start()])
                and not (is_month and before.weekday is not None)
            )
            or self._are_ends(other, match, text, is_pair=False)
            or self._are_ends(match, other, text, is_pair=False)
            for other, before in found
        )

    def _is_named(self, row: DayRow, match: re.Match[str], text: str) -> bool:
        before = text[: match.start()]
        if row.behind and not self._behind[row.behind].search(before):
            return False
        behind = any(pattern.search(before) for pattern in self._relations.values()) and not row.behind
        return not row.ends or behind or bool(self._ends.match(text, match.end()))

    def _named_days(self, row: DayRow, match: re.Match[str]) -> NamedDays:
        named = _folded(match)
        year, day, last_day, month = (
            int(named[name]) if name in named else None for name in ("year", "day", "last_day", "number")
        )
        if "nth" in named:
            return self._nth_days(row, named, year)
        number = (
            self._count(named) if "n" in named else float(row.number or row.rule in ("last", "ago", "exactly_ago"))
        )
        return NamedDays(
            row.rule,
            -number if row.rule == "weekday" and "n" in named and number else number,
            named.get("unit", ""),
            year=year,
            day=day,
            last_day=last_day,
            month=self._month(named) if "month" in named else month,
            weekday=self._weekday(named),
            third=named.get("third", ""),
            part=self._part_of.get(named.get("part", ""), row.part),
        )

    def _nth_days(self, row: DayRow, named: Mapping[str, str], year: int | None) -> NamedDays:
        """Return "the last Friday of October", "the first week of last month", "the second day"."""
        nth = named["nth"]
        near = None if row.rule == "recorded" else NamedDays("date", year=year)
        if "month" in named:
            near = NamedDays("date", year=year, month=self._month(named))
        elif "period" in named:
            near = NamedDays("month" if named["period"] == "month" else "year", -float("back" in named))
        number = -1.0 if re.fullmatch(self._table.last, nth) else float(self._ordinal(nth))
        part = self._part_of.get(named.get("part", ""), "")
        return NamedDays(row.rule, number, weekday=self._weekday(named), part=part, near=near, side="of")

    def _weekday(self, named: Mapping[str, str]) -> int | None:
        return _index(self._table.weekdays, named["weekday"]) if "weekday" in named else None

    def _month(self, named: Mapping[str, str]) -> int:
        return 1 + _index(self._table.months, named["month"])

    def _count(self, named: Mapping[str, str]) -> float | None:
        """Return how many units are named; "an hour and a half" is 1.5 of them."""
        number = self._number(named["n"])
        return number + 0.5 if number and "half" in named else number

    def _number(self, words: str) -> float | None:
        """Return the number that words stand for; None for "a few"."""
        value = self._table.numbers.get(words.casefold())
        if value == FEW:
            return None
        if value is None and words[0].isalpha():
            # "Forty-two", "two hundred and ten": the number that it begins with, and the rest.
            said = words.casefold().replace("-", " ")
            first = max((each for each in self._table.numbers if said.startswith(f"{each} ")), key=len)
            more = said.removeprefix(first).removeprefix(" and").strip()
            return (self._number(first) or 0) + (self._number(more) or 0)
        return float(words.replace(",", "")) if value is None else value

    def _position(self, text: str) -> tuple[str, NamedPosition | None, str]:
        """Return (the text without the part of a film that it names, the part, its words)."""
        for rule, pattern in self._positions:
            for match in pattern.finditer(text):
                # "After 2 minutes of cooking" is a length of time. "After 2 minutes of the film" is a position in the
                # film.
                if self._no_position.match(text, match.end()) and not self._film.match(text, match.end() + 1):
                    continue
                if _BARE_M.search(match[0]) and self._metres.search(text):
                    continue
                rest, words = _cut(text, *match.span())
                return rest, self._named_position(rule, match), words
        return text, None, ""

    def _named_position(self, rule: str, match: re.Match[str]) -> NamedPosition:
        named = match.groupdict()
        since, until = (named.get(name) or "" for name in ("since", "until"))
        start, end = self._seconds(since), self._seconds(until)
        if rule == "nth":
            number = self._ordinal(named["number"])
            first = self._ordinal(named.get("first") or named["number"])
            begins, ends = (first - 1) * end, number * end
            if named.get("before") or named.get("to"):
                return NamedPosition(None, begins if named.get("before") else ends)
            return NamedPosition(
                ends if named.get("past") else begins, None if named.get("past") or named.get("on") else ends
            )
        if rule == "at":
            return NamedPosition(start, start + 1.0)
        if rule == "before_last":
            return NamedPosition(None, end, from_end=True)
        if rule in ("last", "before_end"):
            return NamedPosition(start, None, from_end=True, of_clock=rule == "last")
        if since.isdigit():  # "between 2 and 3 minutes"
            units = [self._seconds_of[found["unit"].casefold()] for found in self._amounts.finditer(until)]
            start = int(since) * units[0]
        return NamedPosition(start if since else None, end if until else None)

    def _ordinal(self, words: str) -> int:
        ordinal = words.casefold()
        if ordinal[0].isdigit():
            return int(ordinal[:-2])
        tens, _, ones = ordinal.replace("-", " ").rpartition(" ")
        return self._table.ordinals[ones] + int(self._number(tens) or 0 if tens else 0)

    def _seconds(self, amount: str) -> float:
        """Return the seconds of an amount: "1 hour and 24 minutes", "an hour and a half", "minute"."""
        total = 0.0
        for found in self._amounts.finditer(amount):
            unit = self._seconds_of[found["unit"].casefold()]
            behind = amount[found.end() :].strip().casefold()
            half = found["half"] or behind.startswith(self._table.and_a_half)
            total += ((self._number(found["n"] or "1") or 1) + (0.5 if half else 0.0)) * unit
        return total

    def _day_number(self, spelt: re.Match[str]) -> str:
        if spelt[0][0].isdigit():
            return spelt[0]
        number = self._ordinal(spelt[0])
        return f"{number}{'th' if 10 < number < 20 else _ENDINGS.get(number % 10, 'th')}"

    def _with_minutes(self, text: str) -> str:
        """Return the text with the minutes beside an hour in its mark: "half past eight" -> "8:30 o'clock"."""
        for pattern in self._beside_hour:
            text = pattern.sub(self._mark_beside, text)
        return text

    def _mark_beside(self, found: re.Match[str]) -> str:
        named = _folded(found)
        hour, said = self._hour(named), named["minutes"]
        minutes = self._table.minutes.get(said) or int(self._number(said) or 0)
        in_all = hour * 60 + (-minutes if named.get("side") in self._table.before_hour else minutes)
        if hour > HOURS_OF_A_HALF:
            return f"{in_all // 60 % 24}:{in_all % 60:02}"
        # "A quarter to one" is 12:45, in either half of the day.
        half = found["half"] or " o'clock"
        return f"{(in_all - 60) % 720 // 60 + 1}:{in_all % 60:02}{half}"

    def _with_marks(self, text: str) -> str:
        """Return the text with spoken hours as marks: "eight in the morning" -> "8 am"."""
        found = _first(self._spoken, text)
        if not found:
            return text
        named = _folded(found)
        hour = self._hour(named)
        after_midnight = "night" in named and hour % HOURS_OF_A_HALF < _LATEST_AT_NIGHT
        half = "am" if "am" in named or after_midnight else "pm"
        if "minute" not in found.groupdict() or hour > len(self._table.hour_words):
            half = "o'clock"
        today = " today" if "today" in named or "tonight" in named else ""
        return f"{text[: found.start()]}{hour}{named.get('minute', '')} {half}{today}{text[found.end() :]}"

    def _hour(self, named: Mapping[str, str]) -> int:
        spoken = named["hour"]
        return int(spoken) if spoken.isdigit() else self._table.hour_words.index(spoken) + 1

    @staticmethod
    def is_of_video(mark: str) -> bool:
        """Return whether a mark names a second or a minute of a video: "second 90"."""
        return bool(re.match(r"second|minute", mark, re.IGNORECASE))

    @staticmethod
    def is_twelve_hour(mark: str) -> bool:
        """Return whether a mark can only be a time of day: "7 pm", "8 o'clock", "noon"."""
        return bool(re.search(r"\d ?[ap]\.?m|clock|noon|midday|midnight", mark, re.IGNORECASE))

    @staticmethod
    def readings(mark: str) -> tuple[str, ...]:
        """Return the times of day that a mark may mean: "8 o'clock" is 8 am or 8 pm, "17 o'clock" is 5 pm."""
        time, clock, _ = mark.partition(" o'clock")
        hour = int(time.partition(":")[0]) if clock else 0
        if not clock or (":" in time and hour > HOURS_OF_A_HALF):
            return (time,)
        if hour <= HOURS_OF_A_HALF:
            return f"{time} am", f"{time} pm"
        return (f"{hour - HOURS_OF_A_HALF} pm" if hour < 2 * HOURS_OF_A_HALF else "midnight",)

    @staticmethod
    def seconds_of_day(mark: str, *, end: bool = False) -> float:
        """Return the seconds from midnight to a mark.

        end: return the end of what the mark covers: "10:30" covers a minute, "7 pm" an hour.
        """
        numbers = [int(number) for number in re.findall(r"\d+", mark)]
        if not numbers:
            return 0.0 if mark.casefold() == "midnight" else HOURS_OF_A_HALF * HOUR
        hour, minute, second = (*numbers, 0, 0)[:3]
        half = re.search(r"([ap])\.?m", mark, re.IGNORECASE)
        if half:
            # 12 am is midnight and 12 pm is noon.
            hour = hour % 12 + (12 if half[1].casefold() == "p" else 0)
        # A thousandth less, so that the end still lies in the hour or minute.
        covered = (HOUR, MINUTE, 1.0)[len(numbers[:3]) - 1] - 0.001 if end else 0.0
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


def _index(names: Sequence[str], named: str) -> int:
    """Return the place of a month or weekday, which its first letters tell."""
    return next(place for place, name in enumerate(names) if name.startswith(named[:SHORT]))


def _hours(found: re.Match[str] | None) -> tuple[str, str]:
    """Return the marks of both ends. "Between 10 and 11 pm" begins at 10 pm; "between 9 and 5 pm" at 9 am."""
    named = _groups(found)
    since, until = (named.get(name) or named.get("at", "") for name in ("since", "until"))
    if since.isdigit() and (half := re.search(r" ?(?:[ap]\.?m\b\.?| o'clock)$", until, re.IGNORECASE)):
        is_before = int(since) % HOURS_OF_A_HALF < int(re.findall(r"\d+", until)[0]) % HOURS_OF_A_HALF
        since += half[0] if is_before or "p" not in half[0].casefold() else " am"
    return since, until


def _groups(found: re.Match[str] | None) -> dict[str, str]:
    return {name: word for name, word in found.groupdict().items() if word} if found else {}


def _folded(found: re.Match[str] | None) -> dict[str, str]:
    return {name: word.casefold() for name, word in _groups(found).items()}


def _any(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first: the first alternative that matches counts."""
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


def _compiled(pattern: str, words: Mapping[str, str]) -> re.Pattern[str]:
    for name, meant in words.items():
        pattern = pattern.replace(f"{{{name}}}", meant)
    return re.compile(pattern, re.IGNORECASE)


def _overlaps(match: re.Match[str], found: Iterable[tuple[re.Match[str], NamedDays]]) -> bool:
    return any(other.start() < match.end() and match.start() < other.end() for other, _ in found)


def _first(patterns: Iterable[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((found for pattern in patterns if (found := pattern.search(text))), None)


def _without(text: str, found: re.Match[str] | None) -> tuple[str, str]:
    """Return (the text without what was found, that)."""
    return _cut(text, *found.span()) if found else (text, "")


def _cut(text: str, start: int, end: int) -> tuple[str, str]:
    rest = " ".join((text[:start] + " " + text[end:]).split()).replace(" ,", ",").strip(" ,")
    return rest, text[start:end].strip()
