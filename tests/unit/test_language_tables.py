"""Tables of languages with a mistake are refused when they are loaded, with the key that is wrong."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from amr_neo4j.language import refusals
from amr_neo4j.language.plans import PlanTable
from amr_neo4j.language.questions import AskingPatterns
from amr_neo4j.tables import Table, first_error


def _content(name: str) -> dict[str, Any]:
    return yaml.safe_load(files("amr_neo4j.language").joinpath(name).read_text("utf-8"))


def _error(model: type[Table], content: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(content, context={"number": "two", "state": "open"})
    return first_error(caught.value)


@pytest.mark.parametrize("name", ["denials", "speech", "emerging", "known"])
def test_a_misspelt_class_of_refusals_is_missing(name: str) -> None:
    content = _content("refusals.yaml")
    content["classes"][f"{name}s"] = content["classes"].pop(name)
    assert _error(refusals._Table, content) == f"classes: Value error, {name} is missing"  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("model", "name", "key"),
    [
        (PlanTable, "en/plans.yaml", "ends"),
        (PlanTable, "en/plans.yaml", "intends"),
        (refusals._Table, "refusals.yaml", "behind"),  # pyright: ignore[reportPrivateUsage]
    ],
)
def test_a_text_in_the_place_of_a_list_is_refused(model: type[Table], name: str, key: str) -> None:
    """Joined, "abc" would be the pattern "a|b|c"."""
    content = _content(name)
    content[key] = ["abc"] if key == "behind" else "abc"
    assert _error(model, content).startswith(f"{key}")
    assert _error(model, content).endswith("Value error, Input should be a list of texts")


def test_invalid_numerals_are_refused_and_not_the_patterns_that_have_them() -> None:
    assert _error(AskingPatterns, _content("en/asking.yaml") | {"numerals": "first"}).startswith("numerals: ")
