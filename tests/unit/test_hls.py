"""The list of a live HLS source, over a real socket: each segment is read once, and what is missing is named."""

from __future__ import annotations

import base64
import itertools
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from amr_neo4j.domain.live import RecordedFile
from amr_neo4j.media import hls
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.media.hls import HlsList
from amr_neo4j.media.live_address import address
from amr_neo4j.media.live_source import LiveSource
from tests.support.films import make, source
from tests.support.live_streams import HlsServer, hls_list


@pytest.fixture
def served() -> Iterator[HlsServer]:
    with hls_list() as server:
        yield server


def names(*numbers: int) -> list[str]:
    return [f"{number}.ts" for number in numbers]


def listed(served: HlsServer, *numbers: int, without: int | None = None) -> None:
    """Show a list of these segments, of which all but one are there."""
    there = {name: b"x" for name in names(*numbers) if name != f"{without}.ts"}
    served.list(numbers[0], names(*numbers), there)


def reading(served: HlsServer) -> HlsList:
    return HlsList(served.url)


def opened(of: HlsList, served: HlsServer, name: str) -> bool:
    return of.opened(served.url.replace("live.m3u8", name))


def begins_at(of: HlsList) -> str:
    resumed = of.resume()
    assert resumed.options is not None, resumed.why
    return resumed.options[-1]


def test_a_segment_that_opened_while_the_list_failed_to_load_is_not_read_again(served: HlsServer) -> None:
    listed(served, 0, 1, 2)
    of = reading(served)
    opened(of, served, "0.ts")
    listed(served, 2, 3, 4)
    whole = served.files.pop("live.m3u8")
    opened(of, served, "3.ts")
    served.files["live.m3u8"] = whole
    assert begins_at(of) == "2"


def test_the_first_segments_are_known_also_if_the_list_failed_to_load_at_each(served: HlsServer) -> None:
    of = reading(served)
    opened(of, served, "0.ts")
    opened(of, served, "1.ts")
    listed(served, 0, 1, 2)
    assert begins_at(of) == "2"


def test_a_connection_that_begins_after_the_first_new_segment_is_given_up(served: HlsServer) -> None:
    """The list moves on between the look at it and ffmpeg's: the index then names a later segment."""
    listed(served, 0, 1, 2)
    of = reading(served)
    assert opened(of, served, "0.ts")
    assert begins_at(of) == "1"
    listed(served, 1, 2, 3)
    assert not opened(of, served, "2.ts")
    of.undo()
    assert begins_at(of) == "0"
    assert opened(of, served, "1.ts") and opened(of, served, "2.ts")


def test_a_list_that_always_moves_on_first_is_recorded_all_the_same(served: HlsServer) -> None:
    listed(served, 0, 1, 2)
    of = reading(served)
    opened(of, served, "0.ts")
    begun: list[bool] = []
    for _ in range(hls._MOST_LATE + 1):
        of.resume()
        begun.append(opened(of, served, "2.ts"))
        if not begun[-1]:
            of.undo()
    assert begun == [False] * hls._MOST_LATE + [True]
    assert of.late_by == 1, "the segment that it was too late for is named"


