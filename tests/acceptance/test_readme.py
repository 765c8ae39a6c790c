"""The README shows the program's answers, word for word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from amr_neo4j import Memory

README = Path(__file__).parents[2] / "README.md"
SHOWN = re.findall(r"^\? (.+)\n(.+)$", README.read_text(encoding="utf-8"), re.MULTILINE)


def _without_ids(text: str) -> str:
    """Event numbers depend on what else the database holds."""
    return re.sub(r"event \d+", "event", text)


def test_the_readme_shows_answers() -> None:
    assert len(SHOWN) >= 2


@pytest.mark.parametrize(("question", "answer"), SHOWN)
def test_the_answers_in_the_readme_are_the_printed_ones(memory: Memory, question: str, answer: str) -> None:
    assert _without_ids(memory.ask(question).text) == _without_ids(answer)
