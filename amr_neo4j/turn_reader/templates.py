"""Compiles the templates of a table into regular expressions over folded lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from os.path import commonprefix

from amr_neo4j.language.fact_tables import FactTable
from amr_neo4j.turn_reader.expressions import compiled
from amr_neo4j.turn_reader.lines import fold

_ITEM = re.compile(r"\][*?]|[\[\](|)]|\{\w+(?:=\w+\+?)?\}|<\w+>|[^\s\[\](|)]+")
_BRACKETS = {"[": "(?:", "]": ")?", "]*": ")*", "]?": ")??", "(": "(?:", ")": ")", "|": "|"}
# A choice inside a word: "trasferit(o|a)".
_WITHIN_WORD = re.compile(r"[^\s()\[\]|]+\([^()]*\)[^\s()\[\]|]*")
_LONG = 3
_SPECIAL = re.compile(r"[][(){}<>|]")
_BRACKETED = re.compile(r"[][(){}|]")
_ANY = r"(?:[^\s]+ )"
_WORD_OF_PHRASE = r"(?:[^\s,;:()]+ )"


def _prefixed(words: list[str]) -> str:
    """Return an expression for one of many sorted words.

    Common prefixes are written once, and longer words are tried first.
    """
    made: list[str] = []
    is_end = bool(words) and words[0] == ""
    for first, group in groupby(words[is_end:], key=lambda word: word[0]):
        rests = [word[1:] for word in group]
        same = commonprefix(rests) if len(rests) > 1 else rests[0]  # noqa: RUF071 (of strings, as wanted)
        tails = [rest[len(same) :] for rest in rests]
        tail = "" if tails == [""] else _prefixed(tails)
        made.append(re.escape(first + same) + tail)
    if not made:
        return ""
    if is_end:
        return f"(?:{'|'.join(made)})?"
    return made[0] if len(made) == 1 else f"(?:{'|'.join(made)})"


def _parts(phrase: str) -> tuple[str, ...]:
    """Return the folded words and the macros of a phrase; a phrase with brackets is one part."""
    if not _SPECIAL.search(phrase):
        return tuple(fold(phrase).split())
    if _BRACKETED.search(phrase):
        return (phrase,)
    parts: list[str] = []
    for item in _ITEM.findall(phrase):
        parts += [item] if item[0] == "<" else fold(item).split()
    return tuple(parts)


def _closing(items: list[str], start: int) -> int:
    """Return where the bracket that opens at `start` closes; `start` if none opens there."""
    depth = 0
    for at in range(start, len(items)):
        depth += (items[at] in ("[", "(")) - (items[at][0] in "])")
        if depth == 0:
            return at
    return start


def _alternatives(items: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    depth = 0
    for item in items:
        depth += (item in ("[", "(")) - (item[0] in "])")
        if item == "|" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def _rank(words: frozenset[str]) -> tuple[bool, int]:
    """Return a sort key: few and long words come first, since they rule out most clauses."""
    return (min(map(len, words)) < _LONG, len(words))


class Templates:
    """Compiles templates with the macros of one table. Each macro is compiled once."""

    def __init__(self, table: FactTable, roles: Iterable[str]) -> None:
        """roles: the nouns for people and pets whom somebody has."""
        roles = tuple(roles)
        words = list(table.numerals)
        self._anchors: dict[str, frozenset[str]] = {}
        self._phrases: Mapping[str, Iterable[str]] = {
            "of": (),
            "kin_article": ("\0",),
            **table.macros,
            "topic": tuple(chain.from_iterable(table.favorites.values())),
            "i": table.speaker,
            "my": table.possessives,
            "profession": table.profession_names,
            "they": tuple(chain.from_iterable(table.others.values())),
            "them": table.object_pronouns,
            "their": table.other_possessives,
            "the": table.articles,
            "one": table.macros.get("a", ()),
            "role": roles,
            "numeral": words,
        }
        self._sources: dict[str, str] = {
            "num": r"(?:\d+ |" + self.alternatives(words) + ")",
            "hour": r"(?:\d{1,2}(?:[:.h]\d\d)?(?:[ap]\.?m\.?|h|uhr)? )",
            "ampm": r"(?:\d{1,2}(?:[:.]\d\d)?[ap]\.?m\.? |\d{1,2}[:.]\d\d )",
            "year": r"(?:(?:1[89]|20)\d\d )",
            "range": r"(?:\d+-\d+ )",
            "brief": r"(?:\d{1,3}(?:h\d\d|hrs?|h|mins?|mn|m|std) )",
            "x1": _WORD_OF_PHRASE,
            "any": f"{_ANY}*",
            "x": f"{_WORD_OF_PHRASE}{{1,4}}?",
            "open": r"(?:\( )",
            "close": r"(?:\) )",
            "comma": "(?:[,;:–—…-] )",
        }
        # What may stand between two phrases of a list: a comma or conjunction, then at most two small words, such as
        # articles and prepositions ("et de la") or words for how well ("and a bit of").
        small = [*table.articles, *table.word_classes.get("preposition", ()), *table.macros.get("how_well", ())]
        self._between = f"{self.alternatives(table.reading.joins)}{self.alternatives(small)}{{0,2}}"
        self._nouns = [noun for noun in (*table.occupations, *table.is_always) if noun not in roles]
        nouns = "|".join(re.escape(fold(noun)) for noun in sorted(self._nouns, key=len, reverse=True)) or "(?!)"
        phrase = f"{_ANY}+?"
        self._slots = {
            "subject": self._subject(),
            "pronoun": f"(?:{self._macro('i')}|{self._macro('they')})",
            "object": phrase,
            "object_pronoun": self._macro("them"),
            "second": phrase,
            "third": phrase,
            "owner": phrase,
            "old": phrase,
            "role": self._macro("role"),
            "activity": self.alternatives(chain.from_iterable(table.activities.values())),
            "topic": self.alternatives(chain.from_iterable(table.favorites.values())),
            "new_topic": f"{_WORD_OF_PHRASE}{{1,2}}?",
            "occupation": f"(?:{nouns}) {_WORD_OF_PHRASE}{{0,3}}?",
            "number": self._macro("num"),
            "year": self._sources["year"],
            "there": self._macro("there") if "there" in table.macros else "(?!)",
            "exact": self._macro("exact") if "exact" in table.macros else "(?!)",
        }

    def source(self, template: str, **slots: str) -> str:
        """Return the regular expression of a template. slots: expressions that replace those of the usual slots."""
        parts: list[str] = []
        for item in _ITEM.findall(template):
            if item in _BRACKETS:
                parts.append(_BRACKETS[item])
            elif item.startswith("<"):
                parts.append(self._macro(item[1:-1]))
            elif item.startswith("{"):
                name, _, macro = item[1:-1].partition("=")
                phrase = self._filled(macro) if macro else slots.get(name) or self._slots[name]
                parts.append(f"(?P<{name}>{phrase})")
            else:
                parts.append(re.escape(fold(item)) + " ")
        return "".join(parts)

    def _filled(self, macro: str) -> str:
        """Return the expression for a phrase of a macro or, for "macro+", also for a list of its phrases."""
        one = self._macro(macro.removesuffix("+"))
        return f"{one}(?:{self._between}{one})*" if macro.endswith("+") else one

    def genitive(self) -> re.Pattern[str]:
        """Finds the genitive between two relatives, the second with a verb after it."""
        words = self.alternatives(self._phrases.get("genitive", ()) or ("\1",))
        role = self._macro("role")
        return compiled(rf"(?<!\S)(?<=\S ){words}(?!{self._macro('the')})(?=(?:{_WORD_OF_PHRASE})?{role}\S)")

    def anchors(self, template: str) -> frozenset[str]:
        """Return keywords: every text that the template matches has at least one. Empty if none are known."""
        if template not in self._anchors:
            self._anchors[template] = self._anchors_of(template)
        return self._anchors[template]

    def _anchors_of(self, template: str) -> frozenset[str]:
        found: list[frozenset[str]] = []
        items = _ITEM.findall(_WITHIN_WORD.sub("[x]", template))
        at = 0
        while at < len(items):
            end = _closing(items, at)
            item = items[at]
            if item == "(":
                found.append(self.keywords(" ".join(part) for part in _alternatives(items[at + 1 : end])))
            elif item.startswith("<") or "=" in item[1:] or item in ("{role}", "{topic}"):
                name = item[1:-1].rpartition("=")[2].removesuffix("+")
                found.append(self._anchors_of_macro(name))
            elif item[0] not in "[{":
                found.append(frozenset((fold(item),)))
            at = end + 1
        return min((words for words in found if words), key=_rank, default=frozenset[str]())

    def _anchors_of_macro(self, name: str) -> frozenset[str]:
        macro = f"<{name}>"
        if macro not in self._anchors:
            self._anchors[macro] = self.keywords(self._phrases.get(name, ()))
        return self._anchors[macro]

    def keywords(self, phrases: Iterable[str]) -> frozenset[str]:
        """Return keywords: every text that one of the phrases matches has at least one. Empty if none are known."""
        found = set[str]()
        for phrase in phrases:
            if _SPECIAL.search(phrase):
                anchors = self.anchors(phrase)
            else:
                words = fold(phrase).split()
                anchors = [word for word in words if len(word) >= _LONG][:1] or words[:1]
            if not anchors:
                return frozenset()
            found.update(anchors)
        return frozenset(found)

    def anywhere(self, templates: Iterable[str]) -> re.Pattern[str]:
        """Matches any of the templates at the start of any word."""
        return compiled(r"(?<!\S)(?:" + self._any(templates) + ")")

    def starting(self, templates: Iterable[str]) -> re.Pattern[str]:
        """Matches one of the templates at the position where `match` begins."""
        return compiled("(?:" + self._any(templates) + ")")

    def ending(self, templates: Iterable[str]) -> re.Pattern[str]:
        """Matches one of the templates at the end."""
        return compiled(r"(?<!\S)(?:" + self._any(templates) + ")$")

    def _any(self, templates: Iterable[str]) -> str:
        return "|".join(self.source(template) for template in sorted(templates, key=len, reverse=True)) or "(?!)"

    def _macro(self, name: str) -> str:
        if name not in self._sources:
            self._sources[name] = self.alternatives(self._phrases[name])
        return self._sources[name]

    def alternatives(self, phrases: Iterable[str]) -> str:
        """Return the expression for any of these phrases, the longest first."""
        longest = sorted(phrases, key=len, reverse=True)
        return "(?:" + "|".join(self._branches(dict.fromkeys(map(_parts, longest)))) + ")"

    def _branches(self, phrases: Iterable[tuple[str, ...]]) -> Iterator[str]:
        """Yield expressions that together match any of these phrases. A longer one is preferred to its beginning.

        A common beginning is written once, and so are the ends that several beginnings share. Written out in full,
        the verb forms of one rule would be a million characters, which take seconds to compile.
        """
        ends: dict[str, dict[tuple[str, ...], None]] = {}
        for first, *rest in phrases:
            ends.setdefault(first, {})[tuple(rest)] = None
        alike: dict[frozenset[tuple[str, ...]], list[str]] = {}
        for first, rests in ends.items():
            alike.setdefault(frozenset(rests), []).append(first)
        for firsts in alike.values():
            rests = ends[firsts[0]]
            tails = list(self._branches(rest for rest in rests if rest))
            tail = f"(?:{'|'.join(tails)})" if tails else ""
            yield self._one_of(firsts) + tail + ("?" if tails and () in rests else "")

    def _one_of(self, parts: Iterable[str]) -> str:
        """Return the expression of one of these: a word, a macro or what has brackets."""
        words = sorted(f"{part} " for part in parts if not _SPECIAL.search(part))
        others = [self.source(part) for part in parts if _SPECIAL.search(part)]
        made = [*others, *([_prefixed(words)] if words else [])]
        return made[0] if len(made) == 1 else f"(?:{'|'.join(made)})"

    def _subject(self) -> str:
        alone = [self._macro("i"), self._macro("they")]
        owned = f"(?:{self._macro('my')}|{self._macro('their')}|{self._macro('the')})?{_WORD_OF_PHRASE}{{1,8}}?"
        return "(?:" + "|".join([*alone, owned]) + ")"
