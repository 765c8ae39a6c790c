"""What an error of Neo4j means: an outage, a refusal or too much at once; and when a statement is repeated."""

from __future__ import annotations

import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from neo4j import exceptions as raised

from amr_neo4j.errors import (
    AmrError,
    ConfigError,
    StoreDenied,
    StoreError,
    StoreRefused,
    StoreTooLarge,
    StoreUnavailable,
)
from amr_neo4j.store import database as of_store
from amr_neo4j.store.database import Database, in_parts, mapped_errors, repeated

ABOUT = {
    StoreDenied: """
        ClientError.Security.Unauthorized ClientError.Security.CredentialsExpired ClientError.Security.Forbidden
        ClientError.Security.AuthenticationRateLimit ClientError.Security.TokenExpired
        """,
    StoreUnavailable: """
        DatabaseError.Transaction.TransactionStartFailed DatabaseError.Transaction.TransactionCommitFailed
        DatabaseError.Transaction.TransactionLogError DatabaseError.Database.UnableToStartDatabase
        ClientError.General.WriteOnReadOnlyAccessDatabase ClientError.General.ForbiddenOnReadOnlyDatabase
        ClientError.Cluster.NotALeader ClientError.Routing.DbmsInPanic ClientError.Transaction.Terminated
        ClientError.Transaction.TransactionTimedOut TransientError.General.DatabaseUnavailable
        TransientError.Transaction.LockAcquisitionTimeout TransientError.Request.NoThreadsAvailable
        TransientError.Cluster.ReplicationFailure TransientError.Transaction.BookmarkTimeout
        """,
    StoreTooLarge: """
        TransientError.General.MemoryPoolOutOfMemoryError ClientError.General.TransactionOutOfMemoryError
        TransientError.General.OutOfMemoryError
        """,
    StoreRefused: """
        ClientError.Statement.SyntaxError ClientError.Schema.ConstraintValidationFailed
        DatabaseError.Statement.ExecutionFailed ClientError.Request.InvalidFormat
        """,
    StoreError: "DatabaseError.General.UnknownError ClientError.Procedure.ProcedureCallFailed",
    ConfigError: "ClientError.Database.DatabaseNotFound",
}
EXIT = {StoreDenied: 77, StoreUnavailable: 69, StoreTooLarge: 70, StoreRefused: 70, StoreError: 70, ConfigError: 78}


def error_of(code: str) -> raised.Neo4jError:
    return raised.Neo4jError._hydrate_neo4j(code=f"Neo.{code}", message="as the server says")


@pytest.mark.parametrize(("kind", "code"), [(kind, code) for kind, codes in ABOUT.items() for code in codes.split()])
def test_a_status_code_has_a_meaning(kind: type[AmrError], code: str) -> None:
    with pytest.raises(AmrError) as error, mapped_errors("bolt://there"):
        raise error_of(code)
    assert (type(error.value), error.value.exit_code) == (kind, EXIT[kind])
    assert error.value.hint


def ended(code: str) -> Exception:
    """The error that the driver raises if the rollback meets the failed result again."""
    error = raised.ResultFailedError(None, "The result has failed.")  # pyright: ignore
    error.__cause__ = error_of(code)
    return error


DEADLOCK = "TransientError.Transaction.DeadlockDetected"


@pytest.mark.parametrize("make", [ended, error_of])
def test_a_deadlock_is_run_again(make: type[Exception]) -> None:
    errors = [make(DEADLOCK)] * 2

    def run() -> str:
        if errors:
            raise errors.pop()
        return "done"

    assert repeated(run) == "done"


@pytest.mark.parametrize(
    "error",
    [
        ended("ClientError.Statement.SyntaxError"),
        error_of("ClientError.Statement.SyntaxError"),
        error_of("TransientError.General.MemoryPoolOutOfMemoryError"),
    ],
)
def test_what_would_fail_again_is_raised_at_once(error: Exception) -> None:
    tried = list[int]()

    def run() -> str:
        tried.append(1)
        raise error

    with pytest.raises(type(error)):
        repeated(run)
    assert tried == [1]


def test_a_deadlock_that_lasts_counts_as_away() -> None:
    with pytest.raises(StoreUnavailable, match="ended a transaction"), mapped_errors("bolt://x"):
        raise ended(DEADLOCK)


