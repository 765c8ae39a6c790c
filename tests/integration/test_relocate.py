"""Films that moved: their paths in memory follow, where it is the same film."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from amr_neo4j.localdb import Connection
from tests.support.amr_command import Amr, amr_at
from tests.support.films import pattern


@pytest.fixture
def amr(neo4j_connection: Connection, tmp_path: Path) -> Amr:
    return amr_at(neo4j_connection, tmp_path / "data")


def test_films_that_moved_are_found_and_other_films_are_left(amr: Amr, tmp_path: Path) -> None:
    """They may be named by folder or file, and be of videos, single clips, or analyses without a fingerprint."""
    old, new = tmp_path / "old films", tmp_path / "new"
    (old / "cut").mkdir(parents=True)
    hall, stairs = pattern(old / "hall.mp4", 1), pattern(old / "stairs.mp4", 2)
    cut = Path(shutil.copy(hall, old / "cut/yard_0-1.mp4"))
    said = {"video_id": "told", "clip_id": "c1", "t_start": 0, "t_end": 1, "uri": hall.as_uri()}
    event = {"summary": "Anna waves.", "time_start": 0, "time_end": 1}
    (tmp_path / "told.jsonl").write_text(json.dumps(said | {"analysis": {"clip_summary": "x", "events": [event]}}))
    amr.here("ingest", str(hall), str(stairs), str(tmp_path / "told.jsonl"))
    amr.here("ingest", str(cut.parent), "--precut", "--video-id", "yard")
    [told] = (each["node_id"] for each in amr.json("show", "video", "told")["timeline"])
    old.rename(new)
    pattern(new / "stairs.mp4", 3)

    dry = amr.json("relocate", str(old), str(new), "--dry-run", code=65)
    assert "is gone" in amr.here("show", "event", str(told), "--picture", str(tmp_path / "x.png"), code=66).stderr
    assert amr.json("relocate", str(old), str(new), code=65) == dry
    found = {(each["video_id"].partition("-")[0], each["new"].removeprefix(f"{new}/")): each for each in dry}
    assert {key: (each["compared"], bool(each["left"])) for key, each in found.items()} == {
        ("hall", "hall.mp4"): (True, False),
        ("stairs", "stairs.mp4"): (True, True),
        ("told", "hall.mp4"): (False, False),
        ("yard", "cut/yard_0-1.mp4"): (True, False),
    }
    amr.here("show", "event", str(told), "--picture", str(tmp_path / "x.png"))
    [yard] = amr.items("show", "clip", "000000000-000001000", "--video", "yard")
    assert yard["uri"] == str(new / "cut/yard_0-1.mp4")
    paths = {video["video_id"].partition("-")[0]: video["uri"] for video in amr.json("videos")["items"]}
    assert (paths["hall"], paths["stairs"]) == (str(new / "hall.mp4"), str(stairs))

    archive = (new / "hall.mp4").rename(tmp_path / "archive.mp4")
    amr.here("relocate", str(new / "hall.mp4"), str(archive))
    assert amr.refused("relocate", str(new / "hall.mp4"), str(archive), code=66)


@pytest.mark.soak
def test_a_film_that_was_moved_or_renamed_is_the_same_video_when_it_is_ingested_again(
    amr: Amr, tmp_path: Path
) -> None:
    film = pattern(tmp_path / "a.mp4", 1)
    amr.here("ingest", str(film))
    copy = Path(shutil.copy(film, tmp_path / "copy.mp4"))
    assert amr.json("ingest", str(copy))["committed"] == 1, "a copy beside the original is a video of its own"
    (tmp_path / "there").mkdir()
    # To another inode, as on another disk.
    moved = Path(shutil.copy(film, tmp_path / "there/b.mp4"))
    film.unlink()
    report = amr.json("ingest", str(moved))
    assert (report["committed"], report["unchanged"]) == (0, 1)
    assert f"which was at {film}" in report["notes"][0]
    assert {video["uri"] for video in amr.json("videos")["items"]} == {str(copy), str(moved)}
    again = amr.json("ingest", str(moved))
    assert (again["committed"], again["notes"]) == (0, []), "the second time, too"
    copy.unlink()
    assert amr.json("ingest", str(moved))["committed"] == 0
    assert {video["uri"] for video in amr.json("videos")["items"]} == {str(copy), str(moved)}, (
        "a copy that is gone stays"
    )
