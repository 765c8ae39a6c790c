"""Files that grow: when they are complete, and what to do meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.errors import InputError
from amr_neo4j.media.ffmpeg import readable

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

State = tuple[int, int]
"""Size in bytes, and when it was written, in nanoseconds."""


@dataclass(frozen=True)
class Pace:
    """poll_s: seconds between two looks. settle_s: seconds without a change after which a file is complete."""

    poll_s: float = 2.0
    settle_s: float = 5.0


class Growing:
    """Knows since when each file has not changed."""

    def __init__(self, settle_s: float) -> None:
        self._settle_s = settle_s
        self._since: dict[Path, tuple[State, float]] = {}

    def complete(self, files: dict[Path, State], now: float) -> list[tuple[Path, State]]:
        """Those that have not changed for long enough."""
        self._since = {
            path: self._since[path] if self._since.get(path, (None, 0.0))[0] == state else (state, now)
            for path, state in files.items()
        }
        settled = ((path, state) for path, (state, since) in self._since.items() if now - since >= self._settle_s)
        return sorted(settled, key=lambda pair: (pair[1][1], pair[0]))


def follow(parts: Parts, path: Path, take: Callable[[bool], None], pace: Pace) -> None:
    """Call `take` for a file as it grows, and with True once it has stopped growing or Ctrl-C.

    Raises NoSuchFile: it was removed meanwhile.
    """
    last, changed = -1, time.monotonic()
    try:
        while True:
            size = readable(path).stat().st_size
            now = time.monotonic()
            if size != last:
                last, changed = size, now
                with suppress(InputError):  # it cannot be read yet
                    take(False)
            elif now - changed >= pace.settle_s:
                break
            time.sleep(pace.poll_s)
    except KeyboardInterrupt:
        parts.notify("stopping: what has come is taken in")
    take(True)
