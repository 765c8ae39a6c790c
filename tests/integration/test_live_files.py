"""Files that grow and folders that are watched, through the real Memory into a real Neo4j."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread

import pytest

from amr_neo4j import InputError, Memory
from amr_neo4j.app.watching import Pace
from amr_neo4j.domain.receipt import IngestReport, Progress
from amr_neo4j.localdb import Connection
from tests.support.amr_command import amr_at
from tests.support.films import make, pattern, source


@pytest.fixture
def memory(neo4j_connection: Connection, tmp_path: Path) -> Iterator[Memory]:
    """With clips of 2 s."""
    server = amr_at(neo4j_connection, tmp_path / "data").server
    with Memory.open(
        neo4j_uri=server["NEO4J_URI"],
        neo4j_username=server["NEO4J_USERNAME"],
        neo4j_password=server["NEO4J_PASSWORD"],
        group=server["AMR_GROUP"],
        data_dir=tmp_path / "data",
        target_clip_sec=2,
        frames_per_second=1,
    ) as opened:
        yield opened


@pytest.mark.soak
def test_a_file_that_grows_is_one_video_whose_tail_joins_its_last_clip(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first clips come before the end of the file is written, and none is shorter than a whole clip."""
    ingesting = replace(memory._parts.ingesting, pace=Pace(0.2, 2.0))
    monkeypatch.setitem(memory._parts.__dict__, "ingesting", ingesting)
    whole = make(tmp_path / "whole.ts", *source("testsrc=s=320x240:r=25:d=8.5"), "-g", "25").read_bytes()
    film, first = tmp_path / "camera.ts", Event()
    half = len(whole) // 2 // 188 * 188
    film.write_bytes(whole[:half])

    def write_on() -> None:
        assert first.wait(120)
        with film.open("ab") as file:
            file.write(whole[half:])

    writing = Thread(target=write_on, daemon=True)
    writing.start()
    report = memory.ingest(film, follow=True, watch=lambda progress: first.set())
    writing.join()
    [video] = memory.videos()
    found = memory.receipts(video.video_id)
    assert found[0].t_start == 0 and all(one.t_end == other.t_start for one, other in pairwise(found))
    assert [each.t_end for each in found[:-1]] == [2.0, 4.0, 6.0]
    assert found[-1].t_end == pytest.approx(8.5, abs=0.1)
    assert report.committed == len(found) == 4
    assert memory.ingest(film).unchanged == 4, "and it stays so"


def test_a_forgotten_film_comes_back_only_by_naming_it(memory: Memory, tmp_path: Path) -> None:
    """Also under another name, by `watch` and with its folder. Another place for a stored film is refused."""
    folder = tmp_path / "films"
    folder.mkdir()
    film = pattern(folder / "a.mp4", 4)
    [video_id] = memory.ingest(film, place="yard").videos
    with pytest.raises(InputError, match="is in memory with place yard, not garden"):
        memory.ingest(film, place="garden")
    with pytest.raises(InputError, match="timezone unknown, not Asia/Tokyo"):
        memory.ingest(film, timezone="Asia/Tokyo")
    line = {"video_id": video_id, "clip_id": "1", "t_start": 0, "t_end": 2, "place": "yard"}
    line["analysis"] = {"clip_summary": "Anna waves.", "events": []}
    report = memory.ingest_lines([json.dumps(line)], timezone="Asia/Tokyo")
    assert report.rejected == 1 and "with timezone unknown, not Asia/Tokyo" in str(report.errors)
    assert memory.ingest(film, place="yard").unchanged == 2
    memory.forget_videos(video_id=video_id, clip_id="000000000-000002000")
    assert memory.ingest(folder).committed == 0
    memory.forget_videos(video_id=video_id)
    film = film.rename(folder / "b.mp4")
    report = memory.ingest(folder)
    assert (report.committed, report.unchanged, len(report.notes)) == (0, 2, 1)
    stop, seen = Event(), list[Progress]()

    def keep(progress: Progress) -> None:
        seen.append(progress)
        stop.set()

    memory.watch(folder, poll_s=0.1, settle_s=0.2, stop=stop, watch=keep)
    assert seen[0].receipt.outcome == "unchanged" and "forgotten on" in seen[0].receipt.notes[0]
    assert not memory.videos()
    assert memory.ingest(film, place="garden").committed == 2
    assert memory.ingest(folder).unchanged == 2


def test_a_forgotten_event_does_not_return_with_a_copy_of_its_film(memory: Memory, tmp_path: Path) -> None:
    """Nor with a clip that is cut from it, until the copy is named."""
    film, folder = pattern(tmp_path / "a.mp4", 4), tmp_path / "films"
    [video_id] = memory.ingest(film).videos
    event = {"time_start": 0.5, "time_end": 1.5, "summary": "Anna waves."}
    line = {"video_id": video_id, "clip_id": "seen", "t_start": 0, "t_end": 2}
    memory.ingest_lines([json.dumps(line | {"analysis": {"clip_summary": "", "events": [event]}})])
    [number] = [hit.event.node_id for hit in memory.search("waves") if "waves" in hit.event.summary_text]
    memory.forget_videos(event=number)
    folder.mkdir()
    copy = Path(shutil.copy(film, folder / "b.mp4"))
    report = memory.ingest(folder)
    assert (report.committed, report.unchanged) == (1, 1) and "forgotten on" in report.notes[0]
    cut = {"video_id": "cut", "uri": str(film), "t_start": 0, "t_end": 1}
    assert memory.ingest_lines(iter([json.dumps(cut)])).unchanged == 1
    assert memory.ingest(copy).committed == 1


