"""Live sources, served by a real ffmpeg, through the real command into a real Neo4j."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import numpy as np
import pytest

from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import local_ears
from tests.support.amr_command import Amr, Json, amr_at
from tests.support.films import make, source
from tests.support.live_streams import camera, endless, free_port
from tests.support.real_ingest import heeding_ctrl_c
from tests.support.rtsp_server import rtsp_camera
from tests.support.speaking import silence, spoken


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute with a key frame each second, as .ts and beside it as .mp4."""
    encoded = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-bf", "2", "-g", "25")
    ts = make(tmp_path_factory.mktemp("film") / "film.ts", *source("testsrc=s=320x240:r=25:d=60"), *encoded)
    make(ts.with_suffix(".mp4"), "-i", str(ts), "-c", "copy")
    return ts


@pytest.fixture
def amr(neo4j_connection: Connection, tmp_path: Path) -> Amr:
    """With clips of 2 s, and no second attempt where a source is lost."""
    server = amr_at(neo4j_connection, tmp_path / "data").server
    return Amr(server | {"TARGET_CLIP_SEC": "2", "AMR_LIVE_RECONNECT_SEC": "0", "AMR_FRAMES_PER_SECOND": "1"})


def clips(amr: Amr) -> list[Json]:
    return sorted(amr.items("receipts"), key=lambda each: (each["video_id"], each["t_start"]))


def running(amr: Amr, url: str, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "amr_neo4j", "ingest", url, *options]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env=amr.environment, preexec_fn=heeding_ctrl_c, **quiet)  # noqa: PLW1509


def seconds_between(one: str, other: str) -> float:
    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()


def await_clips(amr: Amr, number: int) -> None:
    """Until so many clips were received."""
    for _ in range(200):
        if len(clips(amr)) >= number:
            return
        time.sleep(0.1)
    raise TimeoutError(f"not {number} clips: {clips(amr)}")


@pytest.mark.parametrize("way", [*(pytest.param(way, marks=pytest.mark.soak) for way in ("http", "tcp")), "rtsp"])
def test_a_stream_is_cut_as_it_arrives_and_its_tail_is_a_clip(amr: Amr, film: Path, way: str, tmp_path: Path) -> None:
    by_rtsp = rtsp_camera(film.with_suffix(".mp4"), tmp_path, 6.5)
    with by_rtsp if way == "rtsp" else camera(film, free_port(), 6.5, way=way) as url:  # type: ignore[arg-type]
        report = amr.json("ingest", url)
    found = clips(amr)
    # The first key frame decides whether the tail is half a second after three clips or part of the third.
    assert len(found) in (3, 4) and {each["state"] for each in found} == {"committed"}
    assert (report["committed"], report["rejected"]) == (len(found), 0)
    assert found[0]["t_start"] == 0.0 and all(one["t_end"] == other["t_start"] for one, other in pairwise(found))
    assert found[-1]["t_end"] == pytest.approx(6.5, abs=0.3)
    [video] = amr.json("videos")["items"]
    assert video["uri"] == url
    for each in found:
        moments = [each[name] for name in ("received_at", "analysed_at", "committed_at")]
        assert moments == sorted(moments)
    [stands] = amr.json("status")
    assert (stands["running"], stands["committed"], stands["waiting"]) == ("ended", len(found), 0)
    assert 0 <= seconds_between(stands["started_at"], video["recorded_at"]) < 8


def test_a_password_is_neither_stored_nor_printed(amr: Amr, film: Path) -> None:
    with camera(film, free_port(), 3) as url:
        done = amr.here("ingest", url.replace("http://", "http://anna:secret@"))
    lost = amr.here("ingest", f"http://anna:secret@127.0.0.1:{free_port()}/x", code=69)
    assert "secret" not in done.stdout + done.stderr + lost.stderr + amr.here("videos").stdout
    assert "secret" not in amr.here("status").stdout
    data = Path(amr.server["AMR_DATA_DIR"])
    assert not any(b"secret" in file.read_bytes() for file in data.rglob("*") if file.is_file())


