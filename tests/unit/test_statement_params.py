"""Datetimes in any time zone reach Neo4j as what they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from neo4j.time import DateTime

from amr_neo4j.store.statements import packed

BERLIN = ZoneInfo("Europe/Berlin")
SUMMER = datetime(2026, 7, 1, 12, tzinfo=BERLIN)
WINTER = datetime(2026, 12, 1, 12, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("moment", "offset"),
    [
        (SUMMER, timedelta(hours=2)),
        (WINTER, timedelta(hours=1)),
        (datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN), timedelta(hours=2)),
        (datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN), timedelta(hours=1)),
        (datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Asia/Kathmandu")), timedelta(hours=5, minutes=45)),
        (datetime(1880, 7, 1, 12, tzinfo=BERLIN), timedelta()),  # 53 min 28 s, which Neo4j does not take
        (datetime(2026, 7, 1, 12, tzinfo=UTC), timedelta()),
        (datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=-3))), timedelta(hours=-3)),
    ],
)
def test_a_moment_has_the_offset_of_its_zone(moment: datetime, offset: timedelta) -> None:
    sent: datetime = packed("facts/facts_changed", {"at": moment})["p"]["at"]
    assert sent == moment.astimezone(UTC)
    assert type(sent.tzinfo) is timezone
    assert sent.utcoffset() == DateTime.from_native(sent).utc_offset() == offset


@pytest.mark.parametrize("params", [{"a": [{"b": SUMMER}]}, {"a": {"b": [1, [WINTER]]}}, {"a": ("x", SUMMER)}])
def test_no_zone_is_left_however_deep_a_moment_is(params: dict[str, Any]) -> None:
    assert "zoneinfo" not in repr(packed("facts/facts_changed", params))
    assert "zoneinfo" not in repr(packed("schema/take_lock", params))


def test_everything_else_is_sent_as_it_is() -> None:
    params = {"vector": [0.5, 1.5], "ids": [1, 2], "none": None, "naive": datetime(2026, 1, 1), "no": []}
    assert packed("facts/facts_changed", params) == {"p": params}
