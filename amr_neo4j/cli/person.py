"""amr person: who is who, as people say."""

from __future__ import annotations

from typing import Annotated

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, say

app = App(no_args_is_help=True, help="Say that two persons are one, and take it back.")

One = Annotated[str, typer.Argument(metavar="PERSON", help="A name, a description or an identity from outside.")]
Other = Annotated[str, typer.Argument(metavar="OTHER", help="Whom that is.")]
Video = Annotated[str, typer.Option("--video", metavar="ID", help="The PERSON of this video.")]
OtherVideo = Annotated[str, typer.Option("--other-video", metavar="ID", help="The OTHER of this video.")]


@app.command(
    epilog="""\b
Examples:
  amr person merge 'girl in a black hoodie' Anna --video hall
  amr person merge face-17 Anna --json"""
)
def merge(
    ctx: typer.Context,
    one: One,
    other: Other,
    video: Video = "",
    other_video: OtherVideo = "",
    as_json: Json = False,
) -> None:
    """Say that a person is another. Every edge follows, so does what is taken in later; the words as seen stay."""
    with options(ctx).open() as memory:
        events = memory.merge_persons(one, other, video=video, other_video=other_video)
    give({"events": events}, as_json, lambda _: say(f"{one} is {other}: {events} events moved"))


@app.command(epilog="Examples:  amr person undo face-17   |   amr person undo 'girl in a black hoodie' --video hall")
def undo(ctx: typer.Context, one: One, video: Video = "", as_json: Json = False) -> None:
    """Take back that a person is another: the graph is as if nobody had said so."""
    with options(ctx).open() as memory:
        events = memory.undo_merge(one, video=video)
    give({"events": events}, as_json, lambda _: say(f"{one} stands alone again: {events} events moved"))
