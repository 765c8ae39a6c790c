"""amr config: the settings in use, and the schema of clip analyses."""

from __future__ import annotations

from operator import attrgetter
from typing import Annotated, Any

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, print_json, print_table
from amr_neo4j.cli.typer_app import App
from amr_neo4j.errors import starred

app = App(name="config", help="Show the settings and where they are set.", no_args_is_help=True)

_DEFAULT = "default"


@app.command(short_help="Show the settings that are set, and where.")
def show(
    ctx: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Also the settings at their default.")] = False,
    as_json: Json = False,
) -> None:
    """Show the settings that are set, with their origin: argument, environment variable or file.

    --all and --json show the others too.

    Examples:
      amr config show
      amr --config other.yaml config show --all
    """
    from amr_neo4j.settings import origins

    given = options(ctx)
    settings = given.settings()
    found = origins(settings, **given.arguments)
    rows = [{"setting": name, "value": _value(attrgetter(name)(settings)), "origin": found[name]} for name in found]
    give(rows, as_json, lambda rows: _show(rows, every=every))


@app.command(short_help="Print the JSON schema of clip analyses.")
def schema() -> None:
    """Print the JSON schema of a line of clip analyses, the JSON lines that amr ingest reads.

    Example:
      amr config schema > clip-line.schema.json
    """
    from amr_neo4j.domain.analysis import ClipLine

    print_json({"$schema": "https://json-schema.org/draft/2020-12/schema"} | ClipLine.model_json_schema())


def _show(rows: list[dict[str, Any]], *, every: bool) -> None:
    shown = rows if every else [row for row in rows if row["origin"] != _DEFAULT]
    if shown:
        print_table(["setting", "value", "from"], [list(row.values()) for row in shown])
    if len(shown) < len(rows):
        note(f"{len(rows) - len(shown)} settings are at their default; to see them, add --all")


def _value(value: Any) -> Any:
    """Return numbers and None unchanged, and everything else as text. Secrets, also in addresses, are masked."""
    return value if value is None or isinstance(value, int | float) else starred(str(value))
