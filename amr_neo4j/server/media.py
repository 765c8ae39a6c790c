"""The calls that return pictures, clips and films."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from amr_neo4j.app.ingesting import check_below
from amr_neo4j.app.live_recordings import folder_of
from amr_neo4j.errors import InputError, NoSuchFile
from amr_neo4j.server.cuts import SentOnce
from amr_neo4j.server.problems import Refused
from amr_neo4j.server.service import Caller
from amr_neo4j.spool import LIVE_FOLDER

# A part of the header Range: "0-99", "100-", "-5".
_PART = re.compile(r"(?P<first>\d+)-(?P<last>\d*)|-(?P<suffix>\d+)")
# A number of a Range header with more digits counts as 10**18, which is more bytes than any file has.
_MOST_DIGITS = 18
Width = Annotated[int, Field(ge=16, le=3840)]


def picture(
    caller: Caller, node_id: int, second: float | None = None, width: Width = 1280, boxes: bool = True
) -> Path:
    """Return a picture of an event. It is of `second` of its video, if given, with its boxes if `boxes` is set."""
    what = (_film_of(caller, node_id), second, width, boxes)
    save = caller.memory.save_picture
    return caller.service.cuts.file(
        what, ".jpg", lambda to: save(node_id, to, second=second, width=width, boxes=boxes)
    )


def clip(caller: Caller, node_id: int, width: Width = 1280) -> Path:
    """Return the excerpt of the film that shows an event, with a second before and after it."""
    what = (_film_of(caller, node_id), width)
    return caller.service.cuts.file(what, ".mp4", lambda to: caller.memory.save_clip(node_id, to, width=width))


def latest_picture(caller: Caller, video_id: str, width: Width = 1280) -> SentOnce:
    """Return the last picture that the server recorded of a live source. video_id: as GET /sources names it."""
    file = caller.service.cuts.new(".jpg")
    caller.memory.save_latest_picture(video_id, file, width=width)
    return SentOnce(file)


def film(caller: Caller, video_id: str) -> Path:
    """Return the whole film of a video. Parts of it can be asked for with the header Range."""
    path = caller.memory.film(video_id)
    _check(caller, str(path), video_id)
    return path


def _film_of(caller: Caller, node_id: int) -> tuple[object, ...]:
    """Return what a cut out of an event's film depends on. Asked each time, so that nothing forgotten is shown."""
    filmed = caller.memory.filmed(node_id)
    if filmed.missing:
        raise NoSuchFile(f"event {node_id} cannot be shown: {filmed.missing}", hint="put the film back where it was")
    _check(caller, filmed.path, filmed.video_id)
    return caller.memory.group_id, filmed, Path(filmed.path).stat().st_mtime_ns


def _check(caller: Caller, path: str, video_id: str) -> None:
    """Raises Refused: the film is in no folder that the server may read. The client that stored it named its path."""
    group_id, data_dir = caller.memory.group_id, caller.memory.settings.data_dir.expanduser()
    own = caller.service.uploads.of_group(group_id), folder_of(data_dir / LIVE_FOLDER, group_id, video_id)
    try:
        check_below(path, (*caller.service.folders, *own))
    except InputError as error:
        hint = "the server's setting serve_folders names the folders whose films it shows"
        raise Refused(403, "the film may not be read by the server", hint=hint) from error


def present_parts(asked: str, size: int) -> list[tuple[int, int]] | None:
    """Return (first byte, last byte) of each asked part that a file of this size has; None if the header is no range.

    A part of which the file has only the beginning ends with the file (RFC 9110, section 14.1.2).
    """
    unit, _, parts = asked.partition("=")
    found = [_PART.fullmatch(part.strip()) for part in parts.split(",")]
    spans = list[tuple[int, int]]()
    for part in found:
        if unit != "bytes" or part is None:
            return None
        if part["suffix"]:
            spans.append((max(0, size - _number(part["suffix"])), size - 1))
            continue
        first, last = _number(part["first"]), _number(part["last"]) if part["last"] else None
        if last is not None and last < first:
            return None
        spans.append((first, size - 1 if last is None else min(last, size - 1)))
    return [(first, last) for first, last in spans if first <= last]


def _number(digits: str) -> int:
    """Return a number, or one that is larger than any file for more digits than Python converts."""
    digits = digits.lstrip("0")
    return int(digits or 0) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
