"""Gives a group that does not speak English the embedder for many languages (decision 0169)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from amr_neo4j.domain.ports import Notify
from amr_neo4j.errors import ModelMissing, StoreUnavailable

FIRST = 20
"""So many turns and events of a group show its language."""
_LEAST_CHARACTERS, _MOST_CHARACTERS = 100, 4_000


@dataclass
class GroupLanguage:
    """Looks at the first turns and events of one group.

    is_english: returns whether the embedder in use is the one for English.
    language: of the settings. texts: returns the first texts of a kind, at most so many.
    language_of: returns the code of the language of a text.
    change: embeds some texts of the group with the embedder for many languages; returns whether these were the last,
        and the group has that embedder now. Raises ModelMissing.
    """

    group_id: str
    is_english: Callable[[], bool]
    language: str
    texts: Callable[[Literal["event", "episode"], int], Sequence[str]]
    language_of: Callable[[str], str]
    change: Callable[[], bool]
    notify: Notify
    _decided: set[str] = field(default_factory=set[str])
    _looking: Lock = field(default_factory=Lock)

    def look(self, kind: Literal["event", "episode"]) -> None:
        """Look at the texts of a kind, some of which were just committed. Raises StoreError, but not in an outage."""
        # What was committed is committed; the next commit looks again.
        with self._looking, suppress(StoreUnavailable):
            if kind in self._decided:
                return
            if not self.is_english():
                self._decided.add(kind)
                return
            texts = self.texts(kind, FIRST)
            spoken = self.language if self.language != "en" else self._spoken("\n".join(texts))
            is_other = spoken not in ("", "en")
            if self._change(spoken) if is_other else len(texts) >= FIRST:
                self._decided.add(kind)

    def _spoken(self, text: str) -> str:
        """Return the language of a text; an empty one if it is too short to tell."""
        return self.language_of(text[:_MOST_CHARACTERS]) if len(text) >= _LEAST_CHARACTERS else ""

    def _change(self, spoken: str) -> bool:
        """Return whether nothing is left to be done."""
        try:
            is_done = self.change()
        except ModelMissing as error:
            self.notify(f"group {self.group_id} is in {spoken}, but {error}")
            return True
        if is_done:
            self.notify(f"group {self.group_id} is in {spoken}, so it has the embedder multilingual-e5 from now on")
        return is_done
