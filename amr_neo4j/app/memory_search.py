"""What a search over facts and episodes reads: the dense indexes with their readers."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from amr_neo4j.app.beliefs import UserBeliefs, asked_in
from amr_neo4j.domain.event import Event, said_id
from amr_neo4j.domain.ports import Embedder, EventReader, Vectors
from amr_neo4j.domain.recall import Citation, Hit, Scope, TurnCitation
from amr_neo4j.domain.recalled import Recalled, SearchType
from amr_neo4j.facts.options import recall_table
from amr_neo4j.facts.ranking import Candidate
from amr_neo4j.facts.recall import MemorySearch, Source
from amr_neo4j.facts.statements import Statements
from amr_neo4j.facts.words import QueryWords, is_brief, is_short
from amr_neo4j.language.languages import Language, first_names_anywhere, language
from amr_neo4j.store.read.facts import FactSearch

if TYPE_CHECKING:
    from amr_neo4j.vectors.turn_index import TurnIndex
    from amr_neo4j.wiring.parts import Parts

# Facts that are no longer believed keep their vectors: so often the search is widened to find enough that are.
_WIDENED, _GROWTH = 3, 4
_CALLED = "user"


class _Index(Protocol):
    """A dense index that also returns vectors."""

    def catch_up(self) -> int: ...

    def search(self, vector: Vectors, k: int, scope: Scope) -> list[tuple[int, float]]: ...

    def vectors(self, node_ids: Sequence[int]) -> dict[int, Vectors]: ...


def open_search(parts: Parts, user_id: str, search_type: SearchType) -> MemorySearch:
    """The search of a user's facts and turns, and of the group's events; for one search.

    user_id: empty for the events alone.
    """
    from amr_neo4j.recall.retrieve.retriever import BACKGROUND  # noqa: PLC0415

    embedder = EachTextOnce(parts.question_embedder)
    return MemorySearch(
        partial(_facts, parts, user_id) if search_type != "episodes" and user_id else None,
        partial(_episodes, parts, user_id) if search_type != "facts" else None,
        RankedEpisodes(parts, user_id, embedder),
        BACKGROUND.submit,
        lambda: embedder,
        partial(_stated, parts, user_id),
        parts.language,
        parts.now,
    )


def _stated(parts: Parts, user_id: str, query: str) -> Statements:
    """What judges results of a query by what they say."""
    (code, table), own = asked_in(query, parts.settings.hot_languages), parts.language
    called, said = _called(query, user_id, own).casefold(), set(own.words_of(query))
    somebody = _persons(code)
    of_user = called in said or not table.asking.speaker.isdisjoint(said)
    asks_of_user = of_user and somebody.isdisjoint(said - {called})
    words = QueryWords.of(query, own, {called})
    return Statements(query, words, table.asking, somebody, user_id, asks_of_user)


@cache
def _persons(code: str) -> frozenset[str]:
    """The words that name somebody, in the language with this code: its roles, and first names from everywhere."""
    return frozenset(
        word.casefold() for word in (*language(code).bullets.table.roles.values(), *first_names_anywhere())
    )


def _called(query: str, user_id: str, language: Language) -> str:
    """What a query calls the user: a model that calls a tool asks for "the user", a person for "me" or by name."""
    return _CALLED if _CALLED in language.words_of(query) else user_id


class EachTextOnce:
    """An Embedder for the parts of one search, which run side by side and embed the same query."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model, self.dim = embedder.model, embedder.dim
        self.unrelated, self.alike = embedder.unrelated, embedder.alike
        self._made: dict[str, Future[Vectors]] = {}
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As domain/ports.py, Embedder. One text alone is embedded once; who comes later waits for it."""
        if len(texts) != 1:
            return self._embedder.embed(texts)
        with self._lock:
            is_first = texts[0] not in self._made
            made = self._made.setdefault(texts[0], Future())
        if is_first:
            try:
                made.set_result(self._embedder.embed(texts))
            except BaseException as error:
                made.set_exception(error)
                raise
        return made.result()


def _facts(parts: Parts, user_id: str) -> list[Source]:
    reader = FactSearch(parts.database, parts.group_id, user_id, parts.admission.admit)
    scope = Scope(parts.group_id, user_id=user_id)
    return [FactSource(parts.fact_index, reader, scope, _caught_up(reader, parts.fact_index))]


def _episodes(parts: Parts, user_id: str) -> list[Source]:
    sources: list[Source] = []
    if user_id:
        parts.turn_index.catch_up()
        scope, statements = Scope(parts.group_id, user_id=user_id), _statements(parts, user_id)
        sources.append(EpisodeSource(parts.turn_index, parts.turn_reader, scope, statements))
    if not user_id or parts.sources.has_videos():
        parts.index.catch_up()
        sources.append(EpisodeSource(parts.index, parts.reader, Scope(parts.group_id)))
    return sources


def _statements(parts: Parts, user_id: str) -> StatementFilter:
    return StatementFilter(FactSearch(parts.database, parts.group_id, user_id), parts.language)


def _caught_up(reader: FactSearch, index: _Index) -> int | None:
    """Catch up; returns from which number on the index may lack facts. That is read first: none is lost between."""
    since = reader.unindexed_from()
    index.catch_up()
    return since


@dataclass
class FactSource:
    """The facts that a user's memory believes. since: as FactSearch.unindexed_from, before the index caught up."""

    index: TurnIndex
    reader: FactSearch
    scope: Scope
    since: int | None

    def nearest(self, vector: Vectors, limit: int, confidence: float) -> list[Candidate]:
        """As facts.recall.Source. Widened where many of the nearest are no longer believed."""
        wanted, near, found = limit, list[tuple[int, float]](), dict[int, Recalled]()
        for _ in range(1 + _WIDENED):
            near = self.index.search(vector, wanted, self.scope)
            found = self.reader.believed([number for number, _ in near], confidence)
            if len(found) >= limit or len(near) < wanted:
                break
            wanted *= _GROWTH
        near = [(number, cosine) for number, cosine in near if number in found][:limit]
        vectors = self.index.vectors([number for number, _ in near])
        return [Candidate(found[n], _similarity(cosine), vectors.get(n)) for n, cosine in near]

    def by_words(self, query: str, limit: int, confidence: float, *, unembedded: bool) -> list[Recalled]:
        """As facts.recall.Source."""
        if unembedded and self.since is None:
            return []
        return self.reader.by_words(query, limit, confidence, self.since if unembedded else None)


