"""Wraps the Neo4j driver: runs statements by name, and turns the driver's errors into StoreErrors."""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from operator import itemgetter
from socket import SHUT_RDWR
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit
from weakref import WeakMethod

import neo4j
import neo4j.time
from neo4j import READ_ACCESS, WRITE_ACCESS, GraphDatabase, NotificationMinimumSeverity, RoutingControl
from neo4j import exceptions as raised
from pydantic import BaseModel, ConfigDict
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random_exponential

from amr_neo4j.domain.fact import Triple
from amr_neo4j.errors import (
    AmrError,
    ConfigError,
    InputError,
    StoreDenied,
    StoreError,
    StoreRefused,
    StoreTooLarge,
    StoreUnavailable,
)
from amr_neo4j.store.silence import SilenceWatch
from amr_neo4j.store.statements import packed, sent
from amr_neo4j.tables import Table, load

_log = logging.getLogger(__name__)
Row = dict[str, Any]
T = TypeVar("T")
Written = TypeVar("Written")
# A row as a mapping, or as the list of its columns.
Columns = TypeVar("Columns", dict[str, Any], list[Any])
Run = Callable[..., list[Row]]
"""Runs a statement inside a transaction: run(name, **params) runs cypher/<name>.cypher and returns its rows."""
# As many calls as Neo4j serves at once by default (server.bolt.thread_pool_max_size). Further ones wait.
_MOST_CONNECTIONS = 400
_CONNECT_SECONDS = 10.0
# How long to wait for a connection. The driver's default of 60 s is too long for a server that is silent. A healthy
# server that is far away or busy may need the shortest.
_LONGEST_SECONDS, _SHORTEST_SECONDS = 20.0, 5.0
# Retries here are silent and therefore short. OutageRetry waits longer and says so.
_RETRY_SECONDS, _FIRST_PAUSE = 2.0, 0.05
# Once a call has lost the server, other calls fail at once, for as long as that call took and for at most this many
# seconds. Else calls that queue behind a lock would each wait in turn: with 50 clients, for minutes. Trying a silent
# server again takes longest, so calls fail for longer then.
_AWAY_SECONDS, _SILENT_SECONDS = 1.0, 10.0
# A single item that does not fit into the server's memory is tried again after these pauses (s): other transactions
# may have taken the memory.
_MEMORY_PAUSES = (0.5, 1.0, 2.0)
# The server cannot be reached any more, or cannot do this any more.
_LOST = (raised.ServiceUnavailable, raised.SessionExpired)
_DENIED_HINT = "check NEO4J_USERNAME and NEO4J_PASSWORD"


# The driver's log names a connection by its local port. This is the port of those that a closing database has ended.
_ENDED = -1
# They are meant to fail, so what the driver logs of that as an error is dropped.
logging.getLogger("neo4j.io").addFilter(
    lambda record: not (isinstance(record.args, tuple) and record.args[:1] == (_ENDED,))
)


