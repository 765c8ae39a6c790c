"""amr chat: conversations into memory, out of it, and forgotten."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.bounds import wall_clock
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import cell, give, note, print_json, print_table, say
from amr_neo4j.errors import InputError

if TYPE_CHECKING:
    from amr_neo4j.conversations.extract import ExtractReport
    from amr_neo4j.domain.episode import ChatReport, Episode, Forgotten
    from amr_neo4j.domain.views import SessionView

app = App(no_args_is_help=True, help="Conversations: take in, rebuild, forget.")

User = Annotated[str, typer.Option(metavar="NAME", help="Whose conversation; AMR_USER unless given.")]
SessionName = Annotated[
    str, typer.Option("--session", metavar="NAME", help="Which conversation, where a file names none.")
]
ThisSession = Annotated[str, typer.Option("--session", metavar="NAME", help="Which conversation.")]
Time = Annotated[
    datetime | None,
    typer.Option(metavar="TIME", parser=wall_clock, help="When it was said, ISO 8601 with offset; now unless given."),
]
Since = Annotated[
    datetime | None, typer.Option("--since", metavar="TIME", parser=wall_clock, help="What was said from then on.")
]
AsOf = Annotated[
    datetime | None, typer.Option("--as-of", metavar="TIME", parser=wall_clock, help="What had been said by then.")
]
KnownSince = Annotated[
    datetime | None,
    typer.Option("--known-since", metavar="TIME", parser=wall_clock, help="What memory learnt from then on."),
]
KnownAt = Annotated[
    datetime | None,
    typer.Option("--known-at", metavar="TIME", parser=wall_clock, help="What memory had learnt by then."),
]
Speaker = Annotated[str, typer.Argument(metavar="SPEAKER", help="Who talks in the user's conversations.")]
Seen = Annotated[str, typer.Argument(metavar="PERSON", help="Who is in a video: a name or a description.")]
Scrub = Annotated[
    bool, typer.Option("--scrub", help="Also overwrite the words on the database's disk. Takes about 10 seconds.")
]
_SCRUBBED = (
    "overwritten on disk; the words stay in the database's transaction log until it is removed: "
    "the local database does that when it stops (amr db stop)"
)
_NOT_SCRUBBED = "the words stay in files of the database until it overwrites them; to do that now, add --scrub"
Yes = Annotated[bool, typer.Option("--yes", help="Do it: what is forgotten does not come back.")]


@app.command(
    "import",
    epilog="""\b
