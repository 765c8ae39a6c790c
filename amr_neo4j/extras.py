"""Packages of the optional extras: said plainly when one is missing."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from amr_neo4j.errors import ModelMissing


@contextmanager
def needs(extra: str) -> Generator[None]:
    """Around an import: a package that is not there becomes ModelMissing with the command that brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        hint = f'run: pip install "amr-neo4j[{extra}]"'
        raise ModelMissing(f"the package {error.name} is not installed", hint=hint) from error
