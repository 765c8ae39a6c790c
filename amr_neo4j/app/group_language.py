"""Gives a group that does not speak English the embedder for many languages (decision 0169)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock

from amr_neo4j.domain.ports import Notify
from amr_neo4j.errors import ModelMissing, StoreError, StoreUnavailable

FIRST = 20
"""How many turns of a user, or events of a group, the language is told from."""
AT_ONCE = 500
"""Texts that are embedded anew after a commit, or before a question is answered. They take about a second."""
_LEAST_CHARACTERS, _MOST_CHARACTERS = 100, 4_000


@dataclass
class GroupLanguage:
    """Looks at the first turns of each user and the first events of one group, and at the language of questions.

    is_english: returns whether the embedder in use is the one for English.
    language: of the settings.
    texts: returns the first turns of a user, of an empty user_id the first events; at most FIRST.
    language_of: returns the code of the language of a text.
    change: embeds AT_ONCE texts of the group with the embedder for many languages; returns whether these were the
        last, and the group has that embedder now. Raises ModelMissing.
    left: returns how many texts are still to be embedded by it.
    """

    group_id: str
    is_english: Callable[[], bool]
    language: str
    texts: Callable[[str, int], Sequence[str]]
    language_of: Callable[[str], str]
    change: Callable[[], bool]
    left: Callable[[], int]
    notify: Notify
    _english: set[str] = field(default_factory=set[str])
    _other: str = ""
    _is_settled: bool = False
    _is_told: bool = False
    _looking: Lock = field(default_factory=Lock)

    def look(self, *user_ids: str) -> None:
        """Look at users some turns of whom were just committed; without one, at events.

        Raises StoreError, but not in an outage.
        """
        # If the database is away, nothing is lost: the turns are committed, and the next commit looks again.
        with self._looking, suppress(StoreUnavailable):
            if self._is_settled or not self.is_english():
                self._is_settled = True
                return
            for user_id in set(user_ids or [""]) - self._english:
                if self._other:
                    break
                texts = self.texts(user_id, FIRST)
                spoken = self.language if self.language != "en" else self._spoken("\n".join(texts))
                if spoken not in ("", "en"):
                    self._other = spoken
                elif len(texts) >= FIRST:
                    self._english.add(user_id)
            if self._other:
                self._is_settled = self._change(self._other)

    def note_question(self, code: str) -> None:
        """Note that a question about footage came in another language, because the embedder for English finds little
        then.

        The question waits while texts are embedded, because it is answered better afterwards. No error of the
        database or of a missing model is raised: the question is then answered with the embedder at hand.
        """
        with self._looking:
            if self._is_settled or not self.is_english():
                return
            self._other = self._other or code
            try:
                self._is_settled = self._change(self._other)
            except StoreUnavailable:
                return
            except StoreError as error:
                self._is_settled = True
                self.notify(f"group {self.group_id} keeps its embedder for English: {error}")

    def _spoken(self, text: str) -> str:
        """Return the language of a text; an empty one if it is too short to tell."""
        return self.language_of(text[:_MOST_CHARACTERS]) if len(text) >= _LEAST_CHARACTERS else ""

    def _change(self, spoken: str) -> bool:
        """Return whether nothing is left to be done."""
        try:
            is_done = self.change()
        except ModelMissing as error:
            self.notify(f"group {self.group_id} has texts or questions in {spoken}, but {error}")
            return True
        why = f"group {self.group_id} has texts or questions in {spoken}"
        if is_done:
            self.notify(f"{why}, so it has the embedder multilingual-e5 from now on")
        elif not self._is_told:
            left = self.left()
            self.notify(
                f"{why}, so multilingual-e5 embeds its texts anew: {left:,} are left, {AT_ONCE} after each commit"
                " or before such a question, which take about a second; or all at once: amr index reembed with the"
                " setting embedder: multilingual-e5"
            )
            self._is_told = True
        return is_done
