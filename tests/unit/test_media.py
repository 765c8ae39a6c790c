"""Validation of videos: unstorable values are refused before any analysis."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j.errors import InputError
from amr_neo4j.media.video_file import video_of


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
