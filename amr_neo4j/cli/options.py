"""What commands share: the options before the command, and those that several take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from amr_neo4j.cli.printing import note

if TYPE_CHECKING:
    from amr_neo4j.memory import Memory
    from amr_neo4j.settings import Settings


@dataclass
class Options:
    """The options before the command; None where one was not given."""

    group: str | None = None
    data_dir: Path | None = None
    config: Path | None = None
    as_json: bool = False
    verbose: bool = False

    @property
    def arguments(self) -> dict[str, Any]:
        """Those that are settings, by the settings' names."""
        return {"group": self.group, "data_dir": self.data_dir, "config": self.config}

    def settings(self, **arguments: Any) -> Settings:
        """The settings under these options. arguments: settings by name that a command takes itself."""
        from amr_neo4j.settings import load

        return load(**self.arguments, **arguments)

    def open(self, **arguments: Any) -> Memory:
        """The memory that the settings name."""
        from amr_neo4j.memory import Memory

        return Memory.open(self.settings(**arguments), notify=note)


def options(ctx: typer.Context) -> Options:
    """The options before the command that is running."""
    return ctx.ensure_object(Options)


def _or_before(ctx: typer.Context, value: bool) -> bool:
    return value or options(ctx).as_json


Json = Annotated[bool, typer.Option("--json", help="Print JSON.", callback=_or_before)]
Videos = Annotated[
    list[str] | None, typer.Option("--video", metavar="ID", help="Look in this video alone; may be repeated.")
]
