"""A clip as attachments of a model request: cut and encoded by ffmpeg within a size limit."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from amr_neo4j.domain.chat import Attachment
from amr_neo4j.errors import InputError
from amr_neo4j.media.ffmpeg import Probe, mapped_errors, opened, probe, readable
from amr_neo4j.model_roles import AnalyseRole
from amr_neo4j.tables import Table, load

FILM_FPS = 8
"""Frame rate of a clip sent as a video; models sample one or two frames a second."""
_MIN_WIDTH, _WIDTH_STEP = 128, 0.7
_AUDIO_KBITS = 48
_MAX_VIDEO_KBITS, _MIN_VIDEO_KBITS = 4_000, 16


def attachments(path: Path | str, start: float, seconds: float, profile: MediaProfile) -> tuple[Attachment, ...]:
    """Return a stretch of a file as attachments: one video, or frames in time order followed by the sound.

    start: seconds of the file. Empty if the video stream has ended there and only sound goes on, as often happens.
    Raises NoSuchFile, ToolError; InputError: no decodable video there, or it does not fit the profile's size limit.
    """
    path = readable(path)
    found = probe(path)
    if not found.has_video:
        raise InputError(f"{path.name} has no video stream", hint="name a video; sound alone is not analysed")
    with_sound = found.has_audio and profile.sound
    encoder = _ClipEncoder(path, start, seconds, str(found.video_stream), profile, with_sound=with_sound)
    if _may_have_ended(found, start) and not encoder.has_frame():
        return ()
    return encoder.film() if profile.send == "film" else encoder.frames()


class _ClipEncoder:
    """Encodes a stretch of one file."""

    def __init__(
        self, path: Path, start: float, seconds: float, stream: str, profile: MediaProfile, *, with_sound: bool
    ) -> None:
        self._path, self._start, self._seconds = path, start, seconds
        self._stream, self._profile, self._with_sound = stream, profile, with_sound

    def film(self) -> tuple[Attachment, ...]:
        kbits = self._profile.max_kbytes * 8 * 0.85 / self._seconds - _AUDIO_KBITS * self._with_sound
        [data] = self._within_limit(lambda width: [self._mp4(width, kbits)], self._profile.max_kbytes)
        return (Attachment("video/mp4", data, tokens=self._profile.tokens(self._seconds)),)

    def frames(self) -> tuple[Attachment, ...]:
        sound = self._mp3() if self._with_sound else ()
        remaining = self._profile.max_kbytes - sum(len(part.data) for part in sound) / 1000
        images = self._within_limit(self._jpegs, remaining)
        step = self._seconds / self._profile.frames
        # ffmpeg's fps filter outputs the last frame of the first half of each step
        times = [(number + 0.5) * step for number in range(len(images))]
        return (
            *(
                Attachment("image/jpeg", data, f"At {t:.1f} s:", self._profile.tokens_frame)
                for t, data in zip(times, images, strict=True)
            ),
            *sound,
        )

    def has_frame(self) -> bool:
        return any(self._run([self._input()[self._stream]], "%04d.jpg", vframes=1))

    def _within_limit(self, encode: Callable[[int], list[bytes]], kbytes: float) -> list[bytes]:
        """What `encode` returns for the greatest width that fits the limit."""
        width = self._profile.width
        while width >= _MIN_WIDTH:
            encoded = encode(width // 2 * 2)
            if sum(map(len, encoded)) <= kbytes * 1000:
                return encoded
            width = int(width * _WIDTH_STEP)
        raise InputError(
            f"{self._seconds:g} s of {self._path.name} do not fit into {self._profile.max_kbytes} kB",
            hint="raise max_kbytes under analyse, or lower target_clip_sec",
        )

    def _mp4(self, width: int, kbits: float) -> bytes:
        """H.264 and AAC in MP4. kbits: video bit rate (kbit/s) at the profile's width; less at smaller ones."""
        share = kbits * (width / self._profile.width) ** 2
        rate = f"{min(max(share, _MIN_VIDEO_KBITS), _MAX_VIDEO_KBITS):.0f}k"
        options: dict[str, Any] = {"vcodec": "libx264", "preset": "veryfast", "crf": 26, "pix_fmt": "yuv420p"}
        options |= {"maxrate": rate, "bufsize": rate, "threads": 1, "movflags": "+faststart"}
        source = self._input()
        video = _scaled(source[self._stream].filter("fps", fps=FILM_FPS), width)
        streams = [video, source.audio] if self._with_sound else [video]
        sound = {"acodec": "aac", "audio_bitrate": f"{_AUDIO_KBITS}k", "ac": 1} if self._with_sound else {}
        [data] = self._encoded(streams, "clip.mp4", **options, **sound)
        return data

    def _jpegs(self, width: int) -> list[bytes]:
        rate = self._profile.frames / self._seconds
        video = _scaled(self._input()[self._stream].filter("fps", fps=rate, start_time=0), width)
        return self._encoded([video], "%04d.jpg", vframes=self._profile.frames, **{"q:v": 4})

    def _mp3(self) -> tuple[Attachment, ...]:
        sound = {"acodec": "libmp3lame", "audio_bitrate": f"{_AUDIO_KBITS}k", "ac": 1}
        [data] = self._encoded([self._input().audio], "clip.mp3", **sound)
        tokens = round(self._seconds * self._profile.tokens_second)
        return (Attachment("audio/mpeg", data, "The sound of the clip:", tokens),)

    def _input(self) -> Any:
        return opened(self._path, self._start, t=self._seconds)

    def _encoded(self, streams: Sequence[Any], name: str, **options: Any) -> list[bytes]:
        """The files that ffmpeg writes under this name pattern. Raises InputError: it writes none."""
        data = self._run(streams, name, **options)
        if not any(data):
            message = f"{self._path.name} has no decodable video from {self._start:g} s on"
            raise InputError(message, hint="check that it plays there; it may be truncated")
        return data

    def _run(self, streams: Sequence[Any], name: str, **options: Any) -> list[bytes]:
        import ffmpeg  # noqa: PLC0415 - our module has the same name

        with tempfile.TemporaryDirectory(prefix="amr-clip-") as folder:
            output = ffmpeg.output(*streams, str(Path(folder, name)), **options)
            with mapped_errors(self._path):
                output.global_args("-nostdin", "-loglevel", "error").run(capture_stdout=True, capture_stderr=True)
            return [path.read_bytes() for path in sorted(Path(folder).iterdir())]


