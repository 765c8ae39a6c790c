"""amr db and amr browser: the local database, the schema of the database in use, and Neo4j Browser on it."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import SplitResult, urlencode, urlsplit

import typer

from amr_neo4j.cli.options import Confirmed, Json, options, terminated_as_interrupted
from amr_neo4j.cli.printing import count, give, note, print_fields, say
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import ConfigError

if TYPE_CHECKING:
    from amr_neo4j.localdb import Backup, Connection, Status
    from amr_neo4j.settings import Settings

_BROWSER_PORT = 7474  # Neo4j's default

app = App()
db_app = App(name="db", help="Manage the local Neo4j database and the schema.", no_args_is_help=True)

ShowPassword = Annotated[
    bool, typer.Option("--show-password", help="Print the password itself instead of where it is stored.")
]
BackupFile = Annotated[Path, typer.Argument(help="The file of the backup.")]


@db_app.command()
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


@db_app.command()
def stop(ctx: typer.Context, as_json: Json = False) -> None:
    """Stop the local database. Its data is kept.

    Example:
      amr db stop
    """
    from amr_neo4j import localdb

    localdb.stop(options(ctx).settings())
    status(ctx, as_json)


@db_app.command(short_help="Show the state and address of the local database.")
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


@db_app.command(short_help="Make the database files in a data folder its own.")
def adopt(ctx: typer.Context, as_json: Json = False) -> None:
    """Make the database files in a data folder its own, with the data that they hold.

    A copied folder is refused until then: its settings lead to the database of the original. So are files of another
    database that were put into the folder. Copy a folder while its database is stopped (amr db stop). A folder that
    was moved needs no adoption.

    Example:
      amr db adopt
    """
    from amr_neo4j import localdb

    localdb.adopt(options(ctx).settings())
    status(ctx, as_json)


@db_app.command(short_help="Write the local database and the data folder to a file.")
def backup(ctx: typer.Context, file: BackupFile, as_json: Json = False) -> None:
    """Write the local database, the queues and the films of live sources to one file, with the digest of each.

    A running database is stopped for it and started again; turns said in between wait and are committed then.
    Indexes are left out: they are rebuilt from the database. The file holds all that memory knows, unencrypted.

    Example:
      amr db backup memory.amr
    """
    from amr_neo4j import localdb
    from amr_neo4j.cli.progress import doing

    with terminated_as_interrupted(), doing("backing up"):
        made = localdb.backup(options(ctx).settings(), file, notify=note)
    give(made, as_json, _show_backup)


@db_app.command(short_help="Unpack a backup into a data folder without a database, and start it.")
def restore(ctx: typer.Context, file: BackupFile, as_json: Json = False) -> None:
    """Make the database and the files of a backup those of this data folder, on this or another machine.

    The folder must have no database yet. A damaged backup is refused before anything is written.

    Example:
      AMR_DATA_DIR=/srv/memory amr db restore memory.amr
    """
    from amr_neo4j import localdb
    from amr_neo4j.cli.progress import doing

    with terminated_as_interrupted(), doing("restoring"):
        made = localdb.restore(options(ctx).settings(), file, notify=note)
    give(made, as_json, _show_backup)


@db_app.command()
def destroy(ctx: typer.Context, yes: Confirmed = False, as_json: Json = False) -> None:
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


@db_app.command(short_help="Migrate the schema of the database in use.")
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


@db_app.command(short_help="Print a hash of all that the group holds.")
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


@app.command(short_help="Open Neo4j Browser and print its login.")
def browser(ctx: typer.Context, show_password: ShowPassword = False, as_json: Json = False) -> None:
    """Open Neo4j Browser on the database in use, and print its address and login.

    Also printed: the style sheet and the saved scripts, to be dragged into Browser, and the folder of analytics
    queries, to be dragged or pasted. Without a display, or with --json, nothing is opened. It goes to the database
    itself, and so not to a server of --server.

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


def _show_backup(made: Backup) -> None:
    say(f"{made.file}  {made.bytes / 1e6:.1f} MB, the database and {count(made.files, 'file')}, sha256 {made.sha256}")


def _show(now: Status) -> None:
    if now.state == "absent":
        say(f"no local database in {now.home}; to create it, run: amr db start")
        return
    if now.state == "copy":
        say(f"{now.home} is a copy of another folder; to give it a database of its own, run: amr db adopt")
        return
    pid = f", pid {now.pid}" if now.pid else ""
    say(f"{now.state} ({now.engine}{pid})")
    say(f"  Bolt      {now.uri}")
    say(f"  Browser   {now.browser_url}")
    say(f"  User      {now.username}, password in {now.password_file}")


def _address(where: Connection) -> str:
    """Return the URL of Browser, with the login but without the password.

    Raises ConfigError: invalid Neo4j address.
    """
    uri, host = _split(where.uri)
    server = uri.netloc.rpartition("@")[2]
    # An IPv6 address stands in brackets in a URL.
    page = where.browser_url or f"http://{f'[{host}]' if ':' in host else host}:{_BROWSER_PORT}/browser/"
    # Neo4j Browser fills in its login form from these parameters.
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
    """Return where the password is stored. The password itself would stay in the terminal's scrollback."""
    from amr_neo4j import localdb

    return "see NEO4J_PASSWORD" if chosen.neo4j_uri else f"see {localdb.status(chosen).password_file}"


def _has_display() -> bool:
    # On Linux without a display, webbrowser may start a text browser, which takes over the terminal.
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
