"""ffmpeg on real-world files: variable rates, rotated, truncated, empty, no video at all."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j.errors import InputError, NoSuchFile, ToolError
from amr_neo4j.media import ffmpeg
from amr_neo4j.media.frames import frames
from amr_neo4j.media.video_file import video_of
from tests.support.films import make, pattern, source, stump


@pytest.fixture(scope="session")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4 s at 25 frames a second with a tone and one key frame; the picture is brighter by 50 each second."""
    picture = "nullsrc=s=320x240:r=25:d=4,format=yuv420p,geq=lum='16+50*T':cb=128:cr=128"
    path = tmp_path_factory.mktemp("clock") / "clock.mp4"
    return make(path, *source(picture), *source("sine=frequency=440:duration=4"), "-g", "1000")


def shown_at(image: np.ndarray) -> float:
    """The second shown by a picture of `clock` (video keeps 219 of 255 levels)."""
    return float(image.mean()) * 219 / 255 / 50


def test_probe_describes_the_streams_of_a_file(clock: Path) -> None:
    found = ffmpeg.probe(clock)
    assert (found.width, found.height, found.fps, found.has_audio, found.has_video) == (320, 240, 25.0, True, True)
    assert found.duration_s == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("start", [0.0, 2.6])
def test_frames_have_their_stated_times(clock: Path, start: float) -> None:
    read = list(frames(clock, fps=5, width=640, start=start))
    assert [frame.t for frame in read] == pytest.approx(np.arange(start, 4.0, 0.2), abs=1e-6)
    assert [shown_at(frame.image) for frame in read] == pytest.approx([frame.t for frame in read], abs=0.15)


def test_frames_are_scaled_down_never_up(clock: Path) -> None:
    assert next(frames(clock, fps=1, width=160)).image.shape == (120, 160, 3)
    assert next(frames(clock, fps=1, width=640)).image.shape == (240, 320, 3)


def test_a_variable_frame_rate_keeps_its_times(tmp_path: Path, clock: Path) -> None:
    thinned = make(tmp_path / "vfr.mp4", "-i", str(clock), "-vf", r"select='lt(t,1)+gte(t,3)'", "-fps_mode", "vfr")
    read = {round(frame.t, 1): frame.image for frame in frames(thinned, fps=5, width=320)}
    assert shown_at(read[0.6]) == pytest.approx(0.6, abs=0.15)
    assert shown_at(read[2.0]) == pytest.approx(0.96, abs=0.15)
    assert shown_at(read[3.4]) == pytest.approx(3.4, abs=0.15)


def test_a_rotated_video_is_shown_upright(tmp_path: Path, clock: Path) -> None:
    if _rotation_is_an_option_of_the_input():
        turned = make(tmp_path / "turned.mp4", "-display_rotation", "90", "-i", str(clock), "-c", "copy")
    else:
        turned = make(tmp_path / "turned.mp4", "-i", str(clock), "-c", "copy", "-metadata:s:v", "rotate=90")
    assert (ffmpeg.probe(turned).width, ffmpeg.probe(turned).height) == (240, 320)
    assert next(frames(turned, fps=1, width=640)).image.shape == (320, 240, 3)


def _rotation_is_an_option_of_the_input() -> bool:
    """Since ffmpeg 6; before, it was a tag of the stream."""
    manual = subprocess.run(["ffmpeg", "-h", "full"], check=True, capture_output=True, text=True).stdout
    return "display_rotation" in manual


def test_a_fifth_of_a_second_is_a_video(tmp_path: Path) -> None:
    assert [frame.t for frame in frames(pattern(tmp_path / "short.mp4", 0.2), fps=5, width=640)] == [0.0]


def test_a_cut_marks_the_first_frame_of_the_shot(tmp_path: Path) -> None:
    shots = "color=red:s=160x120:r=25:d=1[a];testsrc=s=160x120:r=25:d=1[b];[a][b]concat=n=2"
    film = make(tmp_path / "cut.mp4", "-filter_complex", shots)
    assert [frame.t for frame in frames(film, fps=5, width=160) if frame.cut] == [1.0]


@pytest.mark.parametrize("name", ["stump.mp4", "stump.mkv"])
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_a_truncated_file_yields_what_is_readable(tmp_path: Path, name: str, start: float) -> None:
    read = list(frames(stump(tmp_path / name), fps=5, width=320, start=start))
    assert 1.0 < read[-1].t < 3.0
    assert any(frame.trouble for frame in read) or read[-1].t < 2.2


@pytest.mark.parametrize(
    ("name", "content"),
    [("notes.mp4", b"this is not a film"), ("empty.mp4", b""), ("stump.mp4", b"\0\0\0\x20ftypisom" + b"\0" * 999)],
)
def test_an_invalid_video_is_an_error(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"cannot read {name}") as refused:
        next(frames(tmp_path / name, fps=5, width=640))
    assert refused.value.hint


def test_sound_alone_has_no_frames(tmp_path: Path) -> None:
    tone = make(tmp_path / "tone.m4a", *source("sine=d=1"))
    assert not ffmpeg.probe(tone).has_video
    with pytest.raises(InputError, match="no video stream"):
        next(frames(tone, fps=5, width=640))


def test_the_cover_of_an_audio_file_is_no_video(tmp_path: Path) -> None:
    cover = make(tmp_path / "cover.png", *source("testsrc=s=64x64:d=1"), "-frames:v", "1")
    song = make(
        tmp_path / "song.mp3",
        *source("sine=d=1"),
        "-i",
        str(cover),
        "-map",
        "0",
        "-map",
        "1",
        "-disposition:v",
        "attached_pic",
    )
    assert not ffmpeg.probe(song).has_video


