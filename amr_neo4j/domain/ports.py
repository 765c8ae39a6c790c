"""Protocols for what the algorithms need from outside: the graph, the disk, models, the dense index.

wiring/ opens the implementations and passes them in, so that algorithms import no database and no SDK.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import inf, nan
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.budget import Context
from amr_neo4j.domain.chat import ModelCall, Prompt
from amr_neo4j.domain.episode import Accepted, Episode, EpisodeReceipt, LastSaid, Session
from amr_neo4j.domain.event import Channel, ComposedClip, Cue, Edge, Event, EventDraft, MergedEvent, Recent
from amr_neo4j.domain.exploration import Decision, Look, Segment, Span, Visit
from amr_neo4j.domain.fact import KnownFact, Triple, TurnContext, Understood, WaitingText
from amr_neo4j.domain.kinship import AskedKin
from amr_neo4j.domain.mention import Extracted, Mention, Relation, Stated, Window, Written
from amr_neo4j.domain.page import WHOLE, Page, PageRequest
from amr_neo4j.domain.recall import Held, Margin, Recalled, Replacement, Scope
from amr_neo4j.domain.receipt import Failure, Receipt
from amr_neo4j.domain.scene import Company, Scene, SceneEvent, SceneMatch, SceneTold, UntoldScene
from amr_neo4j.domain.spans import Floats, SpanLabels, SpanScores, Tokens
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video

if TYPE_CHECKING:  # the import takes time, because it loads the schemas of replies; `amr ask` does not need them
    from amr_neo4j.domain.footage import Frame

Vectors = npt.NDArray[np.float32]
Shape = TypeVar("Shape", bound=BaseModel)
Notify = Callable[[str], None]
"""Receives a message for the user."""
Repairable = Literal[
    "broken_scenes",
    "broken_sessions",
    "counters",
    "deleted_events",
    "lost_evidence",
    "lost_extracts",
    "lost_links",
    "lost_receipts",
    "lost_sources",
    "lost_texts",
]
Fault = Literal[Repairable, "broken_chains", "future_facts", "lost_parents"]
"""What may be wrong with the graph of a group. store/integrity.py finds all of these, and repairs those of
Repairable."""

Follow = Callable[[tuple[str, int] | None], bool]
"""Takes the (model, dimension) that a group was embedded with. Changes to that embedder, and returns whether it
could."""
Kind = Literal["event", "episode", "fact"]
"""Which vectors a dense index holds."""
KINDS: tuple[Kind, ...] = ("event", "episode", "fact")


class Embedder(Protocol):
    """Turns texts into vectors of length 1.

    unrelated: a cosine that 99 of 100 pairs of a question and a text about something else stay below.
    alike: a cosine. Two events in a row must exceed it to count as one continuous event.
    """

    model: str
    dim: int
    unrelated: float
    alike: float

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the texts: float32, shape (len(texts), dim), rows of length 1."""
        ...

    def asking(self) -> Embedder:
        """Return the embedder of questions, whose vectors are compared with those of this one.

        It is this one, unless the model was trained to tell questions from passages. Classes that subclass this one
        have that by default.
        """
        return self


class ChatModel(Protocol):
    """A chat model in one role (text, judge, answer). Safe to use from several threads.

    Every call may raise ModelDenied, NoSuchModel or ModelMoved, which the user must correct. It may also raise
    ModelFailed, after which a stage continues without the model: ModelUnavailable (after all retries),
    RequestRefused, UnusableReply, ReplyCut.
    """

    @property
    def model(self) -> str:
        """Its name at the provider."""
        ...

    def most_cost(self, tokens: int) -> float:
        """Return the most US dollars that a call with this many tokens of input may cost.

        Raises ConfigError: the price is not known.
        """
        ...

    def complete(self, prompt: Prompt) -> str:
        """Return the whole reply, never empty. Raises ReplyCut, with the text so far, at the token limit."""
        ...

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """Yield the reply in pieces. Raises ReplyCut after the last one, ModelUnavailable if the reply breaks off."""
        ...

    def ask(
        self, prompt: Prompt, shape: type[Shape], check: Callable[[Shape], object] = ...
    ) -> tuple[Shape, tuple[str, ...]]:
        """Return the one JSON object of the reply, and a note for each mistake with one possible meaning, corrected.

        If the reply does not have this shape, the model is asked once more.

        check: raises ValueError, worded for the model, for an object of the right shape that cannot be used.
        """
        ...

    def read(self, text: str, shape: type[Shape], /) -> Shape:
        """Return the JSON object of a reply that was streamed, corrected like that of `ask`.

        Raises ValueError if the reply has no object of this shape.
        """
        ...


