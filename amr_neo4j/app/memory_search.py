"""The memory search that a model calls as a tool: facts, turns of conversations and events of videos."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

from amr_neo4j.app.asking import Asking
from amr_neo4j.app.beliefs import only_reacts, words_said
from amr_neo4j.domain.event import Event, lines_beside, repeated_halves, said_id
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.ports import (
    Embedder,
    EventReader,
    FactAsked,
    MemoryCandidate,
    MemorySource,
    RelevanceModel,
    VectorReader,
    Vectors,
)
from amr_neo4j.domain.recall import Citation, Hit, OutdatedTurn, Recalled, Scope, SearchType, TurnCitation, citation
from amr_neo4j.domain.speakers import Speakers
from amr_neo4j.domain.video import zone_of
from amr_neo4j.errors import InputError
from amr_neo4j.fact_questions.answering import language_of
from amr_neo4j.facts.query_filter import QueryFilter, QueryWords
from amr_neo4j.facts.ranking import is_brief, recall_table
from amr_neo4j.facts.recall import MemorySearch
from amr_neo4j.language.languages import Language, first_names_anywhere, language
from amr_neo4j.language.stems import words_in
from amr_neo4j.language.topics import kin_named, topics_asked
from amr_neo4j.recall.evidence.replacements import contradictions
from amr_neo4j.recall.retrieve.retriever import BACKGROUND

if TYPE_CHECKING:
    from amr_neo4j.store.read.facts import FactSearch

# Facts that are no longer believed stay in the dense index. If too few of the facts found are believed, the search
# is repeated up to three times for four times as many.
_WIDENED, _GROWTH = 3, 4
_WORD = re.compile(r"[^\W\d_]+")
# A turn of at most this many sentences says nothing beyond its facts.
_SENTENCES_OF_SHORT = 2
_UP_TO_DATE = OutdatedTurn(whole=False, over=())


@dataclass(frozen=True, kw_only=True)
class SearchingMemory:
    """Searches what is believed and what happened, for any group and user.

    facts: (group_id, user_id) -> the search of a user's facts.
    admitted_facts: the same, but raises EmbedderMismatch for a group that another model embedded.
    embedder: opens the embedder of queries.
    relevance: opens what tells whether a turn helps with a question; None if there is nothing.
    note_asked: (group_id, user_id, results) notes the facts that were searched for.
    """

    asking: Asking
    facts: Callable[[str, str], FactSearch]
    admitted_facts: Callable[[str, str], FactSearch]
    embedder: Callable[[], Embedder]
    relevance: Callable[[], RelevanceModel | None]
    now: Callable[[], datetime]
    note_asked: Callable[[str, str, Page[Recalled]], None]

    def search(self, scope: Scope, query: str, asked: PageRequest, *, search_type: SearchType) -> Page[Recalled]:
        """Return a page of the results, best first. A scope without a user searches only the events of videos.

        Raises InputError: the query has no words. Raises EmbedderMismatch, ModelDenied, NoSuchModel.
        """
        if not query.strip():
            raise InputError("the query is empty", hint="ask for something, like: work projects")
        group_id, user_id = scope.group_id, scope.user_id
        with self.asking.questions.question():
            if user_id:
                self.asking.commit_waiting(group_id, user_id)
            found = self.open(scope, search_type).search(query, asked)
        if not (scope.as_of or scope.known_at):
            self.note_asked(group_id, user_id, found)
        return self._located(group_id, found)

    def _located(self, group_id: str, found: Page[Recalled]) -> Page[Recalled]:
        """Return the results with the times of videos in the time zones of their recordings."""
        videos = {each.source.video_id for each in found if isinstance(each.source, Citation)}
        if not videos:
            return found
        known = self.asking.events.recordings(Scope(group_id, tuple(sorted(videos))))

        def located(each: Recalled) -> Recalled:
            video = known.get(each.source.video_id) if isinstance(each.source, Citation) else None
            if not (video and each.timestamp):
                return each
            return replace(each, timestamp=each.timestamp.astimezone(zone_of([video], self.asking.zone)))

        return replace(found, items=tuple(map(located, found)))

    def open(self, scope: Scope, search_type: SearchType = "both") -> MemorySearch:
        """Return a search over a user's facts and turns and the group's events. It serves one query.

        scope: of a group, and a user if there is one, as of a moment.
        """
        embedder = QueryEmbedder(self.embedder(), lambda text: without_user(text, self.asking.languages))
        user_id, as_of, languages = scope.user_id, scope.as_of, self.asking.languages
        # Whom the query names is looked up once.
        fact_asked = cache(partial(self._fact_asked, scope))
        return MemorySearch(
            facts=partial(self._facts, scope) if search_type != "episodes" and user_id else None,
            episodes=partial(self._episodes, scope) if search_type != "facts" else None,
            asked=partial(self._ranked_episodes, scope, embedder, fact_asked),
            begin=BACKGROUND.submit,
            embedder=lambda: embedder,
            filter_of=lambda query: replace(
                query_filter(user_id, query, own=self.asking.language, languages=languages), fact=fact_asked(query)
            ),
            language=self.asking.language,
            now=(lambda: as_of) if isinstance(as_of, datetime) else self.now,
            is_small_talk=partial(is_small_talk, self.asking.beliefs.speakers, user_id, languages),
            facts_by_id=lambda fact_ids: _by(scope, self.facts(scope.group_id, user_id)).by_ids(fact_ids),
            turns=partial(self._turns, scope),
            relevance=self.relevance,
        )

    def _facts(self, scope: Scope) -> list[MemorySource]:
        reader = _by(scope, self.admitted_facts(scope.group_id, scope.user_id))
        index = self.asking.indexes.facts
        # Read before the index catches up, so that no fact is lost between the two.
        since = reader.unindexed_from()
        index.catch_up()
        return [FactSource(index, reader, scope, since)]

    def _episodes(self, scope: Scope) -> list[MemorySource]:
        sources = self._turns(scope) if scope.user_id else []
        asking, indexes = self.asking, self.asking.indexes
        if not scope.user_id or asking.has_videos(scope.group_id):
            indexes.events.catch_up()
            of_group = replace(scope, user_id="")
            asking.events.vocabulary(of_group)
            sources.append(EpisodeSource(indexes.events, asking.events, of_group))
        return sources

    def _turns(self, scope: Scope) -> list[MemorySource]:
        turns, reader = self.asking.indexes.turns, self.asking.turns
        # Read before the index catches up, so that no turn is lost between the two.
        are_waiting = self.facts(scope.group_id, scope.user_id).has_turns_waiting()
        turns.catch_up()
        reader.vocabulary(scope)  # or the reader's cache could hold turns that were forgotten since
        return [EpisodeSource(turns, reader, scope, self._filter(scope), are_waiting)]

    def _filter(self, scope: Scope) -> StatementFilter:
        facts = _by(scope, self.facts(scope.group_id, scope.user_id))
        return StatementFilter(facts, self.asking.language, self.asking.languages)

    def _fact_asked(self, scope: Scope, query: str) -> FactAsked:
        """Return the user's fact that a query asks for; one that no question asks for if there is no user."""
        if not scope.user_id:
            return FactAsked()
        called = _called(query, scope.user_id, self.asking.languages)
        return self.asking.beliefs.calling(called).fact_asked(query, scope)

    def _ranked_episodes(
        self, scope: Scope, embedder: Embedder, fact_asked: Callable[[str], FactAsked], query: str, limit: int
    ) -> list[MemoryCandidate]:
        """Return turns and events as `Asking.search` ranks them, without turns whose statements no longer hold."""
        asking, indexes = self.asking, self.asking.indexes
        [vector] = embedder.embed([query])  # if this raises ModelFailed, the caller searches all kinds by words
        sources = replace(asking.sources_of(scope), embedder=embedder)
        hits = list(asking.search_in(sources, query, PageRequest(limit)))
        hits += self._nearest_turns(vector, scope, exclude={hit.event.node_id for hit in hits}, limit=limit)
        turns = [hit.event for hit in hits if hit.event.turn]
        turns = self._of_whom_is_asked(query, turns, scope, fact_asked(query)) if turns else []
        holding = self._filter(scope).holding(turns) if turns else []
        replaced = contradictions([turn for turn, _ in holding], asking.beliefs.contrary)
        by_id = {turn.node_id: turn for turn, _ in holding}
        over = {turn.node_id: no_longer for turn, no_longer in holding}
        held = by_id.keys() - {each.old for each in replaced}
        old = {each.new: by_id[each.old] for each in replaced if each.old in by_id}
        hits = [hit for hit in hits if not hit.event.turn or hit.event.node_id in held]
        vectors = indexes.events.vectors([hit.event.node_id for hit in hits if not hit.event.turn])
        vectors |= indexes.turns.vectors([hit.event.node_id for hit in hits if hit.event.turn])
        return [
            _candidate(
                hit,
                vectors.get(hit.event.node_id),
                replaced=old.get(hit.event.node_id),
                no_longer=over.get(hit.event.node_id, ()),
            )
            for hit in hits
        ]

    def _nearest_turns(self, vector: Vectors, scope: Scope, *, exclude: Collection[int], limit: int) -> list[Hit]:
        """Return the turns whose vectors are nearest, without those in `exclude`.

        `Asking.search` reads times and names in a query, and so may find nothing for "upcoming travel plans".
        """
        near = dict(self.asking.indexes.turns.search(vector, limit, scope)) if scope.user_id else {}
        missing = [node_id for node_id in near if node_id not in exclude]
        events = self.asking.turns.events(missing, scope) if missing else ()
        return [Hit(event, 0.0, scores={"cosine": near[event.node_id]}) for event in events]

    def _of_whom_is_asked(self, query: str, turns: Sequence[Event], scope: Scope, fact: FactAsked) -> list[Event]:
        """Return the turns except those that state what the query asks for only about somebody else, and those that
        are no evidence about the user.
        """
        beliefs = self.asking.beliefs.calling(_called(query, scope.user_id, self.asking.languages))
        others = fact.stated_of_others(turns) | beliefs.no_evidence(query, turns, scope)
        return [turn for turn in turns if turn.node_id not in others]


