"""What the tool `remember` and the command line say of a turn: whom it may mean, and whether it may be an order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from amr_neo4j import LiveTurn
from amr_neo4j.cli.chat import _show_live_turn
from amr_neo4j.domain.fact import TurnContext
from amr_neo4j.integrations.toolset import Tools
from amr_neo4j.turn_reader.understand import read_by_rules

# Of each language: two people, a turn about one of them, and the word that may mean either.
UNCLEAR = {
    "en": ("Last night I met my cousin Paul and my uncle Fred.", "He lives in Hull.", "he"),
    "de": ("Gestern traf ich meinen Cousin Paul und meinen Onkel Fred.", "Er wohnt in Kiel.", "er"),
    "fr": ("Hier j'ai vu mon cousin Paul et mon oncle Fred.", "Il habite à Lyon.", "il"),
    "es": ("Ayer vi a mi primo Paul y a mi tío Fred.", "Él vive en Vigo.", "el"),
    "it": ("Ieri ho visto mio cugino Paul e mio zio Fred.", "Lui vive a Pisa.", "lui"),
}


def remembered(turn: LiveTurn) -> dict[str, Any]:
    memory: Any = SimpleNamespace(chat=lambda session_id: SimpleNamespace(observe=lambda text, **given: turn))
    return Tools(memory).remember("said")


@pytest.mark.parametrize("code", UNCLEAR)
def test_whom_a_turn_may_mean_is_told(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    before, said, pronoun = UNCLEAR[code]
    turn = LiveTurn("e", read_by_rules(said, code, TurnContext((before,))))
    assert remembered(turn)["unclear"] == [f"{pronoun}: paul or fred"]
    assert remembered(turn)["facts"] == []
    _show_live_turn(turn)
    assert f"  ? {pronoun}: may be paul or fred; nothing is believed of any of them\n" in capsys.readouterr().out


def test_a_turn_that_may_be_an_order_to_a_model_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    turn = LiveTurn("e", None, suspected_injection=True)
    assert remembered(turn)["suspected_injection"] is True
    assert "suspected_injection" not in remembered(LiveTurn("e", None))
    _show_live_turn(turn)
    assert capsys.readouterr().out.startswith("  ! reads like an instruction to a model")
    _show_live_turn(LiveTurn("e", None))
    assert "instruction" not in capsys.readouterr().out
