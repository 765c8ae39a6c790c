"""Subtitles become turns: who speaks, when, and whole sentences."""

from __future__ import annotations

import os
import sys
import wave
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.domain.footage import Heard, Hearing
from amr_neo4j.errors import ConfigError, InputError, ModelMissing
from amr_neo4j.media.subtitles import beside, parse, read
from amr_neo4j.media.transcriber import Transcriber, listen, unheard, within
from tests.support.films import make, pattern, source

SRT = "1\n00:00:01,000 --> 00:00:02,500\n{cue}\n"


def said(text: str) -> list[tuple[str, str]]:
    return [(turn.speaker_id, turn.utterance) for turn in parse(text, "test")]


@pytest.mark.parametrize(
    ("cue", "turns"),
    [
        ("Where are the keys?", [("", "Where are the keys?")]),
        ("Anna: Where are\nthe keys?", [("Anna", "Where are the keys?")]),
        ("MARY ANN: Here.", [("MARY ANN", "Here.")]),
        ("voice 1: Here.", [("voice 1", "Here.")]),
        ("SPEAKER 12: Here.", [("SPEAKER 12", "Here.")]),
        ("- Locutora 2: Aquí.", [("Locutora 2", "Aquí.")]),
        ("Step 2: turn the key.", [("", "Step 2: turn the key.")]),
        ("The answer is: no.", [("", "The answer is: no.")]),
        ("It is 10:30: late.", [("", "It is 10:30: late.")]),
        ("<i>Anna: Hush.</i>", [("Anna", "Hush.")]),
        (
            "<v Bob>Hi.\n<v.loud Mary Ann>Hello <b>you</b> &amp; all.</v>",
            [("Bob", "Hi."), ("Mary Ann", "Hello you & all.")],
        ),
        ("<v Bob></v>", []),
        (f"<v {'a' * 501}>Hello.</v>", [("", "Hello.")]),
    ],
)
def test_a_cue_names_its_speaker(cue: str, turns: list[tuple[str, str]]) -> None:
    assert said(SRT.format(cue=cue)) == turns


def test_times_are_in_seconds() -> None:
    (turn,) = parse("WEBVTT\n\n01:02.250 --> 01:04.500 align:start\nYes.\n", "test")
    assert (turn.time_start, turn.time_end) == (62.25, 64.5)


def test_a_sentence_over_two_cues_is_one_turn() -> None:
    text = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\nAnna: I came here\n\n00:02.100 --> 00:03.000\nto find you.\n\n"
        "00:03.100 --> 00:04.000\nAlone.\n"
    )
    assert said(text) == [("Anna", "I came here to find you."), ("", "Alone.")]


def test_a_sentence_is_not_continued_by_another_voice() -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>I came\n\n00:02.100 --> 00:03.000\n<v Bob>Me too\n"
    assert said(text) == [("Anna", "I came"), ("Bob", "Me too")]


def test_notes_and_cue_names_are_not_turns() -> None:
    text = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\nYes.\n\nNOTE nobody says this\n\nintro-2\n00:03.000 --> 00:04.000\nNo.\n"
    )
    assert said(text) == [("", "Yes."), ("", "No.")]


def test_text_that_is_no_subtitle_file_is_refused() -> None:
    with pytest.raises(InputError, match="holds no valid subtitles"):
        parse("dear diary", "notes.srt")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_old_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "film.mp4").touch()
    (tmp_path / "film.srt").write_bytes(SRT.format(cue="Où est Zoé ?").encode(encoding))
    assert [turn.utterance for turn in read(tmp_path / "film.mp4").turns] == ["Où est Zoé ?"]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["film.srt", "film.en.vtt"], ["film.srt", "film.en.vtt"]),
        (["film.en.vtt", "film.de.srt"], ["film.de.srt", "film.en.vtt"]),
        (["film.VTT"], ["film.VTT"]),
        (["film2.srt", "other.srt", "film.a.2.srt"], []),
        (["film.en.forced.srt"], ["film.en.forced.srt"]),
    ],
)
def test_the_subtitle_files_beside_the_video_are_found(tmp_path: Path, names: list[str], found: list[str]) -> None:
    for name in names:
        (tmp_path / name).touch()
    assert [path.name for path in beside(tmp_path / "film.mp4")] == found


def test_a_turn_belongs_to_the_clip_it_starts_in() -> None:
    turns = parse("WEBVTT\n\n00:09.000 --> 00:12.000\nOne.\n\n00:10.000 --> 00:13.000\nTwo.\n", "test")
    assert [turn.utterance for turn in within(turns, 0, 10)] == ["One."]
    assert [turn.utterance for turn in within(turns, 10, 20)] == ["Two."]


def test_a_folder_without_a_speech_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"no model\.bin and no tokenizer\.json in"):
        Transcriber(tmp_path)


