"""One search under two modes: asked for by a query, or in passing by the last turns (specification 002 2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.domain.recall import Recalled, Streamed, TurnCitation
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.query_filter import QueryFilter, QueryWords
from amr_neo4j.facts.ranking import Candidate, RecallTable, ranked, recall_table, relevant, says_the_same
from amr_neo4j.language.languages import Language


class Source(Protocol):
    """Where candidates of one kind come from; scoped to a user of a group."""

    def nearest(self, vector: Vectors, limit: int, confidence: float) -> list[Candidate]:
        """At most `limit` that are believed with more than `confidence`, the most similar first."""
        ...

    def by_words(self, query: str, limit: int, confidence: float, *, unembedded: bool) -> list[Recalled]:
        """At most `limit` that have words of the query. unembedded: only those that no vector finds yet."""
        ...


Sources = Callable[[], Sequence[Source]]
"""Opens sources: their indexes catch up."""
Find = Callable[[], list[Candidate]]


@dataclass(frozen=True)
class MemorySearch:
    """Searches the facts and episodes of one user.

    asked: the best episodes for a query, at most so many; recall in passing takes those that `episodes` has nearest.
    begin: runs a search in another thread. embedder: of questions; the same for all parts of a search.
    filter_of: leaves out what results say of something else than the query.
    """

    facts: Sources | None
    episodes: Sources | None
    asked: Callable[[str, int], list[Candidate]]
    begin: Callable[[Find], Future[list[Candidate]]]
    embedder: Callable[[], Embedder]
    filter_of: Callable[[str], QueryFilter]
    language: Language
    now: Callable[[], datetime]

    def search(self, query: str, limit: int) -> list[Recalled]:
        """What fits a query, best first; at most `limit`, fewer where relevance falls off.

        Facts are searched beside the episodes, which take longer.
        """
        table = recall_table()

        def facts() -> list[Candidate]:
            return self._near(query, self._embedded(query), self.facts, table.active_confidence)

        if self.episodes is None:
            found = facts()
        elif self.facts is None:
            found = self._asked(query, table)
        else:
            beside = self.begin(facts)
            try:
                episodes = self._asked(query, table)
            finally:
                wait([beside])
            found = [*beside.result(), *episodes]
        kept = self.filter_of(query)
        found = [c for c in found if not kept.are_of_another(c.found)]
        found = [replace(c, words=kept.words.share_in(c.found.text)) for c in found]
        standing = kept.standing(relevant(found, self._floor, table))
        return [c.found for c in ranked(standing, self.now(), table, limit)]

    def _asked(self, query: str, table: RecallTable) -> list[Candidate]:
        """Episodes for a query; by their words where the embedder does not answer."""
        try:
            return self.asked(query, table.candidates)
        except ModelFailed:
            return self._near(query, None, self.episodes, table.active_confidence)

    def stream(self, context: str, skip: Collection[str] = (), personal: str | None = None) -> Streamed:
        """What the last turns bring to mind: three to five facts and as many episodes, where so many are related.

        context: the words of those turns. skip: their episode_ids; what rests on them is in the prompt already.
        personal: the part of the context that may bring facts to mind; all of it unless given.
        """
        table = recall_table()
        vectors = {text: self._embedded(text) for text in {context, personal} if text}

        def best(text: str, sources: Sources | None) -> list[Candidate]:
            if not text:
                return []
            found = self._near(text, vectors[text], sources, table.passive_confidence)
            fresh = [c for c in found if not _rests_on(c.found, skip)]
            return ranked(relevant(fresh, self._floor, table, table.least), self.now(), table, table.most)

        facts = best(context if personal is None else personal, self.facts)
        episodes = [
            e for e in best(context, self.episodes) if not any(says_the_same(e, f, table.cluster) for f in facts)
        ]
        return Streamed(tuple(c.found for c in facts), tuple(c.found for c in episodes))

    @property
    def _floor(self) -> float:
        return self.embedder().unrelated

    def _near(
        self, query: str, vector: Vectors | None, sources: Sources | None, confidence: float
    ) -> list[Candidate]:
        """By vector, and by words what has no vector yet; all by words where the query has none."""
        table = recall_table()
        found: list[Candidate] = []
        for source in sources() if sources else ():
            if vector is not None:
                found += source.nearest(vector, table.candidates, confidence)
            rest = source.by_words(query, table.candidates, confidence, unembedded=vector is not None)
            if rest:
                words = QueryWords.of(query, self.language)
                found += [Candidate(each, table.by_words * words.share_in(each.text)) for each in rest]
        return found

    def _embedded(self, text: str) -> Vectors | None:
        """The vector of a text; None where the embedder does not answer."""
        try:
            return self.embedder().embed([text])[0]
        except ModelFailed:
            return None


def _rests_on(found: Recalled, episode_ids: Collection[str]) -> bool:
    return isinstance(found.source, TurnCitation) and found.source.episode_id in episode_ids
