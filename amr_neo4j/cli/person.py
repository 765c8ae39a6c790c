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


@app.command()
def merge(
    ctx: typer.Context,
    one: One,
    other: Other,
    video: Video = "",
    other_video: OtherVideo = "",
    as_json: Json = False,
) -> None:
    """Merge PERSON into OTHER.

    Edges of stored events and of events taken in later go to OTHER; the words of the events stay.

    Examples:
      amr person merge 'girl in a black hoodie' Anna --video hall
      amr person merge face-17 Anna --json
    """
    with options(ctx).open() as memory:
        events = memory.merge_persons(one, other, video=video, other_video=other_video)
    give({"events": events}, as_json, lambda _: say(f"{one} is {other}: {count(events, 'event')} moved"))


@app.command()
def name(
    ctx: typer.Context,
    voice: Annotated[str, typer.Argument(metavar="VOICE", help="A voice of a video, such as 'voice 1'.")],
    person: Annotated[str, typer.Argument(metavar="NAME", help="Whose voice it is.")],
    video: Video = "",
    as_json: Json = False,
) -> None:
    """Say whose VOICE it is.

    Where the setting voices says that the group remembers voices, NAME is recognised in later films.
    amr person undo VOICE takes it back.

    Examples:
      amr person name 'voice 1' Anna --video talk
    """
    with options(ctx).open() as memory:
        events = memory.name_voice(voice, person, video=video)
    give({"events": events}, as_json, lambda _: say(f"{voice} is {person}: {count(events, 'event')} moved"))


@app.command()
def undo(ctx: typer.Context, one: One, video: Video = "", as_json: Json = False) -> None:
    """Undo a merge: the graph is as if it had never been made.

    Examples:
      amr person undo face-17
      amr person undo 'girl in a black hoodie' --video hall
    """
    with options(ctx).open() as memory:
        events = memory.undo_merge(one, video=video)
    give(
        {"events": events},
        as_json,
        lambda _: say(f"{one} is a person of their own again: {count(events, 'event')} moved"),
    )
