"""Small films made with ffmpeg."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path


def make(path: Path, *arguments: str) -> Path:
    """Run ffmpeg with these arguments, of which the path is the last. A film made of no other file is made once."""
    if arguments.count("-i") == arguments.count("lavfi") and path.suffix != ".m3u8" and "%" not in path.name:
        path.write_bytes(_drawn(arguments, path.suffix))
    else:
        _run(path, *arguments)
    return path


@cache
def _drawn(arguments: tuple[str, ...], suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"film{suffix}")
        _run(path, *arguments)
        return path.read_bytes()


def _run(path: Path, *arguments: str) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *arguments, "-y", str(path)], check=True)


def source(spec: str) -> tuple[str, str, str, str]:
    """An input that ffmpeg draws or plays itself."""
    return ("-f", "lavfi", "-i", spec)


def pattern(path: Path, seconds: float) -> Path:
    """A test picture without sound, 25 frames a second."""
    return make(path, *source(f"testsrc=s=320x240:r=25:d={seconds}"))


def stump(path: Path, *, index_first: bool = True) -> Path:
    """The first half of a film of 4 s. index_first: the index of its frames is included."""
    noisy = source("testsrc=s=320x240:r=25:d=4,noise=alls=40:allf=t")
    make(path, *noisy, "-c:v", "libx264", *(("-movflags", "faststart") if index_first else ()))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    return path


def header_alone(path: Path) -> Path:
    """A film of 1 s that ends before its first picture."""
    make(path, *source("testsrc=s=320x240:r=25:d=1"), "-movflags", "faststart")
    path.write_bytes(path.read_bytes().partition(b"mdat")[0] + b"mdat")
    return path
