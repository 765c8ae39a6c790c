"""amr on failed clips: exit codes, messages, and the commands that show more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from amr_neo4j.localdb import Connection
from tests.support.amr_command import Amr, Done, amr_at
from tests.support.films import pattern
from tests.support.model_film import FilmModel
from tests.support.model_server import ModelServer

BAD = "000001000-000002000"


@dataclass(frozen=True)
class Watched:
    """`amr` in a group of its own, whose videos a scripted model analyses."""

    amr: Amr
    film: Path
    model: FilmModel

    def ingest(self, *options: str, code: int = 0) -> Done:
        return self.amr.here("ingest", str(self.film), "--target-clip-sec", "1", *options, code=code)


@pytest.fixture
def watched(neo4j_connection: Connection, tmp_path: Path) -> Iterator[Watched]:
    """Three clips, of which the second cannot be analysed."""
    model = FilmModel()
    model.broken[BAD] = "unusable"
    amr = amr_at(neo4j_connection, tmp_path / "data")
    with ModelServer(model) as server:
        priced = {"PROVIDER": server.url, "PRICE_IN": "1", "PRICE_OUT": "10"}
        model_of = {f"AMR_ANALYSE__{name}": value for name, value in priced.items()} | {"AMR_REFINE__CALLS": "[]"}
        yield Watched(Amr(amr.server | model_of), pattern(tmp_path / "hall.mp4", 3), model)


def test_a_failed_clip_is_reported_with_advice_and_can_be_shown(watched: Watched) -> None:
    done = watched.ingest(code=69)
    assert done.stdout.startswith("2 clips committed, 0 unchanged, 0 rejected, 1 failed; ")
    assert "4 calls, 400 tokens in, 40 out, $0.0008" in done.stdout
    assert f"/{BAD}: " in done.stderr and "--retry-failed" in done.stderr
    amr = watched.amr
    shown = amr.here("show", "clip", BAD).stdout
    assert "failed" in shown and "what the model replied:" in shown and "2 calls, 200 tokens in" in shown
    stats = amr.here("stats").stdout
    assert "failed clips" in stats and "vision" in stats and "$0.0008" in stats
    [video] = amr.json("videos")["items"]
    assert (video["clips"], video["failed"]) == (2, 1)
    assert "failed clips  1" in amr.here("show", "video", video["video_id"]).stdout
    watched.model.broken.clear()
    watched.ingest("--retry-failed")
    assert "failed" not in amr.here("stats").stdout


def test_a_skipped_clip_is_no_failure(watched: Watched) -> None:
    watched.ingest("--skip-failed")
    later = watched.ingest()
    assert (later.returncode, len(later.stderr.splitlines())) == (0, 1)
    assert later.stdout.startswith("0 clips committed, 2 unchanged, 0 rejected, 1 skipped; ")
