"""Facts that say the same in other words become one (specification 002 4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from amr_neo4j.domain.belief import Belief
from amr_neo4j.facts.rules import FactRules


def components(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return the connected components of these pairs. All is sorted, so the order of the pairs does not matter."""
    # Union-find with path halving; the smallest name is the root.
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for one, other in pairs:
        low, high = sorted((root(one), root(other)))
        parent[high] = low
    found: dict[str, list[str]] = {}
    for name in sorted(parent):
        found.setdefault(root(name), []).append(name)
    return sorted(tuple(names) for names in found.values())


def winner(cluster: Collection[Belief]) -> Belief:
    """Return the fact that the others are merged into: a pinned one, else the most confident.

    Ties go to more evidence, then to the one said last, then to the smallest fact_id.
    """
    by_id = sorted(cluster, key=lambda fact: fact.fact_id)
    return max(by_id, key=lambda fact: (fact.pinned, fact.confidence, fact.evidence_count, fact.said))


def is_auto_mergeable(cluster: Collection[Belief], rules: FactRules) -> bool:
    """Return whether a cluster without contradictions may be merged by rule, without asking a model.

    Its facts have one category and similar confidences, and one of them is over rules.sure. At most one is pinned:
    a person has asked for each pinned fact to be kept.
    """
    confidences = [fact.confidence for fact in cluster]
    return (
        len({fact.category for fact in cluster}) == 1
        and max(confidences) > rules.sure
        and max(confidences) - min(confidences) <= rules.spread
        and sum(fact.pinned for fact in cluster) <= 1
    )


def merged(cluster: Collection[Belief], given: Mapping[str, int]) -> tuple[Belief, list[Belief]]:
    """Merge a cluster; return (the winner with the evidence of its losers added, the losers).

    The losers get the status merged_into and keep their evidence, so a merge can be undone.

    given: {fact_id: evidence that it has handed to winners before}. If a loser has been stated again since an earlier
        merge, only the evidence beyond that is new.
    """
    best = winner(cluster)
    losers = sorted((fact for fact in cluster if fact is not best), key=lambda fact: fact.fact_id)
    gained = sum(max(0, fact.evidence_count - given.get(fact.fact_id, 0)) for fact in losers)
    evidence = best.evidence_count + gained
    whole = replace(
        best,
        evidence_count=evidence,
        counted=best.counted + gained,
        last_updated=max(fact.last_updated for fact in cluster),
        said=max(fact.said for fact in cluster),
    )
    return whole, [replace(fact, status="merged_into", flagged=False) for fact in losers]
