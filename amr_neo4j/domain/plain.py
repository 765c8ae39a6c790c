"""Objects as plain JSON, as the command line and the server print them, and as mappings of their attributes."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import Any, cast

from amr_neo4j.domain.page import Page

Json = dict[str, Any]
"""An object of JSON."""


def plain(value: Any) -> Any:
    """Return a value in a form that JSON has: dataclasses as objects, times as ISO 8601, all else as text.

    It is the `default` of json.dumps, which calls it again for what is inside.
    """
    if isinstance(value, Page):
        page = cast("Page[Any]", value)
        notes = {"notes": page.notes} if page.notes else {}
        return {"items": page.items, "total": page.total, "next": page.next} | notes
    if dataclasses.is_dataclass(value):
        return fields_of(value)
    return value.isoformat() if isinstance(value, datetime) else str(value)


def fields_of(value: Any) -> dict[str, Any]:
    """Return {name: value} of the fields of a dataclass. Values that are dataclasses themselves are left as they
    are.

    suspected_injection, which is a property of some classes, is included only if it is true.
    """
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    fields.pop("suspected_injection", None)
    return fields | ({"suspected_injection": True} if getattr(value, "suspected_injection", False) else {})


def picked(record: object, *names: str) -> dict[str, Any]:
    """Return {name: value} of these attributes, in this order."""
    return {name: getattr(record, name) for name in names}
