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
        needed = set(now.get("required", ())) - set(schema.get("required", ()))
        yield from (f"{name} needs {each}" for each in needed if is_sent)


def test_what_would_break_a_client_is_found() -> None:
    new, ask = deepcopy(OPENAPI), "/api/v1/ask"
    assert not [*broken(OPENAPI, new)]
    del new["paths"]["/api/v1/stats"], new["components"]["schemas"]["Stats"]["properties"]["videos"]
    new["paths"][ask]["post"]["parameters"][0]["required"] = True
    del new["paths"][ask]["post"]["responses"]["503"]
    new["components"]["schemas"]["PostAskRequest"]["required"].append("as_of")
    said = {f"post {ask} answers no 503", f"post {ask} needs group", "PostAskRequest needs as_of"}
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
