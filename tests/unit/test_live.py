"""Live sources without a database: addresses, the queue between camera and analysis, cutting and joining files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.app.watching import Growing
from amr_neo4j.domain.live import RecordedFile, Recording, SpooledClip
from amr_neo4j.domain.video import Clip
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.live_clips import LagQueue, Waiting
from amr_neo4j.ingest.segment import segment, tiled
from amr_neo4j.media import live_address
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.media.live_address import address, is_live, without_secrets
from amr_neo4j.media.live_source import LiveSource
from amr_neo4j.media.recording_time import recording_time
from amr_neo4j.media.segmenter import RecordedSegment, SegmentList
from amr_neo4j.spool.live import LiveSpool
from tests.support.films import make, pattern, source
from tests.support.live_streams import camera, free_port, hls_list
from tests.support.rtsp_server import rtsp_camera
from tests.support.spooled_clips import VIDEO

NOW = datetime(2026, 11, 1, tzinfo=UTC)


# --- addresses


@pytest.mark.parametrize(
    ("place", "live"),
    [
        ("rtsp://camera/1", True),
        ("HTTPS://host/x.m3u8", True),
        ("/dev/video0", True),
        ("-", True),
        ("film.mp4", False),
        ("file:///etc/passwd", False),
        ("C:/film.mp4", False),
    ],
)
def test_what_is_a_live_source(place: str, live: bool) -> None:
    assert is_live(place) is live


def test_a_device_is_read_by_video4linux() -> None:
    found = address("/dev/video0")
    words = found.input_arguments()
    assert words[words.index("-f") + 1] == "v4l2" and words[-2:] == ["-i", "/dev/video0"]
    assert not found.is_encoded


@pytest.mark.parametrize("url", ["http://h/a", "https://h/a", "rtsp://h/a", "rtmp://h/a", "tcp://h:1", "udp://:1234"])
def test_no_source_may_open_a_file(url: str) -> None:
    words = address(url).input_arguments()
    allowed = words[words.index("-protocol_whitelist") + 1].split(",")
    assert not {"file", "concat", "subfile", "data", "pipe"} & set(allowed)
    assert "concat" not in words[words.index("-format_whitelist") + 1].split(",")


@pytest.mark.parametrize("url", ["rtsp://anna:it's@h/a", "rtsps://anna:x@h/a?token=2", "srt://h:1?passphrase=long"])
def test_a_secret_of_a_camera_is_no_argument_of_ffmpeg(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any user of the machine reads the arguments of its processes. ffmpeg before 5 has no other way."""
    monkeypatch.setattr(live_address, "version", lambda: (5, 1))
    found = address(url)
    words = found.input_arguments()
    assert not any(found.opened in word or "anna" in word or "passphrase" in word for word in words)
    assert words[-2:] == ["-i", "pipe:0"] and found.opened.replace("'", "'\\''") in found.script
    allowed = words[words.index("-protocol_whitelist") + 1].split(",")
    assert not {"file", "concat", "subfile", "data"} & set(allowed)
    monkeypatch.setattr(live_address, "version", lambda: (4, 4))
    assert found.input_arguments()[-1] == url and not found.script


def test_a_recorder_with_a_password_is_recorded_to_its_end(tmp_path: Path) -> None:
    """Its length is known from its description, so that it is not taken for a camera that was lost."""
    film = make(tmp_path / "f.mp4", *source("testsrc=s=64x48:r=10:d=3"), "-c:v", "libx264", "-g", "10", "-bf", "0")
    seen: set[bytes] = set()
    with rtsp_camera(film, tmp_path, 3, says=3) as url:
        to = address(url.replace("//", "//anna:secret@"))
        live = LiveSource(to, tmp_path, target_sec=1, reconnect_sec=60.0, notify=print)
        with _watching(seen):
            found = list(live.clips(Event()))
    assert found[-1].end == pytest.approx(3.0, abs=0.3) and not live.reconnects and not live.error
    ours = [line for line in seen if b"ffmpeg" in line and str(tmp_path).encode() in line]
    assert ours and not any(b"secret" in line for line in ours)


