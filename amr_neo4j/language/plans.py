"""Reads what a sentence says is to be done later, and what is not to be done any more (plans.yaml)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from amr_neo4j.domain.fact import Until
from amr_neo4j.tables import Table

# A longer run of words is no errand, but a story.
_LONGEST = 10


class PlanTable(Table):
    """plans.yaml. The comments in the file explain its keys."""

    intends: tuple[str, ...]
    suggests: tuple[str, ...]
    drops: tuple[str, ...]
    errands: frozenset[str]
    ends: tuple[str, ...]
    unreal: str
    days: dict[str, int]
    weekdays: dict[str, int]
    later: tuple[str, ...]
    empty: frozenset[str]
    pronouns: frozenset[str]
    asks: str
    asks_of: frozenset[str]
    asks_deed: str
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
    """A question for plans. words: what it names ({"buy"}). until: the day that it asks for; None for any."""

    words: frozenset[str]
    until: Until | None


class Plans:
    """Finds the plans in one language's sentences, and the questions for them."""

    def __init__(self, table: PlanTable) -> None:
        self._table = table

    def read(self, sentence: str) -> Intention | None:
        """Return what a sentence plans or drops; None for any other sentence, and for a question."""
        text = " ".join(sentence.lower().replace("’", "'").split())
        if text.endswith("?") or re.search(self._table.unreal, text):
            return None
        if dropped := next(filter(None, (pattern.search(text) for pattern in self._drops)), None):
            what = self._what(dropped["what"])
            # "Let's not do it" does not say what.
            return None if what in self._table.pronouns else _intention(what, dropped=True)
        found = self._intends.search(text)
        until, timed = self._time(text)
        suggested = None if found else self._suggests.search(text)
        if suggested:
            first = suggested["what"].split()[0]
            # "Let's see" plans nothing. "Let's fetch the cake" and "let's see that film tomorrow" do.
            found = suggested if timed or first in self._table.errands else None
        return _intention(self._what(found["what"]), until) if found else None

    def asked(self, question: str) -> PlanQuestion | None:
        """Return what a question for plans asks for; None for any other question."""
        text = question.lower().replace("’", "'")
        if not re.search(self._table.asks, text):
            return None
        beside = frozenset(re.findall(r"\w+", self._timeless(text)))
        return PlanQuestion(beside - self._table.asks_of - self._table.empty, self._time(text)[0])

    def asks_deed(self, question: str) -> bool:
        """Return whether a question asks for what was done: "Did we call the plumber?". A plan is no answer to it."""
        return bool(re.search(self._table.asks_deed, question.lower()))

    def state(self, name: str, day: date | None) -> str:
        """Return the word for open, done, dropped or passed, and the day that it is for, if that is known."""
        word = self._table.states[name]
        return f"{word}, {self._table.states['for'].format(day=f'{day:%Y-%m-%d}')}" if day else word

    def _what(self, words: str) -> str:
        kept = self._timeless(self._ends.split(words, maxsplit=1)[0]).strip(" .,!;:-")
        parts = [word for word in kept.split() if word.strip(".,!;:-")]
        while parts and parts[0] in self._table.empty:
            parts = parts[1:]
        while parts and parts[-1] in self._table.empty:
            parts = parts[:-1]
        return " ".join(parts).strip(" .,!;:-") if len(parts) <= _LONGEST else ""

    def _timeless(self, text: str) -> str:
        return self._times.sub(" ", text)

    def _time(self, text: str) -> tuple[Until | None, bool]:
        """Return (the day that a text names, whether it names any time to come)."""
        for match in self._times.finditer(text):
            words = match["time"]
            if words in self._table.days:
                return Until("day", self._table.days[words]), True
            if words in self._table.weekdays:
                return Until("weekday", self._table.weekdays[words]), True
            return None, True
        return None, False

    @cached_property
    def _times(self) -> re.Pattern[str]:
        words = sorted([*self._table.days, *self._table.weekdays, *self._table.later], key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?P<time>{'|'.join(map(re.escape, words))})(?!\w)")

    @cached_property
    def _intends(self) -> re.Pattern[str]:
        return _before_what(self._table.intends)

    @cached_property
    def _suggests(self) -> re.Pattern[str]:
        return _before_what(self._table.suggests)

    @cached_property
    def _drops(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(rf"(?<!\w){each.replace('<what>', '(?P<what>.+?)')}") for each in self._table.drops)

    @cached_property
    def _ends(self) -> re.Pattern[str]:
        return re.compile("|".join(self._table.ends))


def _before_what(starts: tuple[str, ...]) -> re.Pattern[str]:
    # In "d'arroser" no space follows.
    return re.compile(rf"(?<!\w)(?:{'|'.join(starts)})(?: |(?<='))(?P<what>\w.*)")


def _intention(what: str, until: Until | None = None, *, dropped: bool = False) -> Intention | None:
    return Intention(what, until, dropped) if what else None
