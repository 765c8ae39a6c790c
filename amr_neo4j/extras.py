"""Imports of optional extras: a missing package is reported with the command that installs it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from amr_neo4j.errors import ConfigError, ModelMissing


@contextmanager
def needs(extra: str) -> Generator[None]:
    """Context manager around an import. Raises ModelMissing: a package of this extra is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        hint = f"run: {install_command(extra)}"
        raise ModelMissing(f"the package {error.name} is not installed", hint=hint) from error


@contextmanager
def needs_faiss() -> Generator[None]:
    """Context manager around an import of FAISS, which the extra cpu or gpu installs.

    Raises ConfigError: neither of the two is installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != "faiss":
            raise
        hint = f"run: {install_command('cpu')}; with CUDA 12 [gpu] in place of [cpu]"
        raise ConfigError("FAISS is not installed", hint=hint) from error


def install_command(extras: str = "") -> str:
    """Return the command that installs amr-neo4j with extras such as "local,mcp".

    It installs from this checkout if the program runs from one, otherwise by name.
    """
    checkout = Path(__file__).absolute().parents[1]
    named = f"[{extras}]" if extras else ""
    if (checkout / "pyproject.toml").exists():
        return f'pip install -e "{checkout}{named}"'
    return f'pip install "amr-neo4j{named}"'
