"""Reading JSON replies: what is accepted, and the error for what is not."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.replies import (
    GroupScore,
    MergedSummary,
    RefinedActions,
    Relevance,
    ShortIds,
    Statements,
    Summaries,
    TypedQuestion,
)
from amr_neo4j.models.chat import response_format
from amr_neo4j.models.json_reply import extract_object, read

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), values, max_size=4)
chatter = st.text(st.characters(exclude_characters="{}`"))
GOOD = '{"scores": [{"group": 1, "score": 0.5}]}'


@given(wanted=objects, before=chatter, after=chatter, indent=st.sampled_from([None, 2]))
def test_an_object_is_found_inside_other_text(
    wanted: dict[str, Any], before: str, after: str, indent: int | None
) -> None:
    """An object in any layout is found in any text without braces and fences."""
    assert json.loads(extract_object(before + json.dumps(wanted, indent=indent) + after)) == wanted


@given(wanted=objects, before=chatter, after=chatter, label=st.sampled_from(["", "json", "JSON "]))
def test_an_object_is_found_in_a_fence(wanted: dict[str, Any], before: str, after: str, label: str) -> None:
    """An object in a fence counts, with anything around it, other objects included."""
    text = f'{before} for example {{"a": 1}}\n```{label}\n{json.dumps(wanted, indent=2)}\n```\n{after}'
    assert json.loads(extract_object(text)) == wanted


@given(text=st.text() | st.text(alphabet='{}[]":,\\ntrue1e9`u\n '))
def test_any_text_is_handled(text: str) -> None:
    """Of any text at all, either an object comes out or a ValueError that says why not."""
    try:
        found = json.loads(extract_object(text))
    except ValueError as error:
        assert str(error)
    else:
        assert isinstance(found, dict)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\ufeff\n {GOOD}\r\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}```",
        f"```json {GOOD} ```",
        f"```json\n{GOOD}",
        f"Sure {{as you asked}}, here it is:\n\n{GOOD}\n\nAnything else?",
        f"```python\nprint('no object')\n```\n{GOOD}",
        f"{GOOD}\n{GOOD}",
        f"[{GOOD}]",
        f'<think>Perhaps {{"a": 1}}.</think>\n{GOOD}',
    ],
)
def test_accepted_values(text: str) -> None:
    assert read(text, Relevance) == Relevance(scores=[GroupScore(group=1, score=0.5)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n\ufeff", "empty"),
        ("I'd rather not.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        (GOOD[:-1], "broken"),
        (GOOD[:-4], "broken"),
        (GOOD.replace("]", ",]"), "broken"),
        (GOOD.replace('"', "'"), "no JSON object"),
        (GOOD.replace("}]", '}], "scores": []'), 'the key "scores" was there twice'),
        (f"{GOOD} or rather {GOOD.replace('0.5', '0.6')}", "2 JSON objects"),
        ('{"a": ' * 100_000, "nested too deep"),
        ('{"a": ' + "9" * 5_000 + "}", "a number too long"),
        (GOOD.replace("0.5", "1.7"), "scores: Value error, each score should be less than or equal to 1"),
        (GOOD.replace("0.5", "-0.1"), "scores.0.score: Input should be greater than or equal to 0"),
        (GOOD.replace("0.5", '"high"'), "scores.0.score: Input should be a valid number"),
        (GOOD.replace("0.5", "true"), "scores.0.score: Input should be a valid number"),
        (GOOD.replace("0.5", "NaN"), "scores.0.score: Input should be a finite number"),
        (GOOD.replace("1,", "1.5,"), "scores.0.group: Input should be a valid integer"),
        (GOOD.replace("scores", "marks"), "scores: Field required; marks: Extra inputs are not permitted"),
        ('{"question_type": "Cooking"}', "question_type: Input should be 'Object_Tracking'"),
    ],
)
def test_the_invalid_field_is_named(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(text, TypedQuestion if "question_type" in text else Relevance)


class Tricky(BaseModel):
    default: int = 1
    properties: list[GroupScore] = []
    maybe: GroupScore | None = None


@pytest.mark.parametrize("shape", [Relevance, TypedQuestion, Tricky])
def test_every_object_of_a_schema_is_closed_and_requires_all_keys(shape: type[BaseModel]) -> None:
    """The requirements of providers with structured output on a schema."""
    asked = response_format(shape)
    schema = asked["json_schema"]["schema"]
    assert (asked["type"], asked["json_schema"]["strict"]) == ("json_schema", True)
    for part in [schema, *(part for part in schema.get("$defs", {}).values() if part["type"] == "object")]:
        assert (part["required"], part["additionalProperties"]) == (list(part["properties"]), False)
        assert not any("default" in field for field in part["properties"].values())
    assert list(schema["properties"]) == list(shape.model_fields)


@pytest.mark.parametrize("shape", [ClipAnalysis, ShortIds, RefinedActions, Summaries, MergedSummary, Statements])
def test_bounds_that_providers_refuse_are_not_sent(shape: type[BaseModel]) -> None:
    """Lengths, sizes and patterns are validated when a reply is read."""
    unsent = '"(min|max)(Length|imum|Items)"|"exclusive|"pattern"'
    assert re.search(unsent, json.dumps(shape.model_json_schema()))
    assert not re.search(unsent, json.dumps(response_format(shape)))
