"""A clip is played to its end in a window, by the real ffplay on a display that shows nothing."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from amr_neo4j.errors import ToolError
from amr_neo4j.media.excerpts import play
from tests.support.films import make, source


@pytest.fixture
def dummy_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")


@pytest.mark.usefixtures("dummy_display")
def test_a_clip_is_played_to_its_end(tmp_path: Path) -> None:
    film = make(tmp_path / "film.mp4", *source("color=red:s=64x64:r=25:d=0.2"))
    begun = monotonic()
    play(film, "event 1: -autoexit")
    assert monotonic() - begun >= 0.2


def test_without_a_display_the_error_says_what_to_do_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(ToolError, match=r"cannot be played.*--clip FILE"):
        play(make(tmp_path / "film.mp4", *source("color=red:s=64x64:r=25:d=0.2")), "event 1")


def test_without_ffplay_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"ffplay is not installed.*--clip FILE"):
        play(tmp_path / "film.mp4", "event 1")
