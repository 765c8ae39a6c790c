"""Names that are written with full stops, ampersands or an apostrophe: "J. R. Smith", "AT&T", "St. John's".

Such a mark also ends a sentence, joins two persons or says whose something is, so patterns for names would cut these
names. While a sentence is read, each of them therefore stands in it as one word (`masked`, `unmasked`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from amr_neo4j.language.en.words import is_word, noun_lemmas, verb_lemmas
from amr_neo4j.language.nouns import NamedMention
from amr_neo4j.tables import Table, shipped

# Letters that hardly any text has, each for one mark, so that a masked text keeps its length.
_MASKS = str.maketrans(" .&'’,", "ꜗꜘꜙꜚꜛꜜ")
_MARKS = str.maketrans("ꜗꜘꜙꜚꜛꜜꜝ", " .&'’,.")
_CAPITAL = "[A-ZÀ-ÖØ-Þ]"
_WORD = rf"{_CAPITAL}(?:[\w-]|['’](?!s\b)\w)+"
_FIRST_WORD = re.compile(rf"({_WORD}|A|I) ")
# A masked full stop at the end of a name may end a sentence, too: "in the U.S. My brother".
MASKED_STOP = "ꜘ"
# One at the end of letters with which a longer name begins: "U.S. Bank".
MASKED_WITHIN = "ꜝ"
_INITIALS = rf"(?:(?<![\w.]){_CAPITAL}\.(?:{_CAPITAL}\.)* ?)"


class MarkTable(Table):
    """marked_names.yaml. The comments in the file explain its keys."""

    titles: tuple[str, ...]
    ranks: tuple[str, ...]
    places: tuple[str, ...]
    before_places: frozenset[str]
    places_in_letters: tuple[str, ...]
    companies: tuple[str, ...]
    after_family_names: tuple[str, ...]
    no_initials: frozenset[str]
    starters: frozenset[str]
    kin: frozenset[str]


mark_table = shipped("amr_neo4j.language.en", "marked_names.yaml", MarkTable)
"""Returns marked_names.yaml, which is read once."""


def masked(text: str, first_names: frozenset[str]) -> str:
    """Return a text in which each name with marks is one word. first_names: in lower case, for "Tom & Anna"."""
    out, end = "", 0
    for _, start, stop in _found(text, first_names):
        out += text[end:start] + text[start:stop].translate(_MASKS)
        if text[start:stop].endswith(mark_table().places_in_letters) and _goes_on(text[stop:], first_names):
            out = out.removesuffix(MASKED_STOP) + MASKED_WITHIN
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
        while (word := _FIRST_WORD.match(text, start, stop)) and word[1].casefold() in mark_table().starters:
            start = word.end()
        name = text[start:stop]
        if kind == "ORGANISATION":
            name = _without_clause(name, text[stop:], first_names)
            stop = start + len(name)
        if re.search(r"[.&]|['’]s", name) and _is_name(kind, name, text[:start], text[stop:], first_names):
            yield kind, start, stop


def _goes_on(rest: str, first_names: frozenset[str]) -> bool:
    """Return whether a text begins with more of a name: " Bank", but not " My brother" or " Anna"."""
    following = re.match(rf" ({_WORD})", rest)
    return following is not None and following[1].casefold() not in first_names | mark_table().starters


def _begins_clause(rest: str) -> bool:
    """Return whether a text begins with a verb, of which the name before it is the subject: " works at Google"."""
    following = re.match(r" ([a-z]+)\b", rest)
    verb = following[1] if following else ""
    return bool(verb_lemmas(verb)) and not verb.endswith("ing")


def _without_clause(name: str, rest: str, first_names: frozenset[str]) -> str:
    """Return the name of a company without words after an ampersand that begin a clause: "Google & Anna works".

    rest: the text after the name.
    """
    first, joined, partner = name.rpartition(" & ")
    partner = partner.casefold()
    is_person = partner in first_names and _begins_clause(rest)
    if joined and (is_person or partner in mark_table().starters):
        return _without_clause(first, f"{joined}{partner}{rest}", first_names)
    return name


def _is_name(kind: str, name: str, before: str, rest: str, first_names: frozenset[str]) -> bool:
    """Return whether it is one name: not "Tom & Anna", "plan B. Anna", "at Anna's" or "the St. Then he".

    before, rest: the text on both sides of it.
    """
    table = mark_table()
    words = re.findall(r"[\w-]+", name)
    called = [word.casefold() in first_names for word in words]
    last = before.split()[-1:] or [""]
    if kind == "ORGANISATION":
        is_owned = re.search(r"['’]s$", name) is not None
        is_person = called[0] or (len(words) == 2 and words[0].casefold() in table.kin)  # "Mom's", not "Papa John's"
        return is_owned or not all(called) if "&" in name else not (is_owned and is_person)
    # "I know Col. Anna left", "down Oak St. Anna waved": a first name whose verb follows begins a sentence there.
    is_subject = len(words) == 2 and called[1] and _begins_clause(rest)
    if words[0] in table.places:
        is_street = is_subject and last[0][:1].isupper() and last[0].casefold() not in table.before_places
        return not (is_street or last[0] in ("a", "an") or words[1].casefold() in table.starters)
    if words[0] in (*table.titles, *table.ranks):
        ends = words[0] in table.ranks and ((is_subject and last[0]) or words[1].casefold() in table.starters)
        return not ends and words[-1] not in table.titles  # "Mr. And Mrs. Smith"
    initials = re.search(rf"{_INITIALS}+", name)
    if kind != "PERSON" or not initials:
        return True
    letters = initials[0].strip()
    if not (name.startswith(letters) or called[0]) and is_word(words[0].casefold()):
        # "Rose T. Fisher works" is a name, "Vitamin D. Anna works" is none.
        return not (last[0] or called[-1]) and _begins_clause(rest)
    # A letter may say which thing is meant, and then ends the sentence: "plan B. Anna came", "vitamin C. Smith came".
    of_thing = bool(noun_lemmas(last[0].casefold())) and (called[-1] or not verb_lemmas(last[0].casefold()))
    ends = name.startswith(letters) and len(letters) == 2 and (letters == "I." or of_thing)
    return not (ends or letters.casefold() in table.no_initials or last[0] in ("the", "a", "an"))


@cache
def _pattern() -> re.Pattern[str]:
    table = mark_table()
    titles, places, companies, after = (
        "|".join(each)
        for each in ((*table.titles, *table.ranks), table.places, table.companies, table.after_family_names)
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
