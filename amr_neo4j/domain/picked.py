"""Attributes of an object by their names."""

from __future__ import annotations

from typing import Any


def picked(record: object, *names: str) -> dict[str, Any]:
    """Return {name: value} of these attributes, in this order."""
    return {name: getattr(record, name) for name in names}
