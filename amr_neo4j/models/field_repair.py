"""What of a reply is of the wrong type: put right where it leaves no doubt of what is meant, else dropped if it can.

Put right: a number or true for text and the reverse, one thing for a list of them, plain words for the thing that
they name and the reverse, a time as mm:ss or with its unit, marks between the words of an id, null for an empty text.
Dropped: keys nobody asked for; a value that may be left out; else the item of a list that it belongs to. The reply is
of no use where nothing would be left of one of its lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from amr_neo4j.models.json_reply import complaints

Path = tuple[int | str, ...]
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)")
_SECONDS = re.compile(r"(\d+(?:\.\d+)?) ?(?:s|sec|seconds)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_LISTS = {"tuple_type", "list_type"}
_NUMBERS = {"float_type", "float_parsing", "int_type", "int_parsing"}
# Which key of a thing its plain name stands for; and which keys of a thing name it.
_NAME_OF = {"SeenObject": "name", "Character": "name_or_description"}
_NAMED_BY = ("name", "local_character_id")
# Who is listed without an id has the one that the prompt gives by the place in the list.
_BY_PLACE = {("characters", "local_character_id"): "C{}"}
_NO_WAY = object()


def mend(whole: Any, shape: type[BaseModel], errors: Sequence[ErrorDetails]) -> list[str]:
    """Put right in place what pydantic found wrong; a note for each. Raises ValueError where it can't be."""
    schema = shape.model_json_schema()
    notes: list[str] = []
    dropped: dict[Path, str] = {}
    for wrong in errors:
        path = tuple(wrong["loc"])
        better = _better(whole, wrong, asked_for=_is_asked_for(schema, path))
        if better is not _NO_WAY:
            _at(whole, path[:-1])[path[-1]] = better
            notes.append(_changed(wrong, better))
            continue
        gone = _droppable(schema, path)
        if not gone:
            raise ValueError(complaints([wrong]))
        dropped.setdefault(gone, _why(wrong, gone))
    if _empties(whole, dropped):
        raise ValueError(complaints([wrong for wrong in errors if wrong["type"] != "extra_forbidden"]))
    for path in sorted(dropped, reverse=True):  # the last first: what goes out of a list moves what comes after it
        del _at(whole, path[:-1])[path[-1]]
    return [*notes, *dropped.values()]


def _better(whole: Any, wrong: ErrorDetails, *, asked_for: bool) -> Any:
    """The value as it was meant, _NO_WAY where nobody can tell."""
    kind, value = wrong["type"], wrong["input"]
    if kind == "missing":
        return _by_place(whole, tuple(wrong["loc"]))
    if kind == "string_type":
        return _text(value, asked_for=asked_for, listed=isinstance(wrong["loc"][-1], int))
    if kind in _LISTS:
        return [value] if isinstance(value, (str, dict)) else _NO_WAY
    return _of_words(wrong, value) if isinstance(value, str) else _NO_WAY


def _of_words(wrong: ErrorDetails, words: str) -> Any:
    """What a text stands for where something else was asked for, or another text."""
    kind, about = wrong["type"], wrong.get("ctx", {})
    if kind == "model_type" and about["class_name"] in _NAME_OF:
        return {_NAME_OF[about["class_name"]]: words}
    if kind in _NUMBERS:
        return _number(words.strip())
    if kind == "string_pattern_mismatch":
        joined = re.sub(r"[\W_]+", "_", words).strip("_")
        return joined if re.search(about["pattern"], joined) else _NO_WAY
    return _NO_WAY


def _text(value: Any, *, asked_for: bool, listed: bool) -> Any:
    if value is None:
        return "" if asked_for else _NO_WAY
    if isinstance(value, (int, float)):
        return json.dumps(value)
    if isinstance(value, dict):
        return _named(cast(dict[str, Any], value), listed=listed)
    return _NO_WAY


def _named(thing: dict[str, Any], *, listed: bool) -> Any:
    """What names it; of what stands in a list of texts all that it says, such as "C2: Is that it?"."""
    texts = [text for text in thing.values() if isinstance(text, str)]
    names = [thing[key] for key in _NAMED_BY if thing.get(key) in texts]
    if names:
        return names[0]
    return ": ".join(texts) if listed and len(texts) == len(thing) > 0 else _NO_WAY


def _number(text: str) -> Any:
    """As it stands, or a time in seconds."""
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = clock.groups(default="0")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
    unit = _SECONDS.fullmatch(text)
    return float(unit[1]) if unit else _NO_WAY


def _by_place(whole: Any, path: Path) -> Any:
    """The id that nobody else of the list has."""
    listed, key = path[0], path[-1]
    pattern = _BY_PLACE.get((str(listed), str(key)))
    if pattern is None:
        return _NO_WAY
    given = pattern.format(int(path[1]) + 1)
    others = [cast(dict[str, Any], each).get(str(key)) for each in whole[listed] if isinstance(each, dict)]
    return given if given not in others else _NO_WAY


def _droppable(schema: dict[str, Any], path: Path) -> Path:
    """What goes where the value at this path is of no use; empty where that is everything."""
    if not _is_asked_for(schema, path):
        return path
    places = [place for place, step in enumerate(path) if isinstance(step, int)]
    return path[: places[-1] + 1] if places else ()


def _is_asked_for(schema: dict[str, Any], path: Path) -> bool:
    """Whether an object cannot be without the key that ends the path."""
    node = schema
    for step in path[:-1]:
        node = node["items"] if isinstance(step, int) else node["properties"][step]
        node = schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
    return path[-1] in node.get("required", ())


def _empties(whole: dict[str, Any], dropped: Collection[Path]) -> bool:
    """Whether all that one of the reply's own lists holds would go."""
    lists = {str(path[0]) for path in dropped if len(path) == 2 and isinstance(path[1], int)}
    told = [[(name, n) for n, each in enumerate(whole[name]) if each is not None] for name in lists]
    return any(items and all(item in dropped for item in items) for items in told)


def _at(whole: Any, path: Path) -> Any:
    for step in path:
        whole = whole[step]
    return whole


def _changed(wrong: ErrorDetails, better: Any) -> str:
    where = ".".join(map(str, wrong["loc"]))
    if wrong["type"] == "missing":
        return f"{where}: missing, taken as {better!r:.60}"
    return f"{where}: {wrong['input']!r:.60} taken as {better!r:.60}"


def _why(wrong: ErrorDetails, gone: Path) -> str:
    where = ".".join(map(str, wrong["loc"]))
    if wrong["type"] == "extra_forbidden":
        return f"{where}: nobody asked for it; dropped"
    if wrong["input"] is None and gone == tuple(wrong["loc"]):
        return f"{where}: null, taken as left out"
    return f"{'.'.join(map(str, gone))}: dropped, for {where}: {wrong['msg']}"
