"""Facts that cannot both hold: the newer stands, or both lose confidence (specification 002 3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from amr_neo4j.domain.belief import Belief, Near
from amr_neo4j.domain.relations import relation_family
from amr_neo4j.facts.meaning import ObjectCosine, Relation, Senses, no_senses, related
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.language.languages import language

Pair = tuple[str, str]
# Of more facts of one subject and relation than this, only those whose objects have the same words or a sense in
# common are compared.
_MOST_IN_SLOT = 64


@dataclass(frozen=True, slots=True)
class Found:
    """What the pairs of facts are to each other; each pair sorted."""

    relations: Mapping[Pair, Relation]

    def of(self, *kinds: Relation) -> list[Pair]:
        """The pairs of these kinds, sorted."""
        return sorted(pair for pair, kind in self.relations.items() if kind in kinds)


def compare(
    beliefs: Mapping[str, Belief],
    near: Iterable[Near],
    object_cosine: ObjectCosine,
    rules: FactRules,
    senses: Senses = no_senses,
) -> Found:
    """Compare each near pair, and all facts of one subject and one family of relations."""
    cosines = {tuple(sorted((pair.one, pair.other))): pair.cosine for pair in near}
    pairs = {pair for pair in cosines if beliefs.keys() >= set(pair)} | set(_in_slots(beliefs.values(), senses))
    relations: dict[Pair, Relation] = {}
    for one, other in sorted(pairs):
        cosine = cosines.get((one, other), 0.0)
        kind = related(beliefs[one], beliefs[other], cosine, object_cosine, rules, senses)
        if kind is not Relation.APART:
            relations[one, other] = kind
    return Found(relations)


def _in_slots(beliefs: Collection[Belief], senses: Senses) -> Iterable[Pair]:
    """Pairs of facts of one subject whose relations mean the same or the opposite."""
    slots: dict[tuple[str, str], list[Belief]] = {}
    for fact in beliefs:
        family, _ = relation_family(fact.triple.relation)
        slots.setdefault((fact.triple.subject, family), []).append(fact)
    for facts in slots.values():
        for group in [facts] if len(facts) <= _MOST_IN_SLOT else _by_meaning(facts, senses):
            yield from combinations(sorted(fact.fact_id for fact in group), 2)


def _by_meaning(facts: Iterable[Belief], senses: Senses) -> Iterable[list[Belief]]:
    groups: dict[frozenset[str] | str, list[Belief]] = {}
    for fact in facts:
        for key in (language(fact.language).opposites.words(fact.triple.object), *senses(fact).all):
            groups.setdefault(key, []).append(fact)
    return (group for group in groups.values() if len(group) <= _MOST_IN_SLOT)


def newer_stands(one: Belief, other: Belief, kind: Relation, rules: FactRules) -> bool:
    """Whether one of two opposed facts replaces the other: a new value, or a change of mind after some time.

    Neither is pinned, or the pinned one is the one that stands.
    """
    apart = abs(one.said - other.said)
    return one.said != other.said and (kind is Relation.VALUE or apart >= rules.change_of_mind_hours * 3600)


def older_and_newer(one: Belief, other: Belief) -> tuple[Belief, Belief]:
    """(the one to retire, the one that stands): by hand before all, then by when it was said, then by id."""
    old, new = sorted((one, other), key=lambda fact: (fact.pinned, fact.said, fact.fact_id))
    return old, new
