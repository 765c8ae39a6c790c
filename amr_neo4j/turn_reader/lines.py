"""Lines: a text as words with one space after each, together with its folded form of the same length.

The folded form is in lower case and without accents. Since positions are the same in both, patterns match the folded
form, and names are read from the written one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from amr_neo4j.language.fact_tables import FactTable

_WORD = re.compile(
    r"[ap]\.m\.|\w+(?:\.\w+)+(?!\w)|(?:Ste?|Sta|Sto|Mt|Ft|Fr|(?i:Dr|Mrs?|Ms|Prof|Sra?|Sig|Dott|Hr)|[A-Z](?=\.\s[A-Z][\w.]))\.(?=\s)|'\w+(?=\s|$)"
    r"|\d+(?:[.,]\d+)?[%‰]|\d+[.,:]\d+\w*"
    r"|\w+(?:[-'&+/@]\w+)*(?:['&+]+(?=\w))?(?:(?<=s)'(?=\s))?|[,;:()=!?…–—-]|[^\w\s]"
)
_SPACE_BEFORE_PERCENT = re.compile(r"(?<=\d)\s+(?=[%‰])")
"""French and German write "50 %". A share is one word, so that no rule takes it for a number such as an age."""
_TYPED_ACCENT = re.compile(rf"\w*[aeiou]'(?![\w'])|{_WORD.pattern}")
"""Words in which people type an apostrophe for the accent of the last vowel: "citta'"."""
_NAME_WITH_APOSTROPHE = re.compile(r"(?!J')[A-Z][a-z]*'[^\W\d_a-zß-ÿ]")
"""A name such as D'Angelo within a sentence. At its beginning "D'Anna" may be an elision; "O'" never is."""
_IRISH_NAME = re.compile(r"O'[^\W\d_a-zß-ÿ]")

_UMLAUTS = "äöü"
"""Folding keeps these: "wurde" and "würde" are different words."""
KEPT = 4096
"""So many results of a function of lines are kept: each turn is read again with the turns after it."""
_FOREIGN_NAME = re.compile(r"(?<=\w )Ó(?= [A-Z])|(?<![^ ])(?=[^ ]*[^\x00-ÿœŒ])[^\W\d_]+(?= )")
"""Names with letters that none of our languages has ("Thễ"), and the Irish "Ó" within a name."""
_LONE_E = re.compile(r"(?<![^\s|(,])[èÈ](?![^\s|),])")


class _Folds(dict[int, str | int]):
    """{code point: lower-case character without accents}, filled as characters occur; for `str.translate`."""

    def __missing__(self, code: int) -> str | int:
        if chr(code).lower() in _UMLAUTS:
            return ord(chr(code).lower())
        # A character that would become several ("İ" in lower case) stays as it is: the length must not change.
        plain = unicodedata.normalize("NFD", chr(code))[:1].lower()
        self[code] = plain if len(plain) == 1 else chr(code)
        return self[code]


_FOLDS = _Folds()


def fold(text: str) -> str:
    """Return the text in lower case and without accents, with the same length.

    The single word "è" becomes "ɛ" and so differs from "e": in Italian they mean "is" and "and".
    """
    if text.isascii():
        return text.lower()
    if "è" in text or "È" in text:
        text = _LONE_E.sub("ɛ", text)
    return text.translate(_FOLDS)


@dataclass(frozen=True, slots=True)
class Line:
    """Words with a space after each, as written and folded. Both have the same length.

    Example: Line("I live in Málaga ", "i live in malaga ").
    """

    written: str
    folded: str

    def part(self, start: int, end: int) -> Line:
        """Return the part between two positions."""
        return Line(self.written[start:end], self.folded[start:end])

    def after(self, start: int) -> Line:
        """Return the part from a position on."""
        return Line(self.written[start:], self.folded[start:])

    def group(self, match: re.Match[str], name: str | int = 0) -> Line:
        """Return the part that a group of a match of the folded text has."""
        return self.part(*match.span(name))

    def replaced(self, span: tuple[int, int], *by: Line) -> Line:
        """Return the line with other lines in the place of a span, (start, end)."""
        return join(self.part(0, span[0]), *by, self.after(span[1]))

    def without_start(self, pattern: re.Pattern[str]) -> Line:
        """Return the line without the match at its start, if there is one. pattern: matches folded text."""
        match = pattern.match(self.folded)
        return self.after(match.end()) if match else self

    def spelling(self, word: str) -> str:
        """Return a folded word with the accents that it has in the line."""
        at = self.folded.find(word)
        return self.written[at : at + len(word)].lower() if at >= 0 else word

    def without(self, pattern: re.Pattern[str]) -> Line:
        """Return the line with every match cut out. pattern: matches folded text."""
        if pattern.search(self.folded) is None:
            return self
        written: list[str] = []
        at = 0
        for match in pattern.finditer(self.folded):
            written.append(self.written[at : match.start()])
            at = match.end()
        written.append(self.written[at:])
        text = "".join(written)
        return Line(text, fold(text))


