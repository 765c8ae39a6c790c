"""Numbers of 4 bits in blocks, as multilingual-e5-small is published (ggml's format Q4_0)."""

from __future__ import annotations

import numpy as np

BLOCK, BLOCK_BYTES = 32, 18
"""A block has this many numbers: a scale as float16, then the lower halves of the bytes, then the upper ones."""


def parts(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (scales of the blocks, float32, (..., blocks); the numbers as stored, 0 to 15, (..., numbers)).

    rows: uint8, (..., bytes).
    """
    blocks = rows.reshape(*rows.shape[:-1], -1, BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    packed = blocks[..., 2:]
    numbers = np.concatenate([packed & 15, packed >> 4], axis=-1)
    return scales[..., 0], numbers.reshape(*rows.shape[:-1], -1)


def unpacked(rows: np.ndarray) -> np.ndarray:
    """Return the numbers as float32, shape (..., numbers). rows: uint8, (..., bytes)."""
    scales, numbers = parts(rows)
    return (numbers.astype(np.float32) - 8) * np.repeat(scales, BLOCK, axis=-1)
