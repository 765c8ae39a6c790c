"""Makes a clip into attachments of a model request, cut and encoded by ffmpeg in the form that suits the model."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j.domain.chat import Attachment
from amr_neo4j.domain.view import Area
from amr_neo4j.errors import InputError
from amr_neo4j.media.ffmpeg import Probe, Stretch, encode, probe_video, readable
from amr_neo4j.model_roles import AnalyseRole
from amr_neo4j.tables import Table, shipped

FILM_FPS = 8
"""The frame rate of a clip that is sent as a video. Models sample one or two frames per second."""
# If a clip is larger than the profile allows, it is encoded again at this share of the width, down to the minimum.
_MIN_WIDTH, _WIDTH_STEP = 128, 0.7
_AUDIO_KBITS = 48
_MAX_VIDEO_KBITS, _MIN_VIDEO_KBITS = 4_000, 16
_SETTINGS = ("send", "frames", "width", "sound", "max_kbytes")
# Tokens per second of sound that is sent beside frames, unless the profile gives a number.
_AUDIO_TOKENS_SECOND = 32


class MediaProfile(BaseModel):
    """The form in which clips are sent to a family of models: an entry of media_profile.yaml, whose head explains
    it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: str = ""
    model: str = ""
    send: Literal["film", "frames"]
    frames: int = Field(8, ge=1)
    width: int = Field(ge=64)
    sound: bool
    max_kbytes: int = Field(ge=1)
    tokens_frame: int = 1100
    tokens_second: int = _AUDIO_TOKENS_SECOND

    def tokens(self, seconds: float) -> int:
        """Return an estimate of the tokens of a clip of this length."""
        frames = self.frames * self.tokens_frame if self.send == "frames" else 0
        is_timed = self.send == "film" or self.sound
        return frames + (round(seconds * self.tokens_second) if is_timed else 0)


class _Table(Table):
    families: list[MediaProfile]


_table = shipped("amr_neo4j.media", "media_profile.yaml", _Table)


def media_profile(base_url: str, model: str, role: AnalyseRole) -> MediaProfile:
    """Return the profile of the first family that fits provider and model, overridden by the role's settings."""
    # Some models take a film with sound, others only pictures, and each limits the size of a request (decision 0067).
    family = next(each for each in _table().families if _matches(each.at, base_url) and _matches(each.model, model))
    chosen = {name: getattr(role, name) for name in _SETTINGS if getattr(role, name) is not None}
    return family.model_copy(update=chosen)


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def attachments(
    path: Path | str,
    start: float,
    seconds: float,
    *,
    profile: MediaProfile,
    track: str = "",
    mask: Sequence[Area] = (),
    video_s: float | None = None,
) -> tuple[Attachment, ...]:
    """Return a stretch of a file as attachments: one video, or frames in time order followed by the sound.

    start: the second of the file at which the stretch begins.
    video_s: the second of the whole video at which it begins, to label it with; None: labels count from its start.
    track: the sound track, as in Probe.sound.
    mask: what is blacked out.
    Returns an empty tuple if the video stream has ended there and only sound goes on, which is common.
    Raises NoSuchFile, ToolError; InputError: no decodable video there, or it does not fit the profile's size limit.
    """
    path = readable(path)
    found = probe_video(path, "name a video; sound alone is not analysed")
    encoder = _ClipEncoder(
        path=path, start=start, seconds=seconds, found=found, profile=profile, track=track, mask=mask, video_s=video_s
    )
    if _may_have_ended(found, start) and not encoder.has_frame():
        return ()
    return encoder.film() if profile.send == "film" else encoder.frames()


