"""amr config: the settings in use, and the schema of clip analyses."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import typer

from amr_neo4j.cli.app import App
from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, print_json, print_table

app = App(help="Show the settings and where they are set.", no_args_is_help=True)


@app.command(
    short_help="Show every setting, its value and its origin.",
    epilog="Examples:  amr config show   |   amr --config other.yaml config show --json",
)
def show(ctx: typer.Context, as_json: Json = False) -> None:
    """Show every setting, its value and its origin: argument, environment variable, file or default."""
    from amr_neo4j.settings import origins

    given = options(ctx)
    settings = given.settings()
    found = origins(settings, **given.arguments)
    rows = [{"setting": name, "value": _value(attrgetter(name)(settings)), "origin": found[name]} for name in found]
    give(rows, as_json, _show)


@app.command(
    short_help="Print the JSON schema of clip analyses.",
    epilog="Example:  amr config schema > clip-line.schema.json",
)
def schema() -> None:
    """Print the JSON schema of a line of clip analyses, the JSON lines that amr ingest reads."""
    from amr_neo4j.domain.analysis import ClipLine

    print_json({"$schema": "https://json-schema.org/draft/2020-12/schema"} | ClipLine.model_json_schema())


def _show(rows: list[dict[str, Any]]) -> None:
    print_table(["setting", "value", "from"], [list(row.values()) for row in rows])


def _value(value: Any) -> Any:
    """Numbers and None unchanged, everything else as text; the text of a secret is asterisks."""
    return value if value is None or isinstance(value, int | float) else str(value)
