"""amr ask, amr context and amr search: questions to memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from amr_neo4j.cli.options import (
    AsOf,
    Cursor,
    Json,
    KnownAt,
    Persons,
    Sessions,
    Since,
    Until,
    User,
    Videos,
    at_most,
    bounds,
    options,
)
from amr_neo4j.cli.printing import WHEN, event_place, give, note, print_json, print_table, say, say_on, span, when
from amr_neo4j.cli.typer_app import App
from amr_neo4j.domain.budget import LEAST_TOKENS

if TYPE_CHECKING:
    from amr_neo4j.domain.event import Event
    from amr_neo4j.domain.ports import Notify
    from amr_neo4j.domain.recall import Answer, Hit, MemoryContext, SearchOrder

app = App()
# What --explain prints of a question's type and of why no further edges were followed.
_EXPLAINED = {
    "Object_Tracking": "where a thing is, or what was done with it",
    "Person_Understanding": "a person",
    "Temporal_Multihop": "what was before, after or during something else",
    "Cross_Modal": "what is said together with what is seen",
    "General": "anything else",
}
_ENDED = {
    "hops": "after as many steps as are allowed",
    "limit": "with as many events as are allowed",
    "converged": "further events scored no better",
    "exhausted": "no edge led further",
}
# Without --explain, at most this many events that were found but are not cited are listed.
_OTHERS_SHOWN = 3

Pictures = Annotated[
    Path | None,
    typer.Option("--pictures", metavar="DIR", help="Write a picture of each cited event into this folder."),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write one page with the answer, pictures and clips."),
]
Look = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        help="If memory has no answer, look at up to N segments of the videos.",
    ),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show all that was found, how, with which scores, and how long it took.")
]


@app.command()
def ask(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    user: User = "",
    session: Sessions = None,
    video: Videos = None,
    person: Persons = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    look: Look = 0,
    explain: Explain = False,
    pictures: Pictures = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Answer a question, with the seconds of video and the turns that it rests on.

    Examples:
      amr ask "Where are the keys?"
      amr --group demo ask "What did Anna do?" --video kitchen --json
      amr ask "Where are the keys?" --as-of 2026-03-01T09:00:00+01:00
      amr ask "When is the jar opened?" --video kitchen --look 20
      amr ask "What did Anna promise?" --user me --session breakfast
      amr ask "Who came in?" --pictures evidence --html answer.html
    """
    where = bounds(ctx)
    with options(ctx).open() as memory:
        # A misspelt user would otherwise merely find nothing.
        if user:
            memory.require_user(user)
        if as_json:
            answer = memory.ask(question, look=look, **where)
            print_json(answer)
        else:
            answer = _answered(lambda say: memory.ask(question, notify=say, look=look, **where))
            _show_evidence(answer, explain=explain)
            if explain:
                _show_trace(answer)
        # Still inside the block, because the pictures are cut by the open memory.
        if pictures or html:
            from amr_neo4j.cli.answer_page import write_page, write_pictures

            if pictures:
                write_pictures(memory, answer, pictures)
            if html:
                write_page(memory, answer, html)


@app.command()
def search(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words, or a description.")],
    limit: Annotated[int, at_most("results")] = 10,
    cursor: Cursor = "",
    user: User = "",
    session: Sessions = None,
    video: Videos = None,
    person: Persons = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    order: Annotated[
        str, typer.Option("--order", metavar="ORDER", help="fit (best first), time (earliest first) or latest.")
    ] = "fit",
    all_: Annotated[bool, typer.Option("--all", help="Also list what fits much less than the best.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each was found.")] = False,
    as_json: Json = False,
) -> None:
    """List the events, and a user's turns, that fit a text best, by words and by meaning.

    The list ends where results fit much less than the best (--all: it does not).

    Examples:
      amr search "red jacket"
      amr search keys --video kitchen --limit 3 --json
      amr search "water the basil" --order latest
    """
    where = bounds(ctx)
    with options(ctx).open() as memory:
        if user:
            memory.require_user(user)
        by = cast("SearchOrder", order)  # checked by Memory
        hits = memory.search(text, limit=limit, cursor=cursor, order=by, all=all_, **where)
    give(hits, as_json, lambda hits: _show_hits(hits, explain=explain))


