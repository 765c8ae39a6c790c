"""Show what memory holds: the film of an event, pictures and excerpts of it, and the saved analytics queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.video import Filmed
from amr_neo4j.domain.view import Area, View, masked_at
from amr_neo4j.domain.views import AnalyticsRow, BoxView
from amr_neo4j.errors import AmrError, InputError, NoSuchFile, NotInMemory
from amr_neo4j.files import local_path
from amr_neo4j.language.languages import Language
from amr_neo4j.media import excerpts, ffmpeg

if TYPE_CHECKING:
    from amr_neo4j.spool.live import LiveSpool
    from amr_neo4j.store.database import Database
    from amr_neo4j.store.read.browse import Browse

_PUT_BACK = "the event stays in memory; if the film was moved, run: amr relocate OLD NEW"
_NAME_IT = "give the line of the analysis a uri when you ingest it: docs/clip-analyses.md"
_NO_FILM = "no source file is known: it came in as a clip analysis"
BOX_HOLDS_S = 0.1
"""A box is drawn on pictures at most this many seconds from its own moment."""


@dataclass(frozen=True, kw_only=True)
class Showing:
    """Shows events of any group.

    browse: group_id -> look-ups in the group.
    views: {place: what is drawn into the picture of its camera}.
    live: returns the spool of live sources on this machine; None if there is none.
    """

    database: Database
    browse: Callable[[str], Browse]
    views: Mapping[str, View]
    live: Callable[[], LiveSpool | None]

    def filmed(self, group_id: str, node_id: int) -> Filmed:
        """Return the file and seconds where an event was filmed, and whether the file is still there.

        Raises NotInMemory if there is no such event.
        """
        rows = self.database.read("show/sources", group_id=group_id, node_ids=[node_id])
        if not rows:
            raise NotInMemory(f"event {node_id} is not in group {group_id}", hint="amr search finds events")
        return _filmed(rows[0])

    def save_picture(
        self, group_id: str, node_id: int, to: Path, *, second: float | None, width: int, draws: bool
    ) -> Filmed:
        """Write a picture of an event. draws: with its boxes.

        second: the second of the video. By default, the one with most boxes; among equals, the one closest to the
            middle of the event.
        """
        there = self._there(group_id, node_id)
        boxes = self.browse(group_id).event(node_id).boxes
        # Boxes have seconds of the video; the picture is taken at seconds of the file.
        middle = there.video_start + (there.end - there.start) / 2
        shown = moment(boxes, middle) if second is None else second
        at = there.start + shown - there.video_start
        if second is not None:
            _check_second(second, at, ffmpeg.probe(there.path))
        outlines = [(box["left"], box["top"], box["right"], box["bottom"]) for box in _near(boxes, shown) if draws]
        mask = self._mask(group_id, there.video_id)
        excerpts.picture(there.path, max(0.0, at), to, width=width, outlines=outlines, mask=mask)
        return there

    def save_clip(self, group_id: str, node_id: int, to: Path, *, width: int) -> Filmed:
        """Write the excerpt of the film that shows an event."""
        there = self._there(group_id, node_id)
        mask = self._mask(group_id, there.video_id)
        excerpts.clip(there.path, there.start, there.end, to=to, width=width, mask=mask)
        return there

    def save_latest_picture(self, group_id: str, video_id: str, to: Path, *, width: int) -> None:
        """Write the last picture that was recorded of a live source. Raises NoSuchFile."""
        live = self.live()
        clips = reversed(live.clips(group_id, video_id)) if live else ()
        latest = next((clip for clip in clips if Path(clip.path).is_file()), None)
        if latest is None:
            hint = "amr status names the recordings; live_keep_gb says how much of them is kept"
            raise NoSuchFile(f"no film of a live source {video_id} is kept", hint=hint)
        # Beyond the end of a clip's file, which means its last picture.
        excerpts.picture(latest.path, latest.t_end, to, width=width, mask=self._mask(group_id, video_id))

    def film(self, group_id: str, video_id: str) -> Path:
        """Return the file of a whole video. Raises NoSuchFile, NotInMemory; InputError: parts of it are masked."""
        found = self.browse(group_id).video(video_id, PageRequest(1))
        if masked_at(self.views, found.place or ""):
            raise InputError("parts of this film are blacked out", hint="ask for pictures and clips of its events")
        path = local_path(found.uri or "")
        if not path or "://" in path or not Path(path).is_file():
            raise NoSuchFile(f"no film of {video_id} is there", hint=_PUT_BACK)
        # What an event says of the film, it says of its clip: whether the file is still the one that was taken in.
        if found.timeline and self._there(group_id, found.timeline[0].node_id).path != path:
            raise NoSuchFile(f"{video_id} came in as clips", hint="ask for the clips of its events")
        return Path(path)

    def _mask(self, group_id: str, video_id: str) -> Sequence[Area]:
        """Return what is blacked out in pictures of a video."""
        rows = self.database.read("ingest/stored_video", group_id=group_id, video_id=video_id)
        return masked_at(self.views, (rows[0]["place"] or "") if rows else "")

    def _there(self, group_id: str, node_id: int) -> Filmed:
        """Return the same as `filmed`. Raises NoSuchFile: the film is gone, was replaced, or never existed."""
        found = self.filmed(group_id, node_id)
        if found.missing:
            hint = _NAME_IT if found.missing == _NO_FILM else _PUT_BACK
            raise NoSuchFile(f"event {node_id} cannot be shown: {found.missing}", hint=hint)
        return found


def analytics(
    browse: Browse, language: Language, name: str, params: Mapping[str, Any], asked: PageRequest
) -> Page[AnalyticsRow]:
    """Return a page of the rows of cypher/analytics/<name>.cypher.

    Parameters may name objects and persons in any form.
    """
    named = dict(params)
    if "object" in named:
        named["object"] = language.object_key(str(named["object"]))
    if "person" in named:
        named["person"] = language.person_key(str(named["person"])).person_id
    return browse.analytics(name, named, asked)


def moment(boxes: Sequence[BoxView], middle: float) -> float:
    """Return the second of the video at which most boxes are drawn; among equals, the one closest to `middle`."""
    return min((box["time"] for box in boxes), key=lambda t: (-len(_near(boxes, t)), abs(t - middle)), default=middle)


def _check_second(second: float, at: float, film: ffmpeg.Probe) -> None:
    """Raise InputError if a film does not have a second. at: the second of its file.

    A second more on both sides is shown as its first or last picture, because analyses round the times of events.
    """
    end = max(film.duration_s or 0.0, film.picture_end or 0.0)
    if at < -excerpts.BESIDE_S or (end and at > end + excerpts.BESIDE_S):
        begin = second - at  # the second of the video with which the file begins
        raise InputError(f"the film has no second {second:g}", hint=f"it has {begin:g} to {begin + end:g}")


def _near(boxes: Sequence[BoxView], second: float) -> list[BoxView]:
    return [box for box in boxes if abs(box["time"] - second) <= BOX_HOLDS_S]


def _filmed(row: dict[str, Any]) -> Filmed:
    """Return where an event was filmed: the position in the clip's file.

    If that file is gone, the video's file is used, provided that the clip had the same times in it.
    """
    path, whole = (local_path(row[name]) for name in ("clip_uri", "video_uri"))
    if path and not Path(path).exists() and row["uri_offset"] == row["t_start"] and Path(whole).exists():
        path = whole
    start, length = row["time_start"], row["time_end"] - row["time_start"]
    # From seconds of the video to seconds of the file, in which the clip starts at uri_offset.
    in_file = start + (row["uri_offset"] or 0.0) - row["t_start"]
    return Filmed(
        node_id=row["node_id"],
        video_id=row["video_id"],
        path=path,
        start=in_file,
        end=in_file + length,
        video_start=start,
        missing=_missing(path, row),
    )


def _missing(path: str, row: dict[str, Any]) -> str:
    if not path:
        return _NO_FILM
    if "://" in path:
        return f"{path} is an address, not a file"
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
    """Return whether a file is the one that was taken in, or that file after it has grown."""
    return file_key in ffmpeg.file_keys(path) or ffmpeg.fingerprint(path) == fingerprint
