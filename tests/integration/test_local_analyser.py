"""The local analyser on real files: through ffmpeg, with the real detectors, against labels by people."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.errors import InputError, ModelMissing, NoSuchFile
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.media import ffmpeg
from amr_neo4j.media.frames import frames
from amr_neo4j.media.transcriber import listen
from amr_neo4j.perception.detector import Detector, HogPeople, SsdLite
from amr_neo4j.perception.local import LocalAnalyser
from amr_neo4j.settings import Settings
from benchmarks.perception import Label, labels, watch
from tests.support.films import make, pattern, source, stump

VIDEOS = Path(__file__).parents[2] / ".." / "shared" / "data" / "videos"


def analysed(path: Path, *stretches: tuple[float, float]) -> list[AnalysedClip]:
    """Parts of a file, analysed with the fallback detector."""
    video = Video("tests", path.stem, uri=str(path), fingerprint=ffmpeg.fingerprint(path))
    clips = [Clip(f"{start}-{end}", start, end) for start, end in stretches]
    return list(LocalAnalyser(HogPeople(), frames, listen, language=ENGLISH).watch(video, clips))


def test_a_film_without_people_names_none(tmp_path: Path) -> None:
    (clip,) = analysed(pattern(tmp_path / "pattern.mp4", 2), (0, 2))
    assert clip.analysis.events == ()
    assert clip.analysis.clip_summary.startswith("Nothing happens")
    assert "HOG" in clip.notes[0]


def test_a_fifth_of_a_second_is_a_clip(tmp_path: Path) -> None:
    (clip,) = analysed(pattern(tmp_path / "short.mp4", 0.2), (0, 0.2))
    assert clip.analysis.events == ()


def test_subtitles_beside_the_file_become_turns(tmp_path: Path) -> None:
    path = pattern(tmp_path / "talk.mp4", 4)
    (tmp_path / "talk.srt").write_text("1\n00:00:02,500 --> 00:00:03,000\nAnna: The keys are in the mug.\n")
    first, second = analysed(path, (0, 2), (2, 4))
    assert first.analysis.speaker_turns == ()
    (turn,) = second.analysis.speaker_turns
    assert (turn.speaker_id, turn.utterance, turn.time_start) == ("S1", "The keys are in the mug.", 2.5)


def test_subtitles_inside_the_file_become_turns(tmp_path: Path) -> None:
    (tmp_path / "words.srt").write_text("1\n00:00:00,500 --> 00:00:01,000\nBob: Hello.\n")
    inside = ("-i", str(tmp_path / "words.srt"), "-c:s", "mov_text")
    (clip,) = analysed(make(tmp_path / "film.mp4", *source("testsrc=s=320x240:r=25:d=2"), *inside), (0, 2))
    assert [character.name_or_description for character in clip.analysis.characters] == ["Bob"]


def test_a_truncated_file_is_analysed_as_far_as_it_goes(tmp_path: Path) -> None:
    first, last = analysed(stump(tmp_path / "stump.mp4"), (0, 1), (1, 4))
    assert first.notes == (HogPeople.note,)
    assert any("could be read only up to" in note for note in last.notes)


def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.mp4").write_text("not a film")
    with pytest.raises(InputError, match="cannot read notes"):
        analysed(tmp_path / "notes.mp4", (0, 1))
    tone = make(tmp_path / "tone.m4a", *source("sine=d=1"))
    with pytest.raises(InputError, match="no video stream"):
        analysed(tone, (0, 1))
    video = Video("tests", "none", uri=str(tmp_path / "none.mp4"))
    with pytest.raises(NoSuchFile):
        next(LocalAnalyser(HogPeople(), frames, listen, language=ENGLISH).watch(video, [Clip("c", 0, 1)]))


@pytest.fixture(scope="session")
def detector() -> Detector:
    try:
        return SsdLite(model_dir(Settings(), "ssdlite"))
    except ModelMissing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(
    ("name", "clips"),
    [("bottle-detection", 4), pytest.param("one-by-one-person-detection", 5, marks=pytest.mark.soak)],
)
def test_labelled_events_are_found(detector: Detector, name: str, clips: int) -> None:
    """Nine in ten of the labelled events, within 2 s, of the right kind and object."""
    path = (VIDEOS / f"{name}.mp4").resolve()
    if not path.exists():
        pytest.skip(f"{path} is not there")
    seen = list(islice(watch(path, detector), clips))
    expected = [label for label in labels(path.with_suffix(".events.json")) if label.stop < seen[-1].clip.t_end]
    events = [event for clip in seen for event in clip.analysis.events]
    found = [label for label in expected if any(label.matches(event) for event in events)]
    assert len(found) >= 0.9 * len(expected) > 5, _missed(expected, found)


def _missed(expected: list[Label], found: list[Label]) -> str:
    return f"not found: {[label for label in expected if label not in found]}"
