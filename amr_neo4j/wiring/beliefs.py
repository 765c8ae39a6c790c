"""Finds the believed facts of a user that answer a question."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.recalled import Recalled
from amr_neo4j.hotpath.answering import FactQuestion, language_of
from amr_neo4j.language.registry import bullets
from amr_neo4j.store.read.fact_search import FactSearch

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

# As a search that is asked for (specification 002 3).
_LEAST = 0.3
_MOST = 50


class UserBeliefs:
    """As domain.recalled.Beliefs, from the facts in the graph."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def answering(self, question: str, scope: Scope) -> list[Recalled]:
        """As domain.recalled.Beliefs. None where the scope names sessions, persons, a beginning or what was known."""
        if not scope.has_turns or scope.session_ids or scope.persons or scope.since or scope.known_at:
            return []
        ends = [moment for moment in (scope.as_of, scope.until) if isinstance(moment, datetime)]
        as_of = min(ends, default=None)
        codes = [code.strip() for code in self._parts.settings.hot_languages.split(",") if code.strip()]
        tables = {code: bullets(code) for code in codes}
        code = language_of(question, tables)
        asked = FactQuestion.of(question, scope.user_id, code, tables[code], then=as_of is not None)
        if not asked.subjects or not asked.relations:
            return []
        facts = FactSearch(self._parts.database, scope.group_id, scope.user_id)
        least = _LEAST if as_of is None else 0.0
        return asked.answered_by(facts.about(asked.subjects, asked.relations, least, _MOST, as_of))
