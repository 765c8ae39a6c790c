"""amr forget: footage out of memory, as if it had never been."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import DryRun, Json, Scrub, Yes, options, time_option
from amr_neo4j.cli.printing import count, give, note, say
from amr_neo4j.cli.typer_app import App

if TYPE_CHECKING:
    from amr_neo4j import Memory
    from amr_neo4j.domain.forgotten import ForgottenFootage, ForgottenGroup

app = App()

# {unit of an age: how many days it has}. A number without a unit is in days.
_HOURS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "": 1.0}


def age(text: str) -> float:
    """Parse an age like 30d, 12h or 2w into days. Raises typer.BadParameter."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([hdw]?)", text.strip())
    if not found:
        raise typer.BadParameter(f"{text} is not an age; write it like 30d, 12h or 2w")
    return float(found[1]) * _HOURS[found[2]]


Video = Annotated[str, typer.Option("--video", metavar="ID", help="Forget this video.")]
Person = Annotated[
    str,
    typer.Option("--person", metavar="NAME", help="Forget the events that involve this person; their clips stay."),
]
Clip = Annotated[str, typer.Option("--clip", metavar="ID", help="Forget only this clip of --video.")]
EventNumber = Annotated[
    int | None,
    typer.Option("--event", metavar="N", min=0, help="Forget this event, by its number; its clip stays."),
]
Before = Annotated[datetime | None, time_option("--before", "Forget clips that ended by this time, ISO 8601.")]
OlderThan = Annotated[
    str | None,
    typer.Option(
        "--older-than", metavar="AGE", parser=age, help="Forget clips that ended this long ago: 30d, 12h, 2w."
    ),
]
Expired = Annotated[
    bool,
    typer.Option(
        "--expired",
        help="Forget what is older than retention_days, chat_retention_days and fact_retention_days say; with other "
        "options, footage alone.",
    ),
]


def require_yes(*, yes: bool, dry_run: bool) -> None:
    """Raises typer.BadParameter: the command would forget, and --yes is missing."""
    if not (yes or dry_run):
        raise typer.BadParameter(
            "what is forgotten cannot be restored; to go ahead, add --yes; --dry-run shows what would go"
        )


def note_what_is_left(*, scrub: bool) -> None:
    """Say where the bytes are after something was forgotten."""
    if scrub:
        note(
            "overwritten on disk; the transaction log keeps the bytes until it is removed: the local database does "
            "that when it stops (amr db stop)"
        )
    else:
        note("files of the database keep the bytes until it overwrites them; to do that now, add --scrub")


