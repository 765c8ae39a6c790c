"""Cleans the objects of facts: cuts articles, trailing adverbs and what belongs to the next thought."""

from __future__ import annotations

import re
from dataclasses import dataclass

from amr_neo4j.domain.relations import FAVORITE, relation_kind
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, plain

# An object has at most this many words.
_MOST_WORDS_OF_OBJECT = 7
_NAME = re.compile(r"([^\W\d_a-z][\w'-]*(?: [^\W\d_a-z][\w'-]*)?) ")
_EDGE = re.compile(r"^[\s,;:()\-–—…=]+|[\s,;:()!?.\-–—…=]+$")


@dataclass(frozen=True, slots=True)
class Thing:
    """A cleaned object. many: how many of it, in digits; empty if not said."""

    line: Line
    many: str = ""

    @property
    def text(self) -> str:
        """The object as it stands in a triple."""
        return plain(self.line)


def things(kit: LanguageKit, line: Line, relation: str) -> list[Thing]:
    """Return the objects that a phrase names for a relation, one for each conjunct: "tea and coffee" has two.

    Stops at the first conjunct that cannot be an object: what follows it belongs to another clause.
    """
    found: list[Thing] = []
    for number, phrase in enumerate(conjuncts(kit, line, relation)):
        part = _unprefixed(kit, phrase, relation) if number else phrase
        thing = _thing(kit, part, relation)
        if thing is None or (number and _is_clause(kit, part)):
            break
        found.append(thing)
    return found


def _unprefixed(kit: LanguageKit, line: Line, relation: str) -> Line:
    """Return a later conjunct without its preposition: the second of "to Rome and to Florence"."""
    if "again" in kit.table.macros:
        return line.without_start(kit.patterns.again) if relation_kind(relation).category == "activity" else line
    first = line.folded.split(maxsplit=1)[0]
    return line.after(len(first) + 1) if first in kit.words.prepositions else line


def conjuncts(kit: LanguageKit, line: Line, relation: str) -> list[Line]:
    """Return the phrases between commas and "and"; only the first for a single-valued relation.

    For relations whose objects may contain "and", such as names of films, the phrase is only cut at a comma.
    """
    if _is_counted(relation) and (colon := line.folded.find(": ")) > 0 and kit.patterns.number.match(line.folded):
        line = line.part(0, colon)
    if relation_kind(relation).whole:
        comma = re.search(r"(?<!\S)[,;:(–—…-] ", line.folded)
        return [line.part(0, comma.start())] if comma and comma.start() else [line]
    parts = _listed(kit, line)
    return parts[:1] if relation_kind(relation).single else parts


def _listed(kit: LanguageKit, line: Line) -> list[Line]:
    """Return the parts of a list. A list ends with the part after its last "and".

    Without an "and", a single comma is no list: "a nurse, and happy" or "Rome, near my sister".
    """
    # For each separator: whether it is a comma.
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
    """Return the parts of a line between the matches of a pattern, without empty ones."""
    parts: list[Line] = []
    at = 0
    for match in pattern.finditer(line.folded):
        parts.append(line.part(at, match.start()))
        at = match.end()
    parts.append(line.after(at))
    return [part for part in parts if part.folded.strip()]


# So many trailing phrases are cut at most.
_MOST_TAILS = 12


def trim(kit: LanguageKit, line: Line) -> Line:
    """Cut what people add at the end ("now", "since 2010"), and punctuation at either end."""
    for _ in range(_MOST_TAILS):
        before = line
        if (tail := kit.patterns.tails.search(line.folded)) and tail.start():
            line = line.part(0, tail.start())
        line = edges(line)
        if line == before:
            break
    return line


def bare(kit: LanguageKit, line: Line) -> Line:
    """Cut articles and possessives at the start; a line that has nothing else is returned whole."""
    for pattern in (kit.patterns.articles, kit.patterns.possessives, kit.patterns.articles):
        match = pattern.match(line.folded)
        if match and match.end() < len(line.folded):
            line = line.after(match.end())
    return line