class Footage(Protocol):
    """Decodes frames of a video file."""

    def __call__(self, path: str, *, fps: float, width: int, start: float = 0.0) -> Generator[Frame]:
        """Yield `fps` frames a second from `start` (s) on, at most `width` pixels wide.

        Closing it frees the decoder.
        """
        ...


class Analyser(Protocol):
    """Watches a video clip by clip, in time order."""

    name: str
    model: str

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip | FailedClip]:
        """Yield one result per clip, in order. Works at most a few clips ahead of the consumer."""
        ...


class ClipSpool(Protocol):
    """Analyses that wait for the graph, on this machine's disk."""

    def keep(self, clip: AnalysedClip) -> None:
        """Store the clip on disk before returning. It replaces an earlier analysis of the same content."""
        ...

    def kept(self, video: Video, analyser: str, model: str) -> Mapping[str, AnalysedClip]:
        """Return {content_sha256: analysed clip}: what an analyser with a model said about the video.

        model: empty for the local analyser.
        """
        ...

    def refuse(self, group_id: str, video_id: str, clip_id: str, why: str) -> None:
        """Mark a clip that the graph cannot store; `kept` no longer returns it."""
        ...

    def remove(self, group_id: str, video_id: str, clip_id: str) -> None:
        """Remove a clip that the graph has committed."""
        ...


class SceneStore(Protocol):
    """Scenes of the top level, for a model that summarises them."""

    def untold_scenes(self, group_id: str) -> list[UntoldScene]:
        """Return some scenes that no model was asked about yet, in order; none if there are no more."""
        ...

    def tell_scene(self, group_id: str, scene: UntoldScene, told: SceneTold) -> None:
        """Note what a model says of a scene, unless the scene has changed since it was read."""
        ...


class FormScenes(Protocol):
    """Cuts events of a video into scenes, see ingest/scenes.py."""

    def __call__(
        self, events: Sequence[SceneEvent], *, since: float, until: float, read_to: float
    ) -> tuple[list[Scene], float]:
        """Return (the scenes that start in since..until, the moment up to which they are complete)."""
        ...


