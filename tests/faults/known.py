"""Outcomes that are known to be wrong and not mended yet: beginnings of "kind: name", each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

KNOWN: dict[str, str] = {}


def unexpected(failed: Mapping[str, str]) -> dict[str, str]:
    """The failures that are not known."""
    return {name: why for name, why in failed.items() if not any(name.startswith(known) for known in KNOWN)}


def mended(failed: Mapping[str, str]) -> list[str]:
    """The entries of KNOWN that did not show. If a full run does not show them either, remove them from KNOWN."""
    return [known for known in KNOWN if not any(name.startswith(known) for name in failed)]
