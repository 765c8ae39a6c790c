"""The Typer subclass of every command: plain help texts, and options of `amr` accepted after the command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from collections.abc import Callable

# Options of `amr` itself, accepted before or after the command: those with a value, and flags.
_WITH_VALUE = ("--group", "--data-dir", "--config")
_FLAGS = ("--verbose", "-v")
_ANYWHERE = [
    ("--group NAME", "Group to use, a separate memory. Default: AMR_GROUP, else `default`."),
    ("--data-dir FOLDER", "Folder of the local database, the indexes and the queues."),
    ("--config FILE", "Settings file to use instead of amr.yaml."),
    ("-v, --verbose", "Print log messages and full tracebacks."),
]


class _Command(TyperCommand):
    """A command whose help omits Python types and lists the options of `amr`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        records = [(param.param_type_name, param.get_help_record(ctx)) for param in self.get_params(ctx)]
        for kind, title in (("argument", "Arguments"), ("option", "Options")):
            rows = [(record[0].split(" <")[0], record[1]) for of, record in records if of == kind and record]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        with formatter.section("Options of every command"):
            formatter.write_dl(_ANYWHERE)


class App(typer.Typer):
    """A group of commands. Help is plain text, since importing rich would double the start-up time."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(rich_markup_mode=None, pretty_exceptions_enable=False, **arguments)

    def command(self, *names: Any, **arguments: Any) -> Callable[[Any], Any]:
        """As typer.Typer.command."""
        return super().command(*names, cls=_Command, **arguments)


def options_first(arguments: Sequence[str]) -> list[str]:
    """Move the options of `amr` before the command; arguments after `--` are not moved.

    A value that looks like one of these options must be written with `=`: --person=--group.
    """
    moved: list[str] = []
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            kept += [argument, *rest]
        elif argument in _FLAGS or argument.startswith(tuple(f"{name}=" for name in _WITH_VALUE)):
            moved.append(argument)
        elif argument in _WITH_VALUE:
            moved += [argument, *[value for value in [next(rest, None)] if value is not None]]
        else:
            kept.append(argument)
    return [*moved, *kept]
