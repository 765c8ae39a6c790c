"""The words of odd files: heard at their seconds, or refused in a line. Speech is made by a synthesiser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")
from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.errors import InputError, ModelMissing
from amr_neo4j.hearing.ears import Ears
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.media.ffmpeg import audio, probe
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import Settings, load
from amr_neo4j.wiring.analyser import EARS, local_ears, open_local_analyser, transcript
from tests.support.speaking import spoken

AT, SECOND = 3.0, 9.0
"""The seconds at which the two lines begin."""
PICTURES = ("-f", "lavfi", "-i", "testsrc=s=64x48:r=5:d=14")


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound file of 14 s with two lines."""
    if local_ears(load()) is None:
        pytest.skip("the local ears are not installed")
    folder = tmp_path_factory.mktemp("talk")
    lines = ("The key is in the blue drawer.", "Please close the window before the rain comes.")
    for number, line in enumerate(lines):
        spoken(line, folder)
        (folder / "spoken.wav").rename(folder / f"{number}.wav")
    both = f"[0]adelay={AT * 1000:.0f}[a];[1]adelay={SECOND * 1000:.0f}[b];[a][b]amix=normalize=0,apad=whole_dur=14"
    ffmpeg(*("-i", str(folder / "0.wav"), "-i", str(folder / "1.wav")), "-filter_complex", both, folder / "talk.wav")
    return folder / "talk.wav"


def ffmpeg(*arguments: object) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True)


def heard(file: Path) -> Sequence[SpeakerTurn]:
    return _ears().hear(partial(audio, file))(0.0, 1000.0).turns


@cache
def _ears() -> Ears:
    found = local_ears(load())
    assert found
    return found


def check(turns: Sequence[SpeakerTurn]) -> None:
    """Each line that is heard is at its second, and no other words are. A synthesiser's line may be left out."""
    starts = {"drawer": AT, "window": SECOND}
    found = {word: turn.time_start for word in starts for turn in turns if word in turn.utterance}
    assert len(found) == len(turns) > 0
    assert found == {word: pytest.approx(starts[word], abs=0.4) for word in found}


@pytest.mark.parametrize(
    ("name", "made"),
    [
        pytest.param("surround.mkv", ("-ac", "6", "-c:a", "aac"), marks=pytest.mark.soak),
        pytest.param("telephone.wav", ("-ar", "8000"), marks=pytest.mark.soak),
        pytest.param("studio.flac", ("-ar", "96000"), marks=pytest.mark.soak),
        pytest.param("variable.mp3", ("-q:a", "7"), marks=pytest.mark.soak),
        # Each packet a little later than the last: the clock of the sound runs 0.5% slow against the file's.
        ("drift.mkv", ("-af", "atempo=1.005,asetpts=PTS*1.005", "-c:a", "flac")),
    ],
)
def test_words_are_at_their_seconds(talk: Path, tmp_path: Path, name: str, made: tuple[str, ...]) -> None:
    ffmpeg("-i", talk, *made, tmp_path / name)
    check(heard(tmp_path / name))


@pytest.mark.parametrize(
    "name",
    ["late.mkv", pytest.param("late.mp4", marks=pytest.mark.soak), pytest.param("late.ts", marks=pytest.mark.soak)],
)
def test_sound_that_begins_after_the_pictures_is_at_its_seconds(talk: Path, tmp_path: Path, name: str) -> None:
    """The first 2.5 s of the sound are missing in the file, and its time says so."""
    sound = ("-itsoffset", "2.5", "-ss", "2.5", "-i", talk)
    ffmpeg(*PICTURES, *sound, "-map", "0:v", "-map", "1:a", "-c:a", "aac", tmp_path / name)
    check(heard(tmp_path / name))


LATE = 15
LONG_PICTURES = (*PICTURES[:-1], PICTURES[-1].replace("d=14", "d=30"))


