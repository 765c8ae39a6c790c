"""How well the local ears hear dialogues whose words, voices and times are known: benchmarks/dialogues.yaml.

    python -m benchmarks.dialogues [TABLE] [--show]

Speech comes from flite, festival and espeak-ng, as far as the table names them. Printed for each number of voices
and for what is mixed under them: the word error rate; the share of the words that is in no turn ("left out"); the
shares of the time of turns that are given to a wrong voice and to none; and the share of 10 ms steps at which speech
is taken for silence or the reverse.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml
from rapidfuzz.distance import Levenshtein

from amr_neo4j.domain.analysis import SpeakerTurn
from amr_neo4j.hearing.voice_activity import Samples
from amr_neo4j.media import ffmpeg
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import local_ears
from benchmarks.ears import cut
from benchmarks.film_talk import Line, say

TABLE = Path(__file__).with_suffix(".yaml")
PAUSE_S, STEP_S = 0.7, 0.01
LINES = 12
_RATE = ffmpeg.SAMPLE_RATE
# scipy has no types.
_linear_sum_assignment: Any = import_module("scipy.optimize").linear_sum_assignment


def spoken(voices: Sequence[str], texts: Sequence[str]) -> tuple[Samples, list[Line]]:
    """The sound of a dialogue, and its lines."""
    parts, lines, at = [np.zeros(round(PAUSE_S * _RATE), np.float32)], list[Line](), PAUSE_S
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "line.wav")
        for voice, text in zip(cycle(voices), texts, strict=False):
            say(voice, text, file)
            # The synthesisers differ in loudness, and put silence or a faint noise before and after.
            found = ffmpeg.audio(file, 0, 600)
            loud = np.flatnonzero(np.abs(found) > 0.02 * np.abs(found).max())
            said = found[loud[0] : loud[-1] + 1]
            parts += [(said * (0.1 / np.sqrt(np.mean(said**2)))).astype(np.float32), parts[0]]
            lines.append(Line(voice, text, at, at + len(said) / _RATE))
            at = lines[-1].end + PAUSE_S
    return np.concatenate(parts), lines


def under(kind: str, count: int) -> Samples:
    """White noise, or music: chords of four notes with their overtones. Its root mean square is that of speech."""
    dice = np.random.default_rng(5)
    if kind == "nothing":
        return np.zeros(count, np.float32)
    if kind == "noise":
        return dice.normal(0, 0.1, count).astype(np.float32)
    beat = np.arange(_RATE // 2) / _RATE
    chords: list[Samples] = []
    while sum(map(len, chords)) < count:
        root = 110 * 2 ** (dice.integers(0, 12) / 12)
        tones = [root * step * overtone for step in (1, 1.25, 1.5, 2) for overtone in (1, 2, 3)]
        chords.append(np.sum([np.sin(2 * np.pi * tone * beat) * tone**-0.5 for tone in tones], 0) * np.exp(-3 * beat))
    music = np.concatenate(chords)[:count]
    return (music * 0.1 / np.sqrt(np.mean(music**2))).astype(np.float32)


def steps(spans: Sequence[tuple[float, float, int]], seconds: float) -> npt.NDArray[np.int64]:
    """The number of who speaks at each step; -1: nobody."""
    found = np.full(round(seconds / STEP_S), -1)
    for start, end, who in spans:
        found[round(start / STEP_S) : round(end / STEP_S)] = who
    return found


def measure(turns: Sequence[SpeakerTurn], lines: Sequence[Line], *, activity: npt.NDArray[np.int64]) -> list[float]:
    """Errors and what they are shares of: words wrong, words left out, words; steps to a wrong voice, to none, steps
    with speech; steps of wrong activity, steps.
    """
    said, heard = (_words(" ".join(texts)) for texts in ([x.text for x in lines], [t.utterance for t in turns]))
    missing = sum(
        len(_words(line.text))
        for line in lines
        if not any(turn.time_start < line.end and turn.time_end > line.start for turn in turns)
    )
    seconds = len(activity) * STEP_S
    people, voices = sorted({line.who for line in lines}), sorted({turn.speaker_id for turn in turns} - {""})
    truth = steps([(line.start, line.end, people.index(line.who)) for line in lines], seconds)
    # A turn without a voice has the number after the last.
    numbers = {name: number for number, name in enumerate([*voices, ""])}
    given = steps([(turn.time_start, turn.time_end, numbers[turn.speaker_id]) for turn in turns], seconds)
    both = np.array([[np.sum((truth == a) & (given == b)) for b in range(len(voices))] for a in range(len(people))])
    right = both[_linear_sum_assignment(both, maximize=True)].sum() if voices else 0
    unknown = np.sum((truth >= 0) & (given == len(voices)))
    wrong_activity = np.sum((truth >= 0) != (activity >= 0))
    of_voices = [both.sum() - right, unknown, np.sum((truth >= 0) & (given >= 0))]
    return [Levenshtein.distance(said, heard), missing, len(said), *of_voices, wrong_activity, len(truth)]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path, nargs="?", default=TABLE)
    parser.add_argument("--show", action="store_true", help="print the turns")
    given = parser.parse_args(arguments)
    table: dict[str, Any] = yaml.safe_load(given.table.read_text("utf-8"))
    ears = local_ears(load())
    if ears is None:
        parser.error("the local ears are not installed (run: amr models install)")
    texts = cycle(table["lines"])
    found: dict[tuple[int, str, int], list[list[float]]] = defaultdict(list)
    for voices in table["dialogues"]:
        speech, lines = spoken(voices, list(islice(texts, LINES)))
        for kind, below in table["under"]:
            sound = speech + under(kind, len(speech)) * 10 ** (-below / 20)
            spans = [(*segment.speech, 0) for segment in ears.activity.segments([sound])]
            turns = ears.hear(partial(cut, sound))(0, 1e6).turns
            activity = steps(spans, len(sound) / _RATE)
            found[len(voices), kind, below].append(measure(turns, lines, activity=activity))
            if given.show:
                print(voices, kind, below, *turns, sep="\n  ")
    print("voices under      dB  words wrong  left out  wrong voice  no voice  activity")
    for (count, kind, below), rows in sorted(found.items()):
        wrong, missing, words, other, none, speaking, active, all_steps = np.sum(rows, axis=0)
        shares = (wrong / words, missing / words, other / speaking, none / speaking, active / all_steps)
        print(f"{count:6} {kind:8} {below:4}" + "".join(f"{100 * share:10.1f}%" for share in shares))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


if __name__ == "__main__":
    main()
