"""Finds the believed facts of a user that answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from amr_neo4j.domain.fact import SPEAKER
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.recalled import Recalled
from amr_neo4j.hotpath.answering import FactQuestion, language_of
from amr_neo4j.language.registry import bullets, fact_rules
from amr_neo4j.store.read.fact_search import FactSearch

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

# As a search that is asked for (specification 002 3).
_LEAST = 0.3
_MOST = 50


class UserBeliefs:
    """As domain.recalled.Beliefs, from the facts in the graph."""

    def __init__(self, parts: Parts, called: str = "") -> None:
        """called: what a question calls the user, their own name unless given."""
        self._parts, self._called = parts, called

    def answering(self, question: str, scope: Scope) -> list[Recalled]:
        """As domain.recalled.Beliefs. None where the scope names sessions, persons, a beginning or what was known."""
        if scope.session_ids or scope.persons or scope.since or scope.known_at:
            return []
        ends = [moment for moment in (scope.as_of, scope.until) if isinstance(moment, datetime)]
        as_of = min(ends, default=None)
        asked = self._asked(question, scope, then=as_of is not None)
        if asked is None:
            return []
        facts, within = self._facts(scope), (_LEAST if as_of is None else 0.0, _MOST, as_of)
        if asked.roles:
            named = facts.about([SPEAKER], asked.roles, *within)
            asked = asked.knowing(fact.triple for fact in named if fact.triple)
        return asked.answered_by(facts.about(asked.subjects, asked.relations, *within))

    def stated_of_others(self, question: str, turns: Sequence[int], scope: Scope) -> set[int]:
        """As domain.recalled.Beliefs."""
        asked = self._asked(question, scope)
        if asked is None:
            return set()
        slots = (asked.subjects, asked.relations, asked.names_of_others)
        return self._facts(scope).turns_of_others(turns, *slots)

    def _asked(self, question: str, scope: Scope, *, then: bool = False) -> FactQuestion | None:
        """The question to the facts of the scope's user; None where it asks for no relation of a fact."""
        if not scope.has_turns:
            return None
        codes = [code.strip() for code in self._parts.settings.hot_languages.split(",") if code.strip()]
        tables = {code: bullets(code) for code in codes}
        code = language_of(question, tables)
        called = self._called or scope.user_id
        asked = FactQuestion.of(question, called, code, tables[code], fact_rules(code), then=then)
        return asked if asked.subjects and asked.relations else None

    def _facts(self, scope: Scope) -> FactSearch:
        return FactSearch(self._parts.database, scope.group_id, scope.user_id)
