"""A file system that is soon full."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    """An empty file system of `size` bytes, mounted at a new folder. Skips where mounting is not allowed."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "amr-test", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


def fill(folder: Path) -> None:
    """Leave no byte free."""
    with (folder / "filler").open("ab") as file:
        try:
            while True:
                os.write(file.fileno(), bytes(4096))
        except OSError:
            return


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Within it an existing folder cannot be written. Skips where root may not mount, whom permissions don't stop."""
    if os.geteuid():
        folder.chmod(0o500)
        yield folder
        folder.chmod(0o700)
        return
    for mount in (["--bind", folder, folder], ["-o", "remount,bind,ro", folder]):
        if subprocess.run(["mount", *mount], check=False, capture_output=True).returncode:
            pytest.skip("a folder cannot be mounted read-only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)
