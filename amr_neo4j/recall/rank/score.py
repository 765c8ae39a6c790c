"""Which candidates bear on a question, and whether any does at all: by words and vectors, without a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress
from math import log

import numpy as np

from amr_neo4j.domain.event import Channel, Edge
from amr_neo4j.language.en.content import ContentWord, has_function_words
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.groups import Group
from amr_neo4j.recall.evidence.pool import Pool
from amr_neo4j.recall.question.parsed import Clause, ParsedQuestion
from amr_neo4j.recall.question.time_expressions import told_near
from amr_neo4j.recall.rank.bm25 import Values

# clause -> how well each candidate of a pool fits it, (candidates,).
Fits = Mapping[str, Values]

# What a candidate's score is made of. TOLD: for a turn, how near it was said to the date that the question names.
FUSED, REACH, DEED, EFFECT, TOLD = 0.75, 0.1, 0.05, 0.1, 0.3
# How much a group gains by meeting in several events what no single one meets.
TOGETHER = 0.2
# What a word counts that may be said of anything, and one that says what was done, against any other.
VAGUE, ACTS = 0.25, 1.5


def weigh(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> ParsedQuestion:
    """The reading with each word weighing what it tells among the candidates: the rarer, the more."""

    def weight(word: ContentWord) -> float:
        holding = sum(not word.forms.isdisjoint(candidate.forms) for candidate in candidates)
        rarity = log(1 + len(candidates) / max(1, holding)) / log(2 + len(candidates))
        return rarity * (VAGUE if word.vague else ACTS if word.acts else 1.0)

    return parsed.weighing({word.word: weight(word) for clause in parsed.clauses for word in clause.words})


def overlap(clause: Clause, forms: Collection[str]) -> float:
    """The share of the clause's words that are met, by weight, 0 to 1; 0 where there is no word."""
    return clause.met(forms) / (clause.whole or 1.0)


def relevance(candidate: Candidate, clause: Clause) -> float:
    """How well an event fits a clause: by the rankings, how it was found and what is done in it, 0 to 1."""
    return FUSED * candidate.fused[clause.text] + REACH * candidate.reach + _done(candidate, clause)


def _done(candidate: Candidate, clause: Clause) -> float:
    """What an event gains by what is done in it."""
    by_them = any((who, thing) in candidate.deeds for who in clause.persons for thing in clause.objects)
    return DEED * by_them + EFFECT * (bool(clause.effects) and not clause.effects.isdisjoint(candidate.effects))


def best_fits(parsed: ParsedQuestion, fits: Fits) -> Values:
    """How well the rankings say that each candidate fits the clause that it fits best, 0 to 1."""
    return np.max([fits[clause.text] for clause in parsed.leads], axis=0)


def scored(parsed: ParsedQuestion, pool: Pool, fits: Fits, carries: Mapping[Channel, float]) -> list[Candidate]:
    """The candidates of the pool with their reach and their score.

    fits: clause -> how well each candidate fits it. carries: channel -> the share of a neighbour's score that an
    event has over one of the edges.
    """
    reach = _reach(pool, best_fits(parsed, fits))
    told = _told(parsed, pool)
    of_clauses = [
        FUSED * fits[clause.text]
        + REACH * reach
        + TOLD * told
        + (np.array([_done(c, clause) for c in pool.candidates]) if clause.objects else 0.0)
        for clause in parsed.leads
    ]
    scores = dict(zip(pool.events, np.max(of_clauses, axis=0).tolist(), strict=True))
    lifted = spread(scores, pool.edges, carries)
    fused = [dict(zip(fits, of, strict=True)) for of in np.transpose(list(fits.values())).tolist()]
    return [
        Candidate(c.event, c.path, c.ranks, c.cosines, reached, fit, lifted[c.node_id], pool.events)
        for c, reached, fit in zip(pool.candidates, reach.tolist(), fused, strict=True)
    ]