def _by(scope: Scope, facts: FactSearch) -> FactSearch:
    """Return the search of what was believed by the moment of a scope."""
    return facts.by(scope.as_of if isinstance(scope.as_of, datetime) else None, scope.known_at)


def query_filter(user_id: str, query: str, *, own: Language, languages: tuple[str, ...]) -> QueryFilter:
    """Return the filter that judges results of a query by their words.

    own: the language of the group.
    languages: those that users speak, as codes.
    """
    code = language_of(query, languages)
    table = language(code).bullets
    called, said = _called(query, user_id, languages).casefold(), set(words_in(query))
    somebody = _persons(code)
    of_user = called in said or not table.asking.speaker.isdisjoint(said)
    # The query is only about the user: it names nobody else.
    asks_of_user = of_user and somebody.isdisjoint(said - {called})
    plain = without_user(query, languages)
    words = QueryWords.of(plain, own, {called, *table.function_words})
    return QueryFilter(
        query=query,
        words=words,
        asking=table.asking,
        persons=somebody,
        user_id=user_id,
        asks_of_user=asks_of_user,
        topics=topics_asked(plain, code),
        kin=kin_named(plain, code),
        names=_names_in(plain, code),
        code=code,
    )


def _called(query: str, user_id: str, languages: tuple[str, ...]) -> str:
    """Return the word for the user that a query has, as a model writes it; else the user_id."""
    return next((word for word in words_in(query) if word in _words_for_user(languages)), user_id)