@pytest.mark.parametrize("hole", [0, 1], ids=["begins late", "has a hole"])
def test_a_transport_stream_without_sound_for_long_keeps_its_times(talk: Path, tmp_path: Path, hole: int) -> None:
    """ffmpeg takes that for a clock that jumps. And what sound it is, only the first sound tells."""
    film, stream = tmp_path / "film.mkv", tmp_path / "film.ts"
    ffmpeg(*LONG_PICTURES, "-i", talk, "-af", f"adelay={LATE * 1000}", "-c:a", "aac", film)
    silence = f"noise=drop=gte(pts*tb\\,{hole})*lt(pts*tb\\,{LATE + 1})"
    ffmpeg("-i", film, "-c", "copy", "-bsf:a", silence, tmp_path / "silent.mkv")
    ffmpeg("-i", tmp_path / "silent.mkv", "-c", "copy", stream)
    starts = [turn.time_start for turn in heard(stream)]
    assert starts == pytest.approx([LATE + AT, LATE + SECOND], abs=0.4)


def test_a_transport_stream_with_a_track_that_has_no_sound_is_read(talk: Path, tmp_path: Path) -> None:
    film = tmp_path / "film.ts"
    ffmpeg(*LONG_PICTURES, "-itsoffset", LATE, "-i", talk, "-map", "0:v", "-map", "1:a", "-c:a", "aac", film)
    packets = [film.read_bytes()[at : at + 188] for at in range(0, film.stat().st_size, 188)]
    film.write_bytes(b"".join(each for each in packets if (each[1] & 0x1F, each[2]) != (1, 1)))
    assert not _notes(film) and not heard(film)
    assert probe(film).picture_end == pytest.approx(30, abs=0.5)


@pytest.mark.parametrize(("pictures", "sound"), [(5, 14), (14, 6)], ids=["sound is longer", "pictures are longer"])
def test_all_sound_is_heard(talk: Path, tmp_path: Path, pictures: int, sound: int) -> None:
    film = tmp_path / "film.mp4"
    ffmpeg("-t", pictures, *PICTURES, "-t", sound, "-i", talk, "-c:a", "aac", film)
    turns = heard(film)
    assert ["drawer" in turns[0].utterance, len(turns)] == [True, 2 if sound == 14 else 1]


