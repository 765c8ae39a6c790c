"""The film behind events: where it is, whether it is still the same, and pictures and clips of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from amr_neo4j.domain.excerpt import Filmed
from amr_neo4j.errors import AmrError, NoSuchFile, NotInMemory
from amr_neo4j.media import excerpts, ffmpeg

if TYPE_CHECKING:
    from amr_neo4j.domain.views import BoxView
    from amr_neo4j.wiring.parts import Parts

_PUT_BACK = "the event stays in memory; to show it, put the file back where it was"
_NAME_IT = "give the line of the analysis a uri when you ingest it: docs/clip-analyses.md"
_NO_FILM = "no source file is known: it came in as a clip analysis"
BOX_HOLDS_S = 0.1
"""Seconds from its own moment for which a box is drawn."""


def filmed(parts: Parts, node_ids: Sequence[int]) -> dict[int, Filmed]:
    """Returns node_id -> where it was filmed, of those events that are in the group."""
    rows = parts.database.read("show/sources", group_id=parts.group_id, node_ids=list(node_ids))
    return {row["node_id"]: _filmed(row) for row in rows}


def save_picture(parts: Parts, node_id: int, to: Path, second: float | None, width: int) -> Filmed:
    """Write the picture of an event at a second of its video, by default where most of its boxes are.

    Of moments with as many, and without boxes, the one nearest to its middle.
    """
    there = _there(parts, node_id)
    boxes = parts.browse.event(node_id).boxes
    middle = there.video_start + (there.end - there.start) / 2
    shown = moment(boxes, middle) if second is None else second
    near = _near(boxes, shown)
    at = there.start + shown - there.video_start
    outlines = [(box["left"], box["top"], box["right"], box["bottom"]) for box in near]
    excerpts.picture(there.path, max(0.0, at), to, width=width, outlines=outlines)
    return there


def moment(boxes: Sequence[BoxView], middle: float) -> float:
    """The second of the video at which most boxes are drawn; of those with as many the nearest to `middle`."""
    return min((box["time"] for box in boxes), key=lambda t: (-len(_near(boxes, t)), abs(t - middle)), default=middle)


def _near(boxes: Sequence[BoxView], second: float) -> list[BoxView]:
    return [box for box in boxes if abs(box["time"] - second) <= BOX_HOLDS_S]


def save_clip(parts: Parts, node_id: int, to: Path, width: int) -> Filmed:
    """Write an event's stretch of film."""
    there = _there(parts, node_id)
    excerpts.clip(there.path, there.start, there.end, to=to, width=width)
    return there


def _there(parts: Parts, node_id: int) -> Filmed:
    found = filmed(parts, [node_id]).get(node_id)
    if found is None:
        raise NotInMemory(f"event {node_id} is not in group {parts.group_id}", hint="amr search finds events")
    if found.missing:
        raise NoSuchFile(
            f"event {node_id} cannot be shown: {found.missing}",
            hint=_PUT_BACK if found.missing != _NO_FILM else _NAME_IT,
        )
    return found


def _filmed(row: dict[str, Any]) -> Filmed:
    """In the file of its clip; in that of its video where the clip's is gone and was the same."""
    path, whole = (_local(row[name]) for name in ("clip_uri", "video_uri"))
    if path and not Path(path).exists() and row["uri_offset"] == row["t_start"] and Path(whole).exists():
        path = whole
    start, length = row["time_start"], row["time_end"] - row["time_start"]
    in_file = start + (row["uri_offset"] or 0.0) - row["t_start"]
    return Filmed(row["node_id"], row["video_id"], path, in_file, in_file + length, start, _missing(path, row))


def _local(uri: str) -> str:
    return unquote(uri.removeprefix("file://")) if uri.startswith("file://") else uri


def _missing(path: str, row: dict[str, Any]) -> str:
    if not path:
        return _NO_FILM
    if "://" in path:
        return f"{path} is not a file on this machine"
    if not Path(path).is_file():
        return f"the file {path} is gone"
    try:
        if (
            path == row["video_uri"]
            and row["fingerprint"]
            and not _is_same(path, row["fingerprint"], row["file_key"])
        ):
            return f"the file {path} was replaced by another one"
    except AmrError as error:
        return error.message
    return ""


def _is_same(path: str, fingerprint: str, file_key: str) -> bool:
    """Whether a file is the one that was taken in, or has grown out of it."""
    return file_key in ffmpeg.file_keys(path) or ffmpeg.fingerprint(path) == fingerprint
