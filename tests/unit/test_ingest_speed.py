"""The arguments of the ingest benchmark."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.ingest_speed import MARK, main


@pytest.mark.parametrize("events", [-1, MARK, 2 * MARK])
def test_too_few_events_for_both_ends_are_refused(
    events: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["ingest_speed", str(tmp_path), "--uri", "bolt://127.0.0.1:1", f"--flat={events}"]
    )
    with pytest.raises(SystemExit):
        main()
    assert "--flat: more than 20,000 events" in capsys.readouterr().err
