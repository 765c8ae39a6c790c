"""Encodes messages between the sidecar and its clients: a JSON header, then arrays as raw bytes.

A message is 4 bytes with the length of the header (little endian), the header, and the arrays one after the other in
C order, little endian. The header is a JSON object. Its "arrays" are [[dtype, shape], ...].
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from math import prod
from typing import Annotated, Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from pydantic import Field, TypeAdapter

from amr_neo4j.domain.recall import Scope

Array: TypeAlias = npt.NDArray[Any]
CONTENT_TYPE = "application/vnd.amr.vectors"
# The path of an operation is PATH and its name. The number grows with every change that an older amr cannot read.
PATH = "/v2/"
ANOTHER_VERSION = "another version of amr: restart the sidecar with this one"
_LENGTH = struct.Struct("<I")
_DTYPES = {"f4": np.dtype("<f4"), "i8": np.dtype("<i8")}
_ARRAYS = TypeAdapter(list[tuple[Literal["f4", "i8"], list[Annotated[int, Field(ge=0)]]]])
_SCOPE = TypeAdapter(Scope)
_NAMES = frozenset(each.name for each in fields(Scope))
_MOMENTS = ("since", "until", "as_of", "known_at")


def encode(header: Mapping[str, Any], arrays: Sequence[Array] = ()) -> bytes:
    """Return the message. Arrays are float32 or int64."""
    kinds = ["f4" if array.dtype.kind == "f" else "i8" for array in arrays]
    described = [[kind, list(array.shape)] for kind, array in zip(kinds, arrays, strict=True)]
    head = json.dumps({**header, "arrays": described}).encode()
    raw = [np.ascontiguousarray(a, _DTYPES[kind]).tobytes() for kind, a in zip(kinds, arrays, strict=True)]
    return b"".join([_LENGTH.pack(len(head)), head, *raw])


def decode(message: bytes) -> tuple[dict[str, Any], list[Array]]:
    """Return (header, arrays). Raises ValueError if it is not a message."""
    try:
        [length] = _LENGTH.unpack_from(message)
        header: Any = json.loads(message[_LENGTH.size : _LENGTH.size + length])
        if not isinstance(header, dict):
            raise ValueError("not a message: its header is no object")  # noqa: TRY004
        arrays, at = list[Array](), _LENGTH.size + length
        described = _ARRAYS.validate_python(cast(dict[str, Any], header).pop("arrays"))
        for kind, shape in described:
            dtype, count = _DTYPES[kind], prod(shape)
            array: Array = np.frombuffer(message, dtype, count, at)
            arrays.append(np.reshape(array, tuple(shape)))
            at += count * dtype.itemsize
    except (struct.error, KeyError, OverflowError, RecursionError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"not a message: {error}") from error
    if at != len(message):
        raise ValueError("not a message: bytes are left over")
    return cast(dict[str, Any], header), arrays


def scope_to_json(scope: Scope) -> dict[str, Any]:
    """Return the scope as JSON, without what is not set. Moments by wall clock become ISO 8601."""
    table = {name: value for name, value in vars(scope).items() if value not in (None, (), "")}
    if scope.ranges:
        table["ranges"] = [[moment.isoformat() for moment in each] for each in scope.ranges]
    return {name: each.isoformat() if isinstance(each, datetime) else each for name, each in table.items()}


def scope_from_json(table: Mapping[str, Any]) -> Scope:
    """Return the scope. Raises ValueError if it is not one."""
    try:
        if unknown := table.keys() - _NAMES:
            raise ValueError(f"not a scope: {sorted(unknown)}")
        parts = {name: _moment(value) if name in _MOMENTS else value for name, value in table.items()}
        return _SCOPE.validate_python(parts)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"not a scope: {error}") from error


def _moment(value: float | str) -> float | datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value
