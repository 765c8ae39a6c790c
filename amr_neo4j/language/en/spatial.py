"""Where one thing is beside another, by the words for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest

from amr_neo4j.language.nouns import SpatialRelation
from amr_neo4j.tables import Table, load


class SpatialTable(Table):
    """spatial.yaml, whose head says what its keys mean."""

    relations: dict[str, tuple[str, ...]]
    sides: tuple[str, ...]
    opposite: dict[str, str]
    meant: dict[str, tuple[str, ...]]
    landmark_ends: str
    of_landmark: str


@cache
def _table() -> SpatialTable:
    return load("amr_neo4j.language.en", "spatial.yaml", SpatialTable)


@cache
def _pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    """The pattern of all words for relations, the longest first, and the relation that each states."""
    relation_of = {words: relation for relation, some in _table().relations.items() for words in some}
    longest_first = sorted(relation_of, key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b"), relation_of


def spatial_relations(thing: str, description: str) -> list[SpatialRelation]:
    """What a description states of a thing, and of the landmarks in it ("on the book, which is on the desk")."""
    text = " ".join(description.casefold().split())
    pattern, relation_of = _pattern()
    marks = list(pattern.finditer(text))
    found: list[SpatialRelation] = []
    subject, landmark, end = thing, "", 0
    for mark, following in zip_longest(marks, marks[1:]):
        if landmark and re.search(_table().of_landmark, text[end : mark.start()]):
            subject = landmark
        words = text[mark.end() : following.start() if following else len(text)]
        end = mark.end()
        if named := re.split(f"{_table().landmark_ends}|{_table().of_landmark}", words)[0].strip(" ?!'\""):
            landmark = named
            found.append(SpatialRelation(subject, relation_of[mark[0]], landmark))
    return found


def ends_with_side(words: Sequence[str]) -> bool:
    """Whether words end with those for a side of what comes next: "what is to the left of", and not "what is in"."""
    text = f" {' '.join(words)}"
    return any(text.endswith(f" {phrase}") for side in _table().sides for phrase in _table().relations[side])


def opposite_relation(relation: str) -> str:
    """The same relation seen from the other thing; empty where there is no word for it."""
    return _table().opposite.get(relation, "")


def relation_is(stated: str, asked: str) -> bool:
    """Whether a stated relation answers a question for another one."""
    return stated == asked or stated in _table().meant.get(asked, ())
