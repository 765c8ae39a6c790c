"""Reads the sentences of scenes.py in another language as the English ones, which the rules of recall read.

Each sentence is matched with the patterns of the language's table, and names and places are looked up among all that
the composer can write. What is no such sentence stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import product
from string import Formatter

from amr_neo4j.language.en.sentences import quoted_sentences, with_article
from amr_neo4j.language.scenes import DEFINITE, SOMEONE, SOMETHING, Nouns, Scenes, TableNouns, capitalised

_ENDS = re.compile(r"(?<=\w)(?!\w)|(?<=[)»“”\"'])")
_CERTAINTY = re.compile(r"\(\.\d\d\)")
_TOKEN = re.compile(r'"[^"]*"|[,;] | ')
Parts = Sequence[tuple[str, str]]
"""[(words as they are, the name of the place after them)] of a pattern."""


class ReportReader:
    """Reads the reports of one language."""

    def __init__(self, told: Scenes, english: Scenes) -> None:
        """told: writes the language's sentences.

        english: writes the English ones.
        """
        assert isinstance(told.nouns, TableNouns)  # noqa: S101 - the languages that have this class
        self._told, self._english, self._nouns = told, english, told.nouns
        self.in_english = lru_cache(maxsize=8192)(self._in_english)

    def _in_english(self, text: str) -> str:
        """Return a text with its reports in English."""
        # A line of text in view may end within a sentence.
        whole = self._sentence(text)
        return whole if whole != text else " ".join(map(self._sentence, quoted_sentences(text)))

    def _sentence(self, said: str) -> str:
        """Return a report in English; any other sentence as it is."""
        if whole := self._whole.get(said):
            return whole
        for read in (
            self._said,
            self._of_severity,
            self._seen_at_once,
            self._several,
            self._text,
            self._observed,
            self._sighted,
        ):
            if found := read(said):
                return found
        return said

    # Sentences

    @cached_property
    def _whole(self) -> Mapping[str, str]:
        """{sentence without places to fill: the English one}"""
        told, english = self._told, self._english
        found = {told.table.of_the_picture[verb]: said for verb, said in english.table.of_the_picture.items()}
        for label, goes_on in product(english.table.sounds, (False, True)):
            found[told.sounded(label, goes_on=goes_on)] = english.sounded(label, goes_on=goes_on)
        found |= {told.more_events(number): english.more_events(number) for number in range(1, 100)}
        found[told.table.nothing] = english.table.nothing
        found[told.table.nothing_new.format(in_view="").strip()] = english.table.nothing_new.format(
            in_view=""
        ).strip()
        return found

    def _said(self, said: str) -> str:
        """Read who speaks, and who says what."""
        for name, unknown in (("says", SOMEONE), ("speaks", self._english.table.somebody)):
            for number, pattern in getattr(self._told.table, name).items():
                slots = {"who": partial(self._speakers, unknown=unknown), "words": _of_one_quotation}
                for found in self._matches(pattern, said, slots):
                    return capitalised(getattr(self._english.table, name)[number].format(**found))
        return ""

    def _speakers(self, said: str, unknown: str) -> str:
        words = {
            self._told.table.conjunction: self._english.table.conjunction,
            self._told.table.somebody_else: self._english.table.somebody_else,
        }
        if said == self._told.table.somebody:
            return unknown
        for own, english in words.items():
            said = re.sub(rf"(?<= ){re.escape(own)}(?= |$)", english, said)
        return said

    def _of_severity(self, said: str) -> str:
        for severity, word in self._told.table.severities.items():
            if said.startswith(f"{word}: "):
                rest = said.removeprefix(f"{word}: ")
                return self._english.with_severity(severity, self._sentence(rest))
        pattern = self._told.table.reported
        return next(
            (
                self._english.table.reported.format(**found)
                for found in self._matches(pattern, said, {"what": _of_one_sentence})
            ),
            "",
        )

    def _seen_at_once(self, said: str) -> str:
        if not (core := self._without_viewer(said)):
            return ""
        for pattern in dict.fromkeys(self._told.table.there.values()):
            for found in self._matches(pattern, core, {"seen": self._listed}):
                seen = found["seen"]
                number = "many" if self._is_several(seen) else "one"
                return f"{self._english.table.there[number].format(seen=seen)}{self._english.table.by_camera}."
        return ""

    @cached_property
    def _several_words(self) -> frozenset[str]:
        return frozenset(self._english.nouns.number(number) for number in range(2, 100))

    def _is_several(self, seen: str) -> bool:
        return seen.removeprefix("perhaps ").split()[0] in self._several_words

    def _several(self, said: str) -> str:
        """Read what several do together."""
        core = self._without_viewer(said)
        head, colon, rest = core.partition(": ")
        if not colon or (each := self._listed(rest)) is None:
            return ""
        for verb, pattern in self._told.table.together.items():
            for found in self._matches(pattern, head, {"who": self._counted}):
                does = self._english.table.together[verb].format(**found)
                return f"{capitalised(does)}: {each}{self._english.table.by_camera}."
        return ""

    def _text(self, said: str) -> str:
        core, name = self._without_viewer(said), f"{self._told.table.text_in_view}: "
        if not core.startswith(name) or (read := self._listed(core.removeprefix(name))) is None:
            return ""
        return f"{self._english.table.text_in_view}: {read}{self._english.table.by_camera}."

    def _observed(self, said: str) -> str:
        viewer = self._english.table.by_camera if self._without_viewer(said) else ""
        core = self._without_viewer(said) or said.removesuffix(".")
        slots = {
            **{
                f"{slot}{'' if case == 'nom' else f'_{case}'}": self._noun(case)
                for slot in ("who", "what")
                for case in self._nouns.cases
            },
            "where": self._where,
            "stop": self._stop,
            "zone": str,
        }
        told, english = self._told.table, self._english.table
        pairs = [("move", told.moves_it, english.moves_it)]
        pairs += [(verb, told.by_somebody[verb], english.by_somebody[verb]) for verb in told.by_somebody]
        pairs += [(verb, told.by_itself[verb], english.by_itself[verb]) for verb in told.by_itself]
        for verb, own, pattern in pairs:
            if viewer and "{where}" not in own:
                continue
            for found in self._matches(own, core, slots):
                named = {slot.partition("_")[0]: english for slot, english in found.items()}
                if verb in DEFINITE and "what" in named:
                    named["what"] = self._known(named["what"])
                return f"{capitalised(pattern.format(**named))}{viewer}."
        return ""

    def _known(self, thing: str) -> str:
        """Return a thing that was mentioned before with "the", if the other language could not mark it as known."""
        if thing.startswith(SOMETHING):
            return self._english.nouns.the(thing)
        article, _, name = thing.partition(" ")
        lacks = article in ("a", "an") and name not in self._codes and "(" not in name
        return self._english.nouns.the(name) if lacks else thing

    def _sighted(self, said: str) -> str:
        told, english = self._told.table, self._english.table
        plates = re.compile(re.escape(told.plate).replace(r"\{plate\}", "(?P<plate>.+)"))

        def who(text: str) -> str | None:
            if found := plates.search(text):
                named = who(text[: found.start()])
                return None if named is None else f"{named}{english.plate.format(**found.groupdict())}"
            named, also = (
                (text[: text.rindex(" (")], text[text.rindex(" (") :])
                if re.search(r" \((?!\.\d\d\))[^()]*\)$", text)
                else (text, "")
            )
            if named.casefold() == told.something.casefold():
                return english.something + also
            listed = self._listed(named, names=True)
            return None if listed is None else listed + also

        slots: dict[str, Callable[[str], str | None]] = {
            "who": who,
            "zones": self._zones,
            "course": self._course,
            "goes_on": {"": "", told.goes_on: english.goes_on}.get,
        }
        for pattern in dict.fromkeys(told.detected.values()):
            for found in self._matches(pattern, said, slots):
                plain = re.sub(r"\([^)]*\)", "", found["who"])
                number = "many" if f" {english.conjunction} " in plain else "one"
                return capitalised(english.detected[number].format(**found))
        return ""

    def _course(self, said: str) -> str | None:
        return self._moving.get(said) if said else ""

    def _zones(self, said: str) -> str | None:
        start = self._told.table.zones.partition("{")[0]
        if not said.startswith(start):
            return None if said else ""
        own, conjunction = f" {self._told.table.conjunction} ", f" {self._english.table.conjunction} "
        return self._english.table.zones.format(zones=said.removeprefix(start).replace(own, conjunction))

    def _without_viewer(self, said: str) -> str:
        """Return a sentence without "as seen by the camera" at its end; empty if it does not end so."""
        end = f"{self._told.table.by_camera}."
        return said.removesuffix(end) if said.endswith(end) else ""

    # Patterns

    def _matches(
        self, pattern: str, said: str, slots: Mapping[str, Callable[[str], str | None]]
    ) -> Iterator[dict[str, str]]:
        """Yield {place of the pattern: its English} of each way in which a text fits a pattern."""
        parts = _parts(pattern)
        if not _expression(pattern).fullmatch(said):
            return
        for start in dict.fromkeys((said[:1].lower() + said[1:], said)):
            yield from _filled(parts, start, slots)

    # Names and places

    def _noun(self, case: str) -> Callable[[str], str | None]:
        return lambda said: self._scanned(said, (self._names[case],)) if said else None

    def _counted(self, said: str) -> str | None:
        return self._names["nom"].get(said) or self._of_number(said)

    def _listed(self, said: str, *, names: bool = False) -> str | None:
        return self._scanned(said, (self._names["nom"], self._pieces), names=names)

    def _where(self, said: str) -> str | None:
        if not said:
            return ""
        side, opening, inner = said.partition(" (")
        if opening and inner.endswith(")"):
            place = self._without_viewer(f"{inner[:-1]}.")
            outer, within = self._where(side), self._where(f" {place}") if place else None
            return f"{outer} ({within.lstrip()}{self._english.table.by_camera})" if outer and within else None
        return (
            f" {found}"
            if said[0] == " " and (found := self._scanned(said[1:], (self._pieces, self._places)))
            else None
        )

    def _stop(self, said: str) -> str | None:
        return "" if not said else self._stops.get(said)

    @cached_property
    def _stops(self) -> Mapping[str, str]:
        told, english = self._told.table, self._english.table
        return {
            told.stops.format(part=own): english.stops.format(part=english.parts[part])
            for part, own in told.parts.items()
        }

    def _scanned(self, said: str, tables: Iterable[Mapping[str, str]], *, names: bool = False) -> str | None:
        """Return a list of names and places in English, piece by piece; None if a piece is not known.

        names: words with a capital are names, which stay as they are.
        """
        found, at, tables = list[str](), 0, tuple(tables)
        while at < len(said):
            if token := _TOKEN.match(said, at) or _CERTAINTY.match(said, at):
                found.append(token[0])
                at = token.end()
                continue
            ends = [each.start() for each in _ENDS.finditer(said, at + 1)]
            for end in sorted({*ends, len(said)}, reverse=True):
                english = self._piece(said[at:end], tables)
                if (
                    english is None
                    and names
                    and said[at].isupper()
                    and not re.search(r"[,;(]", said[at:end])
                    and " " not in said[at:end]
                ):
                    english = said[at:end]
                if english is not None:
                    found.append(english)
                    at = end
                    break
            else:
                return None
        return "".join(found)

    def _piece(self, said: str, tables: Sequence[Mapping[str, str]]) -> str | None:
        for table in tables:
            if said in table:
                return table[said]
        return self._words.get(said) or self._of_number(said)

    def _of_number(self, said: str) -> str | None:
        """Return the English for "zwei rote Autos"."""
        number, _, rest = said.partition(" ")
        count = self._numbers.get(number) or (int(number) if number.isdecimal() else 0)
        if not count:
            return None
        if name := self._plurals.get(rest) or self._nouns.unknown_in(rest):
            return self._english.nouns.many(name, count)
        return next(
            (self._english.nouns.many(name, count) for name in self._pairs if self._nouns.many(name, count) == said),
            None,
        )

    @cached_property
    def _words(self) -> Mapping[str, str]:
        """{words between names: the English ones}"""
        doubt, english = self._told.table.in_doubt, self._english.table.in_doubt
        return {
            self._told.table.conjunction: self._english.table.conjunction,
            doubt.partition(" {")[0]: english.partition(" {")[0],
        }

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {self._nouns.number(number): number for number in range(2, 100)}

    @cached_property
    def _codes(self) -> Sequence[str]:
        """The codes of all names."""
        colours, english = self._nouns.colours, self._english
        clothed = [english.clothed_person(*worn) for worn in product(("", *colours), repeat=2) if any(worn)]
        coloured = [english.coloured(name, colour) for name, colour in product(self._nouns.names, ("", *colours))]
        unnamed = [english.unnamed(*looks) for looks in product(("", "large", "small"), ("", *colours))]
        return [*coloured, *clothed, *unnamed]

    @cached_property
    def _names(self) -> Mapping[str, Mapping[str, str]]:
        """{case: {name with its article: the English one}}"""
        return {case: _Names(self._codes, self._nouns, self._english.nouns, case=case) for case in self._nouns.cases}

    @cached_property
    def _plurals(self) -> Mapping[str, str]:
        return {self._nouns.plural(name): name for name in reversed(self._codes)}

    @cached_property
    def _pairs(self) -> Sequence[str]:
        return [
            name
            for name in self._nouns.names
            if self._nouns.many(name, 2) != f"{self._nouns.number(2)} {self._nouns.plural(name)}"
        ]

    @cached_property
    def _courses(self) -> Mapping[str, str]:
        told, english = self._told.table, self._english.table
        found = dict[str, str]()
        for origin, goal, pace in product(("", *told.origins), ("", *told.goals), ("", *told.paces)):
            if origin or goal:
                own, said = (
                    [table.origins.get(origin), table.goals.get(goal), table.paces.get(pace)]
                    for table in (told, english)
                )
                found[" ".join(filter(None, own))] = " ".join(filter(None, said))
        return found

    @cached_property
    def _moving(self) -> Mapping[str, str]:
        """{how something is said to move: the English for it}"""
        told, english = self._told.table, self._english.table
        return {
            told.moving.format(course=own) + told.by_camera: english.moving.format(course=said) + english.by_camera
            for own, said in self._courses.items()
        }

    @cached_property
    def _pieces(self) -> Mapping[str, str]:
        """{part of the picture, or course: the English one}"""
        told, english = self._told.table, self._english.table
        return {**self._courses, **{own: english.parts[part] for part, own in told.parts.items()}}

    @cached_property
    def _places(self) -> Mapping[str, str]:
        """{place beside something, or on a side of somebody: the English one}"""
        told, english = self._told, self._english
        found = {own: english.table.sides[side] for side, own in told.table.sides.items()}
        for relation, name, another in product(told.relations, self._nouns.names, (False, True)):
            said = english.beside(relation, name, is_another=another)
            found[told.beside(relation, name, is_another=another)] = said
        return found


class _Names(Mapping[str, str]):
    """{name with its article in a case: the English one}.

    What the table of nouns lacks is read by its quotation marks.
    """

    def __init__(self, codes: Sequence[str], told: TableNouns, english: Nouns, *, case: str) -> None:
        self._codes, self._told, self._english, self._case = codes, told, english, case

    @cached_property
    def _found(self) -> Mapping[str, tuple[str, str]]:
        """{name with its article: its code, and how it is written}. The first of equal ones counts."""
        told, case = self._told, self._case
        return {
            phrase: (name, kind)
            for name in reversed(self._codes)
            for kind, phrase in (("the", told.the(name, case)), ("one", told.one(name, case)))
        }

    def __getitem__(self, said: str) -> str:
        if said in self._found:
            name, kind = self._found[said]
            return getattr(self._english, kind)(name)
        if name := self._told.unknown_in(said, self._case):
            return with_article(name)
        raise KeyError(said)

    def __contains__(self, said: object) -> bool:
        return said in self._found or bool(self._told.unknown_in(str(said), self._case))

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _of_one_quotation(words: str) -> str | None:
    return None if '" ' in words else words


def _of_one_sentence(words: str) -> str | None:
    return None if ". " in words else words


@lru_cache(maxsize=512)
def _parts(pattern: str) -> Parts:
    return [(words, slot or "") for words, slot, _, _ in Formatter().parse(pattern)]


@lru_cache(maxsize=512)
def _expression(pattern: str) -> re.Pattern[str]:
    """Return an expression that every text that fits a pattern matches."""
    words = [re.escape(words) + (".*" if slot else "") for words, slot in _parts(pattern)]
    return re.compile("".join(words), re.IGNORECASE | re.DOTALL)


def _filled(
    parts: Parts, said: str, slots: Mapping[str, Callable[[str], str | None]], *, at: int = 0
) -> Iterator[dict[str, str]]:
    """Yield {place: its English} of each way in which a text fits the parts of a pattern."""
    if at == len(parts):
        if not said:
            yield {}
        return
    words, slot = parts[at]
    if not said.startswith(words):
        return
    rest = said[len(words) :]
    if not slot:
        yield from _filled(parts, rest, slots, at=at + 1)
        return
    following = parts[at + 1][0] if at + 1 < len(parts) else None
    for end in range(len(rest) + 1):
        if following is None and end < len(rest):
            continue
        if following and not rest.startswith(following, end):
            continue
        if 0 < end < len(rest) and rest[end - 1].isalnum() and rest[end].isalnum():
            continue
        english = slots[slot](rest[:end])
        if english is not None and (english or slot in ("where", "stop", "zones", "course", "goes_on")):
            for others in _filled(parts, rest[end:], slots, at=at + 1):
                yield {slot: english, **others}
