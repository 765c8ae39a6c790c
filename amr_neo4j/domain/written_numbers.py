"""Reads numbers that a model writes as text."""

from __future__ import annotations

import re

# "1,000" may be a thousand or one. "4,5" may be a list where a whole number is asked for.
_PLAIN = re.compile(r"-?(?:\d{1,18}(?:\.\d{1,18})?|\.\d{1,18}|0,\d{1,18})")
_WITH_COMMA = re.compile(r"\d{1,18},\d{1,2}")
_PER_CENT = re.compile(
    r"(\d{1,3}(?:[.,]\d{1,9})?)\s?(?:%|per ?cent|prozent|pour cent|por ciento|per cento)", re.IGNORECASE
)
_PART_OF = re.compile(r"(\d{1,3}(?:[.,]\d{1,9})?) ?(?:/|out of|of|von|sur|de|di|su) ?(\d{1,3})", re.IGNORECASE)
_ROUGHLY = re.compile(
    r"(?:[~≈]|(?:about|approx(?:imately)?|around|ca|circa|etwa|rund|environ|aprox|unos|cerca de)\b\.?)\s*",
    re.IGNORECASE,
)


class Share(float):
    """A number that was written as a share, such as "90%", whatever the scale of others beside it."""


def written_number(text: str, *, whole: bool = False) -> int | float | None:
    """Return the number that a text stands for: "4", "0,85", "~4,5", "about 90%" and "9 out of 10" (as a Share).

    None for any other text, and for a share above one, such as "24/7".

    whole: a whole number is asked for, so that "4,5" may be two.
    """
    text = without_about(text)
    if _PLAIN.fullmatch(text) or (not whole and _WITH_COMMA.fullmatch(text)):
        return int(text) if text.lstrip("-").isdecimal() else float(text.replace(",", "."))
    if per_cent := _PER_CENT.fullmatch(text):
        part, of = per_cent[1], 100
    elif part_of := _PART_OF.fullmatch(text):
        part, of = part_of[1], int(part_of[2])
    else:
        return None
    share = float(part.replace(",", "."))
    return Share(share / of) if of and share <= of else None


def without_about(text: str) -> str:
    """Return "90%" for " ~90%" and "about 90%"."""
    return _ROUGHLY.sub("", text.strip(), count=1) if _ROUGHLY.match(text.strip()) else text.strip()
