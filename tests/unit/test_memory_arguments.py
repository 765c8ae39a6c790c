"""The public arguments of Memory: what is wrong with them is said, with advice, before anything is asked."""

from __future__ import annotations

import inspect
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from threading import Barrier
from typing import Any, get_type_hints

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.arguments import Bounds, checked
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.domain.timestamps import storable
from amr_neo4j.errors import ConfigError, InputError
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.integrations.tools import call
from amr_neo4j.live_chat.session import LiveChat
from amr_neo4j.settings import load
from tests.support.chat_files import read_chat

NAIVE = datetime(2026, 3, 1)


def at(year: int, **offset: float) -> datetime:
    return datetime(year, 12 if year > 5000 else 1, 31 if year > 5000 else 1, tzinfo=timezone(timedelta(**offset)))


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    """Connected to nothing: whoever asks the database gets StoreUnavailable, which is no InputError."""
    settings = load(neo4j_uri="bolt://127.0.0.1:1", neo4j_password="x", data_dir=tmp_path)
    with Memory.connect(settings) as memory:
        yield memory


ASKED: list[tuple[dict[str, Any], str]] = [
    ({"limit": []}, "limit is a whole number"),
    ({"limit": True}, "limit"),
    ({"limit": -1}, "limit"),
    ({"limit": 10**400}, "limit"),
    ({"since": "yesterday"}, "since is seconds of a video or a datetime"),
    ({"since": 10**400}, "since is too large"),
    ({"until": float("nan")}, "not a point in time"),
    ({"until": True}, "until"),
    ({"known_at": 1e308}, "known_at is a datetime"),
    ({"as_of": NAIVE}, "lacks its offset"),
    ({"as_of": at(1, hours=5)}, "years 1 to 9999"),
    ({"as_of": at(9999, hours=-20)}, "18 hours"),
    ({"since": at(2026, hours=1, seconds=3)}, "with seconds"),
    ({"user": "anna"}, "search has no argument user"),
    ({"user_id": 7}, "user_id is text"),
    ({"user_id": "\udcff"}, "no UTF-8"),
    ({"videos": "kitchen"}, "videos is a list"),
    ({"persons": [1]}, "text"),
    ({"text": None}, "text"),
    ({"text": "a\ud800"}, "no UTF-8"),
]


