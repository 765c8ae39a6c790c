"""amr facts: what is believed and why, and how a person puts it right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.chat import User
from amr_neo4j.cli.chat_live import facts as list_facts
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import cell, give, print_fields, print_section, say

if TYPE_CHECKING:
    from amr_neo4j.domain.belief import FactLink, FactView

app = App(no_args_is_help=True, help="What is believed of a user and why; put it right.")
_LISTED = "Examples:  amr facts list --user anna   |   amr facts list --user anna --history"
app.command("list", epilog=_LISTED)(list_facts)

FactId = Annotated[str, typer.Argument(metavar="ID", help="The id of a fact, or its beginning: amr facts list.")]


@app.command(epilog="Examples:  amr facts show 3f2a --user anna")
def show(ctx: typer.Context, fact: FactId, user: User = "", as_json: Json = False) -> None:
    """Show a fact with the turns it rests on, what it replaced and what became of it."""
    with options(ctx).open() as memory:
        found = memory.fact(fact, user_id=user)
    give(found, as_json, _show)


@app.command(epilog="Examples:  amr facts undo 3f2a --user anna")
def undo(ctx: typer.Context, fact: FactId, user: User = "", as_json: Json = False) -> None:
    """Believe a fact again that was replaced, merged or given up. Runs do not retire it for the same reason again."""
    with options(ctx).open() as memory:
        found = memory.restore_fact(fact, user_id=user)
    give(found, as_json, lambda fact: say(f"believed again: {fact.text}"))


@app.command(epilog="Examples:  amr facts pin 3f2a --user anna   |   amr facts pin 3f2a --user anna --off")
def pin(
    ctx: typer.Context,
    fact: FactId,
    user: User = "",
    off: Annotated[bool, typer.Option("--off", help="No longer.")] = False,
    as_json: Json = False,
) -> None:
    """Keep a fact: it does not decay, and no run retires it."""
    with options(ctx).open() as memory:
        found = memory.pin_fact(fact, user_id=user, pinned=not off)
    give(found, as_json, lambda fact: say(f"{'pinned' if fact.pinned else 'no longer pinned'}: {fact.text}"))


@app.command(epilog="Examples:  amr facts correct 3f2a Ghent --user anna")
def correct(
    ctx: typer.Context,
    fact: FactId,
    object_: Annotated[str, typer.Argument(metavar="WORDS", help="What it should say in place of its object.")],
    user: User = "",
    as_json: Json = False,
) -> None:
    """Put a fact right; the corrected one is pinned, the other stays with what took its place."""
    with options(ctx).open() as memory:
        found = memory.correct_fact(fact, object_, user_id=user)
    give(found, as_json, lambda fact: say(f"{fact.fact_id[:8]}  {fact.text}"))


def _show(fact: FactView) -> None:
    say(fact.text)
    print_fields(
        {
            "id": fact.fact_id,
            "triple": " | ".join(fact.triple),
            "status": f"{fact.status}: now {fact.replaced_by}" if fact.replaced_by else fact.status,
            "confidence": f"{fact.confidence:.2f}",
            "evidence": fact.evidence_count,
            "category": fact.category,
            "said": f"{cell(fact.first_said)} to {cell(fact.last_said)}",
            "marks": [name for name in ("pinned", "flagged") if getattr(fact, name)],
        }
    )
    turns = [
        [cell(t.at), t.actor, t.text[:100], "" if t.similarity is None else f"{t.similarity:.2f}"] for t in fact.turns
    ]
    print_section("turns", ["at", "actor", "text", "similarity"], turns)
    links = [[_link(link), link.fact_id[:8], link.text, link.resolution, cell(link.at)] for link in fact.links]
    print_section("other facts", ["", "id", "fact", "resolution", "at"], links)


def _link(link: FactLink) -> str:
    words = {
        "CONTRADICTS": ("contradicts", "contradicted by"),
        "MERGED_INTO": ("merged into", "has taken in"),
        "DISTINCT_FROM": ("is not", "is not"),
    }
    return words.get(link.link, (link.link, link.link))[not link.outward]
