"""Every kind of video through the real command: ingested and found, or refused without a write."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.errors import AmrError, ConfigError, StoreDenied, StoreUnavailable
from amr_neo4j.localdb import Connection
from amr_neo4j.store.database import Database
from tests.support.amr_command import Amr, Json, amr_at
from tests.support.films import header_alone, make, pattern, source, stump

QUOTED = """my film's "best" cut.mp4"""
RIGHT_TO_LEFT = "ערב 😀.mp4"


@pytest.fixture(scope="module")
def amr(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Amr:
    return amr_at(neo4j_connection, tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("a folder of 'films'")


@pytest.fixture(scope="module")
def taken(amr: Amr, folder: Path) -> dict[str, Json]:
    """The videos in the graph that must be ingested, by file name."""
    pattern(folder / "short.mp4", 0.2)
    pattern(folder / "silent.mkv", 1)
    pattern(folder / QUOTED, 1)
    make(folder / RIGHT_TO_LEFT, *source("testsrc=s=320x240:r=25:d=1"), *source("sine=d=1"))
    done = amr("ingest", str(folder))
    assert done.stdout.startswith("4 clips committed, 0 unchanged, 0 rejected; ")
    return {Path(video["uri"]).name: video for video in amr.json("videos")["items"]}


@pytest.mark.parametrize(
    ("name", "seconds"), [("short.mp4", 0.2), ("silent.mkv", 1.0), (QUOTED, 1.0), (RIGHT_TO_LEFT, 1.0)]
)
def test_a_film_of_any_name_and_length_is_found(
    amr: Amr, folder: Path, taken: dict[str, Json], name: str, seconds: float
) -> None:
    known = taken[name]
    assert known["uri"] == str(folder / name)
    assert known["video_id"].startswith(Path(name).stem)
    assert (known["clips"], known["fps"], known["width"], known["height"]) == (1, 25.0, 320, 240)
    assert known["seen_until"] == known["duration_s"] == pytest.approx(seconds, abs=0.05)
    assert amr.json("show", "video", known["video_id"])["uri"] == str(folder / name)


def test_the_same_films_again_are_unchanged(amr: Amr, folder: Path, taken: dict[str, Json]) -> None:
    report = amr.json("ingest", *(str(folder / name) for name in taken))
    assert (report["committed"], report["unchanged"], report["rejected"]) == (0, 4, 0)


@pytest.mark.parametrize("words", [["--", "-dash.mp4"], ["./-dash.mp4"]])
def test_a_name_may_begin_with_a_dash(
    amr: Amr, tmp_path: Path, group_id: str, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    pattern(tmp_path / "-dash.mp4", 0.2)
    monkeypatch.chdir(tmp_path)
    own = amr.of(group_id)
    assert own.here("ingest", *words).stdout.startswith("1 clip committed")
    assert [video["uri"] for video in own.json("videos")["items"]] == [str(tmp_path / "-dash.mp4")]


@pytest.mark.parametrize("name", ["stump.mp4", "stump.mkv"])
def test_a_truncated_film_is_kept_as_far_as_it_is_readable(
    amr: Amr, tmp_path: Path, group_id: str, name: str
) -> None:
    """Four clips of a second each, of which the file holds two."""
    stump(tmp_path / name)
    own = amr.of(group_id)
    done = own.here("ingest", str(tmp_path / name), "--target-clip-sec", "1")
    assert done.stdout.startswith("4 clips committed, 0 unchanged, 0 rejected; ")
    clips = [own.items("show", "clip", f"{start:09d}-{start + 1000:09d}")[0] for start in range(0, 4000, 1000)]
    assert [(clip["t_start"], clip["t_end"], clip["status"]) for clip in clips] == [
        (start, start + 1.0, "committed") for start in (0.0, 1.0, 2.0, 3.0)
    ]
    missing = "no picture of this stretch could be read"
    assert [missing in clip["notes"] for clip in clips] == [False, False, True, True]
    assert all(missing in line for line in done.stderr.splitlines() if re.search(r"0000[23]000-", line))
    assert done.stderr.count(missing) == 2


def text(path: Path) -> Path:
    path.write_text("dear diary")
    return path


def folder_without_films(path: Path) -> Path:
    path.mkdir()
    text(path / "notes.txt")
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def junk(path: Path) -> Path:
    path.write_bytes(bytes(range(256)) * 20)
    return path


def sound(path: Path) -> Path:
    return make(path, *source("sine=d=1"))


def no_stream(path: Path) -> Path:
    return make(path, *source("testsrc=s=320x240:r=25:d=1"), "-frames:v", "0")


def empty(path: Path) -> Path:
    path.touch()
    return path


def one_picture(path: Path) -> Path:
    return make(path, *source("testsrc=s=320x240"), "-frames:v", "1")


REFUSED: list[tuple[str, Callable[[Path], Path], int, str]] = [
    ("missing.mp4", lambda path: path, 66, "does not exist"),
    ("text.mp4", text, 65, "ffmpeg cannot read text.mp4: Invalid data"),
    ("empty.mp4", empty, 65, "ffmpeg cannot read empty.mp4: Invalid data"),
    ("junk.mp4", junk, 65, "ffmpeg cannot read junk.mp4: "),
    ("frameless.mp4", header_alone, 65, "ffmpeg cannot read frameless.mp4: "),
    ("streamless.mp4", no_stream, 65, "has no video stream"),
    ("indexless.mp4", lambda path: stump(path, index_first=False), 65, "ffmpeg cannot read indexless.mp4: "),
    ("sound.mp4", sound, 65, "has no video stream"),
    ("sound.mp3", sound, 65, "has no video stream"),
    ("photo.jpg", one_picture, 65, "photo.jpg is not a video container"),
    ("folder", folder_without_films, 66, "no video or .jsonl file in"),
    ("pipe.mp4", pipe, 65, "is not a regular file"),
]


@pytest.fixture(params=REFUSED, ids=[name for name, *_ in REFUSED])
def refused(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, int, str]]:
    """A path that is refused, its exit code, and the expected message."""
    name, made, code, said = request.param
    yield str(made(tmp_path / name)), code, said


def test_an_invalid_film_is_one_line_with_advice(
    amr: Amr, refused: tuple[str, int, str], group_id: str, database: Database
) -> None:
    path, code, said = refused
    assert said in amr.of(group_id).refused("ingest", path, code=code)
    assert nodes(database, group_id) == 0


def test_an_invalid_film_is_an_error_with_advice_in_python(
    amr: Amr, refused: tuple[str, int, str], group_id: str, database: Database, neo4j_connection: Connection
) -> None:
    path, code, said = refused
    memory = Memory.open(group=group_id, **access(neo4j_connection))
    with memory, pytest.raises(AmrError, match=re.escape(said)) as caught:
        memory.ingest(path)
    assert (caught.value.exit_code, bool(caught.value.hint)) == (code, True)
    assert nodes(database, group_id) == 0


def test_one_invalid_film_does_not_stop_the_others(amr: Amr, tmp_path: Path, group_id: str) -> None:
    pattern(tmp_path / "a good one.mp4", 0.2)
    for name, made, _, _ in REFUSED:
        if name.endswith(".mp4") and made is not pipe:
            made(tmp_path / name)
    own = amr.of(group_id)
    done = own.here("ingest", str(tmp_path), code=65)
    bad = sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".mp4" and path.name != "a good one.mp4")
    assert done.stdout.startswith(f"1 clip committed, 0 unchanged, {len(bad)} rejected; ")
    begun, *refused = done.stderr.splitlines()
    assert begun == f"taking in {tmp_path} ..."
    assert [line.partition(": ")[0] for line in refused] == [str(tmp_path / name) for name in bad]
    assert [Path(video["uri"]).name for video in own.json("videos")["items"]] == ["a good one.mp4"]


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ({"NEO4J_PASSWORD": "not-the-one"}, 77, "refuses the user name or password"),
        ({"NEO4J_URI": "bolt://127.0.0.1:1"}, 69, "does not answer"),
        ({"NEO4J_URI": "http://127.0.0.1:7474"}, 78, "is not a Neo4j address"),
    ],
)
@pytest.mark.usefixtures("no_retries")
def test_a_refused_login_is_one_line_with_advice(
    amr: Amr, tmp_path: Path, group_id: str, database: Database, change: dict[str, str], code: int, said: str
) -> None:
    film = pattern(tmp_path / "film.mp4", 0.2)
    own = Amr(amr.of(group_id).server | change)
    assert said in own.refused("ingest", str(film), code=code)
    assert nodes(database, group_id) == 0


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"neo4j_password": "not-the-one"}, StoreDenied),
        ({"neo4j_uri": "bolt://127.0.0.1:1"}, StoreUnavailable),
        ({"neo4j_uri": "http://127.0.0.1:7474"}, ConfigError),
    ],
)
@pytest.mark.usefixtures("no_retries")
def test_a_refused_login_is_an_error_with_advice_in_python(
    neo4j_connection: Connection, change: dict[str, str], error: type[AmrError]
) -> None:
    with pytest.raises(error) as caught:
        Memory.open(**(access(neo4j_connection) | change))
    assert caught.value.hint


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--recorded-at", "0001-01-01T00:00:00Z"], "recorded_at is in the year 1"),
        (["--place", "p" * 501], "place has 501 characters"),
        (["--video-id", "v" * 501], "video_id has 501 characters"),
    ],
)
def test_a_time_or_a_name_that_cannot_be_stored_is_refused(
    amr: Amr, tmp_path: Path, group_id: str, database: Database, words: list[str], said: str
) -> None:
    film = pattern(tmp_path / "film.mp4", 0.2)
    assert said in amr.of(group_id).refused("ingest", str(film), *words, code=65)
    assert nodes(database, group_id) == 0


def access(there: Connection) -> dict[str, str]:
    """Settings that point there."""
    return {"neo4j_uri": there.uri, "neo4j_username": there.username, "neo4j_password": there.password}


def nodes(database: Database, group_id: str) -> int:
    """How many nodes the group has."""
    counted = database.driver.execute_query("MATCH (n {group_id: $g}) RETURN count(n) AS n", g=group_id)
    return counted.records[0]["n"]
