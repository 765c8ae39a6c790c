"""amr analytics: run the predefined queries of cypher/analytics/."""

from __future__ import annotations

import csv
import sys
from datetime import datetime
from typing import Annotated, Any

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, print_table, say

app = App()

Row = dict[str, object]
Name = Annotated[str | None, typer.Argument(metavar="NAME", help="Query to run; without it, all are listed.")]
Param = Annotated[
    list[str] | None, typer.Option(metavar="K=V", help="Override the default of a parameter; may be repeated.")
]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


@app.command(short_help="Run a predefined query, such as who met whom.")
def analytics(
    ctx: typer.Context, name: Name = None, param: Param = None, as_csv: AsCsv = False, as_json: Json = False
) -> None:
    """Run a predefined query: hand-overs, who met whom, what was left open or on, busiest times.

    Each is a file of cypher/analytics/, which can also be pasted into Neo4j Browser.

    Examples:
      amr analytics
      amr analytics hand_overs --csv
      amr --group demo analytics object_timeline --param object=keys
    """
    if as_csv and as_json:
        raise typer.BadParameter("give either --csv or --json")
    if param and not name:
        raise typer.BadParameter("--param requires NAME")
    params = dict(map(_pair, param or ()))
    rows = _run(ctx, name, params) if name else _list()
    if as_csv:
        _print_csv(rows)
    else:
        give(rows, as_json, _show)
        if not name:
            note("to run one: amr analytics NAME; with other values than those it takes: --param object=keys")


def _run(ctx: typer.Context, name: str, params: dict[str, str]) -> list[Row]:
    with options(ctx).open() as memory:
        return memory.analytics(name, **params)


def _list() -> list[Row]:
    from amr_neo4j.memory import Memory

    return [
        {"name": each.name, "takes": " ".join(f"{k}={v}" for k, v in each.params.items()), "tells": each.purpose}
        for each in Memory.analyses()
    ]


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE; write it like object=keys")
    return name, value


def _show(rows: list[Row]) -> None:
    if rows:
        print_table(list(rows[0]), [list(row.values()) for row in rows])
    else:
        say("no matches")


def _print_csv(rows: list[Row]) -> None:
    """Times as ISO 8601, null as an empty field; no header if there are no rows."""
    writer = csv.DictWriter(sys.stdout, list(rows[0]) if rows else (), lineterminator="\n")
    if rows:
        writer.writeheader()
    writer.writerows({name: _csv(value) for name, value in row.items()} for row in rows)


def _csv(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
