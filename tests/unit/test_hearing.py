"""The local ears: who says what, and when. Speech is made by a synthesiser while the tests run."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

pytest.importorskip("onnxruntime")
from amr_neo4j.cli.main import app
from amr_neo4j.domain.views import Said
from amr_neo4j.hearing.ears import NOT_ENGLISH, TOGETHER, Ears, HeardSoFar, spoken_span
from amr_neo4j.hearing.noise import without_noise
from amr_neo4j.hearing.voices import Voices
from amr_neo4j.hearing.words import Recognition, Word, without_loops
from amr_neo4j.media.ffmpeg import audio
from amr_neo4j.media.subtitles import parse
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import local_ears
from tests.support.speaking import RATE, chords, noise, silence, sound_of, spoken

HE, SHE = "en-us+m3", "en-us+f3"


@pytest.fixture(scope="module")
def ears() -> Ears:
    found = local_ears(load())
    if found is None:
        pytest.skip("the local ears are not installed")
    return found


def words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


def test_two_people_who_talk_are_told_apart_with_their_words_and_times(ears: Ears, tmp_path: Path) -> None:
    lines = [
        (HE, "The train to the city leaves at seven in the morning."),
        (SHE, "Please put the red book on the table near the window."),
        (HE, "My brother works in a garden with many tall trees."),
    ]
    parts, times, at = [silence(1.0)], [], 1.0
    for voice, line in lines:
        said = spoken(line, tmp_path, voice=voice)
        times.append((at, at + len(said) / 16_000))
        parts += [said, silence(0.8)]
        at = times[-1][1] + 0.8
    turns = ears.hear(sound_of(np.concatenate(parts)))(0, 1000).turns
    assert [turn.speaker_id for turn in turns] == ["voice 1", "voice 2", "voice 1"]
    for turn, (start, end), (_, line) in zip(turns, times, lines, strict=True):
        assert turn.time_start == pytest.approx(start, abs=0.4) and turn.time_end == pytest.approx(end, abs=0.5)
        assert len(set(words(line)) & set(words(turn.utterance))) >= 0.7 * len(set(words(line)))


@pytest.mark.parametrize(
    ("start", "end", "within"),
    [(0.0, 2.0, (0.2, 1.8)), (0.5, 1.0, (0.5, 1.0)), (0.0, 0.1, (0.2, 0.2)), (1.9, 2.0, (1.8, 1.8))],
)
def test_a_sentence_lies_within_the_speech_and_does_not_end_before_it_starts(
    start: float, end: float, within: tuple[float, float]
) -> None:
    assert spoken_span([Word("Yes.", start, end)], (0.2, 1.8)) == within


@pytest.mark.soak
def test_turns_are_the_same_wherever_the_hearing_begins(ears: Ears, tmp_path: Path) -> None:
    said = np.concatenate([spoken("The key is in the blue drawer.", tmp_path), silence(1.0)] * 3)
    whole = ears.hear(sound_of(said))(0, 1000).turns
    hearing = ears.hear(sound_of(said))
    by_clip = [turn for start in range(0, 20, 2) for turn in hearing(start, start + 2).turns]
    late = ears.hear(sound_of(said))(whole[1].time_start, 1000).turns
    assert by_clip == list(whole) and list(late) == list(whole[1:])


def test_another_language_gives_no_words_and_a_note(ears: Ears, tmp_path: Path) -> None:
    text = "Meine Schwester wohnt in einem kleinen Haus am Fluss. Wir brauchen noch Brot und Käse für das Frühstück."
    heard = ears.hear(sound_of(spoken(text, tmp_path, voice="de+f3")))(0, 1000)
    assert heard.turns == () and heard.notes == (NOT_ENGLISH,)


@pytest.mark.usefixtures("ears")
def test_a_known_voice_is_told_only_if_it_is_much_like_that_person_and_nobody_else() -> None:
    def voice(cosine: float, axis: int) -> np.ndarray:
        """A unit vector with this cosine to an axis of the space of voices, and none to the others below 9."""
        found = np.zeros(256, np.float32)
        found[axis], found[9] = cosine, (1 - cosine**2) ** 0.5
        return found

    named = [("Ben", voice(1, 0)), ("Ida", voice(1, 1)), ("Ben", voice(1, 2))]
    told = [voice(0.95, 0), voice(0.95, 2), voice(0.8, 1), voice(1, 3)]
    voices = Voices([(name, vector.tolist()) for name, vector in named])
    numbers = [voices.number(each, 2.0) for each in told]
    assert [None if n is None else voices.name(n) for n in numbers] == ["Ben", "Ben", "voice 1", "voice 2"]
    both = ((voice(1, 0) + voice(1, 1)) / 2**0.5).astype(np.float32)
    assert voices.are_two(both, 2.0) and voices.number(both, 2.0) is None and not voices.are_two(both, 0.5)
    close = Voices([("Ben", voice(0.95, 0).tolist()), ("Ida", voice(0.93, 0).tolist())])
    assert close.number(voice(0.94, 0), 2.0) is None
    assert voices.vectors().keys() == {"voice 1", "voice 2"}


def transcribed(*arguments: str) -> Result:
    done = CliRunner().invoke(app, ["transcribe", *arguments])
    assert done.exit_code == 0, done.output
    return done


@pytest.mark.usefixtures("ears")
@pytest.mark.parametrize("form", ["srt", "vtt", "json"])
def test_a_file_is_transcribed_in_a_form_that_is_read_back(tmp_path: Path, form: str) -> None:
    spoken("The key is in the blue drawer. Please close the window before the rain comes.", tmp_path)
    printed = transcribed(str(tmp_path / "spoken.wav"), f"--{form}").stdout
    if form == "json":
        read = [Said(**each) for each in json.loads(printed)]
    else:
        turns = parse(printed, f"spoken.{form}")
        read = [Said(turn.speaker_id, turn.utterance, turn.time_start, turn.time_end) for turn in turns]
    assert [each.speaker for each in read] == ["voice 1", "voice 1"]
    assert "drawer" in read[0].utterance and "window" in read[1].utterance
    assert read[0].time_end <= read[1].time_start < read[1].time_end


@pytest.mark.usefixtures("ears")
@pytest.mark.parametrize(
    ("speech", "words"),
    [("auto", "Good evening."), ("subtitles", "Good evening."), ("local", "drawer"), ("off", "")],
)
def test_where_the_words_come_from_is_chosen(tmp_path: Path, speech: str, words: str) -> None:
    """A film with subtitles that say something else than its sound."""
    spoken("The key is in the blue drawer.", tmp_path)
    (tmp_path / "spoken.srt").write_text("1\n00:00:00,500 --> 00:00:02,000\nGood evening.\n")
    said = json.loads(transcribed(str(tmp_path / "spoken.wav"), "--speech", speech, "--json").stdout)
    assert len(said) == bool(words) and all(words in each["utterance"] for each in said)


def test_two_who_speak_at_once_are_nobody_and_that_is_said(ears: Ears, tmp_path: Path) -> None:
    he, she = (
        [spoken(line, tmp_path, voice=voice) for line in lines]
        for voice, lines in (
            (
                HE,
                (
                    "The train to the city leaves at seven in the morning.",
                    "My brother works in a garden with many tall trees.",
                ),
            ),
            (
                SHE,
                (
                    "Please put the red book on the table near the window.",
                    "The children are playing in the park behind the school.",
                ),
            ),
        )
    )
    length = min(len(he[1]), len(she[1]))
    parts = [he[0], she[0], he[1][:length] + she[1][:length]]
    heard = ears.hear(sound_of(np.concatenate([part for each in parts for part in (silence(0.8), each)])))(0, 1000)
    at_once = sum(len(part) + 12_800 for part in parts[:2]) / 16_000
    assert {turn.speaker_id for turn in heard.turns if turn.time_start > at_once} <= {""}
    assert [turn.speaker_id for turn in heard.turns if turn.time_start < at_once] == ["voice 1", "voice 2"]
    assert set(heard.notes) & {TOGETHER, NOT_ENGLISH}


def test_the_talk_of_the_demo_is_heard(ears: Ears) -> None:
    turns = ears.hear(partial(audio, Path(__file__).parents[2] / "examples" / "talk" / "talk.webm"))(0, 1000).turns
    assert [turn.speaker_id[-1] for turn in turns] == [*"1121121"]
    assert "tent" in turns[2].utterance and "apple cake" in turns[5].utterance


@pytest.mark.parametrize(
    "sound",
    [silence(20), noise(20), np.clip(noise(20, 3.0), -1, 1), chords(20), silence(0), noise(0.01)],
    ids=["silence", "noise", "clipped noise", "music", "nothing", "a moment"],
)
def test_where_nobody_speaks_there_are_no_words(ears: Ears, sound: np.ndarray) -> None:
    assert ears.hear(sound_of(sound))(0, 1000).turns == ()


def test_steady_noise_is_taken_out_of_a_sound_and_nothing_else() -> None:
    at = np.arange(3 * RATE) / RATE
    tone = (0.2 * np.sin(2 * np.pi * 440 * at) * (at % 1 > 0.5)).astype(np.float32)
    hiss = noise(3, 0.05)
    assert np.mean((without_noise(tone + hiss) - tone) ** 2) < np.mean(hiss**2) / 10
    assert without_noise(tone) == pytest.approx(tone, abs=1e-6)


@pytest.mark.parametrize("loudness", [0.06, 0.08])
def test_words_in_noise_are_heard(ears: Ears, tmp_path: Path, loudness: float) -> None:
    """White noise 4 and 2 dB below the speech."""
    line = np.pad(spoken("Please put the red book on the table near the window.", tmp_path), RATE // 2)
    heard = line * (0.1 / np.sqrt(np.mean(line**2))) + noise(20, loudness)[: len(line)]
    [turn] = ears.hear(sound_of(heard.astype(np.float32)))(0, 1000).turns
    assert "on the table near the window" in turn.utterance


def said(text: str) -> tuple[Word, ...]:
    return tuple(Word(word, float(at), at + 1.0) for at, word in enumerate(text.split()))


@pytest.mark.parametrize(
    ("heard", "kept"),
    [
        ("no, no, no, no, no, no", "no, no, no"),
        ("I know. " * 9 + "Go.", "I know. I know. I know. Go."),
        ("no no! no No? No. Never.", "no no! No. Never."),
        ("No. " * 6 + "Never.", "No. No. No. No. No. No. Never."),
        ("No. " * 7 + "Never.", "No. No. No. Never."),
        ("Call 5, 5, 5, 5, 1, 2.", "Call 5, 5, 5, 5, 1, 2."),
        ("My pin is 0 0 0 0. Write it down.", "My pin is 0 0 0 0. Write it down."),
        ("One two one two one two one two three.", "One two one two one two one two three."),
        ("It takes AAAA batteries, size XXXXL.", "It takes AAAA batteries, size XXXXL."),
        ("Very, very good. Very good.", "Very, very good. Very good."),
        ("I do not know what to do with this. " * 4, ("I do not know what to do with this. " * 3).strip()),
        ("Oh nononononono, hahahahaha. It costs 1000000.", "Oh nonono, hahaha. It costs 1000000."),
    ],
)
def test_a_phrase_that_is_repeated_on_and_on_is_cut(heard: str, kept: str) -> None:
    found = without_loops(said(heard))
    assert " ".join(word.text for word in found) == kept
    assert [word.start for word in found] == sorted(word.start for word in found)


@pytest.mark.parametrize(
    ("heard", "sentences"),
    [
        ("I saw Mr. Jones. He ran.", ["I saw Mr. Jones.", "He ran."]),
        ("We meet at 5 p.m. on Friday. Is Dr. Brown there?", ["We meet at 5 p.m. on Friday.", "Is Dr. Brown there?"]),
        ("I live on Main St. She lives in Rome.", ["I live on Main St.", "She lives in Rome."]),
        ("We went to St. Mary. Ask the dr. She knows.", ["We went to St. Mary.", "Ask the dr.", "She knows."]),
        ('He said, "Dr. Brown came." Ask dr. Jones.', ['He said, "Dr. Brown came."', "Ask dr. Jones."]),
        ("It is sunny. shall we go at 9 a.m. or later?", ["It is sunny.", "shall we go at 9 a.m. or later?"]),
    ],
)
def test_a_title_ends_no_sentence(heard: str, sentences: list[str]) -> None:
    found = Recognition(said(heard), 1.0).sentences()
    assert [" ".join(word.text for word in sentence) for sentence in found] == sentences


def test_the_voices_of_a_video_keep_their_numbers_where_another_process_heard_it_before() -> None:
    one, two, three = (np.eye(256, dtype=np.float32)[axis] for axis in range(3))
    voices = Voices(heard={1: None, 2: two.tolist()})
    numbers = [voices.number(voice, 2.0) for voice in (two, one, three)]
    assert [voices.name(number) for number in numbers if number is not None] == ["voice 2", "voice 3", "voice 4"]


def test_a_film_that_changes_its_language_is_understood_where_it_is_english() -> None:
    """What was before decides only where the words themselves are neither clear nor unclear."""
    known = HeardSoFar()
    assert [known.is_english(certainty) for certainty in (0.9, 0.9, 0.35, 0.9)] == [True, True, False, True]
    foreign = HeardSoFar()
    assert [foreign.is_english(certainty) for certainty in (0.1, 0.2, 0.62, 0.75)] == [False, False, False, True]
    noisy = HeardSoFar()
    assert [noisy.is_english(certainty) for certainty in (0.8, 0.52, 0.55)] == [True, True, True]
