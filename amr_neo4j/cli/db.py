"""amr db: the local database, and the schema of whichever database is in use."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from amr_neo4j.localdb import Status

app = typer.Typer(help="The database: a Neo4j on this machine, and its schema.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command(epilog="Example:  amr db start")
def start(as_json: Json = False) -> None:
    """Start the local database; the first time, choose Docker or Maven, and fetch what is missing.

    Where it is started already, nothing changes.
    """
    from amr_neo4j import localdb, settings

    localdb.start(settings.load(), say=_note)
    status(as_json)


@app.command(epilog="Example:  amr db stop")
def stop(as_json: Json = False) -> None:
    """Stop the local database; its data stays."""
    from amr_neo4j import localdb, settings

    localdb.stop(settings.load())
    status(as_json)


@app.command(epilog="Examples:  amr db status   |   amr db status --json")
def status(as_json: Json = False) -> None:
    """Show how the local database is: its state, where it answers, and which file holds the password."""
    from amr_neo4j import localdb, settings

    chosen = settings.load()
    now = localdb.status(chosen)
    if chosen.neo4j_uri:
        _note(f"NEO4J_URI is set, so amr uses {chosen.neo4j_uri} instead of the local database.")
    if as_json:
        _print_json(dataclasses.asdict(now))
    else:
        _show(now)


@app.command(epilog="Examples:  amr db destroy   |   amr db destroy --yes")
def destroy(yes: Yes = False, as_json: Json = False) -> None:
    """Stop the local database and remove it with everything in it."""
    from amr_neo4j import localdb, settings

    chosen = settings.load()
    now = localdb.status(chosen)
    if now.state != "absent" and not yes:
        typer.confirm(f"Remove the database in {now.home} with everything in it?", abort=True, err=True)
    localdb.destroy(chosen)
    status(as_json)


@app.command(epilog="Example:  amr db migrate")
def migrate(as_json: Json = False) -> None:
    """Bring the database in use (NEO4J_URI, else the local one) to this version's schema."""
    from amr_neo4j import localdb, settings
    from amr_neo4j.store.database import Database
    from amr_neo4j.store.migrations import migrate as apply

    there = localdb.ensure(settings.load())
    with Database(there.uri, there.username, there.password, there.database) as database:
        applied = apply(database)
    if as_json:
        _print_json({"uri": there.uri, "applied": applied})
    else:
        typer.echo(f"applied {', '.join(applied)}" if applied else "the schema is up to date")


def _show(now: Status) -> None:
    if now.state == "absent":
        typer.echo(f"no local database in {now.home}; amr db start makes one")
        return
    pid = f", pid {now.pid}" if now.pid else ""
    typer.echo(f"{now.state} ({now.engine}{pid})")
    typer.echo(f"  Bolt      {now.uri}")
    typer.echo(f"  Browser   {now.browser_url}")
    typer.echo(f"  user      {now.username}, password in {now.password_file}")


def _note(line: str) -> None:
    """Beside the result, which is all that goes to standard output."""
    typer.echo(line, err=True)


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, default=str, indent=2))
