"""Outcomes that are known to be wrong and not mended yet: beginnings of "kind: name", each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

KNOWN: dict[str, str] = {}


def unexpected(failed: Mapping[str, str]) -> dict[str, str]:
    """The failures that are not known."""
    return {name: why for name, why in failed.items() if not name.startswith(tuple(KNOWN))} if KNOWN else dict(failed)
