"""The relations of facts: the rows of relations.yaml. The head of that file explains the columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import exp, log
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j import tables
from amr_neo4j.tables import Weight

FAVORITE = "favorite_"
"""The prefix of relations for favourites: favorite_color, favorite_food."""
KIN = "family"
"""The category of kin."""
USUALLY_AT = "usually_at"
"""The relation for where an object usually is. Its facts come from what videos show, not from what is said."""
PLANS = "plans"
"""The relation for what somebody intends to do. A plan with a day ends with it; one that is dropped is archived."""
INSTRUCTION = "instruction"
"""The relation for what the user tells an assistant to do from now on: "always include version numbers"."""
LOSS_PER_DAY = 0.01
"""The share of its certainty that a fact loses each day if its relation has no half-life: half in 69 days."""


class RelationKind(BaseModel):
    """One row. The defaults are those of a relation without a row."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    category: str = ""
    half_life_days: float = Field(default=log(2) / LOSS_PER_DAY, gt=0)
    priority: Weight = 50
    subject: str = "PERSON"
    object: str = "THING"
    role: Literal["", "person", "pet", "friend"] = ""
    single: bool = False
    momentary: str = ""
    beside: bool = False
    ends: str = ""
    detail: str = ""
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
    main: bool = False
    individual: bool = False
    shape: str = ""
    proper: bool = False
    once: bool = False
    bond: bool = False
    succeeded: bool = False
    mutual: bool = False
    peers: bool = False
    introduces: bool = False
    before_name: bool = False
    through: Mapping[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])

    @property
    def exact(self) -> bool:
        """Whether two objects of this relation are the same only if their words are equal."""
        return self.named or self.single

    @property
    def is_name(self) -> bool:
        """Whether the objects are names. People may type these in lower case."""
        return self.named and self.object not in ("NUMBER", "TIME")

    @property
    def is_for_life(self) -> bool:
        """Whether it ends by no death and no quarrel: a father stays one."""
        return self.category == KIN and not self.bond

    @property
    def is_role(self) -> bool:
        """Whether it states who or what somebody is to another person: a sister, a boss, a dog."""
        return self.role in ("person", "pet")


class RelationTable(tables.Table):
    """relations.yaml."""

    relations: Mapping[str, RelationKind]


_UNLISTED = RelationKind()


def relation_kind(relation: str) -> RelationKind:
    """Return the row of a relation.

    Example: `relation_kind("lives_in").single` is True, since a new home replaces the old one.
    """
    # All favourites share one row, since any noun may follow: favorite_color, favorite_food.
    row = "favorite" if relation.startswith(FAVORITE) else relation
    return _table().relations.get(row, _UNLISTED)


def share_kept(relation: str, days: float) -> float:
    """Return the share of its certainty that a fact keeps after this many days: 0.5 after its half-life."""
    return exp(-log(2) / relation_kind(relation).half_life_days * days)


def relation_family(relation: str) -> tuple[str, bool]:
    """Return (family name, whether the relation affirms).

    Relations of the same or opposite meaning share the name.

    Example: ("likes", False) for "dislikes", ("has", True) for "owns".
    """
    kind = relation_kind(relation)
    if kind.denies:
        return kind.opposite, False
    # If two relations have the same meaning, the alphabetically first names the family.
    return min(relation, kind.same or relation), True


@cache
def lasting_relation(relation: str) -> str:
    """Return the lasting relation that this one states for a while; empty if there is none.

    Example: "lives_in" for "staying_in".
    """
    rows = _table().relations.items()
    return next((name for name, kind in rows if kind.momentary == relation), "")


@cache
def people_of(category: str) -> tuple[str, ...]:
    """Return the relations of a category if all of them are roles of people, as kin are the family; else nothing."""
    found = tuple(name for name, kind in _table().relations.items() if kind.category == category)
    return found if all(relation_kind(name).role == "person" for name in found) else ()


def relation_names() -> tuple[str, ...]:
    """Return the relations that have a row."""
    return tuple(_table().relations)


_table = tables.shipped("amr_neo4j.domain", "relations.yaml", RelationTable)
