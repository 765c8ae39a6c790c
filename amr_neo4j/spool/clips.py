"""Clip analyses that are not in the graph yet, in one SQLite file, so that no model call is paid for twice.

Unlike conversation turns, they are not meant for one database: an analysis stays valid if the database is replaced.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.forgotten import contains_name
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.spool.file import SpoolFile

_log = logging.getLogger(__name__)
# The key includes content, analyser and model, so that an analysis is never used for a clip that was cut anew or is
# analysed by another model. said: the analysis as JSON. refused: why the graph cannot take it, or ''.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS analysed (
  group_id TEXT NOT NULL, video_id TEXT NOT NULL, clip_id TEXT NOT NULL, content_sha256 TEXT NOT NULL,
  analyser TEXT NOT NULL, model TEXT NOT NULL, said TEXT NOT NULL,
  refused TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (group_id, video_id, clip_id, content_sha256, analyser, model)
) WITHOUT ROWID;
"""


class ClipSpool(SpoolFile):
    """Stores analysed clips by content, analyser and model. When `keep` returns, the clip is on disk."""

    def __init__(
        self,
        file: Path,
        notify: Notify = _log.warning,
        now: Callable[[], datetime] = partial(datetime.now, UTC),  # noqa: B008 - the function is fixed, not the time
    ) -> None:
        """notify: called with a line if entries cannot be read. Raises SpoolUnusable: the file cannot be read."""
        self._notify, self._now = notify, now
        super().__init__(file, _SCHEMA, "analyses of clips")

    def keep(self, clip: AnalysedClip) -> None:
        """Store an analysis. It replaces one of the same clip, content, analyser and model. Raises NoSpace."""
        with self.transaction() as db:
            # REPLACE also resets `refused`: a new analysis deserves a new try.
            db.execute(
                "INSERT OR REPLACE INTO analysed "
                "(group_id, video_id, clip_id, content_sha256, analyser, model, said) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*_key(clip), _written(clip, self._now())),
            )

    def kept(self, video: Video, analyser: str, model: str) -> Mapping[str, AnalysedClip]:
        """Return {content_sha256: analysed clip} of the video's clips that this analyser and model analysed.

        Entries that cannot be read and those set apart by `refuse` are left out.
        """
        rows = self.rows(
            "SELECT content_sha256, said FROM analysed "
            "WHERE group_id = ? AND video_id = ? AND analyser = ? AND model = ? AND refused = ''",
            (video.group_id, video.video_id, analyser, model),
        )
        read = {sha: _read(said, video, analyser, model, content_sha256=sha) for sha, said in rows}
        known = {sha: clip for sha, clip in read.items() if clip}
        if lost := len(read) - len(known):
            self._notify(
                f"stored analyses of {lost} clips of {video.video_id} cannot be read; they are analysed again"
            )
        return known

    def refuse(self, group_id: str, video_id: str, clip_id: str, why: str) -> None:
        """Set the analyses of a clip apart, because the graph refused them. A person should look at them.

        They are not tried again, as the graph would refuse them each time.
        """
        with self.transaction() as db:
            db.execute(
                "UPDATE analysed SET refused = ? WHERE group_id = ? AND video_id = ? AND clip_id = ?",
                (why, group_id, video_id, clip_id),
            )

    def refused(self, group_id: str) -> list[tuple[str, str, str]]:
        """Return (video_id, clip_id, reason) of the group's clips that were set apart."""
        rows = self.rows(
            "SELECT DISTINCT video_id, clip_id, refused FROM analysed WHERE group_id = ? AND refused <> '' "
            "ORDER BY video_id, clip_id",
            (group_id,),
        )
        return [(row["video_id"], row["clip_id"], row["refused"]) for row in rows]

    def remove(self, group_id: str, video_id: str, clip_id: str) -> None:
        """Delete all analyses of a clip, once the graph has it."""
        key = (group_id, video_id, clip_id)
        with self.transaction() as db:
            db.execute("DELETE FROM analysed WHERE group_id = ? AND video_id = ? AND clip_id = ?", key)

    def forget(self, group_id: str, video_id: str | None = None) -> int:
        """Delete the analyses of a video, or of the whole group, also from the disk. Returns their number.

        Raises StoreUnavailable if they are deleted, but still in the file's journal because another process reads it.
        """
        return self._delete("group_id = ? AND (? IS NULL OR video_id = ?)", [(group_id, video_id, video_id)])

    def forget_clips(self, group_id: str, clips: Iterable[tuple[str, str]]) -> int:
        """Delete the analyses of clips, given as (video_id, clip_id). Result and errors are as for `forget`."""
        return self._delete("group_id = ? AND video_id = ? AND clip_id = ?", [(group_id, *clip) for clip in clips])

    def ended_by(self, group_id: str, video_id: str | None, before: datetime) -> list[tuple[str, str]]:
        """Return (video_id, clip_id) of the clips that had ended by a moment, of a video or of the whole group.

        If the wall clock of a video is unknown, the moment when a clip was stored counts. An entry that tells neither
        may be as old as any.
        """
        rows = self.rows(
            "SELECT DISTINCT video_id, clip_id FROM analysed WHERE group_id = ? AND (? IS NULL OR video_id = ?) "
            "AND CASE WHEN json_valid(said) THEN coalesce(json_extract(said, '$.ended'), 0) ELSE 0 END <= ?",
            (group_id, video_id, video_id, before.timestamp()),
        )
        return [(row["video_id"], row["clip_id"]) for row in rows]

    def forget_naming(self, group_id: str, video_id: str | None, names: Callable[[str], Collection[str]]) -> int:
        """Delete the analyses that contain one of the names as whole words, in upper or lower case.

        Result and errors are as for `forget`.

        names: video_id -> the names that are looked for in its analyses.
        """
        rows = self.rows(
            "SELECT video_id, clip_id, said FROM analysed WHERE group_id = ? AND (? IS NULL OR video_id = ?)",
            (group_id, video_id, video_id),
        )
        naming = {(video, clip) for video, clip, said in rows if contains_name(_words(said), names(video))}
        return self.forget_clips(group_id, naming)

    def _delete(self, where: str, keys: Sequence[tuple[str | None, ...]]) -> int:
        with self.transaction() as db:
            gone = sum(db.execute(f"DELETE FROM analysed WHERE {where}", key).rowcount for key in keys)  # noqa: S608
        self.empty_journal("the deleted analyses")
        return gone

    def waiting(self, group_id: str) -> Mapping[str, int]:
        """Return {video_id: number of its clips in the spool}, without those set apart."""
        rows = self.rows(
            "SELECT video_id, count(DISTINCT clip_id) FROM analysed WHERE group_id = ? AND refused = '' "
            "GROUP BY video_id",
            (group_id,),
        )
        return dict(rows)


