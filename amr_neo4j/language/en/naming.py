"""Which of the graph's persons and objects a text names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache

from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.persons import function_words, is_indistinct, mentioned_names, person_key
from amr_neo4j.language.nouns import KnownNames
from amr_neo4j.tables import Table, load

_LONGEST = 8
TimeSpan = tuple[int, int]


class NamingTable(Table):
    """naming.yaml, whose head says what its keys mean."""

    verbs_too: frozenset[str]


@cache
def _table() -> NamingTable:
    return load("amr_neo4j.language.en", "naming.yaml", NamingTable)


def named_in(text: str, persons: Collection[str], objects: Collection[str]) -> KnownNames:
    """Those of the known person ids and object keys that the text names; of overlapping ones the longest.

    A person known by a full name is also named by its first or last word ("Anna" for anna_maria_rossi).
    """
    words = _words(text)
    people = _known(words, frozenset(persons), _person)
    partly = (who for name in mentioned_names(text, persons) for who in _by_part(name, persons, people))
    return KnownNames((*people, *dict.fromkeys(partly)), _known(words, frozenset(objects), _object))


def _known(words: list[str], keys: frozenset[str], key_of: Callable[[list[str], TimeSpan], str]) -> tuple[str, ...]:
    taken: set[int] = set()
    found: list[tuple[int, str]] = []
    for start, end in _spans(words):
        key = key_of(words, (start, end))
        if key in keys and taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            found.append((start, key))
    return tuple(dict.fromkeys(key for _, key in sorted(found)))


def _by_part(name: str, persons: Collection[str], found: Collection[str]) -> Iterator[str]:
    part = person_key(name).person_id
    if part not in found:
        yield from (who for who in sorted(persons) if part in (who.split("_")[0], who.split("_")[-1]))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:['’-]\w+)*", text)


def _spans(words: list[str]) -> Iterator[TimeSpan]:
    """Where a name may start and end, longest first."""
    nameless = {1: function_words() | _table().verbs_too}
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for end in range(length, len(words) + 1):
            if words[end - 1].casefold() not in nameless.get(length, function_words()):
                yield end - length, end


def _object(words: list[str], span: TimeSpan) -> str:
    return object_key(" ".join(words[slice(*span)]))


def _person(words: list[str], span: TimeSpan) -> str:
    """Empty for words that fit anybody: "a person" asks for no one that an analysis calls "person"."""
    name = re.sub(r"['’]s\b", "", " ".join(words[slice(*span)]))
    return "" if is_indistinct(name) else person_key(name).person_id
