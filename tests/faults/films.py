"""Odd films, by the real command: taken, or refused in a line with advice and nothing written."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.faults.tally import Tally, command
from tests.support.amr_command import Amr
from tests.support.films import header_alone, make, pattern, source, stump

_TONE = source("sine=d=1")


def _picture(size: str = "64x48", rate: str = "25", seconds: float = 1) -> tuple[str, ...]:
    return source(f"testsrc=s={size}:r={rate}:d={seconds}")


def _with_bytes(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def _damaged(path: Path, step: int) -> None:
    """The film with one byte in every `step` flipped."""
    data = bytearray(pattern(path, 1).read_bytes())
    for at in range(step, len(data), step):
        data[at] ^= 255
    path.write_bytes(data)


def _cut(path: Path, share: float) -> None:
    data = pattern(path, 1).read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


def _beside(path: Path, text: str) -> None:
    """A script named as a film, beside a film that it names."""
    make(path.with_name("secret.ts"), *_picture())
    path.write_text(text)


FILMS: dict[str, Callable[[Path], object]] = {
    "empty.mp4": lambda path: path.touch(),
    "one-byte.mp4": _with_bytes(b"\0"),
    "text.mp4": _with_bytes(b"not a film\n" * 99),
    "zeros.mp4": _with_bytes(bytes(99_999)),
    "ftyp.mp4": _with_bytes(b"\0\0\0\x20ftypisom" + b"\0" * 999),
    "endless-box.mp4": _with_bytes(b"\xff\xff\xff\xffmoov" + b"\xff" * 999),
    "ebml.mkv": _with_bytes(b"\x1a\x45\xdf\xa3" + b"\x01" * 999),
    "riff.avi": _with_bytes(b"RIFF\xff\xff\xff\xffAVI LIST" + b"\xff" * 999),
    "sync.ts": _with_bytes((b"\x47" + bytes(187)) * 99),
    "header.mp4": header_alone,
    "stump.mp4": stump,
    "stump.mkv": stump,
    "indexless.mp4": lambda path: stump(path, index_first=False),
    **{f"cut-{n}.mp4": lambda path, n=n: _cut(path, n / 10) for n in range(1, 10)},
    **{f"cut-{n}.mkv": lambda path, n=n: _cut(path, n / 10) for n in range(1, 10)},
    **{f"damaged-{n}.ts": lambda path, n=n: _damaged(path, n) for n in (7, 100, 997, 5000)},
    **{f"damaged-{n}.mp4": lambda path, n=n: _damaged(path, n) for n in (7, 100, 997, 5000)},
    "sound.mp4": lambda path: make(path, *_TONE),
    "sound.mkv": lambda path: make(path, *_TONE),
    "silent.mkv": lambda path: make(path, *_picture()),
    "one-frame.mp4": lambda path: make(path, *_picture(), "-frames:v", "1"),
    "one-frame.mkv": lambda path: make(path, *_picture(), "-frames:v", "1"),
    "two-frames.avi": lambda path: make(path, *_picture(), "-frames:v", "2"),
    "picture.png": lambda path: make(path, *_picture(), "-frames:v", "1"),
    "picture.jpg": lambda path: make(path, *_picture(), "-frames:v", "1"),
    "drawing.gif": lambda path: make(path, *_picture()),
    "odd-size.mkv": lambda path: make(path, *_picture("65x49"), "-pix_fmt", "yuv444p"),
    "narrow.mkv": lambda path: make(path, *_picture("2x480"), "-c:v", "ffv1"),
    "flat.mkv": lambda path: make(path, *_picture("480x2"), "-c:v", "ffv1"),
    "tiny.mkv": lambda path: make(path, *source("color=s=2x2:d=1"), "-c:v", "ffv1"),
    "huge.mkv": lambda path: make(path, *source("color=s=8000x6000:r=2:d=1"), "-c:v", "ffv1"),
    "wide.mkv": lambda path: make(path, *source("color=s=16000x16:r=2:d=1"), "-c:v", "ffv1"),
    "slow.mkv": lambda path: make(path, *_picture(rate="1/3", seconds=9)),
    "fast.mkv": lambda path: make(path, *_picture(rate="1000", seconds=0.5)),
    "ntsc.mov": lambda path: make(path, *_picture(rate="30000/1001")),
    "odd-base.mp4": lambda path: make(path, *_picture(rate="997"), "-video_track_timescale", "1234567"),
    "late.mkv": lambda path: make(path, "-itsoffset", "3600", *_picture()),
    "late.ts": lambda path: make(path, *_picture(), "-output_ts_offset", "90000"),
    "sound-first.mkv": lambda path: make(path, *source("sine=d=4"), "-itsoffset", "3", *_picture()),
    "picture-short.mp4": lambda path: make(path, *_picture(), *source("sine=d=5")),
    "many.mkv": lambda path: make(
        path, *(_TONE * 30), *_picture(), *(a for n in range(31) for a in ("-map", str(n)))
    ),
    "two-pictures.mkv": lambda path: make(path, *_picture(), *_picture("32x32"), "-map", "0", "-map", "1"),
    "mkv-named.mp4": lambda path: make(path, *_picture(), "-f", "matroska"),
    "ts-named.mov": lambda path: make(path, *_picture(), "-f", "mpegts"),
    "mp4-named.txt": lambda path: make(path, *_picture(), "-f", "mp4"),
    "raw.h264": lambda path: make(path, *_picture(), "-f", "h264"),
    "mjpeg.avi": lambda path: make(path, *_picture(), "-c:v", "mjpeg"),
    "mpeg2.mpg": lambda path: make(path, *_picture()),
    "wmv.wmv": lambda path: make(path, *_picture()),
    "flv.flv": lambda path: make(path, *_picture(), "-ar", "44100"),
    "deep.mkv": lambda path: make(path, *_picture(), "-pix_fmt", "yuv420p10le"),
    "grey.mkv": lambda path: make(path, *_picture(), "-pix_fmt", "gray", "-c:v", "ffv1"),
    "alpha.mov": lambda path: make(path, *_picture(), "-pix_fmt", "argb", "-c:v", "qtrle"),
    "hls.mp4": lambda path: _beside(
        path, "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1,\nsecret.ts\n#EXT-X-ENDLIST\n"
    ),
    "concat.mp4": lambda path: _beside(path, "ffconcat version 1.0\nfile secret.ts\n"),
    "- dash'; rm.mp4": lambda path: pattern(path, 0.2),
    "%03d.mp4": lambda path: pattern(path, 0.2),
    "https:film.mp4": lambda path: pattern(path, 0.2),
}
MUST_BE_REFUSED = ("empty", "one-byte", "text", "zeros", "hls", "concat", "sound.", "picture.", "header")


def films(tally: Tally, amr: Amr, folder: Path, names: list[str]) -> None:
    """Each in a process, so that its memory shows."""
    with tally.kind("odd films") as row:
        for name in names:
            place = folder / f"film-{name.replace('/', '_')[:30]}"
            place.mkdir()
            try:
                FILMS[name](place / name)
            except (subprocess.CalledProcessError, ValueError, OSError) as error:
                row.failed[name] = f"could not be made: {error}"[:200]
                continue
            before = amr.json("stats")
            done = command(row, name, ["ingest", str(place / name)], amr.environment)
            after = amr.json("stats")
            if name.startswith(MUST_BE_REFUSED):
                said = [line for line in done.stderr.strip().splitlines() if not line.startswith("taking in ")]
                if done.returncode == 0:
                    row.failed[name] = "was taken"
                elif before["clips"] != after["clips"] or len(said) != 2:
                    row.failed[name] = f"not one line and its advice: {done.stderr[-200:]}"
