"""Suggests similar names when nothing has the name that a user typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from amr_neo4j.errors import NotInMemory
from amr_neo4j.store.database import Database, Row

_STATEMENTS = {"video": "show/video_ids", "person": "show/person_ids", "object": "show/object_names"}
_LISTS = {
    "video": "amr videos lists the videos",
    "person": "amr persons lists the persons",
    "object": "amr objects lists the objects, amr search what was seen and said of others",
}
# The most names that are compared, and the most that are suggested.
_NAMES_COMPARED, _NAMES_SUGGESTED = 10_000, 3


def similar_names(kind: str, name: str, read: Callable[..., Sequence[Row]], others: Sequence[str] = ()) -> str:
    """Return a hint such as 'did you mean office-7398f8ba? amr videos lists the videos'.

    kind: video, person or object.
    read: runs a statement in the group.
    others: further names.
    """
    known = [str(row["name"]) for row in read(_STATEMENTS[kind], limit=_NAMES_COMPARED)]
    return did_you_mean(name, [*known, *others], _LISTS[kind])


def did_you_mean(name: str, known: Sequence[str], where: str) -> str:
    """Return the hint for a name that is not among the known ones. where: which command lists them."""
    # With the very name it is there, but not as of the moment that was asked for.
    similar = [each for each in similar_to(name, known) if each != name]
    return f"did you mean {' or '.join(similar)}? {where}" if similar else where


def require_sessions(database: Database, group_id: str, user_id: str, session_ids: Sequence[str]) -> None:
    """Check that a user has these sessions. Raises NotInMemory: one is not there."""
    asked = {"group_id": group_id, "user_id": user_id, "session_ids": list(session_ids), "limit": _NAMES_COMPARED}
    rows = database.read("conversations/missing_sessions", **asked)
    missing = rows[0]["missing"] if rows else ()
    if missing:
        hint = did_you_mean(missing[0], rows[0]["known"], "amr chat sessions lists them")
        raise NotInMemory(f"user {user_id} has no session {missing[0]}", hint=hint)


def similar_to(name: str, known: Sequence[str]) -> list[str]:
    """Return at most three known names that begin with `name`, ignoring case; if none does, similar ones."""
    # Names that begin with what was typed come first: the id of a video ends in a fingerprint that nobody types.
    folded = {each.casefold(): each for each in known}
    begin = [each for start, each in folded.items() if start.startswith(name.casefold())]
    return begin[:_NAMES_SUGGESTED] or [
        folded[each] for each in get_close_matches(name.casefold(), folded, _NAMES_SUGGESTED)
    ]
