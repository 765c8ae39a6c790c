"""Downloads Neo4j Community as Maven artifacts, once, into the cache and with the user's Maven settings."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from amr_neo4j.errors import ToolError
from amr_neo4j.localdb import java
from amr_neo4j.localdb.record import Notify, locked

NEO4J, BROWSER = "5.26.12", "5.24.0"
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
_DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>amr</groupId><artifactId>localdb</artifactId><version>1</version>
  <dependencies>{}</dependencies>
</project>
"""


def jars(cache_dir: Path) -> Path:
    """Return the folder of the jars. It exists once they are installed, and each version has its own."""
    return cache_dir / f"neo4j-{NEO4J}-browser-{BROWSER}"


def main_class() -> str:
    """Return the class that starts the server. Releases with calendar versions (2025.01 and later) renamed it."""
    return "org.neo4j.server." + ("CommunityEntryPoint" if NEO4J.startswith("5.") else "Neo4jCommunity")


def install(cache_dir: Path, notify: Notify) -> None:
    """Download the jars unless they exist. They are moved to their folder last, so an existing folder is complete.

    Raises ToolError: Maven is missing or has failed.
    """
    with locked(cache_dir / "neo4j.lock"):
        if jars(cache_dir).exists():
            return
        notify(f"downloading Neo4j {NEO4J} with Maven (130 MB, once)")
        # In the cache, so that the rename stays on one file system and is atomic.
        with tempfile.TemporaryDirectory(dir=cache_dir) as folder:
            _copy_dependencies(Path(folder))
            (Path(folder) / "lib").rename(jars(cache_dir))


def _copy_dependencies(folder: Path) -> None:
    """Let Maven copy the jars of Neo4j, of its server and of Neo4j Browser to folder/lib."""
    mvn = shutil.which("mvn")
    if not mvn:
        raise ToolError("Maven is not installed", hint="apt-get install maven, or start a Docker engine")
    # Maven reads dependencies from a project file only, so one is written for the occasion.
    (folder / "pom.xml").write_text(_pom())
    goal = [f"{_PLUGIN}:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder / 'lib'}"]
    java_home = {"JAVA_HOME": str(java.find().path.resolve().parents[1])}  # a JAVA_HOME of the user overrides it
    done = subprocess.run(
        [mvn, "-B", "-q", "-Dstyle.color=never", *goal],
        cwd=folder,
        env=java_home | os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        # With -q Maven prints errors only; the first line names the cause.
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise ToolError(
            "Maven failed: " + (lines[0] if lines else f"exit code {done.returncode}"),
            hint="check that the repositories of your Maven settings can be reached",
        )


def _pom() -> str:
    artifacts = (
        ("org.neo4j", "neo4j", NEO4J),
        ("org.neo4j.app", "neo4j-server", NEO4J),
        ("org.neo4j.client", "neo4j-browser", BROWSER),
    )
    return _POM.format("".join(_DEPENDENCY.format(*artifact) for artifact in artifacts))
