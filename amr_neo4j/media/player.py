"""Plays a clip in a window, by ffplay, which comes with ffmpeg."""

from __future__ import annotations

import subprocess
from pathlib import Path

from amr_neo4j.errors import ToolError


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
