"""amr consolidate: the nightly run over facts, its report and how it is undone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Cursor, Json, OfUser, at_most, options, time_option
from amr_neo4j.cli.printing import cell, count, give, note, print_table, say, spent
from amr_neo4j.cli.typer_app import App

if TYPE_CHECKING:
    from amr_neo4j import FactRun
    from amr_neo4j.domain.belief import Consolidated

app = App()
# As text, at most this many lines of reasons are printed. --json has all.
_REASONS_SHOWN = 40
# Runs that are listed at once.
_MOST_RUNS = 1000
_MEANINGS = {
    "decayed": " (less sure than before: nothing has confirmed them for a day or more)",
    "deprecated": " (given up: their confidence has become too low)",
    "facts forgotten": " (older than fact_retention_days)",
    "turns forgotten": " (older than chat_retention_days)",
    "strengthened": " (more sure than before: something was said or seen again)",
}
_LEFT = 75  # EX_TEMPFAIL of sysexits


@app.command()
def consolidate(
    ctx: typer.Context,
    user: OfUser = "",
    at: Annotated[datetime | None, time_option("--at", "Run as of this time. Default: now.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change; write nothing.")] = False,
    undo: Annotated[str, typer.Option("--undo", metavar="RUN", help="Undo this run and those after it.")] = "",
    runs: Annotated[bool, typer.Option("--runs", help="List the runs.")] = False,
    limit: Annotated[int | None, at_most("runs")] = None,
    cursor: Cursor = "",
    as_json: Json = False,
) -> None:
    """Tidy the facts of a user, or of all users if none is named. Run it every night.

    Reads facts from new turns, updates confidence, resolves contradictions, merges duplicates, and gives up what
    nothing supports. Deletes only what is older than the settings chat_retention_days and
    fact_retention_days. Exits with code 75 if something is left for the next run.

    Examples:
      amr consolidate
      amr consolidate --user anna --dry-run
      amr consolidate --user anna --runs
      amr consolidate --user anna --undo 20260301-a1b2c3
    """
    if not runs and (limit or cursor):
        raise typer.BadParameter("--limit and --cursor require --runs")
    if runs or undo:
        with options(ctx).open() as memory:
            if runs:
                give(
                    memory.consolidations(user_id=user, limit=limit or _MOST_RUNS, cursor=cursor), as_json, _show_runs
                )
            else:
                changes = memory.undo_consolidation(undo, user_id=user, dry_run=dry_run)
                undone = {"undone": "" if dry_run else undo, "changes": changes}
                verb = "would be undone" if dry_run else "undone"
                give(undone, as_json, lambda _: say(f"{count(changes, 'change')} {verb}"))
        return
    from amr_neo4j.cli.progress import doing

    given, unknown = options(ctx), ""
    whose = user or given.settings().user
    with doing(f"tidying the facts of {whose or 'every user'}"), given.open() as memory:
        if whose:
            reports = [memory.consolidate(user_id=user, at=at, dry_run=dry_run)]
            # The report of an unknown user is merely empty. A misspelt name should be noticed.
            if not reports[0].counts and not memory.sessions(user_id=user, limit=1):
                unknown = f"user {whose} has no conversations in group {memory.group_id}: --user, --group"
        else:
            reports = memory.consolidate_all(at=at, dry_run=dry_run)
    if whose:
        give(reports[0], as_json, _show)
    else:
        give(reports, as_json, _show_all)
    if unknown:
        note(unknown)
    if any(report.status == "incomplete" for report in reports):
        raise typer.Exit(_LEFT)


def _show_all(reports: list[Consolidated]) -> None:
    if not reports:
        say("no user has conversations yet")
    for report in reports:
        say(f"{report.user_id}:")
        _show(report)


def _show(report: Consolidated) -> None:
    resumed = ", resumed after an interruption" if report.resumed else ""
    name = report.run_id or ("dry run" if report.status == "dry run" else "not run")
    say(f"{name}, as of {cell(report.at)}: {report.status}{resumed}")
    for name, number in report.counts.items():
        say(f"  {name} {number}{_MEANINGS.get(name, '')}")
    if not report.reasons and not report.problems:
        say("  no fact changed" if report.run_id else "  no fact would change")
    for reason in report.reasons[:_REASONS_SHOWN]:
        say(f"  {reason}")
    if len(report.reasons) > _REASONS_SHOWN:
        note(f"and {len(report.reasons) - _REASONS_SHOWN} more; to see all, add --json")
    if report.waiting:
        say(f"  {count(report.waiting, 'case')} that rules cannot decide: choose a provider, or see amr facts list")
    for problem in report.problems:
        say(f"  left for the next run: {problem}")
    if report.usage.calls:
        say(f"  models: {spent(report.usage)}")


def _show_runs(runs: Sequence[FactRun]) -> None:
    rows = [
        [run.run_id, cell(run.at), run.status, ", ".join(f"{k} {v}" for k, v in run.counts.items())] for run in runs
    ]
    print_table(["run", "at", "status", "changes"], rows, empty="no runs yet")
