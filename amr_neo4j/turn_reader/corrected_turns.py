"""Finds turns that correct a value of an earlier turn, often without naming its subject: "No, I meant Friday"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import language as language_with
from amr_neo4j.language.question_words import question_words
from amr_neo4j.language.stems import stem, stems
from amr_neo4j.turn_reader.language_kit import LanguageKit, language_kit
from amr_neo4j.turn_reader.lines import Line, fold
from amr_neo4j.turn_reader.prose import sentences

DAY, DATE, NUMBER = "day", "date", "number"
LAST = 4
"""A turn may correct one of this many turns of the same speaker before it."""
_ORDINAL = re.compile(r"\d{1,2}(st|nd|rd|th)")
# In characters. A longer turn says more than that a value was wrong, so it does not count as a correction.
_LONGEST_CORRECTION = 200


@dataclass(frozen=True, slots=True)
class _Said:
    """What a turn says.

    values: {kind: values}, e.g. {"day": {"friday"}}.
    words: the stems of all its words.
    rest: the stems of the words that tell what the value is of: not the value itself, no function words, no "I
        meant".
    is_correction: it says that something was wrong.
    is_change: it says that something is different now.
    """

    values: Mapping[str, frozenset[str]]
    words: frozenset[str]
    rest: frozenset[str]
    is_correction: bool
    is_change: bool

    def corrects(self, earlier: _Said, kind: str) -> bool:
        """Whether it gives another value of this kind, and otherwise mentions only what the earlier turn mentions."""
        # "It's Friday now" alone is not enough for a change: it must say what has changed.
        says_so = self.is_correction or (self.is_change and bool(self.rest))
        is_other = kind in earlier.values and not self.values[kind] <= earlier.values[kind]
        return says_so and is_other and self.rest <= earlier.words


def corrected(turns: Sequence[str], language: str) -> dict[int, tuple[int, str]]:
    """Return {index of the correcting turn: (index of the corrected turn, kind of value)}.

    turns: of one speaker, oldest first. If several earlier turns may be meant, the last of them is taken. A turn that
        corrects a correction is given the turn that was corrected first.

    >>> corrected(["The exam is on Thursday", "No, I meant Friday"], "en")
    {1: (0, 'day')}
    """
    said = [_said(text, language) for text in turns]
    found: dict[int, tuple[int, str]] = {}
    for place, text in enumerate(turns):
        earlier = [(each, said[each]) for each in range(place - 1, max(place - 1 - LAST, -1), -1)]
        begun = (_said(opening, language) for opening in _openings(text, language)) if earlier else ()
        first = next(filter(None, (_corrected_by(later, earlier) for later in chain([said[place]], begun))), None)
        if first is not None:
            found[place] = found.get(first[0], first)
    return found


def _openings(text: str, language: str) -> Iterator[str]:
    """Yield the first two sentences of a turn as one text, then the first alone. The whole turn is never yielded."""
    parts = list(sentences(text, language_kit(language).abbreviations))
    for count in (2, 1):
        if count < len(parts):
            yield " ".join(parts[:count])


def _corrected_by(later: _Said, earlier: Iterable[tuple[int, _Said]]) -> tuple[int, str] | None:
    """Return (the index of the turn that it corrects, the kind of value). earlier: the latest turn first."""
    kind = next((kind for kind in (DAY, DATE, NUMBER) if kind in later.values), "")
    return next(((index, kind) for index, each in earlier if kind and later.corrects(each, kind)), None)


def kinds_asked(question: str, language: str) -> frozenset[str]:
    """Return the kinds of value that a question may ask for."""
    asked = question_words(language).relations_asked(stems(question, language))
    if "time" in asked:
        return frozenset((DAY, DATE, NUMBER))
    is_measured = any(relation_kind(each).object in ("NUMBER", "TIME") for each in asked)
    return frozenset((NUMBER,)) if is_measured else frozenset()


def _said(text: str, language: str) -> _Said:
    """Read what a turn says. Questions and long turns are not corrections, but may be corrected."""
    kit, asking = language_kit(language), language_with(language).bullets.asking
    line = kit.line(text[:_LONGEST_CORRECTION])
    values = _values(kit, line)
    clauses, is_correction = _without_corrections(kit, line)
    words = [word for word in " ".join(clauses).split() if word.isalnum()]
    meant, new = _folded(asking.meant), _folded(word for word in asking.renewed if " " not in word)
    says_nothing = _says_nothing(language) | meant | new | kit.words.dates
    rest = frozenset(stem(word, language) for word in words if word not in says_nothing and not _number(kit, word))
    asks, whole = "?" in text, len(text) <= _LONGEST_CORRECTION
    return _Said(
        values,
        stems(text, language) | {stem(word, language) for word in line.folded.split()},
        rest,
        whole and not asks and (is_correction or not meant.isdisjoint(words)),
        whole and not asks and not new.isdisjoint(words),
    )


def _values(kit: LanguageKit, line: Line) -> dict[str, frozenset[str]]:
    """Return the days, dates and numbers that a line states, by kind."""
    days = _folded(kit.table.macros.get("day", ()))
    words = line.folded.split()
    months = kit.words.dates - days - kit.words.first_names
    found: defaultdict[str, set[str]] = defaultdict(set)
    is_date = not months.isdisjoint(words) or any(_ORDINAL.fullmatch(word) for word in words)
    for word in words:
        if word in days:
            found[DAY].add(word)
        elif word in months:
            found[DATE].add(word)
        elif number := _number(kit, word):
            found[DATE if is_date else NUMBER].add(number)
    return {kind: frozenset(values) for kind, values in found.items()}


def _number(kit: LanguageKit, word: str) -> str:
    """Return the number that a word states, in digits; empty if none. "One" does not count: it may be an article."""
    if word[0].isdigit():
        return _ORDINAL.sub(lambda ordinal: ordinal[0][:-2], word)
    number = kit.numerals.get(word, 0)
    return str(number) if number > 1 else ""


def _without_corrections(kit: LanguageKit, line: Line) -> tuple[list[str], bool]:
    """Return (the folded clauses that do not merely say that something was wrong, whether any was left out)."""
    rest = line.folded
    while (match := kit.patterns.corrects.match(rest)) and match.end():
        rest = rest[match.end() :]
    rest = _without_last(kit, rest)
    clauses = list(_clauses(kit, rest))
    kept = [clause for clause in clauses if not _is_correction(kit, clause)]
    return kept, rest != line.folded or len(kept) < len(clauses)


def _without_last(kit: LanguageKit, text: str) -> str:
    """Cut a last word that says that something was wrong: people type no comma before it ("Friday sorry")."""
    rest, _, last = text.rstrip(" .!").rpartition(" ")
    return f"{rest} " if rest and _is_correction(kit, last) else text


def _clauses(kit: LanguageKit, text: str) -> Iterator[str]:
    start = 0
    for pause in kit.clause_patterns.pauses.finditer(text):
        yield text[start : pause.start()]
        start = pause.end()
    yield text[start:]


def _is_correction(kit: LanguageKit, clause: str) -> bool:
    """Return whether a whole clause only says that something was wrong: "no sorry"."""
    clause = clause.rstrip(" .!")
    match = kit.patterns.corrects.match(f"{clause} , ")
    return bool(clause and match and match.end() > len(clause))


@cache
def _says_nothing(language: str) -> frozenset[str]:
    """Return the words that do not tell what a value is of: function words, fillers, question words."""
    kit = language_kit(language)
    closed = frozenset[str]().union(
        *kit.closed_classes.values(), kit.words.stopwords, kit.words.finite, kit.words.prepositions
    )
    table = language_with(language).bullets
    return closed | kit.words.fillers | _folded(table.stop_words) | _folded(table.interrogatives)


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(fold, words))
