"""Checks summaries: synthesised, never concatenated (specification 000 I.3.3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from amr_neo4j.language.languages import Language

_MOST_SENTENCES, _MOST_WORDS = 2, 80
# Shorter fields may be repeated; the share of a summary that may be copied from several fields.
_FIELD_WORDS, _MOST_COPIED = 3, 0.8
_LOCAL_ID = re.compile(r"\b[CSE]\d+\b")
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?…]\s)\W*$")


@dataclass(frozen=True)
class Fields:
    """The fields of an event. objects: (name, where); actions: (actor, verb, object, where)."""

    summary: str
    actors: tuple[str, ...] = ()
    objects: tuple[tuple[str, str], ...] = ()
    dialogue: tuple[str, ...] = ()
    actions: tuple[tuple[str, ...], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Every field as text."""
        objects = (" ".join(thing) for thing in self.objects)
        actions = (" ".join(action) for action in self.actions)
        return (self.summary, ", ".join(name for name, _ in self.objects), *objects, *self.dialogue, *actions)


def refusal(summary: str, fields: Iterable[str], language: Language, ids: Collection[str] = ()) -> str:
    """Why a summary of an event with these fields is refused; empty where it is good.

    ids: those that the clip lists, such as C1, S1.
    """
    words = language.words_of(summary)
    if not words:
        return "is empty"
    if language.sentences_in(summary) > _MOST_SENTENCES or len(words) > _MOST_WORDS:
        return f"is longer than {_MOST_SENTENCES} sentences or {_MOST_WORDS} words"
    if any(found[0] in ids or _is_reference(found, language) for found in _LOCAL_ID.finditer(summary)):
        return "contains ids that mean nothing outside the clip"
    return "is a concatenation of the fields" if is_concatenation(summary, fields, language) else ""


def _is_reference(found: re.Match[str], language: Language) -> bool:
    """Whether an id is where a name would be: "C7 waits", "to C7". In "an S3 phone", "gate C4" it is not."""
    before, after = found.string[: found.start()], found.string[found.end() :]
    beside = [*language.words_of(before)[-1:], *language.words_of(after)[:1]]
    return bool(_SENTENCE_BEGINS.search(before)) or all(language.has_function_words(word) for word in beside)


def is_concatenation(summary: str, fields: Iterable[str], language: Language) -> bool:
    """Whether the text is mostly two or more of the fields, word for word, but for case and punctuation."""
    words = language.words_of(summary)
    rest, copied = f" {' '.join(words)} ", 0
    for field in sorted({" ".join(language.words_of(field)) for field in fields}, key=len, reverse=True):
        if len(field.split()) >= _FIELD_WORDS and f" {field} " in rest:
            rest = rest.replace(f" {field} ", " ", 1)
            copied += 1
    return copied > 1 and len(rest.split()) < (1 - _MOST_COPIED) * len(words)
