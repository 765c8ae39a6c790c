"""Waiting for an unreachable database: limits, pauses, messages, and errors that are not retried."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import exceptions as raised

from amr_neo4j import Memory
from amr_neo4j.errors import (
    AmrError,
    ConfigError,
    EmbedderMismatch,
    InputError,
    MigrationError,
    StoreDenied,
    StoreError,
    StoreUnavailable,
)
from amr_neo4j.store.database import Database, mapped_errors
from amr_neo4j.store.outages import OutageRetry

LONGEST_PAUSE = 11.0


class Outage:
    """A call of a database that is unreachable until `ends` (s), on a clock that only sleeping advances."""

    def __init__(self, ends: float, then: AmrError | None = None) -> None:
        self.ends = ends
        self.then = then
        self.now = 0.0
        self.pauses: list[float] = []
        self.calls = 0
        self.said: list[str] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def outlasted_by(self, wait_sec: float) -> str:
        retry = OutageRetry(wait_sec, self.said.append, sleep=self.sleep, clock=lambda: self.now)
        return retry(self.called)

    def called(self) -> str:
        self.calls += 1
        if self.now < self.ends:
            raise StoreUnavailable("Neo4j at bolt://db:7687 does not answer", hint="start it with amr db start")
        if self.then:
            raise self.then
        return "done"


@given(st.floats(0.01, 299.0))
def test_an_outage_within_the_limit_delays_by_its_length_only(ends: float) -> None:
    """The call is repeated until it succeeds; two lines are printed for any number of attempts."""
    outage = Outage(ends)
    assert outage.outlasted_by(300.0) == "done"
    assert ends <= outage.now < ends + LONGEST_PAUSE
    assert outage.calls == len(outage.pauses) + 1
    assert outage.said == [
        "Neo4j at bolt://db:7687 does not answer; retrying for up to 5 min (start it with amr db start)",
        "Neo4j answers again; continuing",
    ]


def test_each_pause_doubles_up_to_ten_seconds() -> None:
    outage = Outage(ends=100.0)
    assert outage.outlasted_by(300.0) == "done"
    least = [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    for pause, expected in zip(outage.pauses, least, strict=False):
        assert expected <= pause <= expected + 1.0
    assert len(outage.pauses) > len(least)
    assert any(a != b for a, b in pairwise(outage.pauses[6:])), "many who wait would come all at once"


def test_without_an_outage_nothing_is_printed() -> None:
    quiet = Outage(ends=0.0)
    assert quiet.outlasted_by(300.0) == "done"
    assert (quiet.said, quiet.pauses, quiet.calls) == ([], [], 1)


def test_it_fails_with_advice_after_the_limit() -> None:
    outage = Outage(ends=1e9)
    with pytest.raises(StoreUnavailable, match="does not answer") as error:
        outage.outlasted_by(90.0)
    assert 90.0 <= outage.now < 90.0 + LONGEST_PAUSE
    assert error.value.exit_code == 69
    assert error.value.hint == (
        "start it with amr db start; what was committed is kept; run the same again to continue"
    )
    assert [line.count("retrying for up to 1.5 min") for line in outage.said] == [1]


def test_a_limit_of_0_does_not_wait() -> None:
    outage = Outage(ends=1e9)
    with pytest.raises(StoreUnavailable) as error:
        outage.outlasted_by(0.0)
    assert (outage.said, outage.pauses, outage.calls) == ([], [], 1)
    assert "what was committed is kept" in error.value.hint


@pytest.mark.parametrize("ends", [0.0, 5.0], ids=["at once", "after an outage"])
@pytest.mark.parametrize("refusal", [StoreDenied, EmbedderMismatch, MigrationError, StoreError, InputError])
def test_permanent_errors_are_not_retried(refusal: type[AmrError], ends: float) -> None:
    outage = Outage(ends, then=refusal("no"))
    with pytest.raises(refusal, match=r"^no$"):
        outage.outlasted_by(300.0)
    assert outage.now < ends + LONGEST_PAUSE
    assert "Neo4j answers again; continuing" not in outage.said


def test_an_interrupt_ends_the_wait_at_once() -> None:
    outage = Outage(ends=1e9)

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    retry = OutageRetry(300.0, outage.said.append, sleep=interrupted)
    with pytest.raises(KeyboardInterrupt):
        retry(outage.called)
    assert outage.calls == 1


@pytest.mark.parametrize(
    ("driver_says", "ours"),
    [
        (raised.ServiceUnavailable, StoreUnavailable),
        (raised.IncompleteCommit, StoreUnavailable),
        (raised.SessionExpired, StoreUnavailable),
        (raised.DatabaseUnavailable, StoreUnavailable),
        (raised.AuthError, StoreDenied),
        (raised.ConstraintError, StoreError),
        (raised.UnsupportedServerProduct, ConfigError),
    ],
)
def test_only_an_unreachable_server_is_unavailable(
    driver_says: Callable[[], Exception], ours: type[AmrError]
) -> None:
    with pytest.raises(AmrError) as error, mapped_errors("bolt://db:7687"):
        raise driver_says()
    assert type(error.value) is ours


@pytest.mark.parametrize(
    "uri", ["http://localhost:7474", "bolt://[::1", "boltx://db", "bolt://me:secret@db", f"bolt://{'a' * 64}"]
)
def test_an_invalid_address_is_a_configuration_error(uri: str) -> None:
    with pytest.raises(ConfigError, match="is not a Neo4j address"):
        Database(uri, "neo4j", "")


def test_the_first_connection_does_not_wait() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and not listening: connections are refused
        start = time.monotonic()
        with pytest.raises(StoreUnavailable):
            Memory.open(neo4j_uri=f"bolt://127.0.0.1:{taken.getsockname()[1]}", neo4j_password="any")
    assert time.monotonic() - start < 5.0
