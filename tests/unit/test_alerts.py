"""Alerts without a database: how often a delivery is tried, what is stored, and what is printed of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from amr_neo4j.app import alert_delivery
from amr_neo4j.app.alerts import Alerts, wait_s
from amr_neo4j.cli.watch import _delivering, _wait_for
from amr_neo4j.domain.alert import Alert, Delivery
from amr_neo4j.domain.ports import Names
from amr_neo4j.errors import StoreDenied
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.spool.alerts import AlertSpool

NOW = datetime(2026, 11, 1, tzinfo=UTC)
HOOK = Alert("g", "somebody takes the parcel", "webhook", "https://me:pw@hooks.example/T0/secret?key=1", 7)


@pytest.fixture
def kept(tmp_path: Path) -> Alerts:
    """An alert that two clips match, and no event since."""
    spool = AlertSpool(tmp_path / "alerts.sqlite")
    spool.keep(HOOK)
    spool.matched(HOOK, 9, [Delivery(HOOK, "v", f"c{n}", {"clip": f"c{n}"}) for n in range(2)], NOW)
    written: Any = SimpleNamespace(last=lambda: 3, after=lambda cursor, limit: [])
    reader: Any = SimpleNamespace(vocabulary=lambda scope: Names())
    return Alerts(
        spool=spool,
        written=lambda group_id: written,
        reader=reader,
        language=ENGLISH,
        locks=tmp_path,
        now=lambda: NOW,
        notify=lambda line: None,
    )


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 1), (3, 8), (8, 256), (9, 300), (10**6, 300)])
def test_the_wait_between_attempts_has_a_limit_however_often_they_fail(attempts: int, seconds: float) -> None:
    assert wait_s(attempts) == seconds


def test_a_target_that_fails_is_tried_once_at_a_time(kept: Alerts, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a target that does not answer holds up no other alert for long. The next clip is tried next time."""
    tried: list[str] = []

    def fails(target: str, evidence: Mapping[str, Any]) -> str:
        tried.append(evidence["clip"])
        return "timeout"

    monkeypatch.setattr(alert_delivery, "post", fails)
    for _ in range(3):
        kept.deliver(HOOK)
    assert tried == ["c0", "c1"], "what has failed is due again a second later"
    replace(kept, now=lambda: NOW + timedelta(days=1)).deliver(HOOK)
    assert len(tried) == 3


def test_an_alert_begins_again_in_a_database_with_fewer_events(kept: Alerts) -> None:
    """Otherwise its cursor would leave out all events up to that number. What was matched before stays as it was."""
    again = kept.keep("g", HOOK.question, webhook=HOOK.target)
    assert again.cursor == -1 and kept.spool.alerts("g") == [again]
    assert kept.spool.matched(again, 3, [Delivery(again, "v", "c0", {})], NOW) == 0
    assert kept.keep("g", HOOK.question, webhook=HOOK.target).cursor == 3


def test_what_gives_access_to_a_webhook_is_not_shown(kept: Alerts) -> None:
    [stands] = kept.spool.status("g")
    assert stands.target == "https://hooks.example/..."


@pytest.mark.parametrize("wrong", [StoreDenied("denied"), ZeroDivisionError()])
def test_the_command_ends_where_nothing_is_delivered_any_more(wrong: Exception) -> None:
    def fails() -> None:
        raise wrong

    given: Any = SimpleNamespace(open=fails)
    with pytest.raises(type(wrong)), _delivering(given, [HOOK]) as thread:
        _wait_for(thread)
