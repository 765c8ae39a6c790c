"""Ids of paths: P1 at the root, P1a below it, P1a1 below that; letters and digits alternate."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from itertools import count

_ID = re.compile(r"P[1-9]\d*(?:[a-z]+[1-9]\d*)*(?:[a-z]+)?")
_LAST = re.compile(r"\d+$|[a-z]+$")
ROOT = ""


def is_valid(path_id: str) -> bool:
    """Whether an id has the form P1, P1a, P1a1."""
    return bool(_ID.fullmatch(path_id))


def parent_of(path_id: str) -> str:
    """The id that this one stands below; ROOT for P1. The id must be valid."""
    parent = _LAST.sub("", path_id)
    return ROOT if parent == "P" else parent


def ancestors(path_id: str) -> Iterator[str]:
    """The ids above this one, the nearest first."""
    while path_id := parent_of(path_id):
        yield path_id


def next_free(parent: str, used: Container[str]) -> str:
    """The first id below `parent` that is not used."""
    return next(path_id for path_id in _children(parent) if path_id not in used)


def _children(parent: str) -> Iterator[str]:
    if not parent:
        return (f"P{number}" for number in count(1))
    if parent[-1].isdigit():
        return (f"{parent}{_letters(number)}" for number in count(1))
    return (f"{parent}{number}" for number in count(1))


def _letters(number: int) -> str:
    """1 -> a, 26 -> z, 27 -> aa."""
    text = ""
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("a") + letter) + text
    return text
