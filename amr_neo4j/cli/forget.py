"""amr forget: footage out of memory, as if it had never been."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.bounds import wall_clock
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, say

if TYPE_CHECKING:
    from amr_neo4j.domain.forgotten import ForgottenFootage, ForgottenGroup

app = App()

_HOURS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "": 1.0}
_SCRUBBED = (
    "overwritten on disk; the words stay in the database's transaction log until it is removed: "
    "the local database does that when it stops (amr db stop)"
)
_NOT_SCRUBBED = "the words stay in files of the database until it overwrites them; to do that now, add --scrub"


def age(text: str) -> float:
    """Parse an age like 30d, 12h or 2w into days. Raises typer.BadParameter."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([hdw]?)", text.strip())
    if not found:
        raise typer.BadParameter(f"{text} is not an age; write it like 30d, 12h or 2w")
    return float(found[1]) * _HOURS[found[2]]


Video = Annotated[str, typer.Option("--video", metavar="ID", help="Of this video.")]
Person = Annotated[
    str, typer.Option("--person", metavar="NAME", help="Events that involve this person; whole clips stay.")
]
Before = Annotated[
    datetime | None,
    typer.Option("--before", metavar="TIME", parser=wall_clock, help="What had ended by then, ISO 8601 with offset."),
]
OlderThan = Annotated[
    str | None, typer.Option("--older-than", metavar="AGE", parser=age, help="What ended so long ago: 30d, 12h, 2w.")
]
Expired = Annotated[bool, typer.Option("--expired", help="What is older than the setting retention_days.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count what would go.")]
Scrub = Annotated[
    bool, typer.Option("--scrub", help="Also overwrite the words on the database's disk. Takes about 10 seconds.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do it: what is forgotten does not come back.")]


@app.command(
    epilog="""\b
Examples:
  amr forget --video kitchen --yes
  amr forget --person Anna --dry-run
  amr forget --older-than 30d --yes --json
  amr --group demo forget --yes"""
)
def forget(
    ctx: typer.Context,
    video: Video = "",
    person: Person = "",
    before: Before = None,
    older_than: OlderThan = None,
    expired: Expired = False,
    dry_run: DryRun = False,
    scrub: Scrub = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Forget footage, as if memory had never had it; with several options, what all of them apply to.

    Events, edges, receipts, vectors, and who and what nothing else names go; source files stay. With --group NAME
    and nothing else, the whole group goes, conversations included. Repeat it after an interruption.

    The words stay in files of the database until it writes there again; --scrub overwrites them.
    """
    given = options(ctx)
    whole_group = not (video or person or before or older_than is not None or expired)
    if whole_group and given.group is None:
        raise typer.BadParameter("say what to forget: --video, --person, --before, --older-than, or --group NAME")
    if not (yes or dry_run):
        raise typer.BadParameter("what is forgotten does not come back: say --yes, or --dry-run to see what would go")
    with given.open() as memory:
        if whole_group:
            gone = memory.forget_group(dry_run=dry_run, scrub=scrub)
            give(gone, as_json, lambda gone: _show_group(gone, dry_run))
        else:
            ages = (older_than, _retention(memory.settings.retention_days, expired))
            days = [float(age) for age in ages if age is not None]
            footage = memory.forget_videos(
                video_id=video,
                person=person,
                before=before,
                older_than_days=max(days) if days else None,
                dry_run=dry_run,
                scrub=scrub,
            )
            give(footage, as_json, lambda footage: _show(footage, dry_run))
    if not dry_run:
        note(_SCRUBBED if scrub else _NOT_SCRUBBED)


def _retention(days: float | None, expired: bool) -> float | None:
    if expired and days is None:
        raise typer.BadParameter("no retention_days is set: say --older-than AGE")
    return days if expired else None


def _show(gone: ForgottenFootage, dry_run: bool) -> None:
    if not (gone.clips or gone.events or gone.merged or gone.stripped or gone.waiting):
        say("nothing of that is in memory")
        return
    verb = "would be forgotten" if dry_run else "forgotten"
    videos = f" of {gone.videos} whole videos" if gone.videos else ""
    merged = f" and {gone.merged} merged ones" if gone.merged else ""
    say(f"{gone.clips} clips{videos} with {gone.events} events{merged} {verb}")
    if dry_run:
        say(f"with them {gone.persons} persons and {gone.objects} objects that nothing else names")
        return
    say(
        f"with them {gone.persons} persons and {gone.objects} objects that nothing else names, "
        f"{gone.vectors} vectors, {gone.facts} facts, {gone.waiting} waiting analyses"
    )
    if gone.restored:
        say(f"{gone.restored} parts of merged events stay and are events of their own again")
    if gone.stripped:
        say(f"{gone.stripped} clips stay, without what they said of the person")
    if gone.naming:
        say(f"{gone.naming} events stay whose words contain the name, of somebody else: amr search NAME")


def _show_group(gone: ForgottenGroup, dry_run: bool) -> None:
    _show(gone.footage, dry_run)
    if dry_run:
        say(f"and all conversations of {len(gone.users)} users")
    else:
        said = gone.conversations
        say(f"and {said.episodes + said.waiting} turns and {said.facts} facts of {len(gone.users)} users")
