"""Within /api/v1, calls and fields are added and none is taken away, compared with the last release."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
OPENAPI: dict[str, Any] = json.loads((ROOT / "docs" / "openapi.json").read_text("utf-8"))


def kinds(schema: dict[str, Any]) -> set[str]:
    """Return the kinds of values that a schema allows: types, names of schemas, values of an enumeration."""
    if options := schema.get("anyOf"):
        return set[str]().union(*map(kinds, options))
    if "items" in schema:
        return {f"list of {kind}" for kind in kinds(schema["items"])}
    if "enum" in schema or "const" in schema:
        return {json.dumps(value) for value in schema.get("enum", [schema.get("const")])}
    return {schema.get("$ref") or schema.get("format") or schema.get("type", "anything")}


def lost(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    """Return the kinds of values that only the old schema allows. Any text includes those of an enumeration."""
    now = kinds(new)
    gone = kinds(old) - now if "anything" not in now else set[str]()
    return {kind for kind in gone if not ("string" in now and kind.startswith('"'))}


def broken(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield what a client of the old document could not do with the new one."""
    for path, verbs in old["paths"].items():
        for verb, call in verbs.items():
            now = new["paths"].get(path, {}).get(verb)
            if now is None:
                yield f"{verb} {path} is gone"
                continue
            before, after = ({each["name"]: each for each in of.get("parameters", ())} for of in (call, now))
            yield from (f"{verb} {path} takes no {name}" for name in before.keys() - after.keys())
            both = before.keys() & after.keys()
            yield from (
                f"{verb} {path}: {name} takes no {kind}"
                for name in both
                for kind in lost(before[name]["schema"], after[name]["schema"])
            )
            needed = {name for name, each in after.items() if each.get("required")}
            needed -= {name for name, each in before.items() if each.get("required")}
            yield from (f"{verb} {path} needs {name}" for name in needed)
            yield from (
                f"{verb} {path} answers no {status}" for status in call["responses"].keys() - now["responses"]
            )
    known = new["components"]["schemas"]
    for name, schema in old["components"]["schemas"].items():
        now, is_sent = known.get(name, {}), name.endswith("Request")
        yield from (
            f"{name} has no {each}" for each in schema.get("properties", {}).keys() - now.get("properties", {})
        )
        yield from (f"{name} has no {value}" for value in set(schema.get("enum", ())) - {*now.get("enum", ())})
        for each in schema.get("properties", {}).keys() & now.get("properties", {}).keys():
            before, after = schema["properties"][each], now["properties"][each]
            # A request must take what it took. A reply must give what it gave, though an enumeration may grow.
            if is_sent:
                yield from (f"{name}: {each} takes no {kind}" for kind in lost(before, after))
            elif not any(kind.startswith('"') for kind in kinds(before)):
                yield from (f"{name}: {each} may be {kind}" for kind in lost(after, before))
        needed = set(now.get("required", ())) - set(schema.get("required", ()))
        yield from (f"{name} needs {each}" for each in needed if is_sent)


def test_what_would_break_a_client_is_found() -> None:
    new, ask = deepcopy(OPENAPI), "/api/v1/ask"
    assert not [*broken(OPENAPI, new)]
    del new["paths"]["/api/v1/stats"], new["components"]["schemas"]["Stats"]["properties"]["videos"]
    new["paths"][ask]["post"]["parameters"][0]["required"] = True
    del new["paths"][ask]["post"]["responses"]["503"]
    schemas = new["components"]["schemas"]
    schemas["PostAskRequest"]["required"].append("as_of")
    schemas["PostAskRequest"]["properties"]["since"] = {"type": "number"}
    schemas["Answer"]["properties"]["text"] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    schemas["Answer"]["properties"]["evidence"]["items"] = {"type": "integer"}
    schemas["Channel"]["enum"].remove("TEMPORAL")
    limit = next(each for each in new["paths"]["/api/v1/persons"]["get"]["parameters"] if each["name"] == "limit")
    limit["schema"] = {"type": "string"}
    said = {f"post {ask} answers no 503", f"post {ask} needs group", "PostAskRequest needs as_of"}
    said |= {"PostAskRequest: since takes no date-time", "PostAskRequest: since takes no null"}
    said |= {"Answer: text may be null", "Answer: evidence may be list of integer", "Channel has no TEMPORAL"}
    said |= {"get /api/v1/persons: limit takes no integer"}
    assert {*broken(OPENAPI, new)} == said | {"get /api/v1/stats is gone", "Stats has no videos"}


def test_no_client_of_the_last_release_is_broken() -> None:
    found = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0", "--match", "v*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        pytest.skip("nothing is released yet")
    at = f"{found.stdout.strip()}:docs/openapi.json"
    old = subprocess.run(["git", "show", at], cwd=ROOT, capture_output=True, check=True).stdout
    assert not [*broken(json.loads(old), OPENAPI)]
