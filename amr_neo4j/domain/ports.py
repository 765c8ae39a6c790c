"""What the rooms need of the world, as Protocols. wiring/ passes in what fulfils them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from math import inf, nan
from typing import Literal, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from amr_neo4j.domain.budget import Context
from amr_neo4j.domain.chat import ModelCall, Prompt
from amr_neo4j.domain.episode import Accepted, Episode, EpisodeReceipt
from amr_neo4j.domain.event import Channel, ComposedClip, Cue, Edge, Event, EventDraft, MergedEvent, Recent
from amr_neo4j.domain.exploration import Decision, Look, Segment, Span, Visit
from amr_neo4j.domain.fact import Triple, TurnContext, Understood, WaitingFact
from amr_neo4j.domain.footage import Frame
from amr_neo4j.domain.mention import Extracted, Stated, Window, Written
from amr_neo4j.domain.recall import Recalled, Replacement, Scope
from amr_neo4j.domain.receipt import Failure, Receipt
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video

Vectors = npt.NDArray[np.float32]
Shape = TypeVar("Shape", bound=BaseModel)
Notify = Callable[[str], None]
"""Gets a line for a person."""
Kind = Literal["event", "episode", "fact"]
"""What a dense index holds the vectors of."""
KINDS: tuple[Kind, ...] = ("event", "episode", "fact")


class Embedder(Protocol):
    """Texts to unit vectors.

    unrelated: a cosine that 99 of 100 pairs of a question and a text about something else stay under.
    alike: a cosine that two events in a row must be over to be one continuous event.
    """

    model: str
    dim: int
    unrelated: float
    alike: float

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), dim) float32, rows of length 1."""
        ...


class ChatModel(Protocol):
    """A chat model in one role (text, judge, answer). Safe to use from several threads.

    Every call may raise ModelDenied, NoSuchModel and ModelMoved, which the user must correct, and ModelFailed, where
    a stage continues without: ModelUnavailable (all retries included), RequestRefused, UnusableReply, ReplyCut.
    """

    @property
    def model(self) -> str:
        """Its name at the provider."""
        ...

    def complete(self, prompt: Prompt) -> str:
        """The whole reply, never empty. ReplyCut.text is what came of one that ran into the token limit."""
        ...

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces as they come. ReplyCut follows the last one, ModelUnavailable where it breaks off."""
        ...

    def ask(self, prompt: Prompt, shape: type[Shape]) -> Shape:
        """The one JSON object of the reply, of this shape, asked for once more where it is not."""
        ...

    def ask_leniently(
        self, prompt: Prompt, shape: type[Shape], check: Callable[[Shape], object] = ...
    ) -> tuple[Shape, tuple[str, ...]]:
        """The same, where a slip that leaves no doubt of what is meant is put right; a note for each.

        check: raises ValueError, in words for the model, for an object that is of no use though its shape is right.
        """
        ...


class Footage(Protocol):
    """Where frames come from."""

    def __call__(self, path: str, *, fps: float, width: int, start: float = 0.0) -> Generator[Frame]:
        """`fps` frames a second from `start` (s) on, at most `width` pixels wide; closing it frees what it holds."""
        ...


class Analyser(Protocol):
    """Watches a video clip by clip, in time order."""

    name: str
    model: str

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip | FailedClip]:
        """Analyse the clips in order, one for one, as they are asked for, at most a few ahead of what was yielded."""
        ...


class AnalysedBy(Protocol):
    """What analysed a clip; model: empty where there is none."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...


class ClipSpool(Protocol):
    """Analyses that wait for the graph, on this machine's disk."""

    def keep(self, clip: AnalysedClip) -> None:
        """Have it on disk when this returns, in place of what was there of the same content."""
        ...

    def kept(self, video: Video, analyser: AnalysedBy) -> Mapping[str, AnalysedClip]:
        """By content_sha256: what this analyser with this model said of clips of the video."""
        ...

    def refuse(self, group_id: str, video_id: str, clip_id: str, why: str) -> None:
        """Set what is kept of a clip apart: the graph cannot take it. `kept` leaves it out."""
        ...

    def remove(self, group_id: str, video_id: str, clip_id: str) -> None:
        """The graph has this clip: forget whatever is kept of it."""
        ...


