"""Reads where one thing is relative to another: "to the left of the mug"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import zip_longest

from amr_neo4j.language.en.identities import object_key
from amr_neo4j.language.nouns import SpatialRelation
from amr_neo4j.tables import Table, shipped


class SpatialTable(Table):
    """spatial.yaml. The comments in the file explain its keys."""

    relations: dict[str, tuple[str, ...]]
    sides: tuple[str, ...]
    opposite: dict[str, str]
    meant: dict[str, tuple[str, ...]]
    whose_side: str
    landmark_ends: str
    of_landmark: str
    seen_from: str
    clause: str
    clauses: str


_table = shipped("amr_neo4j.language.en", "spatial.yaml", SpatialTable)


@cache
def _pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return the pattern of all phrases for relations, and {phrase: its relation}.

    The longest phrases come first: of alternatives that match, a regular expression takes the first.
    """
    relation_of = {words: relation for relation, some in _table().relations.items() for words in some}
    longest_first = sorted(relation_of, key=len, reverse=True)
    return re.compile(rf"\b({'|'.join(map(re.escape, longest_first))})\b"), relation_of


def spatial_relations(thing: str, description: str) -> list[SpatialRelation]:
    """Return the relations that a description states of a thing, and of its landmarks.

    "on the book, which is on the desk" states one relation of the thing and one of the book.
    """
    text = " ".join(description.casefold().replace("’", "'").split())
    text = re.sub(_table().whose_side, r"to the \g<side> of \g<whose>\g<who>", text)
    pattern, relation_of = _pattern()
    marks = list(pattern.finditer(text))
    found: list[SpatialRelation] = []
    subject, landmark, end = thing, "", 0
    for mark, following in zip_longest(marks, marks[1:]):
        # "... the book, which is on the desk": what follows is about the landmark.
        if landmark and re.search(_table().of_landmark, text[end : mark.start()]):
            subject = landmark
        # What stands between this phrase and the next one names the landmark.
        words = text[mark.end() : following.start() if following else len(text)]
        end = mark.end()
        if named := re.split(f"{_table().landmark_ends}|{_table().of_landmark}", words)[0].strip(" ?!'\""):
            landmark = named
            found.append(SpatialRelation(subject, relation_of[mark[0]], landmark))
    return found


def place_of(thing: str, description: str) -> str:
    """Return the place that a description gives for a thing.

    Example: "hanging above the hat" for the jacket in "Jacket is hanging above the hat".
    If the description places several things ("the laptop is in front of him and the phone is to his right"), only the
    part about this one is returned. A description without a part about it is returned as it is.
    """
    table = _table()
    told = re.sub(table.seen_from, "", description.strip(), flags=re.IGNORECASE)
    # ", which is on the desk" is no clause of its own.
    for clause in re.split(table.clauses, told, flags=re.IGNORECASE):
        found = re.match(table.clause, clause.strip(" ."), re.IGNORECASE)
        if found and f" {object_key(found['thing'])}".endswith(f" {object_key(thing)}"):
            return found["where"]
    return description


def ends_with_side(words: Sequence[str]) -> bool:
    """Return whether the words end with a phrase for a side: true for "what is to the left of", not "what is in"."""
    text = f" {' '.join(words)}"
    return any(text.endswith(f" {phrase}") for side in _table().sides for phrase in _table().relations[side])


def opposite_relation(relation: str) -> str:
    """Return the same relation seen from the other thing (left of -> right of); empty if there is no word for it."""
    return _table().opposite.get(relation, "")


def relation_is(stated: str, asked: str) -> bool:
    """Return whether a stated relation answers a question about relation `asked`."""
    return stated == asked or stated in _table().meant.get(asked, ())
