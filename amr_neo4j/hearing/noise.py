"""Takes steady noise out of speech."""

from __future__ import annotations

import numpy as np

from amr_neo4j.hearing.voice_activity import Samples

_WINDOW, _HOP = 512, 128
_QUIET = 1 / 8
"""The share of the windows that are quietest: what is in them is the noise."""
_FLOOR = 0.1
"""No frequency is lowered further, since musical tones would be left of the noise."""
_BEFORE = 0.98
"""The weight of the window before in the ratio of speech to noise."""


def without_noise(samples: Samples) -> Samples:
    """Return a sound of at least 0.1 s without its steady noise, of the same length.

    Wiener's gain, with the ratio of speech to noise of Ephraim and Malah 1984 ("decision-directed").
    """
    shape = np.hanning(_WINDOW + 1)[:-1]
    padded = np.pad(samples, (_WINDOW, _WINDOW + _HOP))
    spectra = np.fft.rfft(np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::_HOP] * shape)
    power = np.abs(spectra) ** 2
    within = power[_WINDOW // _HOP : -_WINDOW // _HOP]
    quiet = np.argsort(within.sum(axis=1))[: max(4, int(len(within) * _QUIET))]
    noise = within[quiet].mean(axis=0) + 1e-12
    clean = np.zeros(len(noise))
    for number, heard in enumerate(power):
        ratio = _BEFORE * clean / noise + (1 - _BEFORE) * np.maximum(heard / noise - 1, 0)
        gain = np.maximum(ratio / (1 + ratio), _FLOOR)
        clean = gain**2 * heard
        spectra[number] *= gain
    found = np.zeros(len(padded))
    for number, part in enumerate(np.fft.irfft(spectra) * shape):
        found[number * _HOP : number * _HOP + _WINDOW] += part
    # The squares of the shapes that overlap add up to 1.5.
    return (found[_WINDOW : _WINDOW + len(samples)] / 1.5).astype(np.float32)
