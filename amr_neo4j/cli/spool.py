"""amr spool: shows and drops what the graph refused and this machine keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import count, give, print_table, say
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import NotInMemory

if TYPE_CHECKING:
    from amr_neo4j.wiring.spooled import RefusedEntry

app = App(name="spool", no_args_is_help=True, help="List and drop input that Neo4j refused to store.")

_CHARACTERS_SHOWN = 60  # characters of a turn in the table


@app.command("list")
def list_(ctx: typer.Context, as_json: Json = False) -> None:
    """List the turns and clips that Neo4j refused to store, with the reasons.

    They are kept on this machine, apart from the queue, and do not hold up others.

    Examples:
      amr spool list
      amr spool list --json
    """
    from amr_neo4j.wiring.spooled import refused

    settings = options(ctx).settings()
    give(refused(settings.data_dir.expanduser(), settings.group), as_json, _show)


@app.command()
def drop(
    ctx: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Ids from amr spool list.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Drop all that the list shows.")] = False,
    as_json: Json = False,
) -> None:
    """Delete refused entries from this machine.

    To analyse a dropped clip again: amr ingest --retry-failed.

    Examples:
      amr spool drop turn:12
      amr spool drop --all
    """
    if bool(ids) == every:
        raise typer.BadParameter("name entries of amr spool list, or add --all")
    from amr_neo4j.wiring import spooled

    settings = options(ctx).settings()
    folder = settings.data_dir.expanduser()
    known = {entry.id: entry for entry in spooled.refused(folder, settings.group)}
    if unknown := [entry_id for entry_id in ids or () if entry_id not in known]:
        raise NotInMemory(f"no refused entry {unknown[0]}", hint="run: amr spool list")
    dropped = [known[entry_id] for entry_id in (known if every else dict.fromkeys(ids or ()))]
    for entry in dropped:
        spooled.drop(folder, settings.group, entry)
    give(dropped, as_json, lambda _: say(f"{count(len(dropped), 'entry')} dropped"))


def _show(entries: list[RefusedEntry]) -> None:
    rows = [[entry.id, entry.of, entry.reason, entry.content[:_CHARACTERS_SHOWN]] for entry in entries]
    print_table(["id", "of", "reason", "content"], rows, empty="nothing was refused")