@dataclass(frozen=True)
class StatementFilter:
    """Leaves out the turns that say nothing that holds."""

    reader: FactSearch
    language: Language

    def holds(self, turns: Sequence[Event]) -> list[Event]:
        """Those that do not merely ask, nor merely state what was replaced or taken back."""
        telling = [turn for turn in turns if not self._merely_asks(turn.summary_text)]
        short = [turn.node_id for turn in telling if is_short(turn.summary_text, self.language)]
        outdated = self._outdated(short) if short else set[int]()
        return [turn for turn in telling if turn.node_id not in outdated]

    def _merely_asks(self, text: str) -> bool:
        """Whether it is a question too short to tell something beside: "I work on X, ..., can you help?" does."""
        return is_brief(text) and self.language.only_asks(text)

    def _outdated(self, node_ids: Sequence[int]) -> set[int]:
        return {said_id(number) for number in self.reader.outdated([said_id(each) for each in node_ids])}


@dataclass(frozen=True)
class RankedEpisodes:
    """The turns of a user and the events of the group as `Memory.search` ranks them for a query."""

    parts: Parts
    user_id: str
    embedder: Embedder

    def __call__(self, query: str, limit: int) -> list[Candidate]:
        """At most `limit`, best first, without turns that say nothing that holds."""
        from amr_neo4j.recall.pipeline import search  # noqa: PLC0415
        from amr_neo4j.recall.sources import Knowledge  # noqa: PLC0415

        parts = self.parts
        scope = Scope(parts.group_id, user_id=self.user_id)
        sources = replace(parts.sources.of_scope(scope), embedder=self.embedder)
        hits = search(query, sources, most=limit, limits=parts.limits, knowledge=Knowledge(parts.replacements))
        turns = [hit.event for hit in hits if hit.event.turn]
        turns = self._of_whom_is_asked(query, turns, scope)
        held = {turn.node_id for turn in _statements(parts, self.user_id).holds(turns)} if turns else set[int]()
        hits = [hit for hit in hits if not hit.event.turn or hit.event.node_id in held]
        vectors = parts.index.vectors([hit.event.node_id for hit in hits if not hit.event.turn])
        vectors |= parts.turn_index.vectors([hit.event.node_id for hit in hits if hit.event.turn])
        return [_candidate(hit, vectors.get(hit.event.node_id)) for hit in hits]

    def _of_whom_is_asked(self, query: str, turns: Sequence[Event], scope: Scope) -> list[Event]:
        """The turns without those that state what is asked for of somebody else alone."""
        asked = UserBeliefs(self.parts, _called(query, self.user_id, self.parts.language))
        others = asked.stated_of_others(query, [turn.node_id for turn in turns], scope) if turns else set[int]()
        return [turn for turn in turns if turn.node_id not in others]


@dataclass(frozen=True)
class EpisodeSource:
    """Turns of conversations, or events of videos. statements: leaves out turns that say nothing that holds."""

    index: _Index
    reader: EventReader
    scope: Scope
    statements: StatementFilter | None = None

    def nearest(self, vector: Vectors, limit: int, confidence: float) -> list[Candidate]:
        """As facts.recall.Source; `confidence` is of facts alone."""
        near = dict(self.index.search(vector, limit, self.scope))
        vectors = self.index.vectors(list(near))
        return [
            Candidate(_of_event(event), _similarity(near[event.node_id]), vectors.get(event.node_id))
            for event in self._events(list(near))
        ]

    def by_words(self, query: str, limit: int, confidence: float, *, unembedded: bool) -> list[Recalled]:
        """As facts.recall.Source. Turns and events have their vectors from the start."""
        if unembedded:
            return []
        hits = self.reader.full_text(query, self.scope, limit)
        return [_of_event(event) for event in self._events([node_id for node_id, _ in hits])]

    def _events(self, node_ids: Sequence[int]) -> list[Event]:
        events = self.reader.events(node_ids, self.scope) if node_ids else []
        return self.statements.holds(events) if self.statements else events


def _of_event(event: Event) -> Recalled:
    text = " ".join([event.summary_text, *event.dialogue_snippets])
    confidence = recall_table().episode_confidence
    if turn := event.turn:
        place = (turn.episode_id, turn.session_id, turn.number, turn.turn_id, turn.actor)
        return Recalled("turn", text, confidence, event.at, TurnCitation(event.node_id, *place, event.at))
    source = Citation(event.node_id, event.video_id, event.time_start, event.time_end)
    return Recalled("event", text, confidence, event.at, source)


def _candidate(hit: Hit, vector: Vectors | None) -> Candidate:
    return Candidate(_of_event(hit.event), _similarity(hit.scores["cosine"]), vector, hit.score)


def _similarity(cosine: float) -> float:
    return min(1.0, max(0.0, cosine))
