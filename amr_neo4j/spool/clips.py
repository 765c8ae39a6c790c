"""Analyses of clips that wait for the graph, in one SQLite file: what a model was paid for is not paid for again.

They belong to no database: what a model said of a clip is as true in the next one, should this one be lost.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.ports import Analyser, Notify
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.spool.file import SpoolFile

Noun = TypeVar("Noun", Clip, Usage)
_log = logging.getLogger(__name__)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS analysed (
  group_id TEXT NOT NULL, video_id TEXT NOT NULL, clip_id TEXT NOT NULL, content_sha256 TEXT NOT NULL,
  analyser TEXT NOT NULL, model TEXT NOT NULL, said TEXT NOT NULL,
  PRIMARY KEY (group_id, video_id, clip_id, content_sha256, analyser, model)
) WITHOUT ROWID;
"""


class ClipSpool:
    """Analysed clips by what they were made of and by whom. What `keep` has returned from is on disk."""

    def __init__(self, file: Path, notify: Notify = _log.warning) -> None:
        """say: gets a line where something in it cannot be read. Raises SpoolUnusable: nothing in it can."""
        self._notify = notify
        self._file = SpoolFile(file, _SCHEMA, "what was analysed")

    def close(self) -> None:
        """End the connection; what waits goes on waiting."""
        self._file.close()

    def keep(self, clip: AnalysedClip) -> None:
        """Have it on disk, in place of what was there of the same content. Raises NoSpace."""
        with self._file.transaction() as db:
            db.execute("INSERT OR REPLACE INTO analysed VALUES (?, ?, ?, ?, ?, ?, ?)", (*_key(clip), _written(clip)))

    def kept(self, video: Video, analyser: Analyser) -> Mapping[str, AnalysedClip]:
        """By content_sha256: what this analyser with this model said of clips of the video."""
        rows = self._file.rows(
            "SELECT content_sha256, said FROM analysed "
            "WHERE group_id = ? AND video_id = ? AND analyser = ? AND model = ?",
            (video.group_id, video.video_id, analyser.name, analyser.model),
        )
        read = {sha: _read(said, video, analyser, sha) for sha, said in rows}
        known = {sha: clip for sha, clip in read.items() if clip}
        if lost := len(read) - len(known):
            self._notify(
                f"what was analysed of {lost} clips of {video.video_id} cannot be read, and is asked for again"
            )
        return known

    def let_go(self, group_id: str, video_id: str, clip_id: str) -> None:
        """The graph has this clip: forget whatever is kept of it."""
        key = (group_id, video_id, clip_id)
        with self._file.transaction() as db:
            db.execute("DELETE FROM analysed WHERE group_id = ? AND video_id = ? AND clip_id = ?", key)

    def waiting(self, group_id: str) -> Mapping[str, int]:
        """video_id -> how many of its clips wait."""
        rows = self._file.rows(
            "SELECT video_id, count(DISTINCT clip_id) FROM analysed WHERE group_id = ? GROUP BY video_id", (group_id,)
        )
        return dict(rows)


def _key(clip: AnalysedClip) -> tuple[str, ...]:
    video = clip.video
    return (video.group_id, video.video_id, clip.clip.clip_id, clip.content_sha256, clip.analyser, clip.model)


def _written(clip: AnalysedClip) -> str:
    said = {"clip": asdict(clip.clip), "analysis": clip.analysis.model_dump(mode="json")}
    return json.dumps(said | {"notes": clip.notes, "usage": asdict(clip.usage), "lacks": clip.lacks})


def _read(text: str, video: Video, analyser: Analyser, content_sha256: str) -> AnalysedClip | None:
    """None where nothing can be made of it. What another version wrote besides is passed over."""
    try:
        said: dict[str, Any] = json.loads(text)
        return AnalysedClip(
            video,
            _made(Clip, said["clip"]),
            _analysis(said["analysis"]),
            analyser.name,
            content_sha256,
            analyser.model,
            tuple(said["notes"]),
            _made(Usage, said["usage"]),
            tuple(said.get("lacks", ())),
        )
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def _made(noun: type[Noun], table: Mapping[str, Any]) -> Noun:
    return noun(**{field.name: table[field.name] for field in fields(noun) if field.name in table})


def _analysis(said: Any) -> ClipAnalysis:
    try:
        return ClipAnalysis.model_validate(said)
    except ValidationError as error:
        for wrong in error.errors():
            if wrong["type"] == "extra_forbidden":
                *path, key = wrong["loc"]
                del reduce(getitem, path, said)[key]
        return ClipAnalysis.model_validate(said)
