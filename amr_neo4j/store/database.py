"""The driver: reads and writes by statement name, and the driver's errors in our words."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

import neo4j
from neo4j import READ_ACCESS, GraphDatabase, NotificationMinimumSeverity, RoutingControl
from neo4j import exceptions as raised

from amr_neo4j.errors import ConfigError, InputError, StoreDenied, StoreError, StoreUnavailable
from amr_neo4j.store.statements import statement

Row = dict[str, Any]
Run = Callable[..., list[Row]]
"""Runs a statement by its name, with its parameters."""
T = TypeVar("T")

_CONNECT_SECONDS = 10.0
# For what a second attempt mends. Who waits longer should be told of it: see patience.
_RETRY_SECONDS = 2.0
_NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"


class Database:
    """One Neo4j database. Statements run in managed transactions: the driver retries what is transient."""

    def __init__(self, uri: str, username: str, password: str, database: str | None = None) -> None:
        self.uri = uri
        self.database = database
        if not uri.startswith(("bolt", "neo4j")):
            raise _no_address(uri, "it begins with neither bolt nor neo4j")
        try:
            self.driver: neo4j.Driver = GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
                uri,
                auth=(username, password),
                connection_timeout=_CONNECT_SECONDS,
                max_transaction_retry_time=_RETRY_SECONDS,
                notifications_min_severity=NotificationMinimumSeverity.OFF,
                telemetry_disabled=True,
            )
        except (raised.ConfigurationError, ValueError) as error:
            raise _no_address(uri, error) from error

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections."""
        self.driver.close()

    def check(self) -> str:
        """What the server calls itself, like Neo4j/5.26.12.

        Raises StoreUnavailable, StoreDenied or ConfigError unless it answers, lets us in and has our database.
        """
        with in_our_words(self.uri):
            agent = self.driver.get_server_info().agent  # pyright: ignore[reportUnknownMemberType]
        self.read("vectors/database_identity")
        return agent

    def read(self, name: str, /, **params: Any) -> list[Row]:
        """The rows of a statement that only reads: in one exchange, or a transaction if that may mend a failure."""
        with in_our_words(self.uri):
            try:
                with self.driver.session(database=self.database, default_access_mode=READ_ACCESS) as session:  # pyright: ignore[reportUnknownMemberType]
                    return [dict(record) for record in session.run(statement(name), params)]
            except (raised.DriverError, raised.Neo4jError) as error:
                if not error.is_retryable():
                    raise
        return self._run(name, RoutingControl.READ, params)

    def write(self, name: str, /, **params: Any) -> list[Row]:
        """The rows of a statement that writes, committed when this returns."""
        return self._run(name, RoutingControl.WRITE, params)

    def together(self, work: Callable[[Run], T]) -> T:
        """What `work` makes of several statements in one transaction, committed when this returns.

        Nothing is written where it raises; where the server asks for that, it is called once more.
        """

        def run_all(transaction: neo4j.ManagedTransaction) -> T:
            def run(name: str, /, **params: Any) -> list[Row]:
                return [dict(record) for record in transaction.run(statement(name), params)]

            return work(run)

        with in_our_words(self.uri), self.session() as session:
            return session.execute_write(run_all)

    def stream(self, name: str, /, **params: Any) -> Iterator[Row]:
        """The rows of a statement that only reads, as they come; not retried once the first has come."""
        with in_our_words(self.uri), self.session() as session:
            for record in session.run(statement(name), params):
                yield dict(record)

    def session(self) -> neo4j.Session:
        """A session of its own, for what needs a transaction by hand."""
        return self.driver.session(database=self.database)  # pyright: ignore[reportUnknownMemberType]

    def _run(self, name: str, routing: RoutingControl, params: dict[str, Any]) -> list[Row]:
        with in_our_words(self.uri):
            records = self.driver.execute_query(
                statement(name), params, routing_=routing, database_=self.database
            ).records
            return [dict(record) for record in records]  # record.data() takes bytes apart, 5 ms for each vector


@contextmanager
def in_our_words(uri: str) -> Generator[None]:
    """Around anything that talks to the server: the driver's errors become StoreErrors."""
    try:
        yield
    except raised.AuthError as error:
        raise StoreDenied(
            f"Neo4j at {uri} refuses the user name or password", hint="check NEO4J_USERNAME and NEO4J_PASSWORD"
        ) from error
    except (raised.ServiceUnavailable, raised.SessionExpired) as error:
        raise StoreUnavailable(
            f"Neo4j at {uri} does not answer", hint="start it with amr db start, or check NEO4J_URI"
        ) from error
    except raised.DatabaseUnavailable as error:
        raise StoreUnavailable(
            f"Neo4j at {uri} is starting or stopping", hint="if it stays so, its log says why"
        ) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise InputError(
            f"Neo4j cannot take a value: {error}", hint="use other characters, or smaller numbers"
        ) from error
    except raised.ConfigurationError as error:
        raise _no_address(uri, error) from error
    except raised.Neo4jError as error:
        if error.code == _NO_DATABASE:
            raise ConfigError(f"Neo4j at {uri}: {error.message}", hint="check NEO4J_DATABASE") from error
        raise StoreError(f"Neo4j refused a statement: {_plainly(error.message)}", hint=error.code or "") from error


def _plainly(message: str | None) -> str:
    """On one line, without the server's own stack trace."""
    return " ".join(line for line in (message or "").splitlines() if line.strip("=") and not line.startswith("\t"))


def _no_address(uri: str, why: object) -> ConfigError:
    return ConfigError(f"{uri} is no Neo4j address: {why}", hint="try bolt://localhost:7687")
