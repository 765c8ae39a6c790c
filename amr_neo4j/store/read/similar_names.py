"""Suggests similar names when nothing has the name that a user typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from amr_neo4j.store.database import Row

_STATEMENTS = {"video": "show/video_ids", "person": "show/person_ids", "object": "show/object_names"}
_LISTS = {
    "video": "amr videos lists the videos",
    "person": "amr persons lists the persons",
    "object": "amr objects lists the objects",
}
# The most names that are compared, and the most that are suggested.
_NAMES_COMPARED, _NAMES_SUGGESTED = 10_000, 3


def similar_names(kind: str, name: str, read: Callable[..., Sequence[Row]]) -> str:
    """Return a hint such as 'did you mean office-7398f8ba? amr videos lists the videos'.

    kind: video, person or object. read: runs a statement in the group.
    """
    known = [str(row["name"]) for row in read(_STATEMENTS[kind], limit=_NAMES_COMPARED)]
    # With the very name it is there, but not as of the moment that was asked for.
    similar = [each for each in similar_to(name, known) if each != name]
    return f"did you mean {' or '.join(similar)}? {_LISTS[kind]}" if similar else _LISTS[kind]


def similar_to(name: str, known: Sequence[str]) -> list[str]:
    """Return at most three known names that begin with `name`, ignoring case; if none does, similar ones."""
    # Names that begin with what was typed come first: the id of a video ends in a fingerprint that nobody types.
    folded = {each.casefold(): each for each in known}
    begin = [each for start, each in folded.items() if start.startswith(name.casefold())]
    return begin[:_NAMES_SUGGESTED] or [
        folded[each] for each in get_close_matches(name.casefold(), folded, _NAMES_SUGGESTED)
    ]
