"""The address of a Neo4j server, and waiting until it answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from amr_neo4j.errors import StoreDenied

_POLL_S = 0.5


@dataclass(frozen=True)
class Connection:
    """What a driver needs. database: None for the server's default. browser_url: None for servers of others.

    denied_hint: what to do if the server refuses the password.
    """

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None
    browser_url: str | None = None
    denied_hint: str = field(default="check NEO4J_USERNAME and NEO4J_PASSWORD", repr=False, compare=False)


def wait(connection: Connection, alive: Callable[[], bool], limit_s: float) -> bool:
    """Returns True once the server accepts this user; False when it exits first or after limit_s seconds.

    Raises StoreDenied: it refuses the password.
    """
    until = time.monotonic() + limit_s
    while time.monotonic() < until and alive():
        if _answers(connection):
            return True
        time.sleep(_POLL_S)
    return False


def _driver(connection: Connection) -> Driver:
    auth = (connection.username, connection.password)
    return GraphDatabase.driver(connection.uri, auth=auth, telemetry_disabled=True)  # pyright: ignore[reportUnknownMemberType]


def _answers(connection: Connection) -> bool:
    try:
        with _driver(connection) as driver:
            driver.verify_connectivity()  # pyright: ignore[reportUnknownMemberType]
    except AuthError as error:
        raise StoreDenied(f"Neo4j at {connection.uri} refuses the password", hint=connection.denied_hint) from error
    except (DriverError, Neo4jError, OSError):
        return False
    return True
