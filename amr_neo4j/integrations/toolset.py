"""The tools that a language model calls: one set, for MCP (mcp_server.py) and for chat completions (tools.py).

Models read the docstrings of the tools and the descriptions of the arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, create_model

from amr_neo4j.domain.arguments import Bounds
from amr_neo4j.domain.budget import LEAST_TOKENS
from amr_neo4j.domain.masking import mask_in
from amr_neo4j.domain.page import each_page
from amr_neo4j.domain.plain import Json
from amr_neo4j.domain.recall import SearchOrder, SearchType
from amr_neo4j.domain.views import CountedBy
from amr_neo4j.errors import InputError
from amr_neo4j.integrations.results import (
    MOST_EVENTS,
    answer,
    around,
    context,
    event,
    listed,
    part,
    passed,
    recalled,
    within_limit,
)

if TYPE_CHECKING:
    from amr_neo4j.domain.belief import FactView
    from amr_neo4j.domain.fact import Fact, Understood
    from amr_neo4j.memory import Memory

# The most tokens of text that a model may ask for: its own context is limited.
MOST_TOKENS = 8000
# What is read before and after an event.
_AROUND_SEC = 60.0
CHANGING = ("remember", "correct_fact")
"""Tools that change memory."""
Picture = Callable[[int], bytes]
"""node_id -> the JPEG of an event."""

# The list of tools is in the context of every conversation, so descriptions are short.
Text = Annotated[str, Field(description="Words, a description or a question.")]
Query = Annotated[str, Field(description="Such as: the user's work projects.")]
Question = Annotated[str, Field(description="In plain words: Where are the keys?")]
Kind = Annotated[SearchType, Field(description="What to search.")]
Limit = Annotated[int, Field(ge=1, le=MOST_EVENTS, description="Results, at most.")]
Tokens = Annotated[int, Field(ge=LEAST_TOKENS, le=MOST_TOKENS, description="Of the text, at most.")]
Order = Annotated[SearchOrder, Field(description="Best fit, earliest or latest first.")]
Videos = Annotated[list[str] | None, Field(description="Only these ids.")]
Sessions = Annotated[list[str] | None, Field(description="Only these conversations.")]
Persons = Annotated[list[str] | None, Field(description="Only with these names.")]
Moment = float | AwareDatetime
Since = Annotated[Moment | None, Field(description="Clock with offset, or second of video.")]
Until = Annotated[Moment | None, Field(description="Likewise.")]
AsOf = Annotated[Moment | None, Field(description="Likewise: nothing later.")]
Then = Annotated[AwareDatetime | None, Field(description="Nothing later: clock with offset.")]
KnownAt = Annotated[AwareDatetime | None, Field(description="Nothing learnt later.")]
Said = Annotated[str, Field(description="What was said, verbatim.")]
At = Annotated[AwareDatetime | None, Field(description="When, with offset; default now.")]
Session = Annotated[str, Field(description="Id of the conversation.")]
TurnId = Annotated[str, Field(description="Your id: repeated, the turn is kept once.")]
Actor = Annotated[str, Field(description='"user" (also for notes about the user), "assistant" or a name.')]
Name = Annotated[str, Field(description="Such as: the mug.")]
Begins = Annotated[str, Field(description="How names begin.")]
Subject = Annotated[str, Field(description='Whose or what\'s facts; "you" for the user.')]
OfGroup = Annotated[bool, Field(description="What people in videos say of themselves.")]
FactId = Annotated[str, Field(description="fact_id of list_facts.")]
Value = Annotated[str, Field(description="The right object, or a sentence that states it.")]
NodeId = Annotated[int, Field(description="node_id of a result.")]
AnEvent = Annotated[int | None, Field(description="Read around it.")]
Before = Annotated[float, Field(ge=0, description="Seconds before it.")]
After = Annotated[float, Field(ge=0, description="Seconds after it.")]
Video = Annotated[str, Field(description="Or read this video.")]
Start = Annotated[float, Field(ge=0, description="Second.")]
End = Annotated[float | None, Field(ge=0, description="Second.")]
All = Annotated[bool, Field(description="Also weak fits.")]
Skip = Annotated[int, Field(ge=0, description="go_on_with of the last result.")]
By = Annotated[CountedBy, Field(description="What to count by.")]


class Tools:
    """The tools of a memory. Each takes arguments that were checked against its signature, and returns JSON.

    They raise what Memory raises.

    picture: cuts the picture of an event; by default from the file on this machine.
    counts: whether to note searches (Memory.note_search), which a live conversation does by itself.
    """

    def __init__(self, memory: Memory, picture: Picture | None = None, *, counts: bool = False) -> None:
        self.memory, self._picture, self._counts = memory, picture or self._cut, counts

    @property
    def all(self) -> Mapping[str, tuple[Callable[..., Any], Mapping[str, str]]]:
        """name -> (function, {key of its result: type of JSON})."""
        return {
            "search_memory": (self.search_memory, {"results": "array"}),
            "search_events": (self.search_events, {"events": "array"}),
            "ask_memory": (self.ask_memory, {"found": "boolean", "answer": "string"}),
            "memory_context": (self.memory_context, {"context": "string"}),
            "remember": (self.remember, {"episode_id": "string", "facts": "array"}),
            "lifecycle": (self.lifecycle, {"steps": "array"}),
            "read_events": (self.read_events, {"events": "array"}),
            "list_persons": (self.list_persons, {"persons": "array"}),
            "list_objects": (self.list_objects, {"objects": "array"}),
            "memory_counts": (self.memory_counts, {"counts": "array"}),
            "list_facts": (self.list_facts, {"facts": "array"}),
            "correct_fact": (self.correct_fact, {"fact_id": "string"}),
            "event_picture": (self.event_picture, {}),
        }

    def search_memory(
        self, query: Query, search_type: Kind = "both", limit: Limit = 5, as_of: Then = None, known_at: KnownAt = None
    ) -> Json:
        """Search facts, and what was said and seen. Results have text, confidence, time and source."""
        found = self.memory.search_memory(query, search_type, limit, as_of=as_of, known_at=known_at)
        if self._counts:
            self.memory.note_search(found=bool(found))
        return within_limit(listed("results", found, recalled))

    def search_events(
        self,
        text: Text,
        videos: Videos = None,
        sessions: Sessions = None,
        persons: Persons = None,
        since: Since = None,
        until: Until = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
        order: Order = "fit",
        all: All = False,
        limit: Limit = 10,
    ) -> Json:
        """Find events of videos, and turns, that fit a text. Each has its citation and time."""
        bounds = _bounds(videos, sessions, persons, since=since, until=until, as_of=as_of, known_at=known_at)
        found = self.memory.search(text, limit=limit, order=order, all=all, **bounds)
        return within_limit(listed("events", found, event))

    def ask_memory(
        self,
        question: Question,
        videos: Videos = None,
        sessions: Sessions = None,
        persons: Persons = None,
        since: Since = None,
        until: Until = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> Json:
        """Ask a question. The answer cites the turns and seconds of video it rests on."""
        bounds = _bounds(videos, sessions, persons, since=since, until=until, as_of=as_of, known_at=known_at)
        return within_limit(answer(self.memory.ask(question, **bounds)))

    def memory_context(
        self,
        question: Question,
        tokens: Tokens = 2000,
        videos: Videos = None,
        sessions: Sessions = None,
        persons: Persons = None,
        since: Since = None,
        until: Until = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> Json:
        """Read what memory holds about a question: film and talk in order of time, each line cited."""
        bounds = _bounds(videos, sessions, persons, since=since, until=until, as_of=as_of, known_at=known_at)
        return context(self.memory.context(question, tokens=tokens, **bounds))

    def remember(
        self, text: Said, session_id: Session = "mcp", actor: Actor = "user", at: At = None, turn_id: TurnId = ""
    ) -> Json:
        """Keep a turn of a conversation and believe the facts it states. Newer values replace older ones."""
        turn = self.memory.chat(session_id=session_id).observe(text, actor=actor, at=at, turn_id=turn_id)
        facts = [" ".join(fact.triple) for fact in turn.understood.facts] if turn.understood else []
        retracted = [" ".join(triple) for triple in turn.retracted]
        result = {"episode_id": turn.episode_id, "facts": facts, "retracted": retracted, "recalled": turn.is_recalled}
        result |= _doubts(turn.understood) if turn.understood else {}
        return within_limit(result | ({"suspected_injection": True} if turn.suspected_injection else {}))

    def lifecycle(self, name: Name, as_of: AsOf = None, known_at: KnownAt = None) -> Json:
        """What happened to an object in the videos, in order: who did what, and where it was."""
        # All of them, because the latest are those that stay in the result.
        asked = {"name": name, "as_of": as_of, "known_at": known_at}
        return within_limit({"steps": [_row(step) for step in each_page(self.memory.lifecycle, asked)]})

    def read_events(
        self,
        node_id: AnEvent = None,
        before: Before = _AROUND_SEC,
        after: After = _AROUND_SEC,
        video: Video = "",
        since: Start = 0.0,
        until: End = None,
        skip: Skip = 0,
        as_of: AsOf = None,
        known_at: KnownAt = None,
    ) -> Json:
        """Read a video in order: around an event, or between seconds."""
        then: dict[str, Any] = {"as_of": as_of, "known_at": known_at}
        if node_id is not None:
            if video:
                raise InputError("node_id and video name two places", hint="give one of them")
            return around(self.memory.around(node_id, before_s=before, after_s=after, **then), node_id)
        if (before, after) != (_AROUND_SEC, _AROUND_SEC):
            raise InputError("before and after are seconds around an event", hint="name its node_id")
        found = self.memory.video(video, _most(skip), since=since, until=until, **then)
        return part("events", found.timeline, skip, passed)

    def list_persons(self, begins: Begins = "", skip: Skip = 0, as_of: AsOf = None, known_at: KnownAt = None) -> Json:
        """Who is in the videos, most seen first, with where and when last."""
        found = self.memory.known_persons(_most(skip), begins=begins, as_of=as_of, known_at=known_at)
        return part("persons", found, skip, _row)

    def list_objects(self, begins: Begins = "", skip: Skip = 0, as_of: AsOf = None, known_at: KnownAt = None) -> Json:
        """The objects in the videos, most used first, with state and last place."""
        found = self.memory.known_objects(_most(skip), begins=begins, as_of=as_of, known_at=known_at)
        return part("objects", found, skip, _row)

    def memory_counts(self, by: By, skip: Skip = 0, as_of: AsOf = None, known_at: KnownAt = None) -> Json:
        """Count events of videos, with the first and last moment of each."""
        found = self.memory.counts(by, as_of=as_of, known_at=known_at, limit=_most(skip))
        return part("counts", found, skip, _row)

    def list_facts(
        self,
        subject: Subject = "",
        of_group: OfGroup = False,
        skip: Skip = 0,
        as_of: Then = None,
        known_at: KnownAt = None,
    ) -> Json:
        """List what is believed of the user, latest first."""
        then: dict[str, Any] = {"as_of": as_of, "known_at": known_at}
        found = self.memory.facts(subject=subject, of_group=of_group, limit=_most(skip), **then)
        return part("facts", found, skip, _fact)

    def correct_fact(self, fact_id: FactId, value: Value, of_group: OfGroup = False) -> Json:
        """Replace the object of a fact that the user says is wrong. The history keeps the old one."""
        return _fact(self.memory.correct_fact(fact_id, value, of_group=of_group))

    def event_picture(self, node_id: NodeId) -> bytes:
        """See a picture of an event."""
        return self._picture(node_id)

    def event(self, node_id: int) -> Json:
        """Return an event with what was seen and said."""
        return within_limit(_row(self.memory.event(node_id)))

    def _cut(self, node_id: int) -> bytes:
        with TemporaryDirectory() as folder:
            file = Path(folder) / "picture.jpg"
            self.memory.save_picture(node_id, file, width=640)
            return file.read_bytes()


def arguments_of(tool: Callable[..., Any]) -> type[BaseModel]:
    """Return the model of a tool's arguments. Null stands for the default; unknown arguments are refused.

    Providers ask for schemas in which every argument is required, has no default, and may be null instead.
    """
    kinds = get_type_hints(tool, include_extras=True)
    fields: dict[str, Any] = {}
    kind: Any
    for name, parameter in inspect.signature(tool).parameters.items():
        if name == "self":
            continue
        kind, [of_tool] = kinds[name].__origin__, kinds[name].__metadata__
        said, default = str(of_tool.description), ...
        if of_tool.metadata:
            kind = Annotated[(kind, *of_tool.metadata)]
        if parameter.default is not parameter.empty:
            kind, default = kind | None, None
            said = f"{said} null: {parameter.default}." if parameter.default else said
        fields[name] = (kind, Field(default, description=said))
    # A model may invent arguments. They are refused rather than ignored, so that it can correct its call.
    return create_model(tool.__name__, __config__=ConfigDict(extra="forbid"), __doc__=tool.__doc__, **fields)


def given_of(arguments: BaseModel) -> dict[str, Any]:
    """Return the arguments that are not null."""
    return {name: value for name, value in arguments if value is not None}


def _bounds(
    videos: list[str] | None,
    sessions: list[str] | None,
    persons: list[str] | None,
    *,
    since: datetime | float | None,
    until: datetime | float | None,
    as_of: datetime | float | None,
    known_at: datetime | None,
) -> Bounds:
    times: Bounds = {"since": since, "until": until, "as_of": as_of, "known_at": known_at}
    return {"videos": videos or (), "sessions": sessions or (), "persons": persons or (), **times}


def _most(skip: int) -> int:
    """Return how many items of a list are read, to show those after the first `skip` and whether there are more."""
    return skip + MOST_EVENTS + 1


def _doubts(understood: Understood) -> Json:
    """Return what a turn says too weakly to be believed, and the pronouns that may mean several people."""
    weak = [" ".join(fact.triple) for fact in understood.facts if fact.strength == "passing" or fact.hedged]
    unclear = [f"{pronoun}: {' or '.join(people)}" for pronoun, people in understood.unclear]
    return {name: found for name, found in (("doubtful", weak), ("unclear", unclear)) if found}


def _fact(fact: Fact | FactView) -> Json:
    told: Json = {"fact_id": fact.fact_id, "text": mask_in(fact.text), "confidence": round(fact.confidence, 2)}
    if fact.events:
        latest = fact.events[-1]
        told["source"] = latest if isinstance(latest, str) else latest.label
    return told


def _row(view: Any) -> Json:
    """Return a dataclass as JSON, with its times as ISO 8601."""
    values: Json = asdict(view)
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
