"""Outcomes that are known to be wrong and not mended yet: beginnings of "kind: name", each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

_TYPES = "an argument of the wrong type raises TypeError, AttributeError or OverflowError instead of InputError"
KNOWN: dict[str, str] = {
    f"Python API: {method}": _TYPES
    for method in ("search", "ask", "remember", "conversation", "forget", "merge_persons", "persons", "tie")
}
KNOWN["chat turns: good"] = "a turn with a UTC offset that Neo4j cannot take holds up every later turn of its group"


def unexpected(failed: Mapping[str, str]) -> dict[str, str]:
    """The failures that are not known."""
    return {name: why for name, why in failed.items() if not any(name.startswith(known) for known in KNOWN)}


def mended(failed: Mapping[str, str]) -> list[str]:
    """What is known to be wrong and did not show: remove it from KNOWN where a full run does not show it either."""
    return [known for known in KNOWN if not any(name.startswith(known) for name in failed)]
