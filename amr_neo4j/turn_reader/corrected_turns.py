"""Turns that correct a value said just before, mostly without saying of what: "No, I meant Friday"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.bullets import Bullets
from amr_neo4j.language.languages import language as language_with
from amr_neo4j.language.question_words import QuestionWords
from amr_neo4j.language.stems import stem, stems
from amr_neo4j.turn_reader.language_kit import LanguageKit, language_kit
from amr_neo4j.turn_reader.lines import Line, fold, line_of

DAY, DATE, NUMBER = "day", "date", "number"
LAST = 4
"""So many turns of the same speaker before may be corrected."""
_ORDINAL = re.compile(r"\d{1,2}(st|nd|rd|th)")
# A turn that is longer says more than that a value was another.
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class _Said:
    """What a turn says. values: by kind; words: the stems of all its words; rest: stems of those that neither belong
    to its values nor only say that it corrects. is_correction, is_change: whether it says that something was wrong,
    or is different now.
    """

    values: Mapping[str, frozenset[str]]
    words: frozenset[str]
    rest: frozenset[str]
    is_correction: bool
    is_change: bool

    def corrects(self, earlier: _Said, kind: str) -> bool:
        """Whether it states another value of this kind, of nothing but what the earlier turn is about."""
        says_so = self.is_correction or (self.is_change and bool(self.rest))
        is_other = kind in earlier.values and not self.values[kind] <= earlier.values[kind]
        return says_so and is_other and self.rest <= earlier.words


def corrected(turns: Sequence[str], language: str) -> dict[int, tuple[int, str]]:
    """The place of each turn that corrects a value of an earlier one: the place of that one, and the kind of value.

    turns: of one speaker, the oldest first. Of several that may be meant it is the last. One that corrects a
    correction corrects what that did.
    """
    said = [_said(text, language) for text in turns]
    found: dict[int, tuple[int, str]] = {}
    for place, later in enumerate(said):
        kind = next((kind for kind in (DAY, DATE, NUMBER) if kind in later.values), "")
        before = range(place - 1, max(place - 1 - LAST, -1), -1)
        meant = (each for each in before if kind and later.corrects(said[each], kind))
        if (first := next(meant, None)) is not None:
            found[place] = found.get(first, (first, kind))
    return found


def kinds_asked(question: str, language: str, bullets: Bullets) -> frozenset[str]:
    """The kinds of value that a question may ask for."""
    asked = QuestionWords.of(bullets, language).relations_asked(stems(question, language))
    if "time" in asked:
        return frozenset((DAY, DATE, NUMBER))
    is_measured = any(relation_kind(each).object in ("NUMBER", "TIME") for each in asked)
    return frozenset((NUMBER,)) if is_measured else frozenset()


def _said(text: str, language: str) -> _Said:
    kit, asking = language_kit(language), language_with(language).bullets.asking
    line = line_of(text[:_LONGEST], kit.table)
    values = _values(kit, line)
    clauses, is_correction = _without_corrections(kit, line)
    words = [word for clause in clauses for word in clause.split() if word.isalnum()]
    meant, new = _folded(asking.meant), _folded(word for word in asking.renewed if " " not in word)
    says_nothing = _says_nothing(language) | meant | new | kit.words.dates
    rest = frozenset(stem(word, language) for word in words if word not in says_nothing and not _number(kit, word))
    asks, whole = "?" in text, len(text) <= _LONGEST
    return _Said(
        values,
        stems(text, language) | {stem(word, language) for word in line.folded.split()},
        rest,
        whole and not asks and (is_correction or not meant.isdisjoint(words)),
        whole and not asks and not new.isdisjoint(words),
    )


def _values(kit: LanguageKit, line: Line) -> dict[str, frozenset[str]]:
    """The days, dates and numbers that a line states."""
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
    """A number that a word states, in digits; empty for none, and for one, which is also an article."""
    if word[0].isdigit():
        return _ORDINAL.sub(lambda ordinal: ordinal[0][:-2], word)
    number = kit.numerals.get(word, 0)
    return str(number) if number > 1 else ""


def _without_corrections(kit: LanguageKit, line: Line) -> tuple[list[str], bool]:
    """The folded clauses of a line without those that say that something was wrong, and whether there are any."""
    rest = line.folded
    while (match := kit.patterns.corrects.match(rest)) and match.end():
        rest = rest[match.end() :]
    rest = _without_last(kit, rest)
    clauses = list(_clauses(kit, rest))
    kept = [clause for clause in clauses if not _is_correction(kit, clause)]
    return kept, rest != line.folded or len(kept) < len(clauses)


def _without_last(kit: LanguageKit, text: str) -> str:
    """Without a last word that says that something was wrong, for which people type no comma."""
    rest, _, last = text.rstrip(" .!").rpartition(" ")
    return f"{rest} " if rest and _is_correction(kit, last) else text


def _clauses(kit: LanguageKit, text: str) -> Iterator[str]:
    start = 0
    for pause in kit.clause_patterns.pauses.finditer(text):
        yield text[start : pause.start()]
        start = pause.end()
    yield text[start:]


def _is_correction(kit: LanguageKit, clause: str) -> bool:
    clause = clause.rstrip(" .!")
    match = kit.patterns.corrects.match(f"{clause} , ")
    return bool(clause and match and match.end() > len(clause))


@cache
def _says_nothing(language: str) -> frozenset[str]:
    """Words that say nothing of what a value is of."""
    kit = language_kit(language)
    closed = frozenset[str]().union(
        *kit.closed_classes.values(), kit.words.stopwords, kit.words.finite, kit.words.prepositions
    )
    table = language_with(language).bullets
    return closed | kit.words.fillers | _folded(table.stop_words) | _folded(table.interrogatives)


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(fold, words))
