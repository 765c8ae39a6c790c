"""amr: the command line. Commands are thin wrappers of Memory."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

import typer
from typer.main import get_command_name
from typer.models import TyperInfo

from amr_neo4j.cli import (
    ask,
    browse,
    chat,
    config,
    consolidate,
    db,
    doctor,
    explore,
    facts,
    forget,
    index,
    ingest,
    jobs,
    keys,
    models,
    person,
    serve,
    show,
    spool,
    transfer,
    uninstall,
    watch,
)
from amr_neo4j.cli.options import Options, options
from amr_neo4j.cli.printing import note
from amr_neo4j.cli.typer_app import ANYWHERE, WITH_VALUE, App, CommandGroup, options_first
from amr_neo4j.errors import AmrError, InputError
from amr_neo4j.version import __version__

_IO_ERROR = 74  # EX_IOERR of sysexits
# The thresholds of the garbage collector. With Python's own, a short command spends a sixth of its time on looking
# for garbage among what imports leave behind.
_RARELY = (100_000, 20, 20)
# A thread that has its reply from the database waits for a thread that computes, but only this long. With Python's
# default of 5 ms the database would mostly idle while the next clips are prepared, because a commit waits for several
# replies.
_SWITCH_SECONDS = 0.0005


class _Amr(CommandGroup):
    """`amr`: its commands under titles."""

    sections: ClassVar[Mapping[str, Sequence[str]]] = {
        "Take in": ("ingest", "watch", "status", "receipts", "alerts", "detections", "transcribe", "chat"),
        "Ask": ("ask", "context", "search", "explore"),
        "Browse": (
            "show",
            "groups",
            "videos",
            "persons",
            "objects",
            "lifecycle",
            "counts",
            "analytics",
            "stats",
            "browser",
        ),
        "Correct and forget": ("facts", "consolidate", "person", "relocate", "forget"),
        "Serve": ("serve", "jobs", "keys", "mcp", "sidecar"),
        "Maintain": ("doctor", "db", "export", "import", "index", "models", "spool", "config", "uninstall"),
    }


_HERE_ONLY = frozenset({*_Amr.sections["Serve"], *_Amr.sections["Maintain"], "browser"}) - {
    "doctor",
    "export",
    "import",
    "jobs",
}
"""Commands that work on this machine alone, whatever --server says."""

# The modules of commands import memory and models only inside the command, so that `amr --help` stays fast.
app = App(cls=_Amr, no_args_is_help=True)
_MODULES = (
    *(ingest, watch, chat, ask, explore, browse, show, facts, consolidate, person, forget, serve, jobs, keys),
    *(doctor, db, transfer, index, models, spool, config, uninstall),
)
for each in (*(module.app for module in _MODULES), db.db_app, serve.sidecar_app):
    app.add_typer(each)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"amr {__version__}")
        raise typer.Exit


Group = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=ANYWHERE["--group NAME"]),
]
DataDir = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help=ANYWHERE["--data-dir FOLDER"]),
]
Config = Annotated[Path | None, typer.Option(metavar="FILE", help=ANYWHERE["--config FILE"])]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help=ANYWHERE["-v, --verbose"])]
Server = Annotated[
    str | None,
    typer.Option(
        "--server", metavar="URL", envvar="AMR_SERVER", help="Use the memory of this `amr serve`, with the key --key."
    ),
]
Key = Annotated[
    str | None,
    typer.Option("--key", metavar="KEY", envvar="AMR_KEY", help="Key of the server; better in the variable AMR_KEY."),
]
Version = Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")]


@app.callback(
    epilog="""\b
