"""Applies the reading rules of live conversations to turns that are in the graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from amr_neo4j.domain.belief import HeardTurn
from amr_neo4j.domain.fact import NOT_PERSONS, FactChange, Intent, Triple, TurnContext, Understood
from amr_neo4j.domain.mention import Window
from amr_neo4j.facts.turn_changes import changes
from amr_neo4j.language.languages import language

if TYPE_CHECKING:
    from amr_neo4j.turn_reader.understand import Understander


class RuleReader:
    """Reads what turns state, by the rules of live conversations. The first turn loads the rules."""

    def __init__(self, languages: str) -> None:
        """languages: codes with commas between. Languages without rules for facts are ignored."""
        codes = (code.strip() for code in languages.split(","))
        self.languages = tuple(code for code in codes if language(code).facts)

    def understand(self, actor: str, text: str, before: Sequence[str] = ()) -> Understood:
        """Return what a turn says. A turn of an assistant says nothing.

        before: earlier turns of the same speaker, oldest first.
        """
        if actor.casefold() in NOT_PERSONS or not self.languages:
            return _NOTHING
        return self._understander.understand(text, TurnContext(before))

    def changes(self, turn: HeardTurn, user_id: str) -> tuple[FactChange, ...]:
        """Return the facts that a turn states or takes back."""
        return changes(turn, self.understand(turn.actor, turn.text, turn.before), _sentence, user_id)

    def read(self, window: Window) -> tuple[Understood, tuple[FactChange, ...]]:
        """Return what the last turn of a window says, and the facts that it changes. A JSON episode says nothing."""
        now = window.now
        before = [each.content for each in window.episodes[:-1] if each.actor_id == now.actor_id]
        understood = self.understand(now.actor, now.content, before) if now.type != "JSON" else _NOTHING
        session = now.session
        turn = HeardTurn(
            0, now.episode_id, session.session_id, now.actor, now.actor_id, now.content, now.valid_at, states=False
        )
        return understood, changes(turn, understood, _sentence, session.user_id)

    @cached_property
    def _understander(self) -> Understander:
        from amr_neo4j.turn_reader.understand import Understander  # noqa: PLC0415 (compiles the tables)

        return Understander(self.languages)


_NOTHING = Understood("", Intent.OTHER)


def _sentence(code: str, triple: Triple, said: str) -> str:
    return language(code).bullets.bullet(triple, said)
