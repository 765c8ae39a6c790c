"""amr chat live: a conversation at the terminal, with what is understood of each turn."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import typer

from amr_neo4j.cli.chat import ThisSession, User, app
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import note, print_json_line, say

if TYPE_CHECKING:
    from amr_neo4j.live_chat.session import LiveTurn

_HOW = 'Type a turn and press Enter; begin with "assistant:" for a turn of the assistant. Ctrl-D ends.'


@app.command()
def live(ctx: typer.Context, session: ThisSession, user: User = "", as_json: Json = False) -> None:
    """Talk as a user at the terminal; see the facts read and recalled.

    A line is a turn; one that begins with "assistant:" is the assistant's. End with Ctrl-D. The turns are stored.
    Below each: its intent and language, + a fact that was read, - one that no longer holds, what would be put into
    the assistant's prompt, and milliseconds by stage.

    Examples:
      amr chat live --user anna --session monday
      echo "I live in Seattle." | amr chat live --user anna --session monday --json
    """
    prompt = not as_json and sys.stdin.isatty()
    if prompt:
        note("opening memory ...")
    with options(ctx).open() as memory:
        chat = memory.chat(user_id=user, session_id=session)
        if prompt:
            note(_HOW)
        speaker = user or memory.settings.user
        for line in _lines(prompt=prompt):
            actor, text = ("assistant", line[10:].strip()) if line.startswith("assistant:") else (speaker, line)
            turn = chat.observe(text, actor=actor)
            print_json_line(turn) if as_json else _show_turn(turn)
        p95 = chat.metrics.p95()
    if p95 and not as_json:
        note(f"p95 of all turns in ms: {_by_stage(p95)}")


def _lines(*, prompt: bool) -> Iterator[str]:
    """The lines of standard input that are not blank."""
    while True:
        if prompt:
            print("> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


def _show_turn(turn: LiveTurn) -> None:
    if turn.understood is None:
        say("  stored; facts are read from the user's turns alone")
        return
    understood = turn.understood
    say(f"  {understood.intent.value.lower().replace('_', ' ')} ({understood.language})")
    for fact in understood.facts:
        hedged = ", hedged" if fact.hedged else ""
        say(f"  + {' | '.join(fact.triple)}  (confidence {fact.confidence:.2f}{hedged})")
    for triple in understood.retracted:
        say(f"  - {' | '.join(part or 'any' for part in triple)}")
    for hint in turn.hints:
        say(f"  prompt: {hint.text}  (score {hint.score:.2f})")
    say(f"  ms: {_by_stage(turn.milliseconds)}")


def _by_stage(milliseconds: Mapping[str, float]) -> str:
    return ", ".join(f"{stage} {value:.1f}" for stage, value in milliseconds.items())