class FakeWhisper:
    """Recognises each tone as one utterance."""

    def __init__(self, folder: str, **_options: object) -> None:
        self.folder = folder

    def transcribe(self, sound: np.ndarray, **_options: object) -> tuple[list[SimpleNamespace], None]:
        loud = np.abs(sound).reshape(-1, 1600).max(axis=1) > 0.1
        edges = np.flatnonzero(np.diff(np.r_[False, loud, False].astype(int))).reshape(-1, 2) / 10
        return [SimpleNamespace(start=a, end=b, text=f" {b - a:.0f} s ") for a, b in edges.tolist()], None


def test_speech_is_recognised_per_clip_without_repetition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tones from 1 to 3, from 8 to 13 and from 17 to 18 s, in stretches of ten seconds."""
    t = np.arange(20 * 16_000) / 16_000
    loud = ((t >= 1) & (t < 3)) | ((t >= 8) & (t < 13)) | ((t >= 17) & (t < 18))
    with wave.open(str(tmp_path / "tones.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes((20_000 * loud * np.sin(2765 * t)).astype("<i2").tobytes())
    for name in ("model.bin", "tokenizer.json"):
        (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, "faster_whisper", SimpleNamespace(WhisperModel=FakeWhisper))
    hear = listen(str(tmp_path / "tones.wav"), hear=Transcriber(tmp_path).hear)
    heard = [
        [(turn.time_start, turn.time_end, turn.utterance) for turn in hear(*span).turns]
        for span in ((0, 10), (10, 20))
    ]
    assert heard == [[(1.0, 3.0, "2 s"), (8.0, 13.0, "5 s")], [(17.0, 18.0, "1 s")]]


def timed(text: str) -> list[tuple[float, float, str]]:
    return [(turn.time_start, turn.time_end, turn.utterance) for turn in parse(text, "test")]


def cues(*lines: str) -> str:
    """An SRT file with a cue every two seconds."""
    return "".join(
        f"{n}\n00:00:{2 * n:02},000 --> 00:00:{2 * n + 2:02},000\n{each}\n\n" for n, each in enumerate(lines)
    )


ROLLING = """WEBVTT
Kind: captions

00:00:00.160 --> 00:00:03.429 align:start position:0%
 
welcome<00:00:00.960><c> to</c><00:00:01.520><c> the</c><00:00:02.159><c> garden</c>

00:00:03.429 --> 00:00:03.439 align:start position:0%
welcome to the garden
 

