"""amr db: the local database, and the schema of the database in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import count, give, note, say

if TYPE_CHECKING:
    from amr_neo4j.localdb import Status

app = App(help="Manage the local Neo4j database and the schema.", no_args_is_help=True)

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


@app.command()
def start(ctx: typer.Context, as_json: Json = False) -> None:
    """Start the local Neo4j database. Does nothing if it is running.

    The first start chooses Docker or Maven (setting local_engine) and downloads Neo4j.

    Example:
      amr db start
    """
    from amr_neo4j import localdb
    from amr_neo4j.cli.progress import doing

    with doing("starting the local database"):
        localdb.start(options(ctx).settings(), notify=note)
    status(ctx, as_json)


@app.command()
def stop(ctx: typer.Context, as_json: Json = False) -> None:
    """Stop the local database. Its data is kept.

    Example:
      amr db stop
    """
    from amr_neo4j import localdb

    localdb.stop(options(ctx).settings())
    status(ctx, as_json)


@app.command(short_help="Show the state and address of the local database.")
def status(ctx: typer.Context, as_json: Json = False) -> None:
    """Show the state of the local database, its addresses, and the file that holds the password.

    Examples:
      amr db status
      amr db status --json
    """
    from amr_neo4j import localdb

    chosen = options(ctx).settings()
    if chosen.neo4j_uri:
        note(f"NEO4J_URI is set: amr uses {chosen.neo4j_uri} instead of the local database")
    give(localdb.status(chosen), as_json, _show)


@app.command()
def destroy(ctx: typer.Context, yes: Yes = False, as_json: Json = False) -> None:
    """Stop the local database and delete it with all data.

    Examples:
      amr db destroy
      amr db destroy --yes
    """
    from amr_neo4j import localdb

    chosen = options(ctx).settings()
    now = localdb.status(chosen)
    if now.state != "absent" and not yes:
        typer.confirm(f"Delete the database in {now.home} with all data?", abort=True, err=True)
    localdb.destroy(chosen)
    status(ctx, as_json)


@app.command(short_help="Migrate the schema of the database in use.")
def migrate(ctx: typer.Context, as_json: Json = False) -> None:
    """Migrate the database in use (NEO4J_URI, else the local one) to the schema of this version.

    Missing or failed constraints and indexes are created again.

    Example:
      amr db migrate
    """
    from amr_neo4j.cli.progress import doing
    from amr_neo4j.memory import Memory

    with doing("migrating the schema"), Memory.connect(options(ctx).settings()) as memory:
        applied = memory.migrate()
        restored = memory.restore_schema()
    both = (("migrations of the schema applied", applied), ("constraints and indexes made again", restored))
    line = "; ".join(f"{what}: {', '.join(names)}" for what, names in both if names) or "schema is up to date"
    give({"uri": memory.uri, "applied": applied, "restored": restored}, as_json, lambda _: say(line))


@app.command(short_help="Print a hash of all that the group holds.")
def digest(ctx: typer.Context, as_json: Json = False) -> None:
    """Print a hash of all that the group holds.

    Equal input gives an equal hash, in whatever order and however often it was taken in.

    Examples:
      amr db digest
      amr --group demo db digest --json
    """
    with options(ctx).open() as memory:
        found = memory.digest()
    give(
        found, as_json, lambda _: say(f"{found.sha256}  {count(found.clips, 'clip')}, {count(found.events, 'event')}")
    )


def _show(now: Status) -> None:
    if now.state == "absent":
        say(f"no local database in {now.home}; to create it, run: amr db start")
        return
    pid = f", pid {now.pid}" if now.pid else ""
    say(f"{now.state} ({now.engine}{pid})")
    say(f"  Bolt      {now.uri}")
    say(f"  Browser   {now.browser_url}")
    say(f"  User      {now.username}, password in {now.password_file}")