@app.command()
def context(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    tokens: Annotated[
        int, typer.Option("--tokens", metavar="N", min=LEAST_TOKENS, help="Tokens of the text, at most.")
    ] = 2000,
    user: User = "",
    session: Sessions = None,
    video: Videos = None,
    person: Persons = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """Print what memory holds about a question, as text for a language model of your own.

    The stretches of film and talk around the best hits, in order of time; each line begins with its citation.

    Examples:
      amr context "Where are the keys?"
      amr context "What did Anna promise?" --user me --tokens 800
    """
    where = bounds(ctx)
    with options(ctx).open() as memory:
        if user:
            memory.require_user(user)
        found = memory.context(question, tokens=tokens, **where)
    give(found, as_json, _show_context)


def _show_context(found: MemoryContext) -> None:
    for line in found.lines:
        say(line.text)
    if not found.lines:
        note("nothing in memory fits")


def _show_hits(hits: Sequence[Hit], *, explain: bool) -> None:
    how = ["found by"] if explain else []
    columns = ["event", "video or session", "time or turn", WHEN, "score", *how, "summary"]
    print_table(columns, [_row(hit, explain=explain) for hit in hits], empty="nothing in memory fits")


def _row(hit: Hit, *, explain: bool) -> list[Any]:
    how = [_found_by(hit)] if explain else []
    more = f" (and {len(hit.repeats)} more right after it)" if hit.repeats else ""
    return [*_place(hit.event), when(hit.event.at), f"{hit.score:.3f}", *how, f"{hit.text}{more}"]


def _place(event: Event) -> list[str]:
    """Return [node_id, video, span of time], or for a turn ["turn", session, number]."""
    if turn := event.turn:
        return ["turn", turn.session_id, str(turn.number)]
    return [str(event.node_id), event.video_id, span(event.time_start, event.time_end)]


def _answered(ask: Callable[[Notify], Answer]) -> Answer:
    """Ask, and print the answer on a line, claim by claim as a model gives them."""
    claims: list[str] = []

    def tell(claim: str) -> None:
        say_on(f" {claim}" if claims else claim)
        claims.append(claim)

    try:
        answer = ask(tell)
    finally:
        # Ends the line, even if the answer broke off.
        if claims:
            say()
    if not claims:
        say(answer.text)
    return answer


def _show_evidence(answer: Answer, *, explain: bool) -> None:
    """Print the cited events in full, without turns that the answer quotes, then other results in a line each.

    explain: print quoted turns too, how each event was found, and all other results.
    """
    for line in answer.notes:
        note(line)
    if answer.answered_by:
        note(f"worded by {answer.answered_by}")
    old = answer.replaced
    cited = {citation.node_id for citation in answer.citations} - ({old.event.node_id} if old else set())
    for hit in answer.evidence:
        if hit.event.node_id in cited and (explain or not _is_quoted(hit.event, answer)):
            say()
            say(event_place(hit.event))
            say(f"  {hit.event.summary_text}")
            if explain and hit.ranks:
                say(f"  found by {_found_by(hit)}")
            if explain and hit.path and hit.path.edges:
                say(f"  path: {hit.trail}")
    if answer.shows_more_around:
        say()
        say("around it:")
        for line in answer.stretch.lines:
            is_cited = line.citation is not None and line.citation.node_id in cited
            say(f"{'>' if is_cited else ' '} {line.text}")
    if old:
        say()
        say(f"replaced: {event_place(old.event)}: {old.event.summary_text}")
        cited.add(old.event.node_id)
    others = [hit for hit in answer.evidence if hit.event.node_id not in cited]
    if others:
        say()
        say("also found:")
        shown = others if explain else others[:_OTHERS_SHOWN]
        for hit in shown:
            say(f"  {event_place(hit.event)}: {hit.text}")
        if len(shown) < len(others):
            say(f"  and {len(others) - len(shown)} more: --explain")


def _is_quoted(event: Event, answer: Answer) -> bool:
    """Return whether the answer contains the words of a turn."""
    from amr_neo4j.domain.event import speaker_and_words

    # The text of a turn begins with its speaker.
    words = speaker_and_words(event.summary_text)[1].rstrip(". ")
    return bool(event.turn and words and words in answer.text)


def _show_trace(answer: Answer) -> None:
    """Print each event with its scores, its ranks and the channels walked to it, then how long each stage took."""
    say()
    judged = any("judge" in hit.scores for hit in answer.evidence)
    parts = ["fused", "cosine", "reach", *(["judge"] if judged else [])]
    rows = [
        [
            # "turn 4" for a turn, and the node_id alone for an event.
            " ".join(_place(hit.event)[:: 2 if hit.event.turn else 3]),
            f"{hit.score:.3f}",
            *(f"{hit.scores.get(name, 0.0):.3f}" for name in parts),
            _found_by(hit),
            " ".join(channel.value for channel in hit.path.channels) if hit.path else "",
        ]
        for hit in answer.evidence
    ]
    print_table(["event", "score", *parts, "found by", "walked"], rows)
    if trace := answer.trace:
        stages = ", ".join(f"{stage} {seconds * 1e3:.0f} ms" for stage, seconds in trace.stages.items())
        hops = ", ".join(map(str, trace.frontiers))
        say(f"time: {stages}")
        say(f"question about: {_EXPLAINED[answer.question.type.value]}")
        say(f"events kept at each step along the edges: {hops}; ended: {_ENDED.get(trace.stopped, trace.stopped)}")


def _found_by(hit: Hit) -> str:
    return ", ".join(f"{retriever} #{rank}" for retriever, rank in hit.ranks.items())
