"""Canonical objects: without articles, adverbs at the end and what belongs to the next thought."""

from __future__ import annotations

import re
from dataclasses import dataclass

from amr_neo4j.domain.relations import FAVORITE, relation_kind
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, plain

_LONGEST = 7
_NAME = re.compile(r"([^\W\d_a-z][\w'-]*(?: [^\W\d_a-z][\w'-]*)?) ")
_EDGE = re.compile(r"^[\s,;:()\-–—…=]+|[\s,;:()!?.\-–—…=]+$")


@dataclass(frozen=True, slots=True)
class Thing:
    """A cleaned object. many: how many of it, in digits, where said."""

    line: Line
    many: str = ""

    @property
    def text(self) -> str:
        """As it stands in a triple."""
        return plain(self.line)


def things(kit: LanguageKit, line: Line, relation: str) -> list[Thing]:
    """The objects that a phrase names for this relation, one per conjunct; those that cannot be one are left out."""
    found: list[Thing] = []
    for number, phrase in enumerate(conjuncts(kit, line, relation)):
        part = _unprefixed(kit, phrase, relation) if number else phrase
        thing = _thing(kit, part, relation)
        if thing is None or (number and _is_clause(kit, part)):
            break
        found.append(thing)
    return found


def _unprefixed(kit: LanguageKit, line: Line, relation: str) -> Line:
    """The second of "to Rome and to Florence"."""
    if "again" in kit.table.macros:
        again = kit.patterns.again.match(line.folded) if relation_kind(relation).category == "activity" else None
        return line.part(again.end(), len(line.folded)) if again else line
    first = line.folded.split(maxsplit=1)[0]
    return line.part(len(first) + 1, len(line.folded)) if first in kit.words.prepositions else line


def conjuncts(kit: LanguageKit, line: Line, relation: str) -> list[Line]:
    """The phrases between commas and "and"; a relation with one object has its first only."""
    if _is_counted(relation) and (colon := line.folded.find(": ")) > 0 and kit.patterns.number.match(line.folded):
        line = line.part(0, colon)
    if relation_kind(relation).whole:
        comma = re.search(r"(?<!\S)[,;:(–—…-] ", line.folded)
        return [line.part(0, comma.start())] if comma and comma.start() else [line]
    parts = _listed(kit, line)
    return parts[:1] if relation_kind(relation).single else parts


def _listed(kit: LanguageKit, line: Line) -> list[Line]:
    """The parts of a list: what follows "a and b" is no part of it, nor is what follows the only comma."""
    marks = [match[0].strip() == "," for match in kit.patterns.joins.finditer(line.folded)]
    parts = split(line, kit.patterns.joins)
    if len(parts) != len(marks) + 1:
        return parts
    if (
        len(parts) == 2
        and not marks[0]
        and parts[0].folded.strip() in kit.words.is_never
        and len(parts[1].folded.split()) > 1
    ):
        return [line]  # "hot and spicy food": the first is no thing by itself
    if False in marks:
        last = len(marks) - 1 - marks[::-1].index(False)
        return parts[: last + 2]
    return parts if len(marks) != 1 else parts[:1]


def split(line: Line, pattern: re.Pattern[str]) -> list[Line]:
    """The parts between matches, without empty ones."""
    parts: list[Line] = []
    at = 0
    for match in pattern.finditer(line.folded):
        parts.append(line.part(at, match.start()))
        at = match.end()
    parts.append(line.part(at, len(line.folded)))
    return [part for part in parts if part.folded.strip()]


_MOST_TAILS = 12


def trim(kit: LanguageKit, line: Line) -> Line:
    """Without what people say at the end ("now", "since 2010") and punctuation at either end."""
    for _ in range(_MOST_TAILS):
        before = line
        if (tail := kit.patterns.tails.search(line.folded)) and tail.start():
            line = line.part(0, tail.start())
        line = edges(line)
        if line == before:
            break
    return line


def bare(kit: LanguageKit, line: Line) -> Line:
    """Without articles and possessives at its start."""
    for pattern in (kit.patterns.articles, kit.patterns.possessives, kit.patterns.articles):
        match = pattern.match(line.folded)
        if match and match.end() < len(line.folded):
            line = line.part(match.end(), len(line.folded))
    return line


