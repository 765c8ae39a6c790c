"""What amr doctor asks of the installation: what it found, or the AmrError that says what to run."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from amr_neo4j.errors import ConfigError, ModelMissing
from amr_neo4j.settings import Settings


def python(_: Settings) -> str:
    """The interpreter, of a version that the package supports."""
    running, wanted = platform.python_version(), SpecifierSet(",".join(_own("Requires-Python")))
    if not wanted.contains(running, prereleases=True):
        raise ConfigError(f"Python {running}, where {wanted} is needed", hint="install amr-neo4j under that")
    return f"{running} on {platform.system()} {platform.machine()}"


def packages(settings: Settings) -> str:
    """What the settings need of the package's requirements, in versions that it supports."""
    if not _own("Name"):
        raise ModelMissing("amr-neo4j itself is on the path, not installed", hint="run: pip install -e .")
    extras = ["local"] * (settings.embedder == "minilm") + ["speech"] * bool(settings.speech_model)
    wanted = list(_requirements(["", *extras]))
    if wrong := [complaint for each in wanted if (complaint := _complaint(each))]:
        named = f"[{','.join(extras)}]" if extras else ""
        raise ModelMissing("; ".join(wrong), hint=f'run: pip install "amr-neo4j{named}"')
    return ", ".join(f"{each.name} {_version(each.name)}" for each in wanted)


def _requirements(extras: Collection[str]) -> Iterator[Requirement]:
    """The packages we ask for here, those of these extras among them ("" for none)."""
    for line in _own("Requires-Dist"):
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras):
            yield wanted


def _complaint(wanted: Requirement) -> str:
    """Empty where it is there as it should be."""
    there = _version(wanted.name)
    if not there:
        return f"{wanted.name} is not installed"
    fits = wanted.specifier.contains(there, prereleases=True)
    return "" if fits else f"{wanted.name} {there}, where {wanted.specifier} is needed"


def _own(field: str) -> list[str]:
    """What the package says of itself; nothing where it is not installed."""
    try:
        return metadata.metadata("amr-neo4j").get_all(field) or []
    except metadata.PackageNotFoundError:
        return []


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