def test_subtitles_that_come_after_the_film_are_named(memory: Memory, tmp_path: Path) -> None:
    film = pattern(tmp_path / "a.mp4", 4)
    [video_id] = memory.ingest(film).videos
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:03,000\nAnna: The keys are in the drawer.\n")
    report = memory.ingest(film)
    [note] = [note for note in report.notes if "a.srt came after the film" in note]
    assert report.unchanged == 2 and "amr forget --video" in note
    memory.forget_videos(video_id=video_id)
    assert memory.ingest(film).committed == 2
    assert not any("came after" in note for note in memory.ingest(film).notes)


def test_each_file_of_a_folder_is_taken_in_once_it_is_complete(memory: Memory, tmp_path: Path) -> None:
    folder, stop, reports = tmp_path / "in", Event(), list[IngestReport]()
    folder.mkdir()
    pattern(folder / "VID_20260301_091530Z.mkv", 2)
    taken: list[str] = []

    def watch(progress: Progress) -> None:
        taken.append(Path(progress.source).name)
        if len(taken) == 1:
            pattern(folder / "later.mkv", 2)
            (folder / "broken.mp4").write_text("no film")
        if len(set(taken)) == 3:
            stop.set()

    reports.append(memory.watch(folder, poll_s=0.2, settle_s=0.5, stop=stop, watch=watch))
    [report] = reports
    assert (report.committed, report.rejected) == (2, 1)
    videos = {Path(video.uri or "").name: video for video in memory.videos()}
    dated = videos["VID_20260301_091530Z.mkv"].recorded_at
    assert dated and dated.isoformat() == "2026-03-01T09:15:30+00:00"
    assert videos["later.mkv"].recorded_at is None


def test_what_is_half_copied_removed_or_replaced_harms_no_other_file(memory: Memory, tmp_path: Path) -> None:
    """A copy that stalls is taken in once it is whole. Memory knows of each name what lies under it now."""
    folder, away, stop = tmp_path / "in", tmp_path / "away", Event()
    folder.mkdir()
    whole = make(tmp_path / "film.mp4", *source("testsrc=s=320x240:r=10:d=2"), "-g", "10").read_bytes()
    later = make(tmp_path / "later.mp4", *source("testsrc2=s=320x240:r=10:d=2"), "-g", "10").read_bytes()
    copied = make(tmp_path / "copied.mp4", *source("rgbtestsrc=s=320x240:r=10:d=2"), "-g", "10").read_bytes()
    (folder / "half.mp4").write_bytes(copied[: len(copied) // 2])
    (folder / "swapped.mp4").write_bytes(whole)
    (folder / "removed.mp4").write_bytes(whole)
    (folder / "line.jsonl").write_text('{"video_id": "v", "clip_id": "c", ')
    (folder / "empty.mp4").touch()
    (folder / "a folder.mp4").mkdir()
    (folder / "nowhere.mp4").symlink_to(tmp_path / "nothing.mp4")
    said, outcomes = list[str](), dict[str, list[str]]()
    memory._parts.notify = said.append  # type: ignore[attr-defined]

    def watch(progress: Progress) -> None:
        name = Path(progress.source).name
        outcomes.setdefault(name, []).append(progress.receipt.outcome)
        if name == "half.mp4" and len(outcomes[name]) == 1:
            (folder / "removed.mp4").unlink()
            (folder / "half.mp4").write_bytes(copied)
        if name == "line.jsonl" and outcomes[name] == ["rejected"]:
            with (folder / "line.jsonl").open("a") as file:
                file.write('"t_start": 0, "t_end": 2, "analysis": {"clip_summary": "A dog barks.", "events": []}}\n')
        if name == "swapped.mp4" and len(outcomes[name]) == 1:
            (folder / "swapped.mp4").write_bytes(later)

    def came_back() -> None:
        """The folder goes and comes back, once all is as it should be."""
        try:
            assert _within(60, lambda: outcomes.get("line.jsonl") == ["rejected", "committed"])
            assert _within(60, lambda: outcomes.get("swapped.mp4") == ["committed", "committed"])
            folder.rename(away)
            assert _within(60, lambda: len(said) == 1)
            away.rename(folder)
            (folder / "last.mp4").write_bytes(later)
            assert _within(60, lambda: "last.mp4" in outcomes)
        finally:
            stop.set()

    going = Thread(target=came_back, daemon=True)
    going.start()
    report = memory.watch(folder, poll_s=0.2, settle_s=0.5, stop=stop, watch=watch)
    going.join(60)
    assert outcomes["half.mp4"] == ["rejected", "committed"] and outcomes["last.mp4"] == ["committed"]
    assert outcomes.keys() - {"removed.mp4"} == {"half.mp4", "swapped.mp4", "line.jsonl", "last.mp4"}
    assert said == [
        f"the folder {folder} {now}" for now in ("is not there any more; it is looked for again", "is back")
    ]
    found_gone = len(outcomes.get("removed.mp4", []))
    assert (report.failed, report.rejected) == (0, 2 + found_gone)


def _within(seconds: float, holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()
