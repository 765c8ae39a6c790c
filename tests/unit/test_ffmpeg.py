"""ffmpeg on real-world files: variable rates, rotated, truncated, empty, no video at all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j.errors import InputError, NoSuchFile, ToolError
from amr_neo4j.media import ffmpeg
from amr_neo4j.media.excerpts import picture
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


@pytest.mark.parametrize("claimed", [b"\x7f\xff\xff\xff", b"\0\0\0\1"])
def test_a_header_that_states_another_length_is_not_believed(tmp_path: Path, clock: Path, claimed: bytes) -> None:
    """Files of 24 days have been reported that hold a few seconds."""
    content = bytearray(clock.read_bytes())
    at = content.index(b"mvhd") + 20
    content[at : at + 4] = claimed
    film = tmp_path / "film.mp4"
    film.write_bytes(content)
    assert ffmpeg.probe(film).duration_s == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("start", [0.0, 2.6])
def test_frames_have_their_stated_times(clock: Path, start: float) -> None:
    read = list(frames(clock, fps=5, width=640, start=start))
    assert [frame.t for frame in read] == pytest.approx(np.arange(start, 4.0, 0.2), abs=1e-6)
    assert [shown_at(frame.image) for frame in read] == pytest.approx([frame.t for frame in read], abs=0.15)


_INTERRUPTED = """
import os, signal, sys, time
from amr_neo4j.media.frames import frames
signal.signal(signal.SIGINT, lambda *_: None)
film = frames(sys.argv[1], fps=25, width=320)
next(film)
os.killpg(0, signal.SIGINT)
time.sleep(0.2)
print(1 + sum(1 for _ in film))
"""


def test_ctrl_c_does_not_shorten_a_film_that_is_being_read(clock: Path) -> None:
    """The signal reaches every process of the terminal; a live run completes its clip before it ends."""
    command = [sys.executable, "-c", _INTERRUPTED, str(clock)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, start_new_session=True)
    assert int(done.stdout) == 100


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


def test_without_ffmpeg_the_advice_is_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film = pattern(tmp_path / "film.mp4", 1.0)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolError, match=r"not installed.*apt-get install ffmpeg"):
        ffmpeg.probe(film)


def test_a_file_is_probed_anew_only_if_it_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a program to ask, only what is known can be told."""
    film = pattern(tmp_path / "film.mp4", 1.0)
    longer = pattern(tmp_path / "longer.mp4", 2.0).read_bytes()
    found = ffmpeg.probe(film)
    with monkeypatch.context() as bare:
        bare.setenv("PATH", "/nowhere")
        assert ffmpeg.probe(film) == found
        film.write_bytes(longer)
        with pytest.raises(ToolError):
            ffmpeg.probe(film)
    assert ffmpeg.probe(film).duration_s == 2.0
    film.unlink()
    with pytest.raises(NoSuchFile):
        ffmpeg.probe(film)


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


@pytest.fixture(scope="module")
def ramp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """16 s that grow brighter by 13 each second, a key frame every 8 s, with a beep from 10 to 10.5 s."""
    beep = "aevalsrc='if(between(t,10,10.5),sin(2*PI*880*t),0)':d=16:s=16000"
    picture = "nullsrc=s=64x48:r=10:d=16,format=yuv420p,geq=lum='16+13*T':cb=128:cr=128"
    keys = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "80", "-keyint_min", "80", "-sc_threshold", "0"]
    path = tmp_path_factory.mktemp("ramp") / "ramp.mkv"
    return make(path, *source(picture), *source(beep), *keys, "-c:a", "aac")


def again(film: Path, name: str, *how: str) -> Path:
    return make(film.with_name(name), "-i", str(film), *(how or ("-c", "copy")))


