"""Which of the best turns states anew what an older one stated: another number, amount, date or time of one thing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from amr_neo4j.domain.replacement import Replacement
from amr_neo4j.language.languages import Language
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.question.parsed import ParsedQuestion

# Of so many, the best, an older and a newer one are compared.
COMPARED = 10
# So many words on either side of a value say what it is of; two turns that share so many of the question's words
# there state values of one thing.
AROUND, SHARED = 10, 2
# Words are looked for within so many characters.
_NEAR_CHARS = 20 * AROUND
# A turn that fits the question less than this part of the older one is about something else.
ABOUT_AS_GOOD = 0.7
# What is quoted as code states nothing.
_CODE = re.compile(r"```.*?(```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Stated:
    """A value with every form of the words around it."""

    kind: str
    value: str
    around: frozenset[str]


def restated(parsed: ParsedQuestion, ranked: Sequence[Candidate]) -> list[Replacement]:
    """For the best turn that states a value which the question asks for, the best newer one with another value.

    ranked: best first. Both are of one speaker, who is no assistant. Empty where no present value is asked for.
    """
    if not parsed.language.asking.asks_for_a_current_value(parsed.question.text):
        return []
    turns = [c for c in ranked[:COMPARED] if c.event.turn and c.event.at and not c.event.turn.by_assistant]
    for place, older in enumerate(turns):
        for newer in turns[place + 1 :]:
            if _is_newer(newer, older) and _restates(parsed, newer, older) and newer.event.at:
                return [Replacement(older.node_id, newer.node_id, newer.event.at, whole=False, inferred=True)]
    return []


def _is_newer(newer: Candidate, older: Candidate) -> bool:
    one, other = newer.event, older.event
    if not (one.turn and other.turn and one.at and other.at) or one.turn.actor != other.turn.actor:
        return False
    return one.at > other.at and newer.score >= ABOUT_AS_GOOD * older.score


def _restates(parsed: ParsedQuestion, newer: Candidate, older: Candidate) -> bool:
    """Whether both state a value of one kind beside the same words of the question, and the newer one's is new."""
    before = _stated(older.event.summary_text, older.language)
    known = {(each.kind, each.value) for each in before}
    words = [word.forms for word in parsed.whole.words]
    return any(
        sum(bool(forms & each.around and forms & new.around) for forms in words) >= SHARED
        for new in _stated(newer.event.summary_text, newer.language)
        if (new.kind, new.value) not in known
        for each in before
        if each.kind == new.kind
    )


@lru_cache(maxsize=2_000)
def _stated(text: str, language: Language) -> tuple[_Stated, ...]:
    """The values that a turn states."""
    said = _CODE.sub(" ", text)
    return tuple(
        _Stated(value.kind, value.value, _around(said, value.start, value.end, language))
        for value in language.values_stated(said)
    )


def _around(text: str, start: int, end: int, language: Language) -> frozenset[str]:
    before = language.words_of(text[max(0, start - _NEAR_CHARS) : start])[-AROUND:]
    after = language.words_of(text[end : end + _NEAR_CHARS])[:AROUND]
    return frozenset[str]().union(*(language.forms(word) for word in [*before, *after]))
