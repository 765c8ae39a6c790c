"""Stand-ins for the programs that the local database calls: real executables that answer as scripted."""

from __future__ import annotations

from pathlib import Path


def install(path: Path, script: str) -> Path:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def java(home: Path, major: int, *, runs: str = "exit 0") -> Path:
    """A Java that prints its version, and runs `runs` for any other call."""
    return install(home / "bin" / "java", f'[ "$1" = --list-modules ] && echo java.base@{major}.0.1 && exit\n{runs}')
