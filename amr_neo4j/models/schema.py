"""A pydantic model as the schema that providers hold a model's reply to."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel

Json = dict[str, Any]
# Bounds that some providers refuse a schema for; replies are held to them all the same when they are read.
_UNSENT = {
    "default",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
}


def response_format(shape: type[BaseModel]) -> Json:
    """The `response_format` of a chat completion that asks for one object of this shape."""
    schema = {"name": shape.__name__, "strict": True, "schema": _strict(shape.model_json_schema())}
    return {"type": "json_schema", "json_schema": schema}


def _strict(schema: Json) -> Json:
    """As providers want it: every key of every object required, none but those, no defaults and no bounds.

    What is readOnly is ours to give, and not asked for.
    """
    strict: Json = {key: _nested(key, value) for key, value in schema.items() if key not in _UNSENT}
    if "properties" in schema:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def _nested(key: str, value: Any) -> Any:
    if key in {"properties", "$defs"}:
        return {name: _strict(schema) for name, schema in value.items() if not schema.get("readOnly")}
    if key in {"anyOf", "allOf", "oneOf", "prefixItems"}:
        return [_strict(schema) for schema in value]
    return _strict(cast(Json, value)) if key == "items" else value
