"""The calls of the API: one row each. Its arguments and reply are read from the signature of what it calls.

The rows here (`ROUTES`) name methods of Memory. Those that name functions of the server are in calls.py (`CALLS`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import SimpleNamespace
from typing import Annotated, Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from amr_neo4j import memory as of_memory
from amr_neo4j.domain.arguments import Bounds
from amr_neo4j.domain.page import Page
from amr_neo4j.memory import Memory
from amr_neo4j.server.keys import Scope

T = TypeVar("T")
# Arguments that a request cannot have: whose memory it is comes from the key; functions cannot be sent; looking into
# videos takes minutes; one group's clips must not go into another.
_NEVER = frozenset({"self", "caller", "user_id", "idempotency_key", "notify", "watch", "look"})

# What the document says of arguments that many calls have.
_SAID = {
    "dry_run": "Change nothing, and return what would change.",
    "scrub": "Also overwrite the freed space on the database's disk. All groups wait for 20 s and more. Needs the "
    "scope admin, too.",
}

_OTHER_FOOTAGE = ("person", "before", "older_than_days", "event", "clip_id")


@dataclass(frozen=True)
class Route:
    """A call of the API.

    method: of Memory, or a function that takes a Caller and the arguments.
    scope: what the key must allow.
    path: its {names} are arguments of the method.
    without: further arguments that a request cannot have.
    called: {name in the path: argument}, where they differ.
    media_type: of the file that it returns; by default it returns JSON.
    follows: it returns a job, and as server-sent events each change of it.
    needs_one: a key of several groups or users has to name one of them.
    talks: it is part of a live conversation, which has threads of its own: it does not wait for questions.
    """

    verb: str
    path: str
    scope: Scope
    method: Callable[..., Any]
    without: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict[str, str])
    media_type: str = ""
    follows: bool = False
    needs_one: bool = True
    talks: bool = False

    @property
    def streams(self) -> bool:
        """Whether it tells claims as they come."""
        return "notify" in inspect.signature(self.method).parameters


ROUTES = (
    # questions
    Route("POST", "/ask", "read", Memory.ask),
    Route("POST", "/search", "read", Memory.search),
    Route("POST", "/search_memory", "read", Memory.search_memory),
    Route("POST", "/context", "read", Memory.context),
    Route("POST", "/cited", "read", Memory.cited),
    Route("POST", "/searches", "write", Memory.note_search),
    # conversations
    Route("GET", "/conversations", "read", Memory.sessions),
    Route("GET", "/conversations/{session_id}", "read", Memory.conversation),
    Route("POST", "/conversations/{session_id}/turns", "write", Memory.remember),
    Route("DELETE", "/conversations/{session_id}", "forget", Memory.forget),
    Route("POST", "/episodes", "write", Memory.import_episodes),
    # facts
    Route("GET", "/facts", "read", Memory.facts),
    Route("GET", "/facts/{fact_id}", "read", Memory.fact),
    Route("POST", "/facts/{fact_id}/correct", "write", Memory.correct_fact),
    Route("POST", "/facts/{fact_id}/pin", "write", Memory.pin_fact),
    Route("POST", "/facts/{fact_id}/restore", "write", Memory.restore_fact),
    Route("DELETE", "/facts", "forget", Memory.forget_facts, ("fact_id",)),
    Route("DELETE", "/facts/{fact_id}", "forget", Memory.forget_facts, ("subject", "relation", "object")),
    Route("GET", "/fact_measures", "read", Memory.fact_measures),
    Route("GET", "/mentions", "read", Memory.mentions),
    Route("GET", "/relations", "read", Memory.relations),
    Route("GET", "/unread_turns", "read", Memory.unread_turns),
    Route("GET", "/user", "read", Memory.require_user),
    Route("POST", "/speakers/{speaker}/tie", "write", Memory.tie),
    Route("POST", "/speakers/{speaker}/untie", "write", Memory.untie),
    Route("POST", "/extract", "write", Memory.extract),
    Route("POST", "/consolidate", "write", Memory.consolidate, ("at",)),
    Route("GET", "/consolidations", "read", Memory.consolidations),
    Route("POST", "/consolidations/{run_id}/undo", "write", Memory.undo_consolidation),
    # what memory holds
    Route("GET", "/videos", "read", Memory.videos),
    Route("GET", "/videos/{video_id}", "read", Memory.video),
    Route("GET", "/videos/{video_id}/transcript", "read", Memory.transcript),
    Route("GET", "/events/{node_id}", "read", Memory.event),
    Route("GET", "/events/{node_id}/filmed", "read", Memory.filmed),
    Route("GET", "/events/{node_id}/around", "read", Memory.around),
    Route("GET", "/clips/{clip_id}", "read", Memory.clips),
    Route("GET", "/persons", "read", Memory.known_persons),
    Route("GET", "/persons/{name}", "read", Memory.persons),
    Route("POST", "/persons/{one}/merge", "write", Memory.merge_persons),
    Route("POST", "/persons/{one}/split", "write", Memory.split_person),
    Route("POST", "/persons/{one}/name", "write", Memory.name_person),
    Route("POST", "/persons/{one}/undo_merge", "write", Memory.undo_merge),
    Route("GET", "/objects", "read", Memory.known_objects),
    Route("GET", "/objects/{name}", "read", Memory.objects),
    Route("GET", "/objects/{name}/lifecycle", "read", Memory.lifecycle),
    Route("GET", "/counts/{by}", "read", Memory.counts),
    Route("GET", "/receipts", "read", Memory.receipts, ("wait_s",)),
    Route("GET", "/stats", "read", Memory.stats),
    Route("GET", "/analytics", "read", Memory.analyses),
    Route("GET", "/sources", "read", Memory.status),
    Route("GET", "/alerts", "admin", Memory.alerts),
    # A command would run on the server, and a webhook would reach what only the server does.
    Route("POST", "/alerts", "admin", Memory.keep_alert, ("exec", "webhook")),
    Route("GET", "/alerts/{alert_id}/matches", "read", Memory.alert_matches),
    Route("POST", "/alerts/{alert_id}/acknowledge", "write", Memory.acknowledge_alert),
    Route("DELETE", "/alerts/{alert_id}", "admin", Memory.remove_alert),
    # taking in and forgetting. Lines, films and live turns have handlers of their own (app.py).
    Route("DELETE", "/videos/{video_id}", "forget", Memory.forget_videos, _OTHER_FOOTAGE),
    Route(
        "DELETE",
        "/events/{node_id}",
        "forget",
        Memory.forget_videos,
        without=(*_OTHER_FOOTAGE, "video_id"),
        called={"node_id": "event"},
    ),
    Route("POST", "/forget", "forget", Memory.forget_videos),
    Route("DELETE", "/user", "forget", Memory.forget, ("session_id", "episode_id")),
    Route("DELETE", "/group", "admin", Memory.forget_group),
    Route("POST", "/forget_expired", "admin", Memory.forget_expired),
)


class Whose(BaseModel):
    """Whose memory a request is about. A key that opens one group, or one user's memory, need not name it."""

    model_config = ConfigDict(extra="forbid")

    group: str | None = Field(None, description="The group. By default the only one that the key opens.")
    user: str | None = Field(None, description="The user. By default the only one that the key opens.")


