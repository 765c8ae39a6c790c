"""amr person: who is who, as people say."""

from __future__ import annotations

from typing import Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import count, give, say
from amr_neo4j.cli.typer_app import App

app = App(name="person", no_args_is_help=True, help="Merge two persons into one, name a voice, and undo that.")

One = Annotated[str, typer.Argument(metavar="PERSON", help="A name, a description or an external id.")]
Other = Annotated[
    str, typer.Argument(metavar="OTHER", help="The person that it is: a name, a description or an external id.")
]
Video = Annotated[
    str,
    typer.Option("--video", metavar="ID", help="Video that PERSON is in, if several have one of this description."),
]
OtherVideo = Annotated[
    str,
    typer.Option(
        "--other-video", metavar="ID", help="Video that OTHER is in, if several have one of this description."
    ),
]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Count the events that would move; change nothing.")]


@app.command()
def merge(
    ctx: typer.Context,
    one: One,
    other: Other,
    video: Video = "",
    other_video: OtherVideo = "",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Merge PERSON into OTHER.

    Edges of stored events and of events taken in later go to OTHER; the words of the events stay.

    Examples:
      amr person merge 'girl in a black hoodie' Anna --video hall
      amr person merge face-17 Anna --json
    """
    with options(ctx).open() as memory:
        events = memory.merge_persons(one, other, video=video, other_video=other_video, dry_run=dry_run)
    _give_moved(events, f"{one} is {other}", dry_run=dry_run, as_json=as_json)


@app.command()
def name(
    ctx: typer.Context,
    voice: Annotated[str, typer.Argument(metavar="VOICE", help="A voice of a video, such as 'voice 1'.")],
    person: Annotated[str, typer.Argument(metavar="NAME", help="Whose voice it is.")],
    video: Video = "",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say whose VOICE it is.

    Where the setting voices says that the group remembers voices, NAME is recognised in later films.
    amr person undo VOICE takes it back.

    Examples:
      amr person name 'voice 1' Anna --video talk
    """
    with options(ctx).open() as memory:
        events = memory.name_voice(voice, person, video=video, dry_run=dry_run)
    _give_moved(events, f"{voice} is {person}", dry_run=dry_run, as_json=as_json)


@app.command()
def undo(ctx: typer.Context, one: One, video: Video = "", dry_run: DryRun = False, as_json: Json = False) -> None:
    """Undo a merge: the graph is as if it had never been made.

    Examples:
      amr person undo face-17
      amr person undo 'girl in a black hoodie' --video hall
    """
    with options(ctx).open() as memory:
        events = memory.undo_merge(one, video=video, dry_run=dry_run)
    _give_moved(events, f"{one} is a person of their own again", dry_run=dry_run, as_json=as_json)


def _give_moved(events: int, now: str, *, dry_run: bool, as_json: bool) -> None:
    """Print how many events moved. now: who is who after that."""
    moved = (
        f"{count(events, 'event')} would move; nothing was changed"
        if dry_run
        else f"{now}: {count(events, 'event')} moved"
    )
    give({"events": events}, as_json, lambda _: say(moved))
