"""The local ears: who says what, and when. Speech is made by a synthesiser while the tests run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
from amr_neo4j.hearing.ears import Ears
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import local_ears
from tests.support.speaking import noise, silence, sound_of, spoken

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


def test_turns_are_the_same_wherever_the_hearing_begins(ears: Ears, tmp_path: Path) -> None:
    said = np.concatenate([spoken("The key is in the blue drawer.", tmp_path), silence(1.0)] * 3)
    whole = ears.hear(sound_of(said))(0, 1000).turns
    hearing = ears.hear(sound_of(said))
    by_clip = [turn for start in range(0, 20, 2) for turn in hearing(start, start + 2).turns]
    late = ears.hear(sound_of(said))(whole[1].time_start, 1000).turns
    assert by_clip == list(whole) and list(late) == list(whole[1:])


@pytest.mark.parametrize(
    "sound",
    [silence(20), noise(20), np.clip(noise(20, 3.0), -1, 1), silence(0), noise(0.01)],
    ids=["silence", "noise", "clipped noise", "nothing", "a moment"],
)
def test_where_nobody_speaks_there_are_no_words(ears: Ears, sound: np.ndarray) -> None:
    assert ears.hear(sound_of(sound))(0, 1000).turns == ()
