"""Moments as people type them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
import typer

from amr_neo4j.cli.options import moment

NINE = datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("0", 0.0),
        ("75.5", 75.5),
        ("01:15", 75.0),
        ("1:15.5", 75.5),
        ("01:00:02", 3602.0),
        ("2026-03-01T09:00:00+01:00", NINE),
        ("2026-03-01T08:00:00Z", NINE),
    ],
)
def test_seconds_and_wall_clock_are_accepted(typed: str, meant: float | datetime) -> None:
    assert moment(typed) == meant


@pytest.mark.parametrize("typed", ["", "noon", "-3", "nan", "inf", "1:2:3:4", "2026-03-01T09:00:00", "2026-13-01"])
def test_an_invalid_moment_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(typer.BadParameter, match="2026-03-01T09:00:00"):
        moment(typed)
