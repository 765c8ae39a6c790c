"""The films of live sources on this machine: kept within a disk budget, and deleted when they are forgotten."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.app.live_recordings import is_held
from amr_neo4j.domain.live import Recording
from amr_neo4j.errors import InputError
from amr_neo4j.media import segmenter

if TYPE_CHECKING:
    from amr_neo4j.spool.live import LiveSpool

_GB = 10**9
_KEEP_ROWS = timedelta(days=30)
"""How long the spool remembers when a clip was received and found after its film is gone. The graph has the rest."""


@dataclass(frozen=True, kw_only=True)
class LiveFootage:
    """The films of all recordings on this machine.

    folder: of all recordings.
    keep_gb: the disk budget.
    """

    spool: LiveSpool
    folder: Path
    keep_gb: float
    now: Callable[[], datetime]

    def keep_to_budget(self) -> None:
        """Delete films until the rest fits into the budget, oldest first.

        Only films of committed or failed clips are deleted.
        """
        budget = self.keep_gb * _GB
        total = sum(_size(Path(folder, name)) for folder, _, names in os.walk(self.folder) for name in names)
        for path in self.spool.kept_files() if total > budget else ():
            file = Path(path)
            total -= _size(file)
            file.unlink(missing_ok=True)
            self.spool.removed(path)
            if total <= budget:
                return

    def prune(self) -> None:
        """Delete old rows of the spool, and the empty folders of their recordings."""
        for folder in self.spool.prune(self.now() - _KEEP_ROWS):
            _remove(Path(folder))

    def video_ids(self, group_id: str) -> set[str]:
        """Return the ids of a group's recordings."""
        return {recording.video_id for recording, _ in self.spool.recordings(group_id)}

    def forget_recordings(self, group_id: str, video_id: str | None) -> int:
        """Delete a recording with its films, or all recordings of the group. Returns how many.

        Raises InputError: one of them is being recorded at the moment.
        """
        meant = self.ended_recordings(group_id, video_id)
        for recording in meant:
            _remove(Path(recording.folder))
        return len(self.spool.forget(group_id, video_id))

    def ended_recordings(self, group_id: str, video_id: str | None) -> list[Recording]:
        """Return a recording, or all recordings of the group.

        Raises InputError: one of them is being recorded at the moment.
        """
        recordings = [each for each, _ in self.spool.recordings(group_id)]
        meant = [each for each in recordings if video_id in (None, each.video_id)]
        if running := [each for each in meant if is_held(Path(each.folder))]:
            hint = "stop it first (Ctrl-C), or name a time: amr forget --before TIME"
            raise InputError(f"{running[0].source} is being recorded ({running[0].video_id})", hint=hint)
        return meant

    def forget_films(self, group_id: str, clips: Iterable[tuple[str, str]]) -> int:
        """Delete the films of these clips (video_id, clip_id). Returns how many of them waited to be analysed."""
        waited = 0
        for each in clips:
            if clip := self.spool.clip(group_id, *each):
                waited += clip.state == "received"
                # The film first: a film without a row looks as if a killed run had left it, and would be ingested.
                Path(clip.path).unlink(missing_ok=True)
                self.spool.forget_clip(group_id, *each)
        return waited


def _size(file: Path) -> int:
    """Return the bytes of a film. Returns 0 for other files, and for a film that another thread has just removed."""
    try:
        return file.stat().st_size if file.suffix == segmenter.SUFFIX else 0
    except FileNotFoundError:
        return 0


def _remove(folder: Path) -> None:
    """Delete a recording's folder.

    Raises OSError: a film cannot be deleted. The recording stays in the spool then.
    """
    for file in list(folder.iterdir()) if folder.is_dir() else ():
        file.unlink(missing_ok=True)  # another process may have deleted it for the budget
    with suppress(FileNotFoundError):
        folder.rmdir()
