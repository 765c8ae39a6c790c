"""Small helpers for writing English sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from amr_neo4j.language.en.words import verb_form

# How it sounds decides: a silent h, a vowel unless it starts like "you" or "one", the name of a letter.
_LIKE_YOU = r"(?i:uni(?![nm])|us[eu]|eu|one\b|once)|U[A-Z]"
_NO_TITLE = "".join(rf"(?<!\b{title}\.)" for title in ("Mr", "Mrs", "Ms", "Dr", "St"))
_SENTENCE_END = re.compile(_NO_TITLE + r"""(?<=[.!?…])["'”’)]*\s+(?=["'“‘(]?[^\W\d_a-z])""")
_VOWEL = re.compile(rf"(?i:hour|honest|honou?r|heir)|(?!{_LIKE_YOU})(?i:[aeiou])|[FHLMNRSX](?=[A-Z\d-])")


def sentence(text: str) -> str:
    """With a capital at its start and a point at its end, unless it ends otherwise."""
    text = text.strip()
    ended = not text or text[-1] in '.!?…"”'
    return text[:1].upper() + text[1:] + ("" if ended else ".")


def sentences_in(text: str) -> int:
    """How many sentences a text has; the point of a title ("Mr. Smith") ends none."""
    return len([part for part in _SENTENCE_END.split(text.strip()) if part])


def with_article(noun: str) -> str:
    """With "a" or "an" before it, by how it sounds: "an umbrella", "a uniform", "an hour", "an LED lamp"."""
    return f"{'an' if _VOWEL.match(noun) else 'a'} {noun}"


def joined(items: Sequence[str], conjunction: str = "and") -> str:
    """ "a", "a and b", "a, b and c"; empty for nothing."""
    *most, last = items or [""]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def times(count: int) -> str:
    """ "never", "once", "twice", "3 times" """
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def third_person(lemma: str) -> str:
    """What he or she does: "pick up" -> "picks up"."""
    return _inflected(lemma, "VBZ")


def past(lemma: str) -> str:
    """What somebody did: "pick up" -> "picked up", "put" -> "put"."""
    return _inflected(lemma, "VBD")


def past_participle(lemma: str) -> str:
    """What was done: "pick up" -> "picked up", "take" -> "taken"."""
    return _inflected(lemma, "VBN")


def gerund(lemma: str) -> str:
    """What somebody is doing: "put down" -> "putting down"."""
    return _inflected(lemma, "VBG")


def _inflected(lemma: str, tag: str) -> str:
    head, space, particles = lemma.partition(" ")
    return verb_form(head, tag) + space + particles
