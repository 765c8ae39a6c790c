"""Names that are written with full stops, ampersands or an apostrophe: "J. R. Smith", "AT&T", "St. John's".

Such a mark also ends a sentence, joins two persons or says whose something is, so patterns for names would cut these
names. While a sentence is read, each of them therefore stands in it as one word (`masked`, `unmasked`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from amr_neo4j.language.en.words import noun_lemmas, verb_lemmas
from amr_neo4j.language.nouns import NamedMention
from amr_neo4j.tables import Table, load

# Letters that hardly any text has, each for one mark, so that a masked text keeps its length.
_MASKS = str.maketrans(" .&'’,", "ꜗꜘꜙꜚꜛꜜ")
_MARKS = str.maketrans("ꜗꜘꜙꜚꜛꜜ", " .&'’,")
_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_WORD = rf"{_CAPITAL}(?:[\w-]|['’](?!s\b)\w)+"
_FIRST_WORD = re.compile(rf"({_WORD}|A|I) ")
_INITIALS = rf"(?:(?<![\w.]){_CAPITAL}\.(?:{_CAPITAL}\.)* ?)"


class MarkTable(Table):
    """marked_names.yaml. The comments in the file explain its keys."""

    titles: tuple[str, ...]
    places: tuple[str, ...]
    places_in_letters: tuple[str, ...]
    companies: tuple[str, ...]
    after_family_names: tuple[str, ...]
    no_initials: frozenset[str]
    starters: frozenset[str]


@cache
def mark_table() -> MarkTable:
    """Return marked_names.yaml, which is read once."""
    return load("amr_neo4j.language.en", "marked_names.yaml", MarkTable)


def masked(text: str, first_names: frozenset[str]) -> str:
    """Return a text in which each name with marks is one word. first_names: in lower case, for "Tom & Anna"."""
    out, end = "", 0
    for _, start, stop in _found(text, first_names):
        out += text[end:start] + text[start:stop].translate(_MASKS)
        end = stop
    return out + text[end:]


def unmasked(text: str) -> str:
    """Return a part of a masked text as the text itself has it."""
    return text.translate(_MARKS)


def marked_names(text: str, first_names: frozenset[str]) -> list[NamedMention]:
    """Return the names with marks in a text, as written, with what they name."""
    return [NamedMention(kind, text[start:stop]) for kind, start, stop in _found(text, first_names)]


def _found(text: str, first_names: frozenset[str]) -> Iterator[tuple[str, int, int]]:
    """Yield (type, start, end) of each name with marks."""
    if not re.search(r"[.&'’]", text):
        return
    for match in _pattern().finditer(text):
        kind = match.lastgroup or ""
        start, stop = match.span()
        # "When J. R. Smith came": only the words that open a sentence have a capital without being names.
        while (word := re.match(rf"({_WORD}|A|I) ", text[start:stop])) and word[
            1
        ].casefold() in mark_table().starters:
            start += len(word[0])
        name = text[start:stop]
        if re.search(r"[.&]|['’]s", name) and _is_name(kind, name, text[:start], first_names):
            yield kind, start, stop


def _is_name(kind: str, name: str, before: str, first_names: frozenset[str]) -> bool:
    """Return whether it is one name: not "Tom & Anna", "plan B. Anna", "U.S. Army" or "at Anna's"."""
    words = re.findall(r"[\w-]+", name)
    called = [word.casefold() in first_names for word in words]
    if kind == "ORGANISATION":
        is_owned = re.search(r"['’]s$", name) is not None
        return is_owned or not all(called) if "&" in name else not (is_owned and called[0])
    initials = re.search(rf"{_INITIALS}+", name)
    if kind != "PERSON" or not initials:
        return True
    last, letters = before.split()[-1:] or [""], initials[0].strip()
    # A letter may say which thing is meant, and then ends the sentence: "plan B. Anna came", "vitamin C. Smith came".
    of_thing = bool(noun_lemmas(last[0].casefold())) and (called[-1] or not verb_lemmas(last[0].casefold()))
    ends = name.startswith(letters) and len(letters) == 2 and (letters == "I." or of_thing)
    return not (ends or letters.casefold() in mark_table().no_initials or last[0] in ("the", "a", "an"))


@cache
def _pattern() -> re.Pattern[str]:
    table = mark_table()
    titles, places, companies, after = (
        "|".join(each) for each in (table.titles, table.places, table.companies, table.after_family_names)
    )
    inner = "(?:(?:of|of the|de|van|von|der|den|da|del|la|le|bin) )?"
    words = rf"{_WORD}(?: {inner}{_WORD})*"
    name = rf"{_INITIALS}*{words}"
    then = r"(?=[.,;:!?)]|$| (?:and|but|or|in|on|at|for|with|since|last|every|yesterday|today|now|because|when|as)\b)"
    shop = rf"(?:(?<=\b[Aa]t )|(?<=\bto )|(?<=\bfor )|(?<=\bfrom )){words}['’]s{then}"
    joined = rf"(?: & (?:{companies})\.| & {_WORD}|&\w\w+)+(?:['’]s{then})?(?: (?:{companies})\.)?"
    company = rf"{name}{joined}|\w\w+&\w+|{words} (?:{companies})\."
    place = rf"(?:{places})\. {_WORD}(?:['’]s(?= {_CAPITAL}|{then}))?(?: {inner}{_WORD})*"
    place += rf"|(?:{_WORD} )?(?:{'|'.join(map(re.escape, table.places_in_letters))})"
    person = rf"(?:(?:(?:{titles})\. )+{name}|(?:{_WORD} )*{_INITIALS}+{words})(?:,? (?:{after})\.)?"
    person += rf"|{words},? (?:{after})\."
    kinds = rf"(?P<ORGANISATION>{company}|{shop})|(?P<LOCATION>{place})|(?P<PERSON>{person})"
    return re.compile(rf"(?<![\w&.-])(?:{kinds})(?![\w&])")
