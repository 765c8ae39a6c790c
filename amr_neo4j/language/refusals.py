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
_SORRY = (
    "unfortunately|sorry|my apologies|i'm (?:afraid|sorry)|but|leider|entschuldigung|helas|desole|lo siento|perdon"
    "|lamentablemente|purtroppo|mi dispiace|scusa"
)
_BEGIN = rf"^{_LEAD}(?:(?:{_SORRY}) )*"
# No verb of speech follows: what comes is the model's own, and no quotation ("I don't know, says Anna").
_NOT_QUOTED = r"(?!.*\b(?:says|said|asks|asked|sagt|sagte|fragt|dit|demande|dice|dijo|pregunta|disse|chiede)\b)"


class _Table(tables.Table):
    """refusals.yaml."""

    sources: str
    wh: str
    phrases: Mapping[str, tuple[str, ...]]


def _any_of(words: str) -> str:
    return f"(?:{'|'.join(dict.fromkeys(word.strip() for word in words.split(',')))})"


@cache
def _phrases() -> re.Pattern[str]:
    table = tables.load("amr_neo4j.language", "refusals.yaml", _Table)
    source, wh = _any_of(table.sources), _any_of(table.wh)
    phrases = [
        phrase.replace("{begin}", _BEGIN)
        .replace("{few}", _FEW)
        .replace("{source}", source)
        .replace("{wh}", wh)
        .replace("{quoted}", _NOT_QUOTED)
        for each in table.phrases.values()
        for phrase in each
    ]
    return re.compile(rf"\b({'|'.join(phrases)})\b")


def is_refusal(text: str) -> bool:
    """Return whether a text says so: "The context does not say where the keys are."."""
    decomposed = unicodedata.normalize("NFD", text.casefold().replace("’", "'"))
    plain = "".join(each for each in decomposed if not unicodedata.combining(each))
    return bool(_phrases().search(" ".join(re.findall(r"[\w']+", plain))))
