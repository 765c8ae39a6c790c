"""The speed and memory of the local ears, on one thread.

    python -m benchmarks.ears FILE ...

FILE: a film or a sound file with English speech, say of a minute. Prints how many seconds of it are heard in a second
of processor time, the same for ten minutes of silence, and how much memory the models and their work take.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from amr_neo4j.domain.footage import Sound
from amr_neo4j.hearing.ears import Ears
from amr_neo4j.hearing.voice_activity import Samples
from amr_neo4j.media import ffmpeg
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import local_ears

_RATE = ffmpeg.SAMPLE_RATE


def main(files: Sequence[str]) -> None:
    """Print the figures."""
    ears = local_ears(load())
    if ears is None:
        sys.exit("the local ears are not installed (run: amr models install)")
    before = _memory()
    for file in files:
        # Decoded first, so that only the ears are measured.
        samples = ffmpeg.audio(file, 0, 86_400)
        _measure(ears, Path(file).name, partial(cut, samples), len(samples) / _RATE)
    silence = np.zeros(600 * _RATE, np.float32)
    _measure(ears, "silence", partial(cut, silence), 600.0)
    print(f"memory: {_memory() - before:.0f} MB more")


def _measure(ears: Ears, name: str, sound: Sound, seconds: float) -> None:
    ears.hear(sound)(0.0, 20.0)  # loads the models
    began, cpu = time.perf_counter(), time.process_time()
    turns = ears.hear(sound)(0.0, seconds).turns
    took, used = time.perf_counter() - began, time.process_time() - cpu
    spoken = sum(turn.time_end - turn.time_start for turn in turns)
    voices = len({turn.speaker_id for turn in turns})
    print(f"{name}: {seconds:.0f} s, {spoken:.0f} s of speech, {len(turns)} turns, {voices} voices")
    print(f"  {seconds / used:.1f} times real time of a core ({used:.2f} s), {seconds / took:.1f} by the clock")
    if spoken:
        print(f"  speech alone: {spoken / used:.1f} times real time of a core")


def cut(samples: Samples, start: float, end: float) -> Samples:
    """A Sound of these samples."""
    return samples[round(start * _RATE) : round(end * _RATE)]


def _memory() -> float:
    """The resident memory of this process in MB."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main(sys.argv[1:])