def _reach(pool: Pool, best: Values) -> Values:
    """What the fit of the anchor that a candidate's path starts at says of the candidate."""
    fit = dict(zip(pool.events, (best / (best.max(initial=0.0) or 1.0)).tolist(), strict=True))
    paths = [candidate.path for candidate in pool.candidates]
    return np.array([fit.get(path.node_ids[0], 0.0) * (path.score if path.edges else 1.0) for path in paths])


def _told(parsed: ParsedQuestion, pool: Pool) -> Values:
    """How near each turn was said to the date that is named; 0 for events of videos: those a date bounds."""
    days = [c.event.at.date() if c.event.turn and c.event.at else None for c in pool.candidates]
    return np.array([told_near(parsed.span, day) if parsed.span and day else 0.0 for day in days])


def spread(scores: Mapping[int, float], edges: Iterable[Edge], carries: Mapping[Channel, float]) -> dict[int, float]:
    """Each event's score, at least the share of each neighbour's that the channel between them carries."""
    lifted = dict(scores)
    for edge in edges:
        share = carries.get(edge.channel, 0.0)
        if share and edge.src in scores and edge.dst in scores:
            lifted[edge.src] = max(lifted[edge.src], share * scores[edge.dst])
            lifted[edge.dst] = max(lifted[edge.dst], share * scores[edge.src])
    return lifted


def ranked(parsed: ParsedQuestion, groups: Iterable[Group]) -> list[Group]:
    """The groups, best first."""
    return sorted(groups, key=lambda group: (-_worth(group, parsed), group[0].node_id))


def verify(parsed: ParsedQuestion, ranked: Sequence[Group], keep: int) -> list[Candidate]:
    """The candidates of the first `keep` groups, and those that hold what the question names; best first.

    What the question names stays whatever its group is worth: it is the history of that very thing.
    """
    named = {*parsed.question.objects, *parsed.question.persons}
    words = {form for clause in parsed.clauses for word in clause.names for form in word.forms}

    def is_named(c: Candidate) -> bool:
        return not (named.isdisjoint(c.objects) and named.isdisjoint(c.people) and words.isdisjoint(c.forms))

    return best_first(c for place, group in enumerate(ranked) for c in group if place < keep or is_named(c))


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates by their score."""
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.node_id))


def _worth(group: Group, parsed: ParsedQuestion) -> float:
    if len(group) == 1:
        return group[0].score
    return max(candidate.score for candidate in group) + TOGETHER * sum(_gained(group, of) for of in parsed.clauses)


def _gained(group: Group, clause: Clause) -> float:
    """What of a clause the events meet together and the best of them does not, 0 to 1."""
    met = [[not word.forms.isdisjoint(candidate.forms) for word in clause.words] for candidate in group]
    weights = [clause.weights.get(word.word, 1.0) for word in clause.words]
    best = max(sum(compress(weights, of)) for of in met)
    return (sum(compress(weights, map(any, zip(*met, strict=True)))) - best) / (clause.whole or 1.0)


def missing(parsed: ParsedQuestion, candidates: Sequence[Candidate]) -> list[str]:
    """The names in the question that no candidate meets: memory knows nothing of them."""
    if not has_function_words(parsed.question.text):
        return []
    known = frozenset[str]().union(*(candidate.forms for candidate in candidates))
    return [word.word for clause in parsed.clauses for word in clause.names if not word.forms & known]


def bears_on(parsed: ParsedQuestion, candidates: Sequence[Candidate], unrelated: float) -> bool:
    """Whether the words or the vectors of the question meet any candidate.

    unrelated: the cosine that says nothing, by embedder (domain/ports.py). A question without a word of content
    ("What happened?") fits whatever there is.
    """
    telling = [word for clause in parsed.clauses for word in clause.telling]
    if not telling:
        return bool(candidates)
    return any(
        candidate.cosines.get(clause.text, 0.0) >= unrelated or any(word.forms & candidate.forms for word in telling)
        for candidate in candidates
        for clause in parsed.clauses
    )
