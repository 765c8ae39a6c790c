"""Imports of optional extras: a missing package is reported with the command that installs it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from amr_neo4j.errors import ModelMissing


@contextmanager
def needs(extra: str) -> Generator[None]:
    """Context manager around an import. Raises ModelMissing: a package of this extra is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        hint = f'run: pip install "amr-neo4j[{extra}]"'
        raise ModelMissing(f"the package {error.name} is not installed", hint=hint) from error
