"""Groups candidates that are close in time within one video or session, and chooses which groups to keep."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, groupby

from amr_neo4j.language.nouns import forms_of
from amr_neo4j.recall.evidence.timeline import chronological
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first
from amr_neo4j.recall.retrieve.features import recording_of

Group = tuple[Candidate, ...]


def group(candidates: Sequence[Candidate], *, gap: float, span: float) -> list[Group]:
    """Return the candidates in groups, each in chronological order.

    An event joins a group if it starts within `gap` seconds of the group's end so far, and ends within `span` seconds
    of the group's start.
    """
    # groupby needs the candidates of a recording in a row.
    ordered = sorted(candidates, key=lambda c: (recording_of(c.event), *c.event.rhythm, c.node_id))
    groups: list[Group] = []
    for _, of_video in groupby(ordered, key=lambda c: recording_of(c.event)):
        groups += _segments(list(of_video), gap, span)
    return groups


def _segments(candidates: Sequence[Candidate], gap: float, span: float) -> list[Group]:
    segments: list[list[Candidate]] = []
    first_start = last_end = 0.0
    for candidate in candidates:
        start, end = candidate.event.rhythm
        if segments and start - last_end <= gap and end - first_start <= span:
            segments[-1].append(candidate)
            # Events overlap: a short one may end before the group does.
            last_end = max(last_end, end)
        else:
            segments.append([candidate])
            first_start, last_end = start, end
    return [tuple(segment) for segment in segments]


def with_chains(groups: Sequence[Group], chains: Iterable[Sequence[Candidate]]) -> list[Group]:
    """Return the groups with each chain of events as a whole in the group of its first one, or in that of an earlier
    chain with which it shares an event.

    What became of the folder says nothing about the passport in it, unless both are read together.
    """
    place = {candidate.node_id: n for n, members in enumerate(groups) for candidate in members}
    in_chains = dict[int, int]()
    for each in chains:
        ids = [candidate.node_id for candidate in each]
        shared = next((in_chains[node_id] for node_id in ids if node_id in in_chains), place[ids[0]])
        in_chains |= dict.fromkeys(ids, shared)
    place |= in_chains
    joined: list[list[Candidate]] = [[] for _ in groups]
    for candidate in chain.from_iterable(groups):
        joined[place[candidate.node_id]].append(candidate)
    return [tuple(chronological(members)) for members in joined if members]


def in_order_of_chains(found: Sequence[Candidate], chains: Iterable[Sequence[Candidate]]) -> list[Candidate]:
    """Return candidates with the others of a chain right behind its first one, unless they stand before it."""
    behind = defaultdict[int, list[int]](list)
    for first, *others in chains:
        behind[first.node_id] += [candidate.node_id for candidate in others]
    known = {candidate.node_id: candidate for candidate in found}
    ids = dict.fromkeys(chain.from_iterable((node_id, *behind.get(node_id, ())) for node_id in known))
    return [known[node_id] for node_id in ids if node_id in known]


def rank_groups(groups: Iterable[Group]) -> list[Group]:
    """Return the groups, sorted by the score of their best event, the highest first."""
    return sorted(groups, key=lambda group: (-max(c.score for c in group), group[0].node_id))


def verify(parsed: ParsedQuestion, groups: Sequence[Group], keep: int) -> list[Candidate]:
    """Return the candidates of the first `keep` groups, and those that have what the question names; best first.

    Candidates with what the question names are the history of that thing or person, so they stay whatever the score
    of their group.

    groups: best first.
    """
    is_named = _naming(parsed)
    first, others = chain.from_iterable(groups[:keep]), chain.from_iterable(groups[keep:])
    return best_first(chain(first, filter(is_named, others)))


def best_groups(groups: Sequence[Sequence[Candidate]], scores: Sequence[float], keep: int) -> list[Candidate]:
    """Return the candidates of the `keep` groups with the best scores above 0, group by group, each best first.

    Groups with equal scores keep their order.

    scores: the score of each group, from 0 to 1.
    """
    ranked = sorted(range(len(groups)), key=lambda n: (-scores[n], n))
    kept = [groups[n] for n in ranked[:keep] if scores[n] > 0]
    return [candidate for group in kept for candidate in best_first(group)]


def with_named(parsed: ParsedQuestion, kept: Sequence[Candidate], others: Iterable[Candidate]) -> list[Candidate]:
    """Return the kept candidates, then the others that have what the question names, best first.

    Returns an empty list if none is kept: the judge found no group relevant.
    """
    if not kept:
        return []
    known = {candidate.node_id for candidate in kept}
    is_named = _naming(parsed)
    return [*kept, *best_first(c for c in others if c.node_id not in known and is_named(c))]


def _naming(parsed: ParsedQuestion) -> Callable[[Candidate], bool]:
    """Return a function that tells whether a candidate has anything that the question names."""
    named = {*parsed.question.objects, *parsed.question.persons}
    words = forms_of(word for clause in parsed.clauses for word in clause.names)

    def is_named(c: Candidate) -> bool:
        return not (named.isdisjoint(c.objects) and named.isdisjoint(c.people) and words.isdisjoint(c.forms))

    return is_named
