"""Sentences of answers about conversations, from a table per language; the others are the grammar's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from amr_neo4j.domain.episode import DEFAULT_ACTOR
from amr_neo4j.domain.event import Event
from amr_neo4j.language.grammar import Grammar
from amr_neo4j.language.values import StatedValue
from amr_neo4j.tables import Table


class AnswerTable(Table):
    """answers.yaml: a sentence or clause for each function of `Grammar` that it replaces.

    months: their names. own_turn: of a turn whose speaker has no other name. quoted, or: how words are listed. Names
    in _of have words of the question, in _then a time. function: the words of questions that say nothing of what is
    asked for.
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
    """The sentences of a table, and English ones for all else."""

    def __init__(self, table: AnswerTable) -> None:
        self._table = table

    def not_found(self, missing_words: Sequence[str] = (), *, in_time_span: bool = False) -> str:
        """Reports that nothing answers the question. missing_words: its words that memory does not have."""
        if missing_words:
            return self._table.not_found_of.format(words=self._listed(missing_words))
        return self._table.not_found_then if in_time_span else self._table.not_found

    def in_doubt(self, missing_words: Sequence[str] = (), attribute: str = "") -> str:
        """Caveat: the closest event follows, which may not answer."""
        return self._about(self._table.in_doubt, self._table.in_doubt_of, missing_words)

    def words_not_found(self, words: Sequence[str]) -> str:
        """Caveat: the event found has none of these words of the question."""
        return self._table.words_not_found.format(words=self._listed(words))

    def not_stated(self, words: Sequence[str] = (), attribute: str = "") -> str:
        """Reports that memory does not state what is asked; the closest event follows."""
        return self._about(self._table.not_stated, self._table.not_stated_of, words)

    def when(self, event: Event) -> str:
        """When a turn was said, by calendar and clock; of a video in English."""
        if not (event.turn and event.at):
            return super().when(event)
        return self._table.when.format(**self._date(event.at), time=f"{event.at:%H:%M %Z}")

    def believed_at(self, fact: str, event: Event) -> str:
        """A fact that was stated, and when."""
        sentence = self._table.said if event.turn else self._table.seen
        return sentence.format(fact=fact, when=self.when(event))

    def hardly_believed(self) -> str:
        """Caveat: a fact follows that was hedged, or that was said long ago and not again."""
        return self._table.hardly_believed

    def turn_at(self, event: Event, speaker: str, words: str) -> str:
        """When a turn of a conversation was spoken, by whom, and its words."""
        sentence = self._table.own_turn if speaker == DEFAULT_ACTOR else self._table.turn
        return sentence.format(when=self.when(event), speaker=speaker, words=words)

    def stated_moment(self, time: StatedValue, event: Event, speaker: str, words: str) -> str:
        """A time that a turn states, and the turn."""
        return f"{time.words}: {self.turn_at(event, speaker, words)}"

    def replaced(self, citation: str, since: datetime) -> str:
        """That the answer replaced what was said before, and since when."""
        return self._table.replaced.format(before=citation, **self._date(since))

    def stated_before(self, citation: str) -> str:
        """That another value was stated before."""
        return self._table.stated_before.format(before=citation)

    def _about(self, plain: str, of_words: str, words: Sequence[str]) -> str:
        return of_words.format(words=self._listed(words)) if words else plain

    def _listed(self, words: Sequence[str]) -> str:
        return self._table.or_.join(self._table.quoted.format(word=word) for word in dict.fromkeys(words))

    def _date(self, at: datetime) -> dict[str, str | int]:
        return {"day": at.day, "month": self._table.months[at.month - 1], "year": at.year}
