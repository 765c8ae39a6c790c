"""What amr doctor reports about the spool."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from amr_neo4j.cli.machine_checks import spool
from amr_neo4j.settings import load
from amr_neo4j.spool import CLIPS_FILE, TURNS_FILE
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.spool.turns import Spool
from tests.support.spooled_clips import VIDEO, clip
from tests.support.spooled_turns import episode


def test_an_empty_spool_reports_nothing(tmp_path: Path) -> None:
    assert spool(load(data_dir=tmp_path, group="home")) == "nothing is queued"
    assert list(tmp_path.iterdir()) == [], "looking makes no files"


def test_spooled_clips_are_counted_by_video_and_turns_by_group(tmp_path: Path) -> None:
    with closing(ClipSpool(tmp_path / CLIPS_FILE)) as clips, closing(Spool(tmp_path / TURNS_FILE, "graph")) as turns:
        for kept in (clip(0), clip(1), clip(2, video=replace(VIDEO, group_id="other"))):
            clips.keep(kept)
        turns.accept([episode("Good morning.")])
    shown = spool(load(data_dir=tmp_path, group="home"))
    assert shown == (
        "2 analysed clips of hall: ingest it again; 1 turns of conversations: stored when the database is next opened"
    )


def test_a_clip_that_was_set_apart_is_listed_with_the_reason(tmp_path: Path) -> None:
    with closing(ClipSpool(tmp_path / CLIPS_FILE)) as clips:
        clips.keep(clip(0))
        clips.refuse("home", "hall", "c0", "Neo4j cannot take a value")
    assert spool(load(data_dir=tmp_path, group="home")) == (
        "clip c0 of hall is set apart: Neo4j cannot take a value; ingest it with --retry-failed or --skip-failed"
    )
