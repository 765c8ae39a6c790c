"""Chooses the facts for a turn: candidates, score, threshold, diversity, novelty, number (specification 001 2)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from amr_neo4j.domain.fact import SPEAKER, Intent, Triple
from amr_neo4j.hotpath.index import EdgeMeta, HotIndex
from amr_neo4j.hotpath.options import HotOptions, score_table
from amr_neo4j.hotpath.words import stems
from amr_neo4j.language.bullets import Bullets

_HOUR = 3600.0
_DAY = 24 * _HOUR
# Statements, in which facts help without being asked for.
_STATES = {Intent.FACT_STATEMENT, Intent.QUESTION_WITH_FACT, Intent.MULTIPLE_FACTS, Intent.CORRECTION}
_MOST_UNASKED = 2


@dataclass(frozen=True, slots=True)
class Hint:
    """A fact for the prompt. score: in [0, 1.3]. asked: whether the turn asks for it."""

    triple: Triple
    text: str
    score: float
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a turn brings to retrieval. stated: its own facts, which the prompt has anyway."""

    text: str
    language: str
    intent: Intent
    session_id: str
    at: datetime
    number: int
    entities: Sequence[str] = ()
    stated: Collection[Triple] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The hints of a turn, best first. considered: how many facts were scored; gated: whether the turn got none."""

    hints: tuple[Hint, ...]
    considered: int
    gated: bool


def choose(
    asked: Asked, index: HotIndex, bullets: Bullets, options: HotOptions, injected: Mapping[Triple, int]
) -> Chosen:
    """The facts to inject before a turn.

    injected: fact -> the number of the turn it was last injected in.
    """
    words = _query_words(asked, bullets)
    known = index.candidates(words, _asked_relations(words, bullets, asked.language))
    fresh = [row for row in known if row[0] not in asked.stated and not _expired(row, asked, options)]
    weighted = _weighted(words, (meta for _, meta in fresh), _cue_weights(bullets, asked.language))
    scored = sorted(
        (_hint(triple, meta, weighted, asked, bullets, options) for triple, meta in fresh),
        key=lambda hint: (-hint.score, hint.triple),
    )
    threshold = _threshold([hint.score for hint in scored])
    novel = (h for h in scored if h.asked or not _is_repeated(h.triple, asked.number, injected, options))
    kept = _diverse((h for h in novel if _fits(h, asked.intent, threshold)), threshold)
    hints = tuple(kept[: _most(asked.intent, options)])
    return Chosen(hints, len(known), gated=bool(scored) and not hints)


def _query_words(asked: Asked, bullets: Bullets) -> frozenset[str]:
    """Stems of the turn's words and entities, without function words."""
    own = stems(f"{asked.text} {' '.join(asked.entities)}", asked.language)
    return frozenset(word for word in own if len(word) > 1) - _stop_words(bullets, asked.language)


def _stop_words(bullets: Bullets, language: str) -> frozenset[str]:
    if language not in _STOPS:
        _STOPS[language] = stems(" ".join(bullets.stop_words), language) | {SPEAKER}
    return _STOPS[language]


_STOPS: dict[str, frozenset[str]] = {}
_CUES: dict[tuple[str, str], frozenset[str]] = {}
_CUE_WEIGHTS: dict[str, dict[str, float]] = {}


def _cues(relation: str, bullets: Bullets, language: str) -> frozenset[str]:
    """Stems of the words that ask for a relation."""
    key = (relation, language)
    if key not in _CUES:
        _CUES[key] = stems(" ".join(bullets.cues(relation)), language) - _stop_words(bullets, language)
    return _CUES[key]


def _asked_relations(words: frozenset[str], bullets: Bullets, language: str) -> list[str]:
    return [relation for relation in bullets.relations if not words.isdisjoint(_cues(relation, bullets, language))]