def is_name(kit: LanguageKit, line: Line) -> bool:  # noqa: PLR0911 (the ways to be no name, in order)
    """Whether it can be a name: up to four words with capitals, or two lower-case ones that are not common."""
    words = line.written.split()
    if not words or len(words) > 4:
        return False
    ends = (
        ()
        if len(words) > 1 and fold(words[0]) in kit.words.title and words[-1][0].isupper()
        else (words[0], words[-1])
    )
    if any(fold(word) in kit.words.never_name or fold(word) in kit.numerals for word in ends):
        return False
    if not all(re.fullmatch(r"[^\W\d][\w.'&-]*", word) for word in words):
        return False
    if any(fold(word) in kit.words.finite or word.endswith("'") for word in words):
        return False
    if any(word in kit.words.verbs and word not in kit.words.first_names for word in words):
        return False
    is_title = len(words) > 1 and fold(words[0]) in kit.roles
    if (words[0][0].isupper() or is_title) and words[-1][0].isupper():
        words = words[is_title:]
        inner = [word for word in words[1:-1] if not word[0].isupper()]
        return all(len(word) <= 3 and word not in kit.words.no_particles for word in inner)
    if words[0][0].isupper() and len(words) > 1:
        return False
    if len(words) == 2 and fold(words[0]) in kit.words.title:
        return fold(words[1]) not in kit.words.never_name
    if fold(words[0]) in kit.words.first_names:
        return not any(fold(word) in kit.words.stopwords or fold(word) in kit.words.never_name for word in words[1:])
    return len(words) <= 2 and not any(
        fold(word) in kit.words.never_name
        or fold(word) in kit.words.is_never
        or fold(word) in kit.roles
        or fold(word).endswith(kit.endings.never_name_endings)
        for word in words
    )


def listed_names(kit: LanguageKit, line: Line) -> list[str]:
    """The names with capitals that a line begins with: "Ethan, Caleb and Jo both play" has three."""
    names: list[str] = []
    while match := _NAME.match(line.written):
        names.append(match[1].lower())
        line = line.part(match.end(), len(line.folded))
        if not (joined := kit.patterns.joins.match(line.folded)):
            break
        line = line.part(joined.end(), len(line.folded))
    return names


def edges(line: Line) -> Line:
    """Without punctuation at either end."""
    start = match.end() if (match := _EDGE.match(line.folded)) else 0
    end = match.start() if (match := _EDGE.search(line.folded, start)) else len(line.folded)
    return line.part(start, max(start, end)) if end >= len(line.folded) else _spaced(line.part(start, end))


def _spaced(line: Line) -> Line:
    return Line(line.written.rstrip() + " ", line.folded.rstrip() + " ")


def _thing(kit: LanguageKit, line: Line, relation: str) -> Thing | None:
    line = _cut(kit, _named(kit, trim(kit, line), relation), relation)
    many = ""
    if _is_counted(relation):
        line, many = _counted(kit, line)
    if relation == "duration":
        line = _exact(kit, line)
    if _is_counted(relation) and (theirs := kit.patterns.other_possessives.match(line.folded)):
        line = line.part(theirs.end(), len(line.folded))
    line = trim(kit, bare(kit, line))
    words = line.folded.split()
    if not words or len(words) > _LONGEST or words[0] in kit.words.never_object or not re.search(r"\w", line.folded):
        return None
    is_title = line.written[:1].isupper() and relation_kind(relation).title
    if relation != "time" and _has_verb(kit, line) and not is_title:
        return None
    return Thing(line, many)


def _named(kit: LanguageKit, line: Line, relation: str) -> Line:
    """The name of what has one: "charity called Shelter"; of what somebody has, the noun."""
    match = kit.patterns.naming.search(line.folded)
    if match is None or not match.start() or match.end() == len(line.folded):
        return line
    name = line.part(match.end(), len(line.folded))
    return line.part(0, match.start()) if _is_counted(relation) else name


def _has_verb(kit: LanguageKit, line: Line) -> bool:
    """Whether a finite verb is among the words; one written with an accent ("à") is not the one without ("a")."""
    line = line.without(kit.clause_patterns.genitive)
    pairs = zip(line.written.lower().split(), line.folded.split(), strict=True)
    return any(folded in kit.words.finite and (word == folded or word in kit.table.finite) for word, folded in pairs)


def _is_clause(kit: LanguageKit, line: Line) -> bool:
    first = line.folded.split(maxsplit=1)[0]
    return first in kit.words.speaker or first in kit.others or first in kit.words.never_subject


def _is_counted(relation: str) -> bool:
    """Whether a number before the object says how many there are: "three cats"."""
    return relation_kind(relation).category == "possession"


def _cut(kit: LanguageKit, line: Line, relation: str) -> Line:
    usual = "favorite" if relation.startswith(FAVORITE) and "favorite" in kit.cuts else "default"
    for name in ("all", relation if relation in kit.cuts else usual):
        pattern = kit.cuts.get(name)
        match = pattern.search(line.folded, 1) if pattern else None
        if match and match.start():
            line = line.part(0, match.start())
    return trim(kit, line)


def _exact(kit: LanguageKit, line: Line) -> Line:
    """Without the "about" before a number."""
    vague = kit.patterns.vaguely.match(line.folded)
    is_counted = vague is not None and kit.patterns.number.match(line.folded, vague.end())
    return line.part(vague.end(), len(line.folded)) if vague and is_counted else line


def _counted(kit: LanguageKit, line: Line) -> tuple[Line, str]:
    line = _exact(kit, line)
    match = kit.patterns.number.match(line.folded)
    if match is None or match.end() == len(line.folded):
        return line, ""
    value = kit.value(line.part(0, match.end()))
    if value is None or match[0].strip() in kit.table.uncounted:
        return line, ""
    return line.part(match.end(), len(line.folded)), str(value)
