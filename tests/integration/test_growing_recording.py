"""A recording that grows between ingests is one video; the ids of complete files stay as they were."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from amr_neo4j.localdb import Connection
from amr_neo4j.media import ffmpeg
from amr_neo4j.store.database import Database
from tests.support.amr_command import Amr, Json, amr_at
from tests.support.films import make, source

PACKET = 188


@pytest.fixture
def amr(neo4j_connection: Connection, tmp_path: Path) -> Amr:
    """With clips of 2 s."""
    return Amr(amr_at(neo4j_connection, tmp_path / "data").server | {"TARGET_CLIP_SEC": "2"})


@pytest.fixture(scope="module", params=["ts", pytest.param("flv", marks=pytest.mark.soak)])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of 9 s in a container that can be read while it is written."""
    path = tmp_path_factory.mktemp("whole") / f"camera.{request.param}"
    unfinished = ("-flvflags", "no_duration_filesize") if request.param == "flv" else ()
    return make(
        path, *source("testsrc=s=320x240:r=25:d=9,noise=alls=20:allf=t"), "-g", "25", "-b:v", "400k", *unfinished
    )


def grow(path: Path, whole: Path, share: float) -> Path:
    """Extend a file in place to this share of the whole one."""
    data = whole.read_bytes()
    end = int(len(data) * share) // PACKET * PACKET if share < 1 else len(data)
    with path.open("ab") as file:
        file.write(data[path.stat().st_size : end])
    return path


def clips(database: Database, amr: Amr, video_id: str) -> list[tuple[float, float]]:
    found = "MATCH (c:Clip {group_id: $g, video_id: $v, status: 'committed'})"
    query = f"{found} RETURN c.t_start, c.t_end ORDER BY c.t_start"
    rows = database.driver.execute_query(query, g=amr.server["AMR_GROUP"], v=video_id).records
    return [(row[0], row[1]) for row in rows]


def only_video(amr: Amr) -> Json:
    [video] = amr.json("videos")["items"]
    return video


def test_it_goes_on_as_one_video(amr: Amr, database: Database, whole: Path, tmp_path: Path) -> None:
    """Clips that are stored stay; the others follow without a gap or an overlap, also under another name."""
    path = grow(tmp_path / whole.name, whole, 0.4)
    first_id = f"{path.stem}-{ffmpeg.fingerprint(path)[:8]}"
    amr.here("ingest", str(path))
    assert only_video(amr)["video_id"] == first_id
    stored = clips(database, amr, first_id)
    for share in (0.7, 1.0):
        grow(path, whole, share)
        if share == 1.0:
            path = path.rename(path.with_name(f"finished{path.suffix}"))
        report = amr.json("ingest", str(path))
        assert report["committed"] >= 1 and report["rejected"] == 0
        assert report["unchanged"] == len(stored)
        video = only_video(amr)
        assert (video["video_id"], video["uri"]) == (first_id, str(path))
        tiles = clips(database, amr, first_id)
        assert tiles[: len(stored)] == stored, "what was stored did not change"
        assert tiles[0][0] == 0.0 and all(one[1] == other[0] for one, other in pairwise(tiles))
        assert tiles[-1][1] == video["duration_s"] == pytest.approx(ffmpeg.probe(path).duration_s)
        stored = tiles
    again = amr.json("ingest", str(path))
    assert (again["committed"], again["unchanged"]) == (0, len(stored))
    assert only_video(amr)["clips"] == len(stored)


@pytest.mark.soak
def test_under_an_id_of_ones_own_it_goes_on_too(amr: Amr, database: Database, whole: Path, tmp_path: Path) -> None:
    path = grow(tmp_path / whole.name, whole, 0.5)
    amr.here("ingest", str(path), "--video-id", "hall")
    before = clips(database, amr, "hall")
    grow(path, whole, 1.0)
    amr.here("ingest", str(path), "--video-id", "hall")
    assert only_video(amr)["video_id"] == "hall"
    assert clips(database, amr, "hall")[: len(before)] == before
    assert clips(database, amr, "hall")[-1][1] > before[-1][1] + 2


@pytest.mark.soak
def test_other_files_stay_other_videos(amr: Amr, whole: Path, tmp_path: Path) -> None:
    """A copy, and a film that took the place of another. A film under a second name is the same video."""
    path = grow(tmp_path / whole.name, whole, 0.4)
    amr.here("ingest", str(path))
    copy = Path(shutil.copy(path, tmp_path / f"copy{path.suffix}"))
    grow(copy, whole, 1.0)
    amr.here("ingest", str(copy))
    assert len(amr.json("videos")["items"]) == 2, "a copy that went on is another recording"
    other = make(tmp_path / f"other{path.suffix}", *source("mandelbrot=s=320x240:r=25"), "-t", "8")
    path.write_bytes(other.read_bytes())  # the same inode
    amr.here("ingest", str(path))
    assert len(amr.json("videos")["items"]) == 3
    renamed = path.rename(path.with_name(f"renamed{path.suffix}"))
    report = amr.json("ingest", str(renamed))
    assert (report["committed"], len(amr.json("videos")["items"])) == (0, 3)
    assert f"which was at {path}; memory has its new path" in report["notes"][0]
    assert str(renamed) in {video["uri"] for video in amr.json("videos")["items"]}