@pytest.mark.parametrize("secret", [pytest.param("", marks=pytest.mark.soak), "anna:secret@"])
def test_a_camera_that_says_it_has_no_length_is_tried_again_when_lost(tmp_path: Path, secret: str) -> None:
    film = make(tmp_path / "f.mp4", *source("testsrc=s=64x48:r=10:d=2"), "-c:v", "libx264", "-g", "10", "-bf", "0")
    with rtsp_camera(film, tmp_path, 1, says=0) as url:
        to = address(url.replace("//", f"//{secret}"))
        live, stop = LiveSource(to, tmp_path, target_sec=9, reconnect_sec=60.0, notify=print), Event()
        for _, clip in zip(range(2), live.clips(stop), strict=False):
            if clip.start:
                stop.set()
    assert live.reconnects == 1 and live.dated_by == "arrival"


@contextmanager
def _watching(seen: set[bytes]) -> Iterator[None]:
    """Collect the command lines of all processes, as any user of the machine can."""
    over = Event()

    def watch() -> None:
        while not over.wait(0.1):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                with suppress(OSError):
                    seen.add(file.read_bytes())

    thread = Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("wrong", ["gopher://h/x", "concat://a", "rtsp://", "http://h/a b", "http://h:99999999/"])
def test_other_addresses_are_refused(wrong: str) -> None:
    with pytest.raises(InputError) as refused:
        address(wrong)
    assert refused.value.hint


def test_a_password_is_not_shown_and_does_not_matter() -> None:
    one, other = address("rtsp://anna:x@cam/1?token=2"), address("rtsp://ben:y@cam/1?token=2")
    assert one.shown == "rtsp://cam/1" and one.key == other.key
    assert one.key != address("rtsp://cam/1?token=3").key
    assert "anna" not in repr(one) and "token" not in repr(one)


@given(st.text("ab:@#$%!", min_size=1), st.sampled_from(["", "'", ":", " refused"]))
def test_no_message_shows_what_gives_access(password: str, end: str) -> None:
    """Also of addresses that are not the source's own, such as the files of a playlist."""
    said = f"[hls] Failed to open segment https://anna:{password}@cdn.example:8443/a/1.ts?token=12{end}"
    shown = without_secrets(said)
    assert "anna" not in shown and "token" not in shown
    assert "cdn.example:8443/a/1.ts" in shown


def test_a_playlist_cannot_name_a_file_of_this_machine(tmp_path: Path) -> None:
    """Over http, from a real server: ffmpeg refuses the entry, and nothing is recorded."""
    import http.server
    from functools import partial

    secret = pattern(tmp_path / "secret.ts", 3)
    (tmp_path / "list.m3u8").write_text(
        f"#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nfile://{secret}\n#EXT-X-ENDLIST\n"
    )
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        (tmp_path / "out").mkdir()
        live = recorder(f"http://127.0.0.1:{server.server_port}/list.m3u8", tmp_path / "out")
        assert not list(live.clips(Event()))
        assert live.error
        server.shutdown()


# --- the queue


def waiting(number: int) -> Waiting:
    return Waiting(Clip(f"c{number}", number * 10.0, number * 10.0 + 10.0))


def drained(queue: LagQueue) -> tuple[list[str], list[str]]:
    """(analysed, dropped), once it is closed."""
    queue.close()
    items = list(iter(queue.take, None))
    return [w.clip.clip_id for w in items if not w.dropped], [w.clip.clip_id for w in items if w.dropped]


@given(st.integers(1, 8), st.integers(0, 40), st.sampled_from(["drop", "sample"]))
def test_nothing_disappears_and_the_queue_is_bounded(most: int, count: int, on_lag: str) -> None:
    """Every clip is analysed or reported as dropped, each in order; what waits never exceeds the limit."""
    queue = LagQueue(most, on_lag)  # type: ignore[arg-type]
    for number in range(count):
        queue.put(waiting(number), Event())
        assert len(queue) <= most
    analysed, dropped = drained(queue)
    assert sorted([*analysed, *dropped], key=lambda name: int(name[1:])) == [f"c{n}" for n in range(count)]
    assert analysed == sorted(analysed, key=lambda name: int(name[1:]))
    assert count == 0 or analysed[-1] == f"c{count - 1}", "the newest is kept"


