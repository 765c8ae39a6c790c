"""Videos, and the clips that they are analysed in."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Literal
from zoneinfo import ZoneInfo

from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.view import NO_VIEW, View

if TYPE_CHECKING:
    from amr_neo4j.domain.analysis import ClipAnalysis
    from amr_neo4j.domain.tracked import TrackedItem


# The id of a clip that is one track of a tracker's table begins so.
TRACK = "track-"
# The id of a clip that an exploration kept begins so.
EXPLORED = "explored-"
# Frigate's id of an event: when it began, and some letters.
_FRIGATE_EVENT = re.compile(r"1\d{9}(\.\d+)?-\w+")


VISION = "vision"
"""The name of the analyser that asks a vision model."""
LeftOut = Literal["", "sound", "pictures"]


@dataclass(frozen=True)
class Video:
    """A film or a recording.

    duration_s: the length in seconds.
    recorded_at: wall clock of second 0, with a UTC offset.
    file_keys: hashes that recognise a file which grows, the one that covers most first; empty without a file.
    ends: where the file ended at earlier ingests, in seconds, ascending. No clip runs across one of them.
    timezone: the IANA time zone of its camera, whose days questions mean; empty if none was named.
    wearer: the name of whoever wears the camera, who is "I" and "me" in captions; empty if nobody does.
    dated_by: where recorded_at comes from: given, name, creation_time or arrival (of a live source, or of a film by a
        setting); empty if unknown.
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
    timezone: str = ""
    wearer: str = ""

    def __post_init__(self) -> None:
        if self.recorded_at is not None and self.recorded_at.tzinfo is None:
            raise ValueError("recorded_at needs an offset from UTC")

    @property
    def home(self) -> str:
        """The place of its objects: its place, or the video itself if it has none."""
        return self.place or self.video_id

    @property
    def timeline(self) -> tuple[str, str]:
        """The key of the clock that its events are ordered by.

        Videos of one place share a timeline if their wall clocks are known; any other video has its own.
        """
        return ("place", self.home) if self.recorded_at else ("video", self.video_id)


def zone_of(videos: Collection[Video], default: tzinfo | None) -> tzinfo | None:
    """Return the time zone whose days are meant in some videos.

    That is the zone that all videos name, else the default. If the UTC offset of no video agrees with that zone, it
    is the offset of the latest video. Videos in UTC are ignored. So one film from a journey does not move the days of
    the others.
    """
    named = {video.timezone for video in videos}
    zone = ZoneInfo(named.pop()) if len(named) == 1 and "" not in named else default
    recorded = [video.recorded_at for video in videos if video.recorded_at]
    own = [moment for moment in recorded if moment.utcoffset()]
    if zone and (not own or any(moment.utcoffset() == moment.astimezone(zone).utcoffset() for moment in own)):
        return zone
    return max(own).tzinfo if own else zone or next((moment.tzinfo for moment in recorded), None)


def with_local_clock(video: Video, default: tzinfo | None) -> Video:
    """Return a video with its start in the time zone of its recording. default: the default time zone."""
    begun = video.recorded_at
    return replace(video, recorded_at=begun.astimezone(zone_of([video], default))) if begun else video


def is_track(clip_id: str) -> bool:
    """Return whether a clip is one track of another program's tracker, by its id."""
    return clip_id.startswith(TRACK) or bool(_FRIGATE_EVENT.match(clip_id))


@dataclass(frozen=True)
class Clip:
    """A stretch of a video that is analysed as a whole.

    t_start, t_end: seconds of the video.
    uri_offset: where it starts in the file `uri`, in seconds.
    fingerprint: the fingerprint of its own file, if it has one.
    view: what is drawn into the picture of its camera.
    left_out: what of it is not analysed.
    """

    clip_id: str
    t_start: float
    t_end: float
    uri: str = ""
    uri_offset: float = 0.0
    fingerprint: str = ""
    view: View = field(default=NO_VIEW, compare=False, repr=False)
    left_out: LeftOut = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.t_start < self.t_end:
            raise ValueError(f"clip {self.clip_id} runs from {self.t_start} s to {self.t_end} s")


@dataclass(frozen=True)
class CutClip:
    """A clip in a file of its own, which is still to be analysed."""

    video: Video
    clip: Clip


@dataclass(frozen=True)
class AnalysedClip:
    """A clip with its analysis. Times inside `analysis` are seconds of the video.

    content_sha256: a hash of the input (the JSON line, or the file and the range), to recognise repeats.
    notes: what was repaired or replaced (clamped times, a fall-back); kept on the receipt.
    usage: what the models' calls for this clip took.
    lacks: the names of the model calls that are still to be made.
    received_at, analysed_at: for a clip of a live source, when it was cut and when it was analysed.
    tracked: the item of a camera system that the analysis was made of.
    replaces: the content hash of the stored clip that this one adds to; empty for a new clip.
    voices: {speaker: their voice as a unit vector}, where the group remembers voices.
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
    tracked: TrackedItem | None = None
    replaces: str = ""
    voices: Mapping[str, Sequence[float]] = field(default_factory=dict[str, Sequence[float]], hash=False)

    @property
    def is_in_own_words(self) -> bool:
        """Whether a vision model may have written its sentences, while the video was ingested or explored.

        They name persons by their role, and no action is read from them.
        """
        return self.analyser == VISION or self.clip.clip_id.startswith(EXPLORED)


@dataclass(frozen=True)
class FailedClip:
    """A clip that could not be analysed and may be tried again.

    raw_reply: the model's reply, if there was one.
    is_away: whether the model's provider was unavailable, which says nothing about the clip.
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
    """Return a hash of what a clip shows.

    The same stretch of the same film has the same hash, wherever the file is.
    """
    # A clip in a file of its own is recognised by the fingerprint of that file, or else by its name.
    own_file = clip.fingerprint or ("" if clip.uri == video.uri else clip.uri)
    # Rounded to milliseconds, as in the ids of clips.
    stretch = f"{video.fingerprint} {own_file} {clip.t_start:.3f} {clip.t_end:.3f}"
    return hashlib.sha256(stretch.encode()).hexdigest()


@dataclass(frozen=True)
class Filmed:
    """The stretch of a file that shows an event.

    start, end: seconds of the file.
    video_start: the start in seconds of the video.
    missing: why it cannot be shown, for example because the file is gone; empty if it can.
    """

    node_id: int
    video_id: str
    path: str
    start: float
    end: float
    video_start: float
    missing: str = ""


@dataclass(frozen=True)
class StoredFile:
    """A file that a video or its clips refer to. fingerprints: what it may hold; empty if it was never read."""

    video_id: str
    uri: str
    fingerprints: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileMove:
    """A path to replace in a video and its clips. file_key: of the file at the new path, None if unknown."""

    video_id: str
    old: str
    new: str
    file_key: str | None = None


@dataclass(frozen=True)
class Relocated:
    """A file of memory that was looked for at a new path.

    compared: whether its fingerprint was known and compared.
    left: why memory keeps the old path; empty if it has the new one.
    """

    video_id: str
    old: str
    new: str
    compared: bool
    left: str = ""
