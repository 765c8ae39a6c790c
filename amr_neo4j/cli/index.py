"""amr index: the dense index and the vectors in it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import count, give, note, say
from amr_neo4j.cli.typer_app import App

if TYPE_CHECKING:
    from collections.abc import Sequence

    from amr_neo4j.vectors.capacity import Need

_MOST_VECTORS = 1e12

app = App(name="index", help="Manage the vector index, which is made from the graph.", no_args_is_help=True)


@app.command(short_help="Compare the index with the graph.")
def status(ctx: typer.Context, as_json: Json = False) -> None:
    """Compare the number of vectors in the index and in the graph, over all groups.

    Examples:
      amr index status
      amr index status --json
    """
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


@app.command(short_help="Embed now the facts that wait for a vector.")
def embed(
    ctx: typer.Context,
    retry: bool = typer.Option(False, "--retry", help="Also the facts that were given up after five failures."),
    as_json: Json = False,
) -> None:
    """Embed now the facts that wait for a vector; otherwise that happens in the background.

    Examples:
      amr index embed
      amr index embed --retry
    """
    with options(ctx).open() as memory:
        embedded = memory.embed_facts(retry=retry)
        left = memory.fact_embeddings()
    line = f"{count(embedded, 'fact')} embedded, {left.waiting} waiting, {left.failed} given up"
    give({"embedded": embedded, "waiting": left.waiting, "failed": left.failed}, as_json, lambda _: say(line))


@app.command()
def rebuild(ctx: typer.Context, as_json: Json = False) -> None:
    """Rebuild the index from the vectors in the graph. Calls no model.

    Example:
      amr index rebuild
    """
    with options(ctx).open() as memory:
        indexed = memory.rebuild_index()
    give({"indexed": indexed}, as_json, lambda _: say(f"the index holds {indexed} vectors"))


@app.command(short_help="Embed the group with another embedder.")
def reembed(
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would be embedded; change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Embed all events of the group with the embedder of the settings, then switch the group to it.

    Until the switch the group keeps its old vectors. An interrupted run can be resumed by running it again.

    Example:
      amr --config french.yaml index reembed --dry-run
      amr --config french.yaml index reembed
    """
    with options(ctx).open() as memory:
        if dry_run:
            embedded = memory.reembed(dry_run=True)
            give({"would_embed": embedded}, as_json, lambda _: say(f"{count(embedded, 'text')} would be embedded"))
            return
        embedded = memory.reembed(progress=lambda done: note(f"{done} events embedded"))
        model = memory.check_embedder()
    line = f"{embedded} events embedded; the group uses {model}"
    give({"embedded": embedded, "model": model}, as_json, lambda _: say(line))


@app.command(short_help="Compute what a number of vectors takes.")
def plan(
    events: Annotated[
        float, typer.Option("--events", metavar="N", min=1, max=_MOST_VECTORS, help="Vectors, like 1e9.")
    ],
    dim: Annotated[int, typer.Option("--dim", metavar="N", min=1, max=65_536, help="Numbers in a vector.")] = 384,
    memory_gb: Annotated[
        float, typer.Option("--memory-gb", metavar="N", min=0.001, help="Memory of a machine.")
    ] = 64.0,
    cores: Annotated[int, typer.Option("--cores", metavar="N", min=1, help="Its cores for searches.")] = 16,
    gpu_gb: Annotated[float, typer.Option("--gpu-gb", metavar="N", min=0.001, help="Memory of its GPU.")] = 80.0,
    as_json: Json = False,
) -> None:
    """Compute memory, machines and the most searches per second of each kind of index. Needs no database.

    From constants that were measured, for comparing vectors alone (docs/scale.md). A search asks every machine.

    Examples:
      amr index plan --events 1e9 --dim 1024
      amr index plan --events 5e6 --dim 384 --memory-gb 16 --cores 4 --json
    """
    from amr_neo4j.vectors.capacity import Machine, constants
    from amr_neo4j.vectors.capacity import plan as planned

    needs = planned(int(events), dim, Machine(memory_gb, cores, gpu_gb), known=constants())
    give([asdict(need) for need in needs], as_json, lambda _: _show_plan(needs))


def _show_plan(needs: Sequence[Need]) -> None:
    form = "{:<24} {:<7} {:>12} {:>9} {:>12}  {:<12} {}"
    say(form.format("kind", "in", "GB", "machines", "at most/s", "recall@10", "in this program"))
    for need in needs:
        rate = "not measured" if need.searches_per_s is None else f"{need.searches_per_s:,.2f}"
        shown = (f"{need.gb:,.1f}", f"{need.shards:,}", rate, need.recall, need.built_in)
        say(form.format(need.kind, need.where, *shown))
