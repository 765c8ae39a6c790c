"""Runs a command under strace with an empty home folder, and tells what it reached outside of its own folders."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, ip_address
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SENT = "connect,sendto,sendmsg,sendmmsg"
_MADE = "open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat"
_ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')
# The folder that a relative path starts from, and the path.
_PATHS = re.compile(r'(?:AT_FDCWD|\d+)<([^>]*)>, "([^"]*)"|[(,] ?"([^"]*)"')
# A question to a name server, wherever it is, or to systemd's resolver.
_LOOK_UP = re.compile(r"htons\(53\)|/run/systemd/resolve/io\.")


@dataclass(frozen=True)
class Traced:
    """What a command printed, and what it and its children did.

    names: whether they looked up a name. addresses: those beyond loopback that they sent to, or tried to.
    left: files and folders that they made outside of the folders they may write to, and did not delete.
    passing: those that they made there and deleted, but for the folder for temporary files (TMPDIR).
    """

    output: str
    names: bool
    addresses: frozenset[str]
    left: frozenset[str]
    passing: frozenset[str]

    @property
    def reached(self) -> list[str]:
        """All of it; empty for a command that keeps to itself."""
        return [*(["a name was looked up"] if self.names else []), *sorted(self.addresses), *sorted(self.left)]


@cache
def _can_trace() -> bool:
    return (
        bool(shutil.which("strace"))
        and not subprocess.run(["strace", "-qq", "-o", os.devnull, "true"], check=False).returncode
    )


def traced(
    command: Sequence[str | Path], folder: Path, own: Iterable[Path], stdin: str = "", **environment: str
) -> Traced:
    """Run a command in `folder`, with an environment of these variables alone. Skips where strace cannot trace.

    own: the folders that it may write to.
    Only PATH is inherited. A library that sends no reports from a CI machine must not see that this is one.
    """
    if not _can_trace():
        pytest.skip("strace is not installed, or may not trace")
    home, temporary, log = (folder / name for name in ("home", "tmp", "trace"))
    for each in (home, temporary, log):
        each.mkdir()
    places = {"HOME": str(home), "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    strace = ["strace", "-ff", "-qq", "-y", "--seccomp-bpf", "-s", "4096", "-e", "signal=none", "-o", log / "of"]
    done = subprocess.run(
        [*strace, "-e", f"trace={_SENT},{_MADE}", *command],
        cwd=home,
        env={"PATH": os.environ["PATH"], **places, **environment},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert not done.returncode, done.stderr
    lines = [line for file in log.iterdir() for line in file.read_text(errors="replace").splitlines()]
    kept = (*own, Path("/dev"), Path("/proc"))
    made = {path for path in map(Path, _made(lines, home)) if not any(path.is_relative_to(each) for each in kept)}
    left = {path for path in made if path.exists()}
    return Traced(
        done.stdout,
        names=any(_LOOK_UP.search(line) for line in lines),
        addresses=frozenset(address for line in lines for address in _addresses(line) if not _is_loopback(address)),
        left=frozenset(map(str, left)),
        passing=frozenset(str(path) for path in made - left if not path.is_relative_to(temporary)),
    )


def python(code: str, folder: Path, own: Iterable[Path], **environment: str) -> Traced:
    """As `traced`, for Python code."""
    return traced([sys.executable, "-c", code], folder, own, **environment)


def _addresses(line: str) -> Iterator[str]:
    if line.startswith(tuple(_SENT.split(","))):
        for old, new in _ADDRESS.findall(line):
            yield old or new


def _is_loopback(address: str) -> bool:
    parsed = ip_address(address)
    return ((isinstance(parsed, IPv6Address) and parsed.ipv4_mapped) or parsed).is_loopback


def _made(lines: Iterable[str], home: Path) -> Iterator[str]:
    """Yields the paths of calls that succeeded and made or opened something to be written."""
    for line in lines:
        call, _, result = line.rpartition(" = ")
        if result.startswith("-1") or not call or line.startswith(tuple(_SENT.split(","))):
            continue
        if call.startswith("open") and (not re.search(r"O_WRONLY|O_RDWR|O_CREAT", call) or "O_TMPFILE" in call):
            continue  # a file of O_TMPFILE has no name, and is gone when it is closed
        for start, relative, alone in _PATHS.findall(call):
            yield str(Path(start or home, relative or alone))
