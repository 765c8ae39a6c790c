"""amr doctor: check the installation and the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, say
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import AmrError, InputError

if TYPE_CHECKING:
    from amr_neo4j.cli.options import Options
    from amr_neo4j.settings import Settings

app = App()

Deep = Annotated[bool, typer.Option("--deep", help="Also compare every edge, text and vector. Takes minutes.")]
Repair = Annotated[bool, typer.Option("--repair", help="Rebuild derived data first, then check.")]

IO_ERROR = 74
"""EX_IOERR of sysexits."""
_BUG = 70  # EX_SOFTWARE


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
    event and calls no model. With --server it checks whether that server, the key and its database answer.

    Examples:
      amr doctor
      amr doctor --deep --json
      amr doctor --repair
      amr --server https://box.home:8378 doctor
    """
    from amr_neo4j.cli.progress import doing

    if options(ctx).server:
        if deep or repair:
            raise InputError("--deep and --repair read the database", hint="run it on the machine of the server")
        _give(list(_examine_server(options(ctx))), as_json)
    settings = options(ctx).settings()
    with doing("checking this machine and the database"):
        # Repaired first, so that the checks show what is still wrong.
        if repair:
            _repair(settings)
        findings = list(_examine(settings, deep=deep))
    _give(findings, as_json)


def _give(findings: list[Finding], as_json: bool) -> NoReturn:
    give(findings, as_json, _show)
    raise typer.Exit(next((finding.exit_code for finding in findings if finding.exit_code), 0))


def _examine_server(given: Options) -> Iterator[Finding]:
    from amr_neo4j.server.client import checks_of

    for name, check in checks_of(given.server or "", given.key or "").items():
        finding = _finding(name, check)
        yield finding
        if name == "server" and finding.exit_code:
            return  # nothing else can answer either


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
                finding = _finding(check.name, partial(check.run, examined))
                if finding.exit_code == _BUG:
                    examined.close()  # it may have left something open
                if not finding.exit_code:
                    passed.add(check.name)
                yield finding


def _finding(name: str, run: Callable[[], str]) -> Finding:
    try:
        return Finding(name, run())
    except AmrError as error:
        return Finding(name, error.message, error.hint, error.exit_code)
    except OSError as error:
        return Finding(name, str(error), "free some disk space, and check the permissions", IO_ERROR)
    except Exception as error:  # noqa: BLE001 - the other checks still say what they find
        found = f"internal error: {type(error).__name__}: {error}"
        return Finding(name, found, "this is a bug: please report it with the output of this command", _BUG)


def _show(findings: list[Finding]) -> None:
    for finding in findings:
        say(f"{'ok' if not finding.exit_code else 'FAILS':<6} {finding.check:<9} {finding.found}")
        if finding.hint:
            say(f"{'':<16} {finding.hint}")
