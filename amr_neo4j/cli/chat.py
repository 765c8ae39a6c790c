"""amr chat: conversations into memory, shown and forgotten."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.forget import note_what_is_left, require_yes
from amr_neo4j.cli.options import Cursor, DryRun, Json, OfUser, Scrub, Yes, at_most, options, time_option
from amr_neo4j.cli.printing import (
    cell,
    count,
    give,
    note,
    print_json,
    print_json_line,
    print_section,
    print_table,
    say,
)
from amr_neo4j.cli.typer_app import App
from amr_neo4j.domain.page import each_page
from amr_neo4j.errors import InputError

if TYPE_CHECKING:
    from amr_neo4j import ExtractReport, LiveTurn
    from amr_neo4j.domain.episode import ChatReport, Episode, Forgotten
    from amr_neo4j.domain.mention import Mention, Relation
    from amr_neo4j.domain.views import SessionView

_HOW = 'Type a turn and press Enter; begin with "assistant:" for a turn of the assistant. Ctrl-D ends.'

app = App(name="chat", no_args_is_help=True, help="Take in, show and forget conversations; talk live.")

ThisSession = Annotated[str, typer.Option("--session", metavar="NAME", help="Id of the conversation.")]
OnlySession = Annotated[str, typer.Option("--session", metavar="NAME", help="Only this conversation.")]
At = Annotated[datetime | None, time_option("--at", "When it was said, ISO 8601. Default: now.")]
Since = Annotated[datetime | None, time_option("--since", "Only what was said at this time or later.")]
AsOf = Annotated[datetime | None, time_option("--as-of", "Only what had been said by this time.")]
KnownSince = Annotated[
    datetime | None, time_option("--known-since", "Only what memory learnt at this time or later.")
]
KnownAt = Annotated[datetime | None, time_option("--known-at", "Only what memory had learnt by this time.")]
Mentions = Annotated[bool, typer.Option("--mentions", help="Also what the turns mention and state.")]
Speaker = Annotated[str, typer.Argument(metavar="SPEAKER", help="A speaker in the user's conversations.")]
Seen = Annotated[str, typer.Argument(metavar="PERSON", help="A person in a video: a name or a description.")]


@app.command("import")
def import_(
    ctx: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Conversations.")],
    user: OfUser = "",
    session: Annotated[
        str, typer.Option("--session", metavar="NAME", help="Id of the conversation, where a file names none.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Take in conversations from files.

    JSON lines, OpenAI's chat format, LoCoMo's JSON, plain text ("Anna: good morning"), or what Memory.export_episodes
    wrote; amr import takes in what amr export wrote. Turns that are stored already stay unchanged. Exits with code 65
    if a turn was rejected; the others are kept. Facts are read from the turns by amr chat extract, or by the next run
    of amr consolidate.

    Examples:
      amr chat import monday.jsonl --user anna
      amr chat import talks/*.json --user anna --session planning --json
    """
    with options(ctx).open() as memory:
        report = memory.import_chat(*files, user_id=user, session_id=session)
        unread = memory.unread_turns(user_id=user) if report.committed else 0
        whose = user or memory.settings.user
    give(report, as_json, _show_report)
    if unread:
        note(reading_advice(unread, whose))
    _exit(report)


