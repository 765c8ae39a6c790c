"""amr db: the local database, and the schema of whichever database is in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, say

if TYPE_CHECKING:
    from amr_neo4j.localdb import Status

app = App(help="The database: a Neo4j on this machine, and its schema.", no_args_is_help=True)

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.command(epilog="Example:  amr db start")
def start(ctx: typer.Context, as_json: Json = False) -> None:
    """Start the local database; the first time, choose Docker or Maven, and fetch what is missing.

    Where it is started already, nothing changes.
    """
    from amr_neo4j import localdb

    localdb.start(options(ctx).settings(), notify=note)
    status(ctx, as_json)


@app.command(epilog="Example:  amr db stop")
def stop(ctx: typer.Context, as_json: Json = False) -> None:
    """Stop the local database; its data stays."""
    from amr_neo4j import localdb

    localdb.stop(options(ctx).settings())
    status(ctx, as_json)


@app.command(epilog="Examples:  amr db status   |   amr db status --json")
def status(ctx: typer.Context, as_json: Json = False) -> None:
    """Show how the local database is: its state, where it answers, and which file holds the password."""
    from amr_neo4j import localdb

    chosen = options(ctx).settings()
    if chosen.neo4j_uri:
        note(f"NEO4J_URI is set, so amr uses {chosen.neo4j_uri} instead of the local database.")
    give(localdb.status(chosen), as_json, _show)


@app.command(epilog="Examples:  amr db destroy   |   amr db destroy --yes")
def destroy(ctx: typer.Context, yes: Yes = False, as_json: Json = False) -> None:
    """Stop the local database and remove it with everything in it."""
    from amr_neo4j import localdb

    chosen = options(ctx).settings()
    now = localdb.status(chosen)
    if now.state != "absent" and not yes:
        typer.confirm(f"Remove the database in {now.home} with everything in it?", abort=True, err=True)
    localdb.destroy(chosen)
    status(ctx, as_json)


@app.command(epilog="Example:  amr db migrate")
def migrate(ctx: typer.Context, as_json: Json = False) -> None:
    """Bring the database in use (NEO4J_URI, else the local one) to this version's schema.

    Constraints and indexes that were dropped or have failed are made again.
    """
    from amr_neo4j.memory import Memory

    with Memory.connect(options(ctx).settings()) as memory:
        applied = memory.migrate()
        restored = memory.restore_schema()
    done = [f"{verb} {', '.join(names)}" for verb, names in (("applied", applied), ("restored", restored)) if names]
    line = "; ".join(done) or "the schema is up to date"
    give({"uri": memory.uri, "applied": applied, "restored": restored}, as_json, lambda _: say(line))


@app.command(epilog="Examples:  amr db digest   |   amr --group demo db digest --json")
def digest(ctx: typer.Context, as_json: Json = False) -> None:
    """Hash all that the group holds: equal where the same went in, in whatever order and however often."""
    with options(ctx).open() as memory:
        found = memory.digest()
    give(found, as_json, lambda _: say(f"{found.sha256}  {found.clips} clips, {found.events} events"))


def _show(now: Status) -> None:
    if now.state == "absent":
        say(f"no local database in {now.home}; amr db start makes one")
        return
    pid = f", pid {now.pid}" if now.pid else ""
    say(f"{now.state} ({now.engine}{pid})")
    say(f"  Bolt      {now.uri}")
    say(f"  Browser   {now.browser_url}")
    say(f"  user      {now.username}, password in {now.password_file}")