@pytest.mark.parametrize(("given", "said"), ASKED)
def test_what_is_wrong_with_a_search_is_said(memory: Memory, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        getattr(memory, "search")(**{"text": "keys"} | given)  # noqa: B009 - wrong types on purpose
    assert refused.value.hint


def test_a_likely_name_is_offered(memory: Memory) -> None:
    with pytest.raises(InputError) as refused:
        memory.ask("Where?", user="anna")  # pyright: ignore[reportCallIssue]
    assert "did you mean user_id?" in refused.value.hint


def test_what_is_passed_by_place_and_has_to_be_named_is_said(memory: Memory) -> None:
    with pytest.raises(InputError, match="too many positional arguments") as refused:
        memory.chat("monday")  # type: ignore[call-arg, misc]  # pyright: ignore[reportCallIssue]
    assert refused.value.hint == "pass by name: user_id, session_id"


@pytest.mark.parametrize(
    ("method", "args", "kwargs"),
    [
        ("remember", [None], {"session_id": "s"}),
        ("remember", ["one text"], {"session_id": "s"}),
        ("remember", [["hi"]], {"session_id": None, "user_id": "anna"}),
        ("remember", [["hi"]], {}),
        ("conversation", ["s"], {"since": 3.0}),
        ("conversation", ["s"], {"known_at": at(9999, hours=-5)}),
        ("import_chat", [5], {}),
        ("import_episodes", [[]], {"user_id": "anna"}),
        ("ingest", [None], {}),
        ("ingest", ["film.mp4"], {"recorded_at": "today"}),
        ("ingest", ["film.mp4"], {"retry_failed": "no"}),
        ("ingest_lines", ["{}"], {}),
        ("event", [10**400], {}),
        ("event", ["12"], {}),
        ("cited", [3], {}),
        ("persons", [b"Anna"], {}),
        ("forget", [], {"user_id": ["anna"]}),
        ("merge_persons", ["Anna"], {}),
        ("name_person", ["voice 1"], {}),
        ("split_person", ["Anna", "Ben"], {}),
        ("tie", [1, 2], {}),
        ("deliver_alert", ["x"], {}),
        ("alone", [7], {}),
        ("alerts", [], {"nonsense": 1}),
        ("remove_alert", [[]], {}),
        ("index_size", [[]], {}),
        ("index_differs", ["turn"], {}),
        ("watch", ["."], {"stop": True}),
        ("serve_vectors", [], {"port": 99_999}),
        ("serve_vectors", [], {"max_gb": float("nan")}),
    ],
)
def test_every_method_says_what_is_wrong(
    memory: Memory, method: str, args: list[Any], kwargs: dict[str, Any]
) -> None:
    with pytest.raises(InputError) as refused:
        getattr(memory, method)(*args, **kwargs)
    assert refused.value.hint


_CALLED = ("user_id", "group_id", "begins", "one", "other", "person", "speaker", "voice")


def test_a_group_and_a_user_are_one_however_they_were_typed(memory: Memory) -> None:
    """Wherever a name of one comes in, as of a person: settings, views, bounds, and the argument of every method."""
    typed = "Jose\u0301"
    view = memory.for_user(typed)
    assert (load(group=typed).group, view.settings.user) == ("José", "José")
    for name, method in vars(Memory).items():
        for argument, kind in getattr(method, "__annotations__", {}).items():
            if argument in _CALLED and name[0] != "_":
                assert kind == "args.Called", f"{name}({argument})"
    for bound in ("user_id", "persons"):
        checks = get_type_hints(Bounds, include_extras=True)[bound].__metadata__
        assert "José" in str(checks[0].func(typed if bound == "user_id" else [typed]))
    analysis = {"clip_summary": "", "characters": [], "events": []}
    line = {"video_id": "v", "clip_id": "c", "t_start": 0, "t_end": 1, "group_id": typed, "analysis": analysis}
    [clip] = read_lines([json.dumps(line)], group_id="José")
    assert not isinstance(clip, Receipt) and clip.video.group_id == "José"


def test_every_public_method_checks_its_arguments() -> None:
    """What reaches a method is what it names: the check is part of the door, not of each room behind it."""
    for kind in (Memory, LiveChat):
        methods = {name: each for name, each in vars(kind).items() if callable(each) and name[0] != "_"}
        unchecked = [name for name, each in methods.items() if not hasattr(each, "__wrapped__")]
        assert set(unchecked) <= {"close"}, unchecked


def test_the_first_calls_may_come_at_once() -> None:
    """As to a server that has just started: what checks the arguments is made once, by one of the threads."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            for _ in range(15):
                search, begin = checked(vars(Memory)["search"].__wrapped__), Barrier(8)

                def call(search: Any = search, begin: Barrier = begin) -> None:
                    begin.wait()
                    with pytest.raises(InputError, match="limit is a whole number"):
                        search(object(), "mug", limit="ten")

                for done in [threads.submit(call) for _ in range(8)]:
                    done.result()
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("kind", [Memory, LiveChat])
def test_the_types_of_all_parameters_can_be_read(kind: type) -> None:
    """pydantic reads them at the first call: a name that is imported for type checkers alone would fail there."""
    for name, method in vars(kind).items():
        is_checked = inspect.isfunction(method) and hasattr(method, "__wrapped__") and name[0] != "_"
        if is_checked and name != "analytics":  # which takes any parameter of its statement
            with pytest.raises(InputError, match=f"{name} has no argument nonsense"):
                method(object(), nonsense=1)


@pytest.mark.parametrize(
    ("method", "args", "kwargs"),
    [
        ("observe", [7], {}),
        ("observe", ["hi"], {"actor": 7}),
        ("observe", ["hi"], {"at": "today"}),
        ("observe", ["a\ud800"], {}),
        ("inject", [None], {}),
        ("inject", [["hi"]], {}),
        ("inject", [[{"role": "user"}]], {"nonsense": 1}),
        ("forget", [[]], {}),
    ],
)
def test_a_live_chat_says_what_is_wrong(method: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Before it touches anything: there is no state behind this one."""
    with pytest.raises(InputError) as refused:
        getattr(LiveChat.__new__(LiveChat), method)(*args, **kwargs)
    assert refused.value.hint


def test_a_line_that_is_no_text_is_rejected_alone() -> None:
    given: list[Any] = [None, 7, ["{}"], "\ud800", b"\xff"]
    receipts = list(read_lines(given, group_id="g"))
    assert [receipt.outcome for receipt in receipts if isinstance(receipt, Receipt)] == ["rejected"] * len(given)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_events", '{"text": "keys", "since": "0001-01-01T00:00:00+05:00"}'),
        ("search_events", '{"text": "keys", "known_at": 1e308}'),
        ("ask_memory", '{"question": "where?", "as_of": "9999-12-31T23:59:00-05:00"}'),
        ("ask_memory", None),
        ("ask_memory", {"question": "where?"}),
        ([], "{}"),
        ("search_events", '{"text": "keys", "since": ' + "9" * 5000 + "}"),
    ],
)
def test_a_tool_returns_the_mistake_to_the_model(memory: Memory, name: Any, arguments: Any) -> None:
    assert '"error"' in call(memory, name, arguments)


@pytest.mark.parametrize("offset", [{"hours": 1, "seconds": 1}, {"hours": 18, "minutes": 1}, {"hours": -23}])
def test_an_offset_that_the_graph_cannot_store_is_refused(offset: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="offset"):
        storable(at(2026, **offset))


def test_the_farthest_offsets_are_taken() -> None:
    for hours in (-18, 18):
        assert storable(at(2026, hours=hours))


def test_a_group_that_is_no_text_is_refused_with_the_settings() -> None:
    with pytest.raises(ConfigError, match="group"):
        load(group="a\udcff")


WRONG: list[Any] = [
    None,
    7,
    "x",
    {},
    [],
    [[]],
    {"speaker": []},
    [7, None, {"speaker": {}}, {"speaker": "A", "text": []}],
]


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("key", ["session_1", "session_1_date_time", "sample_id", "conversation"])
def test_locomo_with_wrong_types_costs_no_other_session(key: str, wrong: Any) -> None:
    import json

    good = {"session_2_date_time": "1:56 pm on 8 May, 2023", "session_2": [{"speaker": "Ana", "text": "Hi!"}]}
    dated = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": []}
    table = good | dated | {"session_" + "9" * 5000: [], key: wrong}
    turns = list(read_chat(json.dumps(table), "talk"))
    if key != "conversation" or not isinstance(wrong, dict):
        assert "Hi!" in [turn.turn.get("content") for turn in turns]
