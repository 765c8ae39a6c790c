"""Memory as tools of a chat model: schemas, results, and a complete exchange over a real socket."""

from __future__ import annotations

import json
from typing import Any, cast

import jsonschema
import pytest
from openai import OpenAI

from amr_neo4j import Memory
from amr_neo4j.errors import StoreUnavailable
from amr_neo4j.integrations.results import MOST_BYTES
from amr_neo4j.integrations.tools import call, tools
from tests.support.model_server import ModelServer

QUESTION = "Who carried the parcel into the kitchen?"
SCHEMAS: dict[str, dict[str, Any]] = {tool["function"]["name"]: cast("Any", tool["function"]) for tool in tools()}


def _call(memory: Memory, name: str, **arguments: Any) -> dict[str, Any]:
    return json.loads(call(memory, name, json.dumps(arguments)))


def test_the_schemas_are_strict() -> None:
    """As providers require: valid JSON schema, every key required, no other allowed, no defaults."""
    assert set(SCHEMAS) == {
        "search_memory",
        "search_events",
        "ask_memory",
        "memory_context",
        "lifecycle",
        "read_events",
        "list_persons",
        "list_objects",
        "memory_counts",
        "list_facts",
    }
    changing = {tool["function"]["name"] for tool in tools(read_only=False)} - SCHEMAS.keys()  # type: ignore[typeddict-item]
    assert changing == {"remember", "correct_fact"}
    assert all(tool["type"] == "function" for tool in tools())
    for function in SCHEMAS.values():
        assert function["strict"] and function["description"]
        schema = function["parameters"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert set(schema["required"]) == set(schema["properties"])
        assert schema["additionalProperties"] is False and "default" not in json.dumps(schema)
        assert all(each["description"] for each in schema["properties"].values())


ARGUMENTS = [
    {
        "videos": None,
        "sessions": None,
        "persons": None,
        "since": None,
        "until": None,
        "as_of": None,
        "known_at": None,
        "order": None,
        "all": None,
        "limit": None,
    },
    {
        "videos": ["kitchen_noon"],
        "sessions": None,
        "persons": [],
        "since": 0,
        "until": 900.5,
        "as_of": None,
        "known_at": None,
        "order": "latest",
        "all": True,
        "limit": 3,
    },
    {
        "videos": [],
        "sessions": None,
        "persons": ["Anna", "Ben"],
        "since": "2000-01-01T00:00:00Z",
        "until": None,
        "as_of": "2100-01-01T00:00:00+01:00",
        "known_at": "2100-01-01T00:00:00Z",
        "order": "time",
        "all": False,
        "limit": 20,
    },
]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_calls_allowed_by_the_schema_are_run(memory: Memory, arguments: dict[str, Any]) -> None:
    asked = {"text": QUESTION, **arguments}
    jsonschema.validate(asked, SCHEMAS["search_events"]["parameters"])
    events = _call(memory, "search_events", **asked)["events"]
    assert 0 < len(events) <= (arguments["limit"] or 10)
    for event in events:
        stored = memory.event(event["node_id"])
        assert (stored.video_id, stored.time_start) == (event["video"], event["start"])
        assert event["citation"].startswith(f"[event {event['node_id']}, {event['video']}, ")


def test_events_are_given_in_the_order_that_is_asked_for(memory: Memory) -> None:
    found = {
        order: _call(memory, "search_events", text="kitchen", order=order, limit=5) for order in ("time", "latest")
    }
    times = {order: [event["at"] for event in each["events"]] for order, each in found.items()}
    assert times["time"] == sorted(times["time"]) and times["latest"] == sorted(times["latest"], reverse=True)


def test_a_search_goes_on_to_its_limit_if_it_is_asked_to(memory: Memory) -> None:
    few, many = (_call(memory, "search_events", text=QUESTION, all=all, limit=1)["total"] for all in (False, True))
    assert 1 < few < many


def test_a_video_is_read_around_an_event_as_far_as_is_asked(memory: Memory) -> None:
    event = memory.search(QUESTION, limit=1)[0].event
    for before, after in ((0, 0), (600, 0), (0, 600)):
        read = _call(memory, "read_events", node_id=event.node_id, before=before, after=after)["events"]
        around = [each.node_id for each in memory.around(event.node_id, before_s=before, after_s=after)]
        assert {each["node_id"] for each in read} <= set(around) and event.node_id in around
        assert len(read) > 1 or (before, after) == (0, 0)


@pytest.mark.parametrize("name", ["list_persons", "list_objects", "memory_counts"])
def test_a_list_is_read_to_its_end(memory: Memory, name: str) -> None:
    arguments: dict[str, Any] = {"by": "object"} if name == "memory_counts" else {}
    read, skip = list[str](), 0
    while True:
        result = _call(memory, name, **arguments, skip=skip)
        [rows] = [value for value in result.values() if isinstance(value, list)]
        read += [str(sorted(row.items(), key=str)) for row in rows]
        if "go_on_with" not in result:
            break
        assert result["go_on_with"]["skip"] > skip
        skip = result["go_on_with"]["skip"]
    whole = {
        "list_persons": memory.known_persons,
        "list_objects": memory.known_objects,
        "memory_counts": lambda: memory.counts("object", limit=1000),
    }[name]()
    assert len(read) == len(set(read)) == len(whole) > 20 or (name == "list_persons" and len(read) == len(whole))


def test_a_tool_that_changes_memory_is_refused_unless_it_is_offered(memory: Memory) -> None:
    said = json.dumps({"text": "I live in Ghent."})
    assert "there is no tool remember" in json.loads(call(memory, "remember", said))["error"]


def test_an_answer_contains_the_cited_events(memory: Memory) -> None:
    given = memory.ask(QUESTION)
    result = _call(memory, "ask_memory", question=QUESTION)
    assert result["found"] and result["answer"] == given.text
    assert [event["node_id"] for event in result["events"]] == [cited.node_id for cited in given.citations]
    assert all(event["citation"] in result["answer"] for event in result["events"])
    nothing = _call(memory, "ask_memory", question="Where is the elephant?")
    assert not nothing["found"] and nothing["events"] == []


def test_episodes_take_in_events_of_videos(memory: Memory) -> None:
    """Also without a user: then there are no facts and no conversations."""
    asked = {"query": "somebody carries a parcel into the kitchen", "search_type": "episodes"}
    asked |= dict.fromkeys(("limit", "as_of", "known_at"))
    jsonschema.validate(asked, SCHEMAS["search_memory"]["parameters"])
    results = _call(memory, "search_memory", **asked)["results"]
    assert results and all(each["kind"] == "event" and each["source"].startswith("[event ") for each in results)
    assert "parcel" in results[0]["text"]
    assert _call(memory, "search_memory", **asked | {"search_type": "facts"})["results"] == []


def test_results_are_small(memory: Memory) -> None:
    """A model receives at most 4 KB, and is told how many events were left out."""
    most = call(memory, "search_events", json.dumps({"text": "the kitchen", "limit": 20}))
    kept = json.loads(most)
    assert 3 < len(kept["events"]) < 20 and len(most.encode()) <= MOST_BYTES
    assert kept["cut"].startswith(f"{20 - len(kept['events'])} of 20 events left out")


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("forget", "{}", "there is no tool forget; there are search_memory, search_events, ask_memory"),
        ("half \ud800", "{}", "there is no tool half ?; there are"),
        ("ask_memory", "{", "no JSON object"),
        ("ask_memory", "", "it was empty"),
        ("ask_memory", "{}", "question: Field required"),
        ("ask_memory", '{"question": ""}', "question"),
        ("ask_memory", '{"question": "where?", "room": "hall"}', "room: Extra inputs"),
        ("ask_memory", '{"question": "where?", "videos": "kitchen"}', "videos: Input should be a valid array"),
        ("ask_memory", '{"question": "where?", "videos": ["garden"]}', "video garden is not in group"),
        (
            "ask_memory",
            '{"question": "where?", "known_at": "yesterday"}',
            "known_at: Input should be",
        ),
        ("ask_memory", '{"question": "where?", "since": 9, "until": 3}', "ends before it starts"),
        ("search_events", '{"text": "keys", "limit": 0}', "limit: Input should be greater than or equal to 1"),
        ("search_events", '{"text": "keys", "limit": -1}', "limit"),
        ("read_events", '{"node_id": 0, "video": "garden"}', "node_id and video name two places"),
        ("read_events", '{"video": "garden", "before": 5}', "before and after are seconds around an event"),
    ],
)
def test_an_invalid_call_by_the_model_is_returned_as_one_line(
    memory: Memory, name: str, arguments: str, said: str
) -> None:
    result = json.loads(call(memory, name, arguments))
    assert set(result) == {"error"} and said in result["error"] and "\n" not in result["error"]