class EventWriter(Protocol):
    """The graph as ingestion sees it."""

    def commit(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> list[Receipt]:
        """Write the clips with all their edges in one transaction; one receipt each, in order.

        vectors: (events of all clips, dim), in the order of the clips and their events.
        """
        ...

    def prepare(self, clips: Sequence[ComposedClip], vectors: Vectors, model: str) -> Callable[[], list[Receipt]]:
        """Builds the rows now and returns the function that writes them.

        It may be called again after an error, by one thread at a time. Arguments, result and errors as of `commit`.
        """
        ...

    def committed_clips(self, group_id: str, video_id: str) -> Mapping[str, str]:
        """clip_id -> content_sha256 of the clips of a video that are committed."""
        ...

    def committed_clips_of(self, group_id: str, video_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Each video_id -> what `committed_clips` says of it."""
        ...

    def continued(self, video: Video, *, named: bool) -> Video:
        """The video as the graph has it if its file is one that has grown since, else as it is.

        named: its video_id was given by a person, so it is that video or none.
        """
        ...

    def known_lengths(self, video: Video) -> list[float]:
        """The seconds of the stored videos that were made of this file."""
        ...

    def dated_as_stored(self, video: Video) -> Video:
        """The video with the wall clock that the graph has of it, as it is where it is new."""
        ...

    def fail(self, clip: FailedClip, *, attempt: int, skip: bool) -> Receipt:
        """Keep a clip that could not be analysed, to be tried again, or given up where `skip` says so.

        attempt: how many it have been with this one, from 1; the same attempt counts once.
        """
        ...

    def drop(self, clip: FailedClip) -> Receipt:
        """Keep that a clip of a live source was dropped because analysis was behind."""
        ...

    def failed_clips(self, group_id: str, video_id: str) -> Mapping[str, Failure]:
        """clip_id -> what is known of the clips of a video that were tried and are not committed."""
        ...

    def skip_failed(self, group_id: str, video_id: str) -> None:
        """Give up the failed clips of a video: they hold up nothing any more."""
        ...


class MergingWriter(EventWriter, Protocol):
    """The graph as ingestion sees it where events are merged."""

    def recent_events(self, video: Video, model: str, limit: int) -> Recent:
        """The latest events of a video, at most so many, with their vectors of this model."""
        ...

    def commit_merging(
        self, clip: ComposedClip, vectors: Vectors, model: str, merged: Sequence[MergedEvent], after: int | None
    ) -> Receipt | None:
        """Write the clip, and what it is merged into, in one transaction.

        after: the video's last_node_id, which `merged` was made by. None, and nothing written, where it moved since.
        """
        ...


Summarise = Callable[[Sequence[EventDraft]], tuple[str, tuple[str, ...]]]
"""Words one or two sentences for events that follow one another, in order of time; also notes on what went wrong."""

Counting = Callable[[], AbstractContextManager[list[ModelCall]]]
"""Gathers the calls to models that this thread makes within a block, in the list that the block gets."""


class EpisodeWriter(Protocol):
    """The graph as conversations come into it."""

    def commit(self, episodes: Sequence[Episode], vectors: Vectors, model: str) -> list[EpisodeReceipt]:
        """Write the episodes, each tied to the turns beside it; one receipt each, in order.

        vectors: (len(episodes), dim).
        """
        ...

    def unchanged(self, episodes: Sequence[Episode]) -> list[EpisodeReceipt | None]:
        """For each episode its receipt, where the graph has it and it says the same; else None."""
        ...


class TurnSpool(Protocol):
    """A durable queue of episodes that wait for the graph."""

    def accept(self, episodes: Sequence[Episode]) -> list[Accepted]:
        """Keep the episodes, all or none; they are on disk when this returns. Raises NoSpace."""
        ...

    def waiting(self, group_id: str, most: int) -> list[tuple[int, Episode]]:
        """(number, episode) of a group's first episodes that wait, in order of acceptance."""
        ...

    def done(self, numbers: Sequence[int]) -> None:
        """Remove these from the queue."""
        ...

    def refusal(self, number: int) -> str | None:
        """Why the graph refused this one; "" while it waits, None where it is not in the queue."""
        ...

    def refuse(self, number: int, why: str) -> None:
        """Set this one apart: the graph will never take it."""
        ...

    def users(self, group_id: str) -> Sequence[str]:
        """The users of a group of whom turns wait."""
        ...

    def count(self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None) -> int:
        """How many of a user's episodes there are, of a session, or of one."""
        ...

    def forget(
        self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None
    ) -> int:
        """Remove a user's episodes, or those of a session, or one, from the disk too; how many there were."""
        ...

    def close(self) -> None:
        """End the connection; what waits stays."""
        ...


class MentionStore(Protocol):
    """The graph as extraction sees it; every read and write is of one user of a group."""

    @property
    def group_id(self) -> str:
        """The group."""
        ...

    def waiting(self, user_id: str, session_id: str | None = None) -> Iterator[list[str]]:
        """Ids of episodes that nothing was extracted from, page by page, in order of session and turn."""
        ...

    def windows(self, user_id: str, episode_ids: Sequence[str]) -> list[Window]:
        """Each of these turns with those just before it and their mentions."""
        ...

    def commit(self, user_id: str, episodes: Sequence[Episode], found: Extracted, extractor: str) -> Written:
        """Write what these episodes mention and state, and the changes of facts they carry, in one transaction.

        An episode extracted before is left as it is; one that states facts in the graph already changes none.
        """
        ...

    def take_in(self, user_id: str, found: Extracted, extractor: str) -> None:
        """Write what was extracted elsewhere."""
        ...

    def episodes(
        self,
        user_id: str,
        session_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[Episode]:
        """A user's episodes, or those of a session, in order of session and turn; said and known by then."""
        ...

    def episodes_by_id(self, user_id: str, episode_ids: Sequence[str]) -> dict[str, Episode]:
        """Those of these episodes that the graph has, by id."""
        ...

    def extracted(
        self,
        user_id: str,
        session_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Extracted:
        """The mentions and relations of a user, or of a session, in order; said and known by then."""
        ...

    def in_use(self, user_id: str, found: Extracted) -> dict[str, str]:
        """id -> session, of the ids in `found` that another mention or relation of the user has."""
        ...


@dataclass(frozen=True)
class Names:
    """Person ids and objects' names. same: person_id of a speaker -> ids that the same one has in videos."""

    persons: frozenset[str] = frozenset()
    objects: frozenset[str] = frozenset()
    same: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def __sub__(self, other: Names) -> Names:
        """Those that the other has not."""
        return Names(self.persons - other.persons, self.objects - other.objects, self.same)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.persons or self.objects)


class EventReader(Protocol):
    """The graph as recall sees it; every read is scoped."""

    def full_text(self, text: str, scope: Scope, limit: int) -> list[tuple[int, float]]:
        """(node_id, BM25 score), best first. `text` is what a person typed; escaping is the store's business."""
        ...

    def neighbours(self, node_ids: Sequence[int], channels: Sequence[Channel], scope: Scope) -> list[Edge]:
        """Every edge of these channels that touches one of the events, in either direction."""
        ...

    def read_ahead(self, node_ids: Sequence[int], best: Sequence[int], scope: Scope) -> None:
        """A hint that these events will be asked for, with the edges of the best and what is next to them in time."""
        ...

    def events(self, node_ids: Sequence[int], scope: Scope) -> list[Event]:
        """The events with these ids, in the order of the ids; those out of scope are left out."""
        ...

    def by_object(self, name: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events that use the object, latest first."""
        ...

    def by_person(self, person_id: str, scope: Scope, limit: int) -> list[int]:
        """node_ids of the events that involve the person, latest first."""
        ...

    def vocabulary(self, scope: Scope) -> Names:
        """What the people and objects of a scope's group, and whoever talks with its user, are called."""
        ...

    def last_vocabulary(self, scope: Scope) -> Names | None:
        """What `vocabulary` returned last for the scope's group and user, without a read; None before that."""
        ...

    def known(self, names: Names, scope: Scope) -> Names:
        """Those of the names that an event of the scope knows."""
        ...

    def life(self, objects: Sequence[str], states: Sequence[str], scope: Scope, limit: int) -> list[int]:
        """node_ids of the events in which something is done to one of the objects, latest first.

        states: of those that leave it in one of these; empty for whatever is done.
        """
        ...

    def cues(self, node_ids: Sequence[int], scope: Scope) -> Mapping[int, Sequence[Cue]]:
        """What was said in the clips of each of the events, in its order; none for turns and events out of scope."""
        ...

    def recordings(self, scope: Scope) -> Mapping[str, Video]:
        """The videos of a scope by their ids: when each was recorded, with the offset from UTC, and its place.

        Of the scope only the videos count: nothing of their content is returned.
        """
        ...


class StatedRelations(Protocol):
    """Knows what turns state of things, within a scope."""

    def about(self, texts: Sequence[str], scope: Scope) -> list[Stated]:
        """The relations with one of these texts, as written, as a mention; in order of time."""
        ...


class NothingStated:
    """Where nothing is stated, as in videos."""

    def about(self, texts: Sequence[str], scope: Scope) -> list[Stated]:
        """None."""
        return []


class Replacements(Protocol):
    """Knows which turns were replaced, within a scope: with an as_of, as it stood then."""

    def of(self, node_ids: Sequence[int], scope: Scope) -> list[Replacement]:
        """Those that replaced one of these turns, or that one of these turns replaced; the latest of each."""
        ...


class NoReplacements:
    """Where nothing is replaced, as in videos."""

    def of(self, node_ids: Sequence[int], scope: Scope) -> list[Replacement]:
        """None."""
        return []


class Beliefs(Protocol):
    """Knows what is believed of a scope's user."""

    def answering(self, question: str, scope: Scope) -> list[Recalled]:
        """The facts that answer a question by its words, the latest first: what holds as of the scope."""
        ...

    def asks_who(self, question: str, scope: Scope) -> bool:
        """Whether a question asks who somebody is whom it names."""
        ...

    def favorite_asked(self, question: str) -> Mapping[str, frozenset[str]]:
        """Words of a question for a favourite -> their forms, of each of which a turn that answers has one."""
        ...

    def asks_for_value(self, question: str) -> bool:
        """Whether a question asks for a day, a date, a time or a number."""
        ...

    def corrected(self, question: str, turns: Sequence[str]) -> dict[int, int]:
        """Of turns of one speaker, the oldest first: the place of each that corrects a value such as the question
        asks for, mostly without saying of what, with the place of the turn that it corrects.
        """
        ...

    def stated_of_others(self, question: str, turns: Sequence[int], scope: Scope) -> set[int]:
        """Those of the turns (node_ids) from which what the question asks for is known only of somebody else."""
        ...


class NothingBelieved:
    """Where nothing is believed, as of videos."""

    def answering(self, question: str, scope: Scope) -> list[Recalled]:
        """None."""
        return []

    def asks_who(self, question: str, scope: Scope) -> bool:
        """Of nobody."""
        return False

    def favorite_asked(self, question: str) -> Mapping[str, frozenset[str]]:
        """None."""
        return {}

    def asks_for_value(self, question: str) -> bool:
        """As of a film."""
        return False

    def corrected(self, question: str, turns: Sequence[str]) -> dict[int, int]:
        """None."""
        return {}

    def stated_of_others(self, question: str, turns: Sequence[int], scope: Scope) -> set[int]:
        """None."""
        return set()


@dataclass(frozen=True)
class StoredVector:
    """A vector as the graph keeps it, with what a scope asks of its event.

    data: float32 bytes, empty when its event is gone. time_start, time_end: seconds of the video; clock_start,
    created_at: seconds since 1970, the start by wall clock and when memory learnt it. nan where that is not known.
    superseded_at: when it was merged into another, seconds since 1970; inf for what was not.
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


class FactQueue(Protocol):
    """The facts of one group that wait for an embedding. Moments are seconds since 1970."""

    def due(self, now: float, limit: int) -> list[WaitingFact]:
        """At most `limit` that may be tried by now."""
        ...

    def next_at(self) -> float | None:
        """When the next one may be tried; None where none waits."""
        ...

    def commit(self, facts: Sequence[WaitingFact], vectors: Vectors, model: str) -> None:
        """Write their embeddings, shape (len(facts), dim), and take them out of the queue.

        A fact that is gone, or says something else by now, is left as it is. Raises EmbedderMismatch.
        """
        ...

    def postpone(self, facts: Sequence[WaitingFact], attempts: int, after: float | None, error: str) -> None:
        """Have them tried again from `after` on, or give them up where that is None."""
        ...


class PassiveMemory(Protocol):
    """What one live conversation brings to mind in passing. No call waits for a database or a model."""

    def said(self, episode_id: str, text: str, *, personal: bool = True) -> None:
        """A turn was said: what the turn before it brought to mind is for the prompt that follows.

        personal: whether it may bring facts of the user to mind, and not episodes only.
        """
        ...

    def clear(self) -> None:
        """Drop what was recalled: something was forgotten."""
        ...

    def context(
        self,
        messages: Sequence[str],
        tools: Sequence[str],
        hints: Sequence[str],
        believed: Callable[[Triple], bool],
    ) -> Context:
        """What fits beside the messages of a prompt and the results of its tools: hints, then what was recalled.

        believed: whether a fact still is. Only the facts and episodes of the result are for the caller to add.
        """
        ...


class StatementReader(Protocol):
    """Reads what a turn states, by the rules of its language (turn_reader/) or by a model.

    Pure: the same turn in the same context always states the same.
    """

    def __call__(self, turn: str, language: str, context: TurnContext) -> Understood:
        """What a turn in this language states, each fact with its span and confidence, and what it takes back."""
        ...


class VectorSource(Protocol):
    """The graph as a dense index sees it: the vectors of one model, in the order they were written."""

    def vectors_from(self, model: str, seq: int, limit: int) -> list[StoredVector]:
        """At most `limit` vectors, from this sequence number on."""
        ...


# Where the sidecar searches large indexes; auto: a GPU where FAISS has one.
Device = Literal["auto", "cpu", "gpu"]


class Search(NamedTuple):
    """What DenseIndex.search takes."""

    vector: Vectors
    k: int
    scope: Scope
    among: Sequence[int] | None = None


class DenseIndex(Protocol):
    """Vectors by node_id, of the events that it caught up with."""

    def catch_up(self) -> int:
        """Take in what the graph wrote since; returns how many vectors changed."""
        ...

    def search(
        self, vector: Vectors, k: int, scope: Scope, among: Sequence[int] | None = None
    ) -> list[tuple[int, float]]:
        """(node_id, cosine) of the nearest in the scope, best first: k of them, or all where there are fewer.

        vector: shape (dim,). among: no others than these. Vectors do not know whom they are about: a scope that names
        persons comes with the events among which they are; ValueError where it does not.
        """
        ...

    def similarities(self, vectors: Vectors, node_ids: Sequence[int]) -> Vectors:
        """The cosine of each event to each of `vectors`, (n, dim): (n, node_ids); NaN for one without a vector.

        The ids are in scope already.
        """
        ...


class VectorReader(DenseIndex, Protocol):
    """A DenseIndex that also returns vectors."""

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]:
        """The vector, shape (dim,), of each that has one."""
        ...


class VectorIndex(VectorReader, Protocol):
    """A VectorReader with its upkeep: in this process, or in a sidecar."""

    @property
    def model(self) -> str:
        """Whose vectors it holds."""
        ...

    def __len__(self) -> int:
        """How many vectors it holds."""
        ...

    def rebuild(self) -> int:
        """Make it again from the graph; returns how many vectors it holds."""
        ...

    def save(self) -> None:
        """Keep it on disk, so that the next start is quick."""
        ...

    def close(self) -> None:
        """Save it where that is worth it, and release what it holds."""
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
        """(vectors in the index once it has caught up, vectors of this kind in the graph)."""
        ...

    def differing(self, kind: Kind, *, every: bool) -> int:
        """How many of a sample of the graph's vectors, or of all, the index lacks or holds otherwise."""
        ...

    def is_damaged(self, kind: Kind) -> bool:
        """Whether its snapshot exists and cannot be read."""
        ...

    def rebuild(self, kind: Kind) -> int:
        """Make the index again from the graph; returns how many vectors it holds."""
        ...

    def remove_snapshots(self, kind: Kind) -> None:
        """Remove what is kept on disk of a kind; it is derived, and made again from the graph."""
        ...

    def remove_gone(self, *kinds: Kind) -> None:
        """Remove the vectors of what the graph no longer has, in memory and on disk."""
        ...


ClipTool = Callable[[Span], Segment]
"""The one tool of an exploration: cuts a segment out of the video, or finds it again.

Raises InputError, ToolError, NoSpace.
"""


class Looker(Protocol):
    """Looks at segments. Safe to use from several threads."""

    def look(self, segment: Segment) -> Look:
        """What is seen in it. Raises InputError, ToolError, ModelFailed, ModelDenied, NoSuchModel."""
        ...


class Planner(Protocol):
    """Decides where to look. Each method may raise ModelFailed, ModelDenied and NoSuchModel."""

    def begin(self) -> Decision:
        """The first paths, or an answer, before anything was looked at."""
        ...

    def decide(self, visits: Sequence[Visit]) -> list[Decision]:
        """One decision for each visit, in order. Several were looked at side by side."""
        ...

    def conclude(self, why: str) -> Decision:
        """The last word, when no more is looked at: `answer`, with its node, or `terminate`."""
        ...
