"""amr doctor: check the installation and the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, say
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import AmrError

if TYPE_CHECKING:
    from amr_neo4j.cli.checks import Check, Examined
    from amr_neo4j.settings import Settings

app = App()

Deep = Annotated[bool, typer.Option("--deep", help="Also compare every edge, text and vector. Takes minutes.")]
Repair = Annotated[bool, typer.Option("--repair", help="Rebuild derived data first, then check.")]

IO_ERROR = 74
"""EX_IOERR of sysexits."""


@dataclass(frozen=True)
class Finding:
    """The result of a check.

    hint: the remedy if it failed.
    exit_code: 0 if it passed.
    """

    check: str
    found: str
    hint: str = ""
    exit_code: int = 0


@app.command(short_help="Check the installation and the database.")
def doctor(ctx: typer.Context, deep: Deep = False, repair: Repair = False, as_json: Json = False) -> None:
    """Check this machine, the database, its schema and the indexes.

    For each failure it prints what to run. Checks that depend on a failed one are skipped. Exits with the code of the
    first failure, or 0. --repair rebuilds counters, receipts, edges and indexes from what is stored; it deletes no
    event and calls no model.

    Examples:
      amr doctor
      amr doctor --deep --json
      amr doctor --repair
    """
    from amr_neo4j.cli.progress import doing

    settings = options(ctx).settings()
    with doing("checking this machine and the database"):
        # Repaired first, so that the checks show what is still wrong.
        if repair:
            _repair(settings)
        findings = list(_examine(settings, deep=deep))
    give(findings, as_json, _show)
    raise typer.Exit(next((finding.exit_code for finding in findings if finding.exit_code), 0))


def _repair(settings: Settings) -> None:
    from amr_neo4j.memory import Memory

    with Memory.connect(settings) as memory:
        for done in memory.repair():
            note(done)


def _examine(settings: Settings, *, deep: bool) -> Iterator[Finding]:
    from amr_neo4j.cli.checks import CHECKS, Examined

    passed: set[str] = set()
    with closing(Examined(settings)) as examined:
        for check in CHECKS:
            if check.deep and not deep:
                continue
            # A check whose needs failed would only fail for the same reason.
            if passed.issuperset(check.needs):
                finding = _finding(check, examined)
                if not finding.exit_code:
                    passed.add(check.name)
                yield finding


def _finding(check: Check, examined: Examined) -> Finding:
    try:
        return Finding(check.name, check.run(examined))
    except AmrError as error:
        return Finding(check.name, error.message, error.hint, error.exit_code)
    except OSError as error:
        return Finding(check.name, str(error), "free some disk space, and check the permissions", IO_ERROR)
    except Exception as error:  # noqa: BLE001 - the other checks still say what they find
        examined.close()  # it may have left something open
        found = f"internal error: {type(error).__name__}: {error}"
        return Finding(check.name, found, "this is a bug: please report it with the output of this command", 70)


def _show(findings: list[Finding]) -> None:
    for finding in findings:
        say(f"{'ok' if not finding.exit_code else 'FAILS':<6} {finding.check:<9} {finding.found}")
        if finding.hint:
            say(f"{'':<16} {finding.hint}")