def test_errors_the_model_cannot_correct_are_raised(memory: Memory, no_retries: None) -> None:
    nowhere = memory.settings.model_copy(update={"neo4j_uri": "bolt://127.0.0.1:1"})
    with Memory.connect(nowhere) as away, pytest.raises(StoreUnavailable):
        call(away, "ask_memory", json.dumps({"question": QUESTION}))


def test_a_model_asks_by_a_tool_and_answers_from_it(memory: Memory, model_server: ModelServer) -> None:
    """A complete exchange with the openai SDK: the tools go out, the call comes back, its result goes out."""
    model_server.then(calls={"search_events": {"text": QUESTION, "limit": 2}, "ask_memory": '{"question": '})
    model_server.then("The man in a yellow jacket.")
    client = OpenAI(base_url=model_server.url, api_key="none")
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    asked = client.chat.completions.create(model="any", messages=messages, tools=tools()).choices[0].message
    messages.append(asked)
    for one in asked.tool_calls or ():
        content = call(memory, one.function.name, one.function.arguments)  # type: ignore[union-attr]
        messages.append({"role": "tool", "tool_call_id": one.id, "content": content})
    done = client.chat.completions.create(model="any", messages=messages, tools=tools()).choices[0].message
    assert done.content == "The man in a yellow jacket."
    first, second = (request.body for request in model_server.requests)
    assert first["tools"] == tools()
    found, mistake = (json.loads(message["content"]) for message in second["messages"][-2:])
    assert len(found["events"]) == 2 and "error" in mistake