def is_small_talk(speakers: Speakers, user_id: str, languages: Sequence[str], episode: Recalled) -> bool:
    """Return whether an episode is a short turn of a program that names nothing: "You're welcome, enjoy your walk!".

    A name is a first name, or a capitalised word within a sentence. German capitalises all nouns, so there it takes a
    first name or a number.
    """
    if episode.kind != "turn" or not is_brief(episode.text) or speakers.subject(episode.said_by, user_id):
        return False
    text = episode.text.removeprefix(f"{episode.said_by}: ")
    code = language_of(text, languages)
    return not any(_names_something(sentence, code) for sentence in language(code).sentences(text))


def _names_something(sentence: str, code: str) -> bool:
    return any(character.isdigit() for character in sentence) or bool(_names_in(sentence, code))


def _names_in(sentence: str, code: str) -> frozenset[str]:
    """Return the names within a sentence, in lower case."""
    # Not the first word, which is capitalised anyway; and not "I".
    inner = (word.casefold() for word in _WORD.findall(sentence)[1:] if word[0].isupper() and len(word) > 1)
    return frozenset(word for word in inner if code != "de" or word in _first_names())


@cache
def _first_names() -> frozenset[str]:
    return frozenset(first_names_anywhere())


@cache
def _persons(code: str) -> frozenset[str]:
    """Return the words that name a person: roles in this language ("mother"), and first names of all languages.

    Function words are left out, some of which are names elsewhere: Spanish "del".
    """
    words = language(code).relation_words
    roles = [*chain.from_iterable(words.nouns.values()), *words.groups]
    named = frozenset(word.casefold() for word in (*roles, *first_names_anywhere()))
    return named - language(code).bullets.function_words


