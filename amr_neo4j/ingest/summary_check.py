"""What a summary is, and what is none (seed 000, I.3.3: synthesised, never concatenated)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from amr_neo4j.language.en.content import has_function_words, words_of
from amr_neo4j.language.en.sentences import sentences_in

_MOST_SENTENCES, _MOST_WORDS = 2, 80
# A field of fewer words may well be said again; so much of a summary may be copied fields, where there are several.
_FIELD_WORDS, _MOST_COPIED = 3, 0.8
_LOCAL_ID = re.compile(r"\b[CSE]\d+\b")
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?…]\s)\W*$")


@dataclass(frozen=True)
class Fields:
    """What is told of an event. objects: (name, where); actions: (actor, verb, object, where)."""

    summary: str
    actors: tuple[str, ...] = ()
    objects: tuple[tuple[str, str], ...] = ()
    dialogue: tuple[str, ...] = ()
    actions: tuple[tuple[str, ...], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Every field as the text that a copy of it would be."""
        objects = (" ".join(thing) for thing in self.objects)
        actions = (" ".join(action) for action in self.actions)
        return (self.summary, ", ".join(name for name, _ in self.objects), *objects, *self.dialogue, *actions)


def refusal(summary: str, fields: Iterable[str], ids: Collection[str] = ()) -> str:
    """Why this is no summary of an event with these fields; empty where it is one.

    ids: those that the clip lists, such as C1, S1.
    """
    words = words_of(summary)
    if not words:
        return "is empty"
    if sentences_in(summary) > _MOST_SENTENCES or len(words) > _MOST_WORDS:
        return f"is longer than {_MOST_SENTENCES} sentences or {_MOST_WORDS} words"
    if any(found[0] in ids or _stands_for_somebody(found) for found in _LOCAL_ID.finditer(summary)):
        return "holds ids that mean nothing outside the clip"
    return "strings the fields together" if is_concatenation(summary, fields) else ""


def _stands_for_somebody(found: re.Match[str]) -> bool:
    """Whether it is where a name would be: "C7 waits", "to C7". In "an S3 phone", "gate C4" it is part of one."""
    before, after = found.string[: found.start()], found.string[found.end() :]
    beside = [*words_of(before)[-1:], *words_of(after)[:1]]
    return bool(_SENTENCE_BEGINS.search(before)) or all(has_function_words(word) for word in beside)


def is_concatenation(summary: str, fields: Iterable[str]) -> bool:
    """Whether the text is little else than two or more of the fields, word for word, case and marks aside."""
    words = words_of(summary)
    rest, copied = f" {' '.join(words)} ", 0
    for field in sorted({" ".join(words_of(field)) for field in fields}, key=len, reverse=True):
        if len(field.split()) >= _FIELD_WORDS and f" {field} " in rest:
            rest = rest.replace(f" {field} ", " ", 1)
            copied += 1
    return copied > 1 and len(rest.split()) < (1 - _MOST_COPIED) * len(words)
