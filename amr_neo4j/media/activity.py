# pyright: basic
"""How much happens in a video, by the sizes of its compressed pictures: nothing is decoded."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt

from amr_neo4j.media.ffmpeg import mapped_errors, probe, readable, safe_arguments

Seconds = npt.NDArray[np.float64]


def activity(path: Path | str, seconds: float) -> Seconds:
    """Return the bytes of compressed pictures in each second of the video, without its key frames; shape (seconds,).

    Pictures between two key frames hold what changed, so a second in which nothing moves is small. All are 0 where
    the codec has key frames only. Raises NoSuchFile, InputError, ToolError.
    """
    path = readable(path)
    found = probe(path)
    total = np.zeros(max(1, int(np.ceil(seconds))))
    command = [
        *("ffprobe", "-v", "error", *safe_arguments(), "-select_streams", str(found.video_stream)),
        *("-show_entries", "packet=pts_time,size,flags", "-of", "compact=p=0:nk=1", str(path)),
    ]
    with mapped_errors(path):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in done.stdout.splitlines():
        time, size, flags = [*line.split("|"), "", ""][:3]
        if "K" not in flags and time not in ("", "N/A") and 0 <= float(time) < len(total):
            total[int(float(time))] += float(size)
    return total