@pytest.mark.parametrize(("fit", "written"), [(100, [10]), (5, [5, 5]), (3, [2, 2, 2, 2, 2]), (1, [1] * 10)])
def test_what_does_not_fit_into_memory_is_written_in_parts_in_order(fit: int, written: list[int]) -> None:
    there: list[int] = []

    def write(part: Sequence[int]) -> int:
        if len(part) > fit:
            raise StoreTooLarge("no")
        there.extend(part)
        return len(part)

    assert list(in_parts(range(10), write)) == written
    assert there == list(range(10))


@pytest.mark.parametrize("passes", [True, False])
def test_only_an_item_that_never_fits_fails(passes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_store, "_MEMORY_PAUSES", (0.0, 0.0))
    there: list[int] = []
    tried = 0

    def write(part: Sequence[int]) -> None:
        nonlocal tried
        if 6 in part:
            tried += len(part) == 1
            if len(part) > 1 or not passes or tried < 3:
                raise StoreTooLarge("no")
        there.extend(part)

    if passes:
        list(in_parts(range(8), write))
        assert there == list(range(8))
    else:
        with pytest.raises(StoreTooLarge):
            list(in_parts(range(8), write))
        assert (there, tried) == (list(range(6)), 3)


# --- the cause of a connection that fails, whatever the scheme


@contextmanager
def encrypted(folder: Path) -> Iterator[int]:
    """A port whose server has a certificate that no authority has signed. It closes each connection."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    subprocess.run([*command.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:  # closed: the test is over
                    return
                try:
                    context.wrap_socket(connection, server_side=True).close()
                except OSError:  # the client has refused the certificate
                    connection.close()

        Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


@pytest.mark.usefixtures("no_retries")
@pytest.mark.parametrize("scheme", ["bolt+s", "neo4j+s"])
def test_a_certificate_of_an_unknown_authority_is_named(scheme: str, tmp_path: Path) -> None:
    with (
        encrypted(tmp_path) as port,
        Database(f"{scheme}://localhost:{port}", "neo4j", "secret") as database,
        pytest.raises(StoreUnavailable, match="certificate verify failed") as error,
    ):
        database.check()
    assert "SSL_CERT_FILE" in error.value.hint
    assert "+ssc" in error.value.hint


@pytest.mark.usefixtures("no_retries")
@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "neo4j+s", "neo4j+ssc"])
def test_a_port_without_a_server_refuses(scheme: str) -> None:
    with (
        Database(f"{scheme}://127.0.0.1:1", "neo4j", "secret") as database,
        pytest.raises(StoreUnavailable, match="does not answer: Connection refused"),
    ):
        database.check()


def test_calls_that_queue_wait_for_a_lost_server_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, behind a lock: each would try for as long as the first did."""
    monkeypatch.setattr(of_store, "_RETRY_SECONDS", 0.5)

    def failing() -> float:
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match="does not answer"):
            lost.read("vectors/database_identity")
        return time.monotonic() - begun

    with Database("bolt://127.0.0.1:9", "neo4j", "none") as lost:
        assert failing() >= 0.5
        assert sum(failing() for _ in range(20)) < 0.4
        time.sleep(1.0)
        assert failing() >= 0.5, "then the server is tried again"


def test_who_cannot_write_may_still_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a cluster without a leader: its members go on to answer questions."""
    monkeypatch.setattr(of_store, "_RETRY_SECONDS", 0.5)
    with Database("bolt://127.0.0.1:9", "neo4j", "none") as lost:
        with pytest.raises(StoreUnavailable):
            lost.write("ingest/take_turn", now=None)
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable):
            lost.read("vectors/database_identity")
        assert time.monotonic() - begun >= 0.5, "reading was not tried"


def test_a_call_whose_driver_was_closed_with_the_others_counts_as_away() -> None:
    """It had just begun when the server was given up, so nobody ended it for its silence."""
    with Database("bolt://127.0.0.1:9", "neo4j", "none") as silent, pytest.raises(StoreUnavailable), silent._called():
        silent._reconnect(5.0)
        raise raised.DriverError("Driver closed")
