"""Who was merged into whom: what a person was told to be, and who that is by now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from amr_neo4j.store.database import Run

# scope and person_id
Identity = tuple[str, str]


@dataclass(frozen=True)
class PersonAliases:
    """The merges of a group.

    version: how often persons were merged or parted so far, in all groups together. unlike: those that nobody else is
    called as, but who was merged into the same one.
    """

    version: int = 0
    into: Mapping[Identity, Identity] = field(default_factory=dict[Identity, Identity])
    unlike: frozenset[Identity] = frozenset()

    def who(self, told: Identity) -> Identity:
        """Who that is by now."""
        return self.into.get(told, told)

    def meant(self, person_id: str) -> list[str]:
        """Who is meant where somebody is called so: it, and those who that is by now."""
        return list(dict.fromkeys([person_id, *(now[1] for told, now in self.into.items() if told[1] == person_id)]))

    def scopes(self, person_id: str) -> set[str]:
        """Of those of this id whom others were merged into."""
        return {scope for scope, now in self.into.values() if now == person_id}

    def same(self) -> dict[str, tuple[str, ...]]:
        """person_id -> what else the same one is called, where that is no other person's name too."""
        found: dict[str, tuple[str, ...]] = {}
        for told, now in self.into.items():
            pairs = [(told[1], now[1])] + ([(now[1], told[1])] if told in self.unlike else [])
            for one, other in pairs:
                if one != other and other not in found.get(one, ()):
                    found[one] = (*found.get(one, ()), other)
        return found


def read_merged(run: Run, group_id: str) -> PersonAliases:
    """The merges of a group as they are now."""
    [row] = run("persons/merged", group_id=group_id)
    into = {(scope, told): (now_scope, now) for scope, told, now_scope, now, _ in row["merged"]}
    return PersonAliases(
        row["version"], into, frozenset((scope, told) for scope, told, _, _, alone in row["merged"] if alone)
    )
