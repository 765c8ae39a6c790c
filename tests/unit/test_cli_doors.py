"""What the command is given and no graph can store: refused in a line with advice, before anything is opened."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from amr_neo4j.cli.chat import _typed_lines
from amr_neo4j.domain.episode import LONGEST_TURN
from tests.support.amr_command import Amr


@pytest.fixture
def amr(tmp_path: Path) -> Amr:
    return Amr({"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "x", "AMR_DATA_DIR": str(tmp_path)})


@pytest.mark.parametrize(
    "at",
    [
        "2026-03-01T09:00:00+01:02:03",
        "2026-03-01T09:00:00+23:59",
        "0001-01-01T00:00:00+05:00",
        "9999-12-31T23:59:00-05:00",
    ],
)
def test_a_time_that_the_graph_cannot_store(amr: Amr, at: str) -> None:
    assert at in amr.refused("chat", "say", "hi", "--session", "s", "--user", "anna", "--at", at, code=65)
    assert at in amr.refused("ask", "Where?", "--since", at, code=65)
    assert at in amr.refused("ingest", "film.mp4", "--recorded-at", at, code=65)


@pytest.mark.parametrize("seconds", ["9" * 400, "9" * 400 + ":00", "9" * 5000 + ":00:00"])
def test_seconds_without_an_end(amr: Amr, seconds: str) -> None:
    assert "not a point in time" in amr.refused("ask", "Where?", "--since", seconds, code=65)


@pytest.mark.parametrize(
    "command", [["ask", "a\udcff"], ["chat", "say", "\udcff", "--session", "s"], ["--group", "\udcff", "stats"]]
)
def test_bytes_that_are_no_text(amr: Amr, command: list[str]) -> None:
    assert "is not valid UTF-8" in amr.refused(*command, code=65)


def test_a_typed_line_of_50_mb_is_cut_to_what_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "typed").write_text(f"Hi.\n{'x' * 50_000_000}\nBye.")
    with (tmp_path / "typed").open() as typed:
        monkeypatch.setattr("sys.stdin", typed)
        tracemalloc.start()
        try:
            first, long, last = _typed_lines(prompt=False)
            assert tracemalloc.get_traced_memory()[1] < 10e6
        finally:
            tracemalloc.stop()
    assert (first, last) == ("Hi.", "Bye.")
    assert LONGEST_TURN < len(long) < 2 * LONGEST_TURN
