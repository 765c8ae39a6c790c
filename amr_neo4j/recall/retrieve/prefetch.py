"""Starts reads that run while a question is parsed: full-text search, vectors, and the names that memory knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

import numpy as np

from amr_neo4j.domain.ports import Names, Vectors
from amr_neo4j.errors import ModelFailed
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.question.parse import cleaned
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.retriever import (
    BACKGROUND,
    ClauseVectors,
    Retriever,
    Searches,
    begin_search,
    queries,
    query,
)
from amr_neo4j.recall.sources import Sources


class Prefetch:
    """Starts reading as soon as it is made, and continues while `parse` runs.

    away: why the embedder did not answer, once the vectors were asked for. The vectors are NaN then, and nothing is
        near them.
    """

    def __init__(self, text: str, sources: Sources, limits: RecallLimits) -> None:
        """Start the reads that need no parsed question. Raises InputError: the text is not a question."""
        # The same query that the parsed question mostly leads to, so that its result is already there.
        words = query(sources.language.content_words(cleaned(text)), cleaned(text))
        self._text = text
        self._sources = sources
        self._limits = limits
        self._searches: Searches = {}
        self._search([words])
        self._catching_up = BACKGROUND.submit(sources.index.catch_up)
        self.away: ModelFailed | None = None
        self._embedded = BACKGROUND.submit(sources.embedder.embed, [text])

    def parse(
        self, by_names: Callable[[Names], ParsedQuestion], *, try_last_names: bool
    ) -> tuple[ParsedQuestion, Retriever]:
        """Return (the question, parsed by the names that memory knows; a retriever with what was read in parallel).

        try_last_names: parse with the names of the last question while the present ones are read. Mostly they are the
            same. If not, the question is parsed again.
        """
        try:
            parsed, vectors = self._parse(by_names, try_last_names)
        finally:
            # The dense index must have caught up before the retriever searches it.
            self._catching_up.result()
        return parsed, Retriever(self._sources, self._limits, vectors, self._searches)

    def _parse(
        self, by_names: Callable[[Names], ParsedQuestion], try_last_names: bool
    ) -> tuple[ParsedQuestion, ClauseVectors]:
        reader, scope = self._sources.reader, self._sources.scope
        reading = BACKGROUND.submit(reader.vocabulary, scope)
        last = reader.last_vocabulary(scope) if try_last_names else None
        if last is not None:
            parsed = by_names(last)
            vectors = self._embed(parsed)
            self._search(queries(parsed))
            # The embedding and the searches for these names are under way. If the names changed, they are not used.
            if reading.result() == last:
                return parsed, vectors
        parsed = by_names(reading.result())
        return parsed, self._embed(parsed)

    def _search(self, texts: Iterable[str]) -> None:
        """Start those full-text searches that were not started yet."""
        sources = self._sources
        for words in texts:
            key = words, sources.scope
            if key not in self._searches:
                self._searches[key] = begin_search(words, sources, self._limits.anchors_sparse)

    def _embed(self, parsed: ParsedQuestion) -> ClauseVectors:
        """Start to embed the parts of the question, each text once. Returns a function that waits for the vectors."""
        of_turns = self._sources.scope.has_turns
        texts = parsed.turn_embedding_texts if of_turns else parsed.embedding_texts
        # The whole question is being embedded since `__init__`.
        others = [text for text in dict.fromkeys(texts.values()) if text != self._text]
        begun = BACKGROUND.submit(self._sources.embedder.embed, others) if others else None

        def vectors() -> dict[str, Vectors]:
            try:
                by_text = dict(zip(others, begun.result(), strict=True)) if begun else {}
                if self._text in texts.values():
                    by_text[self._text] = self._embedded.result()[0]
            except ModelFailed as error:
                self.away = error
                return dict.fromkeys(texts, np.full(self._sources.embedder.dim, np.nan, np.float32))
            return {clause: by_text[text] for clause, text in texts.items()}

        # Cached, because each caller asks for all vectors, and only the first must wait.
        return cache(vectors)
