"""Extracts the one JSON object from a model's reply and the text around it (specification 000 II.6).

Also mends lone surrogates, halves of characters such as emoji: JSON can escape them, but UTF-8 and the graph cannot
hold them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from amr_neo4j.domain.ports import Shape

_FENCED = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_OBJECT_START = re.compile(r'\{\s*["}]')
_SURROGATE = re.compile("[\ud800-\udfff]")
_HIGH_SURROGATE = re.compile("[\ud800-\udbff]$")
_THINKING_BEGIN, _THINKING_END = "<think>", "</think>"
_MAX_COMPLAINTS, _MAX_COMPLAINT_CHARACTERS = 3, 200
# Far more than any reply needs. Parsing takes many times this size in memory.
MAX_CHARACTERS = 2 * 2**20


class RepeatedKey(ValueError):
    """A JSON object has the same key twice with different values."""


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs, as an object_pairs_hook of json. Raises RepeatedKey."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise RepeatedKey(f'the key "{key:.100}" was there twice in one object')
        found[key] = value
    return found


def read(text: str, shape: type[Shape]) -> Shape:
    """Return the reply's JSON object, validated. Raises ValueError: what is wrong, worded for the model."""
    try:
        return shape.model_validate_json(extract_object(text))
    except ValidationError as error:
        raise ValueError(complaints(error.errors())) from error


def extract_object(text: str) -> str:
    """Return the text of the one JSON object in a reply, without code fence, reasoning and prose around it.

    Equal objects count as one. Raises ValueError if there is none, it is malformed, or there are several.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it was longer than {MAX_CHARACTERS} characters")
    bare = without_thinking(text).strip("\ufeff \t\r\n")
    # A model whose template opens the thinking writes its end alone.
    if not bare.startswith(("{", "[", "```")):
        bare = bare.rpartition(_THINKING_END)[2].strip()
    if not bare:
        raise ValueError("it was empty")
    # A code fence is preferred: the prose around it may have braces too.
    fenced = "\n".join(_FENCED.findall(bare))
    is_unfenced = bare.startswith("{") or not _OBJECT_START.search(fenced)
    found = list(_objects(bare if is_unfenced else fenced))
    if not found:
        raise ValueError("there was no JSON object in it")
    if any(json.loads(other) != json.loads(found[0]) for other in found[1:]):
        raise ValueError(f"there were {len(found)} JSON objects in it, not one")
    return found[0]


def without_thinking(text: str) -> str:
    """Return the reply without the thinking that it begins with, <think>...</think>, finished or not."""
    return "".join(without_thinking_in([text]))


def without_thinking_in(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a text that comes in pieces as `without_thinking` returns it."""
    held, is_begun = "", False
    for piece in pieces:
        if is_begun:
            yield piece
            continue
        held += piece
        start = held.lstrip("\ufeff \t\r\n")
        if start.startswith(_THINKING_BEGIN):
            _, end, after = start.partition(_THINKING_END)
            if not (end and after.strip()):
                continue
            held = after.lstrip()
        elif _THINKING_BEGIN.startswith(start):
            continue
        is_begun = True
        yield held
    if not is_begun and not held.lstrip("\ufeff \t\r\n").startswith(_THINKING_BEGIN) and held.strip():
        yield held


def _objects(text: str) -> Iterator[str]:
    """Yield the text of each outermost object. A truncated object is an error; it is not searched for inner ones."""
    decoder, begin = json.JSONDecoder(object_pairs_hook=unique_keys), _OBJECT_START.search(text)
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
        begin = _OBJECT_START.search(text, end)


def complaints(errors: Sequence[ErrorDetails]) -> str:
    """Return the first few validation errors, without the values: they may be long, and the model has them."""
    found = [f"{'.'.join(map(str, error['loc']))}: {error['msg']}".lstrip(": ") for error in errors[:_MAX_COMPLAINTS]]
    return "; ".join(complaint[:_MAX_COMPLAINT_CHARACTERS] for complaint in found)


def joined(text: str) -> str:
    """Return the text with each pair of surrogates joined to one character, and each lone one as U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def joined_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """Yield a text that comes in pieces as `joined` returns it. A pair may be split between two pieces."""
    half = ""
    for piece in pieces:
        text = half + piece
        half = text[-1:] if _HIGH_SURROGATE.search(text) else ""
        yield joined(text.removesuffix(half) if half else text)
    if half:
        yield joined(half)


def joined_in(value: Any) -> tuple[Any, bool]:
    """Return (a JSON value with its texts as in `joined`, whether any was changed)."""
    if isinstance(value, str):
        return joined(value), bool(_SURROGATE.search(value))
    if isinstance(value, list):
        items = [joined_in(item) for item in cast(list[Any], value)]
        return [item for item, _ in items], any(changed for _, changed in items)
    if isinstance(value, dict):
        pairs = [(joined_in(key), joined_in(item)) for key, item in cast(dict[Any, Any], value).items()]
        return {key[0]: item[0] for key, item in pairs}, any(key[1] or item[1] for key, item in pairs)
    return value, False
