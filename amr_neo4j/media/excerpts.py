"""Cut stills and short clips out of a video file."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ffmpeg

from amr_neo4j.errors import InputError, ToolError
from amr_neo4j.media.ffmpeg import mapped_errors, opened, probe, readable

PICTURES = (".jpg", ".jpeg", ".png")
CLIPS = (".mp4", ".m4v", ".mov")
# A stretch of film before and after an event, so that a short one can be followed.
BESIDE_S = 1.0
LONGEST_S = 120.0


Outline = tuple[float, float, float, float]
"""Left, top, right, bottom of a box, as shares of the picture's width and height."""
OUTLINE = "yellow@0.9"


def picture(path: Path | str, second: float, to: Path, *, width: int, outlines: Sequence[Outline] = ()) -> None:
    """Write the frame shown at a second of a file, at most `width` pixels wide. to: .jpg or .png; replaced whole.

    outlines: boxes that are drawn into it. The last frame where the second lies beyond the picture. Raises
    NoSuchFile, ToolError; InputError: no video, a suffix of another format, or nothing can be decoded there.
    """
    path = _with_picture(path)
    _check(to, PICTURES)
    found = probe(path)
    last = max(0.0, (found.picture_end or found.duration_s or second + 1) - 1.5 / (found.fps or 25))
    with tempfile.TemporaryDirectory(dir=to.parent) as folder:
        part = Path(folder) / to.name
        for at in (min(second, last), max(0.0, last - 1), 0.0):  # containers overstate their length
            scaled = opened(path, at)[str(found.video_stream)].filter("scale", f"min({width},iw)", -2)
            for box in outlines:
                scaled = _outlined(scaled, box)
            _run(scaled.output(str(part), vframes=1, **{"q:v": 3}), path)
            if part.exists():
                part.replace(to)
                return
    raise InputError(f"{path.name} has no picture at {second:.1f} s", hint="check that it plays")


def clip(path: Path | str, start: float, end: float, to: Path, *, width: int) -> None:
    """Write a stretch of a file (s), with BESIDE_S before and after it, as H.264 and AAC, at most LONGEST_S long.

    At most `width` pixels wide. to: .mp4, .m4v or .mov; replaced whole. Raises as `picture`.
    """
    path = _with_picture(path)
    _check(to, CLIPS)
    found = probe(path)
    begin = max(0.0, start - BESIDE_S)
    source = opened(path, begin, t=min(end + BESIDE_S - begin, LONGEST_S))
    streams = [source[str(found.video_stream)].filter("scale", f"trunc(min({width},iw)/2)*2", -2)]
    how: dict[str, Any] = {"vcodec": "libx264", "preset": "veryfast", "crf": 26, "pix_fmt": "yuv420p"}
    if found.has_audio:
        streams.append(source.audio)
        how |= {"acodec": "aac", "audio_bitrate": "96k"}
    with tempfile.TemporaryDirectory(dir=to.parent) as folder:
        part = Path(folder) / f"{to.stem}.mp4"
        _run(ffmpeg.output(*streams, str(part), movflags="+faststart", **how), path)
        part.replace(to)


def _outlined(stream: Any, box: Outline) -> Any:
    left, top, right, bottom = box
    place = {
        "x": f"iw*{left:.4f}",
        "y": f"ih*{top:.4f}",
        "w": f"iw*{right - left:.4f}",
        "h": f"ih*{bottom - top:.4f}",
    }
    return stream.filter("drawbox", **place, color=OUTLINE, thickness=3)


def _with_picture(path: Path | str) -> Path:
    path = readable(path)
    if not probe(path).has_video:
        raise InputError(f"{path.name} has no video stream", hint="there is nothing to show")
    return path


def _check(to: Path, suffixes: tuple[str, ...]) -> None:
    if to.suffix.lower() not in suffixes:
        raise InputError(f"{to} has an unsupported suffix", hint=f"end the name in {' or '.join(suffixes)}")
    if not to.parent.is_dir():
        raise InputError(f"there is no folder {to.parent}", hint="create it first, or name another")


def _run(output: Any, path: Path) -> None:
    with mapped_errors(path):
        output.global_args("-nostdin", "-loglevel", "error").run(
            capture_stdout=True, capture_stderr=True, overwrite_output=True
        )


def play(clip: Path, title: str) -> None:
    """Play the clip once and return when it has ended or its window was closed.

    Raises ToolError: ffplay is missing, or has no display.
    """
    command = ["ffplay", "-hide_banner", "-loglevel", "error", "-autoexit", "-window_title", title, str(clip)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ToolError(
            "ffplay is not installed", hint="install ffmpeg whole, or write a file: --clip FILE"
        ) from error
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["ffplay failed"])[0]
        raise ToolError(f"the clip cannot be played: {why}", hint="without a display, write a file: --clip FILE")
