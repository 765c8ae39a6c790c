"""Videos and the stretches of them that are analysed at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from amr_neo4j.domain.chat import Usage

if TYPE_CHECKING:
    from amr_neo4j.domain.analysis import ClipAnalysis


@dataclass(frozen=True)
class Video:
    """A film or a recording. duration_s in seconds; recorded_at: wall clock of second 0, with an offset.

    file_keys: by which a file that grows is recognised, the one that covers most first; empty where there is no file.
    ends: where the recording ended at earlier ingests, in seconds, ascending; no clip runs across one. dated_by:
    where recorded_at stands: given, name, creation_time or arrival (of a live source); empty where it is not known.
    """

    group_id: str
    video_id: str
    uri: str = ""
    fingerprint: str = ""
    duration_s: float | None = None
    fps: float | None = None
    width: int | None = None
    height: int | None = None
    recorded_at: datetime | None = None
    place: str = ""
    file_keys: tuple[str, ...] = ()
    ends: tuple[float, ...] = ()
    dated_by: str = ""

    def __post_init__(self) -> None:
        if self.recorded_at is not None and self.recorded_at.tzinfo is None:
            raise ValueError("recorded_at needs an offset from UTC")

    @property
    def home(self) -> str:
        """The place of its objects: the place, else the video itself."""
        return self.place or self.video_id

    @property
    def timeline(self) -> tuple[str, str]:
        """Videos with the same timeline are ordered in time: those of one place with a wall clock."""
        return ("place", self.home) if self.recorded_at else ("video", self.video_id)


@dataclass(frozen=True)
class Clip:
    """A stretch of video analysed at once. t_start, t_end: seconds of the video; uri_offset: seconds into uri.

    fingerprint: of its file, where that is not the video's.
    """

    clip_id: str
    t_start: float
    t_end: float
    uri: str = ""
    uri_offset: float = 0.0
    fingerprint: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.t_start < self.t_end:
            raise ValueError(f"clip {self.clip_id} runs from {self.t_start} s to {self.t_end} s")


@dataclass(frozen=True)
class CutClip:
    """A clip that is a file of its own, to be analysed."""

    video: Video
    clip: Clip


@dataclass(frozen=True)
class AnalysedClip:
    """A clip with its analysis; times inside `analysis` are seconds of the video.

    content_sha256: of the input (the line, or the file and the range), to recognise repeats.
    notes: what was repaired or replaced on the way (clamped times, a fall-back), kept on the receipt.
    usage: of the models, for this clip. lacks: the model calls still to be made for it, by name. received_at,
    analysed_at: of a clip of a live source, when it was cut and when it was analysed.
    """

    video: Video
    clip: Clip
    analysis: ClipAnalysis
    analyser: str
    content_sha256: str
    model: str = ""
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    lacks: tuple[str, ...] = ()
    received_at: datetime | None = None
    analysed_at: datetime | None = None


@dataclass(frozen=True)
class FailedClip:
    """A clip that could not be analysed, to be tried again. raw_reply: the model's reply, if any.

    is_away: whether the model's provider was unavailable, so that nothing is known against the clip.
    """

    video: Video
    clip: Clip
    analyser: str
    content_sha256: str
    error: str
    model: str = ""
    raw_reply: str = ""
    usage: Usage = field(default_factory=Usage)
    received_at: datetime | None = None
    is_away: bool = False


def content_sha256(video: Video, clip: Clip) -> str:
    """A hash of what a clip shows: equal for the same stretch of the same film, wherever the file is."""
    own_file = clip.fingerprint or ("" if clip.uri == video.uri else clip.uri)
    stretch = f"{video.fingerprint} {own_file} {clip.t_start:.3f} {clip.t_end:.3f}"
    return hashlib.sha256(stretch.encode()).hexdigest()


@dataclass(frozen=True)
class Filmed:
    """An event's stretch of a file. start, end: seconds of the file; video_start: the start, in seconds of the video.

    missing: why there is nothing to show, such as that the file is gone; empty where there is.
    """

    node_id: int
    video_id: str
    path: str
    start: float
    end: float
    video_start: float
    missing: str = ""
