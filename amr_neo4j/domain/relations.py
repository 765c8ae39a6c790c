"""What a relation of a fact is: the rows of relations.yaml, whose head explains the columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from amr_neo4j import tables

FAVORITE = "favorite_"
"""Begins the relation of a favourite: favorite_color, favorite_food."""
USUALLY_AT = "usually_at"
"""Where a thing usually is: the only relation that comes from video."""


class RelationKind(BaseModel):
    """One row. The defaults are those of a relation without a row."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    category: str = ""
    subject: str = "PERSON"
    object: str = "THING"
    role: Literal["", "person", "pet", "friend"] = ""
    single: bool = False
    named: bool = False
    same: str = ""
    opposite: str = ""
    denies: bool = False
    happened: bool = False
    people_only: bool = False
    of_things: bool = False
    place: bool = False
    somewhere: bool = False
    noun_last: bool = False
    whole: bool = False
    title: bool = False
    open_list: bool = False
    main: bool = False
    individual: bool = False
    joint: bool = False
    introduces: bool = False

    @property
    def exact(self) -> bool:
        """Whether two of its objects are the same only where their words are."""
        return self.named or self.single

    @property
    def is_name(self) -> bool:
        """Whether its objects are names, which people may type in lower case."""
        return self.named and self.object not in ("NUMBER", "TIME")

    @property
    def is_role(self) -> bool:
        """Whether it says who or what somebody is to another: a sister, a boss, a dog."""
        return self.role in ("person", "pet")


class RelationTable(tables.Table):
    """relations.yaml."""

    relations: Mapping[str, RelationKind]


_UNLISTED = RelationKind()


def relation_kind(relation: str) -> RelationKind:
    """What a relation is. Example: `relation_kind("lives_in").single` is True, since a move replaces the old home."""
    row = "favorite" if relation.startswith(FAVORITE) else relation
    return _table().relations.get(row, _UNLISTED)


def relation_family(relation: str) -> tuple[str, bool]:
    """(the name that relations of the same or the opposite meaning share, whether it affirms).

    Example: ("likes", False) for "dislikes", ("has", True) for "owns".
    """
    kind = relation_kind(relation)
    if kind.denies:
        return kind.opposite, False
    return min(relation, kind.same or relation), True


def relation_names() -> tuple[str, ...]:
    """The relations with a row."""
    return tuple(_table().relations)


@cache
def _table() -> RelationTable:
    return tables.load("amr_neo4j.domain", "relations.yaml", RelationTable)
