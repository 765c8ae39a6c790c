"""amr spool: what the graph refused and this machine keeps, shown and dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import count, give, print_table, say
from amr_neo4j.errors import NotInMemory

if TYPE_CHECKING:
    from amr_neo4j.settings import Settings

app = App(no_args_is_help=True, help="List and drop input that Neo4j refused to store.")

_SHOWN = 60  # characters of a turn in the table


@dataclass(frozen=True)
class Refused:
    """An entry that was set aside. id: for `amr spool drop`. of: user and session, or the video."""

    id: str
    kind: str
    of: str
    reason: str
    content: str = ""


@app.command("list")
def list_(ctx: typer.Context, as_json: Json = False) -> None:
    """List the turns and clips that Neo4j refused to store, with the reasons.

    They are kept on this machine, apart from the queue, and do not hold up others.

    Examples:
      amr spool list
      amr spool list --json
    """
    give(_refused(options(ctx).settings()), as_json, _show)


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
    settings = options(ctx).settings()
    known = {entry.id: entry for entry in _refused(settings)}
    if unknown := [entry_id for entry_id in ids or () if entry_id not in known]:
        raise NotInMemory(f"no refused entry {unknown[0]}", hint="run: amr spool list")
    dropped = [known[entry_id] for entry_id in (known if every else dict.fromkeys(ids or ()))]
    for entry in dropped:
        _drop(settings, entry)
    give(dropped, as_json, lambda _: say(f"{count(len(dropped), 'entry')} dropped"))


def _refused(settings: Settings) -> list[Refused]:
    from contextlib import closing

    from amr_neo4j.domain.episode import Episode
    from amr_neo4j.spool import CLIPS_FILE, TURNS_FILE
    from amr_neo4j.spool.clips import ClipSpool
    from amr_neo4j.spool.turns import refused_turns

    folder = settings.data_dir.expanduser()
    entries: list[Refused] = []
    if (folder / TURNS_FILE).exists():
        for turn in refused_turns(folder / TURNS_FILE, settings.group):
            content = turn.episode.spoken if isinstance(turn.episode, Episode) else ""
            of = f"{turn.user_id}/{turn.session_id}"
            entries.append(Refused(f"turn:{turn.number}", "turn", of, turn.why, content))
    if (folder / CLIPS_FILE).exists():
        with closing(ClipSpool(folder / CLIPS_FILE)) as clips:
            found = clips.refused(settings.group)
        entries += [Refused(f"clip:{video}/{clip}", "clip", video, why, clip) for video, clip, why in found]
    return entries


def _drop(settings: Settings, entry: Refused) -> None:
    from contextlib import closing

    from amr_neo4j.spool import CLIPS_FILE, TURNS_FILE
    from amr_neo4j.spool.clips import ClipSpool
    from amr_neo4j.spool.turns import drop_refused_turn

    folder = settings.data_dir.expanduser()
    if entry.kind == "turn":
        drop_refused_turn(folder / TURNS_FILE, settings.group, int(entry.id.removeprefix("turn:")))
        return
    with closing(ClipSpool(folder / CLIPS_FILE)) as clips:
        clips.remove(settings.group, entry.of, entry.content)


def _show(entries: list[Refused]) -> None:
    if not entries:
        say("nothing was refused")
        return
    rows = [[entry.id, entry.of, entry.reason, entry.content[:_SHOWN]] for entry in entries]
    print_table(["id", "of", "reason", "content"], rows)
