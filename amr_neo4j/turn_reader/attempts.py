"""Yields variants of a clause that may fit a rule: as it is, without optional words, in another word order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from amr_neo4j.turn_reader.frames import Found
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import KEPT, Line, fold
from amr_neo4j.turn_reader.normalise import trim

# A clause is tried without its last conjunct, its last two, and its last three.
_RETRIES = 3


@lru_cache(KEPT)
def fitting(kit: LanguageKit, clause: Line) -> tuple[Found, ...]:
    """Return the frames that match the whole clause. The first ones are preferred."""
    return tuple(kit.frames.find(clause))


@lru_cache(KEPT)
def attempts(kit: LanguageKit, line: Line) -> tuple[Line, ...]:
    """Return the variants of a clause, the most faithful first: the first one that fits a rule is taken.

    They are the clause as it is, without optional words, in the usual word order, and without its last conjuncts.
    """
    return tuple(_attempts(kit, line))


def _attempts(kit: LanguageKit, line: Line) -> Iterator[Line]:
    yield from shorter(kit, line)
    trimmed = trim(kit, line)
    yield from _reworded(kit, trimmed)
    ends = [match.start() for match in kit.patterns.joins.finditer(trimmed.folded)]
    for end in reversed(ends[-_RETRIES:]):
        if end:
            yield from shorter(kit, trimmed.part(0, end))


def shorter(kit: LanguageKit, line: Line) -> Iterator[Line]:
    """Yield the clause as it is, then without words that may be left out. Variants without words are not yielded."""
    dropped = line.without(kit.patterns.droppable)
    ways = line, trim(kit, line), dropped, trim(kit, dropped), trim(kit, dropped.without(kit.patterns.there))
    yield from (way for way in dict.fromkeys(ways) if way.folded)


def _reworded(kit: LanguageKit, line: Line) -> Iterator[Line]:
    """Yield the clause in the usual word order: "it was Lyon that I meant" as "I meant Lyon"."""
    for pattern, order in kit.rewordings:
        if match := pattern.fullmatch(line.folded):
            slots = {name: _slot(kit, line, match, name) for name in match.groupdict()}
            text = " ".join(order.format(**slots).split()) + " "
            yield Line(text, fold(text))


def answered(kit: LanguageKit, question: Line, answer: Line) -> Iterator[Line]:
    """Yield the statements that a phrase makes as an answer: "at the bakery" to "where do you work?"."""
    for pattern, order in kit.answers:
        if match := pattern.fullmatch(question.folded):
            slots = {name: _slot(kit, question, match, name) for name in match.groupdict()}
            text = " ".join(order.format(**slots, object=answer.written).split()) + " "
            yield Line(text, fold(text))


def _slot(kit: LanguageKit, line: Line, match: re.Match[str], name: str) -> str:
    """Return what stands in a slot, up to the first pause; an object may have commas."""
    part = line.group(match, name)
    pause = kit.clause_patterns.pauses.search(part.folded) if name != "object" else None
    return trim(kit, part.part(0, pause.start()) if pause else part).written
