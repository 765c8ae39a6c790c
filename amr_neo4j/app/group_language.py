"""Gives a group that does not speak English the embedder for many languages (decision 0169)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from amr_neo4j.domain.ports import Notify
from amr_neo4j.errors import ModelMissing

FIRST = 20
"""So many turns and events of a group show its language."""
MOST = 2_000
"""A group with more texts is not embedded anew while somebody waits."""
_LEAST_CHARACTERS, _MOST_CHARACTERS = 100, 4_000


@dataclass
class GroupLanguage:
    """Looks at the first turns and events of one group.

    is_english: whether the embedder in use is the one for English.
    language: of the settings. texts: returns the first texts of a kind, at most so many.
    language_of: returns the code of the language of a text.
    change: embeds the group with the embedder for many languages, unless there are more texts than the argument says;
        returns how many there are. Raises ModelMissing.
    """

    is_english: Callable[[], bool]
    language: str
    texts: Callable[[Literal["event", "episode"], int], Sequence[str]]
    language_of: Callable[[str], str]
    change: Callable[[int], int]
    notify: Notify
    _decided: set[str] = field(default_factory=set[str])
    _looking: Lock = field(default_factory=Lock)

    def look(self, kind: Literal["event", "episode"]) -> None:
        """Look at the texts of a kind, some of which were just committed. Raises StoreError."""
        with self._looking:
            if kind in self._decided:
                return
            if not self.is_english():
                self._decided.add(kind)
                return
            texts = self.texts(kind, FIRST)
            spoken = self.language if self.language != "en" else self._spoken("\n".join(texts))
            is_other = spoken not in ("", "en")
            if is_other:
                self._change(spoken)
            if is_other or len(texts) >= FIRST:
                self._decided.add(kind)

    def _spoken(self, text: str) -> str:
        """Return the language of a text; an empty one if it is too short to tell."""
        return self.language_of(text[:_MOST_CHARACTERS]) if len(text) >= _LEAST_CHARACTERS else ""

    def _change(self, spoken: str) -> None:
        embedder = "the embedder multilingual-e5"
        try:
            count = self.change(MOST)
        except ModelMissing as error:
            self.notify(f"the group's language is {spoken}, which needs {embedder}: {error}")
            return
        if count > MOST:
            how = "AMR_EMBEDDER=multilingual-e5 amr index reembed"
            self.notify(f"the group's language is {spoken}, for which {embedder} finds more: run {how}")
        else:
            self.notify(f"the group's language is {spoken}, so it has {embedder} from now on")