class OfLines(Whose):
    """The query of POST /ingest/lines, whose body is the lines."""

    found: bool = Field(False, description="What was forgotten stays so. By default its clips are taken in again.")


class PageOf(BaseModel, Generic[T]):
    """A part of a list.

    total: of the whole list.
    next: the `cursor` of the next page; null on the last one.
    """

    items: list[T]
    total: int
    next: str | None = None
    notes: list[str] = []


def arguments(route: Route) -> tuple[dict[str, Any], dict[str, tuple[Any, Any]]]:
    """Return ({name in the path: type}, {other argument: (type, default)}) of a route.

    An argument with a default of ... is required.
    """
    known = _types(route.method, "return")
    names = re.findall(r"{(\w+)}", route.path)
    in_path = {name: _sent(known[route.called.get(name, name)]) for name in names}
    taken = {*_NEVER, *route.without, *names, *route.called.values()}
    others: dict[str, tuple[Any, Any]] = {}
    for parameter in inspect.signature(route.method).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            bounds = get_type_hints(Bounds)
            others |= {name: (_sent(kind) | None, None) for name, kind in bounds.items() if name not in _NEVER}
        elif parameter.name not in taken:
            default = ... if parameter.default is parameter.empty else parameter.default
            kind = _sent(known[parameter.name])
            if said := _SAID.get(parameter.name):
                kind = Annotated[kind, Field(description=said)]
            others[parameter.name] = kind, default
    return in_path, others


def request_model(name: str, of: Mapping[str, tuple[Any, Any]], base: type[BaseModel] = BaseModel) -> type[BaseModel]:
    """Return the model of a request with these arguments. Unknown keys are refused."""
    # A leading capital, because the name is that of a type in clients that are generated.
    config = {"__config__": ConfigDict(extra="forbid")} if base is BaseModel else {"__base__": base}
    return create_model(name, **cast(dict[str, Any], config | dict(of)))


def reply_type(route: Route) -> Any:
    """Return the type of what a call returns, as JSON has it."""
    returned = _types(route.method, *[n for n in route.method.__annotations__ if n != "return"])["return"]
    if get_origin(returned) is Page:
        return PageOf[get_args(returned)[0]]
    return returned


def _types(method: Callable[..., Any], *without: str) -> dict[str, Any]:
    """Return {name: type} of a method's annotations; for a method of Memory without the checks of arguments.py."""
    annotations = {name: kind for name, kind in method.__annotations__.items() if name not in ("caller", *without)}
    is_of_memory = method.__module__ == of_memory.__name__
    # Names that memory.py imports for type checkers alone are public ones, which the package offers.
    package = import_module(of_memory.__name__.partition(".")[0])
    names = {name: getattr(package, name) for name in package.__all__} | vars(of_memory)
    return get_type_hints(
        cast(Any, SimpleNamespace(__annotations__=annotations)),
        names if is_of_memory else method.__globals__,
        include_extras=not is_of_memory,
    )


def _sent(kind: Any) -> Any:
    """Return the type of an argument as JSON sends it: any iterable of things is a list of them."""
    if get_origin(kind) in (Iterable, Sequence):
        return list[get_args(kind)[0]]
    return kind
