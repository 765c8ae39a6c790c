"""Yields variants of a clause that may fit a rule: as it is, without optional words, in another word order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold
from amr_neo4j.turn_reader.normalise import trim
from amr_neo4j.turn_reader.verb_groups import single_verbs

# A clause is tried without its last conjunct, its last two, and its last three.
_RETRIES = 3


def attempts(kit: LanguageKit, line: Line) -> Iterator[Line]:
    """Yield the variants of a clause, the most faithful first: the first one that fits a rule is taken.

    They are the clause as it is, without optional words, with a missing accent restored, in the usual word order,
    from its subject on, and without its last conjuncts.
    """
    yield from shorter(kit, line)
    trimmed = trim(kit, line)
    yield from _respelt(kit, trimmed)
    yield from _reworded(kit, trimmed)
    if start := _late_subject(kit, trimmed):
        yield trimmed.part(start, len(trimmed.folded))
    ends = [match.start() for match in kit.patterns.joins.finditer(trimmed.folded)]
    for end in reversed(ends[-_RETRIES:]):
        if end:
            yield trim(kit, trimmed.part(0, end))


def shorter(kit: LanguageKit, line: Line) -> Iterator[Line]:
    """Yield the clause as it is, then without words that may be left out, then with one verb for several.

    Variants without words are left out.
    """
    dropped = line.without(kit.patterns.droppable)
    ways = line, trim(kit, line), dropped, trim(kit, dropped), trim(kit, dropped.without(kit.patterns.there))
    yield from (way for way in dict.fromkeys(ways) if way.folded)
    yield from (trim(kit, way) for way in single_verbs(kit, line))


def _late_subject(kit: LanguageKit, line: Line) -> int:
    """Return where a subject after an adverbial starts: "every Thursday for thirty years I sing"; 0 for none."""
    at, before = 0, ""
    for word in line.folded.split():
        if word in kit.words.nominative:
            return at if before not in kit.words.stopwords else 0
        if word in kit.words.finite or word in kit.words.possessive_words:
            return 0
        at, before = at + len(word) + 1, word
    return 0


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
    part = line.part(*match.span(name))
    pause = kit.clause_patterns.pauses.search(part.folded) if name != "object" else None
    return trim(kit, part.part(0, pause.start()) if pause else part).written


def _respelt(kit: LanguageKit, line: Line) -> Iterator[Line]:
    """Yield the clause with the accent of the copula restored where it was left out: "Anna e medico" for "è medico".

    Only where the clause has no copula, and not for its first word.
    """
    words = line.written.split()
    for number, word in enumerate(words):
        copula = kit.lone.get(word)
        if copula and number and copula not in words:
            text = " ".join([*words[:number], copula, *words[number + 1 :]]) + " "
            yield Line(text, fold(text))
