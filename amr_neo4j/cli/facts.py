"""amr facts: what is believed and why, and how a person puts it right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.chat import AsOf, KnownAt, reading_advice
from amr_neo4j.cli.forget import note_what_is_left, require_yes
from amr_neo4j.cli.options import Cursor, Json, OfUser, Scrub, Yes, at_most, chosen, options
from amr_neo4j.cli.printing import cell, count, give, local, note, print_fields, print_section, print_table, say
from amr_neo4j.cli.typer_app import App
from amr_neo4j.domain.plain import picked
from amr_neo4j.errors import NotInMemory

if TYPE_CHECKING:
    from amr_neo4j.domain.belief import FactLink, FactMeasures, FactView
    from amr_neo4j.domain.fact import Fact
    from amr_neo4j.domain.recall import Recalled
    from amr_neo4j.memory import Memory

# More than any subject has.
_MOST_FACTS = 1_000_000
app = App(name="facts", no_args_is_help=True, help="Show and correct what is believed of a user.")
Subject = Annotated[str, typer.Option("--subject", metavar="WORD", help='Whom or what it is about; "you": the user.')]
Relation = Annotated[str, typer.Option("--relation", metavar="NAME", help="Only this relation, such as lives_in.")]
OfGroup = Annotated[
    bool, typer.Option("--of-group", help="Not a user's facts: those that people in the videos state of themselves.")
]
FactId = Annotated[str, typer.Argument(metavar="ID", help="Id of a fact, or its first letters: amr facts list.")]


@app.command("list")
def list_(
    ctx: typer.Context,
    user: OfUser = "",
    of_group: OfGroup = False,
    subject: Subject = "",
    relation: Relation = "",
    history: Annotated[bool, typer.Option("--history", help="Also facts that are not believed any more.")] = False,
    contradicted: Annotated[
        bool, typer.Option("--contradicted", help="Only facts that contradict one another, for you to decide.")
    ] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Annotated[int, at_most("facts")] = 100,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """List what is believed of a user, or of the people in the videos, latest first.

    Examples:
      amr facts list --user anna
      amr facts list --user anna --subject you --relation lives_in --history
      amr facts list --user anna --as-of 2026-03-01T12:00:00+01:00
      amr facts list --of-group --subject ben
    """
    with options(ctx).open() as memory:
        if not of_group:
            memory.require_user(user)
        names = ("of_group", "subject", "relation", "history", "contradicted", "as_of", "known_at", "limit", "cursor")
        found = memory.facts(user_id=user, **chosen(ctx, *names))
        unread = 0 if found or of_group or subject or relation or contradicted else memory.unread_turns(user_id=user)
        advice = f"; {reading_advice(unread, user or memory.settings.user)}" if unread else ""
    nothing = "no such facts" if subject or relation else f"no facts yet{advice}"
    nothing = "no facts contradict one another" if contradicted else nothing
    give(found, as_json, lambda found: _show_facts(found, nothing))


@app.command()
def search(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in plain words.")],
    user: OfUser = "",
    as_of: AsOf = None,
    known_at: KnownAt = None,
    limit: Annotated[int, at_most("facts")] = 5,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """Search what is believed of a user, best first.

    Example:
      amr facts search "work projects" --user anna
    """
    with options(ctx).open() as memory:
        memory.require_user(user)
        asked = chosen(ctx, "limit", "as_of", "known_at", "cursor")
        found = memory.search_memory(query, "facts", user_id=user, **asked)
    give(found, as_json, _show_found)


@app.command()
def forget(
    ctx: typer.Context,
    fact: Annotated[str, typer.Argument(metavar="[ID]", help="Id of one fact, or its first letters.")] = "",
    subject: Subject = "",
    user: OfUser = "",
    of_group: OfGroup = False,
    relation: Relation = "",
    object_: Annotated[str, typer.Option("--object", metavar="WORDS", help="Only the fact with this object.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be forgotten; change nothing.")] = False,
    scrub: Scrub = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Delete facts for good. What states them stays: amr chat forget deletes turns, amr forget films.

    Exits with code 66 if there is no such fact.

    Examples:
      amr facts forget 3f2a --user anna --yes
      amr facts forget --user anna --subject you --relation lives_in --yes
      amr facts forget --user anna --subject tom --dry-run
    """
    if bool(fact) == bool(subject) or (fact and (relation or object_)):
        raise typer.BadParameter("name one fact by its ID, or facts by --subject, --relation and --object, not both")
    with options(ctx).open() as memory:
        if fact:
            # forget_facts takes a triple, so the id is resolved first.
            subject, relation, object_ = memory.fact(fact, user_id=user, of_group=of_group).triple
        # Facts are stored in lower case.
        of_subject = memory.facts(
            user_id=user, of_group=of_group, subject=subject.casefold(), history=True, limit=_MOST_FACTS
        )
        meant = [
            fact
            for fact in of_subject
            if relation in ("", fact.triple.relation) and object_.casefold() in ("", fact.triple.object)
        ]
        relations = ", ".join(sorted({fact.triple.relation for fact in of_subject})) or "none"
        unknown = NotInMemory(
            f"no such fact of {subject}", hint=f"relations of {subject}: {relations}; amr facts list"
        )
        if not (meant or yes or dry_run):
            raise unknown
        require_yes(yes=yes, dry_run=dry_run)
        if dry_run:
            give(meant, as_json, lambda facts: _show_facts(facts, "no such facts"))
            return
        gone = memory.forget_facts(
            user_id=user, of_group=of_group, subject=subject, relation=relation, object=object_, scrub=scrub
        )
    if not gone:
        raise unknown
    give({"facts": gone}, as_json, lambda _: say(f"{count(gone, 'fact')} forgotten"))
    note_what_is_left(scrub=scrub)