def _is_compound(kit: LanguageKit, word: str) -> bool:
    """Whether a word ends in a common one after a hyphen: "Paris-based"; not "Anne-Marie", nor "Anne-marie"."""
    last = word.rsplit("-", maxsplit=1)[-1]
    return "-" in word and word[0].isupper() and last.islower() and fold(last) not in kit.words.names_anywhere


# The elided particle of a name, as a word of its own (French, Italian) or within its word (English, German).
_OF_A_NAME = re.compile(r"[^\W\d][\w.'&-]*")
_LONGEST_NAME = 4
"""Most words of a name."""
_ELIDED = re.compile(r"(?<=\w )([dD]') (?=[^\W\d_a-zß-ÿ])")
_PARTICLE = re.compile(r"[dl]'[^\W\d_a-zß-ÿ]")


def is_name(kit: LanguageKit, line: Line) -> bool:
    """Whether a line can be a name: up to four words with capitals, or up to two lower-case ones that are not common.

    Particles inside a name need no capital: "Ana de la Cruz".
    """
    words = line.written.split()
    if not 0 < len(words) <= _LONGEST_NAME or not all(_OF_A_NAME.fullmatch(word) for word in words):
        return False
    is_titled = len(words) > 1 and fold(words[0]) in kit.words.title and words[-1][0].isupper()
    folded = line.folded.split()
    ends = () if is_titled else (folded[0], folded[-1])
    if any(word in kit.words.never_name or word in kit.numerals for word in ends):
        return False
    if any(_is_compound(kit, word) for word in words):
        return False
    words = _ELIDED.sub(r"\1", " ".join(words)).split()  # "Marie d' Ormesson"
    if any(_is_verb(kit, word) or word.endswith("'") for word in words):
        return False
    has_role = len(words) > 1 and fold(words[0]) in kit.roles  # "tante Rosa"
    if (words[0][0].isupper() or has_role) and (words[-1][0].isupper() or _PARTICLE.match(words[-1])):
        inner = [word for word in words[1 + has_role : -1] if not word[0].isupper()]
        return all(len(word) <= 3 and word not in kit.words.no_particles for word in inner)
    return _is_lower_name(kit, words)


def _is_verb(kit: LanguageKit, word: str) -> bool:
    """Return whether a word is a finite verb and no first name. "Marie" is both."""
    folded, names = fold(word), kit.words.first_names
    return (folded in kit.words.finite and folded not in names) or (word in kit.words.verbs and word not in names)


def _is_lower_name(kit: LanguageKit, words: list[str]) -> bool:
    """Return whether words that do not all have the capitals of a name can be one as people type it: "ana maria"."""
    first, *others = map(fold, words)
    if others and words[0][0].isupper():
        return False
    if len(others) == 1 and first in kit.words.title:
        return others[0] not in kit.words.never_name
    if first in kit.words.first_names:
        return (kit.words.stopwords | kit.words.never_name).isdisjoint(others)
    never = kit.words.never_name | kit.words.is_never | kit.roles.keys()
    return len(words) <= 2 and not any(
        word in never or word.endswith(kit.endings.never_name_endings) for word in (first, *others)
    )


def listed_names(kit: LanguageKit, line: Line) -> list[str]:
    """Return the capitalised names that a line begins with: "Ethan, Caleb and Jo both play" has three."""
    names: list[str] = []
    while match := _NAME.match(line.written):
        names.append(match[1].lower())
        line = line.after(match.end())
        if not (joined := kit.patterns.joins.match(line.folded)):
            break
        line = line.after(joined.end())
    return names


def edges(line: Line) -> Line:
    """Cut punctuation and spaces at either end."""
    start = match.end() if (match := _EDGE.match(line.folded)) else 0
    end = match.start() if (match := _EDGE.search(line.folded, start)) else len(line.folded)
    if end >= len(line.folded):
        return line.after(start)
    return Line(line.written[start:end].rstrip() + " ", line.folded[start:end].rstrip() + " ")