@app.command("say")
def say_(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was said.")],
    session: ThisSession,
    user: OfUser = "",
    actor: Annotated[str, typer.Option(metavar="NAME", help="Who said it. Default: the user.")] = "",
    at: At = None,
    turn_id: Annotated[
        str,
        typer.Option("--turn-id", metavar="ID", help="Your id of it: it is stored once."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Take in one turn, as the last of a conversation.

    Facts are read from it by amr chat extract or amr consolidate; amr chat live reads them at once.
    With --turn-id, or with --at, a command that is repeated stores nothing twice.

    Examples:
      amr chat say "The keys are on the hook." --user anna --session monday
      amr chat say "Noted." --user anna --session monday --actor assistant --at 2026-03-01T09:00:00+01:00
    """
    with options(ctx).open() as memory:
        turn: dict[str, Any] = {"content": text, "at": at, "turn_id": turn_id}
        turn["actor"] = actor or user or memory.settings.user or "user"
        report = memory.remember([turn], user_id=user, session_id=session)
    give(report, as_json, _show_report)
    _exit(report)


@app.command()
def show(
    ctx: typer.Context,
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Id of the conversation: amr chat sessions.")],
    user: OfUser = "",
    since: Since = None,
    as_of: AsOf = None,
    known_since: KnownSince = None,
    known_at: KnownAt = None,
    mentions: Mentions = False,
    limit: Annotated[int, at_most("turns")] = 1000,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """Show a conversation, now or as it stood at a time.

    Examples:
      amr chat show monday --user anna
      amr chat show monday --user anna --as-of 2026-03-01T09:00:00+01:00 --known-at 2026-03-02T00:00:00Z
      amr chat show monday --user anna --mentions
    """
    with options(ctx).open() as memory:
        known = {"known_since": known_since, "known_at": known_at}
        page: dict[str, Any] = {"limit": limit, "cursor": cursor}
        turns = memory.conversation(session, user_id=user, since=since, as_of=as_of, **known, **page)
        whose: dict[str, Any] = {"user_id": user, "session_id": session, "as_of": as_of, "known_at": known_at}
        shown = {each.turn for each in turns}
        found = [each for each in each_page(memory.mentions, whose) if each.turn in shown] if mentions else []
        stated = [each for each in each_page(memory.relations, whose) if each.turn in shown] if mentions else []
    if not mentions:
        give(turns, as_json, _show_turns)
    elif as_json:
        print_json({"turns": turns, "mentions": found, "relations": stated})
    else:
        give(turns, False, lambda _: _show_mentions(turns, found, stated))


@app.command()
def sessions(
    ctx: typer.Context,
    user: OfUser = "",
    limit: Annotated[int, at_most("conversations")] = 1000,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """List a user's conversations, latest first.

    Example:
      amr chat sessions --user anna
    """
    with options(ctx).open() as memory:
        rows = memory.sessions(user_id=user, limit=limit, cursor=cursor)
    give(rows, as_json, _show_sessions)


@app.command()
def extract(
    ctx: typer.Context,
    user: OfUser = "",
    session: OnlySession = "",
    again: Annotated[bool, typer.Option("--again", help="A model also reads what rules have read.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say how many turns it is, and the cost.")] = False,
    as_json: Json = False,
) -> None:
    """Extract the mentions, relations and facts of each turn.

    Mentions and relations by a model if a provider is chosen, else by rules; facts by rules.
    Turns that were extracted before are skipped. With --again, what the model finds in a turn replaces the mentions
    and relations that rules found there; the cost is said before.

    Examples:
      amr chat extract --user anna
      amr chat extract --user anna --session monday --json
      amr chat extract --user anna --again --dry-run
    """
    from amr_neo4j.cli.progress import doing

    given = options(ctx)
    whose: dict[str, Any] = {"user_id": user, "session_id": session or None, "again": again}
    reading = f"reading the turns of {session or user or given.settings().user}"
    with doing(reading), given.open() as memory:
        if again and not dry_run:
            note(_would_read(memory.extract(**whose, dry_run=True)))
        report = memory.extract(**whose, dry_run=dry_run)
    give(report, as_json, lambda report: say(_would_read(report)) if dry_run else _show_extracted(report))


@app.command()
def tie(ctx: typer.Context, speaker: Speaker, person: Seen, user: OfUser = "", as_json: Json = False) -> None:
    """Link a speaker to a person in the videos.

    A question about one then also finds what the other did or said.

    Example:
      amr chat tie Annie "girl in a red dress" --user anna
    """
    with options(ctx).open() as memory:
        memory.tie(speaker, person, user_id=user)
    tied = {"speaker": speaker, "person": person, "same": True}
    give(tied, as_json, lambda _: say(f"{speaker} is {person}; to undo, run: amr chat untie"))


@app.command()
def untie(ctx: typer.Context, speaker: Speaker, person: Seen, user: OfUser = "", as_json: Json = False) -> None:
    """Remove the link between a speaker and a person.

    Example:
      amr chat untie Annie "girl in a red dress" --user anna
    """
    with options(ctx).open() as memory:
        memory.untie(speaker, person, user_id=user)
    give({"speaker": speaker, "person": person, "same": False}, as_json, lambda _: say(f"{speaker} is not {person}"))


@app.command()
def forget(
    ctx: typer.Context,
    user: OfUser = "",
    session: OnlySession = "",
    episode: Annotated[str, typer.Option("--episode", metavar="ID", help="Only this turn.")] = "",
    dry_run: DryRun = False,
    scrub: Scrub = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget a user's conversations, one of them, or a turn.

    Removed from the graph, its indexes and the files of amr, with the facts that nothing else states. The bytes stay
    in files of the database until it overwrites them: in segments of the full-text index, freed records and
    transaction logs. --scrub overwrites the first two; a log is removed when it rotates.

    Examples:
      amr chat forget --user anna --dry-run
      amr chat forget --user anna --session monday --yes
      amr chat forget --user anna --yes
    """
    require_yes(yes=yes, dry_run=dry_run)
    with options(ctx).open() as memory:
        gone = memory.forget(user_id=user, session_id=session, episode_id=episode, dry_run=dry_run, scrub=scrub)
    give(gone, as_json, lambda gone: _show_gone(gone, dry_run))
    if not dry_run and (scrub or gone.episodes or gone.facts or gone.waiting):
        note_what_is_left(scrub=scrub)


@app.command()
def live(ctx: typer.Context, session: ThisSession, user: OfUser = "", as_json: Json = False) -> None:
    """Talk as a user at the terminal; see the facts read and recalled.

    A line is a turn; one that begins with "assistant:" is the assistant's. End with Ctrl-D. The turns are stored.
    Below each: its intent and language, + a fact that was read, - one that no longer holds, what would be put into
    the assistant's prompt, and milliseconds by stage. A line that cannot be kept, such as one that is too long, is
    refused; the others are kept, and the command exits with code 65.

    Examples:
      amr chat live --user anna --session monday
      echo "I live in Seattle." | amr chat live --user anna --session monday --json
    """
    prompt = not as_json and sys.stdin.isatty()
    if prompt:
        note("opening memory ...")
    from amr_neo4j.domain.episode import DEFAULT_ACTOR

    with options(ctx).open() as memory:
        chat = memory.chat(user_id=user, session_id=session)
        if prompt:
            note(_HOW)
        speaker, refused = user or memory.settings.user or DEFAULT_ACTOR, 0  # a server knows the user by the key
        for line in _typed_lines(prompt=prompt):
            # 10 is the length of "assistant:".
            actor, text = ("assistant", line[10:].strip()) if line.startswith("assistant:") else (speaker, line)
            try:
                turn = chat.observe(text, actor=actor)
            except InputError as error:
                note(f"refused: {error.message} ({error.hint})")
                refused += 1
                continue
            # One JSON value a line, so that a program can follow the conversation.
            print_json_line(turn) if as_json else _show_live_turn(turn)
        p95 = chat.metrics.p95()
    if p95 and not as_json:
        note(f"p95 of all turns in ms: {_by_stage(p95)}")
    if refused:
        raise typer.Exit(InputError.exit_code)


def reading_advice(unread: int, user: str) -> str:
    """Return what to do about turns of a user from which no facts were read yet."""
    are = "turn is" if unread == 1 else "turns are"
    return f"{unread} {are} unread: amr chat extract --user {user}"


def _exit(report: ChatReport) -> None:
    if report.rejected:
        raise typer.Exit(InputError.exit_code)


def _show_report(report: ChatReport) -> None:
    for line in report.errors:
        note(line)
    committed = count(report.committed, "turn")
    say(f"{committed} committed, {report.unchanged} unchanged, {report.rejected} rejected")
    if report.accepted:
        say(f"{count(report.accepted, 'turn')} kept on disk, to go into the graph when the database answers")


def _would_read(report: ExtractReport) -> str:
    turns = count(report.episodes, "turn")
    if not report.tokens_in:
        return f"{turns} to read, at no cost"
    cost = "an unknown price" if report.most_usd is None else f"at most ${report.most_usd:.4f}"
    return f"{turns} to read: about {report.tokens_in:,} tokens for the model, {cost}"


def _show_extracted(report: ExtractReport) -> None:
    for line in report.errors:
        note(line)
    left = f"; {report.left} left for the next run" if report.left else ""
    mentions, relations = count(report.mentions, "mention"), count(report.relations, "relation")
    facts, turns = count(report.facts, "fact"), count(report.episodes, "turn")
    say(f"{mentions}, {relations} and {facts} from {turns}, {report.refused} refused{left}")


def _show_turns(turns: Sequence[Episode]) -> None:
    from amr_neo4j.domain.prompt_injection import marked

    if not turns:
        say("nothing had been said by that time")
    for turn in turns:
        text = marked(turn.text, suspected=turn.suspected_injection)
        say(f"{turn.turn}  {cell(turn.valid_at)}  {turn.actor}: {text}")


def _show_mentions(turns: Sequence[Episode], found: Sequence[Mention], relations: Sequence[Relation]) -> None:
    _show_turns(turns)
    mentions = [[m.turn, m.type, m.text, m.valid_at, m.created_at] for m in found]
    print_section("mentions", ["turn", "type", "text", "said", "learnt"], mentions)
    stated = [[r.turn, r.source.text, r.type, r.target.text, r.confidence, r.created_at] for r in relations]
    print_section("relations", ["turn", "from", "type", "to", "confidence", "learnt"], stated)


def _show_sessions(sessions: Sequence[SessionView]) -> None:
    columns = ["session", "turns", "from", "to", "who"]
    rows = [[s.session_id, s.turns, s.first_said, s.last_said, s.actors] for s in sessions]
    print_table(columns, rows, empty="no conversations yet")


def _show_gone(gone: Forgotten, dry_run: bool) -> None:
    if not (gone.episodes or gone.facts or gone.waiting):
        say("nothing to forget: memory holds nothing of that")
        return
    queued = f" and {gone.waiting} queued" if gone.waiting else ""
    whole = f" ({count(gone.sessions, 'whole conversation')})" if gone.sessions else ""
    derived = {"mention": gone.mentions, "relation": gone.relations, "fact": gone.facts, "vector": gone.vectors}
    with_them = ", ".join(count(number, noun) for noun, number in derived.items())
    verb = "would be forgotten" if dry_run else "forgotten"
    say(f"{count(gone.episodes, 'turn')}{queued}{whole} {verb}; with them {with_them}")


def _typed_lines(*, prompt: bool) -> Iterator[str]:
    """Yield the lines of standard input that are not blank.

    A line that is too long for a turn is cut, so that it does not fill the memory, but not so much that it would be
    accepted.
    """
    from amr_neo4j.domain.episode import LONGEST_TURN

    # One character too many, and the line break.
    most = LONGEST_TURN + 2
    while True:
        if prompt:
            print("> ", end="", flush=True)
        line = part = sys.stdin.readline(most)
        while part and not part.endswith("\n"):  # skip the rest of a line that is too long
            part = sys.stdin.readline(most)
        if not line:
            return
        if line.strip():
            yield line.strip()


def _show_live_turn(turn: LiveTurn) -> None:
    if turn.suspected_injection:
        say("  ! reads like an instruction to a model; prompts quote it as such")
    if turn.understood is None:
        say("  stored; facts are read from the user's turns alone")
        return
    understood = turn.understood
    say(f"  {understood.intent.value.lower().replace('_', ' ')} ({understood.language})")
    for fact in understood.facts:
        hedged = ", hedged" if fact.hedged else ""
        hedged += f", {fact.strength}" if fact.strength != "plain" else ""
        say(f"  + {' | '.join(fact.triple)}  (confidence {fact.confidence:.2f}{hedged})")
    for triple in dict.fromkeys((*understood.retracted, *turn.retracted)):
        say(f"  - {' | '.join(part or 'any' for part in triple)}")
    for pronoun, people in understood.unclear:
        say(f"  ? {pronoun}: may be {' or '.join(people)}; nothing is believed of any of them")
    if not turn.is_recalled:
        say("  not recalled any more, as it asks")
    for hint in turn.hints:
        say(f"  prompt: {hint.text}  (score {hint.score:.2f})")
    say(f"  ms: {_by_stage(turn.milliseconds)}")


def _by_stage(milliseconds: Mapping[str, float]) -> str:
    return ", ".join(f"{stage} {value:.1f}" for stage, value in milliseconds.items())