def test_drop_keeps_the_newest_and_sample_keeps_the_spread() -> None:
    kept: dict[str, list[str]] = {}
    for on_lag in ("drop", "sample"):
        queue = LagQueue(4, on_lag)  # type: ignore[arg-type]
        for number in range(8):
            queue.put(waiting(number), Event())
        kept[on_lag] = drained(queue)[0]
    assert kept == {"drop": ["c4", "c5", "c6", "c7"], "sample": ["c3", "c5", "c6", "c7"]}


def test_wait_holds_the_source_until_there_is_room() -> None:
    full: list[bool] = []
    queue = LagQueue(1, "wait", full.append)
    queue.put(waiting(0), Event())
    putting = Thread(target=queue.put, args=(waiting(1), Event()))
    putting.start()
    time.sleep(0.1)
    assert putting.is_alive() and full == [True]
    assert queue.take() == waiting(0)
    putting.join(5)
    assert full == [True, False] and drained(queue) == (["c1"], [])


# --- recording


def recorder(url: str, folder: Path, seconds: float = 2.0) -> LiveSource:
    return LiveSource(address(url), folder, target_sec=seconds, reconnect_sec=0.0, notify=print)


def test_each_clip_is_a_whole_file_and_a_stop_completes_the_last(tmp_path: Path) -> None:
    film = make(tmp_path / "film.ts", *source("testsrc=s=160x120:r=25:d=30"), "-c:v", "libx264", "-g", "25")
    (tmp_path / "out").mkdir()
    stop = Event()
    with camera(film, free_port(), 30) as url:
        live = recorder(url, tmp_path / "out")
        found = []
        for cut in live.clips(stop):
            found.append(cut)
            stop.set()
    assert len(found) >= 2
    for cut in found:
        assert probe(cut.path).duration_s == pytest.approx(cut.end - cut.start, abs=0.15)
    assert live.recorded_at and abs((datetime.now(UTC) - live.recorded_at).total_seconds()) < 30


class Connection:
    """A Segmenter that has recorded ten seconds in one file. since: when they arrived, in seconds after NOW."""

    duration_s, created, is_faster, complaint, reached, moved_at = None, "", False, "broken off", 10.0, 0.0
    is_hls, missed, skipped = False, None, ()

    def __init__(self, folder: Path, since: float, **other: object) -> None:
        self.wall_start = NOW + timedelta(seconds=since)
        self._files = [RecordedSegment(folder / "c.mkv", 0.0, 10.0, self.wall_start + timedelta(seconds=10))]
        self.__dict__.update(other)

    def poll(self, wait_sec: float) -> bool:
        return False

    def closed(self) -> list[RecordedSegment]:
        return self._files

    def unlisted(self) -> list[RecordedSegment]:
        return []

    def close(self) -> int:
        return 1


@pytest.mark.parametrize("recorded_at", [None, NOW - timedelta(days=300)])
@pytest.mark.parametrize("is_film", [False, True])
def test_what_is_missing_is_as_long_as_the_source_was_away(
    tmp_path: Path, recorded_at: datetime | None, is_film: bool
) -> None:
    """That holds with and without a wall clock. Of a film nothing is missing. A failed attempt is no connection."""
    kinds = {"is_faster": is_film, "created": "1970-01-01T00:00:00Z"}
    connections = [Connection(tmp_path, since, **kinds) for since in (0.0, 15.0, 16.0, 40.0)]
    connections[1]._files = []
    stop, found = Event(), list[tuple[float, float]]()
    live = LiveSource(
        address("rtsp://c/1"),
        tmp_path,
        target_sec=10,
        reconnect_sec=9.0,
        notify=print,
        recorded_at=recorded_at,
        first_wait_sec=0.0,
        connect=lambda *_, **__: connections.pop(0),  # type: ignore[arg-type, return-value]
    )
    for cut in live.clips(stop):
        found.append((cut.start, cut.end))
        if not connections:
            stop.set()
    starts = (0.0, 10.0, 20.0) if is_film else (0.0, 16.0, 40.0)
    assert found == [(start, start + 10.0) for start in starts]
    assert live.reconnects == 2 and live.away_s == (0.0 if is_film else 20.0)
    assert live.arrived_at == (None if is_film else NOW)
    assert live.recorded_at == (recorded_at or live.arrived_at), "1970 is no clock that somebody set"
    assert live.dated_by == ("given" if recorded_at else "" if is_film else "arrival")


