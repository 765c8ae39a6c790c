"""Texts without what a comparison ignores: accents, case and further spaces."""

from __future__ import annotations

import unicodedata


def without_accents(text: str) -> str:
    """Return the text without accents. Letters of other widths become plain ones: "ﬁ" becomes "fi"."""
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


def folded_words(text: str) -> str:
    """Return the words of a text in lower case, with one space between them."""
    return " ".join(text.casefold().split())
