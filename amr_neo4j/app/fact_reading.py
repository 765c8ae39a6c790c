"""Applies the reading rules of live conversations to turns that are in the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from amr_neo4j.domain.belief import HeardTurn
from amr_neo4j.domain.episode import spoken_text
from amr_neo4j.domain.fact import SPEAKER, FactChange, Intent, TurnContext, Understood, changes_of
from amr_neo4j.domain.mention import Window
from amr_neo4j.domain.ports import StatementReader
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.language.languages import language

if TYPE_CHECKING:
    from amr_neo4j.turn_reader.detect import LanguageDetector
    from amr_neo4j.turn_reader.understand import Understander


def _by_rules() -> StatementReader:
    from amr_neo4j.turn_reader.understand import read_by_rules  # noqa: PLC0415 (loads the tables)

    return read_by_rules


class RuleReader:
    """Reads what turns state, as live conversations do. The first turn loads the rules."""

    def __init__(
        self, languages: Sequence[str], speakers: Speakers, read: Callable[[], StatementReader] = _by_rules
    ) -> None:
        """languages: codes. Languages without rules for facts are ignored.

        read: opens what reads a turn.
        """
        self._codes = languages
        self._speakers = speakers
        self._read_statements = read

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages that have rules for facts. Looking loads their tables."""
        return tuple(code for code in self._codes if language(code).facts)

    def understand(self, turn: HeardTurn, user_id: str, *, by_rules: bool = False) -> Understood:
        """Return what a turn says about the user and others; nothing for a turn of a program.

        by_rules: without a network, where one is installed.
        """
        subject = self._speakers.subject(turn.actor, user_id)
        context = TurnContext(turn.before, is_apart=turn.is_apart)
        return self._read(subject, turn.text, context, by_rules=by_rules).said_by(subject)

    def changes(self, turn: HeardTurn, user_id: str, *, by_rules: bool = False) -> tuple[FactChange, ...]:
        """Return the facts that a turn states or takes back."""
        return _changes(turn, self.understand(turn, user_id, by_rules=by_rules))

    def read(self, window: Window) -> tuple[Understood, tuple[FactChange, ...]]:
        """Return what the last turn of a window says, and the facts that it changes. A JSON episode says nothing.

        The speaker of what it says is SPEAKER, whoever it is; in the facts, it is a name.
        """
        now, session = window.now, window.now.session
        before = [each.content for each in window.episodes[:-1] if each.actor_id == now.actor_id]
        subject = self._speakers.subject(now.actor, session.user_id) if now.type != "JSON" else ""
        is_apart = any(each.actor_id != now.actor_id for each in window.episodes[-2:-1])
        understood = self._read(subject, now.content, TurnContext(before, is_apart=is_apart))
        turn = HeardTurn(
            number=0,
            episode_id=now.episode_id,
            session_id=session.session_id,
            actor=now.actor,
            actor_id=now.actor_id,
            text=now.content,
            at=now.valid_at,
            states=False,
        )
        return understood, _changes(turn, understood.said_by(subject))

    def continues(self, before: str, turn: str) -> bool:
        """Return whether a turn is the second half of a sentence. before: the turn before it, of the same speaker."""
        from amr_neo4j.turn_reader.understand import goes_on, may_be_cut  # noqa: PLC0415 (loads the tables)

        if not self.languages or not may_be_cut(before):
            return False
        return goes_on(before, turn, self._detector.detect(turn, [before]))

    @cached_property
    def _detector(self) -> LanguageDetector:
        from amr_neo4j.turn_reader.detect import LanguageDetector  # noqa: PLC0415 (as above)

        return LanguageDetector(self.languages)

    def is_users(self, turn: HeardTurn, user_id: str) -> bool:
        """Return whether the user said a turn."""
        return self._speakers.subject(turn.actor, user_id) == SPEAKER

    def _read(self, subject: str, text: str, context: TurnContext, *, by_rules: bool = False) -> Understood:
        """Return what a turn says; nothing without a subject."""
        if not subject or not self.languages:
            return _NOTHING
        return self._understander.understand(text, context, by_rules=by_rules)

    @cached_property
    def _understander(self) -> Understander:
        from amr_neo4j.turn_reader.understand import Understander  # noqa: PLC0415 (compiles the tables)

        return Understander(self.languages, read=self._read_statements())


_NOTHING = Understood("", Intent.OTHER)


def _changes(turn: HeardTurn, understood: Understood) -> tuple[FactChange, ...]:
    """Return the facts that a turn takes back and then those it states."""
    # With the speaker's name, because a fact that somebody else than the user states is about that speaker.
    text = spoken_text(turn.actor, turn.text, "")
    return changes_of(
        understood,
        at=turn.at,
        said=turn.at.timestamp(),
        sentence=lambda triple: language(understood.language).bullets.bullet(triple, text),
        session_id=turn.session_id,
    )
