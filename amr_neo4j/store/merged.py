"""Who was merged into whom: what a person was told to be, and who that is by now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from amr_neo4j.store.database import Database

# scope and person_id
Identity = tuple[str, str]


@dataclass(frozen=True)
class Merged:
    """The merges of a group. version: how often persons were merged or parted so far, in all groups together."""

    version: int = 0
    into: Mapping[Identity, Identity] = field(default_factory=dict[Identity, Identity])

    def who(self, told: Identity) -> Identity:
        """Who that is by now."""
        return self.into.get(told, told)

    def meaning(self, person_id: str) -> list[str]:
        """What else must be looked for where somebody is called so: those who are meant by it now."""
        return list(dict.fromkeys(now for (_, told), (_, now) in self.into.items() if told == person_id))


def read_merged(database: Database, group_id: str) -> Merged:
    """The merges of a group as they are now."""
    [row] = database.read("persons/merged", group_id=group_id)
    return Merged(row["version"], {(told[0], told[1]): (told[2], told[3]) for told in row["merged"]})
