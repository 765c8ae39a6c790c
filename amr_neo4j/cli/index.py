"""amr index: the dense index, and the vectors it is made of."""

from __future__ import annotations

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, say

app = App(help="The dense index: derived from the graph, made again at will.", no_args_is_help=True)


@app.command(epilog="Examples:  amr index status   |   amr index status --json")
def status(ctx: typer.Context, as_json: Json = False) -> None:
    """Compare the index with the graph, all groups together."""
    with options(ctx).open() as memory:
        model = memory.check_embedder()
        indexed, stored = memory.index_size()
    line = f"{indexed} vectors of {model} in the index, {stored} in the graph"
    give({"model": model, "indexed": indexed, "stored": stored}, as_json, lambda _: say(line))


@app.command(epilog="Example:  amr index rebuild")
def rebuild(ctx: typer.Context, as_json: Json = False) -> None:
    """Make the index again from the vectors in the graph. Calls no model."""
    with options(ctx).open() as memory:
        indexed = memory.rebuild_index()
    give({"indexed": indexed}, as_json, lambda _: say(f"the index holds {indexed} vectors"))


@app.command(epilog="Example:  amr --config french.yaml index reembed")
def reembed(ctx: typer.Context, as_json: Json = False) -> None:
    """Embed the group anew with the embedder of the settings, beside the one in use, then switch to it.

    Interrupted at any moment, the group keeps what it has, and a second run goes on from there.
    """
    with options(ctx).open() as memory:
        embedded = memory.reembed(progress=lambda done: note(f"{done} events embedded"))
        model = memory.check_embedder()
    line = f"{embedded} events embedded; the group is on {model}"
    give({"embedded": embedded, "model": model}, as_json, lambda _: say(line))