Examples:
  amr ingest kitchen.mp4
  amr ask 'Where are the keys?'"""
)
def before(
    ctx: typer.Context,
    group: Group = None,
    data_dir: DataDir = None,
    config: Config = None,
    as_json: AsJson = False,
    verbose: Verbose = False,
    server: Server = None,
    key: Key = None,
    version: Version = False,
) -> None:
    """Long-term memory for video and conversation on Neo4j.

    Every answer cites the second of video or the turn of conversation it rests on.
    """
    import logging

    given = options(ctx)
    given.group, given.data_dir, given.config = group, data_dir, config
    given.as_json, given.verbose = as_json, verbose
    given.server, given.key = server, key
    if server and ctx.invoked_subcommand in _HERE_ONLY:
        hint = "run it on the machine of the server, without --server and AMR_SERVER"
        raise InputError(f"amr {ctx.invoked_subcommand} does not go to a server", hint=hint)
    # Log messages are for developers. What the user should know is printed by `note`.
    logging.basicConfig(level=logging.INFO if verbose else logging.CRITICAL)
    for client in ("httpx", "httpx2"):  # a line for each request would hide the notes
        logging.getLogger(client).setLevel(logging.WARNING)


def set_up_interpreter() -> None:
    """Look for garbage rarely and switch threads soon, in the whole process."""
    gc.set_threshold(*_RARELY)
    sys.setswitchinterval(_SWITCH_SECONDS)


def run() -> None:
    """Run `amr` as this process, and end the process without the shutdown of the Python interpreter."""
    code: int | None = None
    # Registered first, so that it is called last.
    atexit.register(lambda: _leave(code))
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else bool(ended.code)
        raise


def _leave(code: int | None) -> None:
    """End the process with the code; with None, as Python does.

    The shutdown of the interpreter stops daemon threads. If one calls Python from a native library just then, such as
    pydantic, the process aborts (code 134, "exception not rethrown").
    """
    if code is None:
        return
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):  # None if it was closed before the program began
            stream.flush()
    except (OSError, ValueError):  # the interpreter reports it
        return
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `amr` and exit with its code (sysexits). Errors are printed as one line and a hint; -v adds tracebacks."""
    given = Options()
    set_up_interpreter()
    try:
        ordered = options_first(_text(sys.argv[1:] if arguments is None else arguments))
        _command(_named(ordered))(ordered, prog_name="amr", obj=given)
    except AmrError as error:
        note(f"amr: {error.message}")
        for line in filter(None, [*error.log, error.hint]):
            note(f"     {line}")
        sys.exit(error.exit_code)
    except OSError as error:
        if given.verbose:
            raise
        note(f"amr: {error}")
        note("     check the path, its permissions and the free disk space; -v shows where it failed")
        sys.exit(_IO_ERROR)
    except Exception as error:
        if given.verbose:
            raise
        note(f"amr: internal error: {type(error).__name__}: {error}")
        note("     this is a bug: please report it with the output of the same command with -v")
        sys.exit(AmrError.exit_code)


@cache
def _command(name: str) -> Callable[..., object]:
    """Return the parser of the group with the command of this name, or of all groups if no group has it. Cached.

    Making the parser of all groups takes longer than many commands run.
    """
    groups = [info for info in app.registered_groups if name in _names(info)]
    if not groups:
        return typer.main.get_command(app)
    one = App(cls=_Amr, no_args_is_help=True)
    one.registered_callback, one.registered_groups = app.registered_callback, groups
    return typer.main.get_command(one)


def _names(group: TyperInfo) -> set[str]:
    """Return {name of the group}; for a group without a name, the names of its commands."""
    if not group.typer_instance:
        return set()
    if isinstance(name := group.typer_instance.info.name, str):
        return {name}
    commands = group.typer_instance.registered_commands
    return {each.name or get_command_name(each.callback.__name__) for each in commands if each.callback}


def _named(arguments: Sequence[str]) -> str:
    """Return the name of the command. The options of `amr` come before it. Empty if there is no plain name."""
    values = iter(arguments)
    for argument in values:
        if argument in (*WITH_VALUE, "--key"):
            next(values, None)
        elif not argument.startswith("-"):
            return argument
    return ""


def _text(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments unchanged. Raises InputError: one has bytes that are not UTF-8."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            hint = "correct it; rename the file if it is the name of one"
            raise InputError(f"the argument {argument!a} is not valid UTF-8", hint=hint) from error
    return arguments
