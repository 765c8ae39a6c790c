"""A pydantic model as the JSON schema of a structured output request."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel

Json = dict[str, Any]
# Keywords that some providers reject in a schema; the reply is validated against them anyway.
_OMITTED = {
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
    """Return the `response_format` of a chat completion that asks for one object of this model."""
    schema = {"name": shape.__name__, "strict": True, "schema": _strict(shape.model_json_schema())}
    return {"type": "json_schema", "json_schema": schema}


def _strict(schema: Json) -> Json:
    """The schema in strict mode: every key required, no others allowed, no defaults and no bounds.

    readOnly properties are filled in by this program and left out.
    """
    strict: Json = {key: _nested(key, value) for key, value in schema.items() if key not in _OMITTED}
    if "properties" in schema:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def _nested(key: str, value: Any) -> Any:
    if key in {"properties", "$defs"}:
        return {name: _strict(schema) for name, schema in value.items() if not schema.get("readOnly")}
    if key in {"anyOf", "allOf", "oneOf", "prefixItems"}:
        return [_strict(schema) for schema in value]
    return _strict(cast(Json, value)) if key == "items" else value
