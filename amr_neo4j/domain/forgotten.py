"""What footage is to be forgotten, and what was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime

from amr_neo4j.domain.episode import Forgotten


@dataclass(frozen=True)
class Selection:
    """The footage to forget: what all given parts apply to; the whole group where none is given.

    video_id: of this video. persons: (scope, person_id); only events that involve one of them, and not whole clips.
    before: what had ended by then, by the wall clock of its video; where that is unknown, what memory had taken in
    by then. Raises ValueError: a moment without an offset from UTC.
    """

    video_id: str = ""
    persons: tuple[tuple[str, str], ...] = ()
    before: datetime | None = None

    def __post_init__(self) -> None:
        if self.before is not None and self.before.tzinfo is None:
            raise ValueError(f"{self.before} has no offset from UTC")


@dataclass(frozen=True)
class ForgottenFootage:
    """The receipt of what was forgotten, or would be.

    events: current ones; merged: those that had been merged into others. restored: parts of forgotten merged events
    that stay and are current again. stripped: clips that stay, without what they said of a person. persons, objects,
    facts: that nothing else names or states. vectors: one an event and model. waiting: analyses in the spool.
    naming: events that stay although their words contain the name of a forgotten person, whom they do not involve.
    """

    videos: int = 0
    clips: int = 0
    events: int = 0
    merged: int = 0
    restored: int = 0
    stripped: int = 0
    persons: int = 0
    objects: int = 0
    vectors: int = 0
    facts: int = 0
    waiting: int = 0
    naming: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was removed."""
        return not (self.clips or self.events or self.merged or self.stripped or self.waiting)

    def and_also(self, other: ForgottenFootage) -> ForgottenFootage:
        """Both together."""
        return ForgottenFootage(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


def contains_name(text: str, names: Iterable[str]) -> bool:
    """Whether a text has one of the names as whole words, in any case."""
    folded = text.casefold()
    return any(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", folded) for name in names)


@dataclass(frozen=True)
class ForgottenGroup:
    """The receipt of a whole group: its footage, and the conversations of its users."""

    footage: ForgottenFootage
    conversations: Forgotten
    users: tuple[str, ...]