class _Meaning(BaseModel):
    """What a status code means, see neo4j_codes.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    error: Literal["denied", "unavailable", "too_large", "refused", "config", "unknown"]
    advice: str = ""


class _Codes(Table):
    """neo4j_codes.yaml, whose head explains its keys."""

    codes: Mapping[str, _Meaning]


@cache
def meaning(code: str) -> _Meaning:
    """Return what a status code of Neo4j means: the entry of neo4j_codes.yaml that fits best."""
    codes = load(__package__ or "", "neo4j_codes.yaml", _Codes).codes
    return codes[max((known for known in codes if code.startswith(known)), key=len)]


class Database:
    """One Neo4j database. Transient errors are retried, except by `stream` and explicit transactions.

    In a cluster, reads may go to any member. They still see what this object wrote before, because the member waits
    until it has caught up with the latest bookmark.
    """

    def __init__(
        self,
        uri: str,
        username: str,
        password: str,
        database: str | None = None,
        *,
        denied_hint: str = _DENIED_HINT,
        wait_sec: float = _LONGEST_SECONDS,
    ) -> None:
        """denied_hint: what to do if the server refuses the user name or password.

        wait_sec: how long to wait for a server that is silent, from 5 s to 20 s.
        """
        self.uri = uri
        self.database = database
        self.denied_hint = denied_hint
        wait_sec = min(max(wait_sec, _SHORTEST_SECONDS), _LONGEST_SECONDS)
        if not uri.startswith(("bolt", "neo4j")):
            raise _invalid_address(uri, "it begins with neither bolt nor neo4j")
        self._connect = partial(_connected, uri, (username, password))
        try:
            (urlsplit(uri).hostname or "").encode("idna")  # as the first connection does, only then
            self.driver = self._connect(wait_sec)
        except (raised.ConfigurationError, ValueError) as error:
            raise _invalid_address(uri, error) from None
        # A single server (bolt://) needs no bookmarks to see its own writes. There they would only do harm: after the
        # database is replaced, reads would wait for a bookmark that never comes.
        self._bookmarks = self.driver.execute_query_bookmark_manager if uri.startswith("neo4j") else None
        # {how it was called: (until when, the error)} of a server that was lost a moment ago. A cluster without a
        # leader still reads. None: nobody answers, not even a read.
        self._away = dict[RoutingControl | None, tuple[float, str, str]]()
        # Weak, so that the thread of the watch keeps no memory open that was dropped.
        give_up = WeakMethod(self._reconnect)
        self._silence = SilenceWatch(
            wait_sec,
            answers=partial(_answers, self._connect),
            give_up=lambda: reconnect(wait_sec) if (reconnect := give_up()) else None,
        )

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections. If a background thread still uses one, its query fails."""
        self._close(self.driver)

    def _reconnect(self, wait_sec: float) -> None:
        """End the calls that are under way; later ones connect anew."""
        silent, self.driver = self.driver, self._connect(wait_sec)
        self._close(silent)

    def _close(self, driver: neo4j.Driver) -> None:
        """Close a driver's idle connections, and make the calls on the others fail.

        The driver itself says goodbye on connections that other threads use. That can fail half-way, and the threads
        whose connections it did not reach would wait for ever. Nor may a socket be closed while another thread reads
        it: the next connection may get its number, and the old thread would take bytes meant for the new one. So
        these sockets are only shut down. Their threads then fail, and close them. The driver has no public way.
        """
        pool: Any = driver._pool  # pyright: ignore[reportPrivateUsage]
        with pool.lock:  # an idle connection must not be taken in the meantime
            for connections in pool.connections.values():
                for connection in [each for each in connections if each.in_use]:
                    connections.remove(connection)
                    connection.local_port = _ENDED
                    with suppress(OSError):  # it is closed already
                        connection.socket._socket.shutdown(SHUT_RDWR)
            try:
                driver.close()
            except (BufferError, RuntimeError, ValueError, OSError, raised.DriverError, raised.Neo4jError) as error:
                _log.debug("a connection to %s could not be closed in order: %s", self.uri, error)

    def check(self) -> str:
        """Return the server's name and version, such as Neo4j/5.26.12.

        Raises StoreUnavailable: the server does not answer. StoreDenied: wrong user name or password. ConfigError:
        the server has no database of this name.
        """
        with mapped_errors(self.uri, self.denied_hint):
            agent = self.driver.get_server_info().agent  # pyright: ignore[reportUnknownMemberType]
        self.read("vectors/database_identity")
        return agent

    @contextmanager
    def _called(self) -> Generator[None]:
        """Context manager around a call of the server: maps errors, and gives up a server that falls silent."""
        with mapped_errors(self.uri, self.denied_hint), self._watched():
            yield

    @contextmanager
    def _watched(self) -> Generator[None]:
        """Context manager around a call of the server: gives up a server that falls silent."""
        used = self.driver
        with self._silence.watching() as was_given_up:
            try:
                yield
            except (raised.DriverError, raised.Neo4jError, OSError):
                # A call that has just begun is not given up, but its driver may have been closed with the others.
                if was_given_up() or self.driver is not used:
                    raise raised.ServiceUnavailable from TimeoutError()
                raise

    @contextmanager
    def tried(self, how: RoutingControl) -> Generator[None]:
        """Context manager around a call that is tried again. how: whether it reads or writes.

        Raises StoreUnavailable at once if a call of this kind has just lost the server, or a read found it silent.
        """
        for each in (how, None):
            if (away := self._away.get(each)) and time.monotonic() < away[0]:
                raise StoreUnavailable(away[1], hint=away[2])
        lost, begun = None, time.monotonic()
        try:
            with mapped_errors(self.uri, self.denied_hint):
                try:
                    with self._watched():
                        yield
                except (*_LOST, raised.DatabaseUnavailable) as error:
                    lost = error
                    raise
        except StoreUnavailable as error:
            if lost:
                now, is_silent = time.monotonic(), isinstance(_cause(lost), TimeoutError)
                until = now + min(now - begun, _SILENT_SECONDS if is_silent else _AWAY_SECONDS)
                is_all = is_silent and how is RoutingControl.READ
                self._away[None if is_all else how] = until, error.message, error.hint
            raise
        for each in (how, None):
            self._away.pop(each, None)

    def read(self, name: str, /, **params: Any) -> list[Row]:
        """Return the rows of a statement that only reads, retried after transient errors."""
        # First as an auto-commit query, which takes one round trip. Only a retry pays for a managed transaction.
        begun = time.monotonic()
        with self.tried(RoutingControl.READ):
            try:
                with self.session(READ_ACCESS) as session:
                    return [dict(record) for record in _results(session, name, params)]
            except (raised.DriverError, raised.Neo4jError) as error:
                if not error.is_retryable() or time.monotonic() - begun > _RETRY_SECONDS:
                    raise
        return self._run(name, RoutingControl.READ, params)

    def write(self, name: str, /, **params: Any) -> list[Row]:
        """Return the rows of a statement that writes. It is committed when this returns."""
        return self._run(name, RoutingControl.WRITE, params)

    def in_transaction(self, work: Callable[[Run], T], *, dry_run: bool = False) -> T:
        """Run `work` in one write transaction and return its result. It is committed when this returns.

        An exception from `work` rolls the transaction back. After a transient error `work` is called again, so it
        must not change anything else that matters.

        dry_run: roll it back instead, so that only the result says what would change.
        """

        def attempt(transaction: neo4j.ManagedTransaction) -> T:
            def run(name: str, /, **params: Any) -> list[Row]:
                return [dict(record) for record in _results(transaction, name, params)]

            result = work(run)
            if dry_run:
                raise _RolledBack(result)  # the driver rolls back after any exception
            return result

        with self.tried(RoutingControl.WRITE), self.session() as session:
            try:
                return repeated(lambda: session.execute_write(attempt))
            except _RolledBack as done:
                return done.result

    def stream(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Yield the rows of a statement that only reads, as they arrive. Errors are not retried."""
        with self._called(), self.session(READ_ACCESS) as session:
            for record in _results(session, name, params):
                yield dict(record)

    @contextmanager
    def held_transaction(self) -> Generator[None]:
        """Context manager: keep a transaction open, so that Neo4j reuses nothing that is freed in the meantime."""
        with self._called(), self.session() as session, session.begin_transaction():
            yield

    def session(self, access: str = WRITE_ACCESS) -> neo4j.Session:
        """Return a new session. The caller closes it."""
        return self.driver.session(  # pyright: ignore[reportUnknownMemberType]
            database=self.database, default_access_mode=access, bookmark_manager=self._bookmarks
        )

    def _run(self, name: str, routing: RoutingControl, params: dict[str, Any]) -> list[Row]:
        with self.tried(routing):
            with _packed_parameters():
                records = repeated(
                    lambda: self.driver.execute_query(
                        sent(name),
                        packed(name, params),
                        routing_=routing,
                        database_=self.database,
                        bookmark_manager_=self._bookmarks,
                    )
                ).records
            return [dict(record) for record in records]  # record.data() converts bytes one by one: 5 ms per vector


class _RolledBack(Exception):
    """Ends a transaction that was only tried. result: what it returned."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


class Scoped:
    """A database whose statements all get the same parameters: the group that they are about, mostly also the user.

    >>> facts = Scoped(database, group_id="home", user_id="anna")
    >>> facts.read("facts/runs")
    """

    def __init__(self, database: Database, **whose: str) -> None:
        self._database, self._whose = database, whose

    def read(self, name: str, /, **params: Any) -> list[Row]:
        """See Database.read."""
        return self._database.read(name, **self._whose, **params)

    def write(self, name: str, /, **params: Any) -> list[Row]:
        """See Database.write."""
        return self._database.write(name, **self._whose, **params)

    def stream(self, name: str, /, **params: Any) -> Iterator[Row]:
        """See Database.stream."""
        return self._database.stream(name, **self._whose, **params)

    def in_transaction(self, work: Callable[[Run], T], *, dry_run: bool = False) -> T:
        """See Database.in_transaction. `work` gets a Run that passes these parameters, too."""
        return self._database.in_transaction(lambda run: work(partial(run, **self._whose)), dry_run=dry_run)


def _connected(uri: str, auth: tuple[str, str], wait_sec: float) -> neo4j.Driver:
    """Return a driver that waits this long for a connection."""
    return GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
        uri,
        auth=auth,
        connection_timeout=min(_CONNECT_SECONDS, wait_sec),
        connection_acquisition_timeout=wait_sec,
        max_connection_pool_size=_MOST_CONNECTIONS,
        max_transaction_retry_time=0,  # `repeated` does that
        notifications_min_severity=NotificationMinimumSeverity.OFF,
        telemetry_disabled=True,  # the driver would send usage statistics to the server
    )


