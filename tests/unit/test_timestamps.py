"""Seconds as people read them."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.timestamps import clock, lasting


@pytest.mark.parametrize(
    ("seconds", "read"),
    [
        (0, "00:00:00"),
        (751.0, "00:12:31"),
        (3.25, "00:00:03.25"),
        (59.9996, "00:01:00"),
        (0.001, "00:00:00.001"),
        (360_000.5, "100:00:00.5"),
        (-1.7e308, "-1.7e+308 s"),
        (inf, "inf s"),
    ],
)
def test_only_the_necessary_decimals_are_written(seconds: float, read: str) -> None:
    assert clock(seconds) == read


@given(st.floats(0, 1e6))
def test_timestamps_round_trip(seconds: float) -> None:
    """The printed time equals the given time, to the millisecond."""
    hours, minutes, rest = clock(seconds).split(":")
    assert int(hours) * 3600 + int(minutes) * 60 + float(rest) == pytest.approx(seconds, abs=0.00051)


@pytest.mark.parametrize(
    ("seconds", "read"),
    [
        (0, "0 s"),
        (0.25, "0.2 s"),
        (17, "17 s"),
        (59.7, "1 min"),
        (220, "3 min 40 s"),
        (3600, "1 h"),
        (22837, "6 h 20 min 37 s"),
        (90061, "1 d 1 h 1 min"),
    ],
)
def test_durations_use_the_largest_units(seconds: float, read: str) -> None:
    assert lasting(seconds) == read
