"""Spooled analyses: returned unchanged for an equal request, until the graph has them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.video import AnalysedClip, Video
from amr_neo4j.errors import NoSpace, SpoolUnusable
from amr_neo4j.spool.clips import ClipSpool
from tests.support.analyses import analyses
from tests.support.examples import examples
from tests.support.spooled_clips import VIDEO, clip

VOICES = {"voice 1": [0.1, -0.25]}


@contextmanager
def spool(folder: Path) -> Iterator[ClipSpool]:
    opened = ClipSpool(folder / "clips.sqlite")
    yield opened
    opened.close()


Spoil = Callable[[dict[str, Any]], object]


def change(kept: ClipSpool, how: Spoil) -> None:
    """The row of the one clip, as another program or version would have written it."""
    [(text,)] = kept.rows("SELECT said FROM analysed")
    said = json.loads(text)
    how(said)
    with kept.transaction() as db:
        db.execute("UPDATE analysed SET said = ?", (json.dumps(said),))


@examples(push=10, soak=300)
@given(said=analyses())
def test_an_analysis_is_stored_unchanged(said: dict[str, object]) -> None:
    """Any analysis, to the last digit and letter, with usage and voices; also from another process's file."""
    with tempfile.TemporaryDirectory() as folder:
        with spool(Path(folder)) as first:
            first.keep(clip(said=said, voices=VOICES))
        with spool(Path(folder)) as second:
            assert second.kept(VIDEO, "vision", "gemini") == {"sha-0": clip(said=said, voices=VOICES)}


@pytest.mark.parametrize(
    ("video", "model"),
    [
        (replace(VIDEO, group_id="other"), ("vision", "gemini")),
        (replace(VIDEO, video_id="other"), ("vision", "gemini")),
        (VIDEO, ("vision", "gpt")),
        (VIDEO, ("local", "gemini")),
    ],
)
def test_an_analysis_is_returned_only_for_the_same_request(
    video: Video, model: tuple[str, str], tmp_path: Path
) -> None:
    with spool(tmp_path) as kept:
        kept.keep(clip())
        assert kept.kept(video, *model) == {}


def test_committed_analyses_are_removed(tmp_path: Path) -> None:
    """Of any analyser and content: the clip is committed. Others stay."""
    with spool(tmp_path) as kept:
        for each in (clip(0), clip(0, model="gpt"), clip(0, content_sha256="other"), clip(1)):
            kept.keep(each)
        assert kept.waiting("home") == {"hall": 2}
        kept.remove("home", "hall", "c0")
        assert kept.kept(VIDEO, "vision", "gemini") == {"sha-1": clip(1)}
        assert (kept.waiting("home"), kept.waiting("other")) == ({"hall": 1}, {})


def test_what_the_graph_refuses_is_set_apart_with_its_reason(tmp_path: Path) -> None:
    """It is neither handed out nor counted as waiting, nor in another clip's way; analysed again it counts."""
    with spool(tmp_path) as kept:
        for number in (0, 1):
            kept.keep(clip(number))
        kept.refuse("home", "hall", "c0", "a lone surrogate")
        assert kept.kept(VIDEO, "vision", "gemini") == {"sha-1": clip(1)}
        assert (kept.waiting("home"), kept.refused("other")) == ({"hall": 1}, [])
        assert kept.refused("home") == [("hall", "c0", "a lone surrogate")]
        kept.keep(clip(0))
        assert (kept.waiting("home"), kept.refused("home")) == ({"hall": 2}, [])


