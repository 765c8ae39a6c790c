"""Cuts stills and short clips out of a video file, and plays a clip."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from amr_neo4j.domain.view import Area
from amr_neo4j.errors import InputError, ToolError
from amr_neo4j.media.ffmpeg import Stretch, encode, probe_video, readable

PICTURES = (".jpg", ".jpeg", ".png")
CLIPS = (".mp4", ".m4v", ".mov")
BESIDE_S = 1.0
"""This many seconds are shown before and after an event, so that a short one can be followed."""
LONGEST_S = 120.0
Outline = tuple[float, float, float, float]
"""Left, top, right, bottom of a box, as shares of the picture's width and height."""
OUTLINE = "yellow@0.9"
_NO_VIDEO = "there is nothing to show"


def picture(
    path: Path | str,
    second: float,
    to: Path,
    *,
    width: int,
    outlines: Sequence[Outline] = (),
    mask: Sequence[Area] = (),
) -> None:
    """Write the frame shown at a second of a file, at most `width` pixels wide.

    If the second lies beyond the picture, the last frame is written.
    to: .jpg or .png; replaced as a whole.
    outlines: boxes drawn into the picture.
    mask: what is blacked out.
    Raises NoSuchFile, ToolError; InputError: no video, a suffix of another format, or nothing can be decoded there.
    """
    path = readable(path)
    found = probe_video(path, _NO_VIDEO)
    _check_target(to, PICTURES)
    # A seek shows the first frame that begins at or after it, so this lies half a frame before the last one begins.
    last = max(0.0, (found.picture_end or found.duration_s or second + 1) - 1.5 / (found.fps or 25))
    # In the same folder, so that `replace` moves the finished file in one step.
    with tempfile.TemporaryDirectory(dir=to.parent) as folder:
        part = Path(folder) / to.name
        for at in (min(second, last), max(0.0, last - 1), 0.0):  # containers may overstate their length
            # The filter holds a frame until the next one, so that a film of few pictures shows the one in view.
            shown = Stretch(path, found, at, mask=mask).seen.filter(
                "fps", fps=max(25.0, found.fps or 0.0), start_time=0
            )
            shown = shown.filter("scale", f"min({width},iw)", -2)
            for box in outlines:
                shown = _outlined(shown, box)
            encode([shown], part, path, vframes=1, **{"q:v": 3})
            if part.exists():
                part.replace(to)
                return
    raise InputError(f"{path.name} has no picture at {second:.1f} s", hint="check that it plays")


def clip(path: Path | str, start: float, end: float, *, to: Path, width: int, mask: Sequence[Area] = ()) -> None:
    """Write a stretch of a file (s), with BESIDE_S before and after it, as H.264 and AAC.

    It is at most LONGEST_S long and `width` pixels wide.
    to: .mp4, .m4v or .mov; replaced as a whole.
    mask: what is blacked out.
    Raises the errors of `picture`.
    """
    path = readable(path)
    found = probe_video(path, _NO_VIDEO)
    _check_target(to, CLIPS)
    begin = max(0.0, start - BESIDE_S)
    stretch = Stretch(path, found, begin, min(end + BESIDE_S - begin, LONGEST_S), mask=mask)
    streams = [stretch.video.filter("scale", f"trunc(min({width},iw)/2)*2", -2)]
    how: dict[str, Any] = {"vcodec": "libx264", "preset": "veryfast", "crf": 26, "pix_fmt": "yuv420p"}
    if stretch.sound:
        streams.append(stretch.sound)
        how |= {"acodec": "aac", "audio_bitrate": "96k"}
    with tempfile.TemporaryDirectory(dir=to.parent) as folder:
        part = Path(folder) / f"{to.stem}.mp4"
        encode(streams, part, path, movflags="+faststart", **how)
        part.replace(to)


def play(clip: Path, title: str) -> None:
    """Play the clip once in a window of ffplay. Returns when the clip has ended or the window was closed.

    Raises ToolError: ffplay is missing, or has no display.
    """
    command = ["ffplay", "-hide_banner", "-loglevel", "error", "-autoexit", "-window_title", title, str(clip)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        hint = "install ffmpeg whole, or write a file: --clip FILE"
        raise ToolError("ffplay is not installed", hint=hint) from error
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["ffplay failed"])[0]
        raise ToolError(f"the clip cannot be played: {why}", hint="without a display, write a file: --clip FILE")


def _outlined(stream: Any, box: Outline) -> Any:
    left, top, right, bottom = box
    corner = {"x": f"iw*{left:.4f}", "y": f"ih*{top:.4f}"}
    size = {"w": f"iw*{right - left:.4f}", "h": f"ih*{bottom - top:.4f}"}
    return stream.filter("drawbox", **corner, **size, color=OUTLINE, thickness=3)


def _check_target(to: Path, suffixes: tuple[str, ...]) -> None:
    if to.suffix.lower() not in suffixes:
        raise InputError(f"{to} has an unsupported suffix", hint=f"end the name in {' or '.join(suffixes)}")
    if not to.parent.is_dir():
        raise InputError(f"there is no folder {to.parent}", hint="create it first, or name another")