@app.command()
def show(
    ctx: typer.Context, fact: FactId, user: OfUser = "", of_group: OfGroup = False, as_json: Json = False
) -> None:
    """Show a fact, the turns and events it rests on, and what replaced it or was replaced by it.

    Example:
      amr facts show 3f2a --user anna
    """
    with options(ctx).open() as memory:
        found = memory.fact(fact, user_id=user, of_group=of_group)
    give(found, as_json, _show)


@app.command()
def undo(
    ctx: typer.Context, fact: FactId, user: OfUser = "", of_group: OfGroup = False, as_json: Json = False
) -> None:
    """Believe a fact again that was replaced, merged or given up.

    amr consolidate does not retire it for the same reason again.

    Example:
      amr facts undo 3f2a --user anna
    """
    with options(ctx).open() as memory:
        found = memory.restore_fact(fact, user_id=user, of_group=of_group)
        rivals = _rivals(memory, found, user_id=user, of_group=of_group)
    give(found, as_json, lambda fact: say(f"believed again: {fact.text}"))
    for rival in rivals:
        note(f"also believed: {rival.text}; to give that up, run: amr facts correct or amr facts forget")


@app.command()
def pin(
    ctx: typer.Context,
    fact: FactId,
    user: OfUser = "",
    of_group: OfGroup = False,
    off: Annotated[bool, typer.Option("--off", help="Unpin it.")] = False,
    as_json: Json = False,
) -> None:
    """Pin a fact: it does not decay, and nothing that is said later retires it.

    Examples:
      amr facts pin 3f2a --user anna
      amr facts pin 3f2a --user anna --off
    """
    with options(ctx).open() as memory:
        found = memory.pin_fact(fact, user_id=user, of_group=of_group, pinned=not off)
    give(found, as_json, lambda fact: say(f"{'pinned' if fact.pinned else 'no longer pinned'}: {fact.text}"))


@app.command()
def correct(
    ctx: typer.Context,
    fact: FactId,
    object_: Annotated[str, typer.Argument(metavar="WORDS", help="The right object, or a sentence that states it.")],
    user: OfUser = "",
    of_group: OfGroup = False,
    as_json: Json = False,
) -> None:
    """Replace the object of a fact; the new fact is pinned.

    The old one stays in the history.

    Example:
      amr facts correct 3f2a Ghent --user anna
      amr facts correct 81c0 'I love coffee' --of-group
    """
    with options(ctx).open() as memory:
        found = memory.correct_fact(fact, object_, user_id=user, of_group=of_group)
    give(found, as_json, lambda fact: say(f"{fact.fact_id[:8]}  {fact.text}"))


@app.command()
def measures(ctx: typer.Context, user: OfUser = "", as_json: Json = False) -> None:
    """Show how well the facts of a user are kept, over all runs of amr consolidate, and used, over all live chats.

    Example:
      amr facts measures --user anna
    """
    with options(ctx).open() as memory:
        found = memory.fact_measures(user_id=user)
    give(found, as_json, _show_measures)