def test_missing_files_and_folders_are_errors(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile, match="No such file"):
        ffmpeg.probe(tmp_path / "no.mp4")
    with pytest.raises(InputError, match="is a folder"):
        ffmpeg.probe(tmp_path)


def test_without_ffmpeg_the_advice_is_to_install_it(clock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolError, match=r"not installed.*apt-get install ffmpeg"):
        ffmpeg.probe(clock)


def test_a_playlist_cannot_make_ffmpeg_fetch(tmp_path: Path) -> None:
    (tmp_path / "list.mp4").write_text("#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n")
    with pytest.raises(InputError):
        ffmpeg.probe(tmp_path / "list.mp4")


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A film that nobody names, as MP4, MPEG-TS and images, with a manifest of it."""
    folder = tmp_path_factory.mktemp("secret")
    film = pattern(folder / "secret.mp4", 1.0)
    make(folder / "secret.ts", "-i", str(film))
    make(folder / "secret001.png", "-i", str(film), "-frames:v", "1")
    make(folder / "dash.mpd", "-i", str(film), "-c", "copy", "-f", "dash")
    return folder


def hls(folder: Path) -> str:
    return "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:1,\nsecret.ts\n#EXT-X-ENDLIST\n"


def dash(folder: Path) -> str:
    return (folder / "dash.mpd").read_text()


def ffconcat(folder: Path) -> str:
    return "ffconcat version 1.0\nfile secret.mp4\n"


def session_description(folder: Path) -> str:
    address = "IN IP4 127.0.0.1"
    return f"v=0\no=- 0 0 {address}\ns=x\nc={address}\nt=0 0\nm=video 9 RTP/AVP 96\na=rtpmap:96 H264/90000\n"


def drawing(folder: Path) -> str:
    """An SVG may include other files."""
    return '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="secret001.png"/></svg>'


@pytest.mark.parametrize("suffix", [".mp4", ".srt"])
@pytest.mark.parametrize("script", [hls, dash, ffconcat, session_description, drawing])
def test_a_file_that_names_others_is_not_opened(secret: Path, script: Callable[[Path], str], suffix: str) -> None:
    disguised = secret / f"{script.__name__}{suffix}"
    disguised.write_text(script(secret))
    for read in (
        ffmpeg.probe,
        lambda path: next(frames(path, fps=1, width=64)),
        lambda path: ffmpeg.audio(path, 0.0, 1.0),
        lambda path: ffmpeg.subtitles(path, ffmpeg.SubtitleStream(0, "srt")),
        lambda path: video_of(path, "home"),
    ):
        with pytest.raises(InputError, match=r"is not a video container|cannot read") as refused:
            read(disguised)
        assert refused.value.hint and "\n" not in str(refused.value)


def test_those_scripts_would_be_followed(secret: Path) -> None:
    """They are without the list of formats, so that the test above does show something."""
    for script in (hls, dash, ffconcat):
        disguised = secret / f"followed-{script.__name__}.mp4"
        disguised.write_text(script(secret))
        shown = subprocess.check_output(["ffprobe", "-v", "error", "-show_streams", disguised], text=True)
        assert "codec_type=video" in shown


def test_a_pipe_or_a_device_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mp4")
    for path in (tmp_path / "pipe.mp4", Path("/dev/zero")):
        with pytest.raises(InputError, match="is not a regular file"):
            ffmpeg.probe(path)


@pytest.mark.parametrize(
    "name", ["a.mp4", "a.mov", "a.mkv", "a.webm", "a.avi", "a.mpg", "a.ts", "a.wmv", "a.flv", "a.3gp", "a.ogv"]
)
def test_every_container_of_media_is_opened(tmp_path: Path, name: str) -> None:
    found = ffmpeg.probe(make(tmp_path / name, *source("testsrc=s=176x144:r=25:d=0.4")))
    assert found.has_video and found.duration_s


def test_ffmpeg_ends_when_the_reader_stops_early(clock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(real(*a, **k)) or started[-1])
    with closing(frames(clock, fps=25, width=320)) as reader:
        next(reader)
    assert started and all(process.poll() is not None for process in started)


def test_sound_is_mono_16_khz(clock: Path) -> None:
    sound = ffmpeg.audio(clock, 1.0, 2.5)
    assert sound.shape[0] == pytest.approx(1.5 * ffmpeg.SAMPLE_RATE, rel=0.01)
    peak = np.abs(np.fft.rfft(sound[:16_000])).argmax()
    assert peak == pytest.approx(440, abs=2)


def test_embedded_subtitles_are_extracted(tmp_path: Path, clock: Path) -> None:
    (tmp_path / "words.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nAnna: The keys are here.\n")
    film = make(
        tmp_path / "film.mkv", "-i", str(clock), "-i", str(tmp_path / "words.srt"), "-c:v", "copy", "-c:s", "srt"
    )
    (stream,) = ffmpeg.probe(film).subtitle_streams
    assert "Anna: The keys are here." in ffmpeg.subtitles(film, stream)


def test_the_fingerprint_depends_on_the_content(tmp_path: Path) -> None:
    one, same, other = (tmp_path / name for name in ("one", "same", "other"))
    data = bytes(range(256)) * 20_000
    one.write_bytes(data)
    same.write_bytes(data)
    other.write_bytes(data[:-1] + b"x")
    assert ffmpeg.fingerprint(one) == ffmpeg.fingerprint(same) != ffmpeg.fingerprint(other)
    assert len(ffmpeg.fingerprint(one)) == 16
