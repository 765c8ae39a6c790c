"""A full disk: derived files are given up first, nothing half-written stays, and what is there can be read."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j import Memory, disk_space
from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.errors import NoSpace
from amr_neo4j.settings import load
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.store.database import Database
from amr_neo4j.vectors import snapshot
from amr_neo4j.vectors.faiss_index import FaissIndex
from amr_neo4j.vectors.snapshot import Snapshot
from tests.support.small_disk import fill, small_disk

MB = 2**20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 24 * MB) as folder:
        yield folder


def snapshot_of(size: int, next_seq: int = 1) -> Snapshot:
    return Snapshot(next_seq, {"rows": np.ones(size, np.uint8)})


def test_a_snapshot_that_does_not_fit_leaves_the_old_one_and_no_part(disk: Path) -> None:
    path = disk / "vectors" / "here" / "event-m.npz"
    snapshot.write(path, snapshot_of(MB))
    with pytest.raises(OSError, match="No space left"):
        snapshot.write(path, snapshot_of(64 * MB, next_seq=2))
    found = snapshot.read(path)
    assert found and found.next_seq == 1
    assert [file.name for file in path.parent.iterdir() if file.suffix == ".part"] == []


def test_one_that_would_leave_too_little_for_the_queues_is_not_begun(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is accepted goes into the queues, on the same disk."""
    begun: list[Path] = []
    save = snapshot._save
    monkeypatch.setattr(snapshot, "_save", lambda part, given: (begun.append(part), save(part, given)))
    path = disk / "vectors" / "here" / "event-m.npz"
    snapshot.write(path, snapshot_of(MB))
    free = shutil.disk_usage(disk).free
    with pytest.raises(OSError, match="No space left"):
        snapshot.write(path, snapshot_of(free - disk_space.SPARE // 2, next_seq=2))
    assert len(begun) == 1
    assert shutil.disk_usage(disk).free == free


def test_nor_one_that_fails_on_the_way(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk fills up after the space was checked."""
    monkeypatch.setattr(snapshot, "fits", lambda folder, size: True)
    path = disk / "vectors" / "here" / "event-m.npz"
    snapshot.write(path, snapshot_of(MB))
    with pytest.raises(OSError, match="No space left"):
        snapshot.write(path, snapshot_of(64 * MB, next_seq=2))
    found = snapshot.read(path)
    assert found and found.next_seq == 1
    assert [file.name for file in path.parent.iterdir() if file.suffix == ".part"] == []


class NoVectors:
    """A graph without vectors."""

    def vectors_from(self, model: str, seq: int, limit: int) -> list[object]:
        return []


def test_an_index_that_cannot_be_saved_says_so_and_goes_on(disk: Path) -> None:
    fill(disk)
    lines: list[str] = []
    index = FaissIndex(NoVectors(), "m", 4, path=disk / "vectors" / "here" / "event-m.npz", notify=lines.append)  # type: ignore[arg-type]
    assert index.rebuild() == 0
    [line] = lines
    assert "was not saved (No space left on device)" in line
    assert index.search(np.ones(4, np.float32), 3, Scope("g")) == []
    index.close()


def test_derived_files_are_given_up_first_and_that_is_said(disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What is accepted is stored in the space that a snapshot had, and stays readable."""
    path = disk / "vectors" / "here" / "event-m.npz"
    snapshot.write(path, snapshot_of(8 * MB))
    spool = ClipSpool(disk / "clips.sqlite")
    fill(disk)
    spool.keep(clip(1))
    assert not path.exists()
    assert "the disk is full: removed 8.4 MB of index files" in caplog.text
    spool.close()
    again = ClipSpool(disk / "clips.sqlite")
    assert again.waiting("g") == {"v": 1}
    again.close()


def test_without_derived_files_nothing_is_accepted_and_nothing_is_lost(disk: Path) -> None:
    spool = ClipSpool(disk / "clips.sqlite")
    spool.keep(clip(0))
    fill(disk)
    with pytest.raises(NoSpace) as refused:
        for number in range(1, 9999):
            spool.keep(clip(number))
    assert refused.value.hint
    stored = spool.waiting("g")["v"]
    assert stored == number, "all that was acknowledged, and no more"
    spool.close()


def test_what_was_stored_is_read_on_a_full_disk(disk: Path) -> None:
    """SQLite cannot open a file with a write-ahead log there; writing is refused with the reason."""
    spool = ClipSpool(disk / "clips.sqlite")
    spool.keep(clip(0))
    spool.close()
    fill(disk)
    again = ClipSpool(disk / "clips.sqlite")
    assert again.waiting("g") == {"v": 1}
    with pytest.raises(NoSpace):
        again.keep(clip(1))
    assert again.waiting("g") == {"v": 1}
    again.close()
    with pytest.raises(NoSpace):
        ClipSpool(disk / "new.sqlite")


def test_other_files_are_never_removed(disk: Path) -> None:
    kept = [disk / "spool.sqlite", disk / "neo4j" / "data.npz", disk / "vectors" / "here" / "notes.txt"]
    for file in kept:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("kept")
    assert disk_space.make_room(disk) == 0
    fill(disk)
    assert disk_space.make_room(disk) == 0
    assert all(file.read_text() == "kept" for file in kept)


def clip(number: int) -> AnalysedClip:
    stretch = Clip(f"c{number}", number, number + 1)
    return AnalysedClip(
        Video("g", "v"), stretch, ClipAnalysis(clip_summary="x" * 5000, events=()), "test", f"sha{number}"
    )


@pytest.mark.soak
def test_doctor_reports_the_disk_first_and_never_nothing(disk: Path) -> None:
    """It does so whatever is broken, and also if its own checks fail unexpectedly."""
    fill(disk)
    environment = {**os.environ, "AMR_DATA_DIR": str(disk), "NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "x"}
    command = [sys.executable, "-m", "amr_neo4j", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    findings = json.loads(done.stdout)
    assert (findings[0]["check"], findings[0]["exit_code"]) == ("disk", 74)
    assert findings[0]["hint"]
    assert done.returncode == 74
    assert "Traceback" not in done.stderr


def test_what_does_not_fit_on_the_disk_of_a_server_is_told(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
    from amr_neo4j.server import jobs
    from tests.support.http_client import key_of, serving

    def work(*given: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setitem(jobs._WORK, "ingest", work)
    settings = load(data_dir=disk, group="home", neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0)
    with (
        Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory,
        serving(memory) as (stranger, keys),
    ):
        client = stranger.with_key(key_of(keys, "home", "anna"))
        begun = client.post("/uploads", name="film.mp4", size=64 * MB)
        place, offset, sent = f"/uploads/{begun['id']}", 0, None
        while sent is None or sent.status == 200:
            sent = client.call("PATCH", place, bytes(MB), headers={"Upload-Offset": str(offset)})
            offset = client.get(place)["offset"]
        told = "the disk of the server is full"
        assert (sent.status, sent.json["detail"], sent.json["exit_code"]) == (503, told, 74)
        assert client.call("DELETE", place).status == 200
        lines = client.post("/uploads", name="clips.jsonl", size=2)["id"]
        assert client.call("PATCH", f"/uploads/{lines}", b"{}", headers={"Upload-Offset": "0"}).status == 200
        job = client.call("POST", "/ingest", {"places": [f"upload:{lines}"]}).json["id"]
        deadline = time.monotonic() + 60
        while (done := client.get(f"/jobs/{job}"))["state"] != "failed":
            assert time.monotonic() < deadline, done
            time.sleep(0.05)
        assert done["error"] == f"{told} (free some space there, then go on)"


@pytest.mark.parametrize("claims", [[], ["The keys are on the shelf."]], ids=["before an event", "after one"])
def test_a_disk_that_fills_up_during_an_answer_is_told_in_its_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claims: list[str]
) -> None:
    """The client sees what to do, and the log no bug."""
    pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
    from amr_neo4j.server import app
    from tests.support.http_client import key_of, serving

    def ask(self: Memory, question: str, *, notify: Callable[[str], None]) -> None:
        for claim in claims:
            notify(claim)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    bugs: list[object] = []
    monkeypatch.setattr(Memory, "ask", ask)
    monkeypatch.setattr(app._log, "exception", lambda *given: bugs.append(given))
    settings = load(data_dir=tmp_path, group="home", neo4j_uri="bolt://127.0.0.1:9", store_wait_sec=0)
    with (
        Memory(settings, Database("bolt://127.0.0.1:9", "neo4j", "none"), notify=print) as memory,
        serving(memory) as (stranger, keys),
    ):
        client = stranger.with_key(key_of(keys, "home", "anna"))
        events = {"Accept": "text/event-stream"}
        reply = client.call("POST", "/ask", {"question": "Where are the keys?"}, headers=events)
    *told, last = reply.body.decode().removesuffix("\n\n").split("\n\n")
    assert told == [f"event: claim\ndata: {json.dumps(claim)}" for claim in claims]
    error = json.loads(last.removeprefix("event: error\ndata: "))
    assert reply.status == (200 if claims else 503)
    assert (error["status"], error["detail"], error["exit_code"]) == (503, "the disk of the server is full", 74)
    assert not bugs