def _show_measures(found: FactMeasures) -> None:
    print_fields(
        {
            "facts": [f"{number} {status}" for status, number in found.facts.items()],
            **picked(found, "runs", "merged", "replaced"),
            "given up": found.given_up,
            "strengthened": found.strengthened,
            "duplicates merged": _figure(found.merged_share),
            "given up rather than strengthened": _figure(found.given_up_share),
            "contradictions settled by rules": _figure(found.settled_by_rules),
            "confidence by evidence": _figure(found.confidence_by_evidence),
            "replies that used a hint": _figure(found.hints_used),
            "recalled memories used": _figure(found.recalled_used),
            "repeated in prompts": _figure(found.redundancy),
            "searches that helped": _figure(found.searches_helped),
        }
    )


def _figure(value: float | None) -> str:
    return "too little to tell" if value is None else f"{value:.2f}"


def _rivals(memory: Memory, fact: FactView, **whose: Any) -> Sequence[Fact]:
    """Return the other believed values of a relation that has one value at a time."""
    from amr_neo4j.domain.relations import relation_kind

    if not relation_kind(fact.triple.relation).single:
        return []
    believed = memory.facts(**whose, subject=fact.triple.subject, relation=fact.triple.relation)
    return [other for other in believed if other.triple != fact.triple]


def _show_found(found: Sequence[Recalled]) -> None:
    rows = [[f.text, f"{f.confidence:.2f}", cell(f.timestamp), f.source.label if f.source else ""] for f in found]
    print_table(["fact", "confidence", "last said", "from"], rows, empty="no fact fits")


def _show_facts(facts: Sequence[Fact], empty: str) -> None:
    columns = ["id", "fact", "confidence", "first said", "last said", "times", "status"]
    rows = [[f.fact_id[:8], f.text, f"{f.confidence:.2f}", *_said(f), f.evidence_count, _status(f)] for f in facts]
    if any(fact.events for fact in facts):  # the latest event, as an answer would cite it
        columns.append("in")
        rows = [[*row, fact.events[-1] if fact.events else ""] for row, fact in zip(rows, facts, strict=True)]
    print_table(columns, rows, empty=empty)


def _said(fact: Fact | FactView) -> list[str]:
    return [cell(local(fact.first_said)), cell(local(fact.last_said))]


def _status(fact: Fact | FactView) -> str:
    """Return the status in words: believed and how firmly, replaced by what, taken back, merged or given up."""
    if fact.replaced_by:
        return f"replaced by {fact.replaced_by}"
    if fact.retracted:
        return f"taken back, over since {cell(local(fact.archived_at))}" if fact.archived_at else "taken back"
    if fact.status == "active" and fact.ends_at and fact.ends_at <= fact.last_said:
        return f"over since {cell(local(fact.ends_at))}"
    if fact.status == "active" and fact.ends_at:
        return f"believed until {cell(local(fact.ends_at))}"
    if fact.status == "active" and fact.strength != "plain":
        return {"beside": "believed, beside the main one", "passing": "believed, said in passing"}[fact.strength]
    words = {
        "active": "believed",
        "candidate": "doubtful: said in passing, waits to be said again",
        "archived": "replaced or taken back",
        "merged_into": "merged",
        "deprecated": "given up",
    }
    return words.get(fact.status, fact.status)


def _show(fact: FactView) -> None:
    say(fact.text)
    print_fields(
        {
            "id": fact.fact_id,
            "triple": " | ".join(fact.triple),
            "status": _status(fact),
            "confidence": f"{fact.confidence:.2f}",
            "evidence": fact.evidence_count,
            "category": fact.category,
            "said": " to ".join(_said(fact)),
            "marks": [name for name in ("pinned", "flagged") if getattr(fact, name)],
        }
    )
    turns = [[cell(local(t.at)), t.actor, t.text[:100], _similarity(t.similarity)] for t in fact.turns]
    print_section("turns", ["at", "actor", "text", "similarity"], turns)
    events = [[event.label, event.node_id] for event in fact.events]
    print_section("events", ["seen at", "event"], events)
    links = [[_link(link), link.fact_id[:8], link.text, link.resolution, cell(link.at)] for link in fact.links]
    print_section("other facts", ["", "id", "fact", "resolution", "at"], links)


def _similarity(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _link(link: FactLink) -> str:
    words = {
        "CONTRADICTS": ("contradicts", "contradicted by"),
        "MERGED_INTO": ("merged into", "has taken in"),
        "DISTINCT_FROM": ("is not", "is not"),
    }
    return words.get(link.link, (link.link, link.link))[not link.outward]