@pytest.mark.soak  # by the clock: on a busy machine the list moves on before ffmpeg has read it
def test_each_segment_of_a_live_list_is_recorded_once(tmp_path: Path) -> None:
    """The list stands still, then goes on with a segment that comes late, and ends. Names of segments come again."""
    moving = source("testsrc=s=64x48:r=10:d=1")
    files = [
        make(tmp_path / f"{n}.ts", *moving, "-c:v", "libx264", "-preset", "ultrafast", "-output_ts_offset", f"{n}")
        for n in range(4)
    ]
    (tmp_path / "rec").mkdir()
    with hls_list() as served:
        names = [f"{n % 2}.ts" for n in range(4)]
        served.list(0, names[:2], {each: file.read_bytes() for each, file in zip(names, files[:2], strict=False)})
        live = LiveSource(
            address(served.url),
            tmp_path / "rec",
            target_sec=1,
            reconnect_sec=20.0,
            notify=print,
            stall_sec=1.0,
            first_wait_sec=0.25,
        )
        found: list[RecordedFile] = []
        recording = Thread(target=lambda: found.extend(live.clips(Event())), daemon=True)
        recording.start()
        time.sleep(4.0)
        served.list(2, names[2:], {names[2]: files[2].read_bytes()}, without={names[3]})
        time.sleep(1.5)
        served.list(2, names[2:], {names[3]: files[3].read_bytes()})
        time.sleep(0.5)
        served.list(2, names[2:], {}, ended=True)
        recording.join(10)
        assert not recording.is_alive() and not live.error
    assert sum(probe(each.path).duration_s or 0.0 for each in found) == pytest.approx(4.0, abs=0.4)
    lost = [note for each in found for note in each.notes]
    # It stood still for 4 s, of which the two seconds that were listed at once are not missing.
    assert 1.5 < live.away_s < 5.0 and len(lost) == live.reconnects <= 2, lost


def test_the_spool_keeps_clips_and_what_became_of_them(tmp_path: Path) -> None:
    spool = LiveSpool(tmp_path / "live.sqlite")
    spool.begin(Recording("g", "v", "rtsp://cam", NOW, str(tmp_path)))
    for number in range(3):
        spool.receive("g", SpooledClip("v", f"c{number}", f"/{number}", number * 2.0, number * 2.0 + 2, NOW))
    spool.receive("g", SpooledClip("v", "c0", "/other", 0.0, 2.0, NOW))
    spool.mark("g", "v", "c0", "committed", NOW)
    spool.mark("g", "v", "c1", "analysed", NOW)
    spool.close()
    spool = LiveSpool(tmp_path / "live.sqlite")
    assert [(c.clip_id, c.state, c.path) for c in spool.clips("g")] == [
        ("c0", "committed", "/0"),
        ("c1", "analysed", "/1"),
        ("c2", "received", "/2"),
    ]
    assert [clip.clip_id for clip in spool.waiting("g", "v")] == ["c1", "c2"]
    assert spool.kept_files() == ["/0"], "what waits is never removed"
    assert not spool.clips("other group")
    assert spool.forget("g") == [str(tmp_path)] and not spool.clips("g")


# --- files


