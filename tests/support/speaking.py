"""Speech that a synthesiser of this machine makes while the tests run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from amr_neo4j.domain.footage import Sound
from amr_neo4j.media import ffmpeg

RATE = ffmpeg.SAMPLE_RATE


def spoken(text: str, folder: Path, *, voice: str = "en-us+m3") -> npt.NDArray[np.float32]:
    """The text as sound of 16 kHz. Skips the test if there is no espeak-ng."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    made = folder / "spoken.wav"
    subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", str(made), text], check=True)
    return ffmpeg.audio(made, 0, 1000)


def silence(seconds: float) -> npt.NDArray[np.float32]:
    return np.zeros(round(seconds * RATE), np.float32)


def noise(seconds: float, loudness: float = 0.1) -> npt.NDArray[np.float32]:
    return np.random.default_rng(1).normal(0, loudness, round(seconds * RATE)).astype(np.float32)


def chords(seconds: float) -> npt.NDArray[np.float32]:
    """Music: every half second another chord of three notes with overtones, which fades."""
    beat, parts = np.arange(RATE // 2) / RATE, list[npt.NDArray[np.float32]]()
    for number in range(round(2 * seconds)):
        root = 110 * 2 ** (number * 5 % 12 / 12)
        notes = [np.sin(2 * np.pi * root * step * over * beat) for step in (1, 1.25, 1.5) for over in (1, 2, 3)]
        parts.append((0.1 * np.sum(notes, axis=0) * np.exp(-3 * beat)).astype(np.float32))
    return np.concatenate(parts)


def sound_of(samples: npt.NDArray[np.float32]) -> Sound:
    """A Sound, as a file gives it."""
    return lambda start, end: samples[round(start * RATE) : round(end * RATE)]
