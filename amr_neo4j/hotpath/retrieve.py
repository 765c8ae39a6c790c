"""Chooses the facts for a turn: candidates, score, threshold, diversity, novelty, number (specification 001 2)."""

from __future__ import annotations

import math
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
    """A fact for the prompt. score: in [0, 1.3]. asked: whether the turn asks for it or names its subject."""

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
    known = index.candidates(words)
    fresh = [row for row in known if row[0] not in asked.stated and not _expired(row, asked, options)]
    scored = sorted(
        (_hint(triple, meta, words, asked, bullets, options) for triple, meta in fresh),
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
    return own - _stop_words(bullets, asked.language)


def _stop_words(bullets: Bullets, language: str) -> frozenset[str]:
    if language not in _STOPS:
        _STOPS[language] = stems(" ".join(bullets.stop_words), language)
    return _STOPS[language]


_STOPS: dict[str, frozenset[str]] = {}
_CUES: dict[tuple[str, str], frozenset[str]] = {}


def _cues(relation: str, bullets: Bullets, language: str) -> frozenset[str]:
    key = (relation, language)
    if key not in _CUES:
        _CUES[key] = stems(" ".join(bullets.cues(relation)), language) - _stop_words(bullets, language)
    return _CUES[key]


def _expired(row: tuple[Triple, EdgeMeta], asked: Asked, options: HotOptions) -> bool:
    days = options.ttl_days.get(row[0].relation)
    return days is not None and asked.at.timestamp() - row[1].said > days * _DAY


def _hint(
    triple: Triple, meta: EdgeMeta, words: frozenset[str], asked: Asked, bullets: Bullets, options: HotOptions
) -> Hint:
    table, parts = score_table(), options.weights
    cues = _cues(triple.relation, bullets, asked.language)
    overlap = _overlap(words, meta.words, cues, about_speaker=triple.subject == SPEAKER)
    priority = table.priorities.get(triple.relation, table.other_priority) / 100
    age = max(0.0, asked.at.timestamp() - meta.said)
    weight = meta.weight * table.decay_per_day ** (age / _DAY)
    score = (
        parts.priority * priority
        + parts.recency * _recency(meta, age, asked, options)
        + parts.overlap * overlap
        + parts.weight * weight
    )
    named = triple.subject != SPEAKER and not words.isdisjoint(stems(triple.subject, asked.language))
    return Hint(triple, meta.text, score, asked=named or not words.isdisjoint(cues) or overlap >= _NAMED)


_NAMED = 0.5


def _overlap(words: frozenset[str], named: frozenset[str], cues: frozenset[str], *, about_speaker: bool) -> float:
    """Of the turn's words and the fact's, by the smaller of both; a cue of the relation counts as half of it."""
    own = named - {SPEAKER} if about_speaker else named
    shared = len(words & own) / max(1, min(len(words), len(own)))
    return min(1.0, shared + (0.5 if words & cues else 0.0))


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
    return hint.score >= threshold and (intent in _STATES or hint.asked)


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
