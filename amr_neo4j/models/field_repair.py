"""Repairs fields of the wrong type in a model's reply: they are converted if unambiguous, else dropped if optional.

Converted: a number or boolean given as text and the reverse, a single item or {id: item} given for a list, a name
given for the object it names and the reverse, a time as mm:ss or with a unit, separators and accents in an id, null
given for a text or for a list beside others, a key in another case or without its underscores.
Dropped: unexpected keys; an optional value; else the list item that the value belongs to.
A reply is rejected if one of its lists would lose every item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from amr_neo4j.domain.folding import without_accents
from amr_neo4j.domain.replies import letters_of
from amr_neo4j.domain.written_numbers import without_about, written_number
from amr_neo4j.models.json_reply import complaints

Path = tuple[int | str, ...]
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)")
_NUMBER_OF_SECONDS = re.compile(r"(\d+(?:[.,]\d{1,2}|\.\d+)?) ?(?:s|sec|seconds)")
_NAMED_NUMBER = re.compile(r"(?:[^\W\d_]+[ _#]*|#)(\d+)")  # "Group 2", "E3", "#2"
_ID = re.compile(r"(?:[^\W\d_]+)?[ _#-]?\d+")  # "C1", "event 2", "3"
_LISTS = {"tuple_type", "list_type"}
_WHOLE_NUMBERS = {"int_type", "int_parsing"}
_NUMBERS = {"float_type", "float_parsing", *_WHOLE_NUMBERS}
# {type: the key of its name}, for a bare name given in place of an object, and the keys that name an object.
_NAME_KEY = {"SeenObject": "name", "Character": "name_or_description", "AnswerClaim": "text"}
_NAMING_KEYS = ("name", "local_character_id")
# {type: (the key that tells its items apart, the key of a bare text)}, for {"C1": "old man"} in place of a list.
_MAP_KEYS = {
    "Character": ("local_character_id", "name_or_description"),
    "SeenObject": ("name", "spatial_description"),
    "AnalysedEvent": ("local_event_id", "summary"),
    "SpeakerTurn": ("speaker_id", "utterance"),
    "ShortId": ("local_character_id", "person_id"),
    "EventSummary": ("event", "summary"),
    "ActionsOfEvent": ("event", "actions"),
    "PlaceOf": ("number", "spatial_description"),
}
# A character listed without an id gets the one that the prompt assigns by position.
_ID_BY_POSITION = {("characters", "local_character_id"): "C{}"}
# An item that is missing here would be taken for a score of 0, so none is dropped.
_NEVER_DROPPED = {"GroupScore"}
# A reply with null instead of a list of these is rejected, not read as an empty list.
_NEVER_NULL = {"GroupScore", "AnalysedEvent"}
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_UNREPAIRABLE = object()


def repair(reply: Any, shape: type[BaseModel], errors: Sequence[ErrorDetails]) -> list[str]:
    """Repair in place what pydantic reported. Return a note for each repair.

    Raises ValueError: a mistake cannot be repaired, so the reply is rejected.
    """
    # A model's own validator may have brought the reply into another form, in which the value has another place.
    if moved := [error for error in errors if not _stands(reply, tuple(error["loc"]))]:
        raise ValueError(complaints(moved))
    schema = shape.model_json_schema()
    # The caller validates the reply again, so what else is wrong comes then.
    if notes := _renamed_keys(reply, schema, errors):
        return notes
    dropped: dict[Path, str] = {}
    for error in errors:
        path = tuple(error["loc"])
        # A wrong guess cannot slip through, as the reply is validated again.
        repaired = _repaired(reply, error, schema, required=_is_required(schema, path))
        if repaired is not _UNREPAIRABLE:
            _at(reply, path[:-1])[path[-1]] = repaired
            notes.append(_conversion_note(error, repaired))
            continue
        droppable = _droppable(schema, path)
        if not droppable:
            raise ValueError(complaints([error]))
        dropped.setdefault(droppable, _drop_note(error, droppable))
    if _empties_a_list(reply, dropped):
        raise ValueError(complaints([error for error in errors if error["type"] != "extra_forbidden"]))
    for path in sorted(dropped, reverse=True):  # from the end, so that list positions stay valid
        del _at(reply, path[:-1])[path[-1]]
    return [*notes, *dropped.values()]


def _renamed_keys(reply: Any, schema: dict[str, Any], errors: Sequence[ErrorDetails]) -> list[str]:
    """Give unexpected keys the names that they differ from in case and underscores alone. Return a note for each."""
    notes: list[str] = []
    for error in errors:
        path = tuple(error["loc"])
        if error["type"] != "extra_forbidden":
            continue
        written, around = str(path[-1]), _at(reply, path[:-1])
        expected = (name for name in _object_at(schema, path[:-1])["properties"] if name not in around)
        name = next((each for each in expected if letters_of(each) == letters_of(written)), "")
        if name:
            around[name] = around.pop(written)
            notes.append(f"{'.'.join(map(str, path))}: taken as {name}")
    return notes


def _repaired(reply: Any, error: ErrorDetails, schema: dict[str, Any], *, required: bool) -> Any:
    """Return the value that was meant; _UNREPAIRABLE if that is ambiguous."""
    kind, value = error["type"], error["input"]
    if kind == "missing":
        return _id_by_position(reply, tuple(error["loc"]))
    if kind == "string_type":
        return _as_text(value, required=required, in_list=isinstance(error["loc"][-1], int))
    if kind in _LISTS and value is None:
        return [] if required and _may_be_empty(reply, schema, tuple(error["loc"])) else _UNREPAIRABLE
    if kind in _LISTS:
        items = _items_by_id(cast(dict[str, Any], value), schema, error) if isinstance(value, dict) else None
        if items is not None:
            return items
        return [value] if isinstance(value, (str, dict, int, float)) else _UNREPAIRABLE
    return _from_text(error, value) if isinstance(value, str) else _UNREPAIRABLE


def _items_by_id(given: dict[str, Any], schema: dict[str, Any], error: ErrorDetails) -> list[dict[str, Any]] | None:
    """Return the items of {"C1": {...}} or {"C1": "old man"} with their ids; None for any other object.

    Only a speaker may have several: {"S1": [{...}, {...}]}. A number is no text, and {"old man": "actor"} has no id.
    """
    item = _object_at(schema, (*error["loc"], 0))
    is_item = not set(map(letters_of, given)).isdisjoint(map(letters_of, item.get("properties", ())))
    if item.get("title") not in _MAP_KEYS or is_item:
        return None
    name, text = _MAP_KEYS[item["title"]]
    is_list = item["properties"][text].get("type") == "array"
    items: list[dict[str, Any]] = []
    for key, value in given.items():
        is_several = isinstance(value, list) and item["title"] == "SpeakerTurn"
        several: list[Any] = cast(list[Any], value) if is_several else [value]
        is_bare = isinstance(value, list) if is_list else value is None or isinstance(value, str)
        if is_bare and (name == "name" or _ID.fullmatch(key.strip())):
            several = [{text: value}]
        if not all(isinstance(each, dict) for each in several):
            return None
        items += [{name: key, **cast(dict[str, Any], each)} for each in several]
    return items


def _from_text(error: ErrorDetails, text: str) -> Any:
    """Return the value that a text stands for: an object by its name, a number, or a text of the required pattern."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "model_type" and context["class_name"] in _NAME_KEY:
        return {_NAME_KEY[context["class_name"]]: text}
    if kind in _WHOLE_NUMBERS and (named := _NAMED_NUMBER.fullmatch(text.strip())):
        return int(named[1])
    if kind in _NUMBERS:
        return _number(text, whole=kind in _WHOLE_NUMBERS)
    if kind == "bool_type":
        return _BOOLEANS.get(text.strip().casefold(), _UNREPAIRABLE)
    if kind == "string_pattern_mismatch":
        joined = re.sub(r"[\W_]+", "_", without_accents(text)).strip("_")
        return joined if re.search(context["pattern"], joined) else _UNREPAIRABLE
    return _UNREPAIRABLE


