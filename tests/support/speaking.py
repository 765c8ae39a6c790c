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


def sound_of(samples: npt.NDArray[np.float32]) -> Sound:
    """A Sound, as a file gives it."""
    return lambda start, end: samples[round(start * RATE) : round(end * RATE)]