def _may_have_ended(found: Probe, start: float) -> bool:
    """Whether by the container the video stream ends before `start` (s), or within two frames, but the file not."""
    if found.picture_end is None or start >= (found.duration_s or 0.0):
        return False
    return start + 2 / (found.fps or 25) > found.picture_end


def _scaled(video: Any, width: int) -> Any:
    """Scaled down to this width (pixels), never up."""
    return video.filter("scale", f"min({width},iw)", -2)


_SETTINGS = ("send", "frames", "width", "sound", "max_kbytes")
# Tokens of a second of sound sent beside frames, unless the profile gives a number.
_AUDIO_TOKENS_SECOND = 32


class MediaProfile(BaseModel):
    """An entry of media_profile.yaml, whose header explains the keys."""

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
        """Estimate the tokens of a clip of this length."""
        frames = self.frames * self.tokens_frame if self.send == "frames" else 0
        is_timed = self.send == "film" or self.sound
        return frames + (round(seconds * self.tokens_second) if is_timed else 0)


class _Table(Table):
    families: list[MediaProfile]


def media_profile(base_url: str, model: str, role: AnalyseRole) -> MediaProfile:
    """Return the profile for this model at this provider: that of its family, overridden by the role's settings."""
    family = next(entry for entry in _table().families if _fits(entry, base_url, model))
    chosen = {name: getattr(role, name) for name in _SETTINGS if getattr(role, name) is not None}
    return family.model_copy(update=chosen)


def _fits(entry: MediaProfile, base_url: str, model: str) -> bool:
    pairs = ((entry.at, base_url), (entry.model, model))
    return all(re.search(pattern, text, re.IGNORECASE) for pattern, text in pairs)


@cache
def _table() -> _Table:
    return load("amr_neo4j.media", "media_profile.yaml", _Table)