def _may_be_empty(reply: Any, schema: dict[str, Any], path: Path) -> bool:
    """Return whether a list is not what the reply is for: it lies within an item, or another list has items."""
    node: dict[str, Any] = _object_at(schema, path[:-1])["properties"][path[-1]]
    if node.get("items", {}).get("$ref", "").rpartition("/")[2] in _NEVER_NULL:
        return False
    return len(path) > 1 or any(value and isinstance(value, list) for value in reply.values())


def _as_text(value: Any, *, required: bool, in_list: bool) -> Any:
    if value is None:
        return "" if required else _UNREPAIRABLE
    if isinstance(value, (int, float)):
        return json.dumps(value)
    if isinstance(value, dict):
        return _name_of(cast(dict[str, Any], value), in_list=in_list)
    return _UNREPAIRABLE


def _name_of(value: dict[str, Any], *, in_list: bool) -> Any:
    """Return the name of an object that was given in place of a text.

    In a list of texts an object without a name becomes all its texts, such as "C2: Is that it?".
    """
    texts = [text for text in value.values() if isinstance(text, str)]
    names = [value[key] for key in _NAMING_KEYS if value.get(key) in texts]
    if names:
        return names[0]
    return ": ".join(texts) if in_list and len(texts) == len(value) > 0 else _UNREPAIRABLE