def join(*lines: Line) -> Line:
    """Return the lines as one, in order."""
    return Line("".join(line.written for line in lines), "".join(line.folded for line in lines))


def line_of(text: str, table: FactTable) -> Line:
    """Return a text as a line, with the contractions, elisions and short spellings of the table written out.

    "I don't like Ana's dog" becomes "I do not like Ana 's dog ".
    """
    tokens = enumerate(_tokens(text, table))
    words = " ".join(word for at, token in tokens for word in _spelt(token, table, begins=at == 0))
    written = f"{words} " if words else ""
    return Line(written, _folded_but_names(written, table))


def _folded_but_names(written: str, table: FactTable) -> str:
    """Return the text folded, but for foreign names that would fold to a common word: "Thễ" is no "the"."""
    folded = fold(written)
    if written.isascii():
        return folded
    for name in _FOREIGN_NAME.finditer(written):
        begin, end = name.span()
        is_common = folded[begin:end] in table.common_words
        if is_common and name[0][0].isupper() and len(name[0].lower()) == end - begin:
            folded = folded[:begin] + name[0].lower() + folded[end:]
    return folded


def _tokens(text: str, table: FactTable) -> list[str]:
    return (_TYPED_ACCENT if table.final_accents else _WORD).findall(_SPACE_BEFORE_PERCENT.sub("", text))


def _spelt(token: str, table: FactTable, *, begins: bool = True) -> Iterator[str]:
    """Yield the words that a token stands for: "don't" is "do", "not".

    begins: the token begins the text. Any other with a capital may be a noun or a name.
    """
    folded = fold(token)
    if not begins and table.capitals_are_nouns and token.istitle():
        yield token  # "Koch" is no "ich koch"
        return
    if table.elides and (_IRISH_NAME if begins else _NAME_WITH_APOSTROPHE).match(token):
        yield token  # "D'Angelo" is no "d' Angelo"
        return
    if full := table.expand.get(token.lower()) or table.expand.get(folded):
        yield from full.split()
        return
    if table.elides and "'" in token[:-1]:
        yield from (_accented(part, table) for part in re.findall(r"[^']+'?", token))
        return
    for ending, full in table.clitics.items():
        if folded.endswith(ending) and len(folded) > len(ending):
            yield from _spelt(token[: -len(ending)], table)
            yield full
            return
    yield _accented(token, table)


def _accented(token: str, table: FactTable) -> str:
    """Return a word with its last accent, where an apostrophe was typed for it: "città" for "citta'"."""
    accent = table.final_accents.get(token[-2:-1].lower(), "") if len(token) > 1 and token[-1] == "'" else ""
    return token[:-2] + accent if accent else token


def respelt(objects: Iterable[str], text: str, table: FactTable) -> dict[str, str]:
    """Return {phrase: as it was typed} for the phrases that a text has in a short spelling, which a line writes out.

    Example: {"chofer de bus": "chofer d bus"}.
    """
    tokens = [(token.lower(), " ".join(_spelt(token, table)).lower()) for token in _tokens(text, table)]
    if all(said == full for said, full in tokens):
        return {}
    made: dict[str, str] = {}
    for phrase in objects:
        for start in range(len(tokens)):
            said = _said(tokens[start:], phrase)
            if said and said != phrase:
                made[phrase] = said
                break
    return made


def _said(tokens: list[tuple[str, str]], phrase: str) -> str:
    """Return a phrase as it was typed, if the tokens begin with it; else empty. tokens: (typed, written out)."""
    rest = phrase
    for number, (_, full) in enumerate(tokens, 1):
        if rest == full:
            return " ".join(said for said, _ in tokens[:number])
        if not rest.startswith(f"{full} "):
            return ""
        rest = rest[len(full) + 1 :]
    return ""


def plain(line: Line) -> str:
    """Return a line as people write it, in lower case: no space before commas and clitics, none after elisions.

    "l' università di Pisa " becomes "l'università di pisa".
    """
    text = line.written.strip().lower()
    text = re.sub(r" ('s|'|,)(?= |$)", r"\1", text)
    return re.sub(r"(?<![a-zà-ÿ]{2}s')(?<=[a-zà-ÿ]') ", "", text)
