"""Options shared by commands: those of `amr` itself, --json and --video."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
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
    """The options of `amr` itself; None if not given."""

    group: str | None = None
    data_dir: Path | None = None
    config: Path | None = None
    as_json: bool = False
    verbose: bool = False

    @property
    def arguments(self) -> dict[str, Any]:
        """The options that are settings, by the names of the settings."""
        return {"group": self.group, "data_dir": self.data_dir, "config": self.config}

    def settings(self, **arguments: Any) -> Settings:
        """Return the settings with these options. arguments: further settings, from options of the command."""
        from amr_neo4j.settings import load

        return load(**self.arguments, **arguments)

    def open(self, **arguments: Any) -> Memory:
        """Open the memory. arguments: as `settings`."""
        from amr_neo4j.memory import Memory

        return Memory.open(self.settings(**arguments), notify=note)


def options(ctx: typer.Context) -> Options:
    """Return the options of `amr` for the running command."""
    return ctx.ensure_object(Options)


@contextmanager
def terminated_as_interrupted() -> Generator[None]:
    """Within the block SIGTERM, as a service manager sends it, is like Ctrl-C: what is in hand is completed."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _or_of_amr(ctx: typer.Context, value: bool) -> bool:
    return value or options(ctx).as_json


Json = Annotated[bool, typer.Option("--json", help="Print JSON.", callback=_or_of_amr)]
Videos = Annotated[
    list[str] | None, typer.Option("--video", metavar="ID", help="Search only this video; may be repeated.")
]
