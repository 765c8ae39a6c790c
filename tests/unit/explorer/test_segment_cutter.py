"""The clip tool on real videos: exact frames, reuse, the disk budget; and the activity of a video."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from amr_neo4j.domain.exploration import Span
from amr_neo4j.errors import InputError, NoSpace
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.media.frames import activity, frames
from amr_neo4j.media.segment_cutter import SegmentCutter
from tests.support import films

FPS = 25


@pytest.fixture(scope="module")
def ramp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """4 s whose frame n has the brightness 20 + 2 n, with sound; a key frame only at the start."""
    path = tmp_path_factory.mktemp("ramp") / "ramp.mp4"
    picture = films.source("color=c=black:s=64x48:r=25:d=4,geq=lum='20+2*N':cb=128:cr=128")
    sound = films.source("sine=frequency=440:duration=4")
    return films.make(path, *picture, *sound, "-c:v", "libx264", "-qp", "0", "-g", "1000", "-pix_fmt", "yuv420p")


def numbers(path: str) -> list[int]:
    """Which frames of the ramp a segment has."""
    shades = [float(frame.image.mean()) for frame in frames(path, fps=FPS, width=64)]
    # full-range values of the limited-range brightness
    return [round(((shade * 219 / 255 + 16) - 20) / 2) for shade in shades]


@pytest.mark.parametrize(("start", "end"), [(0.0, 0.4), (1.0, 1.2), (1.48, 2.0), (3.6, 4.0)])
def test_a_segment_has_exactly_the_frames_of_its_range(ramp: Path, tmp_path: Path, start: float, end: float) -> None:
    segment = SegmentCutter(ramp, tmp_path)(Span(start, end))
    assert numbers(segment.path) == list(range(round(start * FPS), round(end * FPS)))
    found = probe(segment.path)
    assert found.has_audio and found.picture_end == pytest.approx(end - start, abs=0.5 / FPS)
    assert (segment.size_bytes, segment.span) == (Path(segment.path).stat().st_size, Span(start, end))


def test_a_segment_is_cut_once(ramp: Path, tmp_path: Path) -> None:
    cut = SegmentCutter(ramp, tmp_path)
    first, again = cut.clip_video_segment(1, 2), SegmentCutter(ramp, tmp_path)(Span(1, 2))
    assert (first.path, first.reused, again.reused) == (again.path, False, True)
    assert Path(first.path).name.startswith("segment_") and len(list(tmp_path.iterdir())) == 1


def test_ranges_are_checked(ramp: Path, tmp_path: Path) -> None:
    cut = SegmentCutter(ramp, tmp_path)
    assert cut.clip_video_segment(3, 99).span.end_s == pytest.approx(cut.duration_s)
    for start, end in ((2, 1), (9, 12), (-1, 2)):
        with pytest.raises(InputError, match="span"):
            cut.clip_video_segment(start, end)


def test_segments_of_earlier_runs_make_room_and_those_of_this_run_do_not(ramp: Path, tmp_path: Path) -> None:
    old = SegmentCutter(ramp, tmp_path)(Span(0, 2))
    cut = SegmentCutter(ramp, tmp_path, most_bytes=old.size_bytes + 100)
    new = cut(Span(2, 4))
    assert not Path(old.path).exists() and Path(new.path).exists()
    with pytest.raises(NoSpace, match="--disk-budget"):
        cut(Span(1, 4))
    assert [each.name for each in tmp_path.iterdir()] == [Path(new.path).name]


def test_what_a_killed_run_left_half_written_is_removed(ramp: Path, tmp_path: Path) -> None:
    left, written = tmp_path / "segment_0_0_1.7.part", tmp_path / "segment_0_0_1.8.part"
    left.touch()
    written.touch()
    os.utime(left, (0, 0))
    SegmentCutter(ramp, tmp_path)
    assert written.exists() and not left.exists()


def test_a_video_that_cannot_be_cut_is_an_error_with_advice(tmp_path: Path) -> None:
    sound = films.make(tmp_path / "sound.m4a", *films.source("sine=duration=1"))
    with pytest.raises(InputError, match="no video stream"):
        SegmentCutter(sound, tmp_path / "work")
    stump = films.stump(tmp_path / "stump.mp4", index_first=True)
    cut = SegmentCutter(stump, tmp_path / "work")
    with pytest.raises(InputError):
        cut(Span(3.5, 4))
    assert not list((tmp_path / "work").iterdir())


def test_activity_is_high_where_something_moves(tmp_path: Path) -> None:
    still = "color=c=gray:s=160x120:r=25:d=3[a];testsrc2=s=160x120:r=25:d=2[b];color=c=gray:s=160x120:r=25:d=3[c]"
    path = films.make(tmp_path / "f.mp4", *films.source(f"{still};[a][b][c]concat=n=3"), "-g", "1000")
    found = activity(path, 8.0)
    assert found.shape == (8,)
    assert set(np.argsort(found)[-2:]) == {3, 4}
    # It counts from the start of the stream, whose clock may begin at any time.
    for suffix in ("ts", "mkv"):
        late = films.make(tmp_path / f"late.{suffix}", "-i", str(path), "-c", "copy", "-output_ts_offset", "90")
        assert set(np.argsort(activity(late, 8.0))[-2:]) == {3, 4}, suffix