def beep_of(sound: np.ndarray) -> float:
    """The second of the loudest tenth."""
    tenths = np.abs(sound[: len(sound) // 1600 * 1600]).reshape(-1, 1600).max(axis=1)
    return float(np.flatnonzero(tenths > tenths.max() / 2)[0]) / 10


@pytest.mark.parametrize("name", ["a.ts", "a.mpg", "a.h264", "joined.ts"])
def test_a_seek_shows_the_picture_of_the_second_asked_for(ramp: Path, name: str) -> None:
    """Formats without an index seek to somewhere else, and a clock that begins again misleads a seek."""
    hows = {
        "a.mpg": ("-c:v", "mpeg2video", "-r", "25", "-g", "150", "-c:a", "mp2", "-q:v", "2"),
        "a.h264": ("-c", "copy", "-an"),
    }
    if name == "joined.ts":
        first, rest = (
            again(ramp, f"{part}.ts", *cut, "-c", "copy") for part, cut in (("1", ("-t", "8")), ("2", ("-ss", "8")))
        )
        film = ramp.with_name(name)
        film.write_bytes(first.read_bytes() + rest.read_bytes())
    else:
        film = again(ramp, name, *hows.get(name, ()))
    assert ffmpeg.probe(film).duration_s == pytest.approx(16.0, abs=0.3)
    for second in (3.0, 12.0):
        with closing(frames(film, fps=5, width=64, start=second)) as shown:
            seen = [float(next(shown).image.mean()) * 219 / 255 / 13 for _ in range(2)]
        assert seen == pytest.approx([second, second + 0.2], abs=0.25)


def test_a_clock_that_begins_again_is_noted(ramp: Path) -> None:
    part = again(ramp, "part.ts", "-t", "8", "-c", "copy")
    whole, said = ramp.with_name("whole.ts"), list[str]()
    whole.write_bytes(part.read_bytes() * 2)
    video = video_of(whole, "home", note=said.append)
    assert video.duration_s == pytest.approx(16.0, abs=0.2)
    assert len(said) == 1 and "jumps by -8.0 s at 8." in said[0]


def test_webm_without_a_duration_is_taken(tmp_path: Path) -> None:
    """As browsers record it: written to a pipe, so that the length at its head stays empty."""
    film = tmp_path / "recorded.webm"
    made = ["ffmpeg", "-v", "error", "-nostdin", *source("testsrc=s=64x48:r=10:d=6"), "-c:v", "libvpx"]
    film.write_bytes(subprocess.check_output([*made, "-deadline", "realtime", "-f", "webm", "pipe:1"]))
    shown = subprocess.check_output(["ffprobe", "-v", "error", "-show_entries", "format=duration", film], text=True)
    assert "duration=N/A" in shown
    assert video_of(film, "home").duration_s == pytest.approx(6.0, abs=0.2)
    late = make(tmp_path / "late.mkv", "-i", str(film), "-c", "copy", "-output_ts_offset", "100")
    assert video_of(late, "home").duration_s == pytest.approx(6.0, abs=0.2)


@pytest.mark.parametrize("name", ["late.mp4", "late.ts", "hole.mkv", "drift.mkv", "two.mp4"])
def test_sound_is_in_step_with_the_pictures(ramp: Path, name: str) -> None:
    """Sound that begins late, has a hole, or has a clock of its own; and a second track beside it."""
    both = ("-map", "0:v", "-map", "0:a", "-c:v", "copy")
    hows = {
        "late": ("-itsoffset", "4", "-ss", "4", "-i", str(ramp), "-map", "0:v", "-map", "1:a", "-c:v", "copy"),
        "hole": (*both, "-af", "aselect='lt(t,2)+gte(t,6)'"),
        "drift": (*both, "-af", "asetrate=15200,asetpts=PTS*0.95", "-c:a", "pcm_s16le"),
        "two": (*both, "-map", "0:a", "-filter:a:1", "volume=0"),
    }
    film = again(ramp, name, *hows[name.partition(".")[0]])
    for start in (0.0, 7.0):
        assert start + beep_of(ffmpeg.audio(film, start, 16.0)) == pytest.approx(10.0, abs=0.15)
    if name == "two.mp4":
        assert not np.abs(ffmpeg.audio(film, 0.0, 16.0, track="2")).max() > 0.1
        with pytest.raises(InputError, match="no sound track 3"):
            ffmpeg.audio(film, 0.0, 16.0, track="3")


def test_a_film_of_few_pictures_shows_the_one_in_view(tmp_path: Path) -> None:
    """Not the next one: a seek alone gives the first picture that begins afterwards."""
    slow = make(tmp_path / "slow.mkv", *source("nullsrc=s=64x48:r=1/4:d=16,geq=lum='20+13*T':cb=128:cr=128"))
    with closing(frames(slow, fps=5, width=64, start=6.0)) as shown:
        grey = float(next(shown).image.mean())
    picture(slow, 6.0, tmp_path / "6.png", width=64)
    still = next(frames(slow, fps=1, width=64)).image
    assert grey == pytest.approx(float(still.mean()) + 4 * 13 * 255 / 219, abs=4)
    read = subprocess.check_output(
        ["ffmpeg", "-v", "error", "-i", tmp_path / "6.png", "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    )
    assert np.frombuffer(read, np.uint8).mean() == pytest.approx(grey, abs=4)


def test_ffmpeg_ends_when_the_reader_stops_early(clock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    real: type[subprocess.Popen[bytes]] = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(real(*a, **k)) or started[-1])
    with closing(frames(clock, fps=25, width=320)) as reader:
        next(reader)
    assert started and all(process.poll() is not None for process in started)


def test_sound_is_mono_16_khz(clock: Path) -> None:
    sound = ffmpeg.audio(clock, 1.0, 2.5)
    assert sound.shape[0] == pytest.approx(1.5 * ffmpeg.SAMPLE_RATE, rel=0.01)
    peak = np.abs(np.fft.rfft(sound[:16_000])).argmax()
    assert peak == pytest.approx(440, abs=2)


@pytest.mark.parametrize(
    ("title", "is_forced"),
    [
        ("Forced", True),
        ("English (forced)", True),
        ("English (not forced)", False),
        ("non-forced", False),
        ("Unforced", False),
    ],
)
def test_the_title_of_a_subtitle_stream_says_whether_it_is_forced(title: str, is_forced: bool) -> None:
    assert ffmpeg._subtitle_stream({"index": 2, "tags": {"title": title}}).is_forced is is_forced  # pyright: ignore[reportPrivateUsage]


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


def test_sound_that_begins_late_or_has_a_hole_is_filled_with_silence(tmp_path: Path) -> None:
    """Also where the whole stretch lies in the hole. Sound that ends early is silent from then on."""
    apart = ["-af", "aselect='between(t,2,5)+between(t,30,35)'", "-c:a", "pcm_s16le"]
    film = make(tmp_path / "film.mkv", *source("testsrc=s=64x48:r=5:d=40"), *source("sine=d=40"), *apart)
    for start, end, loud in ((0.0, 10.0, (2.0, 5.0)), (10.0, 20.0, None), (20.0, 40.0, (30.0, 35.0))):
        sound = ffmpeg.audio(film, start, end)
        assert len(sound) / ffmpeg.SAMPLE_RATE == pytest.approx(end - start, abs=0.3)
        at = start + np.flatnonzero(np.abs(sound) > 0.01) / ffmpeg.SAMPLE_RATE
        assert (len(at) == 0) == (loud is None)
        if loud:
            assert (at[0], at[-1]) == pytest.approx(loud, abs=0.2)
    assert len(ffmpeg.audio(make(tmp_path / "mute.mkv", *source("testsrc=s=64x48:d=2")), 0, 2)) == 0


@pytest.mark.parametrize("end", [4.0, 6.0, 8.0])
def test_a_short_hole_ends_no_stretch(tmp_path: Path, end: float) -> None:
    """What lacks a sample is taken for the end of the file. A hole may also lie at the end of the stretch."""
    apart = ["-af", "aselect='lt(t,3.5)+between(t,4.3,5.5)+gt(t,6.2)'", "-c:a", "pcm_s16le"]
    film = make(tmp_path / "film.mkv", *source("testsrc=s=64x48:r=5:d=10"), *source("sine=d=10"), *apart)
    assert len(ffmpeg.audio(film, 0.0, end)) == end * ffmpeg.SAMPLE_RATE
    assert len(ffmpeg.audio(film, end - 2.0, end)) == 2 * ffmpeg.SAMPLE_RATE


def test_sound_is_made_of_numbers(tmp_path: Path) -> None:
    """Sound stored as floating point may hold anything."""
    sound = np.full(ffmpeg.SAMPLE_RATE, 0.5, "<f4")
    sound[[10, 20, 30]] = np.nan, np.inf, 1e9
    (tmp_path / "raw").write_bytes(sound.tobytes())
    raw = ["-f", "f32le", "-ar", str(ffmpeg.SAMPLE_RATE), "-ac", "1", "-i", str(tmp_path / "raw")]
    found = ffmpeg.audio(make(tmp_path / "odd.wav", *raw, "-c:a", "pcm_f32le"), 0, 10)
    assert np.isfinite(found).all() and np.abs(found).max() <= 1.0 and found[-1] == 0.5


def test_channels_that_cancel_each_other_are_heard(tmp_path: Path) -> None:
    film = make(tmp_path / "wired.wav", *source("sine=d=1"), "-af", "pan=stereo|c0=c0|c1=-1*c0")
    both = make(tmp_path / "both.wav", *source("sine=d=1"), "-af", "pan=stereo|c0=c0|c1=0.5*c0")
    assert np.abs(ffmpeg.audio(film, 0, 1)).max() == pytest.approx(0.125, abs=0.01)
    assert np.abs(ffmpeg.audio(both, 0, 1)).max() == pytest.approx(0.125 * 0.75, abs=0.01)
