"""The films of live sources on this machine: kept for pictures within a budget, and forgotten with what they show."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.app.recording_lock import is_held
from amr_neo4j.domain.live import SpooledClip
from amr_neo4j.errors import InputError
from amr_neo4j.media import segmenter

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_GB = 10**9
_KEEP_ROWS = timedelta(days=30)
"""How long the spool knows when a clip was received and found, once its film is gone; the graph has the rest."""


def keep_to_budget(parts: Parts) -> None:
    """Remove the oldest films that are committed or given up until all fit into the setting live_keep_gb."""
    budget = parts.settings.live_keep_gb * _GB
    total = sum(_size(Path(folder, name)) for folder, _, names in os.walk(parts.live_folder) for name in names)
    for path in parts.live_spool.kept_files() if total > budget else ():
        file = Path(path)
        total -= _size(file)
        file.unlink(missing_ok=True)
        parts.live_spool.removed(path)
        if total <= budget:
            return


def prune(parts: Parts) -> None:
    """Remove what the spool need not know any more, with the empty folders of those recordings."""
    for folder in parts.live_spool.prune(parts.now() - _KEEP_ROWS):
        _remove(Path(folder))


def _size(file: Path) -> int:
    """Bytes of a film; 0 for other files, and for one that a thread that records has just removed."""
    try:
        return file.stat().st_size if file.suffix == segmenter.SUFFIX else 0
    except FileNotFoundError:
        return 0


def forget_recordings(parts: Parts, video_id: str | None) -> int:
    """Delete a recording with its films, or all of the group; returns how many.

    Raises InputError: it is being recorded at this moment.
    """
    recordings = [each for each, _ in parts.live_spool.recordings(parts.group_id)]
    meant = [each for each in recordings if video_id in (None, each.video_id)]
    if running := [each for each in meant if is_held(Path(each.folder))]:
        hint = "stop it first (Ctrl-C), or name a time: amr forget --before TIME"
        raise InputError(f"{running[0].source} is being recorded ({running[0].video_id})", hint=hint)
    for recording in meant:
        _remove(Path(recording.folder))
    return len(parts.live_spool.forget(parts.group_id, video_id))


def forget_films(parts: Parts, clips: Iterable[tuple[str, str]], video_id: str | None, before: datetime) -> None:
    """Delete the films of clips (video_id, clip_id), and those that still wait and had ended by a moment."""
    clocks = {each.video_id: each.recorded_at for each, _ in parts.live_spool.recordings(parts.group_id)}
    waiting = parts.live_spool.clips(parts.group_id, video_id)
    over = [(each.video_id, each.clip_id) for each in waiting if _filmed(each, clocks.get(each.video_id)) <= before]
    for each in dict.fromkeys((*clips, *over)):
        if clip := parts.live_spool.clip(parts.group_id, *each):
            # the film first: one without a row is taken for what a killed run left, and taken up
            Path(clip.path).unlink(missing_ok=True)
            parts.live_spool.forget_clip(parts.group_id, *each)


def _remove(folder: Path) -> None:
    """Delete a recording's folder. Raises OSError: a film cannot be deleted; the recording stays known then."""
    for file in list(folder.iterdir()) if folder.is_dir() else ():
        file.unlink(missing_ok=True)  # another process may be keeping to the budget
    with suppress(FileNotFoundError):
        folder.rmdir()


def _filmed(clip: SpooledClip, recorded_at: datetime | None) -> datetime:
    """The wall clock of a clip's end; where it is unknown, when the clip was received."""
    return recorded_at + timedelta(seconds=clip.t_end) if recorded_at else clip.received_at