@app.command()
def forget(
    ctx: typer.Context,
    video: Video = "",
    clip: Clip = "",
    event: EventNumber = None,
    person: Person = "",
    before: Before = None,
    older_than: OlderThan = None,
    expired: Expired = False,
    dry_run: DryRun = False,
    scrub: Scrub = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget footage: a video, a clip, an event, a person's events, what is old, or a group.

    Several options together select what all of them apply to. Events, edges, receipts and vectors are deleted, and
    persons and objects that nothing else names. Source files stay. With --group NAME and nothing else, the whole
    group is deleted, conversations included. After an interruption run it again.

    The bytes stay in files of the database until it overwrites them; --scrub does that now. For conversations: amr
    chat forget.

    Examples:
      amr forget --video kitchen --yes
      amr forget --event 4711 --yes
      amr forget --video kitchen --clip 000010000-000020000 --yes
      amr forget --person Anna --dry-run
      amr forget --older-than 30d --yes --json
      amr --group demo forget --yes
    """
    given = options(ctx)
    # `older_than` is compared with None, because an age of 0 days is given, too.
    names_footage = bool(video or clip or event is not None or person or before or older_than is not None)
    whole_group = not (names_footage or expired)
    # A command that names nothing must not delete the group that the settings happen to choose.
    if whole_group and given.group is None:
        raise typer.BadParameter(
            "name what to forget: --video, --event, --person, --before, --older-than, --expired, or --group NAME"
        )
    require_yes(yes=yes, dry_run=dry_run)
    with given.open() as memory:
        if whole_group:
            gone = memory.forget_group(dry_run=dry_run, scrub=scrub)
            give(gone, as_json, lambda gone: _show_group(gone, dry_run))
        elif expired and not names_footage:
            old = _forget_expired(memory, dry_run=dry_run, scrub=scrub)
            give(old, as_json, lambda gone: _show_expired(gone, dry_run))
            if old.footage.is_empty and not old.users and not scrub:
                return
        else:
            ages = (older_than, _retention(memory.settings.retention_days, expired))
            days = [float(each) for each in ages if each is not None]
            footage = memory.forget_videos(
                video_id=video,
                clip_id=clip,
                event=event,
                person=person,
                before=before,
                # All options must hold, so the greater age decides.
                older_than_days=max(days) if days else None,
                dry_run=dry_run,
                scrub=scrub,
            )
            give(footage, as_json, lambda footage: _show(footage, dry_run))
            if footage.is_empty and not scrub:
                return
    if not dry_run:
        note_what_is_left(scrub=scrub)


def _forget_expired(memory: Memory, *, dry_run: bool, scrub: bool) -> ForgottenGroup:
    names = ("retention_days", "chat_retention_days", "fact_retention_days")
    if not any(getattr(memory.settings, name) for name in names):
        raise typer.BadParameter(f"none of {', '.join(names)} is set; set one, or use --older-than AGE")
    return memory.forget_expired(dry_run=dry_run, scrub=scrub)


def _retention(days: float | None, expired: bool) -> float | None:
    if expired and days is None:
        raise typer.BadParameter("retention_days is not set; set it, or use --older-than AGE")
    return days if expired else None


def _show(gone: ForgottenFootage, dry_run: bool) -> None:
    if gone.is_empty:
        say("nothing to forget: memory holds nothing of that")
        return
    verb = "would be forgotten" if dry_run else "forgotten"
    videos = f" ({count(gone.videos, 'whole video')})" if gone.videos else ""
    merged = f" and {count(gone.merged, 'merged event')}" if gone.merged else ""
    say(f"{count(gone.clips, 'clip')}{videos} with {count(gone.events, 'event')}{merged} {verb}")
    named = f"with them {count(gone.persons, 'person')} and {count(gone.objects, 'object')} that nothing else names"
    if dry_run:
        say(named)
        return
    say(
        f"{named}, {count(gone.vectors, 'vector')}, {count(gone.facts, 'fact')}, {count(gone.waiting, 'queued clip')}"
    )
    if gone.restored:
        say(f"{count(gone.restored, 'part')} of merged events kept, as events of their own")
    if gone.stripped:
        say(f"{count(gone.stripped, 'clip')} kept, without what it said of that")
    if gone.naming:
        say(f"{count(gone.naming, 'event')} kept that only has the name in its words: amr search NAME")


def _show_group(gone: ForgottenGroup, dry_run: bool) -> None:
    _show(gone.footage, dry_run)
    if dry_run:
        say(f"and all conversations of {count(len(gone.users), 'user')}")
    else:
        said = gone.conversations
        turns, facts = count(said.episodes + said.waiting, "turn"), count(said.facts, "fact")
        say(f"and {turns} and {facts} of {count(len(gone.users), 'user')}")


def _show_expired(gone: ForgottenGroup, dry_run: bool) -> None:
    if not gone.footage.is_empty or not gone.users:
        _show(gone.footage, dry_run)
    if gone.users:
        verb, said = "would be forgotten" if dry_run else "forgotten", gone.conversations
        of = f"of {count(len(gone.users), 'user')}"
        say(f"{count(said.episodes, 'turn')} and {count(said.facts, 'fact')} {of} {verb}")
