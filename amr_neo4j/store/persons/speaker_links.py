"""Who in a conversation is who in a video."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from amr_neo4j.store.database import Database


@dataclass(frozen=True)
class SpeakerLinks:
    """SAME_AS of the speakers of one group's users."""

    database: Database
    group_id: str
    now: Callable[[], datetime]

    def tie(self, user_id: str, speaker: str, person: str) -> bool:
        """Say that they are the same; False where one of them is not there. Ids as person_key makes them."""
        return bool(self._write("episodes/tie", user_id, speaker, person)["tied"])

    def untie(self, user_id: str, speaker: str, person: str) -> bool:
        """Take that back; False where nothing ties them."""
        return bool(self._write("episodes/untie", user_id, speaker, person)["untied"])

    def _write(self, name: str, user_id: str, speaker: str, person: str) -> dict[str, int]:
        who = {"group_id": self.group_id, "user_id": user_id, "speaker": speaker, "person": person}
        [row] = self.database.write(name, **who, now=self.now())
        return row