def _number(text: str, *, whole: bool) -> Any:
    """Return a number, "90%" and "9/10" as a share, or a time as seconds."""
    number = written_number(text, whole=whole)
    if number is not None:
        return number
    text = without_about(text)
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = clock.groups(default="0")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds.replace(",", "."))
    unit = _NUMBER_OF_SECONDS.fullmatch(text)
    return float(unit[1].replace(",", ".")) if unit else _UNREPAIRABLE


def _id_by_position(reply: Any, path: Path) -> Any:
    """Return the id that the prompt assigns to this position of the list, unless another item has it."""
    name, key = path[0], path[-1]
    pattern = _ID_BY_POSITION.get((str(name), str(key)))
    if pattern is None:
        return _UNREPAIRABLE
    assigned = pattern.format(int(path[1]) + 1)
    others = [cast(dict[str, Any], item).get(str(key)) for item in reply[name] if isinstance(item, dict)]
    return assigned if assigned not in others else _UNREPAIRABLE


def _droppable(schema: dict[str, Any], path: Path) -> Path:
    """Return the path to drop if the value at this path cannot be used.

    It is the value itself if that is optional, else the list item that it belongs to. Empty if there is neither.
    """
    positions = [position for position, step in enumerate(path) if isinstance(step, int)]
    if _is_required(schema, path):
        path = path[: positions[-1] + 1] if positions else ()
    is_item = bool(path) and isinstance(path[-1], int)
    return () if is_item and _object_at(schema, path).get("title") in _NEVER_DROPPED else path


def _is_required(schema: dict[str, Any], path: Path) -> bool:
    """Return whether the key at the end of the path is required in its object."""
    return path[-1] in _object_at(schema, path[:-1]).get("required", ())


def _object_at(schema: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the schema of the value at a path."""
    node = schema
    for step in path:
        node = node["items"] if isinstance(step, int) else node["properties"][step]
        node = schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
    return node


def _empties_a_list(reply: dict[str, Any], dropped: Collection[Path]) -> bool:
    """Return whether one of the reply's top-level lists would lose every item."""
    lists = {str(path[0]) for path in dropped if len(path) == 2 and isinstance(path[1], int)}
    present = [[(name, n) for n, item in enumerate(reply[name]) if item is not None] for name in lists]
    return any(items and all(item in dropped for item in items) for items in present)


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _stands(reply: Any, path: Path) -> bool:
    """Return whether the value at a path may be set: the list or the object that it belongs to is there."""
    try:
        around = _at(reply, path[:-1])
    except (KeyError, IndexError, TypeError):
        return False
    return not path or isinstance(around, list) == isinstance(path[-1], int)


def _conversion_note(error: ErrorDetails, repaired: Any) -> str:
    where = ".".join(map(str, error["loc"]))
    if error["type"] == "missing":
        return f"{where}: missing, taken as {repaired!r:.60}"
    return f"{where}: {error['input']!r:.60} taken as {repaired!r:.60}"


def _drop_note(error: ErrorDetails, dropped: Path) -> str:
    where = ".".join(map(str, error["loc"]))
    if error["type"] == "extra_forbidden":
        return f"{where}: unexpected key; dropped"
    if error["input"] is None and dropped == tuple(error["loc"]):
        return f"{where}: null, taken as missing"
    return f"{'.'.join(map(str, dropped))}: dropped, because of {where}: {error['msg']}"
