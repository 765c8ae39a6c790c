"""Validation of videos: unstorable values are refused before any analysis."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from amr_neo4j.errors import InputError
from amr_neo4j.media.video_file import video_of
from tests.support.films import pattern


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"video_id": "v" * 501}, "video_id has 501 characters"),
        ({"place": "p" * 9000}, "place has 9,000 characters"),
        ({"place": "caf\udce9"}, "not valid UTF-8"),
        ({"recorded_at": datetime(2026, 3, 1, 9)}, "has no UTC offset"),
        ({"recorded_at": datetime(1, 1, 1, tzinfo=UTC)}, "the year 1"),
        ({"recorded_at": datetime(9999, 12, 31, tzinfo=UTC)}, "the year 9999"),
    ],
)
def test_an_unstorable_name_or_time_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        video_of(Path("film.mp4"), "home", **given)
    assert refused.value.hint


def test_an_undecodable_file_name_is_printed_readably() -> None:
    with pytest.raises(InputError, match=r"'caf\\udce9.mp4' is not valid UTF-8"):
        video_of(Path("caf\udce9.mp4"), "home")


def test_clocks_of_a_file_that_disagree_are_noted(tmp_path: Path) -> None:
    """Apple's creationdate comes before creation_time; a minute apart is no disagreement."""
    plain = pattern(tmp_path / "plain.mp4", 1)
    now, zone = datetime(2026, 11, 1, tzinfo=UTC), ZoneInfo("Europe/Berlin")
    filmed = {"2026-03-01 09.15.30": 0, "2026-03-01 08.15.30": 1, "holiday": 0}
    for name, notes in filmed.items():
        tags = ["creation_time=2026-06-10T12:00:00Z", "com.apple.quicktime.creationdate=2026-03-01T09:16:00+0100"]
        stated = [each for tag in tags for each in ("-metadata", tag)]
        film, said = tmp_path / f"{name}.mov", list[str]()
        flags = ["-movflags", "use_metadata_tags", "-c", "copy"]
        subprocess.run(["ffmpeg", "-v", "error", "-i", plain, *flags, *stated, film], check=True)
        video = video_of(film, "g", now=now, zone=zone, note=said.append)
        assert len(said) == notes and video.recorded_at and video.recorded_at.utcoffset() == timedelta(hours=1)
    assert video_of(plain, "g", now=now, zone=zone).recorded_at is None