def test_a_file_that_is_cut_off_is_heard_as_far_as_it_goes(talk: Path, tmp_path: Path) -> None:
    film = tmp_path / "film.mkv"
    ffmpeg("-i", talk, "-c:a", "flac", film)
    os.truncate(film, film.stat().st_size // 2)
    assert "drawer" in heard(film)[0].utterance


@pytest.mark.parametrize("name", ["talk.flac", "talk.mp3"])
def test_a_sound_file_cut_off_in_the_middle_says_up_to_where_it_was_read(
    talk: Path, tmp_path: Path, name: str
) -> None:
    """Its header states the whole length nevertheless."""
    file = tmp_path / name
    ffmpeg("-i", talk, file)
    assert not _notes(file)
    os.truncate(file, file.stat().st_size // 2)
    [note] = _notes(file)
    assert note.startswith("the file could be read only up to ") and " s of 14." in note


@pytest.mark.parametrize("name", ["talk.aac", "talk.mp3"])
def test_a_whole_sound_file_that_states_no_length_is_not_cut_off(tmp_path: Path, name: str) -> None:
    """Its first minute is silent, so an estimate by its bit rate is far too long."""
    file = tmp_path / name
    sound = ("-f", "lavfi", "-i", "anullsrc=d=55", "-f", "lavfi", "-i", "anoisesrc=d=20:a=0.8")
    of_format = ("-q:a", "4", "-write_xing", "0") if name.endswith("mp3") else ()
    ffmpeg(*sound, "-filter_complex", "[0][1]concat=n=2:v=0:a=1", *of_format, file)
    assert not _notes(file)
    assert probe(file).duration_s == pytest.approx(75, abs=0.2)


def test_zeros_are_no_sound_file_and_a_silent_one_has_no_words(tmp_path: Path) -> None:
    (tmp_path / "zeros.wav").write_bytes(bytes(99_999))
    with pytest.raises(InputError, match=r"zeros\.wav"):
        list(transcript(load(), tmp_path / "zeros.wav", print))
    ffmpeg("-f", "lavfi", "-i", "anullsrc=d=5", tmp_path / "silent.wav")
    assert heard(tmp_path / "silent.wav") == ()


def test_a_codec_that_ffmpeg_cannot_read_is_named(talk: Path, tmp_path: Path) -> None:
    film = tmp_path / "film.avi"
    ffmpeg(*PICTURES, "-i", talk, "-c:a", "pcm_s16le", film)
    content = bytearray(film.read_bytes())
    at = content.index(b"strf", content.index(b"auds")) + 8
    content[at : at + 2] = b"\x34\x12"  # a format of sound that nobody has
    film.write_bytes(content)
    with pytest.raises(InputError, match=r"film\.avi") as raised:
        list(transcript(load(), film, print))
    assert "--speech off" in raised.value.hint


def test_a_film_cut_off_in_the_middle_says_up_to_where_it_was_read(tmp_path: Path) -> None:
    """Matroska states the whole length nevertheless."""
    film, cut = tmp_path / "film.mkv", tmp_path / "cut.mkv"
    ffmpeg(*PICTURES, "-f", "lavfi", "-i", "sine=d=4", film)
    cut.write_bytes(film.read_bytes()[: film.stat().st_size // 2])

    [note] = _notes(cut)
    assert note.startswith("the file could be read only up to ") and note.endswith(" s of 14.0 s")
    assert not _notes(film)  # its sound alone ends early


def _notes(file: Path) -> list[str]:
    return [note for heard in transcript(load(speech="off"), file, print) for note in heard.notes]


@pytest.fixture
def damaged(talk: Path, tmp_path: Path) -> tuple[Settings, Path]:
    """Settings with the models of the ears, and a file of one of them that a test may damage."""
    settings = load(cache_dir=tmp_path / "cache")
    for name in EARS:
        installed = model_dir(load(), name)
        copy = settings.cache_dir / "models" / name / installed.name
        shutil.copytree(installed, copy, copy_function=os.symlink)
    file = model_dir(settings, "moonshine") / "decoder.onnx"
    shutil.copyfile(file.resolve(), tmp_path / "copy")
    return settings, (tmp_path / "copy").replace(file)


def test_a_damaged_model_is_named_where_a_film_is_heard(talk: Path, damaged: tuple[Settings, Path]) -> None:
    settings, file = damaged
    os.truncate(file, 1000)
    message, hint = "the model moonshine is damaged (decoder.onnx)", " MB; run: amr models install"
    for speech in ("auto", "local"):
        with pytest.raises(ModelMissing, match=re.escape(message)) as raised:
            list(transcript(settings.model_copy(update={"speech": speech}), talk, print))
        assert raised.value.hint.endswith(hint)
    film = talk.with_name("film.mp4")
    ffmpeg(*PICTURES, "-i", talk, "-c:a", "aac", film)
    analyser = open_local_analyser(settings, Ledger(print))
    shutil.copyfile(model_dir(load(), "moonshine") / file.name, file)  # what is installed later is not opened
    [clip] = analyser.watch(Video("home", "talk", uri=str(film)), [Clip("000000000-000010000", 0.0, 10.0)])
    [note] = [note for note in getattr(clip, "notes", ()) if "not understood" in note]
    assert message in note and note.endswith(hint)


def test_a_model_whose_content_alone_is_damaged_is_named(talk: Path, damaged: tuple[Settings, Path]) -> None:
    settings, file = damaged
    with file.open("r+b") as content:
        content.write(bytes(4096))
    with pytest.raises(ModelMissing, match=r"decoder\.onnx cannot be loaded") as raised:
        list(transcript(settings, talk, print))
    assert str(file.parent) in raised.value.hint
