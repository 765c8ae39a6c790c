"""Searches the facts and episodes of a user (specification 002 2).

There are two modes: a query asks for something, or the last turns of a conversation bring something to mind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.ports import Embedder, MemoryCandidate, MemorySource, Vectors
from amr_neo4j.domain.recall import Recalled, Streamed, TurnCitation
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.query_filter import QueryFilter, QueryWords
from amr_neo4j.facts.ranking import RecallTable, ranked, recall_table, relevant, says_the_same, with_opposed
from amr_neo4j.language.languages import Language

Sources = Callable[[], Sequence[MemorySource]]
"""Opens the sources; their indexes catch up with the graph first."""
Find = Callable[[], list[MemoryCandidate]]


@dataclass(frozen=True)
class Topic:
    """What those say who tell of a topic. examples: vectors, shape (n, dim). middle: their mean, of length 1."""

    examples: Vectors
    middle: Vectors

    @classmethod
    def of(cls, examples: Vectors) -> Topic:
        """Make a topic from the vectors of its examples, shape (n, dim)."""
        middle = examples.mean(axis=0)
        return cls(examples, middle / np.linalg.norm(middle))

    def fit(self, candidate: MemoryCandidate) -> float:
        """Return the mean of a candidate's similarity to the query and to the topic's nearest example, in [0, 1].

        Of a candidate without a vector, only that to the query is known.
        """
        if candidate.vector is None:
            return candidate.similarity
        return (candidate.similarity + max(0.0, float((self.examples @ candidate.vector).max()))) / 2


@dataclass(frozen=True)
class MemorySearch:
    """Searches the facts and episodes of one user.

    facts, episodes: open the sources of each kind; None if that kind is not searched.
    asked: takes (query, topic, limit) and returns the best episodes; topic: the vector of a topic that the query asks
        for, or None. `stream` uses `episodes` instead.
    begin: runs a search in another thread. embedder: opens the embedder of questions, the same for a whole search.
    embed_examples: returns the vectors of examples of topics, shape (n, dim).
    filter_of: returns the filter for a query, which leaves out results that are not about it.
    is_small_talk: whether an episode says nothing that is worth recalling in passing.
    facts_by_id: returns the user's facts of some ids.
    """

    facts: Sources | None
    episodes: Sources | None
    asked: Callable[[str, Vectors | None, int], list[MemoryCandidate]]
    begin: Callable[[Find], Future[list[MemoryCandidate]]]
    embedder: Callable[[], Embedder]
    embed_examples: Callable[[Sequence[str]], Vectors]
    filter_of: Callable[[str], QueryFilter]
    language: Language
    now: Callable[[], datetime]
    is_small_talk: Callable[[Recalled], bool] = lambda episode: False
    facts_by_id: Callable[[Sequence[str]], list[Recalled]] = lambda fact_ids: []
    _failed: list[ModelFailed] = field(default_factory=list[ModelFailed], init=False)

    def search(self, query: str, asked: PageRequest) -> Page[Recalled]:
        """Return a page of the results that fit a query, best first. They end where relevance falls off.

        Facts are searched in another thread, since the episodes take longer.
        """
        table = recall_table()
        kept = self.filter_of(query)
        topic = self._topic_of(kept.examples)

        def facts() -> list[MemoryCandidate]:
            vector = self._embedded(query)
            return self._near(query, vector, self.facts, table.active_confidence, topic=topic)

        if self.episodes is None:
            found = facts()
        elif self.facts is None:
            found = self._asked(query, topic, table)
        else:
            beside = self.begin(facts)
            try:
                episodes = self._asked(query, topic, table)
            finally:
                wait([beside])  # also after an error: no search may run on when this call has returned
            found = [*beside.result(), *episodes]
        found = [c for c in found if not kept.are_of_another(c.found)]
        found = [
            replace(
                c,
                similarity=topic.fit(c) if topic else c.similarity,
                words=kept.words.share_in(c.found.text),
                topical=kept.is_of_topic(c.found),
            )
            for c in found
        ]
        standing = kept.standing(relevant(found, table.floor * self._floor, table))
        best = [c.found for c in ranked(standing, self.now(), table, len(standing))]
        best = with_opposed(best, self.facts_by_id)
        page = asked.part(best[asked.start : asked.end], len(best))
        away = self._away
        return replace(page, notes=(self.language.grammar.found_by_words(away.message),)) if away else page

    def _asked(self, query: str, topic: Topic | None, table: RecallTable) -> list[MemoryCandidate]:
        """Return the episodes for a query; found by their words if the embedder does not answer."""
        try:
            return self.asked(query, topic.middle if topic else None, table.candidates)
        except ModelFailed as error:
            self._failed.append(error)
            return self._near(query, None, self.episodes, table.active_confidence)

    def stream(self, context: str, skip: Collection[str] = (), personal: str | None = None) -> Streamed:
        """Return what the last turns bring to mind: up to five related facts, and as many episodes.

        context: the text of those turns. skip: their episode_ids; what rests on them is in the prompt already.
        personal: the part of the context that facts are searched by; all of it if None, no facts if empty.
        """
        table = recall_table()
        # One vector serves both kinds where they are searched by the same text.
        vectors = {text: self._embedded(text) for text in {context, personal} if text}

        def best(text: str, sources: Sources | None) -> list[MemoryCandidate]:
            if not text:
                return []
            found = self._near(text, vectors[text], sources, table.passive_confidence)
            fresh = [c for c in found if not _rests_on(c.found, skip) and not self.is_small_talk(c.found)]
            return ranked(relevant(fresh, self._floor, table, table.least), self.now(), table, table.most)

        facts = best(context if personal is None else personal, self.facts)
        episodes = [
            e for e in best(context, self.episodes) if not any(says_the_same(e, f, table.cluster) for f in facts)
        ]
        recalled = with_opposed([c.found for c in facts], self.facts_by_id)
        return Streamed(tuple(recalled), tuple(c.found for c in episodes))

    def _topic_of(self, examples: Sequence[str]) -> Topic | None:
        """Return what a query's topic is like; None without examples, or if the embedder does not answer."""
        try:
            return Topic.of(self.embed_examples(examples)) if examples else None
        except ModelFailed as error:
            self._failed.append(error)
            return None

    @property
    def _away(self) -> ModelFailed | None:
        """Why the embedder did not answer, if it did not."""
        return self._failed[0] if self._failed else None

    @property
    def _floor(self) -> float:
        return self.embedder().unrelated

    def _near(
        self,
        query: str,
        vector: Vectors | None,
        sources: Sources | None,
        confidence: float,
        *,
        topic: Topic | None = None,
    ) -> list[MemoryCandidate]:
        """Return candidates of all sources: the nearest by vector, and those that have no vector yet by their words.

        vector: of the query. None if the query could not be embedded; then everything is searched by words.
        topic: what the query's topic is like; the nearest to it are candidates, too.
        """
        table = recall_table()
        found: list[MemoryCandidate] = []
        for source in sources() if sources else ():
            if vector is not None:
                near = source.nearest(vector, table.candidates, confidence)
                known = {each.found.text for each in near}
                of_topic = source.nearest(topic.middle, table.candidates, confidence) if topic else []
                others = (each for each in of_topic if each.found.text not in known)
                found += [*near, *(each.like(vector) for each in others)]
            rest = source.by_words(query, table.candidates, confidence, unembedded=vector is not None)
            if rest:
                words = QueryWords.of(query, self.language)
                found += [MemoryCandidate(each, table.by_words * words.share_in(each.text)) for each in rest]
        return found

    def _embedded(self, text: str) -> Vectors | None:
        """Return the vector of a text, shape (dim,); None if the embedder does not answer."""
        try:
            return self.embedder().embed([text])[0]
        except ModelFailed as error:
            self._failed.append(error)
            return None


def _rests_on(found: Recalled, episode_ids: Collection[str]) -> bool:
    return isinstance(found.source, TurnCitation) and found.source.episode_id in episode_ids
