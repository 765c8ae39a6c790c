"""amr person: who is who, as people say."""

from __future__ import annotations

from typing import Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import count, give, say
from amr_neo4j.cli.typer_app import App

app = App(name="person", no_args_is_help=True, help="Merge two persons, split a name, name somebody, and undo that.")

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
def split(
    ctx: typer.Context,
    one: Annotated[str, typer.Argument(metavar="PERSON", help="A name or an external id.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Who that is in the video; a new name is made.")],
    video: Annotated[str, typer.Option("--video", metavar="ID", help="Video in which PERSON is OTHER.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that PERSON is OTHER in one video, where two people have one name.

    Edges of its events, and of events taken in later, go to OTHER; the words of the events stay.
    amr person undo PERSON --video ID takes it back.

    Examples:
      amr person split Anna 'Anna Lee' --video office
    """
    with options(ctx).open() as memory:
        events = memory.split_person(one, other, video=video, dry_run=dry_run)
    _give_moved(events, f"{one} is {other} in {video}", dry_run=dry_run, as_json=as_json)


@app.command()
def name(
    ctx: typer.Context,
    one: Annotated[
        str, typer.Argument(metavar="PERSON", help="A description, an external id, or a voice such as 'voice 1'.")
    ],
    person: Annotated[str, typer.Argument(metavar="NAME", help="Who that is.")],
    video: Video = "",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say the name of PERSON.

    Where the setting voices says that the group remembers voices, NAME is recognised in later films by a voice.
    amr person undo PERSON takes it back.

    Examples:
      amr person name 'voice 1' Anna --video talk
      amr person name 'girl in a black hoodie' Anna --video hall
    """
    with options(ctx).open() as memory:
        events = memory.name_person(one, person, video=video, dry_run=dry_run)
    _give_moved(events, f"{one} is {person}", dry_run=dry_run, as_json=as_json)


@app.command()
def undo(ctx: typer.Context, one: One, video: Video = "", dry_run: DryRun = False, as_json: Json = False) -> None:
    """Undo a merge or a split: the graph is as if it had never been made.

    A split needs the video.

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
