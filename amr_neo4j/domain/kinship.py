"""Finds relatives by two facts: the sister of the user's husband is the user's sister-in-law."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.relations import relation_kind, relation_names

# In relations.yaml, this stands for every relation that is a bond.
_BOND = "bond"


def kin_of_kin(
    roles: Iterable[str], about: Callable[[Collection[str], Collection[str]], Iterable[Triple]]
) -> list[Triple]:
    """Return those who have one of these roles for the user by two facts, e.g. (you, sister_in_law, nerea).

    about: returns the facts of these subjects with these relations.
    """
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
