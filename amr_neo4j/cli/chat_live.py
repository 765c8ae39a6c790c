"""amr chat live and amr chat facts: what is understood of a conversation as it happens, and what is believed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.chat import ThisSession, User, Yes, app
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import cell, give, note, print_json_line, print_table, say
from amr_neo4j.domain.fact import fact_id

if TYPE_CHECKING:
    from amr_neo4j.domain.fact import Fact
    from amr_neo4j.hotpath.session import LiveTurn

Subject = Annotated[str, typer.Option("--subject", metavar="WORD", help='Of whom or what; "you" for the user.')]
Relation = Annotated[str, typer.Option("--relation", metavar="NAME", help="Such as lives_in.")]


@app.command(
    epilog="""\b
Examples:
  amr chat live --user anna --session monday
  echo "I live in Seattle." | amr chat live --user anna --session monday --json"""
)
def live(ctx: typer.Context, session: ThisSession, user: User = "", as_json: Json = False) -> None:
    """Type the turns of a user; shows what was understood, what would be injected, and the milliseconds.

    A line is a turn; one that begins with "assistant:" is the assistant's. End with Ctrl-D. Turns are kept.
    """
    with options(ctx).open() as memory:
        chat = memory.chat(user_id=user, session_id=session)
        for line in _lines(prompt=not as_json):
            actor, text = ("assistant", line[10:].strip()) if line.startswith("assistant:") else ("user", line)
            turn = chat.observe(text, actor=actor)
            print_json_line(turn) if as_json else _show_turn(turn)
        p95 = chat.metrics.p95()
    if p95 and not as_json:
        note("p95 in ms: " + ", ".join(f"{stage} {value:.1f}" for stage, value in p95.items()))


@app.command(
    epilog="""\b
Examples:
  amr chat facts --user anna
  amr chat facts --user anna --subject you --relation lives_in --history"""
)
def facts(
    ctx: typer.Context,
    user: User = "",
    subject: Subject = "",
    relation: Relation = "",
    history: Annotated[bool, typer.Option("--history", help="Also what was replaced or taken back.")] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 100,
    as_json: Json = False,
) -> None:
    """List what is believed of a user, the latest first, with how often it was stated."""
    with options(ctx).open() as memory:
        found = memory.facts(user_id=user, subject=subject, relation=relation, history=history, limit=limit)
    give(found, as_json, _show_facts)


@app.command(
    "forget-facts",
    epilog="""\b
Examples:
  amr chat forget-facts --user anna --subject you --relation lives_in --yes
  amr chat forget-facts --user anna --subject tom --yes""",
)
def forget_facts(
    ctx: typer.Context,
    subject: Subject,
    user: User = "",
    relation: Relation = "",
    object_: Annotated[str, typer.Option("--object", metavar="WORDS", help="This one fact alone.")] = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget facts for good; the turns that state them stay (amr chat forget deletes those)."""
    if not yes:
        raise typer.BadParameter("what is forgotten does not come back: say --yes")
    with options(ctx).open() as memory:
        gone = memory.forget_facts(user_id=user, subject=subject, relation=relation, object=object_)
    give({"facts": gone}, as_json, lambda _: say(f"{gone} facts forgotten"))


def _lines(*, prompt: bool) -> Iterator[str]:
    """The lines of standard input that are not blank, with a prompt at a terminal."""
    asks = prompt and sys.stdin.isatty()
    while True:
        if asks:
            print("> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def _show_turn(turn: LiveTurn) -> None:
    if turn.understood is None:
        say("  kept; states nothing of the user")
        return
    understood = turn.understood
    say(f"  {understood.intent.value.lower()}, {understood.language}")
    for fact in understood.facts:
        hedged = ", hedged" if fact.hedged else ""
        say(f"  + {' | '.join(fact.triple)}  ({fact.confidence:.2f}{hedged})")
    for triple in understood.retracted:
        say(f"  - {' | '.join(part or '*' for part in triple)}")
    for hint in turn.hints:
        say(f"  • {hint.text}  ({hint.score:.2f})")
    say("  " + ", ".join(f"{stage} {value:.1f}" for stage, value in turn.milliseconds.items()) + " ms")


def _show_facts(facts: list[Fact]) -> None:
    if not facts:
        say("no facts yet")
        return
    columns = ["id", "fact", "since", "last said", "times", "status"]
    rows = [
        [fact_id(f.triple)[:8], f.text, cell(f.first_said), cell(f.last_said), f.evidence_count, _status(f)]
        for f in facts
    ]
    print_table(columns, rows)


def _status(fact: Fact) -> str:
    return f"{fact.status}: now {fact.replaced_by}" if fact.replaced_by else fact.status
