"""Tells which replies of a model say that what it was shown does not hold the answer (refusals.yaml)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from amr_neo4j import tables

# Up to four words.
_FEW = r"([\w']+ ){0,4}"
# The start of the text, or what follows "Based on the context shown,".
_LEAD = rf"(?:{_FEW}{{source}} (?:shown |provided |given |above |alone )?)?"
_BEGIN = rf"^{_LEAD}(?:unfortunately |sorry |leider |helas |purtroppo )?"


class _Table(tables.Table):
    """refusals.yaml."""

    sources: str
    phrases: Mapping[str, tuple[str, ...]]


@cache
def _phrases() -> re.Pattern[str]:
    table = tables.load("amr_neo4j.language", "refusals.yaml", _Table)
    source = f"(?:{'|'.join(dict.fromkeys(word.strip() for word in table.sources.split(',')))})"
    phrases = [
        phrase.replace("{begin}", _BEGIN).replace("{few}", _FEW).replace("{source}", source)
        for each in table.phrases.values()
        for phrase in each
    ]
    return re.compile(rf"\b({'|'.join(phrases)})\b")


def is_refusal(text: str) -> bool:
    """Return whether a text says so: "The context does not say where the keys are."."""
    decomposed = unicodedata.normalize("NFD", text.casefold().replace("’", "'"))
    plain = "".join(each for each in decomposed if not unicodedata.combining(each))
    return bool(_phrases().search(" ".join(re.findall(r"[\w']+", plain))))
