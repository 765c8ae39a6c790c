"""Finds relatives by two facts: the sister of the user's husband is the user's sister-in-law."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Protocol, Self, TypeVar

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.relations import relation_kind, relation_names

# In relations.yaml, this stands for every relation that is a bond.
_BOND = "bond"


About = Callable[[Collection[str], Collection[str]], Iterable[Triple]]
"""Takes (subjects, relations) and returns the facts of these subjects with these relations."""


class AskedKin(Protocol):
    """A question that may mention relatives of the user and of others. See fact_questions/answering.py."""

    @property
    def roles(self) -> Collection[str]:
        """The roles by which it mentions relatives of the user."""
        ...

    @property
    def roles_to_know(self) -> Collection[str]:
        """The roles whose holders `knowing` must be told."""
        ...

    def knowing(self, named: Iterable[Triple]) -> Self:
        """Return the question with the relatives it mentions. named: who has the roles, as (you, sister, fiona)."""
        ...

    @property
    def kin_of_others(self) -> Collection[Triple]:
        """The relatives of others whom it mentions, without their names: (lorena, sister, "")."""
        ...

    def knowing_kin_of_others(self, named: Iterable[Triple]) -> Self:
        """Return the question with the names of `kin_of_others`. named: e.g. (lorena, sister, berta)."""
        ...


AnyAsked = TypeVar("AnyAsked", bound=AskedKin)


def knowing_kin(question: AnyAsked, about: About) -> AnyAsked:
    """Return a question with the names of the relatives whom it mentions: the user's, and those of others."""
    if roles := question.roles_to_know:
        question = question.knowing([*about([SPEAKER], roles), *kin_of_kin(question.roles, about)])
    if wanted := question.kin_of_others:
        named = about(sorted({each.subject for each in wanted}), sorted({each.relation for each in wanted}))
        question = question.knowing_kin_of_others(named)
    return question


def kin_of_kin(roles: Iterable[str], about: About) -> list[Triple]:
    """Return those who have one of these roles for the user by two facts, e.g. (you, sister_in_law, nerea)."""
    wanted = set(roles)
    steps = {step: role for step, role in _steps().items() if role in wanted}
    near = about([SPEAKER], sorted({first for first, _ in steps})) if steps else ()
    firsts: dict[str, set[str]] = {}
    for triple in near:
        firsts.setdefault(triple.object, set()).add(triple.relation)
    far = about(sorted(firsts), sorted({second for _, second in steps})) if firsts else ()
    found: list[Triple] = []
    for triple in far:
        roles_by = [steps.get((first, triple.relation)) for first in sorted(firsts.get(triple.subject, ()))]
        if triple.object != SPEAKER:
            found += [Triple(SPEAKER, role, triple.object) for role in roles_by if role]
    return found


@cache
def _steps() -> Mapping[tuple[str, str], str]:
    """{(first relation, second relation): the role of whoever stands at the end}."""
    bonds = [name for name in relation_names() if relation_kind(name).bond]
    steps: dict[tuple[str, str], str] = {}
    for role in relation_names():
        for first, seconds in relation_kind(role).through.items():
            for name in bonds if first == _BOND else [first]:
                steps |= {(name, second): role for second in seconds}
    return steps
