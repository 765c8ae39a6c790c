"""Searches the facts and episodes of a user (specification 002 2).

There are two modes: a query asks for something, or the last turns of a conversation bring something to mind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.ports import (
    AskedFacts,
    Embedder,
    MemoryCandidate,
    MemorySource,
    Nearness,
    ReadAs,
    RelevanceModel,
    Vectors,
)
from amr_neo4j.domain.recall import Recalled, Streamed, TurnCitation, in_pages
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.query_filter import QueryFilter, QueryWords
from amr_neo4j.facts.ranking import (
    RecallTable,
    like_the_best,
    ranked,
    recall_table,
    relevant,
    says_the_same,
    with_opposed,
)
from amr_neo4j.language.languages import Language

Sources = Callable[[], Sequence[MemorySource]]
"""Opens the sources; their indexes catch up with the graph first."""
Find = Callable[[], list[MemoryCandidate]]


@dataclass(frozen=True)
class MemorySearch:
    """Searches the facts and episodes of one user.

    facts, episodes: open the sources of each kind; None if that kind is not searched.
    asked: takes (query, limit) and returns the best episodes. `stream` uses `episodes` instead.
    begin: runs a search in another thread.
    embedder: opens the embedder of questions, the same for a whole search.
    filter_of: returns the filter for a query, which leaves out results that are not about it.
    is_small_talk: whether an episode says nothing that is worth recalling in passing.
    facts_by_id: returns the user's facts of some ids.
    turns, relevance: open the user's turns alone, and what tells whether they help with a question, for `turns_like`.
    """

    facts: Sources | None
    episodes: Sources | None
    asked: Callable[[str, int], list[MemoryCandidate]]
    begin: Callable[[Find], Future[list[MemoryCandidate]]]
    embedder: Callable[[], Embedder]
    filter_of: Callable[[str], QueryFilter]
    language: Language
    now: Callable[[], datetime]
    is_small_talk: Callable[[Recalled], bool] = lambda episode: False
    facts_by_id: Callable[[Sequence[str]], list[Recalled]] = lambda fact_ids: []
    turns: Sources = tuple
    relevance: Callable[[], RelevanceModel | None] = lambda: None
    _failed: list[ModelFailed] = field(default_factory=list[ModelFailed], init=False)

    def search(self, query: str, asked: PageRequest) -> Page[Recalled]:
        """Return a page of the results that fit a query, best first. They end where relevance falls off.

        Facts are searched in another thread, since the episodes take longer.
        """
        table, kept = recall_table(), self.filter_of(query)

        def facts() -> list[MemoryCandidate]:
            return self._near(
                query, self._embedded(query), self.facts, table.active_confidence, by_words=kept.wider_query
            )

        if self.episodes is None:
            found = facts()
        elif self.facts is None:
            found = self._asked(query, table)
        else:
            beside = self.begin(facts)
            try:
                episodes = self._asked(query, table)
            finally:
                wait([beside])  # also after an error, so that the search ends before this call does
            found = [*beside.result(), *episodes]
        found = [c for c in found if not kept.are_of_another(c.found)]
        found = [
            replace(c, words=kept.words.share_in(c.found.text), topical=kept.is_of_topic(c.found)) for c in found
        ]
        standing = kept.standing(relevant(found, table.floor * self._floor, table))
        standing = like_the_best(standing, table)
        best = [c.found for c in ranked(standing, self.now(), table, len(standing))]
        best = in_pages(with_opposed(best, self.facts_by_id), asked.limit)
        page = asked.part(best[asked.start : asked.end], len(best))
        away = self._away
        return replace(page, notes=(self.language.grammar.say("by_words", reason=away.message),)) if away else page

    def _asked(self, query: str, table: RecallTable) -> list[MemoryCandidate]:
        """Return the episodes for a query; found by their words if the embedder does not answer."""
        try:
            return self.asked(query, table.candidates)
        except ModelFailed as error:
            self._failed.append(error)
            return self._near(query, None, self.episodes, table.active_confidence)

    def stream(self, context: str, skip: Collection[str] = (), personal: str | None = None) -> Streamed:
        """Return what the last turns bring to mind: up to five related facts, and as many episodes.

        context: the text of those turns.
        skip: their episode_ids; what rests on them is in the prompt already.
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

    def load(self) -> None:
        """Load the embedder and the indexes of episodes, which takes a moment, before the first search needs them."""
        self.embedder()
        if self.episodes:
            self.episodes()

    def turns_like(self, question: AskedFacts, read_as: ReadAs) -> dict[str, Nearness]:
        """Return the turns that are nearest in meaning to a question, by episode_id. See PassiveMemory."""
        vector, table, model = self._embedded(question.meaning), recall_table(), self.relevance()
        if vector is None:
            return {}
        near: dict[str, float] = {}
        for source in self.turns():
            for candidate in source.nearest(vector, table.candidates, 0.0):
                turn = candidate.found.source
                if isinstance(turn, TurnCitation):
                    near[turn.episode_id] = candidate.similarity - self._floor
        judged: dict[str, float] = {}
        if model:
            # Reading a turn with its persons takes a millisecond, so only what will be judged is read.
            texts = dict(islice(((turn, text) for turn in near if (text := read_as(turn))), table.judged))
            judged = dict(zip(texts, model.relevance(question.text, [*texts.values()]), strict=True))
        return {turn: Nearness(similarity, judged.get(turn)) for turn, similarity in near.items()}

    @property
    def _away(self) -> ModelFailed | None:
        """Why the embedder did not answer, if it did not."""
        return self._failed[0] if self._failed else None

    @property
    def _floor(self) -> float:
        return self.embedder().unrelated

    def _near(
        self, query: str, vector: Vectors | None, sources: Sources | None, confidence: float, by_words: str = ""
    ) -> list[MemoryCandidate]:
        """Return candidates of all sources: the nearest by vector, and those that have no vector yet by their words.

        vector: of the query. None if the query could not be embedded; then everything is searched by words.
        by_words: the words to search by, if they are others than those of the query.
        """
        table = recall_table()
        found: list[MemoryCandidate] = []
        for source in sources() if sources else ():
            if vector is not None:
                found += source.nearest(vector, table.candidates, confidence)
            rest = source.by_words(by_words or query, table.candidates, confidence, unembedded=vector is not None)
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
