"""Pictures much wider than high."""

from __future__ import annotations

import numpy as np

from amr_neo4j.perception.background import PictureWatch


def test_a_wide_picture_may_shift_by_more_than_half_its_height() -> None:
    """Such a shift is no small movement of the camera, and no error."""
    noise = np.random.default_rng(7).integers(60, 200, (160, 640, 3), dtype=np.uint8)
    picture = np.kron(noise[::8, ::8], np.ones((8, 8, 1), dtype=np.uint8))
    watch = PictureWatch()
    for number, shift in enumerate((0, 120, 240)):
        watch.see(number / 5, np.roll(picture, shift, axis=1))
    assert watch.now(0.4) == set()
