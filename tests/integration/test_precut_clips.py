"""Clips that were cut beforehand: analysed as they are, under the times that they come with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.errors import InputError
from amr_neo4j.localdb import Connection
from amr_neo4j.wiring.analyser import _Viewed
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


def test_what_was_forgotten_does_not_return_cut_anew(memory: Memory, tmp_path: Path) -> None:
    """A folder whose clips now begin and end elsewhere; naming the file takes the seconds in again."""
    folder = tmp_path / "yard"
    folder.mkdir()
    pattern(folder / "yard_0-2.mp4", 2)
    pattern(folder / "yard_2-3.mp4", 1)
    assert memory.ingest(folder, precut=True, video_id="yard").committed == 2
    memory.forget_videos(video_id="yard", clip_id="000000000-000002000")
    (folder / "yard_0-2.mp4").unlink()
    pattern(folder / "yard_0-1.mp4", 1)
    anew = pattern(folder / "yard_1-2.mp4", 1)
    report = memory.ingest(folder, precut=True, video_id="yard")
    assert (report.committed, report.unchanged) == (0, 3)
    assert "forgotten on" in report.notes[0]
    assert memory.ingest(anew, precut=True, video_id="yard").committed == 1


def test_a_film_that_was_forgotten_does_not_return_as_clips_of_a_pipe(memory: Memory, tmp_path: Path) -> None:
    """Under its id or another one."""
    begun = datetime.now(UTC) - timedelta(hours=1)
    clock = {"recorded_at": begun.isoformat()}
    film = pattern(tmp_path / "gate.mp4", 4)

    def clip(uri: Path, start: float, **more: Any) -> str:
        seconds = {"t_start": start, "t_end": start + 2}
        return json.dumps({"video_id": "gate", "uri": str(uri), **seconds} | more)

    earlier = [
        clip(film, 0, **clock),
        clip(film, 1, uri_offset=1, **clock),
        clip(film, 2, uri_offset=2, video_id="other"),
    ]
    memory.ingest(film, video_id="gate", recorded_at=begun)
    memory.forget_videos(video_id="gate")
    report = memory.ingest_lines(iter(earlier))
    assert (report.committed, report.unchanged) == (0, 3) and "forgotten on" in report.notes[0]
    assert not memory.videos()
    file = tmp_path / "gate.jsonl"
    file.write_text("\n".join(earlier))
    assert memory.ingest(file).committed == 3


def test_clips_without_an_analysis_come_as_lines_and_from_python(memory: Memory, cut: Path, tmp_path: Path) -> None:
    first = {"uri": "../cut/hall_100.5-101.5.mp4", "t_start": 100.5, "t_end": 101.5}
    (tmp_path / "cut").symlink_to(cut)
    (tmp_path / "lines").mkdir()
    file = tmp_path / "lines" / "hall.jsonl"
    file.write_text("\n".join(map(json.dumps, [first, first | {"uri": "gone.mp4", "t_start": 1}, {"uri": "x"}])))
    report = memory.ingest(file)
    assert (report.committed, report.rejected) == (1, 2)
    second = {"uri": cut / "hall_101.5-102.25.mp4", "t_start": 101.5, "t_end": 102.25, "video_id": "hall"}
    within_itself: dict[str, object] = {}
    within_itself["analysis"] = within_itself
    no_clips: list[Any] = [513, "hall.mp4", None, {(1, 2): "t_start"}, within_itself]
    report = memory.ingest_clips([*no_clips, second])
    assert (report.committed, report.rejected) == (1, 5)
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


def test_pictures_are_masked_as_the_stored_place_says(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, cut: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clips that name no place, of a stored video; also after a repair has made it again. If that lost its place, all
    masks are applied, and nothing is taken in before somebody names the place."""
    homes = list[str]()

    def seen(self: _Viewed, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
        homes.append(video.home)
        return watch(self, video, clips)

    watch = _Viewed.watch
    monkeypatch.setattr(_Viewed, "watch", seen)
    where = {"neo4j_uri": neo4j_connection.uri, "neo4j_password": neo4j_connection.password}
    hall, yard = ({"mask": [[(x, 0), (1, 0), (1, 1)]]} for x in (0.5, 0.7))
    first, second = sorted(cut.iterdir())
    line = {"uri": str(second), "t_start": 200, "t_end": 200.75, "video_id": "hall"}
    with Memory.open(
        group=group_id, data_dir=tmp_path / "data", analyser="local", views={"hall": hall, "yard": yard}, **where
    ) as memory:
        masked = memory._parts.settings.views
        memory.ingest(first, precut=True, video_id="hall", place="hall", wearer="Anna")
        assert memory.ingest(second, precut=True, video_id="hall").committed == 1
        assert memory.ingest_clips([line]).committed == 1
        with pytest.raises(InputError, match="wearer Anna, not Ben"):
            memory.ingest(second, precut=True, video_id="hall", wearer="Ben")
        assert homes == ["hall"] * 3
        assert memory._parts.showing._mask(group_id, "hall") == masked["hall"].masked
        with memory._parts.database.session() as session:
            session.run("MATCH (o:Object {group_id: $g}) DETACH DELETE o", g=group_id).consume()
            session.run("MATCH (v:Video {group_id: $g}) DETACH DELETE v", g=group_id).consume()
        assert memory._parts.showing._mask(group_id, "hall") == masked["hall"].masked + masked["yard"].masked
        memory.integrity.restore_parents(memory._parts.embedder)
        assert memory._parts.showing._mask(group_id, "hall") == masked["hall"].masked + masked["yard"].masked
        with pytest.raises(InputError, match="place of video hall was lost"):
            memory.ingest(first, precut=True, video_id="hall")
        assert len(homes) == 3
        memory.ingest(cut, precut=True, video_id="hall", place="hall")
        assert homes[3:] == ["hall"] * len(homes[3:])
        assert memory._parts.showing._mask(group_id, "hall") == masked["hall"].masked


def test_films_that_name_no_place_have_that_of_the_settings(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, cut: Path
) -> None:
    """So that edges of persons and objects cross them. A place that is named, or stored, stays."""
    where = {"neo4j_uri": neo4j_connection.uri, "neo4j_password": neo4j_connection.password, "data_dir": tmp_path}
    with Memory.open(group=group_id, analyser="local", place="home", **where) as memory:
        memory.ingest(cut, precut=True, video_id="hall")
        memory.ingest(cut / "hall_100.5-101.5.mp4", video_id="film")
        memory.ingest(cut, precut=True, video_id="shed", place="garden")
        assert [memory.video(name).place for name in ("hall", "film", "shed")] == ["home", "home", "garden"]
    with Memory.open(group=group_id, analyser="local", place="office", **where) as memory:
        assert memory.ingest(cut, precut=True, video_id="hall").unchanged == 2
        assert memory.video("hall").place == "home"


def test_films_without_a_clock_come_after_one_another_by_a_setting(
    neo4j_connection: Connection, group_id: str, tmp_path: Path, cut: Path
) -> None:
    """Edges of persons and objects cross films of one timeline, so that they are as of global indexes."""
    where = {"neo4j_uri": neo4j_connection.uri, "neo4j_password": neo4j_connection.password, "data_dir": tmp_path}
    at_home = {"group": group_id, "analyser": "local", "place": "home"}
    with Memory.open(**at_home, **where) as memory:
        memory.ingest(cut, precut=True, video_id="before")
    with Memory.open(undated_films="arrival", **at_home, **where) as memory:
        for name in ("first", "second"):
            memory.ingest(cut, precut=True, video_id=name)
        assert memory.ingest(cut, precut=True, video_id="first").unchanged == 2
        before, first, second = [memory.video(name).recorded_at for name in ("before", "first", "second")]
        assert before is None and first and second
        assert (second - first).total_seconds() > 30 + (memory.video("first").duration_s or 0)
