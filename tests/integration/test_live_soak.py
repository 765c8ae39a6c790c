"""Many cameras for minutes, with kills of the process and of the database: nothing that was received is lost.

AMR_SOAK_SOURCES and AMR_SOAK_SECONDS: 50 cameras for 600 s unless set.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from shutil import which
from statistics import median, quantiles
from threading import Event, Thread

import pytest

from amr_neo4j import Memory, localdb
from amr_neo4j.settings import Settings
from tests.support.amr_command import amr_at
from tests.support.films import make, source
from tests.support.live_streams import free_port, served
from tests.support.real_ingest import heeding_ctrl_c

SOURCES = int(os.environ.get("AMR_SOAK_SOURCES", "50"))
SECONDS = float(os.environ.get("AMR_SOAK_SECONDS", "600"))
CLIP_SEC = 5
# a failed test leaves no process behind
_WITH_US = ["setpriv", "--pdeathsig", "KILL"] if which("setpriv") else []


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_nothing_received_is_lost(spare_server: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = localdb.start(spare_server)
    amr = amr_at(there, tmp_path / "data")
    more = {"TARGET_CLIP_SEC": str(CLIP_SEC), "AMR_LIVE_RECONNECT_SEC": "60", "AMR_LIVE_QUEUE_CLIPS": "1000"}
    for name, value in (amr.server | more).items():
        monkeypatch.setenv(name, value)
    encoded = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25")
    film = make(tmp_path / "film.ts", *source(f"testsrc=s=320x240:r=25:d={SECONDS + 60}"), *encoded)
    stop, random_moments = Event(), random.Random(4)
    ports = [free_port() for _ in range(SOURCES)]
    cameras = [Thread(target=_camera, args=(film, port, stop), daemon=True) for port in ports]
    for camera in cameras:
        camera.start()
    urls = [f"http://127.0.0.1:{port}/camera.ts" for port in ports]
    received: dict[tuple[str, str], str] = {}
    kills = {"process": 0, "database": 0}
    loads = [os.getloadavg()[0]]
    process = _started(urls)
    _await_first(tmp_path / "data" / "live.sqlite")
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        time.sleep(random_moments.uniform(0.1, 0.2) * SECONDS)
        received |= _received(tmp_path / "data" / "live.sqlite")
        loads.append(os.getloadavg()[0])
        if sum(kills.values()) % 2 == 0:
            process.kill()
            process.wait()
            kills["process"] += 1
        else:
            pid = localdb.status(spare_server).pid
            assert pid
            os.kill(pid, signal.SIGKILL)
            kills["database"] += 1
            localdb.start(spare_server)
        if process.poll() is not None:
            process = _started(urls)
    time.sleep(SECONDS / 10)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=1800)
    stop.set()
    received |= _received(tmp_path / "data" / "live.sqlite")
    _finish(urls)
    with Memory.open() as memory:
        states = {(each.video_id, each.clip_id): each for each in memory.receipts(limit=1_000_000)}
        lost = [key for key in received if key not in states or states[key].state != "committed"]
        videos = {video.video_id: video.clips for video in memory.videos()}
        committed = [each for each in states.values() if each.state == "committed"]
        lags = [
            (each.committed_at - each.ended_at).total_seconds()
            for each in committed
            if each.committed_at and each.ended_at
        ]
        hits = [each.behind_s for each in states.values() if each.behind_s is not None]
        sys.stderr.write(
            f"\n{SOURCES} sources, {SECONDS:g} s, kills {kills}, load {median(loads):.0f}; {len(videos)} videos, "
            f"clips: {len(received)} received, {len(committed)} committed, {len(lost)} lost; seconds from the end of "
            f"a clip to its commit: {_spread(lags)}; to its first hit: {_spread(hits)}; last run: {out[-400:]!r}\n"
        )
        assert not lost
        assert sum(videos.values()) == len(committed)
        found = amr.here("doctor", "--json", code=0)
        assert json.loads(found.stdout)


def _spread(seconds: list[float]) -> str:
    p50, p95 = quantiles(seconds, n=20)[9::9]
    return f"p50 {p50:.1f}, p95 {p95:.1f}, most {max(seconds):.1f} ({len(seconds)} clips)"


def _camera(film: Path, port: int, stop: Event) -> None:
    while not stop.is_set():
        process = served(film, port, SECONDS + 60)
        while process.poll() is None and not stop.wait(0.2):
            continue
        process.kill()
        process.wait()


def _started(urls: list[str]) -> subprocess.Popen[bytes]:
    command = [*_WITH_US, sys.executable, "-m", "tests.support.live_run", *urls]
    return subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=heeding_ctrl_c)  # noqa: PLW1509


def _finish(urls: list[str]) -> None:
    """One more run, over a source that is gone, takes up what was left."""
    command = [sys.executable, "-m", "tests.support.live_run", f"http://127.0.0.1:{free_port()}/none"]
    environment = os.environ | {"AMR_LIVE_RECONNECT_SEC": "0"}
    subprocess.run(command, env=environment, check=False, timeout=1800)


def _await_first(spool: Path) -> None:
    """Wait until a clip is committed, because the first start plans statements for a while."""
    for _ in range(600):
        if "committed" in _received(spool).values():
            return
        time.sleep(0.5)
    raise TimeoutError("no clip was committed")


def _received(file: Path) -> dict[tuple[str, str], str]:
    import sqlite3

    if not file.exists():
        return {}
    with suppress(sqlite3.OperationalError), sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        return {
            (video, clip): state for video, clip, state in db.execute("SELECT video_id, clip_id, state FROM clips")
        }
    return {}  # it is being made