def test_a_file_is_complete_once_it_has_not_changed_for_a_while() -> None:
    growing, film = Growing(5.0), Path("film.mp4")
    assert growing.complete({film: (10, 1)}, 0.0) == []
    assert growing.complete({film: (20, 2)}, 4.0) == []
    assert growing.complete({film: (20, 2)}, 8.0) == []
    assert growing.complete({film: (20, 2)}, 9.0) == [(film, (20, 2))]


def test_a_short_remainder_joins_the_clip_before_it_unless_memory_has_it() -> None:
    from dataclasses import replace

    video = replace(VIDEO, duration_s=31.5)
    assert [clip.t_end for clip in tiled(video, 10.0, ())] == [10.0, 20.0, 31.5]
    known = [clip.clip_id for clip in segment(31.5, 10.0)]
    assert [clip.t_end for clip in tiled(video, 10.0, known)] == [10.0, 20.0, 30.0, 31.5]
    assert [clip.t_end for clip in tiled(video, 1.0, ())][-2:] == [31.0, 31.5], "half a clip is no short remainder"


@pytest.mark.parametrize(
    ("name", "created", "expected"),
    [
        ("cam-20260301T091530Z", "", "2026-03-01T09:15:30+00:00"),
        ("2026-03-01 09.15.30+0100", "", "2026-03-01T09:15:30+01:00"),
        ("ch01_20260301091530Z", "2020-01-01T00:00:00Z", "2026-03-01T09:15:30+00:00"),
        ("holiday", "2025-05-05T05:05:05.000000Z", "2025-05-05T05:05:05+00:00"),
        ("holiday", "1970-01-01T00:00:00Z", None),
        ("holiday 2026-03-01", "", None),
        ("cam-20260231T091530Z", "", None),
        ("cam-20990301T091530Z", "", None),
        ("x1202603010915301", "rubbish", None),
        ("VID_20260301_091530", "", "2026-03-01T09:15:30+01:00"),
        ("VID_20260701_091530", "", "2026-07-01T09:15:30+02:00"),
        ("PXL_20260301_081530123", "2026-03-01T08:15:30Z", "2026-03-01T08:15:30+00:00"),
        ("2026_0301_091530_012F", "", "2026-03-01T09:15:30+01:00"),
        ("260301_091530_012_FH", "", "2026-03-01T09:15:30+01:00"),
        ("EVT_2026_0301_091530", "", "2026-03-01T09:15:30+01:00"),
        ("FILE260301-091530F", "", "2026-03-01T09:15:30+01:00"),
        ("FILE260301-091530-000123F", "", "2026-03-01T09:15:30+01:00"),
        ("FILE0301", "", None),
        ("NO20260301-091530-000001F", "", "2026-03-01T09:15:30+01:00"),
        ("REC_2026_03_01_09_15_30_F", "", "2026-03-01T09:15:30+01:00"),
        ("WhatsApp Video 2026-03-01 at 09.15.30", "", "2026-03-01T09:15:30+01:00"),
        ("Screen Recording 2026-03-01 at 9.15.30\u202fPM", "", "2026-03-01T21:15:30+01:00"),
        ("Screen Recording 2026-03-01 at 12.15.30 AM", "", "2026-03-01T00:15:30+01:00"),
        ("Bildschirmaufnahme 2026-03-01 um 09.15.30", "", "2026-03-01T09:15:30+01:00"),
        ("RPReplay_Final1772352930", "", "2026-03-01T08:15:30+00:00"),
        ("front_door-1772352930.123456-a1b2c3", "", "2026-03-01T08:15:30+00:00"),
        ("front_door-1772352930.5-1772352960.5", "", "2026-03-01T08:15:30+00:00"),
        ("recordings/2026-03-01/08/front_door/15.30", "", "2026-03-01T08:15:30+00:00"),
        ("holiday", "2026-03-01T09:15:30+0100", "2026-03-01T09:15:30+01:00"),
        ("holiday", "1904-01-01T00:00:00Z", None),
        ("1970-01-01 00.00.00", "2026-03-01T08:15:30Z", "2026-03-01T08:15:30+00:00"),
        ("Scene 2026-03-01 take 12", "", None),
    ],
)
def test_the_wall_clock_by_name_or_container(name: str, created: str, expected: str | None) -> None:
    """A clock without a zone is local, with the offset of its own day."""
    found = recording_time(Path(f"{name}.mp4"), created, NOW, ZoneInfo("Europe/Berlin"))
    assert (found and found[0].isoformat()) == expected


