"""Reads what a sentence says is to be done later, and what is not to be done any more (plans.yaml)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property, reduce
from typing import Annotated

from pydantic import BeforeValidator

from amr_neo4j.domain.fact import Until
from amr_neo4j.tables import ListOfTexts, Table

# A longer run of words is no errand, but a story.
_MOST_WORDS_OF_ERRAND = 10
# The ends of one day may be counted in different zones.
_HALF_A_DAY = timedelta(hours=12)
_DAYS_OF_WEEK = 7
# A range may end just before the midnight at which its last day ends.
_A_MOMENT = timedelta(seconds=1)


def _before_what(starts: list[str]) -> str:
    # In "d'arroser" no space follows.
    return rf"(?<!\w)(?:{'|'.join(starts)})(?: |(?<='))(?P<what>\w.*)"


def _dropping(pattern: str) -> str:
    return rf"(?<!\w){pattern.replace('<what>', '(?P<what>.+?)')}"


BeforeWhat = Annotated[re.Pattern[str], BeforeValidator(_before_what), ListOfTexts]
"""Finds what is to be done, after one of the phrases in the file."""
Dropping = Annotated[re.Pattern[str], BeforeValidator(_dropping)]
AnyOf = Annotated[re.Pattern[str], BeforeValidator("|".join), ListOfTexts]


class PlanTable(Table):
    """plans.yaml. The comments in the file explain its keys."""

    reminds: BeforeWhat
    intends: BeforeWhat
    needs: BeforeWhat
    unneeded: frozenset[str]
    gets: frozenset[str]
    to_get: str
    joins: tuple[str, ...]
    suggests: BeforeWhat
    goes: re.Pattern[str]
    to_go: str
    drops: tuple[Dropping, ...]
    errands: frozenset[str]
    infinitive: re.Pattern[str]
    verb_last: bool = False
    unplanned: re.Pattern[str]
    habits: re.Pattern[str]
    denials: frozenset[str]
    several: re.Pattern[str]
    ends: AnyOf
    unreal: re.Pattern[str]
    done: re.Pattern[str]
    days: dict[str, int]
    weekdays: dict[str, int]
    months: tuple[str, ...]
    numbers: dict[str, int]
    dates: tuple[str, ...]
    named: tuple[str, ...]
    hours: str
    later: tuple[str, ...]
    daily: tuple[str, ...]
    empty: frozenset[str]
    pronouns: frozenset[str]
    asks: re.Pattern[str]
    asks_of: frozenset[str]
    asks_deed: re.Pattern[str]
    states: dict[str, str]


@dataclass(frozen=True)
class Intention:
    """Something that a sentence plans, or drops.

    what: the words for what is to be done, in lower case, without the time: "buy milk".
    until: the day that it is for; None if it does not say.
    dropped: it is not to be done any more.
    """

    what: str
    until: Until | None = None
    dropped: bool = False


@dataclass(frozen=True)
class PlanQuestion:
    """A question for plans.

    words: what it names ({"buy"}).
    until: the day that it asks for; None for any.
    within: the ranges that it asks for instead, if it names another time: "next week". Empty if it is not understood.
    """

    words: frozenset[str]
    until: Until | None
    within: Sequence[tuple[datetime | None, datetime | None]] | None = None

    def is_for(self, ends: datetime | None, now: datetime | None) -> bool:
        """Return whether it asks for the day that ends then, or for any. now: "tomorrow" is counted from it."""
        if self.within:
            return ends is not None and any(
                (since is None or since < ends) and (until is None or ends <= until + _A_MOMENT)
                for since, until in self.within
            )
        if self.until is None:
            return True
        asked = now and self.until.after(now)
        return ends is not None and asked is not None and abs(ends - asked) < _HALF_A_DAY


class Plans:
    """Finds the plans in one language's sentences, and the questions for them."""

    def __init__(self, table: PlanTable) -> None:
        self._table = table

    def read(self, sentence: str) -> list[Intention]:
        """Return what a sentence plans or drops; empty for any other sentence, and for a question.

        If several things are to be got ("buy milk and eggs"), each is a plan of its own, because one of them may be
        dropped.
        """
        found = self._read(sentence)
        if found is None or found.dropped:
            return [found] if found else []
        return [replace(found, what=what) for what in self._each(found.what)]

    def is_of_pronoun(self, what: str) -> bool:
        """Return whether a plan does not say what is meant: "buy it"."""
        things = what.split()[:-1] if self._table.verb_last else what.split()[1:]
        return bool(things) and self._table.pronouns.issuperset(things)

    def _read(self, sentence: str) -> Intention | None:
        written = " ".join(sentence.replace("’", "'").split()).lstrip("¿")
        text = written.lower()
        # "Could you remind me to call?" asks for nothing but that.
        is_question = text.endswith("?") and not self._table.reminds.match(text)
        if is_question or self.is_unreal(text) or self._table.done.search(text):
            return None
        if dropped := next(filter(None, (pattern.search(text) for pattern in self._table.drops)), None):
            what = self._what(dropped["what"])
            # "Let's not do it" does not say what.
            return None if what in self._table.pronouns else _intention(what, dropped=True)
        return self._planned(written, text)

    def _planned(self, written: str, text: str) -> Intention | None:
        """Return what a sentence plans. written: the sentence; text: the same in lower case."""
        table = self._table
        reminded, needed, going = table.reminds.search(text), table.needs.search(text), table.goes.search(written)
        found = table.intends.search(text) or table.suggests.search(text)
        # Looking for times takes longest, and few sentences come so far.
        if not (reminded or needed or going or found):
            return None
        is_habit = table.habits.search(text) is not None
        until, timed = self._time(text)
        if reminded:
            return _intention(self._what(reminded["what"]), None if is_habit else until)
        if is_habit:
            return None
        if needed:
            what = self._what(table.to_get.format(thing=needed["what"]))
            return None if table.unneeded & {*what.split()} else _intention(what, until)
        if timed and going:
            place = self._phrase(written[going.end() :].lower())
            return _intention(table.to_go.format(place=place), until) if place else None
        what = self._deed(text, found) if found else ""
        # "Let's see" and "I have to work" plan nothing. "Let's fetch the cake" and "I have to work on Friday" do.
        is_whole = found is not None and found.re is table.intends and " " in what
        return _intention(what, until) if timed or is_whole or self._is_errand(what) else None

    def _deed(self, text: str, found: re.Match[str]) -> str:
        """Return what is to be done, if a verb that may be planned says so and nothing denies it; else empty.

        "I have to say", "debo dinero" and "ich muss nicht mehr arbeiten" plan nothing.
        """
        table = self._table
        what = self._what(found["what"])
        after = what.split() if table.verb_last else what.split()[:1]
        if table.denials & {*text[: found.start()].split()[-2:], *after}:
            return ""
        if not table.infinitive.search(what) or table.unplanned.search(what):
            return ""
        return what

    def _each(self, what: str) -> list[str]:
        """Return a plan to get things as one for each of them, and any other plan as it is."""
        words, at = what.split(), -1 if self._table.verb_last else 0
        if words[at] not in self._table.gets:
            return [what]
        verb, things = words[at], self._joins.split(" ".join(words[:-1] if at else words[1:]))
        errands: list[str] = []
        for thing in filter(None, map(self._phrase, things)):
            with_verb = f"{thing} {verb}" if at else f"{verb} {thing}"
            errands.append(thing if self._is_errand(thing) else with_verb)
        return errands

    def alike(self, word: str) -> frozenset[str]:
        """Return the words that mean the same in a plan: to buy, to order and to fetch; else the word alone."""
        return self._table.gets if word in self._table.gets else frozenset((word,))

    def verb_of(self, what: str) -> str:
        """Return the verb of a plan."""
        return what.split()[-1 if self._table.verb_last else 0]

    def gets(self, verb: str) -> bool:
        """Return whether a verb of a plan is one for getting something."""
        return verb in self._table.gets

    def before_denial(self, text: str) -> str:
        """Return a text up to its first word that denies: "I bought milk" of "I bought milk without trouble"."""
        words = re.finditer(r"[\w'’]+", text)
        denial = next((each for each in words if each[0].lower().replace("’", "'") in self._table.denials), None)
        return text[: denial.start()] if denial else text

    def is_of_several(self, text: str) -> bool:
        """Return whether a text that states a plan speaks of several: "let's", "we need to"."""
        return bool(self._table.several.search(text.lower()))

    def is_unreal(self, text: str) -> bool:
        """Return whether a text tells what is not so: neither a plan nor a deed."""
        return bool(self._table.unreal.search(text.lower()))

    def _is_errand(self, what: str) -> bool:
        verb = self.verb_of(what) if what else ""
        # Pronouns may stand at its end: "comprarme", "comprarmi".
        return verb.startswith(tuple(errand.removesuffix("e") for errand in self._table.errands))

    def asked(self, question: str, *, to_come: bool = False) -> PlanQuestion | None:
        """Return what a question for plans asks for; None for any other question.

        to_come: it asks for what will be.
        """
        text = question.lower().replace("’", "'")
        if not to_come and not self._table.asks.search(text):
            return None
        until, _ = self._time(text)
        # A week or month is a range, which the time expressions of questions read.
        is_day = until is not None and (until.unit in ("day", "weekday") or bool(until.day))
        return PlanQuestion(self.words_named(text), until if is_day else None)

    def words_named(self, text: str) -> frozenset[str]:
        """Return the words that say which plans a question or a wish is about: {"boat"} for "I want a boat"."""
        beside = frozenset(re.findall(r"\w+", self._timeless(text.lower())))
        return beside - self._table.asks_of - self._table.empty

    def asks_deed(self, question: str) -> bool:
        """Return whether a question asks for what was done ("Did we call the plumber?"), which no plan answers."""
        return bool(self._table.asks_deed.search(question.lower()))

    def state(self, name: str, day: date | None) -> str:
        """Return the word for open, done, dropped or passed, and the day that it is for, if that is known."""
        word = self._table.states[name]
        return f"{word}, {self._table.states['for'].format(day=f'{day:%Y-%m-%d}')}" if day else word

    def _what(self, words: str) -> str:
        parts = self._phrase(words).split()
        while parts and parts[0] in self._table.empty:
            parts = parts[1:]
        while parts and parts[-1] in self._table.empty:
            parts = parts[:-1]
        return " ".join(parts).strip(" .,!;:-") if len(parts) <= _MOST_WORDS_OF_ERRAND else ""

    def _phrase(self, words: str) -> str:
        """Return the words up to where a phrase ends, without times to come."""
        if not self._table.gets.isdisjoint(re.findall(r"\w+", words)):
            words = self._list_commas.sub(f" {self._table.joins[0]} ", words)
        # Times first: the full stop of "am 14. März" ends nothing.
        kept = self._table.ends.split(self._timeless(words), maxsplit=1)[0].strip(" .,!?;:-")
        return " ".join(word for word in kept.split() if word.strip(".,!?;:-"))

    def without_hours(self, what: str) -> str:
        """Return a plan without the time of day that it is for, which no deed repeats."""
        return " ".join(self._hours.sub(" ", what).split())

    def _timeless(self, text: str) -> str:
        for pattern in (*self._dates, self._times):
            for found in reversed(self._of_plan(pattern, text)):
                if found[0] not in self._table.daily:
                    text = f"{text[: found.start()]} {text[found.end() :]}"
        return text

    def _of_plan(self, pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
        """Return the times that a pattern finds, without those that name a thing: "the Friday concert"."""
        named = [found.span("time") for pattern in self._named for found in pattern.finditer(text)]
        return [
            found
            for found in pattern.finditer(text)
            if all(found.end() <= start or end <= found.start() for start, end in named)
        ]

    def _time(self, text: str) -> tuple[Until | None, bool]:
        """Return (the day that a text names, whether it names any time to come)."""
        if dated := next(filter(None, (self._of_plan(pattern, text) for pattern in self._dates)), None):
            return self._date(dated[0]), True
        # "In the morning" and "por la mañana" name no day, and so no time to come.
        times = (match["time"] for match in self._of_plan(self._times, text))
        said = [words for words in times if words not in self._table.daily]
        for words in said:
            if words in self._table.days:
                return Until("day", self._table.days[words]), True
            if words in self._table.weekdays:
                return Until("weekday", self._table.weekdays[words]), True
        return None, bool(said)

    def _date(self, found: re.Match[str]) -> Until:
        """Return the end of what a date names."""
        named = {name: words for name, words in found.groupdict().items() if words}
        number = self._number(named.get("n", "1"))
        if "month" in named:
            month = self._table.months.index(named["month"]) + 1
            return Until("month", month, int(named.get("year", 0)), int(named["day"]))
        if "weekday" in named:
            return Until("weekday", self._weekdays[named["weekday"]])
        if "days" in named or "weeks" in named:
            return Until("day", number * (1 if "days" in named else _DAYS_OF_WEEK))
        if "week" in named:
            return Until("week", int("next" in named))
        return Until("rest_of_month", int("next" in named))

    def _number(self, words: str) -> int:
        return int(words) if words.isdecimal() else self._table.numbers[words]

    @cached_property
    def _weekdays(self) -> dict[str, int]:
        """{name: number}: "friday" of "on friday"."""
        return {words.split()[-1]: number for words, number in self._table.weekdays.items()}

    @cached_property
    def _dates(self) -> list[re.Pattern[str]]:
        return [self._filled(pattern) for pattern in self._table.dates]

    @cached_property
    def _named(self) -> list[re.Pattern[str]]:
        times = [self._times, *self._dates]
        time = "|".join(re.sub(r"\?P<\w+>", "?:", pattern.pattern) for pattern in times)
        return [
            re.compile(self._with_words(pattern).replace("{time}", f"(?P<time>{time})"))
            for pattern in self._table.named
        ]

    @cached_property
    def _hours(self) -> re.Pattern[str]:
        daily = "|".join(map(re.escape, sorted(self._table.daily, key=len, reverse=True)))
        return self._filled(f"{self._table.hours}|{daily}")

    def _filled(self, pattern: str) -> re.Pattern[str]:
        # "This month's rent" is paid at any time.
        return re.compile(rf"(?<!\w)(?:{self._with_words(pattern)})(?!\w|'s)")

    def _with_words(self, pattern: str) -> str:
        """Return a pattern of the table with the words of its places."""
        places = {
            "{month}": self._table.months,
            "{weekday}": self._weekdays,
            "{n}": (*self._table.numbers, r"\d{1,2}"),
        }
        return reduce(lambda text, place: text.replace(place, "|".join(places[place])), places, pattern)

    @cached_property
    def _times(self) -> re.Pattern[str]:
        table = self._table
        words = sorted([*table.days, *table.weekdays, *table.later, *table.daily], key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?P<time>{'|'.join(map(re.escape, words))})(?!\w)")

    @cached_property
    def _joins(self) -> re.Pattern[str]:
        return re.compile(rf" (?:{'|'.join(self._table.joins)}) ")

    @cached_property
    def _list_commas(self) -> re.Pattern[str]:
        """A comma before another of several things: "milk, white bread and eggs"."""
        thing = r"[\w-]+(?: [\w-]+)?"
        return re.compile(rf", (?={thing}(?:, {thing})*,?{self._joins.pattern})")


def _intention(what: str, until: Until | None = None, *, dropped: bool = False) -> Intention | None:
    return Intention(what, until, dropped) if what else None
