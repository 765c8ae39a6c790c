"""What an attack is held to, and the table of what came out."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from amr_neo4j.errors import AmrError

# The exit codes of errors.py, 0 and typer's code for usage.
CODES = {0, 2, 65, 66, 69, 70, 74, 75, 77, 78}
MOST_MB = 1500
"""Peak resident memory of a process, in MB. Models and indexes take about 600."""
_LOOK_S = 0.05


@dataclass
class Row:
    """The row of one kind of attack. failed: name of each attack whose outcome was wrong, with what was wrong."""

    attacks: int = 0
    refused: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    peak_mb: float = 0.0
    seconds: float = 0.0
    skipped: str = ""


class Tally:
    """Counts attacks by kind, and the outcomes that are wrong."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    @contextmanager
    def kind(self, name: str) -> Generator[Row]:
        """A row of the table; an error of the harness itself fails it."""
        row = self.rows.setdefault(name, Row())
        begin = time.monotonic()
        try:
            yield row
        except Skipped as reason:
            row.skipped = str(reason)
        finally:
            row.seconds += time.monotonic() - begin
            row.peak_mb = max(row.peak_mb, peak_mb())
            print(self.line(name), *row.failed.items(), sep="\n  ", flush=True)  # noqa: T201

    def line(self, name: str) -> str:
        row = self.rows[name]
        counts = f"{row.attacks:>7} attacks {row.refused:>7} refused {len(row.failed):>4} failed"
        skipped = f"  skipped: {row.skipped}" if row.skipped else ""
        return f"{name:<22}{counts} {row.peak_mb:>6.0f} MB {row.seconds:>6.1f} s{skipped}"

    def table(self) -> str:
        lines = [self.line(name) for name in self.rows]
        lines += [
            f"FAILED {kind}: {name}: {why}" for kind, row in self.rows.items() for name, why in row.failed.items()
        ]
        return "\n".join(lines)

    @property
    def failed(self) -> dict[str, str]:
        return {f"{kind}: {name}": why for kind, row in self.rows.items() for name, why in row.failed.items()}


class Skipped(Exception):
    """This kind of attack cannot be made here."""


def call(row: Row, name: str, work: Callable[[], Any], *, limit_s: float = 60.0) -> Any:
    """Call Python code of ours: it returns, or raises one of our errors with advice. Returns what it returns."""
    row.attacks += 1
    begin = time.monotonic()
    try:
        found = work()
    except AmrError as error:
        row.refused += 1
        if not error.hint:
            row.failed[name] = f"{type(error).__name__} without advice: {error.message[:200]}"
        return None
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        row.failed[name] = f"{type(error).__name__}: {str(error)[:200]}"
        return None
    finally:
        if (took := time.monotonic() - begin) > limit_s:
            row.failed[name] = f"took {took:.0f} s"
    return found


def command(
    row: Row, name: str, arguments: list[str], environment: Mapping[str, str], *, limit_s: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """Run `amr` in a process: an exit code of ours, an error with advice, no traceback, bounded memory."""
    row.attacks += 1
    done, peak = _measured([sys.executable, "-m", "amr_neo4j", *arguments], environment, limit_s)
    row.peak_mb = max(row.peak_mb, peak)
    row.refused += done.returncode != 0
    if why := _wrong(done, peak):
        row.failed[name] = why
    return done


def _wrong(done: subprocess.CompletedProcess[str], peak: float) -> str:
    said = done.stderr
    if done.returncode not in CODES:
        return f"exit code {done.returncode}: {said[-200:]}"
    if "Traceback" in said or "internal error" in said:
        return said[-300:].strip()
    if done.returncode not in (0, 2) and not said.strip() and not done.stdout.strip():
        return f"exit code {done.returncode} and not a word"
    return f"{peak:.0f} MB of memory" if peak > MOST_MB else ""


def _measured(
    arguments: list[str], environment: Mapping[str, str], limit_s: float
) -> tuple[subprocess.CompletedProcess[str], float]:
    """The ended process and its peak resident memory (MB), looked at every _LOOK_S."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        process = subprocess.Popen(arguments, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        peak = 0.0
        until = time.monotonic() + limit_s
        while process.poll() is None:
            peak = max(peak, peak_mb(process.pid))
            if time.monotonic() > until:
                process.kill()
            time.sleep(_LOOK_S)
        out.seek(0)
        err.seek(0)
        done = subprocess.CompletedProcess(arguments, process.returncode, out.read(), err.read())
    return done, peak


def peak_mb(pid: int | str = "self") -> float:
    """Of a process (MB); 0 if it has ended."""
    # What the system counts at the end (ru_maxrss) begins with the memory of the process that started it.
    with suppress(OSError):
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) / 1024 if found else 0.0
    return 0.0
