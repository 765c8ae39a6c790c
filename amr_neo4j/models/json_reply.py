"""The one JSON object in what a model replied, whatever it wrote around it (seed 000, I.2.2 and II.6)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from amr_neo4j.domain.ports import Shape

_FENCED = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_BEGINS = re.compile(r'\{\s*["}]')
_THOUGHT = "</think>"
_COMPLAINTS = 3


class RepeatedKey(ValueError):
    """An object that says a key twice, and not the same: which one is meant nobody knows."""


def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values (an object_pairs_hook). Raises RepeatedKey."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise RepeatedKey(f'the key "{key}" was there twice in one object')
        found[key] = value
    return found


def read(text: str, shape: type[Shape]) -> Shape:
    """The object of the reply in this shape. Raises ValueError that says what is wrong, in words for the model."""
    try:
        return shape.model_validate_json(take_object(text))
    except ValidationError as error:
        raise ValueError(complaints(error.errors())) from error


def take_object(text: str) -> str:
    """The text of the one JSON object in a reply: trimmed, out of its fence, out of thoughts and chatter around it.

    The same object twice counts as one. Raises ValueError: none, a broken one, or several that differ.
    """
    bare = without_thoughts(text)
    if not bare:
        raise ValueError("it was empty")
    fenced = "\n".join(_FENCED.findall(bare))
    whole = bare.startswith("{") or not _BEGINS.search(fenced)
    found = list(_objects(bare if whole else fenced))
    if not found:
        raise ValueError("there was no JSON object in it")
    if any(json.loads(other) != json.loads(found[0]) for other in found[1:]):
        raise ValueError(f"there were {len(found)} JSON objects in it, not one")
    return found[0]


def without_thoughts(text: str) -> str:
    """The reply, trimmed, without what a model that thinks aloud wrote before it."""
    bare = text.strip("\ufeff \t\r\n")
    return bare if bare.startswith(("{", "[", "```")) else bare.rpartition(_THOUGHT)[2].strip()


def _objects(text: str) -> Iterator[str]:
    """The text of each outermost object. What begins like one and breaks off is not searched for smaller ones."""
    decoder, begin = json.JSONDecoder(object_pairs_hook=once), _BEGINS.search(text)
    while begin:
        try:
            end = decoder.raw_decode(text, begin.start())[1]
        except json.JSONDecodeError as error:
            raise ValueError(f"the JSON was broken: {error.msg} at character {error.pos - begin.start()}") from error
        except RepeatedKey:
            raise
        except (ValueError, RecursionError) as error:
            raise ValueError("the JSON was nested too deep or held a number too long") from error
        yield text[begin.start() : end]
        begin = _BEGINS.search(text, end)


def complaints(errors: Sequence[ErrorDetails]) -> str:
    """What pydantic found wrong, without the values: they may be long, and the model knows them."""
    found = [f"{'.'.join(map(str, wrong['loc']))}: {wrong['msg']}".lstrip(": ") for wrong in errors]
    return "; ".join(found[:_COMPLAINTS])
