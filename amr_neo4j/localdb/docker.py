"""Runs Neo4j as the service `neo4j` of docker-compose.yml, in one compose project per home."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from amr_neo4j.errors import ToolError
from amr_neo4j.localdb.record import EngineName, Notify, Record

_SERVICE = "neo4j"
# The data is in a volume that only a container can read, so `amr db backup` cannot pack it.
_OF_VOLUMES = "run neo4j-admin database dump or load on the volume of the container"
# Time limits: for a question to the engine, for the download of the image, for a command of docker compose.
_PROBE_S, _PULL_S, _COMPOSE_S = 20.0, 1800.0, 180.0


class DockerCompose:
    """The engine that uses Docker. Data and logs are in named volumes of the compose project.

    page_cache_mb: None for the default in docker-compose.yml.
    """

    name: EngineName = "docker"

    def __init__(self, home: Path, heap_mb: int, page_cache_mb: int | None) -> None:
        self._home = home
        self._heap_mb = heap_mb
        self._page_cache_mb = page_cache_mb
        # Two homes on one machine must not share a container, so the name of the project depends on the home.
        self._project = "amr-" + hashlib.sha256(str(home).encode()).hexdigest()[:12]

    def install(self, notify: Notify) -> None:
        """Download what is missing. Calls `notify` with a line before anything that takes long."""
        # Asks for the server's version, because the client alone answers even if no engine is running.
        _docker("version", "--format", "{{.Server.Version}}", limit_s=_PROBE_S)
        image = self._compose(None, "config", "--images", _SERVICE).strip()
        try:
            _docker("image", "inspect", image, limit_s=_PROBE_S)
        except ToolError:
            notify(f"pulling {image} with Docker (once)")
            _docker("pull", "--quiet", image, limit_s=_PULL_S)

    def launch(self, record: Record, password: str) -> None:
        """Start the server in the background on the record's ports."""
        memory = {"NEO4J_HEAP": f"{self._heap_mb}m"}
        if self._page_cache_mb:
            memory["NEO4J_PAGE_CACHE"] = f"{self._page_cache_mb}m"
        self._compose(record, "up", "--detach", _SERVICE, values={"NEO4J_PASSWORD": password} | memory)

    def running(self, record: Record) -> bool:
        """Return whether this home's server, and no other, is running or starting."""
        return bool(self._compose(record, "ps", "--status", "running", "--quiet", _SERVICE).strip())

    def stop(self, record: Record) -> None:
        """Stop the server and wait until it has exited."""
        self._compose(record, "stop", _SERVICE)

    def destroy(self, record: Record) -> None:
        """Stop the server and delete what it stores outside the home."""
        self._compose(record, "down", "--volumes")

    def dump(self, folder: Path) -> None:
        raise ToolError("amr db backup knows the engine maven only", hint=_OF_VOLUMES)

    def load(self, record: Record, folder: Path) -> None:
        raise ToolError("amr db restore knows the engine maven only", hint=_OF_VOLUMES)

    def last_lines(self) -> list[str]:
        """Return the last lines of the server's log."""
        return self._compose(None, "logs", "--no-log-prefix", "--tail", "8", _SERVICE).splitlines()

    def _compose(self, record: Record | None, *words: str, values: dict[str, str] | None = None) -> str:
        """Run docker compose and return its output.

        Values go in the environment, which overrides .env files, so that a password of the user's own is never used.
        """
        # docker-compose.yml requires a password even for commands that start nothing.
        values = {"NEO4J_PASSWORD": "unused"} | (values or {})
        if record:
            values |= {"NEO4J_BOLT_PORT": str(record.bolt_port), "NEO4J_HTTP_PORT": str(record.http_port)}
        return _docker("compose", "-p", self._project, "-f", str(_file()), *words, limit_s=_COMPOSE_S, values=values)


def _file() -> Path:
    """Return docker-compose.yml. It is inside the package in a wheel and beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "docker-compose.yml"
    return inside if inside.exists() else package.parent / "docker-compose.yml"


def _docker(*words: str, limit_s: float, values: dict[str, str] | None = None) -> str:
    """Run docker and return its output.

    Raises ToolError: Docker is missing, or the command failed. The message has the last line of its error output.
    """
    command = ["docker", *words]
    try:
        done = subprocess.run(
            command, env=os.environ | (values or {}), capture_output=True, text=True, timeout=limit_s, check=False
        )
    except FileNotFoundError as error:
        raise ToolError("Docker is not installed", hint="install it, or set AMR_LOCAL_ENGINE=maven") from error
    except subprocess.TimeoutExpired as error:
        raise ToolError(
            f"docker {words[0]} did not finish in {limit_s:.0f} s", hint="check the engine: docker info"
        ) from error
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ToolError(f"docker {words[0]}: {said[-1]}", hint="see: docker info")
    return done.stdout