def _cue_weights(bullets: Bullets, language: str) -> Mapping[str, float]:
    """cue -> 1 / the number of relations that it may ask for."""
    if language not in _CUE_WEIGHTS:
        counts = Counter(word for relation in bullets.relations for word in _cues(relation, bullets, language))
        _CUE_WEIGHTS[language] = {word: 1 / count for word, count in counts.items()}
    return _CUE_WEIGHTS[language]


def _expired(row: tuple[Triple, EdgeMeta], asked: Asked, options: HotOptions) -> bool:
    days = options.ttl_days.get(row[0].relation)
    return days is not None and asked.at.timestamp() - row[1].said > days * _DAY


def _hint(
    triple: Triple,
    meta: EdgeMeta,
    words: Mapping[str, float],
    asked: Asked,
    bullets: Bullets,
    options: HotOptions,
) -> Hint:
    table, parts = score_table(), options.weights
    overlap = _overlap(words, meta.words | _cues(triple.relation, bullets, asked.language))
    priority = table.priorities.get(triple.relation, table.other_priority) / 100
    age = max(0.0, asked.at.timestamp() - meta.said)
    weight = meta.weight * table.decay_per_day ** (age / _DAY)
    score = (
        parts.priority * priority
        + parts.recency * _recency(meta, age, asked, options)
        + parts.overlap * overlap
        + parts.weight * weight
    )
    return Hint(triple, meta.text, score, asked=overlap >= _ASKED)


_ASKED = 0.5


def _weighted(words: frozenset[str], known: Iterable[EdgeMeta], cues: Mapping[str, float]) -> dict[str, float]:
    """The turn's words that a fact or a question for one uses, by how few relations they may ask for."""
    named = frozenset[str]().union(*(meta.words for meta in known))
    return {word: cues.get(word, 1.0) for word in words if word in cues or word in named}


def _overlap(words: Mapping[str, float], fact: frozenset[str]) -> float:
    """The share of the turn's weighted words that the fact has, or that ask for its relation."""
    whole = sum(words.values())
    return sum(weight for word, weight in words.items() if word in fact) / whole if whole else 0.0


def _recency(meta: EdgeMeta, age: float, asked: Asked, options: HotOptions) -> float:
    """exp(-age / T), raised for this session's facts and for those of this time of day; at most 1.2 * 1.05."""
    table = score_table()
    recency = math.exp(-age / (options.recency_days * _DAY))
    if meta.session_id == asked.session_id:
        recency *= table.same_session_boost
    apart = age % _DAY
    if age > _DAY and min(apart, _DAY - apart) < _HOUR:
        recency *= table.same_hour_boost
    return recency


def _threshold(scores: Sequence[float]) -> float:
    """A fixed score among few candidates, else a quantile of theirs. scores: in descending order."""
    table = score_table()
    if len(scores) < table.few:
        return table.baseline
    return scores[int((1 - table.quantile) * len(scores))]


def _is_repeated(triple: Triple, number: int, injected: Mapping[Triple, int], options: HotOptions) -> bool:
    return triple in injected and injected[triple] >= number - options.novelty_turns


def _fits(hint: Hint, intent: Intent, threshold: float) -> bool:
    """Facts below the threshold are left out; a turn that states nothing gets only what it asks for."""
    if hint.asked:
        return hint.score >= min(threshold, score_table().baseline)
    return hint.score >= threshold and intent in _STATES


def _diverse(hints: Iterable[Hint], threshold: float) -> list[Hint]:
    """At most one of each relation and subject group, a second one where its score is high."""
    kept: list[Hint] = []
    seen: dict[str, int] = {}
    for hint in hints:
        count = seen.get(hint.triple.relation, 0)
        high = hint.score >= threshold + score_table().second_margin
        if count == 0 or (count == 1 and high):
            seen[hint.triple.relation] = count + 1
            kept.append(hint)
    return kept


def _most(intent: Intent, options: HotOptions) -> int:
    return options.most_bullets if intent in _STATES else min(_MOST_UNASKED, options.most_bullets)
