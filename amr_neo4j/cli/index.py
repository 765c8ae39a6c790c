"""amr index: the dense index and the vectors in it."""

from __future__ import annotations

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import count, give, note, say

app = App(help="Manage the vector index, which is made from the graph.", no_args_is_help=True)


@app.command(
    short_help="Compare the index with the graph.",
    epilog="""\b
Examples:
  amr index status
  amr index status --json""",
)
def status(ctx: typer.Context, as_json: Json = False) -> None:
    """Compare the number of vectors in the index and in the graph, over all groups."""
    with options(ctx).open() as memory:
        model = memory.check_embedder()
        indexed, stored = memory.index_size()
        facts = memory.fact_embeddings()
    lines = [f"{indexed} vectors of {model} in the index, {stored} in the graph"]
    if facts.waiting or facts.failed:
        lines.append(
            f"{facts.waiting} facts wait for a vector, {facts.failed} were given up: amr index embed --retry"
        )
        lines += [f"  {text}: {why}" for _, text, why in facts.reasons]
    found = {"model": model, "indexed": indexed, "stored": stored}
    found |= {"facts_waiting": facts.waiting, "facts_failed": facts.failed}
    give(found, as_json, lambda _: say("\n".join(lines)))


@app.command(
    short_help="Embed now the facts that wait for a vector.",
    epilog="""\b
Examples:
  amr index embed
  amr index embed --retry""",
)
def embed(
    ctx: typer.Context,
    retry: bool = typer.Option(False, "--retry", help="Also the facts that were given up after five failures."),
    as_json: Json = False,
) -> None:
    """Embed now the facts that wait for a vector; otherwise that happens in the background."""
    with options(ctx).open() as memory:
        embedded = memory.embed_facts(retry=retry)
        left = memory.fact_embeddings()
    line = f"{count(embedded, 'fact')} embedded, {left.waiting} waiting, {left.failed} given up"
    give({"embedded": embedded, "waiting": left.waiting, "failed": left.failed}, as_json, lambda _: say(line))


@app.command(
    epilog="""\b
Example:
  amr index rebuild"""
)
def rebuild(ctx: typer.Context, as_json: Json = False) -> None:
    """Rebuild the index from the vectors in the graph. Calls no model."""
    with options(ctx).open() as memory:
        indexed = memory.rebuild_index()
    give({"indexed": indexed}, as_json, lambda _: say(f"the index holds {indexed} vectors"))


@app.command(
    short_help="Embed the group with another embedder.",
    epilog="""\b
Example:
  amr --config french.yaml index reembed""",
)
def reembed(ctx: typer.Context, as_json: Json = False) -> None:
    """Embed all events of the group with the embedder of the settings, then switch the group to it.

    Until the switch the group keeps its old vectors. An interrupted run can be resumed by running it again.
    """
    with options(ctx).open() as memory:
        embedded = memory.reembed(progress=lambda done: note(f"{done} events embedded"))
        model = memory.check_embedder()
    line = f"{embedded} events embedded; the group uses {model}"
    give({"embedded": embedded, "model": model}, as_json, lambda _: say(line))
