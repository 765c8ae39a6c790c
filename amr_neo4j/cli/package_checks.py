"""Checks of the Python installation for amr doctor. Each returns what it found, or raises an AmrError."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.extras import install_command
from amr_neo4j.settings import Settings


def python(_: Settings) -> str:
    """Python has a supported version."""
    running, wanted = platform.python_version(), SpecifierSet(",".join(_own("Requires-Python")))
    if not wanted.contains(running, prereleases=True):
        raise ConfigError(f"Python {running}; {wanted} is required", hint="install amr-neo4j with that version")
    return f"{running} on {platform.system()} {platform.machine()}"


def packages(settings: Settings) -> str:
    """The packages that the settings require are installed in supported versions."""
    if not _own("Name"):
        raise ModelMissing("amr-neo4j is importable but not installed", hint=f"run: {install_command()}")
    faiss = "gpu" if _version("faiss-gpu-cu12") else "cpu"
    needed = {
        "local": settings.embedder == "e5",
        faiss: settings.dense == "faiss",
        "speech": bool(settings.speech_model),
    }
    extras = [extra for extra, is_needed in needed.items() if is_needed]
    wanted = list(_requirements(["", *extras]))
    if wrong := [complaint for each in wanted if (complaint := _complaint(each))]:
        raise ModelMissing("; ".join(wrong), hint=f"run: {install_command(','.join(extras))}")
    return f"amr-neo4j {_version('amr-neo4j')}; the {len(wanted)} packages it needs are there in supported versions"


def _requirements(extras: Collection[str]) -> Iterator[Requirement]:
    """The requirements that apply on this machine, including those of these extras ("" for none)."""
    for line in _own("Requires-Dist"):
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras):
            yield wanted


def _complaint(wanted: Requirement) -> str:
    """What is wrong with a requirement; empty if it is met."""
    version = _version(wanted.name)
    if not version:
        return f"{wanted.name} is not installed"
    fits = wanted.specifier.contains(version, prereleases=True)
    return "" if fits else f"{wanted.name} {version}; {wanted.specifier} is required"


def _own(field: str) -> list[str]:
    """A field of amr-neo4j's package metadata; empty if it is not installed."""
    try:
        return metadata.metadata("amr-neo4j").get_all(field) or []
    except metadata.PackageNotFoundError:
        return []


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
