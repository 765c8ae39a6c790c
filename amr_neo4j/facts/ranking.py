"""Ranks what a search found: score, cut where relevance falls off, one of each cluster (specification 002 2.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from amr_neo4j import tables
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.domain.recall import Recalled
from amr_neo4j.tables import Weight

_DAY = 86_400.0


class RecallTable(tables.Table):
    """recall.yaml, which explains its keys."""

    similarity: Weight
    confidence: Weight
    recency: Weight
    decay_per_day: Weight
    candidates: int
    active_confidence: Weight
    passive_confidence: Weight
    episode_confidence: Weight
    cluster: Weight
    falls_off: Weight
    by_words: Weight
    worded: Weight
    beside_complete: Weight
    brief_words: int
    least: int
    most: int


@cache
def recall_table() -> RecallTable:
    """The shipped table."""
    return tables.load(__package__ or "", "recall.yaml", RecallTable)


def is_brief(text: str) -> bool:
    """Whether a text says one thing only. A longer one may contain the words of a query in several statements."""
    return len(text.split()) <= recall_table().brief_words


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """A result before it is ranked. similarity: to the query, in [0, 1]. vector: shape (dim,), where it has one.

    standing: how well it fits beside the others, in [0, 1], where that is not its similarity alone. words: the part
    of the query's words that it has.
    """

    found: Recalled
    similarity: float
    vector: Vectors | None = None
    standing: float | None = None
    words: float = 0.0


def score(candidate: Candidate, now: datetime, table: RecallTable) -> float:
    """similarity * 0.6 + confidence * 0.3 + recency * 0.1; recency is 0 where no time is known."""
    found = candidate.found
    recency = 0.0
    if found.timestamp:
        days = max(0.0, (now - found.timestamp).total_seconds() / _DAY)
        recency = math.exp(-table.decay_per_day * days)
    fit = candidate.similarity if candidate.standing is None else candidate.standing
    parts = (table.similarity * fit, table.confidence * found.confidence, table.recency * recency)
    return sum(parts)


def relevant(candidates: Sequence[Candidate], floor: float, table: RecallTable, least: int = 0) -> list[Candidate]:
    """Those that are about the query: by its words, or from `floor` on and not far below the best.

    A brief one that has every word of the query is about it, however near: a question and a fact of three words are
    never very near.

    Where a brief one has every word of the query, what lacks some must be nearly as similar as the best.
    floor: similarity under which texts are unrelated. least: so many, the most similar, need only reach the floor.
    """
    about = sorted(
        (c for c in candidates if _is_worded(c, table) or _is_complete(c) or c.similarity >= floor),
        key=lambda c: -c.similarity,
    )
    if not about:
        return []
    best, complete = about[0].similarity, any(map(_is_complete, about))

    def fits(candidate: Candidate) -> bool:
        if complete and not _is_complete(candidate):
            return candidate.similarity >= table.beside_complete * best
        return _is_worded(candidate, table) or candidate.similarity >= table.falls_off * best

    return [c for place, c in enumerate(about) if fits(c) or place < least]


def _is_worded(candidate: Candidate, table: RecallTable) -> bool:
    """Whether a turn or an event has so many of the query's words that it is about the query."""
    return candidate.found.kind != "fact" and candidate.words > table.worded


def _is_complete(candidate: Candidate) -> bool:
    return candidate.words == 1.0 and is_brief(candidate.found.text)


def diverse(candidates: Sequence[Candidate], threshold: float) -> list[Candidate]:
    """One of each cluster of candidates that say the same: the most confident, a fact before an episode.

    candidates: best first; so are the results. A cluster is what has a cosine of `threshold` or more to its best.
    Facts of different subjects, and different values of one relation, never say the same.
    """
    clusters: list[list[Candidate]] = []
    for candidate in candidates:
        home = next((cluster for cluster in clusters if says_the_same(candidate, cluster[0], threshold)), None)
        if home is None:
            clusters.append([candidate])
        else:
            home.append(candidate)
    return [max(cluster, key=lambda c: (c.found.confidence, c.found.kind == "fact")) for cluster in clusters]


def ranked(candidates: Sequence[Candidate], now: datetime, table: RecallTable, limit: int) -> list[Candidate]:
    """Scored, one of each cluster, best first; at most `limit`."""
    scored = [replace(c, found=replace(c.found, score=score(c, now, table))) for c in candidates]
    scored.sort(key=_place)
    return sorted(diverse(scored, table.cluster), key=_place)[:limit]


def _place(candidate: Candidate) -> tuple[float, str]:
    return -candidate.found.score, candidate.found.text


def says_the_same(one: Candidate, other: Candidate, threshold: float) -> bool:
    """Whether two results say the same: by their vectors, or word for word where one has none."""
    a, b = one.found.triple, other.found.triple
    if a and b and (a.subject != b.subject or (a.relation == b.relation and a.object != b.object)):
        return False
    if one.vector is None or other.vector is None:
        return one.found.text.casefold() == other.found.text.casefold()
    return float(one.vector @ other.vector) >= threshold
