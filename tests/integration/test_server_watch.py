"""Folders and cameras of a machine elsewhere are taken in by a server. Real Neo4j, ffmpeg and sockets."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from amr_neo4j import InputError, Memory
from amr_neo4j.domain.receipt import IngestReport
from amr_neo4j.localdb import Connection
from tests.support.chatting import talking
from tests.support.films import make, source
from tests.support.rtsp_server import rtsp_camera

pytest.importorskip("fastapi", reason="the extra [serve] is not installed")
from amr_neo4j.server.client import Client
from amr_neo4j.server.keys import Keys
from tests.support.amr_command import Amr
from tests.support.http_client import Client as Wire
from tests.support.http_client import key_of, serving
from tests.support.real_ingest import heeding_ctrl_c

Served = tuple[Wire, Keys, Memory]
_BLUE = source("testsrc=s=320x240:r=25:d=3,noise=alls=40:allf=t")


@pytest.fixture(scope="module")
def served(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("data")
    with (
        talking(
            neo4j_connection, "box", folder, serve_sources="127.0.0.0/8", serve_requests_per_minute=6000
        ) as memory,
        serving(memory) as (wire, keys),
    ):
        yield wire, keys, memory


@pytest.fixture
def group(request: pytest.FixtureRequest) -> str:
    return f"watch-{os.getpid()}-{request.node.name}"


@pytest.fixture
def key(served: Served, group: str) -> str:
    return key_of(served[1], group, "anna", ("read", "write", "forget", "admin"))


class Road:
    """A way to a server. It counts what goes there, and breaks off what comes after `breaks_after` bytes."""

    def __init__(self, port: int) -> None:
        self._to, self.sent, self.breaks_after = port, 0, 10**12
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                Thread(target=self._pass, args=(near, far, True), daemon=True).start()
                Thread(target=self._pass, args=(far, near, False), daemon=True).start()

    def _pass(self, here: socket.socket, there: socket.socket, counts: bool) -> None:
        with suppress(OSError):
            while data := here.recv(2**16):
                if counts:
                    if self.sent > self.breaks_after:
                        break
                    self.sent += len(data)
                there.sendall(data)
        for each in (here, there):  # not closed, for the other thread still reads from them
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listening.close()


@contextmanager
def watching(client: Client, folder: Path) -> Iterator[list[IngestReport]]:
    """A program that watches the folder. Its report is there when it has ended."""
    stop, reports = Event(), list[IngestReport]()

    def run() -> None:
        reports.append(client.watch(folder, place="hall", poll_s=0.1, settle_s=0.3, stop=stop))

    thread = Thread(target=run)
    thread.start()
    try:
        yield reports
    finally:
        stop.set()
        thread.join(120)
    assert not thread.is_alive() and len(reports) == 1


def wait_until(there: Callable[[], object], seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.1)


def test_a_folder_is_taken_in_once(served: Served, key: str, tmp_path: Path) -> None:
    """Whatever breaks: a film is neither lost, nor sent, stored or remembered twice."""
    wire, road = served[0].with_key(key), Road(served[0].port)
    folder, said = tmp_path / "films", list[str]()
    folder.mkdir()
    film = make(folder / "hall.ts", *_BLUE, "-b:v", "3M", "-g", "25")
    size = film.stat().st_size

    def elsewhere() -> Client:
        return Client(f"http://127.0.0.1:{road.port}", key, notify=said.append)

    road.breaks_after = int(size * 0.7)
    with watching(elsewhere(), folder) as reports:
        wait_until(lambda: any("tried again" in line for line in said))
        road.breaks_after = 10**12
        wait_until(lambda: wire.get("/jobs")["total"] and wire.get("/jobs")["items"][0]["state"] == "completed")
        clips = wire.get("/receipts")["total"]
    assert clips and reports[0].committed + reports[0].failed == clips and not reports[0].rejected
    assert road.sent < 1.4 * size, "what had arrived was sent again"
    assert wire.get("/videos")["items"][0]["place"] == "hall"

    # The program starts again.
    road.sent = 0
    with watching(elsewhere(), folder) as reports:
        wait_until(lambda: road.sent)
        time.sleep(2)
    assert road.sent < size / 10 and wire.get("/jobs")["total"] == 1
    assert reports[0].committed + reports[0].failed == clips and not reports[0].rejected

    # The film grows: as another upload, the server would take it for another film.
    with film.open("ab") as file:
        file.write(film.read_bytes()[: size // 188 // 2 * 188])
    with watching(elsewhere(), folder) as reports:
        time.sleep(3)
    assert reports[0].rejected == 1 and "has changed since" in reports[0].errors[0]
    assert wire.get("/videos")["total"] == wire.get("/jobs")["total"] == 1
    assert len(list(served[2].settings.data_dir.glob("uploads/*/*/*/hall.ts"))) == 1
    film.write_bytes(film.read_bytes()[:size])

    # What is forgotten stays so, since the file was found and not named. Its job went with it.
    video_id = wire.get("/videos")["items"][0]["video_id"]
    assert wire.call("DELETE", f"/videos/{video_id}").status == 200
    assert wire.get("/jobs")["total"] == 0
    with watching(elsewhere(), folder):
        wait_until(lambda: wire.get("/jobs")["total"] and wire.get("/jobs")["items"][0]["state"] == "completed")
    assert wire.get("/videos")["total"] == 0
    elsewhere().ingest(film, found=True)
    assert wire.get("/videos")["total"] == 0
    named = elsewhere().ingest(film)
    assert named.committed + named.failed == clips, "who names it takes it in again"
    road.close()


def test_a_film_that_was_short_when_it_was_sent_is_known_again(served: Served, key: str, tmp_path: Path) -> None:
    wire, road, folder = served[0].with_key(key), Road(served[0].port), tmp_path / "films"
    folder.mkdir()
    film = make(folder / "hall.ts", *_BLUE, "-b:v", "3M", "-g", "25")
    whole = film.read_bytes()
    begun = 100_000 // 188 * 188
    film.write_bytes(whole[:begun])
    there = Client(f"http://127.0.0.1:{road.port}", key)
    with watching(there, folder) as reports:
        wait_until(lambda: wire.get("/jobs")["total"] and wire.get("/jobs")["items"][0]["state"] == "completed")
    assert not reports[0].rejected

    # Only the time of its change is another one.
    os.utime(film, (1, 1))
    road.sent = 0
    with watching(there, folder) as reports:
        wait_until(lambda: road.sent)
        time.sleep(2)
    assert road.sent < begun / 2 and not reports[0].rejected and wire.get("/jobs")["total"] == 1

    with film.open("ab") as file:
        file.write(whole[begun:])
    road.sent = 0
    with watching(there, folder) as reports:
        wait_until(lambda: road.sent)
        time.sleep(2)
    assert reports[0].rejected == 1 and "has changed since" in reports[0].errors[0]
    assert road.sent < begun / 2 and wire.get("/videos")["total"] == wire.get("/jobs")["total"] == 1
    road.close()


@pytest.mark.soak
def test_the_command_watches_for_a_server(served: Served, key: str, tmp_path: Path) -> None:
    wire, folder = served[0].with_key(key), tmp_path / "films"
    folder.mkdir()
    server = f"http://127.0.0.1:{served[0].port}"
    there = {"AMR_SERVER": server, "AMR_KEY": key, "AMR_DATA_DIR": str(tmp_path), "NEO4J_URI": "bolt://127.0.0.1:9"}
    command = [sys.executable, "-m", "amr_neo4j", "watch", str(folder), "--settle", "0.3", "--json"]
    running = subprocess.Popen(
        command,
        env=Amr(there).environment,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=heeding_ctrl_c,  # noqa: PLW1509
    )
    try:
        make(folder / "red.mp4", *source("color=red:s=320x240:r=25:d=1"))
        (folder / "broken.mp4").write_bytes(b"no film at all")
        wait_until(lambda: wire.get("/receipts")["total"])
        time.sleep(2)
        running.send_signal(signal.SIGINT)
        report, _ = running.communicate(timeout=60)
    finally:
        running.kill()
        running.wait()
    assert '"rejected": 1' in report and "broken.mp4 is no film" in report
    assert not list(served[2].settings.data_dir.glob("uploads/*/*/*/broken.mp4"))


def test_a_source_is_recorded_once_and_no_other_is_taken_for_it(served: Served, key: str) -> None:
    wire, camera = served[0].with_key(key), "rtsp://anna:{word}@127.0.0.1:9/view?channel={channel}"

    def add(channel: int, word: str = "one", **given: str) -> Any:
        url = camera.format(word=word, channel=channel)
        return wire.call("POST", "/sources", {"url": url, **given}).json

    first, other = add(1, place="porch"), add(2, place="porch")
    try:
        assert first["id"] != other["id"] and wire.get("/jobs")["total"] == 2
        assert add(1, place="porch")["id"] == first["id"]
        for refused in (add(1, place="garage"), add(1, "two", place="porch")):
            assert refused["status"] == 422 and first["id"] in refused["detail"], refused
            assert "anna" not in str(refused) and "one" not in refused["detail"].split()
        wire.post(f"/jobs/{first['id']}/cancel")
        again = add(1, place="porch")
        assert (again["id"], again["state"]) == (first["id"], "pending") and wire.get("/jobs")["total"] == 2
    finally:
        for job in (first, other):
            wire.post(f"/jobs/{job['id']}/cancel")


@pytest.mark.parametrize("command", ["ingest", pytest.param("explore", marks=pytest.mark.soak)])
def test_who_ends_a_command_is_told_that_the_server_goes_on(
    served: Served, key: str, tmp_path: Path, command: str
) -> None:
    wire = served[0].with_key(key)
    server = f"http://127.0.0.1:{served[0].port}"
    there = {"AMR_SERVER": server, "AMR_KEY": key, "AMR_DATA_DIR": str(tmp_path), "NEO4J_URI": "bolt://127.0.0.1:9"}
    if command == "ingest":
        given = [f"rtsp://127.0.0.1:9/view?channel={number}" for number in (1, 2)]
    else:
        film = make(tmp_path / "long.mp4", *source("testsrc=s=320x240:r=25:d=120"))
        given = [str(film), "-q", "Who comes in?", "--planner", "local"]
    running = subprocess.Popen(
        [sys.executable, "-m", "amr_neo4j", command, *given],
        env=Amr(there).environment,
        cwd=tmp_path,  # where the folder for the tree is made
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heeding_ctrl_c,  # noqa: PLW1509
    )
    jobs = list[Any]()
    try:
        wait_until(
            lambda: running.poll() is not None or wire.get("/jobs")["total"] == (2 if command == "ingest" else 1)
        )
        jobs = wire.get("/jobs")["items"]
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
        running.wait()
        for job in jobs:
            wire.call("POST", f"/jobs/{job['id']}/cancel")
    assert running.returncode == 130, said
    for job in jobs:
        assert f"amr jobs cancel {job['id']}" in said, said
    assert "--resume" not in said and "same command" not in said, said


def test_several_files_are_sent_one_by_one(served: Served, key: str, tmp_path: Path) -> None:
    there = Client(f"http://127.0.0.1:{served[0].port}", key)
    make(tmp_path / "red.mp4", *source("color=red:s=320x240:r=25:d=1"))
    (tmp_path / "broken.mp4").write_bytes(b"no film at all")
    report = there.ingest(tmp_path)
    assert (report.committed + report.failed, report.rejected) == (1, 1)
    with pytest.raises(InputError, match="is no film"):
        there.ingest(tmp_path / "broken.mp4")


def test_a_camera_that_is_named_is_recorded_by_the_server_once(served: Served, key: str, tmp_path: Path) -> None:
    there, wire = Client(f"http://127.0.0.1:{served[0].port}", key), served[0].with_key(key)
    film = make(tmp_path / "camera.mp4", *source("testsrc=s=320x240:r=25:d=20"), "-g", "25")
    with rtsp_camera(film, tmp_path, 12, says=12) as url:
        reports = list[IngestReport]()
        threads = [Thread(target=lambda: reports.append(there.ingest(url, place="porch"))) for _ in range(2)]
        threads[0].start()
        wait_until(lambda: wire.get("/jobs")["total"])
        threads[1].start()
        for thread in threads:
            thread.join(120)
    assert wire.get("/jobs")["total"] == 1 and len(reports) == 2 and reports[0] == reports[1]
    assert reports[0].committed + reports[0].failed
    with pytest.raises(InputError, match="may not be read"):
        there.ingest("rtsp://192.0.2.1/stream")
