"""Tells which replies of a model say that what it was shown does not hold the answer (refusals.yaml)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from amr_neo4j import tables

# A refusal says so early. The bound keeps the time short.
_LONGEST_READ = 400
# Up to four words.
_FEW = r"([\w']+ ){0,4}"
# Up to four words without "shows that".
_OWN = (
    r"((?!(?:montre(?:nt)?|muestran?|mostran?o?|indi(?:can?o?|que(?:nt)?)|prouve(?:nt)?) (?:que|qu'\w+|che)\b)"
    r"[\w']+ ){0,4}"
)
# What an answer or a question is about: "to this question".
_ABOUT = (
    r"((to|about|of|auf|nach|zu|zur|a|sur|de|sobre|alla|su) "
    r"((?!(?:is|was|ist|war|est|es|e|that|que|che|dass)\b)[\w']+ ){0,4})?"
)
# The start of the text, or what follows "Based on the context shown,", but not "Ben says in the video:".
_LEAD = r"(?:(?:(?!{speech})[\w']+ ){0,4}{source} (?:shown |provided |given |above |alone )?)?"
_SORRY = (
    "unfortunately|sorry|my apologies|i'm (?:afraid|sorry)|but|aber|mais|pero|ma|leider|entschuldigung"
    "|(?:es )?tut mir leid|helas|malheureusement|(?:je suis )?desolee?|lo siento|perdon|lamentablemente|por desgracia"
    "|purtroppo|sfortunatamente|mi (?:di)?spiace|scusa"
)
_BEGIN = rf"^{_LEAD}(?:(?:{_SORRY}) ){{0,3}}"
# Divides a sentence that reports what somebody says from the refusal behind it: "Anna asked where the keys are, but
# the context does not say."
_CLAUSE = re.compile(r";|\b(?:but|though|however|aber|doch|mais|pero|ma)\b")
# Quotation marks, outermost first. An apostrophe within a word is none.
_QUOTED = re.compile(
    r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|\"[^\"]*\"|(?<!\w)‘.*?’(?!\w)|(?<!\w)'.*?'(?!\w)", re.DOTALL
)


class _Table(tables.Table):
    """refusals.yaml."""

    records: str
    things: str
    wh: str
    asked: str
    speech: str
    phrases: Mapping[str, tuple[str, ...]]


def _any_of(words: str) -> str:
    return f"(?:{'|'.join(dict.fromkeys(word.strip() for word in words.split(',')))})"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return the phrases of refusals, the verbs of speech, direct speech up to ", said Ben", numbered events."""
    table = tables.load("amr_neo4j.language", "refusals.yaml", _Table)
    wh, speech = _any_of(table.wh), rf"\b{_any_of(table.speech)}\b"
    slots = {
        "begin": _BEGIN,
        "about": _ABOUT,
        "few": _FEW,
        "own": _OWN,
        "source": _any_of(f"{table.records},{table.things}"),
        "record": _any_of(table.records),
        "things": _any_of(table.things),
        "speech": speech,
        "wh": wh,
        "asked": _any_of(table.asked),
    }
    phrases = "|".join(phrase for each in table.phrases.values() for phrase in each)
    for slot, pattern in slots.items():
        phrases = phrases.replace(f"{{{slot}}}", pattern)
    attributed = rf"^.*[,!?–—-]\s*(?!(?:{wh}|that|as|and|but|dass|das|die|der|it|er|es|il|elle)\b)"
    attributed += rf"(?!(?:[\w']+ ){{0,3}}(?:{slots['source']}|nothing|never|rien|nada|nulla|niente|nichts)\b)"
    attributed += rf"(?=(?:[\w']+ ){{0,3}}{speech})"
    source, number = slots["source"], r"(?:(?:n[ro]|number|nummer|numero) )?\d+"
    numbered = rf"\b(?P<source>{source}) {number}"
    numbered += rf"(?: (?:and|nor|und|noch|et|y|ed?|ni|ne) (?:(?:the |das |el |lo |l')?{source} )?{number})*\b"
    return (
        re.compile(rf"\b({phrases})\b"),
        re.compile(speech),
        re.compile(attributed, re.DOTALL),
        re.compile(numbered),
    )


def is_refusal(text: str) -> bool:
    """Return whether a text says so: "The context does not say where the keys are.".

    What stands in quotation marks, before ", said Ben" or after "Ben says" is said by somebody else.
    """
    phrases, speech, attributed, numbered = _patterns()
    decomposed = unicodedata.normalize("NFD", text[: _LONGEST_READ + 1].casefold())
    plain = "".join(each for each in decomposed if not unicodedata.combining(each))
    own = _QUOTED.sub(" _ ", plain).replace("’", "'")
    words = re.findall(r"[\w']+|;", attributed.sub("_ ", own))
    if len(text) > _LONGEST_READ:
        words[-1:] = ["_"]  # not the end of the text
    plain = " ".join(word for each in words if (word := each.strip("'")))
    plain, places = _without_numbers(plain, numbered)
    found = phrases.search(plain)
    if found is None:
        return False
    # "Event 54 does not say who took the keys, but event 55 shows that Ben did."
    rest = plain[found.end() :] if any(place >= found.end() for place in places) else ""
    if rest and not phrases.search(rest):
        return False
    return not speech.search(_CLAUSE.split(plain[: found.start()])[-1])


def _without_numbers(text: str, numbered: re.Pattern[str]) -> tuple[str, list[int]]:
    """Return (the text with "event" for "event 54" and "event 54 nor event 55", where these are in it)."""
    told, places, end = "", list[int](), 0
    for found in numbered.finditer(text):
        told += text[end : found.start()]
        places.append(len(told))
        told += found["source"]
        end = found.end()
    return told + text[end:], places
