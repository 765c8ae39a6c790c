"""The Typer subclass of every command: plain help texts, and options of `amr` accepted after the command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

# In help, the name of a command gets this many columns.
_WIDEST_NAME = 14
WITH_VALUE = ("--group", "--data-dir", "--config", "--server")
"""Options of `amr` itself that take a value, accepted before or after the command. --key comes before it alone."""
_FLAGS = ("--verbose", "-v")
ANYWHERE = {
    "--group NAME": 'Group to use: a separate memory. Default: AMR_GROUP, else "default".',
    "--data-dir FOLDER": "Folder of the local database, the vector indexes and the queues.",
    "--config FILE": "Settings file to use instead of amr.yaml.",
    "--server URL": "Use the memory of this `amr serve`, with the key in AMR_KEY.",
    "-v, --verbose": "Print log messages and full tracebacks.",
}
"""{option of `amr` itself: its help}, listed in the help of every command."""


class _Command(TyperCommand):
    """A command whose help omits Python types and lists the options of `amr`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage without the braces that typer puts around a required argument."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        records = [(param.param_type_name, param.get_help_record(ctx)) for param in self.get_params(ctx)]
        for kind, title in (("argument", "Arguments"), ("option", "Options")):
            rows = [(record[0].split(" <")[0], record[1]) for of, record in records if of == kind and record]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        with formatter.section("Options of every command"):
            formatter.write_dl(list(ANYWHERE.items()))


class CommandGroup(TyperGroup):
    """A group of commands whose help lists each with its whole first sentence, under titles where it has some."""

    sections: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Title: names of commands, in order. Those under no title come last, under "Commands"."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands; typer would cut their sentences off at the width of the terminal."""
        listed = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
        titled = [name for names in self.sections.values() for name in names]
        rest = {"Commands": [name for name in listed if name not in titled]}
        for title, names in {**self.sections, **rest}.items():
            rows = [(name, self.commands[name].get_short_help_str(limit=1000)) for name in names if name in listed]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=_WIDEST_NAME)


class App(typer.Typer):
    """A group of commands. Help is plain text, since importing rich would double the start-up time."""

    def __init__(self, cls: type[CommandGroup] = CommandGroup, **arguments: Any) -> None:
        super().__init__(rich_markup_mode=None, pretty_exceptions_enable=False, cls=cls, **arguments)

    def command(self, *names: Any, **arguments: Any) -> Callable[[Any], Any]:
        """Register a command as typer.Typer.command does. Examples at the end of its docstring are printed below the
        options.
        """

        def register(function: Callable[..., None]) -> Callable[..., None]:
            text, title, examples = (inspect.getdoc(function) or "").partition("\n\nExample")
            # \b keeps click from wrapping the lines of the examples.
            epilog = f"\b\nExample{examples}" if title else None
            add = super(App, self).command(*names, cls=_Command, help=text, epilog=epilog, **arguments)
            return add(function)

        return register


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
        elif argument in _FLAGS or argument.startswith(tuple(f"{name}=" for name in WITH_VALUE)):
            moved.append(argument)
        elif argument in WITH_VALUE:
            # Without a value, the parser of `amr` reports the mistake.
            moved += [argument, *[value for value in [next(rest, None)] if value is not None]]
        else:
            kept.append(argument)
    return [*moved, *kept]
