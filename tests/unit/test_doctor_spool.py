"""What amr doctor reports about the spool."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from amr_neo4j.cli.checks import spool
from amr_neo4j.domain.live import SpooledClip
from amr_neo4j.errors import SpoolUnusable
from amr_neo4j.settings import load
from amr_neo4j.spool import CLIPS_FILE, LIVE_FILE, TURNS_FILE
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.spool.live import LiveSpool
from amr_neo4j.spool.turns import Spool
from tests.support.amr_command import Amr
from tests.support.spooled_clips import VIDEO, clip
from tests.support.spooled_turns import episode

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def test_an_empty_spool_reports_nothing(tmp_path: Path) -> None:
    assert spool(load(data_dir=tmp_path, group="home")) == "nothing is waiting to be committed"
    assert list(tmp_path.iterdir()) == [], "looking makes no files"


def test_spooled_clips_are_counted_by_video_and_turns_by_group(tmp_path: Path) -> None:
    with closing(ClipSpool(tmp_path / CLIPS_FILE)) as clips, closing(Spool(tmp_path / TURNS_FILE, "graph")) as turns:
        for kept in (clip(0), clip(1), clip(2, video=replace(VIDEO, group_id="other"))):
            clips.keep(kept)
        turns.accept([episode("Good morning.")])
    shown = spool(load(data_dir=tmp_path, group="home"))
    turns_wait = "1 turn of conversations: committed when the database is next opened"
    assert shown == f"2 analysed clips of hall: ingest it again; {turns_wait}"


def test_what_the_graph_refused_is_reported_listed_and_dropped(tmp_path: Path) -> None:
    with closing(ClipSpool(tmp_path / CLIPS_FILE)) as clips, closing(Spool(tmp_path / TURNS_FILE, "graph")) as turns:
        clips.keep(clip(0))
        clips.keep(clip(1))
        clips.refuse("home", VIDEO.video_id, clip(1).clip.clip_id, "too odd")
        [taken, _] = turns.accept([episode("Good morning."), episode("Good night.", 1)])
        turns.refuse(taken.number, "odder")
    settings = load(data_dir=tmp_path, group="home")
    assert "refused by Neo4j: too odd" in spool(settings)
    assert "1 turn of conversations refused by Neo4j: amr spool list shows why" in spool(settings)
    amr = Amr({"AMR_DATA_DIR": str(tmp_path), "AMR_GROUP": "home"})
    listed = amr.json("spool", "list")
    assert [(entry["kind"], entry["reason"]) for entry in listed] == [("turn", "odder"), ("clip", "too odd")]
    assert "Good morning." in listed[0]["content"]
    assert amr.of("other").json("spool", "list") == []
    amr.refused("spool", "drop", "turn:99", code=66)
    assert amr.json("spool", "drop", listed[1]["id"]) == [listed[1]]
    assert len(amr.json("spool", "drop", "--all")) == 1
    assert spool(settings).startswith("1 analysed clip of hall: ingest it again; 1 turn")


def test_a_clip_that_was_set_apart_is_listed_with_the_reason(tmp_path: Path) -> None:
    with closing(ClipSpool(tmp_path / CLIPS_FILE)) as clips:
        clips.keep(clip(0))
        clips.refuse("home", "hall", "c0", "Neo4j cannot take a value")
    assert spool(load(data_dir=tmp_path, group="home")) == (
        "clip c0 of hall refused by Neo4j: Neo4j cannot take a value; ingest it with --retry-failed or --skip-failed"
    )


@pytest.mark.parametrize("name", [TURNS_FILE, CLIPS_FILE])
def test_a_file_that_is_no_queue_is_reported(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"not a database" * 500)
    with pytest.raises(SpoolUnusable, match="cannot be read") as raised:
        spool(load(data_dir=tmp_path, group="home"))
    assert raised.value.exit_code == 74
    assert "move it away" in raised.value.hint


def test_turns_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    """Before a drain sets them apart, too."""
    with closing(Spool(tmp_path / TURNS_FILE, "graph")) as turns:
        turns.accept([episode("Good morning."), episode("Good night.", 1)])
    with closing(sqlite3.connect(tmp_path / TURNS_FILE)) as db:
        db.execute("UPDATE waiting SET episode = '{' WHERE number = 1")
        db.commit()
    settings = load(data_dir=tmp_path, group="home")
    assert spool(settings).startswith("1 turn of conversations: committed when")
    assert "1 turn of conversations refused by Neo4j: amr spool list shows why" in spool(settings)
    amr = Amr({"AMR_DATA_DIR": str(tmp_path), "AMR_GROUP": "home"})
    assert len(amr.json("spool", "drop", "--all")) == 1
    assert spool(settings) == "1 turn of conversations: committed when the database is next opened"


@pytest.mark.parametrize("damage", ["cut", "noise", "flipped"])
def test_a_damaged_file_of_live_sources_is_reported_with_what_to_do(tmp_path: Path, damage: str) -> None:
    """Also where the damage is in pages that no question reads."""
    with closing(LiveSpool(tmp_path / LIVE_FILE)) as live:
        for n in range(400):
            waiting = SpooledClip("door", f"c{n}", "x.mkv", n * 10.0, n * 10.0 + 10.0, NOW, notes=("lost",) * 9)
            live.receive("home", waiting)
    settings = load(data_dir=tmp_path, group="home")
    assert spool(settings) == "400 clips of live sources: amr status shows which"
    whole = (tmp_path / LIVE_FILE).read_bytes()
    middle = len(whole) // 2 // 4096 * 4096
    damaged = {
        "cut": whole[:middle],
        "noise": b"noise" * 999,
        "flipped": whole[:middle] + bytes(4096) + whole[middle + 4096 :],
    }
    (tmp_path / LIVE_FILE).write_bytes(damaged[damage])
    with pytest.raises(SpoolUnusable) as caught:
        spool(settings)
    assert "live.sqlite cannot be read" in caught.value.message and "takes up the films" in (caught.value.hint or "")
