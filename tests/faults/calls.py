"""The Python API: every public method of Memory and of a live chat by its signature, and the tools of a model."""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, get_type_hints

from amr_neo4j import Memory
from amr_neo4j.domain.arguments import Bounds, ExploreArguments
from amr_neo4j.integrations.tools import call as call_tool
from amr_neo4j.integrations.tools import tools
from amr_neo4j.live_chat.session import LiveChat
from tests.faults import nasty
from tests.faults.tally import Tally, call

NOT_CALLED = {
    "open": "settings have a kind of their own",
    "connect": "as open",
    "close": "the memory is used by all",
    "serve_vectors": "the sidecar has a kind of its own",
    "reembed": "takes no argument that reaches the graph, and seconds",
}
NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAMPLES: dict[str, Sequence[Any]] = {
    **dict.fromkeys(
        ("question", "text", "query"),
        (
            "Where are the keys?",
            "Who comes in?",
        ),
    ),
    **dict.fromkeys(
        ("name", "one", "other", "speaker", "person"),
        (
            "Anna",
            "keys",
        ),
    ),
    **dict.fromkeys(
        ("user_id", "session_id", "video_id", "video", "other_video", "clip_id"),
        (
            "door",
            "turns",
        ),
    ),
    **dict.fromkeys(
        ("since", "until"),
        (
            3.0,
            NOW,
        ),
    ),
    **dict.fromkeys(("as_of", "known_at", "known_since", "at", "recorded_at", "before"), (NOW,)),
    **dict.fromkeys(
        ("videos", "persons", "sessions"),
        (
            ["door"],
            ["Anna"],
        ),
    ),
    **dict.fromkeys(
        ("places", "files", "source"),
        (
            "no-such-file.mp4",
            "no-such-folder/",
            "tcp://127.0.0.1:9",
        ),
    ),
    **dict.fromkeys(
        ("limit", "node_id", "width", "look"),
        (
            1,
            20,
        ),
    ),
    **dict.fromkeys(
        ("subject", "relation", "object"),
        (
            "you",
            "lives_in",
            "Rome",
        ),
    ),
    "messages": [["I moved to Rome."], [{"role": "user", "content": "I moved to Rome."}]],
    "lines": [["{}"]],
    "clips": [[{"uri": "none.mp4", "t_start": 0, "t_end": 1, "video_id": "v"}]],
    "document": [{"episodes": []}],
    "search_type": ["facts", "both"],
    "exec": ["true"],
    "webhook": ["http://127.0.0.1:9/"],
    "fact_id": ["a"],
    "kind": ["event"],
}
_TABLES = {"bounds": Bounds, "how": ExploreArguments}


def python_api(tally: Tally, memory: Memory, chance: random.Random, attacks: int) -> None:
    """Every public method, with arguments of any type, some of them as they should be."""
    methods = list(public(Memory, NOT_CALLED))
    with tally.kind("Python API") as row:
        for number in range(attacks):
            name, function = methods[number % len(methods)]
            args, kwargs = arguments(chance, function)
            call(row, f"{name} {number}", partial(_called, getattr(memory, name), args, kwargs))
    chat = memory.chat(user_id="door", session_id="live")
    with tally.kind("live chat") as row:
        for number in range(attacks // 2):
            name, function = chance.choice(list(public(LiveChat, {})))
            args, kwargs = arguments(chance, function)
            if name == "inject" and chance.random() < 0.7:
                args = [nasty.document(chance, [{"role": "user", "content": "Where do I live?"}])]
            if name == "observe" and chance.random() < 0.5:
                args, kwargs = (
                    [nasty.text(chance, "My name is Anna and I live in Rome.").decode(errors="replace")],
                    {},
                )
            call(row, f"{name} {number}", partial(_called, getattr(chat, name), args, kwargs))
        chat.observe("I live in Oslo.")


def tool_calls(tally: Tally, memory: Memory, chance: random.Random, attacks: int) -> None:
    """The tools that a chat model calls. If the model makes a mistake, it gets it back as JSON."""
    known: dict[str, Any] = {each["function"]["name"]: each["function"]["parameters"] for each in tools()}  # type: ignore[typeddict-item]
    with tally.kind("tools") as row:
        for number in range(attacks):
            name = chance.choice([*known, str(nasty.value(chance))[:99]])
            given = {
                key: chance.choice(SAMPLES[key])
                for key in known.get(name, {}).get("properties", {})
                if key in SAMPLES
            }
            text = json.dumps(nasty.document(chance, given), default=str)
            if chance.random() < 0.3:
                text = nasty.text(chance, text).decode(errors="replace")
            said = call(row, f"{name:.30} {number}", partial(call_tool, memory, name, text))
            if said is not None:
                row.refused += "error" in json.loads(said)


def public(kind: type, left_out: dict[str, str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods of a class that are called on an instance."""
    for name, function in sorted(vars(kind).items()):
        is_public = callable(function) and not name.startswith("_") and name not in left_out
        if is_public and len(inspect.signature(function).parameters) > 1:
            yield name, function


def arguments(chance: random.Random, function: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments for its parameters: mostly nasty, some good, some missing or unknown."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        if parameter.kind is parameter.VAR_KEYWORD:
            table = list(get_type_hints(_TABLES[name])) if name in _TABLES else ["x", "object"]
            kwargs |= {key: _argument(chance, key) for key in chance.sample(table, min(2, len(table)))}
        elif parameter.kind is parameter.VAR_POSITIONAL:
            args += [_argument(chance, name) for _ in range(chance.randint(0, 2))]
        elif name == "stop":
            kwargs[name] = _stopped()
        elif parameter.default is parameter.empty and parameter.kind is not parameter.KEYWORD_ONLY:
            args.append(_argument(chance, name))
        elif parameter.default is parameter.empty or chance.random() < 0.3:
            kwargs[name] = _argument(chance, name)
    if chance.random() < 0.03:
        kwargs["nonsense"] = nasty.value(chance)
    return args, kwargs


def _argument(chance: random.Random, name: str) -> Any:
    value = chance.choice(SAMPLES[name]) if name in SAMPLES and chance.random() < 0.5 else nasty.value(chance)
    # A file that is written: a device named here would be written to, and a folder above is not ours.
    if name in ("file", "save_tree", "workdir") and isinstance(value, str):
        return Path("out") / value.strip("/.\x00")[:50] if "\x00" not in value else value
    return value


def _called(method: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call it; what is lazy is read to its end."""
    found = method(*args, **kwargs)
    if isinstance(found, AbstractContextManager):
        with found:
            return None
    return list(found) if isinstance(found, Iterator) else found


def _stopped() -> Event:
    event = Event()
    event.set()
    return event
