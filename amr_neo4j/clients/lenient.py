"""A reply with slips that leave no doubt of what is meant: put right, and noted. What leaves doubt is asked again.

A reply that breaks off is never completed: what it lost nobody knows.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from amr_neo4j.clients.json_reply import complaints, take_object
from amr_neo4j.domain.ports import Shape

_ROUNDS = 4
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)")
_SECONDS = re.compile(r"(\d+(?:\.\d+)?) ?(?:s|sec|seconds)")
_GONE = object()


def read_leniently(text: str, shape: type[Shape]) -> tuple[Shape, tuple[str, ...]]:
    """The object of the reply in this shape, and a note for each slip. Raises ValueError as `json_reply.read`.

    Put right: single quotes, trailing commas and comments (JSON5); keys that nobody asked for, and null where a key
    may be left out: dropped; a number or true for text; text for a list of texts; a time as mm:ss or with its unit.
    """
    found, notes = _object(text)
    for _ in range(_ROUNDS):
        try:
            return shape.model_validate(found), tuple(dict.fromkeys(notes))
        except ValidationError as error:
            # the last first: what goes out of a list moves what comes after it
            mended = [note for wrong in reversed(error.errors()) if (note := _mend(found, wrong))]
            if not mended:
                raise ValueError(complaints(error)) from error
            notes += reversed(mended)
    raise ValueError("too much of it was of the wrong type")


def _object(text: str) -> tuple[dict[str, Any], list[str]]:
    try:
        return json.loads(take_object(text)), []
    except ValueError as broken:
        found = _json5(text)
        if found is None:
            raise
        return found, [f"the reply was no strict JSON ({broken})"]


def _json5(text: str) -> dict[str, Any] | None:
    """The object from the first brace to the last, by the laxer grammar; None where there is none."""
    import json5  # noqa: PLC0415 - a parser to build, for the few replies that need it

    try:
        found: object = json5.loads(text[text.find("{") : text.rfind("}") + 1], allow_duplicate_keys=False)
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], found) if isinstance(found, dict) else None


def _mend(whole: Any, wrong: ErrorDetails) -> str:
    """Put one thing right in place; what was done, or nothing where it can't be."""
    *path, last = wrong["loc"]
    holder = whole
    for step in path:
        holder = holder[step]
    value, where = wrong["input"], ".".join(map(str, wrong["loc"]))
    if wrong["type"] == "extra_forbidden":
        del holder[last]
        return f"{where}: nobody asked for it; dropped"
    better = _better(wrong["type"], value)
    if better is _GONE:
        return ""
    if better is None:
        del holder[last]
        return f"{where}: null, taken as left out"
    holder[last] = better
    return f"{where}: {value!r:.60} taken as {better!r:.60}"


def _better(kind: str, value: Any) -> Any:
    """The value as it was meant, None where it is to be left out, _GONE where nobody can tell."""
    if value is None:
        return None if kind.endswith("_type") else _GONE
    if kind == "string_type" and isinstance(value, (int, float)):
        return json.dumps(value)
    if kind == "tuple_type" and isinstance(value, (str, dict)):
        return [value]
    if kind == "float_parsing" and isinstance(value, str):
        return _seconds(value.strip())
    return _GONE


def _seconds(text: str) -> Any:
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = clock.groups(default="0")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    unit = _SECONDS.fullmatch(text)
    return float(unit[1]) if unit else _GONE