def _answers(connect: Callable[[float], neo4j.Driver], wait_sec: float) -> bool:
    """Return whether a server answers a new connection in time, whatever it says.

    One that refuses new connections may still work on those that it has.
    """
    try:
        with connect(wait_sec) as driver:
            driver.verify_connectivity()  # pyright: ignore[reportUnknownMemberType]
    except (raised.DriverError, raised.Neo4jError, OSError) as error:
        return not isinstance(_cause(error), TimeoutError)
    return True


def native(value: Any) -> Any:
    """Return a value of a row, with a DateTime of the driver converted to Python's datetime."""
    return value.to_native() if isinstance(value, neo4j.time.DateTime) else value


def natively(row: Row) -> Row:
    """Return a row with each value as `native` returns it."""
    return {name: native(value) for name, value in row.items()}


def of_fact(row: Row) -> Row:
    """Return a row of a fact `natively`, with its `triple` in place of the three columns of that."""
    parts = natively(row)
    return parts | {"triple": Triple(*map(parts.pop, Triple._fields))}


def whole(rows: Iterable[Columns], *required: Any) -> list[Columns]:
    """Return the rows in which no required column is null.

    Neo4j returns null for the properties of a node that another transaction deletes while the statement runs. Such a
    node must be left out, because the next read does not find it either.

    required: names of columns, or indices where a row is a list.
    """
    if not required:
        return list(rows)
    values = itemgetter(*required)
    if len(required) == 1:
        return [row for row in rows if values(row) is not None]
    return [row for row in rows if None not in values(row)]