def without_user(query: str, languages: tuple[str, ...]) -> str:
    """Return a query without the phrases for the user: "the user's hobbies" is "hobbies".

    Turns and facts of the user don't call them so, and are compared with the query by their words and their vectors.
    A query with no other word is returned as it is.
    languages: codes.
    """
    rest = " ".join(_phrases_for_user(languages).sub(" ", query).split())
    return rest if any(map(str.isalnum, rest)) else query


@cache
def _phrases_for_user(languages: tuple[str, ...]) -> re.Pattern[str]:
    spelt = (r"[\W_]+".join(phrase.split()) for phrase in _calls_user(languages))
    return re.compile(rf"(?<!\w)(?:{'|'.join(spelt)})(?!\w)", re.IGNORECASE)


@cache
def _words_for_user(languages: tuple[str, ...]) -> frozenset[str]:
    """Return the last word of each phrase: "user", "usuario"."""
    return frozenset(phrase.removesuffix(" s").split()[-1] for phrase in _calls_user(languages))


def _calls_user(languages: tuple[str, ...]) -> list[str]:
    return list(chain.from_iterable(language(code).bullets.asking.user for code in languages))


class QueryEmbedder(Embedder):
    """An Embedder for the query of a search. It embeds the query once, although several threads ask for it.

    plain: returns the text to embed for a query: "hobbies" for "the user's hobbies".
    """

    def __init__(self, embedder: Embedder, plain: Callable[[str], str]) -> None:
        self._embedder, self._plain = embedder, plain
        self.model, self.dim = embedder.model, embedder.dim
        self.unrelated, self.alike = embedder.unrelated, embedder.alike
        self._made: dict[str, Future[Vectors]] = {}
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder in domain/ports.py. Callers with the same single text wait for the first one's result."""
        if len(texts) != 1:
            return self._embedder.embed([*map(self._plain, texts)])
        with self._lock:
            is_first = texts[0] not in self._made
            made = self._made.setdefault(texts[0], Future())
        if is_first:
            try:
                made.set_result(self._embedder.embed([self._plain(texts[0])]))
            except BaseException as error:
                # Callers that wait for this text get the same error.
                made.set_exception(error)
                raise
        return made.result()


@dataclass
class FactSource:
    """The facts that a user's memory believes.

    since: the value of FactSearch.unindexed_from, read before the index caught up.
    """

    index: VectorReader
    reader: FactSearch
    scope: Scope
    since: int | None

    def nearest(self, vector: Vectors, limit: int, confidence: float) -> list[MemoryCandidate]:
        """See MemorySource in domain/ports.py.

        The search is widened if many of the nearest facts are no longer believed.
        """
        wanted, near, found = limit, list[tuple[int, float]](), dict[int, Recalled]()
        for _ in range(1 + _WIDENED):
            near = self.index.search(vector, wanted, self.scope)
            found = self.reader.believed([number for number, _ in near], confidence)
            if len(found) >= limit or len(near) < wanted:
                break
            wanted *= _GROWTH
        near = [(number, cosine) for number, cosine in near if number in found][:limit]
        vectors = self.index.vectors([number for number, _ in near])
        return [MemoryCandidate(found[n], _similarity(cosine), vectors.get(n)) for n, cosine in near]

    def by_words(self, query: str, limit: int, confidence: float, *, unembedded: bool) -> list[Recalled]:
        """See MemorySource in domain/ports.py."""
        if unembedded and self.since is None:
            return []
        return self.reader.by_words(query, limit, confidence, self.since if unembedded else None)


