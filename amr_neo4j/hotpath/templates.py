"""Compiles the templates of a table into regular expressions over folded lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain

from amr_neo4j.hotpath.lines import fold
from amr_neo4j.language.fact_tables import FactTable

_ITEM = re.compile(r"\][*?]|[\[\](|)]|\{\w+(?:=\w+)?\}|<\w+>|[^\s\[\](|)]+")
_OPTION = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\][*?]?")
_CHOICE = re.compile(r"\(([^()]*)\)")
_BRACKETS = {"[": "(?:", "]": ")?", "]*": ")*", "]?": ")??", "(": "(?:", ")": ")", "|": "|"}
_ANY = r"(?:[^\s]+ )"
_NEAR = r"(?:[^\s,;:()]+ )"


class Templates:
    """Compiles templates with one table's macros; each macro once."""

    def __init__(self, table: FactTable) -> None:
        words = [*table.numbers, *table.number_words]
        self._phrases: Mapping[str, Iterable[str]] = {
            **table.macros,
            "i": table.speaker,
            "my": table.possessives,
            "they": chain.from_iterable(table.others.values()),
            "them": table.object_pronouns,
            "their": table.other_possessives,
            "the": table.articles,
            "one": table.macros.get("a", ()),
            "role": chain.from_iterable(table.roles.values()),
            "numeral": words,
        }
        self._sources: dict[str, str] = {
            "num": r"(?:\d+ |" + self._alternatives(words) + ")",
            "hour": r"(?:\d{1,2}(?:[:.h]\d\d)?(?:[ap]\.?m\.?|h|uhr)? )",
            "ampm": r"(?:\d{1,2}(?:[:.]\d\d)?[ap]\.?m\.? |\d{1,2}[:.]\d\d )",
            "year": r"(?:(?:1[89]|20)\d\d )",
            "range": r"(?:\d+-\d+ )",
            "x1": _NEAR,
            "any": f"{_ANY}*",
            "x": f"{_NEAR}{{1,4}}?",
            "open": r"(?:\( )",
            "close": r"(?:\) )",
            "comma": "(?:[,;:–—…-] )",
        }
        roles = {*chain.from_iterable(table.roles.values())}
        self._nouns = [noun for noun in (*table.occupations, *table.is_always) if noun not in roles]
        nouns = "|".join(re.escape(fold(noun)) for noun in sorted(self._nouns, key=len, reverse=True)) or "(?!)"
        self._slots = {
            "s": self._subject(),
            "z": f"(?:{self._macro('i')}|{self._macro('they')})",
            "k": self._macro("them"),
            "r": self._macro("role"),
            "f": self._alternatives(chain.from_iterable(table.favorites.values())),
            "g": f"{_NEAR}{{1,2}}?",
            "o": f"{_ANY}+?",
            "p": f"{_ANY}+?",
            "q": f"{_ANY}+?",
            "j": f"(?:{nouns}) {_NEAR}{{0,3}}?",
            "n": self._macro("num"),
            "y": self._sources["year"],
            "t": self._macro("exact") if "exact" in table.macros else "(?!)",
        }

    def source(self, template: str, **slots: str) -> str:
        """The regular expression of a template; slots: expressions that replace the usual ones."""
        parts: list[str] = []
        for item in _ITEM.findall(template):
            if item in _BRACKETS:
                parts.append(_BRACKETS[item])
            elif item.startswith("<"):
                parts.append(self._macro(item[1:-1]))
            elif item.startswith("{"):
                name, _, macro = item[1:-1].partition("=")
                parts.append(f"(?P<{name}>{self._macro(macro) if macro else slots.get(name) or self._slots[name]})")
            else:
                parts.append(re.escape(fold(item)) + " ")
        return "".join(parts)

    def needed(self, template: str) -> frozenset[frozenset[str]]:
        """Words of which a clause must have one, for the template to match; none where that cannot be said."""
        best: frozenset[frozenset[str]] = frozenset()
        plain = [
            fold(word)
            for word in _CHOICE.sub(" ", _OPTION.sub(" ", template)).split()
            if not set(word) & set("[](){}<>|*")
        ]
        if plain:
            return frozenset((frozenset((max(plain, key=len),)),))
        if "{j}" in template:
            return frozenset(frozenset(fold(noun).split()) for noun in self._nouns)
        for choice in _CHOICE.findall(_OPTION.sub(" ", template)):
            if not set(choice) & set("[{<"):
                best = frozenset(frozenset(fold(phrase).split()) for phrase in choice.split("|"))
        return best

    def anywhere(self, templates: Iterable[str]) -> re.Pattern[str]:
        """Matches any of the templates at the start of any word."""
        return re.compile(r"(?<!\S)(?:" + self._any(templates) + ")")

    def starting(self, templates: Iterable[str]) -> re.Pattern[str]:
        """Matches one of the templates; for use with match."""
        return re.compile("(?:" + self._any(templates) + ")")

    def ending(self, templates: Iterable[str]) -> re.Pattern[str]:
        """Matches one of the templates at the end."""
        return re.compile(r"(?<!\S)(?:" + self._any(templates) + ")$")

    def _any(self, templates: Iterable[str]) -> str:
        return "|".join(self.source(template) for template in sorted(templates, key=len, reverse=True)) or "(?!)"

    def _macro(self, name: str) -> str:
        if name not in self._sources:
            self._sources[name] = self._alternatives(self._phrases[name])
        return self._sources[name]

    def _alternatives(self, phrases: Iterable[str]) -> str:
        longest = sorted(phrases, key=len, reverse=True)
        return "(?:" + "|".join(self.source(phrase) for phrase in longest) + ")"

    def _subject(self) -> str:
        alone = [self._macro("i"), self._macro("they")]
        owned = f"(?:{self._macro('my')}|{self._macro('their')}|{self._macro('the')})?{_NEAR}{{1,8}}?"
        return "(?:" + "|".join([*alone, owned]) + ")"
