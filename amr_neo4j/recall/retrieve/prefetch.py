"""Reads that run while a question is parsed: its full text, its vectors, and the names that memory knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from amr_neo4j.domain.ports import Names, Vectors
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
    """Begins reading as soon as it is made, and goes on while `parse` runs."""

    def __init__(self, text: str, sources: Sources, limits: RecallLimits) -> None:
        """Raises InputError: no question."""
        words = query(sources.language.content_words(cleaned(text)), cleaned(text))
        self._text = text
        self._sources = sources
        self._limits = limits
        self._searches: Searches = {}
        self._search([words])
        self._catching_up = BACKGROUND.submit(sources.index.catch_up)
        self._embedded = BACKGROUND.submit(sources.embedder.embed, [text])

    def parse(
        self, by_names: Callable[[Names], ParsedQuestion], *, try_last_names: bool
    ) -> tuple[ParsedQuestion, Retriever]:
        """The question, parsed by the names that memory knows, and a retriever that has what was read.

        try_last_names: parse by the names of the last question while the present ones are read. Mostly they are the
        same; otherwise the question is parsed again.
        """
        try:
            parsed, vectors = self._parse(by_names, try_last_names)
        finally:
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
            if reading.result() == last:
                return parsed, vectors
        parsed = by_names(reading.result())
        return parsed, self._embed(parsed)

    def _search(self, texts: Iterable[str]) -> None:
        """Begin full-text searches that are not under way yet."""
        sources = self._sources
        for words in texts:
            key = words, sources.scope
            if key not in self._searches:
                self._searches[key] = begin_search(words, sources, self._limits.sparse)

    def _embed(self, parsed: ParsedQuestion) -> ClauseVectors:
        """Begin to embed the parts of the question, equal ones once."""
        of_turns = self._sources.scope.has_turns
        texts = parsed.turn_embedding_texts if of_turns else parsed.embedding_texts
        others = [text for text in dict.fromkeys(texts.values()) if text != self._text]
        begun = BACKGROUND.submit(self._sources.embedder.embed, others) if others else None

        def vectors() -> dict[str, Vectors]:
            by_text = dict(zip(others, begun.result(), strict=True)) if begun else {}
            if self._text in texts.values():
                by_text[self._text] = self._embedded.result()[0]
            return {clause: by_text[text] for clause, text in texts.items()}

        return cache(vectors)
