"""Tells how firmly a clause is said: for good, for a while, beside something else or in passing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from amr_neo4j.domain.fact import Strength, Until
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold

_DAYS_OF_UNIT = {"day": 1, "week": 7, "month": 30, "year": 365}
_YEAR = re.compile(r"(?:19|20)\d\d")
_RECENT = 10_000.0
"""Orders what is said to be recent after every year."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a clause is said.

    strength, until: see StatedFact.
    further: "also" was said, so the value counts as one beside another if another is known.
    lasting: it says that something has changed for good ("moved this week").
    moved: it says that a home is a new one ("I moved to Rome", "I live in Rome now").
    since: orders several values of a turn; 0 if it says nothing of time.
    stays: it says where somebody is, and not that they live there ("I'm in Rome", "just landed in Rome").
    """

    strength: Strength = "plain"
    until: Until | None = None
    further: bool = False
    lasting: bool = False
    moved: bool = False
    since: float = 0.0
    stays: bool = False


def manner_of(kit: LanguageKit, line: Line) -> Manner:
    """Return how a clause is said, by the words of the language's table."""
    text, patterns = line.folded, kit.patterns
    since = since_of(kit, text)
    lasting = patterns.lasting.search(text) is not None
    if patterns.trips.search(text) and patterns.stays.search(text):  # "in hospital in Derby since Monday"
        return Manner("momentary", _until(kit, text), since=since)
    if not lasting:
        if patterns.past.search(text):
            return Manner("past", ended_on(kit, text), since=since)
        awhile = patterns.awhile.search(text) or patterns.visits.search(text)
        if awhile or (patterns.present.search(text) and patterns.stays.search(text)):
            return Manner("momentary", _until(kit, text), since=since)
        if patterns.nowadays.search(text):
            return Manner("momentary" if patterns.stays.search(text) else "passing", Until("day", 0), since=since)
    if patterns.beside.search(text):
        return Manner("beside", since=since)
    moved = not kit.words.moving.isdisjoint(text.split())
    further = patterns.further.search(text) is not None
    stays = not lasting and patterns.stays.search(text) is not None
    return Manner(further=further, lasting=lasting, moved=moved, since=since, stays=stays)


def dated_back(kit: LanguageKit, text: str) -> Strength | None:
    """Return how firmly a move is said if it was some time ago, as "in 2015" or "as a child"; None if it may be new.

    One of long ago is no newer than the home that is known, so that it replaces none: it counts as said in passing.
    """
    words = {*text.split()}
    lengths = frozenset[str]().union(*kit.lengths.values())
    is_old = _year(text.split()) or not words.isdisjoint(kit.words.back_then)
    if is_old and since_of(kit, text) < _RECENT:
        return "passing"
    is_long = is_old or not words.isdisjoint(lengths) or ended_on(kit, text) not in (None, Until("day", 0))
    return "plain" if is_long else None


def since_of(kit: LanguageKit, text: str) -> float:
    """Return a number that orders values by when they began.

    It is the latest year that the text names, a number above every year if the text says "lately", and 0 otherwise.
    """
    if kit.patterns.recent.search(text):
        return _RECENT
    return max((float(year[0]) for year in _YEAR.finditer(text)), default=0.0)


def _until(kit: LanguageKit, text: str) -> Until | None:
    """Return when, by its own words, what a clause states ends; None if it does not say."""
    # The words of the phrase alone: the rest of the clause may name other days.
    said = kit.patterns.awhile.search(text)
    words = said[0].split() if said else []
    days, months = _calendar(kit)
    if day := next((word for word in words if word in days), ""):
        return Until("weekday", min(days.index(day), 6))
    if month := next((word for word in words if word in months), ""):
        return Until("month", min(months.index(month), 11) + 1)
    if year := _year(words):
        return Until("year", year)
    if not kit.words.today.isdisjoint(words):
        return Until("day", 0)
    if length := _length(kit, words):
        return length
    return Until("weekday", 6) if not kit.words.weekend.isdisjoint(words) else None


def ended_on(kit: LanguageKit, text: str) -> Until | None:
    """Return when something ended, if a clause says so: "I quit in March", "two weeks ago", "last Friday".

    A month needs a word before it, because "may" and "march" are verbs as well.
    """
    words = text.split()
    days, months = _calendar(kit)
    year = _year(words)
    leading = kit.words.prepositions | kit.words.last | kit.words.closed_prepositions
    for before, word in pairwise(words):
        if word in months and (before in leading or before.rstrip(".").isdecimal()):
            return Until("month", min(months.index(word), 11) + 1, year)
    if year:
        return Until("year", year)
    if not kit.words.yesterday.isdisjoint(words):
        return Until("day", 1)
    if day := next((word for word in words if word in days), ""):
        return Until("weekday", min(days.index(day), 6))
    is_last = not kit.words.last.isdisjoint(words)
    length = _length(kit, words, number=1 if is_last else 0)
    if length and (is_last or not kit.words.ago.isdisjoint(words)):
        return length
    return Until("day", 0) if not kit.words.today.isdisjoint(words) else None


def _calendar(kit: LanguageKit) -> tuple[list[str], list[str]]:
    """Return (the folded names of the days, of the months), each in order."""
    macros = kit.table.macros
    return [fold(each) for each in macros.get("day", ())], [fold(each) for each in macros.get("month", ())]


def _year(words: list[str]) -> int:
    """Return the first year that is named; 0 for none."""
    return next((int(word) for word in words if _YEAR.fullmatch(word)), 0)


def _length(kit: LanguageKit, words: list[str], number: int = 0) -> Until | None:
    """Return how long some words say: 14 days for "two weeks". None if they name no unit.

    number: how many units there are; 0: read it from the words.
    """
    unit = next((unit for unit, names in kit.lengths.items() if not names.isdisjoint(words)), "")
    if not unit:
        return None
    number = number or next((value for word in words if (value := kit.numerals.get(word) or _digits(word))), 1)
    return Until("hour", number) if unit == "hour" else Until("day", number * _DAYS_OF_UNIT[unit])


def _digits(word: str) -> int | None:
    return int(word) if word.isdecimal() and len(word) < 4 else None
