"""Links between the speakers of conversations and the people of videos."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from amr_neo4j.store.database import Database


@dataclass(frozen=True)
class SpeakerLinks:
    """Writes SAME_AS from the speakers of one group's users to its people."""

    database: Database
    group_id: str
    now: Callable[[], datetime]

    def link(self, user_id: str, speaker: str, person: str) -> bool:
        """Link a speaker to a person; returns False where either is unknown. Both are person ids (person_key)."""
        return bool(self._write("conversations/link_speaker", user_id, speaker, person)["linked"])

    def unlink(self, user_id: str, speaker: str, person: str) -> bool:
        """Undo the link; returns False where there is none."""
        return bool(self._write("conversations/unlink_speaker", user_id, speaker, person)["unlinked"])

    def _write(self, name: str, user_id: str, speaker: str, person: str) -> dict[str, int]:
        params = {"group_id": self.group_id, "user_id": user_id, "speaker": speaker, "person": person}
        [row] = self.database.write(name, **params, now=self.now())
        return row