def _key(clip: AnalysedClip) -> tuple[str, ...]:
    video = clip.video
    return (video.group_id, video.video_id, clip.clip.clip_id, clip.content_sha256, clip.analyser, clip.model)


def _fields(clip: Clip) -> dict[str, Any]:
    """Return a clip without its view, which the settings give whenever it is looked at again."""
    return {name: value for name, value in asdict(clip).items() if name != "view"}


def _written(clip: AnalysedClip, now: datetime) -> str:
    began = clip.video.recorded_at
    ended = began.timestamp() + clip.clip.t_end if began else now.timestamp()
    said = {"ended": ended, "clip": _fields(clip.clip), "analysis": clip.analysis.model_dump(mode="json")}
    extra = {"notes": clip.notes, "usage": asdict(clip.usage), "lacks": clip.lacks, "voices": clip.voices}
    return json.dumps(said | extra)


def _read(text: str, video: Video, analyser: str, model: str, *, content_sha256: str) -> AnalysedClip | None:
    """Return the analysed clip; None if the entry is damaged or was written by another version."""
    try:
        said: dict[str, Any] = json.loads(text)
        return AnalysedClip(
            video=video,
            clip=Clip(**said["clip"]),
            analysis=ClipAnalysis.model_validate(said["analysis"]),
            analyser=analyser,
            content_sha256=content_sha256,
            model=model,
            notes=tuple(said["notes"]),
            usage=Usage(**said["usage"]),
            lacks=tuple(said["lacks"]),
            voices=said["voices"],
        )
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
        return None


def _words(said: str) -> str:
    """Return the text of an entry in which names can be searched.

    It is decoded first, because JSON escapes letters that are not ASCII. "_" becomes a space, as ids hold names too.
    """
    try:
        return json.dumps(json.loads(said), ensure_ascii=False).casefold().replace("_", " ")
    except ValueError:
        return said.casefold()
