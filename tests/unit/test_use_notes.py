"""What is noted of facts that are asked for, and of searches of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from amr_neo4j.app import use_notes
from amr_neo4j.app.use_notes import UseNotes
from amr_neo4j.domain.belief import ShownFact
from amr_neo4j.domain.recall import Recalled
from amr_neo4j.errors import StoreUnavailable

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TEA = Recalled("fact", "You like tea", 0.7, NOW, None, fact_id="tea")
TURN = Recalled("turn", "anna: hi", 0.7, NOW, None)


def test_notes_are_written_together_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[str, str, dict[str, int], list[ShownFact]]] = []

    def write(group_id: str, user_id: str, counts: Mapping[str, int], shown: Sequence[ShownFact]) -> None:
        written.append((group_id, user_id, dict(counts), list(shown)))

    notes = UseNotes(write, lambda: NOW)
    notes.asked("home", "anna", [TEA, TURN])
    notes.asked("home", "anna", [TEA])
    notes.asked("home", "", [TEA])
    notes.searched("home", "anna", found=True)
    notes.searched("home", "anna", found=False)
    assert not written
    notes.flush()
    notes.flush()
    counts = {"searched": 2, "search_helped": 1}
    assert written == [("home", "anna", counts, [ShownFact("tea", NOW, asked=True)])]
    monkeypatch.setattr(use_notes, "_EVERY", 0.0)
    notes.asked("home", "ben", [TEA])
    assert written[1][1] == "ben"


def test_a_note_that_cannot_be_written_fails_nothing() -> None:
    def away(*_: object) -> None:
        raise StoreUnavailable("away")

    notes = UseNotes(away, lambda: NOW)
    notes.asked("home", "anna", [TEA])
    notes.flush()