00:00:03.439 --> 00:00:05.749 align:start position:0%
welcome to the garden
today<00:00:03.760><c> we</c><00:00:04.000><c> plant</c>
"""


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        (ROLLING, [(0.16, 3.429, "welcome to the garden"), (3.439, 5.749, "today we plant")]),
        (cues("a", "a\nb", "b\nc", "c"), [(0, 2, "a"), (2, 4, "b"), (4, 6, "c")]),
        (cues(">> I", ">> I came", ">> I came home."), [(0, 6, "I came home.")]),
        (cues("No.", "No."), [(0, 2, "No."), (2, 4, "No.")]),
        (cues(*["so it goes"] * 16)[:-1], [(0, 30, " ".join(["so it goes"] * 15)), (30, 32, "so it goes")]),
    ],
)
def test_captions_give_each_phrase_once_at_its_time(text: str, turns: list[tuple[float, float, str]]) -> None:
    """Rolling captions, those that grow by a word, a word that is said twice, and speech without a full stop."""
    assert timed(text) == turns


def test_odd_times_are_read() -> None:
    """Before the film, over a hundred hours, with ends of lines as on an old Macintosh."""
    text = (
        "1\n-00:00:03,500 --> -00:00:02,500\nLong before.\n\n2\n-00:00:00,500 --> 00:00:00,500\nBefore.\n\n"
        "3\n100:00:01,000 --> 100:00:02,5\nLate.\n"
    )
    for ends in ("\n", "\r", "\r\n"):
        assert timed(text.replace("\n", ends)) == [(0.0, 0.5, "Before."), (360_001.0, 360_002.5, "Late.")]


@pytest.fixture
def film(tmp_path: Path) -> Path:
    return pattern(tmp_path / "film.mp4", 0.2)


@pytest.mark.parametrize(
    ("encoding", "words", "note"),
    [
        ("cp1253", "Τα κλειδιά", "is not UTF-8; it was read as cp1253"),
        ("cp1251", "Ключи в ящике.", "is not UTF-8; it was read as cp1251"),
        ("cp1250", "Klíče jsou v zásuvce. Příliš žluťoučký kůň.", "is not UTF-8; it was read as cp1250"),
        ("cp1252", "Die Schlüssel sind in der Küche.", "is not UTF-8; it was read as cp1252"),
        ("utf-16-le", "Τα κλειδιά", "it was read as UTF-16-LE"),
        ("utf-16-be", "The keys", "it was read as UTF-16-BE"),
    ],
)
def test_a_doubtful_encoding_is_noted(film: Path, encoding: str, words: str, note: str) -> None:
    film.with_suffix(".srt").write_bytes(SRT.format(cue=words).encode(encoding))
    found = read(film)
    assert [turn.utterance for turn in found.turns] == [words]
    [said] = found.notes
    assert said.startswith("film.srt ") and note in said


def test_what_holds_no_subtitles_is_noted_and_passed_over(film: Path) -> None:
    """An empty file, a foreign one, a device, a pipe, and a file larger than any subtitles."""
    beside_film = film.with_suffix(".srt")
    film.with_name("film.en.srt").write_text(SRT.format(cue="Here."))
    for content, note in (
        ("", "holds no valid subtitles"),
        ("dear diary", "no valid"),
        (SRT.format(cue=""), "no words"),
    ):
        beside_film.write_text(content)
        found = read(film)
        assert [turn.utterance for turn in found.turns] == ["Here."] and found.name == "film.en.srt"
        assert len(found.notes) == 1 and note in found.notes[0]
    beside_film.unlink()
    beside_film.symlink_to("/dev/zero")
    assert "is not a regular file" in read(film).notes[0]
    beside_film.unlink()
    os.mkfifo(beside_film)
    assert "is not a regular file" in read(film).notes[0]
    beside_film.unlink()
    with beside_film.open("wb") as file:
        file.truncate(2**33)
    assert "film.srt is larger than 16 MB" in read(film).notes[0]


def test_a_forced_track_does_not_hide_the_full_one(film: Path) -> None:
    words = [film.with_name(name) for name in ("f.srt", "g.srt")]
    for file, cue in zip(words, ("[PLATFORM 9]", "Anna: The keys are in the drawer."), strict=True):
        file.write_text(SRT.format(cue=cue))
    tracks = [part for file in words for part in ("-i", str(file))]
    marked = ["-disposition:s:0", "forced+default", "-disposition:s:1", "0"]
    maps = ["-map", "0", "-map", "1", "-map", "2", "-c:v", "copy", "-c:s", "srt"]
    both = make(film.with_name("both.mkv"), "-i", str(film), *tracks, *maps, *marked)
    assert [turn.utterance for turn in read(both).turns] == ["The keys are in the drawer."]
    film.with_name("both.en.forced.srt").write_text(SRT.format(cue="[EXIT]"))
    assert [turn.utterance for turn in read(both).turns] == ["The keys are in the drawer."]


def test_forced_subtitles_do_not_keep_the_sound_from_being_heard(tmp_path: Path) -> None:
    film = make(tmp_path / "film.mkv", *source("testsrc=s=64x48:d=2"), *source("sine=d=2"))
    (tmp_path / "film.en.forced.srt").write_text(SRT.format(cue="[EXIT]"))

    def hear(path: str, known: object = None) -> Hearing:
        return lambda start, end: Heard([SpeakerTurn(utterance="Hello.", time_start=1.0, time_end=2.0)])

    said = [turn.utterance for ears in (hear, None) for turn in listen(str(film), hear=ears)(0, 10).turns]
    assert said == ["Hello.", "[EXIT]"] and unheard(str(film))
    (tmp_path / "film.srt").write_text(SRT.format(cue="Anna: Good evening."))
    assert [turn.utterance for turn in listen(str(film), hear=hear)(0, 10).turns] == ["Good evening."]
    assert not unheard(str(film))


@pytest.mark.parametrize("name", ["Road Signs", "A forced landing", "vital-signs"])
def test_a_film_whose_name_has_signs_has_full_subtitles(tmp_path: Path, name: str) -> None:
    film = make(tmp_path / f"{name}.mkv", *source("testsrc=s=64x48:d=2"))
    (tmp_path / f"{name}.forced.srt").write_text(SRT.format(cue="[EXIT]"))
    (tmp_path / f"{name}.srt").write_text(SRT.format(cue="Anna: Good evening."))
    found = read(film)
    assert [turn.utterance for turn in found.turns] == ["Good evening."] and not found.is_forced


def test_subtitles_take_precedence_over_speech_recognition(tmp_path: Path) -> None:
    (tmp_path / "tones.srt").write_text(SRT.format(cue="Anna: Hello."))
    (tmp_path / "tones.wav").touch()
    hear = listen(str(tmp_path / "tones.wav"))
    assert [turn.utterance for turn in hear(0, 10).turns] == ["Hello."]


def test_speech_recognition_without_its_extra_gives_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("model.bin", "tokenizer.json"):
        (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    with pytest.raises(ConfigError, match=r"\[speech\]"):
        Transcriber(tmp_path)