def repeated(run: Callable[[], T]) -> T:
    """Call `run`, and call it again after an error that passes, such as a deadlock, for at most _RETRY_SECONDS.

    The driver's own retries are not used. They give up if a rollback runs into the failed result, because the driver
    then raises ResultFailedError and does not count it as transient. They also repeat a transaction that is too large
    for the server's memory.
    """
    begun = time.monotonic()
    try:
        return run()
    except (raised.DriverError, raised.Neo4jError) as error:
        has_passed = time.monotonic() - begun >= _RETRY_SECONDS
        # A connection that was lost after a long time is not lost by chance: a second attempt would wait as long.
        if not _is_transient(error) or not _RETRY_SECONDS or (has_passed and isinstance(error, _LOST)):
            raise
    return Retrying(
        retry=retry_if_exception(_is_transient),
        wait=wait_random_exponential(multiplier=_FIRST_PAUSE),
        stop=stop_after_delay(_RETRY_SECONDS),
        reraise=True,
    )(run)


def _is_transient(error: BaseException) -> bool:
    cause = error.__cause__ if isinstance(error, raised.ResultFailedError) else error
    if isinstance(cause, raised.Neo4jError):
        return cause.is_retryable() and meaning(cause.code or "").error != "too_large"
    return isinstance(cause, raised.DriverError) and cause.is_retryable()


def in_parts(
    items: Sequence[T], write: Callable[[Sequence[T]], Written], *, at_once: int | None = None
) -> Iterator[Written]:
    """Write items in order, `at_once` together if the server's memory allows it, else in parts that fit.

    write: writes a part in one transaction. Yields what it returns, for each part.
    at_once: all by default.
    Raises StoreTooLarge: a single item does not fit. What came before it is written.
    """
    start, waits = 0, 0
    at_once = at_once or len(items)
    while start < len(items):
        part = items[start : start + at_once]
        try:
            written = write(part)
        except StoreTooLarge:
            if len(part) > 1:
                at_once = len(part) // 2
            elif waits < len(_MEMORY_PAUSES):
                time.sleep(_MEMORY_PAUSES[waits])
                waits += 1
            else:
                raise
            continue
        yield written
        start, waits = start + len(part), 0


