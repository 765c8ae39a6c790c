"""A reply with slips that leave no doubt of what is meant: put right, and noted. What leaves doubt is asked again.

A reply that breaks off is never completed: what it lost nobody knows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast, get_origin

from pydantic import BaseModel, ValidationError

from amr_neo4j.domain.ports import Shape
from amr_neo4j.models import lenient_json
from amr_neo4j.models.field_repair import mend
from amr_neo4j.models.json_reply import RepeatedKey, once, take_object, without_thoughts

_ROUNDS = 8
Json = dict[str, Any]


def read_leniently(text: str, shape: type[Shape]) -> tuple[Shape, tuple[str, ...]]:
    """The object of the reply in this shape, and a note for each slip. Raises ValueError as `json_reply.read`.

    Put right: almost JSON (lax_json); other objects and prose around it; an object or a list of its own where the
    whole was asked for; and what `mending` puts right or drops.
    """
    found, notes = _object(text, shape)
    for _ in range(_ROUNDS):
        try:
            return shape.model_validate(found), tuple(dict.fromkeys(notes))
        except ValidationError as error:
            notes += mend(found, shape, error.errors())
    raise ValueError("too much of it was of the wrong type")


def _object(text: str, shape: type[BaseModel]) -> tuple[Json, list[str]]:
    if found := _listed(text, shape):
        return found, ["the reply was a list alone, taken for the one that was asked for"]
    try:
        return _inside(json.loads(take_object(text), object_pairs_hook=once), shape)
    except RepeatedKey:
        raise
    except ValueError as broken:
        found = _the_one(lenient_json.objects(without_thoughts(text)), shape)
        if found is None:
            raise
        return found[0], [f"the reply was no strict JSON ({broken})", *found[1]]


def _listed(text: str, shape: type[BaseModel]) -> Json | None:
    """A reply that is nothing but the list of things that was asked for, as the whole."""
    bare = without_thoughts(text)
    if not bare.startswith("["):
        return None
    try:
        listed, _ = lenient_json.value(bare, 0)
    except RepeatedKey:
        raise
    except (ValueError, RecursionError):
        return None
    asked = {name: field for name, field in shape.model_fields.items() if field.is_required()}
    lists = [name for name, field in asked.items() if get_origin(field.annotation) in (list, tuple)]
    if len(lists) != 1 or not listed or not all(_is_part(each, shape) for each in listed):
        return None
    return dict.fromkeys(asked, "") | {lists[0]: listed}


def _the_one(objects: Iterator[Json], shape: type[BaseModel]) -> tuple[Json, list[str]] | None:
    """The only one of the objects that has a key of the shape, alike ones aside."""
    taken = [inside for each in objects if _fits((inside := _inside(each, shape))[0], shape)]
    return taken[0] if taken and all(other[0] == taken[0][0] for other in taken) else None


def _inside(found: Json, shape: type[BaseModel]) -> tuple[Json, list[str]]:
    """The object itself, or the one in it that has keys of the shape where it has none."""
    if _fits(found, shape):
        return found, []
    inner = {key: cast(Json, value) for key, value in found.items() if isinstance(value, dict)}
    fitting = [key for key, value in inner.items() if _fits(value, shape)]
    if len(fitting) != 1:
        return found, []
    return inner[fitting[0]], [f"{fitting[0]}: taken for the whole"]


def _is_part(each: Any, shape: type[BaseModel]) -> bool:
    """Whether it is a thing, and not the whole."""
    return isinstance(each, dict) and not _fits(cast(Json, each), shape)


def _fits(found: Json, shape: type[BaseModel]) -> bool:
    return not shape.model_fields.keys().isdisjoint(found)