def test_the_last_analysis_of_a_request_counts(tmp_path: Path) -> None:
    with spool(tmp_path) as kept:
        kept.keep(clip())
        kept.keep(clip(said={"clip_summary": "better", "events": []}))
        assert kept.kept(VIDEO, "vision", "gemini")["sha-0"].analysis.clip_summary == "better"
        assert kept.waiting("home") == {"hall": 1}


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    with spool(tmp_path) as kept:
        kept.keep(clip(0))
        pages = kept.db.execute("PRAGMA page_count").fetchone()[0]
        kept.db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(NoSpace, match="analyses of clips"):
            kept.keep(clip(1, said={"clip_summary": "long " * 10_000, "events": []}))
        assert list(kept.kept(VIDEO, "vision", "gemini")) == ["sha-0"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda said: said.pop("analysis"),
        lambda said: said["analysis"].pop("events"),
        lambda said: said["clip"].update(t_end=-1.0),
        lambda said: said.update(usage=None),
        lambda said: said["analysis"].update(mood="of another version"),
    ],
)
def test_an_unreadable_row_is_reported_once_and_skipped(spoil: Spoil, tmp_path: Path) -> None:
    said: list[str] = []
    with closing(ClipSpool(tmp_path / "clips.sqlite", said.append)) as kept:
        kept.keep(clip(0))
        change(kept, spoil)
        kept.keep(clip(1))
        assert kept.kept(VIDEO, "vision", "gemini") == {"sha-1": clip(1)}
        assert said == ["stored analyses of 1 clips of hall cannot be read; they are analysed again"]
        kept.keep(clip(0))
        assert kept.kept(VIDEO, "vision", "gemini") == {"sha-0": clip(0), "sha-1": clip(1)}


def test_a_foreign_file_is_named_and_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "clips.sqlite"
    file.write_bytes(b"x" * 5000)
    with pytest.raises(SpoolUnusable, match=r"clips\.sqlite cannot be read: .* \(move it away"):
        ClipSpool(file)
    assert file.read_bytes() == b"x" * 5000


def test_a_file_with_a_broken_page_is_named(tmp_path: Path) -> None:
    with spool(tmp_path) as kept:
        for number in range(200):
            kept.keep(clip(number))
    file = tmp_path / "clips.sqlite"
    content = file.read_bytes()
    file.write_bytes(content[:8192] + b"x" * (len(content) - 8192))
    with spool(tmp_path) as kept, pytest.raises(SpoolUnusable, match=r"clips\.sqlite cannot be read"):
        kept.kept(VIDEO, "vision", "gemini")


def test_a_file_whose_damage_is_no_text_is_named(tmp_path: Path) -> None:
    """SQLite quotes the damaged words of the schema in its error, which Python then cannot decode."""
    ClipSpool(tmp_path / "clips.sqlite").close()
    file = tmp_path / "clips.sqlite"
    content = file.read_bytes()
    assert b" analysed (" in content
    file.write_bytes(content.replace(b" analysed (", b" analysed \xb1"))
    with pytest.raises(SpoolUnusable, match=r"clips\.sqlite cannot be read"):
        ClipSpool(file)


def test_stored_analyses_survive_a_kill(tmp_path: Path) -> None:
    """The process is killed the moment after storing."""
    code = (
        "import os, signal, sys; from pathlib import Path; from amr_neo4j.spool.clips import ClipSpool; "
        "from tests.support.spooled_clips import clip; "
        "ClipSpool(Path(sys.argv[1])).keep(clip()); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "clips.sqlite")], check=False)
    assert killed.returncode == -signal.SIGKILL
    with spool(tmp_path) as kept:
        assert kept.kept(VIDEO, "vision", "gemini") == {"sha-0": clip()}


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), max_size=12))
@examples(push=9, soak=250)
def test_the_spool_contains_stored_minus_removed_analyses(steps: list[tuple[bool, int]]) -> None:
    """As a dictionary would."""
    model: dict[str, AnalysedClip] = {}
    with tempfile.TemporaryDirectory() as folder, spool(Path(folder)) as kept:
        for keep, number in steps:
            if keep:
                kept.keep(clip(number))
                model[f"sha-{number}"] = clip(number)
            else:
                kept.remove("home", "hall", f"c{number}")
                model.pop(f"sha-{number}", None)
        assert kept.kept(VIDEO, "vision", "gemini") == model