def test_a_missing_segment_is_awaited_then_named(served: HlsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(served, 0, 1, 2, without=1)
    of = reading(served)
    opened(of, served, "0.ts")
    of.missed(1)
    assert "not there yet" in of.resume().why
    monkeypatch.setattr(hls, "_MISSED_S", -1.0)
    monkeypatch.setattr(of, "target_s", -1.0)
    served.files["live.m3u8"] = served.files["live.m3u8"].replace(b"TARGETDURATION:1", b"TARGETDURATION:-1")
    resumed = of.resume()
    assert resumed.options and resumed.options[-1] == "2"
    assert resumed.notes == ("segment 1 of the list was missing",)


@pytest.mark.parametrize("address", ["http://[", "http://[::1", "//[x]/a.m3u8"])
def test_a_damaged_address_in_a_list_or_a_master_list_is_said(served: HlsServer, address: str) -> None:
    for text in (f"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{address}\n", f"#EXTM3U\n#EXTINF:1,\n{address}\n"):
        served.files["live.m3u8"] = text.encode()
        of = reading(served)
        of.opened("x")
        assert of.resume().why == "the list is damaged"


def test_a_connection_that_began_in_time_is_not_given_up_when_the_list_tells_it_later(served: HlsServer) -> None:
    """The list failed to load when its first segments were opened: the first of them counts, not the last."""
    listed(served, 0, 1, 2, 3)
    of = reading(served)
    opened(of, served, "0.ts")
    assert begins_at(of) == "1"
    of._segments = []
    whole = served.files.pop("live.m3u8")
    assert opened(of, served, "1.ts")
    served.files["live.m3u8"] = whole
    assert opened(of, served, "2.ts")


def test_a_password_reaches_the_server_as_it_is(served: HlsServer) -> None:
    listed(served, 0, 1)
    of = HlsList(served.url.replace("//", "//an%40na:p%2Fw%3Ad@"))
    of.opened("x")
    assert served.asked[-1][1] == "Basic " + base64.b64encode(b"an@na:p/w:d").decode()
    HlsList(served.url.replace("//", "//anna:%D1%88%E2%82%AC@")).opened("x")
    assert served.asked[-1][1] == "Basic " + base64.b64encode("anna:ш€".encode()).decode()
    assert HlsList(served.url.replace("//", "//anna@")).opened("x")
    assert served.asked[-1][1] == "Basic " + base64.b64encode(b"anna:").decode()


@pytest.mark.parametrize("reconnect_sec", [0.0, pytest.param(8.0, marks=pytest.mark.soak)])
def test_a_missing_segment_loses_none_but_itself(
    served: HlsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reconnect_sec: float
) -> None:
    """With ffmpeg: a list stands still at a missing segment, then goes on; with and without a new connection."""
    monkeypatch.setattr(hls, "_MISSED_S", 1.0)
    (tmp_path / "rec").mkdir()
    moving = source("testsrc=s=64x48:r=10:d=1")
    for n in (0, 2, 3):
        made = make(
            tmp_path / f"{n}.ts", *moving, "-c:v", "libx264", "-preset", "ultrafast", "-output_ts_offset", f"{n}"
        )
        served.files[f"{n}.ts"] = made.read_bytes()
    served.list(0, names(0, 1), {})
    live = LiveSource(
        address(served.url),
        tmp_path / "rec",
        target_sec=1,
        reconnect_sec=reconnect_sec,
        notify=print,
        first_wait_sec=0.25,
    )
    found: list[RecordedFile] = []
    recording = Thread(target=lambda: found.extend(live.clips(Event())), daemon=True)
    recording.start()
    time.sleep(2.5)
    served.list(0, names(0, 1, 2, 3), {}, ended=True)
    recording.join(25)
    assert not recording.is_alive() and not live.error
    assert sum(probe(each.path).duration_s or 0.0 for each in found) == pytest.approx(3.0, abs=0.35)
    assert [note for each in found for note in each.notes if "missing" in note] == [
        "segment 1 of the list was missing"
    ]


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_hours_with_stalls_lose_and_repeat_nothing_but_what_is_named(served: HlsServer, tmp_path: Path) -> None:
    """Six hours at 20 times their speed, with 20 stalls of four kinds. Each picture shows its number.

    The list stands still; the list is gone; the list moves on while the server is silent; a segment is missing.
    """
    hours, speed, window = float(os.environ.get("AMR_SOAK_HOURS", "6")), 20, 6
    count = int(hours * 3600 / SEGMENT_S)
    segments = _numbered_segments(tmp_path, count)
    stalls = dict(zip(range(25, count - 25, 50), itertools.cycle(("on", "still", "gone", "miss")), strict=False))
    (tmp_path / "rec").mkdir()
    live = LiveSource(
        address(served.url), tmp_path / "rec", target_sec=60, reconnect_sec=120, notify=print, first_wait_sec=0.25
    )
    found: list[RecordedFile] = []
    recording = Thread(target=lambda: found.extend(live.clips(Event())), daemon=True)
    silent_until = 0
    for newest in range(count):
        first = max(0, newest - window + 1)
        shown = range(first, newest + 1)
        kind = stalls.get(newest)
        if kind == "gone":
            served.files.pop("live.m3u8", None)
            time.sleep(8.0)
        elif kind == "still":
            time.sleep(8.0)
        new = {f"{newest}.ts": segments[newest].read_bytes()}
        served.list(
            first, names(*shown), {} if kind == "miss" else new, without=names(first - 1), ended=newest == count - 1
        )
        if kind == "on":
            silent_until = newest + 2 * window
        served.silent = newest < silent_until
        if newest == window:
            recording.start()
        time.sleep(SEGMENT_S / speed)
    recording.join(180)
    assert not recording.is_alive() and not live.error
    recorded = [number for each in found for number in _numbers(each.path)]
    notes = [note for each in found for note in each.notes]
    again = [number for number, times in Counter(recorded).items() if times > 1]
    whole = set(range(min(recorded), count * SEGMENT_S * FPS))
    # The last picture before a missing segment goes with it: ffmpeg holds it back until the next one begins.
    lost = Counter(number // (SEGMENT_S * FPS) for number in whole - set(recorded))
    missing = sorted(segment for segment, pictures in lost.items() if pictures > 1)
    sys.stderr.write(
        f"\n{len(found)} clips, {len(recorded)} pictures, {live.reconnects} reconnections, {len(stalls)} stalls; "
        f"pictures twice: {again}; segments lost: {missing}; {len(lost) - len(missing)} single "
        f"pictures; said: {notes}\n"
    )
    named = sum(int(each.split()[0]) if "gone before" in each else "was missing" in each for each in notes)
    assert not again and named == len(missing)


SEGMENT_S, FPS, BITS = 20, 2, 16


def _numbered_segments(folder: Path, count: int) -> list[Path]:
    """Segments whose pictures show their number, in black and white blocks."""
    command = [
        *(
            "ffmpeg",
            "-v",
            "error",
            "-y",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "gray",
            "-s",
            f"{8 * BITS}x16",
            "-r",
            str(FPS),
        ),
        *("-i", "-", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", str(FPS * SEGMENT_S)),
        *("-f", "segment", "-segment_time", str(SEGMENT_S), str(folder / "%d.ts")),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin
        for number in range(count * SEGMENT_S * FPS):
            bits = np.array([number >> bit & 1 for bit in range(BITS)], np.uint8) * 255
            process.stdin.write(np.tile(np.repeat(bits, 8), (16, 1)).tobytes())
    return [folder / f"{number}.ts" for number in range(count)]


def _numbers(path: Path) -> list[int]:
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-fps_mode", "passthrough"]
    command += ["-f", "rawvideo", "-pix_fmt", "gray", "-"]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    pictures = np.frombuffer(raw, np.uint8).reshape(-1, 16, 8 * BITS)
    return [int(sum((int(row[8 * bit + 4]) > 127) << bit for bit in range(BITS))) for row in pictures[:, 8]]
