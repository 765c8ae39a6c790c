"""Moments as people type them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from amr_neo4j.cli.main import app as main_app
from amr_neo4j.cli.options import AsOf, KnownAt, Options, Until, moment
from amr_neo4j.domain.recall import Moment


def _options(tmp_path: Path) -> Options:
    """The options of `amr` with a file of settings that names a time zone."""
    file = tmp_path / "amr.yaml"
    file.write_text("timezone: Europe/Berlin\n")
    return Options(config=file)


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
        ("2026-03-01T09:00", datetime(2026, 3, 1, 9)),
        ("2026-03-01", datetime(2026, 3, 1)),
    ],
)
def test_seconds_and_wall_clock_are_accepted(typed: str, meant: float | datetime) -> None:
    assert moment(typed) == meant


@pytest.mark.parametrize("typed", ["", "noon", "-3", "nan", "inf", "1:2:3:4", "2026-13-01"])
def test_an_invalid_moment_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(typer.BadParameter, match="2026-03-01T09:00:00"):
        moment(typed)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("2026-06-01", "2026-06-01T00:00:00+02:00"), ("2026-03-01T09:00", "2026-03-01T09:00:00+01:00"), ("75", "")],
)
def test_a_time_without_offset_is_in_the_zone_of_the_settings(typed: str, meant: str, tmp_path: Path) -> None:
    """Of every command: as for the days that questions mean."""
    app, got = typer.Typer(), list[Moment]()

    @app.command()
    def asked(as_of: AsOf = None, until: Until = None, known_at: KnownAt = None) -> None:
        got.extend(each for each in (as_of, until, known_at) if each is not None)

    clocks = ["--known-at", typed] if meant else []
    ran = CliRunner().invoke(app, ["--as-of", typed, "--until", typed, *clocks], obj=_options(tmp_path))
    assert ran.exit_code == 0, ran.output
    expected = [datetime.fromisoformat(meant)] * 3 if meant else [75.0] * 2
    assert got == expected


def test_the_clock_of_a_camera_needs_its_offset(tmp_path: Path) -> None:
    """The camera may be elsewhere, so the right form of the very time is told."""
    command = ["ingest", str(tmp_path / "a.mp4"), "--recorded-at", "2026-06-01T09:00"]
    ran = CliRunner().invoke(main_app, command, env={"AMR_TIMEZONE": "Europe/Berlin", "AMR_DATA_DIR": str(tmp_path)})
    assert ran.exit_code == 2
    assert "2026-06-01T09:00:00+02:00" in ran.output
