"""Clips that were cut beforehand: analysed as they are, under the times that they come with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from amr_neo4j import Memory
from amr_neo4j.errors import InputError
from amr_neo4j.localdb import Connection
from tests.support.films import pattern


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    where = {"neo4j_uri": neo4j_connection.uri, "neo4j_password": neo4j_connection.password}
    with Memory.open(group=group_id, data_dir=tmp_path / "data", analyser="local", **where) as memory:
        yield memory


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two films of a second, with times in their names."""
    folder = tmp_path_factory.mktemp("hall")
    pattern(folder / "hall_100.5-101.5.mp4", 1)
    pattern(folder / "hall_101.5-102.25.mp4", 1)
    return folder


def ranges(memory: Memory, video_id: str) -> list[tuple[float, float]]:
    clips = [memory.clips(name, video_id)[0] for name in ("000100500-000101500", "000101500-000102250")]
    return [(clip.t_start, clip.t_end) for clip in clips]


def test_clips_of_a_folder_keep_the_times_of_their_names(memory: Memory, cut: Path) -> None:
    assert memory.ingest(cut, precut=True, video_id="hall").committed == 2
    assert ranges(memory, "hall") == [(100.5, 101.5), (101.5, 102.25)]
    assert memory.ingest(cut, precut=True, video_id="hall").unchanged == 2


def test_clips_without_an_analysis_come_as_lines_and_from_python(memory: Memory, cut: Path, tmp_path: Path) -> None:
    first = {"uri": "../cut/hall_100.5-101.5.mp4", "t_start": 100.5, "t_end": 101.5}
    (tmp_path / "cut").symlink_to(cut)
    (tmp_path / "lines").mkdir()
    file = tmp_path / "lines" / "hall.jsonl"
    file.write_text("\n".join(map(json.dumps, [first, first | {"uri": "gone.mp4", "t_start": 1}, {"uri": "x"}])))
    report = memory.ingest(file)
    assert (report.committed, report.rejected) == (1, 2)
    second = {"uri": cut / "hall_101.5-102.25.mp4", "t_start": 101.5, "t_end": 102.25, "video_id": "hall"}
    assert memory.ingest_clips([second]).committed == 1
    assert ranges(memory, "hall") == [(100.5, 101.5), (101.5, 102.25)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.m3u8", "#EXTM3U\n#EXTINF:1.0,\nhall_100.5-101.5.mp4\n#EXTINF:0.75,\nhall_101.5-102.25.mp4\n"),
        ("a.csv", "hall_100.5-101.5.mp4,0,1\nhall_101.5-102.25.mp4,1.0,1.75\n"),
    ],
)
def test_a_playlist_tells_the_times(memory: Memory, cut: Path, tmp_path: Path, name: str, text: str) -> None:
    for film in cut.iterdir():
        (tmp_path / film.name).symlink_to(film)
    (tmp_path / name).write_text(text)
    assert memory.ingest(tmp_path / name, precut=True, video_id="hall").committed == 2
    assert memory.clips("000001000-000001750", "hall")[0].t_end == 1.75


@pytest.mark.parametrize(
    ("name", "text"),
    [("hall.mp4", ""), ("9-8.mp4", ""), ("a.csv", "x.mp4,1\n"), ("a.m3u8", "x.mp4\n"), ("b.csv", "")],
)
def test_unknown_times_are_refused(memory: Memory, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError):
        memory.ingest(tmp_path / name, precut=True)
    assert not memory.videos()
