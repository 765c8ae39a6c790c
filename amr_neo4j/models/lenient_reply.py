"""Parses a model's reply leniently: unambiguous mistakes are repaired and noted, ambiguous ones are errors.

The parser also takes the near-JSON that models write: single and typographic quotes, unquoted keys, comments,
trailing commas, Python's True, False and None, line breaks in strings, numbers such as .5, +1 and 9/10. It runs
in linear time and completes nothing: truncated text and missing commas are errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast, get_origin

from pydantic import BaseModel, ValidationError

from amr_neo4j.domain.plain import Json
from amr_neo4j.domain.ports import Shape
from amr_neo4j.models.field_repair import repair
from amr_neo4j.models.json_reply import (
    MAX_CHARACTERS,
    RepeatedKey,
    extract_object,
    joined_in,
    unique_keys,
    without_thinking,
)

# A repair may uncover further mistakes, so validation and repair alternate, at most this often.
_MAX_ROUNDS = 8
_MAX_NOTES, _MAX_NOTE_CHARACTERS = 50, 300
_OBJECT_START = re.compile(r"""\{\s*(?:["'“”„}]|//|/\*|[A-Za-z_$][\w$]*\s*:)""")
# The package json5 takes 22 µs a byte, and accepts neither Python's True nor typographic quotes (decision 0001).
_TOKEN = re.compile(
    r"""(?P<text>"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'|[“”„][^“”„"\\]*(?:\\.[^“”„"\\]*)*[“”„"])"""
    r"""|(?P<skipped>\s+|//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<unterminated>["'“”„]|/\*)"""
    r"""|(?P<key>[A-Za-z_$][\w$]*(?=\s*:))"""
    r"""|(?P<word>[A-Za-z_$][\w$]*)"""
    r"""|(?P<part>\d+(?:\.\d+)?\s*/\s*\d+)"""
    r"""|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
_STRICT_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_ESCAPE = re.compile(r'\\(x[0-9a-fA-F]{2}|.)|"', re.DOTALL)
_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
# At most this many malformed candidates are skipped.
_MAX_FAILURES = 8
_MAX_DEPTH = 200
_RESULT_KEY = re.compile(r"results?|outputs?|answers?|response|reply|data|items|list", re.IGNORECASE)


def read_leniently(text: str, shape: type[Shape]) -> tuple[Shape, tuple[str, ...]]:
    """Return the reply's JSON object, validated, and a note for each repair.

    Raises ValueError: what is wrong, worded for the model.
    These mistakes are repaired: near-JSON; prose and other objects around the object; an object nested in another
    one; the object's one list without the object or under "result"; and fields of the wrong type (field_repair).
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it was longer than {MAX_CHARACTERS} characters")
    found, notes = _parsed(text, shape)
    found, had_surrogates = joined_in(found)
    if had_surrogates:
        notes.append("the reply had lone surrogates, halves of characters; replaced")
    for _ in range(_MAX_ROUNDS):
        try:
            return shape.model_validate(found), _bounded(notes)
        except ValidationError as error:
            notes += repair(found, shape, error.errors())
    raise ValueError("too much of it was of the wrong type")


def _bounded(notes: list[str]) -> tuple[str, ...]:
    """Return each note once, in order: neither too many nor too long for a receipt."""
    distinct = list(dict.fromkeys(note[:_MAX_NOTE_CHARACTERS] for note in notes))
    left = len(distinct) - _MAX_NOTES
    return (*distinct[:_MAX_NOTES], *([f"and {left} more repairs"] if left > 0 else []))


def _parsed(text: str, shape: type[BaseModel]) -> tuple[Json, list[str]]:
    """Return (the object of the reply, a note for each repair)."""
    if found := _from_bare_list(text, shape):
        return found, ["the reply was a bare list, taken as the list asked for"]
    try:
        whole = json.loads(extract_object(text), object_pairs_hook=unique_keys)
        return _from_result(whole, shape) or _unwrapped(whole, shape)
    except RepeatedKey:
        raise
    except ValueError as error:
        found = _only_match(_objects(without_thinking(text)), shape)
        if found is None:
            raise
        return found[0], [f"the reply was not strict JSON ({error})", *found[1]]


def _from_bare_list(text: str, shape: type[BaseModel]) -> Json | None:
    """Return the object for a reply that gives only the object's one required list; None for other replies."""
    bare = without_thinking(text)
    if not bare.startswith("["):
        return None
    try:
        items, _ = _value(bare, 0)
    except RepeatedKey:
        raise
    except (ValueError, RecursionError):
        return None
    return _around(items, shape)


def _around(items: Any, shape: type[BaseModel]) -> Json | None:
    """Return the object whose one required list these items are; None if they are not."""
    required = {name: field for name, field in shape.model_fields.items() if field.is_required()}
    lists = [name for name, field in required.items() if get_origin(field.annotation) in (list, tuple)]
    if len(lists) != 1 or not isinstance(items, list) or not items:
        return None
    given = cast(list[Any], items)
    return dict.fromkeys(required, "") | {lists[0]: given} if all(_is_item(item, shape) for item in given) else None


def _from_result(found: Json, shape: type[BaseModel]) -> tuple[Json, list[str]] | None:
    """Return the object for {"result": [...]} and a note, if the list is valid as it is; None for other replies.

    Under any other key the items may be what the model rejected or only considered.
    """
    if len(found) != 1:
        return None
    [(key, items)] = found.items()
    whole = _around(items, shape) if _RESULT_KEY.fullmatch(key) else None
    try:
        shape.model_validate(whole)
    except ValidationError:
        return None
    return cast(Json, whole), [f"{key}: taken as the list asked for"]


def _only_match(objects: Iterator[Json], shape: type[BaseModel]) -> tuple[Json, list[str]] | None:
    """Return the only object with a key of the model, and the notes of its repair. Equal objects count as one.

    None if there is none, or several different ones.
    """
    matches = [inner for found in objects if _has_a_key_of((inner := _unwrapped(found, shape))[0], shape)]
    return matches[0] if matches and all(other[0] == matches[0][0] for other in matches) else None


def _unwrapped(found: Json, shape: type[BaseModel]) -> tuple[Json, list[str]]:
    """Return the object itself. If it has no key of the model, return the only object nested in it that has one."""
    if _has_a_key_of(found, shape):
        return found, []
    nested = {key: cast(Json, value) for key, value in found.items() if isinstance(value, dict)}
    matching = [key for key, value in nested.items() if _has_a_key_of(value, shape)]
    if len(matching) != 1:
        return found, []
    return nested[matching[0]], [f"{matching[0]}: taken as the whole reply"]


def _is_item(value: Any, shape: type[BaseModel]) -> bool:
    """Return whether a value is an object that belongs into the list, and not the whole reply."""
    return isinstance(value, dict) and not _has_a_key_of(cast(Json, value), shape)


def _has_a_key_of(found: Json, shape: type[BaseModel]) -> bool:
    return not shape.model_fields.keys().isdisjoint(found)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield each outermost object of a text in near-JSON; malformed ones are skipped. Raises RepeatedKey."""
    begin, failures = _OBJECT_START.search(text), 0
    while begin and failures < _MAX_FAILURES:
        end = begin.start() + 1
        try:
            found, end = _value(text, begin.start())
            yield found
        except RepeatedKey:
            raise
        except (ValueError, RecursionError):
            failures += 1
        begin = _OBJECT_START.search(text, end)


def _value(text: str, begin: int) -> tuple[Any, int]:
    """Parse the object or list at position `begin`; return it and its end. Raises ValueError, RecursionError."""
    strict: list[str] = []
    depth = 0
    for token in _TOKEN.finditer(text, begin):
        kind, piece = token.lastgroup or "", token[0]
        if kind == "skipped":
            continue
        # A trailing comma.
        if piece in ("}", "]") and strict[-1] == ",":
            strict.pop()
        strict.append(_strict(kind, piece))
        depth += (piece in ("{", "[")) - (piece in ("}", "]"))
        if depth > _MAX_DEPTH:
            break
        if not depth:
            return json.loads(" ".join(strict), strict=False, object_pairs_hook=unique_keys), token.end()
    # A truncated reply is never completed, because nobody knows what it lost (decision 0001).
    raise ValueError("truncated, or nested too deep")


def _strict(kind: str, piece: str) -> str:
    """Return a token as strict JSON."""
    if kind == "unterminated":
        raise ValueError("unterminated string or comment")
    if kind == "text":
        return f'"{_ESCAPE.sub(_escaped, piece[1:-1])}"'
    if kind in ("key", "part"):
        return f'"{piece}"'
    if kind == "number" and not _STRICT_NUMBER.fullmatch(piece):
        return repr(float(piece))
    return _PYTHON_WORDS.get(piece, piece) if kind == "word" else piece


def _escaped(found: re.Match[str]) -> str:
    """Return a quote or an escape within a string, as JSON writes it."""
    after = found[1]
    if not after:
        return r"\""
    # A backslash at the end of a line continues the text on the next, as in JavaScript.
    if after == "\n":
        return ""
    # "\x41", which JSON lacks, becomes "\u0041".
    if len(after) == 3:
        return rf"\u00{after[1:]}"
    # JSON has no other escapes, so "\'" becomes "'".
    return found[0] if after in '"\\/bfnrtu' else after