def test_ctrl_c_completes_the_clip_in_hand(amr: Amr, film: Path) -> None:
    with camera(film, free_port(), 60) as url, running(amr, url) as process:
        await_clips(amr, 1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 0
    found = clips(amr)
    assert {each["state"] for each in found} == {"committed"}
    [stands] = amr.json("status")
    assert (stands["running"], stands["waiting"]) == ("ended", 0)
    assert not left_processes(url)


def test_after_a_kill_the_clips_that_were_cut_are_taken_up(amr: Amr, film: Path) -> None:
    with camera(film, free_port(), 60) as url, running(amr, url) as process:
        await_clips(amr, 2)
        process.kill()
        process.wait()
    received = clips(amr)
    assert not left_processes(url), "the recording ends with its process"
    assert amr.json("status")[0]["running"] == "interrupted"
    with camera(film, free_port(), 3) as other:
        amr.here("ingest", other)
    assert len(amr.json("videos")["items"]) == 2, "a new recording beside the one that was cut off"
    after = clips(amr)
    assert {each["state"] for each in after} == {"committed"}
    assert {each["clip_id"] for each in received} <= {each["clip_id"] for each in after}
    doctor = amr.json("doctor", code=0)
    assert doctor


@pytest.mark.soak
def test_a_lost_source_is_tried_again_and_said_so(amr: Amr, film: Path) -> None:
    """The source comes twice, for 3 s each, and then is gone for good."""
    with endless(film, free_port(), (3.0, 3.0)) as url:
        report = amr.json("ingest", url, "--reconnect", "4", code=69)
    assert any("the connection was lost" in note for note in report["notes"])
    assert any("lost:" in note for note in report["notes"]) and not report["rejected"]
    found = clips(amr)
    assert len({each["video_id"] for each in found}) == 1, "one video, with a gap"
    gaps = [other["t_start"] - one["t_end"] for one, other in pairwise(found)]
    assert max(gaps) > 0.5 and all(gap >= 0 for gap in gaps)
    assert amr.json("status")[0]["reconnects"] >= 1


@pytest.mark.soak
def test_several_sources_at_once(amr: Amr, film: Path) -> None:
    with camera(film, free_port(), 4) as one, camera(film, free_port(), 4) as other:
        report = amr.json("ingest", one, other, "--place", "home")
    assert 4 <= report["committed"] <= 6, "of each source two clips, and what is left as a third"
    videos = amr.json("videos")["items"]
    assert {video["uri"] for video in videos} == {one, other}
    first, second = sorted(video["recorded_at"] for video in videos)
    assert seconds_between(first, second) < 4, "side by side: the second begins before the first has ended"


@pytest.mark.soak
def test_a_film_on_standard_input(amr: Amr, film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is live cannot be told, so that its wall clock is not known."""
    with film.open("rb") as data:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=data))
        amr.here("ingest", "-", "--target-clip-sec", "15")
    assert clips(amr)[-1]["t_end"] == pytest.approx(60, abs=0.2)
    assert amr.json("videos")["items"][0]["recorded_at"] is None


@pytest.mark.soak
@pytest.mark.parametrize("way", ["http", "tcp", "stdin"])
def test_what_is_said_is_heard_and_shown(
    amr: Amr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Literal["http", "tcp", "stdin"]
) -> None:
    if local_ears(load()) is None:
        pytest.skip("the local ears are not installed")
    lines = ("Please put the red book on the table near the window.", "The train to the city leaves at seven.")
    parts = [
        (silence(0.7), spoken(line, tmp_path, voice=f"en-us+{who}3")) for who, line in zip("fm", lines, strict=True)
    ]
    sound = np.concatenate([*(part for pair in parts for part in pair), silence(1.5)])
    film = tmp_path / "talk.ts"
    coded = ("-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-c:a", "aac", "-shortest", str(film))
    heard = ("-f", "f32le", "-ar", "16000", "-ac", "1", "-i", "pipe:")
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=10", *heard, *coded]
    subprocess.run(command, input=sound.tobytes(), check=True)
    if way == "stdin":
        with film.open("rb") as data:
            monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=data))
            amr.here("ingest", "-", "--target-clip-sec", "15")
    else:
        with camera(film, free_port(), len(sound) / 16_000, way=way) as url:
            amr.here("ingest", url, "--target-clip-sec", "15")
    [video] = amr.json("videos")["items"]
    said = amr.items("show", "video", video["video_id"], "--transcript")
    assert [each["speaker"] for each in said] == ["voice 1", "voice 2"]
    assert "window" in said[0]["utterance"] and "train" in said[1]["utterance"]
    page = tmp_path / "page.html"
    answer = amr.here("ask", "Who talked about the train?", "--html", str(page)).stdout
    assert "Voice 2" in answer and f"<p>“voice 2: {said[1]['utterance']}”</p>" in page.read_text()


def left_processes(url: str) -> list[str]:
    """Processes that still record this source."""
    found: list[str] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if url in line and "segment_time" in line:
            found.append(line)
    return found
