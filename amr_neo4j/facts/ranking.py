"""Ranks search results: scores them, cuts the list where relevance falls off, and keeps one of each cluster.

Specification 002 2.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from amr_neo4j import tables
from amr_neo4j.domain.ports import MemoryCandidate
from amr_neo4j.domain.recall import Recalled, TurnCitation
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.tables import Weight

_DAY = 86_400.0


class RecallTable(tables.Table):
    """recall.yaml, which explains its keys."""

    similarity: Weight
    confidence: Weight
    recency: Weight
    recency_decay_per_day: Weight
    candidates: int
    judged: int
    active_confidence: Weight
    passive_confidence: Weight
    episode_confidence: Weight
    cluster: Weight
    falls_off: Weight
    floor: Weight
    topical: Weight
    like_best: Weight
    by_words: Weight
    worded: Weight
    beside_complete: Weight
    brief_words: int
    least: int
    most: int


recall_table = tables.shipped("amr_neo4j.facts", "recall.yaml", RecallTable)
"""Returns the shipped table, read once."""


def is_brief(text: str) -> bool:
    """Return whether a text is so short that it states only one thing.

    A longer one may have the words of a query in statements that have nothing to do with each other.
    """
    return len(text.split()) <= recall_table().brief_words


def score(candidate: MemoryCandidate, now: datetime, table: RecallTable) -> float:
    """Return the weighted sum of similarity, confidence and recency. The weights stand in recall.yaml.

    A result on a topic that the query asks for counts as more similar.
    recency = exp(-recency_decay_per_day * days), or 0 if no time is known.
    """
    found = candidate.found
    recency = 0.0
    if found.timestamp:
        days = max(0.0, (now - found.timestamp).total_seconds() / _DAY)
        recency = math.exp(-table.recency_decay_per_day * days)
    parts = (table.similarity * _fit(candidate, table), table.confidence * found.confidence, table.recency * recency)
    return sum(parts)


def relevant(
    candidates: Sequence[MemoryCandidate], floor: float, table: RecallTable, least: int = 0
) -> list[MemoryCandidate]:
    """Return the candidates that are about the query, the most similar first.

    A candidate is about the query if it is of its topic, has many of its words, or if its similarity reaches `floor`
    and is not far below the best one. A brief candidate with every word of the query always counts, whatever its
    similarity: the vectors of a question and of a fact of three words are never very close. If there is such a one,
    the others must be nearly as similar as the best.

    floor: similarity under which texts are unrelated.
    least: the `least` most similar need only reach the floor.
    """
    about = sorted(
        (c for c in candidates if _is_told(c, table) or _is_complete(c) or c.similarity >= floor),
        key=lambda c: -c.similarity,
    )
    if not about:
        return []
    best, complete = about[0].similarity, any(map(_is_complete, about))

    def fits(candidate: MemoryCandidate) -> bool:
        if candidate.topical or _is_complete(candidate):
            return True
        if complete:
            return candidate.similarity >= table.beside_complete * best
        return _is_told(candidate, table) or candidate.similarity >= table.falls_off * best

    return [c for place, c in enumerate(about) if fits(c) or place < least]


def like_the_best(candidates: Sequence[MemoryCandidate], table: RecallTable) -> list[MemoryCandidate]:
    """Return the candidates with their similarity raised by a fraction of their cosine to the best (Rocchio 1971).

    A query of two words says less about what is meant than the statement that fits it best.
    """
    best = max(candidates, key=lambda c: _fit(c, table), default=None)
    if best is None or best.vector is None:
        return list(candidates)
    found: list[MemoryCandidate] = []
    for each in candidates:
        if each.vector is None:
            found.append(each)
        else:
            likeness = max(0.0, float(each.vector @ best.vector))
            found.append(replace(each, similarity=each.similarity + table.like_best * likeness))
    return found


def _fit(candidate: MemoryCandidate, table: RecallTable) -> float:
    return candidate.similarity + (table.topical if candidate.topical else 0.0)


def _is_told(candidate: MemoryCandidate, table: RecallTable) -> bool:
    """Whether a candidate is of the query's topic, or a turn or event with enough of its words, so that it is about
    the query whatever its similarity.
    """
    return candidate.topical or (candidate.found.kind != "fact" and candidate.words > table.worded)


def _is_complete(candidate: MemoryCandidate) -> bool:
    """Return whether a result is brief and has every word of the query."""
    return candidate.words == 1.0 and is_brief(candidate.found.text)


def diverse(candidates: Sequence[MemoryCandidate], threshold: float) -> list[MemoryCandidate]:
    """Return one candidate of each cluster that says the same: the most confident, and a fact before an episode.

    candidates: best first. A candidate joins the first cluster whose best member has a cosine of `threshold` or more
        to it. Facts of different subjects, and different values of one relation, never say the same.
    Returns them in the order of the clusters' best members.
    """
    clusters: list[list[MemoryCandidate]] = []
    for candidate in candidates:
        home = next((cluster for cluster in clusters if says_the_same(candidate, cluster[0], threshold)), None)
        if home is None:
            clusters.append([candidate])
        else:
            home.append(candidate)
    return [max(cluster, key=lambda c: (c.found.confidence, c.found.kind == "fact")) for cluster in clusters]


def ranked(
    candidates: Sequence[MemoryCandidate], now: datetime, table: RecallTable, limit: int
) -> list[MemoryCandidate]:
    """Score the candidates, keep one of each cluster, and return at most `limit`, best first."""
    scored = [replace(c, found=replace(c.found, score=score(c, now, table))) for c in candidates]
    scored.sort(key=_place)
    best = sorted(diverse(scored, table.cluster), key=_place)
    return _turns_once(best)[:limit]


def _turns_once(candidates: Sequence[MemoryCandidate]) -> list[MemoryCandidate]:
    """Return the best candidate that rests on each turn, and then the others, so that the first are of many turns."""
    seen = set[str]()
    first, others = list[MemoryCandidate](), list[MemoryCandidate]()
    for candidate in candidates:
        source = candidate.found.source
        turn = source.episode_id if isinstance(source, TurnCitation) else ""
        (others if turn in seen else first).append(candidate)
        seen.update([turn] if turn else [])
    return [*first, *others]


def _place(candidate: MemoryCandidate) -> tuple[float, float, str]:
    """Return a sort key: best score first, then standing, then by text, so that the order is the same each time."""
    return -candidate.found.score, -(candidate.standing or 0.0), candidate.found.text


def with_opposed(found: Sequence[Recalled], read: Callable[[Sequence[str]], list[Recalled]]) -> list[Recalled]:
    """Return the results with both sides of each open contradiction, the newer side first.

    read: returns the facts of some ids.
    """
    known = {each.fact_id: each for each in found if each.fact_id}
    opposed = dict.fromkeys(id for each in found for id in each.opposed)
    if missing := [id for id in opposed if id not in known]:
        known |= {fact.fact_id: fact for fact in read(missing)}
    placed = set[str]()
    result: list[Recalled] = []
    for each in found:
        sides = [each, *(known[id] for id in each.opposed if id in known)]
        if len(sides) > 1:
            sides.sort(key=lambda fact: fact.timestamp.timestamp() if fact.timestamp else 0.0, reverse=True)
        result += [side for side in sides if not side.fact_id or side.fact_id not in placed]
        placed.update(side.fact_id for side in sides)
    return result


def says_the_same(one: MemoryCandidate, other: MemoryCandidate, threshold: float) -> bool:
    """Whether two results say the same: by the cosine of their vectors, or word for word if one has no vector."""
    a, b = one.found.triple, other.found.triple
    if a and b and (a.subject != b.subject or (a.relation == b.relation and a.object != b.object)):
        return False
    if a and b and relation_kind(a.relation).opposite == b.relation:
        return False
    if one.vector is None or other.vector is None:
        return one.found.text.casefold() == other.found.text.casefold()
    return float(one.vector @ other.vector) >= threshold