@dataclass(frozen=True, kw_only=True)
class _ClipEncoder:
    """Encodes a stretch of one file. The fields are the arguments of `attachments`; found: what the file has."""

    path: Path
    start: float
    seconds: float
    found: Probe
    profile: MediaProfile
    track: str
    mask: Sequence[Area]
    video_s: float | None

    @property
    def _with_sound(self) -> bool:
        return self.found.has_audio and self.profile.sound

    def film(self) -> tuple[Attachment, ...]:
        # 0.85 leaves room for the container, and for bit rates that ffmpeg does not meet exactly.
        kbits = self.profile.max_kbytes * 8 * 0.85 / self.seconds - _AUDIO_KBITS * self._with_sound
        [data] = self._within_limit(lambda width: [self._mp4(width, kbits)], self.profile.max_kbytes)
        label = "" if self.video_s is None else f"Second 0 of this film is second {self.video_s:.1f} of the video:"
        return (Attachment("video/mp4", data, label, self.profile.tokens(self.seconds)),)

    def frames(self) -> tuple[Attachment, ...]:
        sound = self._mp3() if self._with_sound else ()
        remaining = self.profile.max_kbytes - sum(len(part.data) for part in sound) / 1000
        step = self.seconds / self.profile.frames
        images: list[Attachment] = []
        for number, data in enumerate(self._within_limit(self._jpegs, remaining)):
            # ffmpeg's fps filter outputs the last frame of the first half of each step.
            label = f"At {(self.video_s or 0.0) + (number + 0.5) * step:.1f} s:"
            images.append(Attachment("image/jpeg", data, label, self.profile.tokens_frame))
        return (*images, *sound)

    def has_frame(self) -> bool:
        return any(self._files([self._stretch().video], "%04d.jpg", vframes=1))

    def _within_limit(self, encoded: Callable[[int], list[bytes]], kbytes: float) -> list[bytes]:
        """Return what `encoded` returns for the greatest width that fits the limit."""
        width = self.profile.width
        while width >= _MIN_WIDTH:
            # H.264 with this pixel format needs even widths.
            data = encoded(width // 2 * 2)
            if sum(map(len, data)) <= kbytes * 1000:
                return data
            width = int(width * _WIDTH_STEP)
        raise InputError(
            f"{self.seconds:g} s of {self.path.name} do not fit into {self.profile.max_kbytes} kB",
            hint="raise max_kbytes under analyse, or lower target_clip_sec",
        )

    def _mp4(self, width: int, kbits: float) -> bytes:
        """Return the stretch as H.264 and AAC in MP4.

        kbits: the video bit rate (kbit/s) at the profile's width. A smaller width gets less, by its share of the
            pixels.
        """
        share = kbits * (width / self.profile.width) ** 2
        rate = f"{min(max(share, _MIN_VIDEO_KBITS), _MAX_VIDEO_KBITS):.0f}k"
        options: dict[str, Any] = {"vcodec": "libx264", "preset": "veryfast", "crf": 26, "pix_fmt": "yuv420p"}
        # Faststart puts the index first, so that a server can play the file as it arrives.
        options |= {"maxrate": rate, "bufsize": rate, "threads": 1, "movflags": "+faststart"}
        stretch = self._stretch()
        shown = stretch.seen.filter("fps", fps=FILM_FPS, start_time=0).filter("trim", end=self.seconds)
        streams = [_scaled(shown, width)]
        if self._with_sound:
            streams.append(stretch.sound)
            options |= {"acodec": "aac", "audio_bitrate": f"{_AUDIO_KBITS}k", "ac": 1}
        [data] = self._decodable(streams, "clip.mp4", **options)
        return data

    def _jpegs(self, width: int) -> list[bytes]:
        rate = self.profile.frames / self.seconds
        video = _scaled(self._stretch().seen.filter("fps", fps=rate, start_time=0), width)
        return self._decodable([video], "%04d.jpg", vframes=self.profile.frames, **{"q:v": 4})

    def _mp3(self) -> tuple[Attachment, ...]:
        sound: dict[str, Any] = {"acodec": "libmp3lame", "audio_bitrate": f"{_AUDIO_KBITS}k", "ac": 1}
        [data] = self._decodable([self._stretch().sound], "clip.mp3", **sound)
        tokens = round(self.seconds * self.profile.tokens_second)
        return (Attachment("audio/mpeg", data, "The sound of the clip:", tokens),)

    def _stretch(self) -> Stretch:
        return Stretch(self.path, self.found, self.start, self.seconds, track=self.track, mask=self.mask)

    def _decodable(self, streams: Sequence[Any], name: str, **options: Any) -> list[bytes]:
        """Does the same as `_files`, but raises InputError if ffmpeg writes nothing."""
        data = self._files(streams, name, **options)
        if not any(data):
            message = f"{self.path.name} has no decodable video from {self.start:g} s on"
            raise InputError(message, hint="check that it plays there; it may be truncated")
        return data

    def _files(self, streams: Sequence[Any], name: str, **options: Any) -> list[bytes]:
        """Return the files that ffmpeg writes. name: a file name, or a pattern for several."""
        with tempfile.TemporaryDirectory(prefix="amr-clip-") as folder:
            encode(streams, Path(folder, name), self.path, **options)
            return [path.read_bytes() for path in sorted(Path(folder).iterdir())]


def _may_have_ended(found: Probe, start: float) -> bool:
    """Return whether the video stream, but not the file, ends before `start` (s) or within two frames of it.

    Only the container's statements are used, which may be wrong.
    """
    if found.picture_end is None or start >= (found.duration_s or 0.0):
        return False
    return start + 2 / (found.fps or 25) > found.picture_end


def _scaled(video: Any, width: int) -> Any:
    """Return the video scaled down to at most this width in pixels, never up."""
    # -2 keeps the proportions and makes the height even.
    return video.filter("scale", f"min({width},iw)", -2)