@dataclass(frozen=True)
class StatementFilter:
    """Drops turns that state nothing, or nothing that still holds, and tells what others state that no longer does.

    languages: those that turns are read in, as codes.
    """

    reader: FactSearch
    language: Language
    languages: tuple[str, ...]

    def holding(self, turns: Sequence[Event]) -> list[tuple[Event, tuple[str, ...]]]:
        """Return the turns, each with what it states that was replaced or taken back since, as sentences.

        Left out are turns that only ask or react, and short ones of whose facts none holds.
        """
        telling = [
            turn
            for turn in turns
            if not self._merely_asks(turn.summary_text) and not only_reacts(words_said(turn), self.languages)
        ]
        outdated = self.reader.outdated([said_id(turn.node_id) for turn in telling]) if telling else {}
        there = [(turn, outdated.get(said_id(turn.node_id), _UP_TO_DATE)) for turn in telling]
        return [(turn, state.over) for turn, state in there if not (state.whole and self._is_short(turn))]

    def _is_short(self, turn: Event) -> bool:
        return len(self.language.sentences(turn.summary_text)) <= _SENTENCES_OF_SHORT

    def _merely_asks(self, text: str) -> bool:
        """Return whether the text is only a question.

        "I work on X, ..., can you help?" is longer and also states something.
        """
        return is_brief(text) and self.language.only_asks(text)


@dataclass(frozen=True)
class EpisodeSource:
    """Turns of conversations, or events of videos.

    statements: drops turns whose statements no longer hold.
    are_waiting: whether some have no vector yet, as events always have.
    """

    index: VectorReader
    reader: EventReader
    scope: Scope
    statements: StatementFilter | None = None
    are_waiting: bool = False

    def nearest(self, vector: Vectors, limit: int, confidence: float) -> list[MemoryCandidate]:
        """See MemorySource in domain/ports.py. `confidence` is ignored, since it applies only to facts."""
        near = dict(self.index.search(vector, limit, self.scope))
        vectors = self.index.vectors(list(near))
        return [
            MemoryCandidate(_of_event(event, over), _similarity(near[event.node_id]), vectors.get(event.node_id))
            for event, over in self._events(list(near))
        ]

    def by_words(self, query: str, limit: int, confidence: float, *, unembedded: bool) -> list[Recalled]:
        """See MemorySource in domain/ports.py."""
        if unembedded and not self.are_waiting:
            return []
        found = [node_id for node_id, _ in self.reader.full_text(query, self.scope, limit)]
        known = self.index.vectors(found) if unembedded else {}
        waiting = [each for each in found if each not in known]
        return [_of_event(event, over) for event, over in self._events(waiting)]

    def _events(self, node_ids: Sequence[int]) -> list[tuple[Event, tuple[str, ...]]]:
        events = self.reader.events(node_ids, self.scope) if node_ids else []
        halves = repeated_halves(events)
        events = [event for event in events if event.node_id not in halves]
        return self.statements.holding(events) if self.statements else [(event, ()) for event in events]


def _of_event(event: Event, no_longer: tuple[str, ...]) -> Recalled:
    text = " ".join([event.summary_text, *lines_beside(event.summary_text, event.dialogue_snippets)])
    confidence = recall_table().episode_confidence
    kind = "turn" if event.turn else "event"
    return Recalled(kind, text, confidence, event.at, citation(event), no_longer=no_longer)


def _candidate(
    hit: Hit, vector: Vectors | None, *, replaced: Event | None, no_longer: tuple[str, ...]
) -> MemoryCandidate:
    """Return a hit as a candidate.

    replaced: the turn of which it says the opposite.
    no_longer: see Recalled.
    """
    before = citation(replaced) if replaced else None
    found = replace(_of_event(hit.event, no_longer), replaces=before if isinstance(before, TurnCitation) else None)
    return MemoryCandidate(found, _similarity(hit.scores["cosine"]), vector, hit.score)


def _similarity(cosine: float) -> float:
    return min(1.0, max(0.0, cosine))