def test_a_source_that_sends_nothing_is_lost(tmp_path: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x"
        live = LiveSource(address(url), tmp_path, target_sec=2, reconnect_sec=0.0, notify=print, stall_sec=0.5)
        assert not list(live.clips(Event()))
    assert "no picture for 0.5 s" in live.error


def test_a_receipt_of_another_day_says_which() -> None:
    from amr_neo4j.cli.watch import _time

    now = datetime.now(UTC)
    assert len(_time(now)) == len("12:00:00") and _time(None) == ""
    assert _time(now - timedelta(days=2)).startswith(f"{(now - timedelta(days=2)).astimezone():%Y-%m-%d} ")


def test_of_a_list_that_grows_only_what_is_new_is_read(tmp_path: Path) -> None:
    file = tmp_path / "c0001.csv"
    growing = SegmentList(file)
    assert growing.new() == []
    rows = [f"c0001-{n:06d}.mkv,{n * 5:.6f},{n * 5 + 5:.6f}\n" for n in range(3)]
    file.write_text(rows[0] + rows[1][:10])
    assert [each.start for each in growing.new()] == [0.0]
    file.write_text("#" * len(rows[0]) + rows[1] + rows[2])  # what was read is not looked at again
    assert [(each.path.name, each.start, each.end) for each in growing.new()] == [
        ("c0001-000001.mkv", 5.0, 10.0),
        ("c0001-000002.mkv", 10.0, 15.0),
    ]
    assert growing.new() == []


def test_a_clip_and_how_its_recording_stands_are_stored_together(tmp_path: Path) -> None:
    spool = LiveSpool(tmp_path / "live.sqlite")
    spool.begin(Recording("g", "v", "rtsp://camera", NOW, str(tmp_path), ""))
    later = NOW + timedelta(seconds=5)
    spool.receive("g", SpooledClip("v", "c0", "/0", 0.0, 2.0, later), reconnects=2, away_s=1.5)
    [(_, stands)] = spool.recordings("g")
    assert (stands["reconnects"], stands["away_s"], stands["seen_at"]) == (2, 1.5, later)
    spool.mark("g", "v", "c0", "committed", NOW + timedelta(seconds=9), behind_s=4.0)
    [(_, stands)] = spool.recordings("g")
    assert (stands["behind_s"], stands["reconnects"], stands["seen_at"]) == (4.0, 2, NOW + timedelta(seconds=9))
    assert [clip.state for clip in spool.clips("g")] == ["committed"]


def test_clips_of_the_spool_are_ordered_by_time_with_and_without_a_fraction_of_a_second(tmp_path: Path) -> None:
    spool = LiveSpool(tmp_path / "live.sqlite")
    spool.begin(Recording("g", "v", "rtsp://camera", NOW, str(tmp_path)))
    whole = NOW.replace(microsecond=0)
    times = [whole, whole + timedelta(microseconds=1), whole + timedelta(seconds=0.5), whole + timedelta(seconds=1)]
    for number, at in reversed(list(enumerate(times))):
        spool.receive("g", SpooledClip("v", f"c{number}", f"/{number}", 0.0, 2.0, at))
        spool.mark("g", "v", f"c{number}", "committed", at)
    assert [(clip.clip_id, clip.received_at) for clip in spool.clips("g")] == [
        (f"c{number}", at) for number, at in enumerate(times)
    ]
    assert [spool.rate("g", "v", since) for since in times] == [4, 3, 2, 1]
    assert spool.kept_files() == [f"/{number}" for number in range(4)]
