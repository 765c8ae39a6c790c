"""Forms English words and sentences, and finds where sentences end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from amr_neo4j.language.en.words import noun_plural, verb_form

# The article depends on the sound. "An" stands before a silent h, before a vowel unless it sounds like "you" or
# "one", and before a letter whose name begins with a vowel ("an LED").
_LIKE_YOU = r"(?i:uni(?![nm])|us[eu]|eu|one\b|once)|U[A-Z]"
_VOWEL = re.compile(rf"(?i:hour|honest|honou?r|heir)|(?!{_LIKE_YOU})(?i:[aeiou])|[FHLMNRSX](?=[A-Z\d-])")
_NO_TITLE = "".join(rf"(?<!\b{title}\.)" for title in ("Mr", "Mrs", "Ms", "Dr", "St"))
_SENTENCE_END = re.compile(_NO_TITLE + r"""(?<=[.!?…])["'”’)]*\s+(?=["'“‘(]?[^\W\d_a-z])""")
_UNQUOTED_END = re.compile(_NO_TITLE + r"""(?<=[.!?…。！？"”])\s+(?=[^"”]*(?:["“][^"”]*["”][^"”]*)*$)""")
# Nouns that have no singular are counted by pairs.
_PAIRS = frozenset({"skis", "scissors"})
_PLURALS = {"person": "people", "broccoli": "broccolis"}
# fmt: off
_SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
# fmt: on
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip


# Units, the longest first, with their seconds.
_LONG_AGO = {"year": 31_557_600, "month": 2_629_800, "week": 604_800, "day": 86_400, "hour": 3600, "minute": 60}


def ago_in_words(seconds: float) -> str:
    """Return how long ago something was: "about two hours ago", or "just now" for less than a minute."""
    for unit, length in _LONG_AGO.items():
        # From two of a longer unit on: "about ten days ago" says more than "about a week ago".
        if seconds >= length * (0.95 if length <= _LONG_AGO["day"] else 1.75):
            count = round(seconds / length)
            if count > 1:
                return f"about {number_words(count)} {unit}s ago"
            return f"about {'an' if unit == 'hour' else 'a'} {unit} ago"
    return "just now"


def sentence(text: str) -> str:
    """Return the text with a capital at its start and a full stop at its end, unless it ends with another mark."""
    text = text.strip()
    ended = not text or text[-1] in '.!?…"”'
    return text[:1].upper() + text[1:] + ("" if ended else ".")


def count_sentences(text: str) -> int:
    """Return how many sentences a text has. The full stop of a title ("Mr. Smith") does not end one."""
    return len([part for part in _SENTENCE_END.split(text.strip()) if part])


def quoted_sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    A mark within quotation marks, or the full stop of a title, does not end one.
    """
    return [part for part in _UNQUOTED_END.split(text.strip()) if part]


def with_article(noun: str) -> str:
    """Return the noun with "a" or "an", by its sound: "an umbrella", "a uniform", "an hour", "an LED lamp"."""
    return f"{'an' if _VOWEL.match(noun) else 'a'} {noun}"


def joined(items: Sequence[str], conjunction: str = "and", *, separator: str = ", ") -> str:
    """Return text such as "a", "a and b", "a, b and c"; empty for nothing."""
    *most, last = items or [""]
    return f"{separator.join(most)} {conjunction} {last}" if most else last


def counted(noun: str, number: int) -> str:
    """Return text such as "a bottle", "two bottles", "skis", "two pairs of skis"."""
    if noun in _PAIRS:
        return noun if number == 1 else f"{number_words(number)} pairs of {noun}"
    return with_article(noun) if number == 1 else f"{number_words(number)} {plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a noun phrase: "wine glass" -> "wine glasses", "person in black" -> "people in black"."""
    phrase, within, rest = noun.partition(" in ")
    before, space, head = phrase.rpartition(" ")
    return before + space + _PLURALS.get(head, noun_plural(head)) + within + rest


def number_words(number: int) -> str:
    """Return text such as "two", "twenty-one", "one hundred and five". From a thousand on, digits."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_SMALL[hundreds]} hundred" + (f" and {number_words(rest)}" if rest else "")
    return str(number)


def ordinal(number: int) -> str:
    """Return text such as "second", "twenty-first", "one hundred and fifth". From a thousand on, "1000th"."""
    head, last = re.findall(r"(.*?)(\w+)$", number_words(number))[0]
    regular = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return head + _ORDINALS.get(last, regular)


def past_participle(lemma: str) -> str:
    """Return the past participle: "pick up" -> "picked up", "take" -> "taken"."""
    return _inflected(lemma, "VBN")


def past_tense(lemma: str) -> str:
    """Return the past tense: "pick up" -> "picked up", "take" -> "took"."""
    return _inflected(lemma, "VBD")


def gerund(lemma: str) -> str:
    """Return the gerund: "put down" -> "putting down"."""
    return _inflected(lemma, "VBG")


def _inflected(lemma: str, tag: str) -> str:
    head, space, particles = lemma.partition(" ")
    return verb_form(head, tag) + space + particles