Examples:
  amr chat import monday.jsonl --user anna
  amr chat import talks/*.json --user anna --session planning --json""",
)
def import_(
    ctx: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Conversations.")],
    user: User = "",
    session: SessionName = "",
    as_json: Json = False,
) -> None:
    """Take in conversations: JSON lines, OpenAI's chat format, LoCoMo's JSON, plain text, or what export wrote.

    What is in memory already is not done again. A turn that cannot be taken is reported and the rest is kept; the
    exit code is 65 then.
    """
    with options(ctx).open() as memory:
        report = memory.import_chat(*files, user_id=user, session_id=session)
    _tell(report, as_json)


@app.command(
    "say",
    epilog="""\b
Examples:
  amr chat say "The keys are on the hook." --user anna --session monday
  amr chat say "Noted." --user anna --session monday --actor assistant --at 2026-03-01T09:00:00+01:00""",
)
def say_(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was said.")],
    session: ThisSession,
    user: User = "",
    actor: Annotated[str, typer.Option(metavar="NAME", help="Who said it.")] = "user",
    at: Time = None,
    as_json: Json = False,
) -> None:
    """Take in one turn, after those that the conversation has."""
    turn: dict[str, Any] = {"content": text, "actor": actor, "at": at}
    with options(ctx).open() as memory:
        report = memory.remember([turn], user_id=user, session_id=session)
    _tell(report, as_json)


@app.command(
    epilog="""\b
Examples:
  amr chat show monday --user anna
  amr chat show monday --user anna --as-of 2026-03-01T09:00:00+01:00 --known-at 2026-03-02T00:00:00Z"""
)
def show(
    ctx: typer.Context,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Which conversation.")],
    user: User = "",
    since: Since = None,
    as_of: AsOf = None,
    known_since: KnownSince = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """Rebuild a conversation as it stood at a moment."""
    with options(ctx).open() as memory:
        known = {"known_since": known_since, "known_at": known_at}
        turns = memory.conversation(session, user_id=user, since=since, as_of=as_of, **known)
    give(turns, as_json, _show_turns)


@app.command(
    epilog="""\b
Example:
  amr chat sessions --user anna"""
)
def sessions(ctx: typer.Context, user: User = "", as_json: Json = False) -> None:
    """List the conversations of a user, the latest first."""
    with options(ctx).open() as memory:
        rows = memory.sessions(user_id=user)
    give(rows, as_json, _show_sessions)


@app.command(
    epilog="""\b
Examples:
  amr chat extract --user anna
  amr chat extract --user anna --session monday --json"""
)
def extract(
    ctx: typer.Context,
    user: User = "",
    session: Annotated[str, typer.Option("--session", metavar="NAME", help="Of this conversation alone.")] = "",
    as_json: Json = False,
) -> None:
    """Take from each turn, once, what it mentions and states: by a model where one is chosen, else by rules."""
    with options(ctx).open() as memory:
        report = memory.extract(user_id=user, session_id=session or None)
    give(report, as_json, _show_extracted)


@app.command(
    epilog="""\b
Examples:
  amr chat export --user anna > anna.json
  amr chat export --user anna --session monday"""
)
def export(
    ctx: typer.Context,
    user: User = "",
    session: Annotated[str, typer.Option("--session", metavar="NAME", help="This conversation alone.")] = "",
    as_json: Json = False,
) -> None:
    """Write a user's turns, with what they mention and state, as JSON that import takes."""
    with options(ctx).open() as memory:
        give(memory.export_episodes(user, session or None), as_json, print_json)


@app.command(
    epilog="""\b
Example:
  amr chat tie Annie "girl in a red dress" --user anna"""
)
def tie(ctx: typer.Context, speaker: Speaker, person: Seen, user: User = "", as_json: Json = False) -> None:
    """Say that a speaker is a person of the videos, so that a question crosses from one to the other."""
    with options(ctx).open() as memory:
        memory.tie(speaker, person, user_id=user)
    tied = {"speaker": speaker, "person": person, "same": True}
    give(tied, as_json, lambda _: say(f"{speaker} is {person}; take it back by: amr chat untie"))


@app.command(
    epilog="""\b
Example:
  amr chat untie Annie "girl in a red dress" --user anna"""
)
def untie(ctx: typer.Context, speaker: Speaker, person: Seen, user: User = "", as_json: Json = False) -> None:
    """Take back that a speaker is a person of the videos."""
    with options(ctx).open() as memory:
        memory.untie(speaker, person, user_id=user)
    give({"speaker": speaker, "person": person, "same": False}, as_json, lambda _: say(f"{speaker} is not {person}"))


@app.command(
    epilog="""\b
Examples:
  amr chat forget --user anna --session monday --yes
  amr chat forget --user anna --yes"""
)
def forget(
    ctx: typer.Context,
    user: User = "",
    session: Annotated[str, typer.Option("--session", metavar="NAME", help="This conversation alone.")] = "",
    episode: Annotated[str, typer.Option("--episode", metavar="ID", help="This one turn alone.")] = "",
    scrub: Scrub = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget a user, a conversation or a turn: in the graph, in its indexes and in the files of amr.

    The words stay in files of the database until it writes there again: in segments of the full-text index, in freed
    records and in transaction logs. --scrub overwrites the first two; a log goes with its rotation.
    """
    if not yes:
        raise typer.BadParameter("what is forgotten does not come back: say --yes")
    with options(ctx).open() as memory:
        gone = memory.forget(user_id=user, session_id=session, episode_id=episode, scrub=scrub)
    give(gone, as_json, _show_gone)
    note(_SCRUBBED if scrub else _NOT_SCRUBBED)


def _tell(report: ChatReport, as_json: bool) -> None:
    give(report, as_json, _show_report)
    if report.rejected:
        raise typer.Exit(InputError.exit_code)


def _show_report(report: ChatReport) -> None:
    for line in report.errors:
        note(line)
    waiting = f", {report.accepted} kept for later" if report.accepted else ""
    say(f"{report.committed} turns committed{waiting}, {report.unchanged} unchanged, {report.rejected} rejected")


def _show_extracted(report: ExtractReport) -> None:
    for line in report.errors:
        note(line)
    left = f"; {report.left} left for the next run" if report.left else ""
    found = f"{report.mentions} mentions and {report.relations} relations"
    say(f"{found} from {report.episodes} turns, {report.refused} refused{left}")


def _show_turns(turns: list[Episode]) -> None:
    if not turns:
        say("nothing had been said by then")
    for turn in turns:
        say(f"{turn.turn}  {cell(turn.valid_at)}  {turn.actor}: {turn.text}")


def _show_sessions(sessions: list[SessionView]) -> None:
    if sessions:
        columns = ["session", "turns", "from", "to", "who"]
        print_table(columns, [[s.session_id, s.turns, s.first_said, s.last_said, s.actors] for s in sessions])
    else:
        say("no conversations yet")


def _show_gone(gone: Forgotten) -> None:
    kept = f", and {gone.waiting} that waited" if gone.waiting else ""
    what = f"{gone.mentions} mentions, {gone.relations} relations, {gone.facts} facts and {gone.vectors} vectors"
    say(f"{gone.episodes} turns of {gone.sessions} whole sessions forgotten{kept}; {what} with them")
