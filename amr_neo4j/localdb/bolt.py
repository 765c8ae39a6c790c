"""The address of a Neo4j server, and waiting until it answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from amr_neo4j.errors import DatabaseError

_POLL_S = 0.5


@dataclass(frozen=True)
class Connection:
    """What a driver needs. database: None for the server's default. browser_url: None for servers of others."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None
    browser_url: str | None = None


def wait(connection: Connection, alive: Callable[[], bool], limit_s: float) -> bool:
    """Returns True once the server accepts this user; False when it exits first or after limit_s seconds.

    Raises DatabaseError: a server answers and refuses the password, so it is not ours.
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
        raise DatabaseError(
            f"the server at {connection.uri} refuses our password", hint="does it belong to another program?"
        ) from error
    except (DriverError, Neo4jError, OSError):
        return False
    return True
