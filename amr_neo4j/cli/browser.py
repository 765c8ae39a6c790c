"""amr browser: open Neo4j Browser on the database in use."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated
from urllib.parse import SplitResult, urlencode, urlsplit

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, print_fields
from amr_neo4j.errors import ConfigError

if TYPE_CHECKING:
    from amr_neo4j.localdb import Connection
    from amr_neo4j.settings import Settings

app = App()

_PORT = 7474  # Neo4j's default for Browser

ShowPassword = Annotated[
    bool, typer.Option("--show-password", help="Print the password itself instead of where it is stored.")
]


@app.command(short_help="Open Neo4j Browser and print its login.")
def browser(ctx: typer.Context, show_password: ShowPassword = False, as_json: Json = False) -> None:
    """Open Neo4j Browser on the database in use, and print its address and login.

    Also printed: the style sheet and the saved scripts, to be dragged into Browser, and the folder of analytics
    queries, to be dragged or pasted. Without a display, or with --json, nothing is opened.

    Examples:
      amr browser
      amr browser --show-password
    """
    from amr_neo4j import localdb
    from amr_neo4j.memory import Memory

    chosen = options(ctx).settings()
    where = localdb.ensure(chosen)
    address, folder = _address(where), Memory.browser_folder()
    if _has_display() and not as_json:
        webbrowser.open(address)
    fields = {
        "address": address,
        "user": where.username,
        "password": where.password if show_password else _password(chosen),
        "style": folder / "style.grass",
        "scripts": folder / "scripts",
        "analytics": folder.with_name("analytics"),
    }
    give(fields, as_json, print_fields)


def _address(where: Connection) -> str:
    """The URL of Browser, with the login but without the password. Raises ConfigError: invalid Neo4j address."""
    uri, host = _split(where.uri)
    server = uri.netloc.rpartition("@")[2]
    page = where.browser_url or f"http://{f'[{host}]' if ':' in host else host}:{_PORT}/browser/"
    login = {"dbms": f"{uri.scheme}://{where.username}@{server}"} | ({"db": where.database} if where.database else {})
    return f"{page}?{urlencode(login)}"


def _split(uri: str) -> tuple[SplitResult, str]:
    try:
        parts = urlsplit(uri)
    except ValueError:
        parts = urlsplit("")
    if not parts.hostname:
        raise ConfigError(f"{uri} is not a Neo4j address", hint="write it like bolt://localhost:7687")
    return parts, parts.hostname


def _password(chosen: Settings) -> str:
    """Where the password is stored. The password itself would stay in the terminal's scrollback."""
    from amr_neo4j import localdb

    return "see NEO4J_PASSWORD" if chosen.neo4j_uri else f"see {localdb.status(chosen).password_file}"


def _has_display() -> bool:
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