def _thing(kit: LanguageKit, line: Line, relation: str) -> Thing | None:
    """Clean a phrase and return it as an object of a relation; None if it cannot be one.

    It cannot be one if it is empty or too long, or has a finite verb outside a title.
    """
    line = _cut(kit, _named(kit, trim(kit, line), relation), relation)
    many = ""
    if _is_counted(relation):
        line, many = _counted(kit, line)
        line = line.without_start(kit.patterns.other_possessives)
    if relation == "duration":
        line = _exact(kit, line)
    # "A bit of Spanish" is Spanish.
    line = trim(kit, bare(kit, line.without_start(kit.clause_patterns.how_well)))
    words = line.folded.split()
    if not words or len(words) > _MOST_WORDS_OF_OBJECT or not re.search(r"\w", line.folded):
        return None
    if words[0] in kit.words.never_object and not _is_field(line, relation):
        return None
    is_title = line.written[:1].isupper() and relation_kind(relation).title
    if relation != "time" and _has_verb(kit, line) and not is_title:
        return None
    return Thing(line, many)


def _is_field(line: Line, relation: str) -> bool:
    """Whether a phrase in capitals is a field of work whose abbreviation looks like a pronoun: "I work in IT"."""
    return relation_kind(relation).category == "work" and len(line.written) > 1 and line.written.isupper()


def _named(kit: LanguageKit, line: Line, relation: str) -> Line:
    """Return the name in "charity called Shelter"; for relations of possession, the noun before it."""
    match = kit.patterns.naming.search(line.folded)
    if match is None or not match.start() or match.end() == len(line.folded):
        return line
    name = line.after(match.end())
    return line.part(0, match.start()) if _is_counted(relation) else name


def _has_verb(kit: LanguageKit, line: Line) -> bool:
    """Whether a finite verb is among the words. A word with an accent ("à") is not the verb without it ("a")."""
    line = line.without(kit.clause_patterns.genitive)
    pairs = zip(line.written.lower().split(), line.folded.split(), strict=True)
    return any(folded in kit.words.finite and (word == folded or word in kit.table.finite) for word, folded in pairs)


def _is_clause(kit: LanguageKit, line: Line) -> bool:
    """Return whether a conjunct begins with a subject pronoun, and so is a clause of its own.

    Languages and instruments are none: "français" is also the plural of people, and "el" an article.
    """
    if kit.clause_patterns.listed.match(bare(kit, line.without_start(kit.clause_patterns.how_well)).folded):
        return False
    first = line.folded.split(maxsplit=1)[0]
    return first in kit.words.speaker or first in kit.others or first in kit.words.never_subject


def _is_counted(relation: str) -> bool:
    """Return whether a number before the object says how many there are: "three cats"."""
    return relation_kind(relation).category == "possession"


def _cut(kit: LanguageKit, line: Line, relation: str) -> Line:
    """Cut the phrase at the first of the words that end an object, in general or of this relation."""
    usual = "favorite" if relation.startswith(FAVORITE) and "favorite" in kit.cuts else "default"
    for name in ("all", relation if relation in kit.cuts else usual):
        pattern = kit.cuts.get(name)
        match = pattern.search(line.folded, 1) if pattern else None
        if match and match.start():
            line = line.part(0, match.start())
    return trim(kit, line)


def _exact(kit: LanguageKit, line: Line) -> Line:
    """Cut an "about" before a number."""
    vague = kit.patterns.vaguely.match(line.folded)
    is_counted = vague is not None and kit.patterns.number.match(line.folded, vague.end())
    return line.after(vague.end()) if vague and is_counted else line


def _counted(kit: LanguageKit, line: Line) -> tuple[Line, str]:
    """Split a number off: (line of "cats", "3") for "three cats"; (line, "") without a number."""
    line = _exact(kit, line)
    match = kit.patterns.number.match(line.folded)
    if match is None or match.end() == len(line.folded):
        return line, ""
    value = kit.value(line.part(0, match.end()))
    if value is None or match[0].strip() in kit.table.uncounted:
        return line, ""
    return line.after(match.end()), str(value)


def is_unaccented_name(kit: LanguageKit, line: Line) -> bool:
    """Return whether the line starts with a first name that only its capital tells from an accented word.

    Example: "Marie" is a name; "marié" is a word.
    """
    word = line.written.split()[0]
    return word[0].isupper() and fold(word) in kit.words.names_without_accents and word.lower() == fold(word)
