"""Merged persons: the person for whom an identity of an analysis stands now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from amr_neo4j.store.database import Run

# (scope, person_id): ("", "anna") for a name of the group, ("video7", "girl_black_hoodie") for a description.
Identity = tuple[str, str]


@dataclass(frozen=True)
class PersonAliases:
    """The merges of a group.

    version: number of merges and undos so far, in all groups. A copy with another version is out of date.
    into: {merged identity: the person it stands for now}, through any number of merges.
    unambiguous: merged identities whose person_id belongs to nobody outside the merge.
    """

    version: int = 0
    into: Mapping[Identity, Identity] = field(default_factory=dict[Identity, Identity])
    unambiguous: frozenset[Identity] = frozenset()

    def resolve(self, stated: Identity) -> Identity:
        """Return the person that a stated identity stands for now."""
        return self.into.get(stated, stated)

    def ids_of(self, person_id: str) -> list[str]:
        """Return the id itself and the ids of the persons it was merged into."""
        merged = (now[1] for stated, now in self.into.items() if stated[1] == person_id)
        return list(dict.fromkeys([person_id, *merged]))

    def scopes(self, person_id: str) -> set[str]:
        """Return the scopes of those persons with this id into whom others were merged."""
        return {scope for scope, now in self.into.values() if now == person_id}

    def same(self) -> dict[str, tuple[str, ...]]:
        """Return {person_id: other ids of the same person}.

        A merged id leads to the current one. The current one leads back only to unambiguous ids: a description such
        as "man" may be somebody else in another video.
        """
        found: dict[str, tuple[str, ...]] = {}
        for stated, now in self.into.items():
            pairs = [(stated[1], now[1])] + ([(now[1], stated[1])] if stated in self.unambiguous else [])
            for one, other in pairs:
                if one != other and other not in found.get(one, ()):
                    found[one] = (*found.get(one, ()), other)
        return found


def read_aliases(run: Run, group_id: str) -> PersonAliases:
    """Return the merges of a group as they are now."""
    [row] = run("persons/aliases", group_id=group_id)
    into = {(scope, stated): (now_scope, now) for scope, stated, now_scope, now, _ in row["merged"]}
    unambiguous = frozenset((scope, stated) for scope, stated, _, _, alone in row["merged"] if alone)
    return PersonAliases(row["version"], into, unambiguous)
