"""A relation that a turn states is shown with the turn's own words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from amr_neo4j.app.passive_recall import _line
from amr_neo4j.domain.event import Event, Turn
from amr_neo4j.domain.mention import Stated
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Path, Recalled
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.answer.from_facts import stated_claims
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.retrieve.candidate import Candidate

WROTE = Stated(1, "WROTE", "George Orwell", "Animal Farm")


def shown(words: str) -> str:
    said = Turn("e1", "s", 1, "t1", "user")
    event = Event(1, "g", "s", (), 0, 0.0, 1.0, f"user: {words}", turn=said, at=datetime(2026, 1, 5, tzinfo=UTC))
    turn = Candidate(event, Path((1,), (), 0.0), score=1.0, language=ENGLISH)
    [claim] = stated_claims(parse_question("Who wrote Animal Farm?", Names(), ENGLISH), [WROTE], lambda ids: [turn])
    return claim.text


def test_a_long_turn_is_cut_at_a_word() -> None:
    assert shown("Orwell wrote Animal Farm " + "and more " * 40).endswith(" and…”")


@pytest.mark.parametrize("words", ["x" * 300, "動物農場は" * 60])
def test_words_without_a_space_are_cut_anywhere(words: str) -> None:
    assert words[:150] in shown(words)
    assert words[:150] in _line(Recalled("turn", words * 10, 0.8, None, None))
