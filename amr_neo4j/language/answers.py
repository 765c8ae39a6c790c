"""Writes sentences of answers about conversations from a table per language. The grammar writes all other
sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from amr_neo4j.domain.episode import DEFAULT_ACTOR
from amr_neo4j.domain.event import Event
from amr_neo4j.language.grammar import Grammar
from amr_neo4j.language.values import StatedValue
from amr_neo4j.tables import Table


class AnswerTable(Table):
    """answers.yaml: one sentence or clause for each method of `Grammar` that it replaces.

    months: the names of the months.
    own_turn: the sentence for a turn whose speaker has no name but the default.
    quoted, or: how a list of words is written.
    A sentence named ..._of quotes words of the question; one named ..._then is for a question with a time.
    function: words of a question that do not say what is asked for.
    """

    months: tuple[str, ...]
    when: str
    said: str
    seen: str
    turn: str
    own_turn: str
    hardly_believed: str
    quoted: str
    or_: str
    not_found: str
    not_found_then: str
    not_found_of: str
    in_doubt: str
    in_doubt_of: str
    words_not_found: str
    not_stated: str
    not_stated_of: str
    replaced: str
    stated_before: str
    function: frozenset[str]


class AnswerGrammar(Grammar):
    """Writes the sentences of a table, and English ones where the table has none."""

    def __init__(self, table: AnswerTable) -> None:
        self._table = table

    def not_found(self, missing_words: Sequence[str] = (), *, in_time_span: bool = False) -> str:
        """Report that nothing answers the question. missing_words: words of it that memory does not have."""
        if missing_words:
            return self._table.not_found_of.format(words=self._listed(missing_words))
        return self._table.not_found_then if in_time_span else self._table.not_found

    def in_doubt(self, missing_words: Sequence[str] = (), attribute: str = "") -> str:
        """Warn that the event that follows is only the closest, and may not answer the question."""
        return self._about(self._table.in_doubt, self._table.in_doubt_of, missing_words)

    def words_not_found(self, words: Sequence[str]) -> str:
        """Warn that the event found has none of these words of the question."""
        return self._table.words_not_found.format(words=self._listed(words))

    def not_stated(self, words: Sequence[str] = (), attribute: str = "") -> str:
        """Report that memory does not state what is asked. The closest event follows."""
        return self._about(self._table.not_stated, self._table.not_stated_of, words)

    def when(self, event: Event) -> str:
        """Return when a turn was said, by calendar and clock. The time of a video event is written in English."""
        if not (event.turn and event.at):
            return super().when(event)
        return self._table.when.format(**self._date(event.at), time=f"{event.at:%H:%M %Z}")

    def believed_at(self, fact: str, event: Event) -> str:
        """Return a fact with the time when it was stated."""
        sentence = self._table.said if event.turn else self._table.seen
        return sentence.format(fact=fact, when=self.when(event))

    def hardly_believed(self) -> str:
        """Warn that the fact that follows was hedged, or was said long ago and not since."""
        return self._table.hardly_believed

    def turn_at(self, event: Event, speaker: str, words: str) -> str:
        """Return when a turn was spoken, by whom, and its words."""
        sentence = self._table.own_turn if speaker == DEFAULT_ACTOR else self._table.turn
        return sentence.format(when=self.when(event), speaker=speaker, words=words)

    def stated_moment(self, time: StatedValue, event: Event, speaker: str, words: str) -> str:
        """Return a time that a turn states, followed by the turn."""
        return f"{time.words}: {self.turn_at(event, speaker, words)}"

    def replaced(self, event: Event, citation: str, since: datetime) -> str:
        """Say that the answer replaced an earlier turn, and since when."""
        return self._table.replaced.format(when=self.when(event), before=citation, **self._date(since))

    def stated_before(self, event: Event, citation: str) -> str:
        """Say that an older turn stated another value."""
        return self._table.stated_before.format(when=self.when(event), before=citation)

    def _about(self, plain: str, of_words: str, words: Sequence[str]) -> str:
        return of_words.format(words=self._listed(words)) if words else plain

    def _listed(self, words: Sequence[str]) -> str:
        return self._table.or_.join(self._table.quoted.format(word=word) for word in dict.fromkeys(words))

    def _date(self, at: datetime) -> dict[str, str | int]:
        return {"day": at.day, "month": self._table.months[at.month - 1], "year": at.year}
