"""What amr doctor checks: each function says what it found, or raises the AmrError that says what to run."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import metadata
from typing import Protocol

from amr_neo4j.clients import models as bundled
from amr_neo4j.errors import MigrationError, ModelMissing, StoreError, ToolError
from amr_neo4j.memory import Memory
from amr_neo4j.settings import Settings

_PROBE_S = 20.0


class Check(Protocol):
    """A function of the settings, known by its name."""

    __name__: str

    def __call__(self, settings: Settings, /) -> str: ...


def python(_: Settings) -> str:
    """The interpreter."""
    return f"{platform.python_version()} on {platform.system()} {platform.machine()}"


def packages(settings: Settings) -> str:
    """What the settings need of the package's requirements."""
    extras = {"", "local"} if settings.embedder == "minilm" else {""}
    if not _version("amr-neo4j"):
        raise ModelMissing("amr-neo4j itself is on the path, not installed", hint="run: pip install -e .")
    wanted = [name for name, extra in _requirements() if extra in extras]
    missing = [name for name in wanted if not _version(name)]
    if missing:
        bring = 'pip install "amr-neo4j[local]"' if len(extras) > 1 else "pip install amr-neo4j"
        raise ModelMissing(f"not installed: {', '.join(missing)}", hint=f"run: {bring}")
    return ", ".join(f"{name} {_version(name)}" for name in wanted)


def ffmpeg(_: Settings) -> str:
    """The programs that read videos."""
    for name in ("ffmpeg", "ffprobe"):
        if not shutil.which(name):
            raise ToolError(f"{name} is not installed; videos need it", hint="apt-get install ffmpeg")
    done = subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True, timeout=_PROBE_S, check=False)
    return done.stdout.partition(" Copyright")[0] or f"exit code {done.returncode}"


def models(settings: Settings) -> str:
    """The embedder of the settings must be there; the others are named where they are not."""
    known = bundled.installed(settings)
    missing = [model.name for model in known if not model.installed]
    if settings.embedder in missing:
        raise ModelMissing(f"the model {settings.embedder} is not installed", hint="run: amr models install")
    there = ", ".join(f"{model.name} {model.version}" for model in known if model.installed)
    return f"{there}; without {', '.join(missing)} (amr models install)" if missing else there


def database(settings: Settings) -> str:
    """Whether Neo4j answers, and which it is."""
    with Memory.connect(settings) as memory:
        return f"{memory.server()} at {memory.uri}"


def schema(settings: Settings) -> str:
    """Whether the database is at this version's schema."""
    with Memory.connect(settings) as memory:
        if pending := memory.pending_migrations():
            raise MigrationError(f"migrations pending: {', '.join(pending)}", hint="run: amr db migrate")
    return "up to date"


def group(settings: Settings) -> str:
    """Whether the group is embedded by the embedder of the settings."""
    with Memory.connect(settings) as memory:
        return f"{memory.group_id}, embedded by {memory.check_embedder()}"


def index(settings: Settings) -> str:
    """Whether the dense index holds what the graph does."""
    with Memory.connect(settings) as memory:
        indexed, stored = memory.index_size()
    if indexed != stored:
        raise StoreError(f"{indexed} vectors in the index, {stored} in the graph", hint="run: amr index rebuild")
    return f"{indexed} vectors, as many as in the graph"


MACHINE: tuple[Check, ...] = (python, packages, ffmpeg, models)
DATABASE: tuple[Check, ...] = (database, schema, group, index)


def _requirements() -> Iterator[tuple[str, str]]:
    """(name, extra) of every package we ask for; extra is empty for those that always come."""
    for line in metadata.requires("amr-neo4j") or ():
        extra = re.search(r"extra == ['\"](\w+)", line)
        yield re.split(r"[^\w.-]", line, maxsplit=1)[0], extra[1] if extra else ""


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
