"""Reads clips from JSON Lines: with their analysis, or as files to analyse. A bad line is rejected on its own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from amr_neo4j.domain.analysis import LONGEST_LINE, ClipLine, CutClipLine
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, CutClip, Video
from amr_neo4j.ingest.normalise import on_video_time
from amr_neo4j.ingest.segment import clip_id

ANALYSER = "jsonl"
# Keys that tell a line of a conversation, which belongs to amr chat import, from a clip with mistakes.
_OF_A_CLIP = {"video_id", "clip_id", "analysis", "uri", "t_start"}
_OF_A_TURN = {"content", "text", "messages"}
_A_TURN = "a turn of a conversation, no clip; conversations are taken in by amr chat import"


def analysed(read: Iterable[AnalysedClip | CutClip | Receipt]) -> Iterator[AnalysedClip | Receipt]:
    """Return the clips that have an analysis, and the rejections, without clips that are still to be analysed."""
    return (clip for clip in read if not isinstance(clip, CutClip))


def read_lines(
    lines: Iterable[str | bytes], *, group_id: str, any_group: bool = False, video_id: str = ""
) -> Iterator[AnalysedClip | CutClip | Receipt]:
    """Yield each line as a clip with times in seconds of its video, or as a rejection. Blank lines are skipped.

    Lines are numbered from 1 in rejections.
    group_id: the group of lines that name none.
    any_group: also take lines that name another group.
    video_id: the video of clips to analyse that name none.
    """
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str | bytes):  # pyright: ignore[reportUnnecessaryIsInstance] - a caller's mistake
            yield _rejected(number, f"{type(line).__name__} is no text")
            continue
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            yield _rejected(number, f"longer than {LONGEST_LINE >> 20} MiB; split it into several clips")
            continue
        text = _without_mark(line).strip()
        try:
            read = _read(text)
        except ValidationError as error:
            yield _rejected(number, _A_TURN if _is_turn(text) else _first(error))
            continue
        if read.group_id in (None, group_id) or any_group:
            if isinstance(read, ClipLine):
                yield analysed_clip(read, group_id)
            elif read.video_id or video_id:
                yield _cut_clip(read, group_id, video_id)
            else:
                yield _rejected(number, "video_id: Field required")
        else:
            yield _rejected(number, f"group_id is {read.group_id}, not {group_id}; to write there, add --any-group")


def _is_turn(line: str | bytes) -> bool:
    """Return whether a line that is not a clip is a turn of a conversation."""
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not _OF_A_CLIP & value.keys() and bool(_OF_A_TURN & value.keys())


def _cut_clip(line: CutClipLine, group_id: str, video_id: str) -> CutClip:
    """Return a clip to analyse. video_id: the video, if the line names none."""
    video = _video(line, group_id, line.video_id or video_id)
    name = line.clip_id or clip_id(line.t_start, line.t_end)
    return CutClip(video, Clip(name, line.t_start, line.t_end, line.uri, line.uri_offset))


def _read(line: str | bytes) -> ClipLine | CutClipLine:
    """Parse a line. A line with a uri and without an analysis is a clip to analyse."""
    try:
        return ClipLine.model_validate_json(line)
    except ValidationError as error:
        if not any(each["type"] == "missing" and each["loc"] == ("analysis",) for each in error.errors()):
            raise
        # Checked in the raw text: if the line is not valid, the first error is the more helpful one.
        if b'"uri"' not in (line.encode() if isinstance(line, str) else line):
            raise
    return CutClipLine.model_validate_json(line)


def content_sha256(line: ClipLine) -> str:
    """Return a hash of a line's content, without its uri and group.

    A moved file or another group is no change of content. Defaults are left out, so that a line keeps its hash when
    the schema gains a key. Only what is known of an item of a camera system counts, and not how it is worded.
    """
    made = {"analysis", "t_start", "t_end"} if line.tracked else set[str]()
    content = line.model_dump(mode="json", exclude={"group_id", "uri", *made}, exclude_defaults=True)
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def analysed_clip(line: ClipLine, group_id: str) -> AnalysedClip:
    """Return the clip of a line. group_id: the group of a line that names none."""
    video = replace(_video(line, group_id, line.video_id), uri=line.uri or "")
    clip = Clip(line.clip_id, line.t_start, line.t_end, line.uri or "", line.t_start)
    clip, analysis, notes = on_video_time(clip, line.analysis, line.time_base)
    sha256 = content_sha256(line)
    return AnalysedClip(video, clip, analysis, ANALYSER, sha256, notes=notes, tracked=line.tracked)


def _video(line: ClipLine | CutClipLine, group_id: str, video_id: str) -> Video:
    texts: dict[str, Any] = {name: text or "" for name, text in picked(line, "place", "timezone", "wearer").items()}
    return Video(line.group_id or group_id, video_id, recorded_at=line.recorded_at, **texts)


def _without_mark(line: str | bytes) -> str | bytes:
    """Return the line without a byte order mark, which some editors put before the first line."""
    return line.removeprefix("\ufeff") if isinstance(line, str) else line.removeprefix(b"\xef\xbb\xbf")


def _rejected(number: int, why: str) -> Receipt:
    return Receipt("", "", "rejected", error=f"line {number}: {why}")


def _first(error: ValidationError) -> str:
    """Return the first error and where it is, in one line."""
    complaint = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in complaint["loc"])
    # Pydantic puts "Value error, " before the messages of this package's own checks.
    reason = " ".join(complaint["msg"].split()).removeprefix("Value error, ")
    # Each line is parsed alone, so pydantic always speaks of line 1. The true number is in front of the message.
    reason = re.sub(r"\bat line 1 column\b", "at column", reason)
    return f"{where}: {reason}" if where else reason