class EventWriter(Protocol):
    """The graph as ingestion sees it."""

    def prepare(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> Callable[[], list[Receipt]]:
        """Build the rows now and return the function that writes the clips with all their edges.

        vectors: (events of all clips, dim), in the order of the clips and their events.
        The function returns one receipt per clip, in order. It may be called again after an error, by one thread at
        a time.
        """
        ...

    def rehearse(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> None:
        """Write clips and take them back, so that the first commit does not wait for the plans of the database."""
        ...

    def committed_clips(self, group_id: str, video_id: str) -> Mapping[str, str]:
        """Return {clip_id: content_sha256} of a video's committed clips."""
        ...

    def committed_clips_of(self, group_id: str, video_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Return {video_id: its `committed_clips`}."""
        ...

    def remake_scenes(self, group_id: str, form: FormScenes) -> None:
        """Make the scenes of a group up to date, where events came or went since."""
        ...

    def fail(self, clip: FailedClip, *, attempt: int, skip: bool) -> Receipt:
        """Store a clip that could not be analysed. It is tried again on request, or given up if `skip` is set.

        Storing the same attempt again has no effect.

        attempt: the number of this attempt, from 1.
        """
        ...

    def failed_clips(self, group_id: str, video_id: str) -> Mapping[str, Failure]:
        """Return {clip_id: failure} of the clips of a video that failed or were given up."""
        ...

    def skip_failed(self, group_id: str, video_id: str) -> None:
        """Give up the failed clips of a video, so that they no longer block later clips."""
        ...

    def recent_events(self, video: Video, model: str, limit: int) -> Recent:
        """Return a video's latest events, at most `limit`, with their vectors of this model."""
        ...

    def commit_merging(
        self, clip: ComposedClip, vectors: Vectors, model: str, merged: Sequence[MergedEvent], after: int | None
    ) -> Receipt | None:
        """Write the clip and the events it is merged into, in one transaction.

        after: the last_node_id of the video when `merged` was computed. If it has changed since, nothing is written
            and None is returned.
        """
        ...


Summarise = Callable[[Sequence[EventDraft]], tuple[str, tuple[str, ...]]]
"""Takes consecutive events. Returns (one or two sentences about all of them, notes on what went wrong)."""

Counting = Callable[[], AbstractContextManager[list[ModelCall]]]
"""Opens a block that collects the model calls of this thread in the list it yields."""


class EpisodeWriter(Protocol):
    """The graph as it takes in conversations."""

    def commit(
        self, episodes: Sequence[Episode], vectors: Sequence[Vectors | None], embedded_by: tuple[str, int]
    ) -> list[EpisodeReceipt]:
        """Write the episodes, each tied to the turns beside it; one receipt each, in order.

        vectors: one per episode; an episode without one waits for it in the embedding queue.
        embedded_by: model and dimension.
        """
        ...

    def unchanged(self, episodes: Sequence[Episode]) -> list[EpisodeReceipt | None]:
        """Return a receipt for each episode that the graph has with the same content, None for the others."""
        ...

    def last_said(self, sessions: Sequence[Session]) -> Mapping[Session, LastSaid]:
        """Return {session: its last turn} for the sessions that the graph has."""
        ...


class TurnSpool(Protocol):
    """A durable queue of episodes that wait for the graph."""

    def accept(self, episodes: Sequence[Episode]) -> list[Accepted]:
        """Keep the episodes, all or none; they are on disk when this returns. Raises NoSpace."""
        ...

    def waiting(self, group_id: str, most: int, user_id: str = "") -> list[tuple[int, Episode]]:
        """Return (number, episode) of the oldest waiting episodes of a group or user, in order of acceptance."""
        ...

    def done(self, numbers: Sequence[int]) -> None:
        """Remove these from the queue."""
        ...

    def refusal(self, number: int) -> str | None:
        """Return why the graph refused an episode; "" while it waits, None if it is not in the queue."""
        ...

    def refuse(self, number: int, why: str) -> None:
        """Mark an episode that the graph will never accept."""
        ...

    def users(self, group_id: str) -> Sequence[str]:
        """Return the users of a group who have waiting turns."""
        ...

    def count(self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None) -> int:
        """Count the queued episodes of a user, of a session, or with one id."""
        ...

    def forget(
        self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None
    ) -> int:
        """Remove the episodes of a user, of a session, or with one id, also from the disk. Returns their number."""
        ...

    def close(self) -> None:
        """Close the file. Waiting episodes stay in it."""
        ...


class MentionStore(Protocol):
    """The graph as extraction sees it; every read and write is of one user of a group."""

    @property
    def group_id(self) -> str:
        """The group."""
        ...

    def waiting(self, user_id: str, session_id: str | None = None, *, again: bool = False) -> Iterator[list[str]]:
        """Yield the ids of episodes that were not extracted yet, page by page, in order of session and turn.

        again: those that rules have read, instead.
        """
        ...

    def windows(self, user_id: str, episode_ids: Sequence[str], turns: int) -> list[Window]:
        """Return each of these turns with the turns just before it, this many in all, and their mentions."""
        ...

    def commit(
        self, user_id: str, episodes: Sequence[Episode], found: Extracted, extractor: str, *, again: bool = False
    ) -> Written:
        """Write the mentions, relations and fact changes of these episodes in one transaction.

        Skips episodes that were extracted before. An episode whose facts are in the graph changes no facts.
        again: only episodes that rules have read; what is found replaces what the rules found.
        """
        ...

    def take_in(self, user_id: str, found: Extracted, extractor: str) -> None:
        """Write mentions and relations that were extracted elsewhere, such as an imported document."""
        ...

    def episodes(
        self,
        user_id: str,
        session_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        asked: PageRequest = WHOLE,
    ) -> Page[Episode]:
        """Return a page of the episodes of a user or a session, in order.

        as_of: only those that were said by then.
        known_at: only those that were stored by then.
        """
        ...

    def episodes_by_id(self, user_id: str, episode_ids: Sequence[str]) -> dict[str, Episode]:
        """Return the episodes with these ids that the graph has, by id."""
        ...

    def mentions(
        self,
        user_id: str,
        session_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        asked: PageRequest = WHOLE,
        *,
        among: Iterable[Episode] | None = None,
    ) -> Page[Mention]:
        """Return a page of the mentions of a user or a session, in order.

        as_of, known_at: as for `episodes`.
        among: only of these turns, which follow one another in their sessions.
        """
        ...

    def relations(
        self,
        user_id: str,
        session_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        asked: PageRequest = WHOLE,
        *,
        among: Iterable[Episode] | None = None,
    ) -> Page[Relation]:
        """Return a page of what the turns of a user or a session state, otherwise as `mentions`."""
        ...

    def mentions_by_id(self, user_id: str, ids: Sequence[str]) -> dict[str, Mention]:
        """Return the mentions with these ids that the graph has, by id."""
        ...

    def in_use(self, user_id: str, found: Extracted) -> dict[str, str]:
        """Return {id: session} of the ids in `found` that another mention or relation of the user already has."""
        ...


@dataclass(frozen=True)
class Names:
    """Person ids and object names.

    same: {person_id of a speaker: ids of the same person in videos}.
    places: where videos were recorded, such as the names of cameras.
    videos: the ids of videos, which are the names of files where nothing else names a recording.
    scene_types: what kinds of places their clips show, in the words of the analyses.
    wearers: who wears the cameras of videos.
    """

    persons: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    same: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    places: frozenset[str] = frozenset()
    videos: frozenset[str] = frozenset()
    wearers: frozenset[str] = frozenset()
    scene_types: frozenset[str] = frozenset()

    def __sub__(self, other: Names) -> Names:
        """Return the names that `other` lacks."""
        return replace(self, persons=self.persons - other.persons, objects=self.objects - other.objects)

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self.persons or self.objects)


class EventReader(Protocol):
    """The graph as recall sees it; every read is scoped.

    Methods for scenes, objects, places and films return nothing by default, because conversations have none.
    """

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """Return (node_id, BM25 score), best first. text: as a person typed it; the store escapes it."""
        ...

    def scenes(self, text: str, scope: Scope, limit: int) -> list[SceneMatch]:
        """Return the scenes that have words of a text, by video, level and start; none with known_at.

        limit: how many of the best are looked at. Those that were not over by the scope's as_of are left out.
        """
        return []

    def company(self, node_id: int, scope: Scope) -> Company | None:
        """Return who is in the scene of an event; None if it is in none, or with known_at."""
        return None

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """Return every edge of these channels from or to one of the events."""
        ...

    def read_ahead(self, node_ids: Sequence[int], best: Sequence[int], scope: Scope) -> None:
        """Start reading events that will be asked for.

        best: for these events, also read the edges and the events next to them in time.
        """

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """Return the events with these ids, in this order, without those outside the scope."""
        ...

    def around(self, events: Sequence[Event], margin: Margin, scope: Scope) -> list[Event]:
        """Return the events of the same videos, and the turns of the same sessions, that lie around these ones.

        The given ones are among them, each is returned once, and the order is not defined.
        """
        ...

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of the events that use the object, latest first."""
        return []

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of the events that involve the person, latest first. person_id: empty for anybody."""
        ...

    def vocabulary(self, scope: Scope) -> Names:
        """Return the names of the group's people and objects, and of the speakers in the user's conversations."""
        ...

    def last_vocabulary(self, scope: Scope) -> Names | None:
        """Return the last result of `vocabulary` for this group and user without reading the graph, else None."""
        ...

    def known(self, names: Names, scope: Scope) -> Names:
        """Return the names that some event of the scope has."""
        ...

    def life(self, objects: Sequence[str], states: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """Return the node_ids of the events that do something to one of the objects, latest first.

        states: only events that leave the object in one of these states; empty for any.
        """
        return []

    def cues(self, node_ids: Sequence[int], scope: Scope) -> Mapping[int, Sequence[Cue]]:
        """Return {node_id: what was said in its clips, in order}. Turns and events outside the scope have no cues."""
        return {}

    def videos_at(self, places: Sequence[str], scope: Scope) -> list[str]:
        """Return the ids of the scope's videos that have one of these names, or whose place has."""
        return []

    def videos_showing(self, scene_types: Sequence[str], scope: Scope) -> list[str]:
        """Return the ids of the scope's videos with a clip of one of some types of scene."""
        return []

    def recordings(self, scope: Scope) -> Mapping[str, Video]:
        """Return {video_id: video} with each video's recording time and place.

        Only the scope's videos count, since nothing of their content is returned.
        """
        return {}

    def lengths(self, video_ids: Sequence[str], scope: Scope) -> Mapping[str, float]:
        """Return {video_id: end of its last clip in seconds}."""
        return {}


class StatedRelations:
    """The relations that turns of a scope state. This base class knows none, as is right for videos."""

    def about(self, texts: Sequence[str], scope: Scope) -> list[Stated]:
        """Return the relations whose source or target is exactly one of these texts, in order of time."""
        return []


class Replacements:
    """Tells which turns in a scope were replaced by later ones, as of the scope's as_of if it has one.

    This base class knows none, as is right for videos.
    """

    def of(self, node_ids: Sequence[int], scope: Scope) -> list[Replacement]:
        """Return the latest replacement that each of these turns is part of, as the old turn or as the new one."""
        return []


class FactAsked:
    """A fact that a question asks for. These methods answer as for a question that asks for none.

    Whom the question names is looked up once, when first needed.
    """

    @property
    def whose(self) -> frozenset[str]:
        """The names of the people whose fact it is, and words for their roles, in lower case.

        Empty if it may be the user's ("Where do I live?") or anybody's ("Who lives in Bath?").
        """
        return frozenset()

    @property
    def relations(self) -> Collection[str]:
        """The relations that it may have."""
        return ()

    def stated_of_others(self, turns: Sequence[Event], *, is_now: bool = False) -> set[int]:
        """Return the node_ids of the turns that state it, but only about somebody else, and do not name whose it is.

        is_now: the question asks what is so now. Then those are returned, too, of whose statements all were taken
            back since.
        """
        return set()

    def may_be_stated(self, turns: Sequence[Event]) -> bool:
        """Return whether one of the turns may state it, if it is about the user, or asks "Who has a cat?" or how old
        somebody is.

        A pasted letter, a dream or somebody else's words may have all words of "Where do I live?", and state nothing.
        """
        return True

    def of_other_kind(self, turns: Sequence[Event]) -> set[int]:
        """Return the node_ids of turns that have nothing of the kind asked for; none if it asks for anything else.

        That is a time, if it asks when something is, and somebody else, if it asks who did something with, to or
        before the speaker.
        """
        return set()

    def may_be_said(self, lines: Sequence[str]) -> bool:
        """Return whether a line of a film ("Ben: I live in Lima") may state it of whom the question asks."""
        return True

    def most_helpful(self, turns: Sequence[Event]) -> int | None:
        """Return the node_id of the turn that helps most with the question, in whatever words; None if none does.

        turns: best first.
        """
        return None


class Beliefs:
    """The facts that are believed about the user of a scope.

    This base class believes nothing, as is right for videos.
    """

    def answering(self, question: str, scope: Scope) -> list[Recalled]:
        """Return the facts that answer a question and hold as of the scope, latest first."""
        return []

    def plans(self, scope: Scope) -> list[Planned]:
        """Return what the user, and people in videos, planned as of the scope, the latest first."""
        return []

    def asks_who(self, question: str, scope: Scope) -> bool:
        """Return whether a question asks who a named person is: "Who is Tess?"."""
        return False

    def favorite_asked(self, question: str) -> Mapping[str, frozenset[str]]:
        """Return {word: its forms} for a question about a favourite. An answering turn has one form of every word."""
        return {}

    def kin_words(self, question: str, scope: Scope) -> list[tuple[str, str]]:
        """Return (word of the question, another word for the same relative of the user): ("clara", "sister").

        Only of relatives who are alone in their role, in either direction.
        """
        return []

    def asks_for_value(self, question: str) -> bool:
        """Return whether a question asks for a day, a date, a time or a number."""
        return False

    def corrected(self, question: str, turns: Sequence[str]) -> dict[int, int]:
        """Return {index of the correcting turn: index of the corrected turn}, of turns of one speaker, oldest first.

        A correcting turn gives another value of the kind that the question asks for ("No, I meant Friday").
        """
        return {}

    def contrary(self, turns: Sequence[str]) -> dict[int, int]:
        """Return {index of a turn: index of the latest later turn that says the opposite}, of one speaker, oldest
        first.

        "Dogs are allowed here" and "Dogs are not allowed here any more". Only brief turns are compared.
        """
        return {}

    def no_evidence(self, question: str, turns: Sequence[Event], scope: Scope) -> set[int]:
        """Return the node_ids of turns that tell nothing about the user; none if the question is not about the user.

        These are turns of programs, turns that only ask, suppose or set a task, and turns that state only facts which
        the question does not ask for.
        turns: best first.
        """
        return set()

    def speaks_of_user(self, question: str) -> bool:
        """Return whether a question says "I", "me" or "my", or has a verb that says so ("vivo")."""
        return False

    def fact_asked(self, question: str, scope: Scope) -> FactAsked:
        """Return the fact that a question asks for, to look for it in turns."""
        return FactAsked()


@dataclass(frozen=True)
class StoredVector:
    """A vector as the graph stores it, with the properties of its event that a scope filters by.

    data: float32 bytes; empty if the event is gone.
    time_start, time_end: seconds of the video; nan if unknown.
    clock_start: start by wall clock, in seconds since 1970; nan if unknown.
    created_at: when memory learnt of it, in seconds since 1970; nan if unknown.
    superseded_at: when it was merged into another event, in seconds since 1970; inf if it was not.
    """

    seq: int
    node_id: int
    group_id: str
    video_id: str
    data: bytes
    time_start: float = nan
    time_end: float = nan
    clock_start: float = nan
    created_at: float = nan
    superseded_at: float = inf


class EmbeddingQueue(Protocol):
    """The facts and turns of one group that wait for an embedding. Moments are seconds since 1970."""

    def due(self, now: float, limit: int) -> list[WaitingText]:
        """Return at most `limit` facts and turns that may be embedded by now."""
        ...

    def next_at(self) -> float | None:
        """Return when the next one may be embedded; None if none waits."""
        ...

    def commit(self, texts: Sequence[WaitingText], vectors: Vectors, model: str) -> None:
        """Write their embeddings, shape (len(texts), dim), and take them out of the queue.

        Those that were removed or changed since are skipped. Raises EmbedderMismatch.
        """
        ...

    def postpone(self, texts: Sequence[WaitingText], attempts: int, after: float | None, error: str) -> None:
        """Make these due again at `after`; None gives them up."""
        ...


class Shared(NamedTuple):
    """What a turn has in common with a question that it may answer.

    words: the share of the question's content words that the turn has, in [0, 1].
    has_kind: whether it has a number or a time, if the question asks for one, and a word of the question as well.
    """

    words: float
    has_kind: bool


class Nearness(NamedTuple):
    """How near a turn is to a question.

    similarity: the cosine, above that of unrelated texts.
    relevance: how likely the turn helps with the question, in [0, 1]; None if no RelevanceModel judged it.
    """

    similarity: float
    relevance: float | None = None


class AskedFacts(AskedKin, Protocol):
    """A question, read as one about facts: whose facts, and which of them. See fact_questions/answering.py."""

    @property
    def subjects(self) -> Sequence[str]:
        """The subjects whose facts may answer it; none if no fact can."""
        ...

    @property
    def relations(self) -> Sequence[str]:
        """The relations that may answer it."""
        ...

    @property
    def object_words(self) -> Sequence[frozenset[str]]:
        """The forms of each word that a fact about the user must have in its object to answer it."""
        ...

    @property
    def asks_who(self) -> bool:
        """Whether it asks who somebody is ("Who is Max?"), or who has a fact ("Who works at BMW?")."""
        ...

    @property
    def objects(self) -> Sequence[str]:
        """The objects of facts that may answer it, whoever their subject is."""
        ...

    @property
    def two_sided(self) -> Sequence[str]:
        """The relations that it asks for whose facts tell of their object as well: "Marie and Luc are friends"."""
        ...

    def answered_by(self, facts: Iterable[Recalled]) -> list[Recalled]:
        """Return the facts that answer it, in their order. For a single-valued relation, return only the first."""
        ...

    def asks_for_else(self, stated: Iterable[Triple]) -> bool:
        """Return whether it asks for certain relations, and a turn that states this tells only of others."""
        ...

    def asks_for_plan(self, plan: KnownFact, now: datetime) -> bool:
        """Return whether it asks for plans, and this plan has its words and is for its day."""
        ...

    @property
    def text(self) -> str:
        """The question as it was asked."""
        ...

    @property
    def language(self) -> str:
        """The code of its language."""
        ...

    @property
    def turn_words(self) -> Sequence[frozenset[str]]:
        """The forms of each word that an answering turn must have; empty if no turn can answer."""
        ...

    def is_answered_in(self, turn: str, subject: str = "") -> bool:
        """Return whether a turn of the user answers it, by its words.

        subject: the person whom all facts of the turn are about; empty if that is the user or not known.
        """
        ...

    def shared_with(
        self, turn: str, subject: str = "", before: Sequence[str] = (), stated: Collection[Triple] = ()
    ) -> Shared | None:
        """Return what a turn of similar meaning has in common with it; None if the turn is not an answer.

        before: what the user said just before the turn, the latest first.
        stated: the facts read from the turn.
        """
        ...

    @property
    def meaning(self) -> str:
        """Its words without persons, for finding turns of similar meaning."""
        ...


ReadAs = Callable[[str], str]
"""Takes an episode_id; returns the text by which a RelevanceModel judges the turn, empty if it need not be judged."""


TurnsLike = Callable[[AskedFacts, ReadAs], Mapping[str, Nearness]]
"""See PassiveMemory.turns_like."""


class PassiveMemory(Protocol):
    """Recalls facts and episodes alongside a live conversation.

    No call but `turns_like` waits for a database or a model.
    """

    def turns_like(self, question: AskedFacts, read_as: ReadAs) -> Mapping[str, Nearness]:
        """Return the turns that are nearest in meaning to a question, by episode_id.

        Waits half a second at most, and returns nothing then.
        """
        ...

    def said(self, episode_id: str, text: str, *, personal: bool = True) -> None:
        """Report a turn, which starts a search. The next prompt gets what the turn before this one recalled.

        personal: whether the turn may bring up facts of the user, and not only episodes.
        """
        ...

    def resume(self, turns: Sequence[tuple[str, str]]) -> None:
        """Report the last turns, (episode_id, text), of a session that is opened again.

        They start a search, and the prompt after the next turn gets what it finds.
        """
        ...

    def clear(self) -> None:
        """Drop everything recalled so far, after something was forgotten."""
        ...

    @property
    def held(self) -> Held:
        """The turns and events whose words it holds."""
        ...

    def drop(self, gone: Held) -> None:
        """Drop these turns and events, and what a search that is under way may still find."""
        ...

    def context(
        self,
        messages: Sequence[str],
        tools: Sequence[str],
        hints: Sequence[str],
        believed: Callable[[Triple], bool],
        lines: int,
    ) -> Context:
        """Return what fits into a prompt beside its messages and tool results.

        Hints come first, then what was recalled. The caller adds the facts and episodes of the result to the prompt;
        messages and tool results are its own.
        believed: whether a fact is still believed.
        lines: at most this many facts are added to the hints.
        """
        ...


@dataclass(frozen=True, eq=False, slots=True)
class MemoryCandidate:
    """A result of a search over facts and episodes, before it is ranked.

    similarity: to the query, in [0, 1].
    vector: shape (dim,), or None.
    standing: the score of the search that found it, in [0, 1], which decides between equal ones.
    words: the share of the query's words that it has.
    topical: it belongs to a topic that the query asks for ("hobbies").
    """

    found: Recalled
    similarity: float
    vector: Vectors | None = None
    standing: float | None = None
    words: float = 0.0
    topical: bool = False


class MemorySource(Protocol):
    """Finds candidates of one kind, facts or episodes, of one user of a group."""

    def nearest(self, vector: Vectors, limit: int, confidence: float) -> list[MemoryCandidate]:
        """Return at most `limit` candidates with a confidence over `confidence`, the most similar first."""
        ...

    def by_words(self, query: str, limit: int, confidence: float, *, unembedded: bool) -> list[Recalled]:
        """Return at most `limit` results that have words of the query. unembedded: only those without a vector."""
        ...


class StatementReader(Protocol):
    """Reads what a turn states, by the rules of its language (turn_reader/) or with a model.

    Pure: the same turn in the same context always gives the same result.
    """

    def __call__(self, turn: str, language: str, context: TurnContext) -> Understood:
        """Return what a turn in this language states and takes back. Each fact has its span and confidence."""
        ...


class SpanModel(Protocol):
    """A network that finds statements in turns. Safe to use from several threads."""

    @property
    def labels(self) -> SpanLabels:
        """What it tells apart."""
        ...

    def tokens(self, text: str) -> Tokens:
        """Return the tokens of a text."""
        ...

    def scores(self, ids: list[int], segments: list[int]) -> SpanScores:
        """Return what it says of each token.

        segments: 1 for tokens of the turn, 2 of turns before, 0 between them.
        """
        ...

    def meaning(self, text: str) -> Floats | None:
        """Return the vector of a text, float32, shape (384,); None if the model for it is not installed."""
        ...


class RelevanceModel(Protocol):
    """A network that reads a question and a turn together. Safe to use from several threads."""

    def relevance(self, question: str, turns: Sequence[str]) -> list[float]:
        """Return how likely each turn is to help with the question, in [0, 1]."""
        ...


class VectorSource(Protocol):
    """The graph as a dense index sees it: the vectors of one model, in the order they were written."""

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        """Return at most `limit` vectors, from this sequence number on."""
        ...


# Where the sidecar searches large indexes. auto: on a GPU if FAISS has one.
Device = Literal["auto", "cpu", "gpu"]


class Search(NamedTuple):
    """The arguments of DenseIndex.search."""

    vector: Vectors
    k: int
    scope: Scope
    among: Sequence[int] | None = None


class DenseIndex(Protocol):
    """Searches vectors by node_id. It knows the vectors that were written before its last `catch_up`."""

    def catch_up(self) -> int:
        """Read the vectors written since the last call. Returns how many changed."""
        ...

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return (node_id, cosine) of the k nearest vectors in the scope, best first.

        vector: shape (dim,).
        among: search only these node_ids. A scope that names persons needs it, because vectors do not know which
            persons they are about. Raises ValueError if it is missing then.
        """
        ...

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """Return the cosine of each event to each of `vectors`, shape (n, node_ids).

        An event without a vector has NaN.

        The caller makes sure that the ids are in scope.
        """
        ...


class VectorReader(DenseIndex, Protocol):
    """A DenseIndex that also returns vectors."""

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """Return {node_id: vector of shape (dim,)}; events without a vector are left out."""
        ...


class VectorIndex(VectorReader, Protocol):
    """A VectorReader with its upkeep: in this process, or in a sidecar."""

    @property
    def model(self) -> str:
        """The embedding model."""
        ...

    def __len__(self) -> int:
        """Return how many vectors it holds."""
        ...

    def rebuild(self) -> int:
        """Rebuild the index from the graph. Returns how many vectors it holds."""
        ...

    def save(self) -> None:
        """Write the snapshot, so that the next start is fast."""
        ...

    def close(self) -> None:
        """Save the index if that is worth the time, and release its memory and files."""
        ...


class Indexes(Protocol):
    """The dense indexes of one database. Each is opened when it is first asked for."""

    @property
    def events(self) -> VectorReader:
        """Events of videos, by node_id."""
        ...

    @property
    def turns(self) -> VectorReader:
        """Turns of conversations, by the negative node_ids that recall gives them."""
        ...

    @property
    def facts(self) -> VectorReader:
        """Facts, by vector_id."""
        ...

    def size(self, kind: Kind) -> tuple[int, int]:
        """Return (vectors in the index after catching up, vectors of this kind in the graph)."""
        ...

    def differing(self, kind: Kind, *, every: bool) -> int:
        """Count the vectors that the index lacks or holds differently: of a sample, or of all if `every` is set."""
        ...

    def is_damaged(self, kind: Kind) -> bool:
        """Return whether the snapshot exists but cannot be read."""
        ...

    def rebuild(self, kind: Kind) -> int:
        """Rebuild the index from the graph. Returns how many vectors it holds."""
        ...

    def remove_snapshots(self, kind: Kind) -> None:
        """Remove the snapshots of a kind. They can be rebuilt from the graph."""
        ...

    def remove_gone(self, *kinds: Kind) -> None:
        """Remove vectors, in memory and on disk, whose owners the graph no longer has."""
        ...


ClipTool = Callable[[Span], Segment]
"""The one tool of an exploration: cuts a segment out of the video, or returns one that was cut before.

Raises InputError, ToolError, NoSpace.
"""


Looker = Callable[[Segment], Look]
"""Looks at a segment. Safe to use from several threads.

Raises InputError, ToolError, ModelFailed, ModelDenied, NoSuchModel.
"""


class Planner(Protocol):
    """Decides where to look. Each method may raise ModelFailed, ModelDenied and NoSuchModel."""

    def resume(self, root: Decision, visits: Sequence[tuple[Visit, Decision]]) -> None:
        """Take up what an earlier run decided, at the root and then at each visit, before anything is asked."""
        ...

    def begin(self) -> Decision:
        """Return the first paths, or an answer, before anything was looked at."""
        ...

    def decide(self, visits: Sequence[Visit]) -> list[Decision]:
        """Return one decision for each visit, in order. Several visits were looked at in parallel."""
        ...

    def more(self, unseen: Sequence[Span], looks: int) -> list[Decision]:
        """Return one decision when all paths were looked at: further first paths, an answer, or `terminate`.

        A planner that proposes all at the start returns none.

        unseen: the ranges that were not looked at.
        looks: how many may still be.
        """
        ...

    def conclude(self, why: str) -> Decision:
        """Return the final decision: `answer` with its node, `expand` with ranges to see before, or `terminate`."""
        ...


class FootageWords(Protocol):
    """The words of analyses that are in another language than English."""

    @property
    def verbs(self) -> Callable[[str], Sequence[str]]:
        """(the verb of an action) -> what it may be in English, the likeliest first; empty if it is denied."""
        ...

    @property
    def place(self) -> Callable[[str], str]:
        """(words for a thing or a place) -> the same in English."""
        ...

    def kinds(self, word: str) -> frozenset[str]:
        """Return what a word is as it is written, such as a verb and a noun; nothing of an unknown word."""
        ...

    def meanings(self, word: str) -> frozenset[str]:
        """Return the English words for a word."""
        ...

    def words_for(self, english: str) -> Sequence[str]:
        """Return the words for an English one, in any of its forms."""
        ...
