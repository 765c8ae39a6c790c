"""Lists what this machine keeps outside the graph: entries that wait for it, and entries that it refused."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from amr_neo4j.domain.episode import Episode
from amr_neo4j.spool import CLIPS_FILE, LIVE_FILE, TURNS_FILE
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.spool.live import LiveSpool
from amr_neo4j.spool.turns import drop_refused_turn, refused_turns, waiting_turns


@dataclass(frozen=True)
class SpooledWork:
    """What a group has waiting to be committed.

    clips: {video_id: number of analysed clips}.
    live_clips: number of clips of live sources.
    """

    clips: Mapping[str, int]
    live_clips: int
    turns: int


@dataclass(frozen=True)
class RefusedEntry:
    """An entry that Neo4j refused to store.

    id: the entry's id, for `amr spool drop`.
    of: "user/session" for a turn, the video_id for a clip.
    """

    id: str
    kind: str
    of: str
    reason: str
    content: str = ""


def waiting(folder: Path, group_id: str) -> SpooledWork:
    """Return what waits to be committed.

    folder: the data directory. No file is created in it.
    Raises SpoolUnusable: a spool is damaged.
    """
    clips: Mapping[str, int] = {}
    live_clips = turns = 0
    # Checked first, since opening a spool would create its file.
    if (folder / CLIPS_FILE).exists():
        with closing(ClipSpool(folder / CLIPS_FILE)) as kept:
            clips = kept.waiting(group_id)
    if (folder / LIVE_FILE).exists():
        with closing(LiveSpool(folder / LIVE_FILE)) as recorded:
            recorded.check()
            live_clips = len(recorded.clips(group_id, states=("received", "analysed")))
    if (folder / TURNS_FILE).exists():
        turns = waiting_turns(folder / TURNS_FILE, group_id)
    return SpooledWork(clips, live_clips, turns)


def refused(folder: Path, group_id: str) -> list[RefusedEntry]:
    """Return the refused entries: turns, then clips. Raises the same errors as `waiting`."""
    entries: list[RefusedEntry] = []
    if (folder / TURNS_FILE).exists():
        for turn in refused_turns(folder / TURNS_FILE, group_id):
            content = turn.episode.embedded if isinstance(turn.episode, Episode) else ""
            of = f"{turn.user_id}/{turn.session_id}"
            entries.append(RefusedEntry(f"turn:{turn.number}", "turn", of, turn.why, content))
    if (folder / CLIPS_FILE).exists():
        with closing(ClipSpool(folder / CLIPS_FILE)) as clips:
            found = clips.refused(group_id)
        entries += [RefusedEntry(f"clip:{video}/{clip}", "clip", video, why, clip) for video, clip, why in found]
    return entries


def drop(folder: Path, group_id: str, entry: RefusedEntry) -> None:
    """Delete a refused entry."""
    if entry.kind == "turn":
        drop_refused_turn(folder / TURNS_FILE, group_id, int(entry.id.removeprefix("turn:")))
        return
    with closing(ClipSpool(folder / CLIPS_FILE)) as clips:
        clips.remove(group_id, entry.of, entry.content)