@contextmanager
def mapped_errors(uri: str, denied_hint: str = _DENIED_HINT) -> Generator[None]:
    """Context manager: turns the driver's errors into StoreErrors and ConfigErrors.

    Errors whose message already names the cause are raised `from None`. That hides the driver's traceback, which
    takes 60 lines to say how it tried to connect.
    """
    try:
        yield
    except raised.AuthError:
        raise StoreDenied(f"Neo4j at {uri} refuses the user name or password", hint=denied_hint) from None
    except _LOST as error:
        cause = _cause(error)
        raise StoreUnavailable(f"Neo4j at {uri} does not answer: {_reason(cause)}", hint=_advice(cause)) from None
    except raised.DatabaseUnavailable:
        raise StoreUnavailable(
            f"Neo4j at {uri} is starting or stopping", hint="if that lasts, see the server's log"
        ) from None
    except raised.ConfigurationError as error:
        raise _invalid_address(uri, error) from None
    except raised.Neo4jError as error:
        raise _meant(error, uri, denied_hint) from error
    except raised.DriverError as error:
        if _is_transient(error):
            raise StoreUnavailable(f"Neo4j at {uri} ended a transaction", hint="run the command again") from error
        raise StoreError(
            f"the connection to Neo4j at {uri} failed: {error}",
            hint="run the command again; in Python, open the memory again",
        ) from error


def _results(to: neo4j.Session | neo4j.ManagedTransaction, name: str, params: Mapping[str, Any]) -> neo4j.Result:
    """Send a statement. Only the sending is checked for bad parameters: a ValueError in a row is something else."""
    with _packed_parameters():
        return to.run(sent(name), packed(name, params))


@contextmanager
def _packed_parameters() -> Generator[None]:
    """Context manager: raises InputError if the driver cannot encode a parameter.

    The driver raises plain Python errors then, such as OverflowError for an integer of more than 64 bits.
    """
    try:
        yield
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        hint = "use other characters, or smaller numbers"
        raise InputError(f"Neo4j cannot take a value: {error}", hint=hint) from error


def _meant(error: raised.Neo4jError, uri: str, denied_hint: str) -> AmrError:
    """Return the error that a status code of Neo4j means."""
    code, said = error.code or "", _one_line(error.message)
    known = meaning(code)
    if known.error == "denied":
        return StoreDenied(f"Neo4j at {uri} denies this: {said}", hint=known.advice or denied_hint)
    if known.error == "unavailable":
        hint = known.advice or "if that lasts, see the server's log"
        return StoreUnavailable(f"Neo4j at {uri} cannot do this now: {said}", hint=hint)
    if known.error == "config":
        return ConfigError(f"Neo4j at {uri}: {said}", hint=known.advice)
    kind = _REFUSALS.get(known.error, StoreError)
    return kind(f"Neo4j refused a statement: {said}", hint=known.advice or code)


_REFUSALS: Mapping[str, type[StoreError]] = {"refused": StoreRefused, "too_large": StoreTooLarge}


def _cause(error: BaseException) -> BaseException:
    """Return the root cause of an error. If several servers did not answer, it is the cause of the first."""
    # A routing driver raises an exception group of what each server said.
    while deeper := next(iter(getattr(error, "exceptions", ())), None) or error.__cause__ or error.__context__:
        error = deeper
    return error


def _reason(cause: BaseException) -> str:
    """Return why the connection failed, in the system's words ("Connection refused") or else in the driver's."""
    if isinstance(cause, TimeoutError):
        return "it accepts connections and is silent"
    return (cause.strerror if isinstance(cause, OSError) else None) or _one_line(str(cause)).rstrip(".")


def _advice(cause: BaseException) -> str:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return "trust the CA of its certificate, SSL_CERT_FILE=ca.pem, or accept any with +ssc for +s in NEO4J_URI"
    if isinstance(cause, ssl.SSLError):
        return "the server may expect no encryption there: try NEO4J_URI without +s or +ssc"
    return "start it with amr db start, or check NEO4J_URI"


def _one_line(message: str | None) -> str:
    """Return a message on one line, without the server's stack trace."""
    return " ".join(line for line in (message or "").splitlines() if line.strip("=") and not line.startswith("\t"))


def _invalid_address(uri: str, why: object) -> ConfigError:
    return ConfigError(f"{uri} is not a Neo4j address: {why}", hint="try bolt://localhost:7687")
