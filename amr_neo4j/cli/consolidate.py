"""amr consolidate: the nightly run over facts, its report and how it is undone."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.chat import User
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import cell, give, print_table, say, spent

if TYPE_CHECKING:
    from amr_neo4j.domain.belief import Consolidated
    from amr_neo4j.store.write.fact_upkeep import FactRun

app = App()
# Lines of reasons that are printed as text; --json has all.
_SHOWN = 40
_LEFT = 75  # EX_TEMPFAIL of sysexits


@app.command(
    epilog="""\b
Examples:
  amr consolidate --user anna
  amr consolidate --user anna --dry-run
  amr consolidate --user anna --runs
  amr consolidate --user anna --undo 20260301-a1b2c3"""
)
def consolidate(
    ctx: typer.Context,
    user: User = "",
    at: Annotated[datetime | None, typer.Option("--at", help="The moment to do it for, now unless given.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change; write nothing.")] = False,
    undo: Annotated[str, typer.Option("--undo", metavar="RUN", help="Undo this run and those after it.")] = "",
    runs: Annotated[bool, typer.Option("--runs", help="List the runs.")] = False,
    as_json: Json = False,
) -> None:
    """Bring a user's facts in order: read new turns, confidence, contradictions, duplicates. To run every night.

    Exits with code 75 where something is left for the next run.
    """
    with options(ctx).open() as memory:
        if runs:
            give(memory.consolidations(user_id=user), as_json, _show_runs)
            return
        if undo:
            changes = memory.undo_consolidation(undo, user_id=user)
            give({"undone": undo, "changes": changes}, as_json, lambda _: say(f"{changes} changes undone"))
            return
        moment = at.astimezone() if at else None
        report = memory.consolidate(user_id=user, at=moment, dry_run=dry_run)
    give(report, as_json, _show)
    if report.status == "incomplete":
        raise typer.Exit(_LEFT)


def _show(report: Consolidated) -> None:
    resumed = ", finished after it was cut off" if report.resumed else ""
    say(f"{report.run_id or 'run'} of {cell(report.at)}: {report.status}{resumed}")
    say("  " + (", ".join(f"{name} {number}" for name, number in report.counts.items()) or "nothing to change"))
    for reason in report.reasons[:_SHOWN]:
        say(f"  {reason}")
    if len(report.reasons) > _SHOWN:
        say(f"  and {len(report.reasons) - _SHOWN} more: --json lists all")
    if report.waiting:
        say(f"  {report.waiting} pairs or clusters wait for a model or a person")
    for problem in report.problems:
        say(f"  left: {problem}")
    say(f"  models: {spent(report.usage)}")


def _show_runs(runs: list[FactRun]) -> None:
    if not runs:
        say("no runs yet")
        return
    rows = [
        [run.run_id, cell(run.at), run.status, ", ".join(f"{k} {v}" for k, v in run.counts.items())] for run in runs
    ]
    print_table(["run", "at", "status", "changes"], rows)
