"""amr uninstall: delete what amr has written on this machine."""

from __future__ import annotations

import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from amr_neo4j.cli.options import Confirmed, Json, options
from amr_neo4j.cli.printing import give, say
from amr_neo4j.cli.typer_app import App

if TYPE_CHECKING:
    from amr_neo4j.settings import Settings

app = App()

# Files are matched by name, because a data directory that the user chose may have other files.
IN_DATA_DIR = (
    *("neo4j", "neo4j.lock", "vectors", "*.sqlite", "*.sqlite-wal", "*.sqlite-shm", "messages.lock", "alert-*.lock"),
    *("live", "explorer", "uploads", "served-media", "serve.lock", "server.key", "sidecar.token"),
)
_IN_CACHE_DIR = ("models", "demo", "neo4j-*", "neo4j.lock", "browser")

Keep = Annotated[
    bool, typer.Option("--keep-data", help="Delete only the caches: models, the Neo4j distribution, the demo.")
]


@app.command(short_help="Delete what amr has stored on this machine.")
def uninstall(ctx: typer.Context, yes: Confirmed = False, keep_data: Keep = False, as_json: Json = False) -> None:
    """Delete the local database with all data, the indexes, the queues, the films, the models and the caches.

    Kept: a Neo4j server set by NEO4J_URI, amr.yaml, your videos, and the package, whose uninstall command is printed.

    Examples:
      amr uninstall
      amr uninstall --keep-data --yes
    """
    from amr_neo4j import localdb

    chosen = options(ctx).settings()
    found = _found(chosen, keep_data=keep_data)
    if found and not yes:
        for path in found:
            typer.echo(f"  {path}  ({_megabytes(path)})", err=True)
        typer.confirm("Delete all of this?", abort=True, err=True)
    if not keep_data:
        # Before its folder is deleted, because a running server would write its files again.
        localdb.destroy(chosen)
    for path in _found(chosen, keep_data=keep_data):  # listed again: stopping the database leaves a lock file
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    give([str(path) for path in found], as_json, partial(_show, left=_left(chosen, keep_data=keep_data)))


def _found(chosen: Settings, *, keep_data: bool) -> list[Path]:
    names: dict[Path, tuple[str, ...]] = {chosen.cache_dir: _IN_CACHE_DIR}
    if not keep_data:
        names[chosen.data_dir] = IN_DATA_DIR
    found: set[Path] = set()
    for folder, patterns in names.items():
        for pattern in patterns:
            found.update(folder.expanduser().glob(pattern))
    return sorted(found)


def _megabytes(path: Path) -> str:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return f"{sum(file.stat().st_size for file in files) / 1e6:.1f} MB"


def _left(chosen: Settings, *, keep_data: bool) -> list[str]:
    """Return what is not removed: other files in the two folders, and the data on a server that amr did not start."""
    folders = {chosen.cache_dir.expanduser(), *([] if keep_data else [chosen.data_dir.expanduser()])}
    there = [folder for folder in folders if folder.is_dir()]
    files = [path for folder in there for path in folder.iterdir()]
    left = sorted(str(path) for path in files if path not in folders)
    if chosen.neo4j_uri:
        left.append(f"the data on {chosen.neo4j_uri}; to delete those of a group: amr forget --group NAME")
    return left


def _show(removed: list[str], left: list[str]) -> None:
    for path in removed:
        say(f"deleted {path}")
    if not removed:
        say("nothing to delete")
    for each in left:
        say(f"left: {each}")
    say(f"to remove the package, run: {Path(sys.executable).name} -m pip uninstall amr-neo4j; or delete the checkout")
