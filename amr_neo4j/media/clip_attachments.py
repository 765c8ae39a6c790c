# pyright: basic
"""A clip as a model is shown it: cut out by ffmpeg and made small enough to travel."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from amr_neo4j.domain.chat import Attachment
from amr_neo4j.errors import InputError
from amr_neo4j.media.ffmpeg import Probe, opened, probe, readable, told_plainly
from amr_neo4j.media.media_profile import MediaProfile

FILM_FPS = 8
"""Pictures a second of a film that travels; models look at one or two of them."""
_NARROWEST, _STEP = 128, 0.7
_SOUND_KBITS = 48
_HIGHEST_KBITS, _LOWEST_KBITS = 4_000, 16


def attachments(path: Path | str, start: float, seconds: float, how: MediaProfile) -> tuple[Attachment, ...]:
    """`seconds` of a file from `start` (s of the file) on: one film, or pictures in time order and then the sound.

    Nothing where the file goes on and says that its picture has ended: sound often outlasts it a little.
    Raises NoSuchFile, ToolError; InputError: no picture there that can be read, or nothing small enough.
    """
    path = readable(path)
    found = probe(path)
    if not found.has_video:
        raise InputError(f"{path.name} has no picture", hint="give a video; sound alone is not analysed")
    cut = _Cut(path, start, seconds, str(found.video_stream), how, heard=found.has_audio and how.sound)
    if _is_over(found, start) and not cut.has_picture():
        return ()
    return cut.film() if how.send == "film" else cut.frames()


class _Cut:
    """A stretch of one file."""

    def __init__(
        self, path: Path, start: float, seconds: float, stream: str, how: MediaProfile, *, heard: bool
    ) -> None:
        self._path, self._start, self._seconds = path, start, seconds
        self._stream, self._how, self._heard = stream, how, heard

    def film(self) -> tuple[Attachment, ...]:
        kbits = self._how.max_kbytes * 8 * 0.85 / self._seconds - _SOUND_KBITS * self._heard
        [data] = self._small_enough(lambda width: [self._encoded(width, kbits)], self._how.max_kbytes)
        return (Attachment("video/mp4", data, tokens=self._how.tokens(self._seconds)),)

    def frames(self) -> tuple[Attachment, ...]:
        sound = self._sound() if self._heard else ()
        left = self._how.max_kbytes - sum(len(part.data) for part in sound) / 1000
        pictures = self._small_enough(self._pictures, left)
        step = self._seconds / self._how.frames
        # ffmpeg's fps filter shows the last picture of the first half of each step
        times = [(number + 0.5) * step for number in range(len(pictures))]
        return (
            *(
                Attachment("image/jpeg", data, f"At {t:.1f} s:", self._how.tokens_frame)
                for t, data in zip(times, pictures, strict=True)
            ),
            *sound,
        )

    def has_picture(self) -> bool:
        return any(self._made([self._opened()[self._stream]], "%04d.jpg", vframes=1))

    def _small_enough(self, make: Callable[[int], list[bytes]], kbytes: float) -> list[bytes]:
        """What `make` gives for the greatest width that fits."""
        width = self._how.width
        while width >= _NARROWEST:
            made = make(width // 2 * 2)
            if sum(map(len, made)) <= kbytes * 1000:
                return made
            width = int(width * _STEP)
        raise InputError(
            f"{self._seconds:g} s of {self._path.name} do not fit into {self._how.max_kbytes} kB",
            hint="raise max_kbytes under analyse, or lower target_clip_sec",
        )

    def _encoded(self, width: int, kbits: float) -> bytes:
        """H.264 and AAC in MP4. kbits: a second, of the picture at its full width; a smaller one gets less."""
        share = kbits * (width / self._how.width) ** 2
        rate = f"{min(max(share, _LOWEST_KBITS), _HIGHEST_KBITS):.0f}k"
        options: dict[str, Any] = {"vcodec": "libx264", "preset": "veryfast", "crf": 26, "pix_fmt": "yuv420p"}
        options |= {"maxrate": rate, "bufsize": rate, "threads": 1, "movflags": "+faststart"}
        source = self._opened()
        picture = _scaled(source[self._stream].filter("fps", fps=FILM_FPS), width)
        streams = [picture, source.audio] if self._heard else [picture]
        sound = {"acodec": "aac", "audio_bitrate": f"{_SOUND_KBITS}k", "ac": 1} if self._heard else {}
        [data] = self._written(streams, "clip.mp4", **options, **sound)
        return data

    def _pictures(self, width: int) -> list[bytes]:
        rate = self._how.frames / self._seconds
        picture = _scaled(self._opened()[self._stream].filter("fps", fps=rate, start_time=0), width)
        return self._written([picture], "%04d.jpg", vframes=self._how.frames, **{"q:v": 4})

    def _sound(self) -> tuple[Attachment, ...]:
        sound = {"acodec": "libmp3lame", "audio_bitrate": f"{_SOUND_KBITS}k", "ac": 1}
        [data] = self._written([self._opened().audio], "clip.mp3", **sound)
        tokens = round(self._seconds * self._how.tokens_second)
        return (Attachment("audio/mpeg", data, "The sound of the clip:", tokens),)

    def _opened(self) -> Any:
        return opened(self._path, self._start, t=self._seconds)

    def _written(self, streams: Sequence[Any], name: str, **options: Any) -> list[bytes]:
        """The files that ffmpeg writes under this name. Raises InputError where it writes none."""
        made = self._made(streams, name, **options)
        if not any(made):
            where = f"from {self._start:g} s on"
            raise InputError(f"{self._path.name} has no picture {where}", hint="play it to see; it may be cut short")
        return made

    def _made(self, streams: Sequence[Any], name: str, **options: Any) -> list[bytes]:
        import ffmpeg  # noqa: PLC0415 - beside our module of the same name

        with tempfile.TemporaryDirectory(prefix="amr-clip-") as folder:
            output = ffmpeg.output(*streams, str(Path(folder, name)), **options)
            with told_plainly(self._path):
                output.global_args("-nostdin", "-loglevel", "error").run(capture_stdout=True, capture_stderr=True)
            return [path.read_bytes() for path in sorted(Path(folder).iterdir())]


def _is_over(found: Probe, start: float) -> bool:
    """Whether at `start` (s) the file goes on and its picture has ended, as it says, or is about to."""
    if found.picture_end is None or start >= (found.duration_s or 0.0):
        return False
    return start + 2 / (found.fps or 25) > found.picture_end


def _scaled(picture: Any, width: int) -> Any:
    """At most so wide (pixels), never enlarged."""
    return picture.filter("scale", f"min({width},iw)", -2)
