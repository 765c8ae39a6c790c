"""What two facts are to each other, and which of two that cannot both hold stands (specification 002 3 and 4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

from amr_neo4j.domain.belief import Belief, Near
from amr_neo4j.domain.relations import relation_family, relation_kind
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.language.languages import language
from amr_neo4j.language.opposites import Opposites
from amr_neo4j.language.synonyms import SenseKeys

_NUMBER = re.compile(r"\d+")
Pair = tuple[str, str]
# Of more facts of one subject and relation than this, only those whose objects have the same words or a sense in
# common are compared.
_MOST_IN_SLOT = 64

ObjectCosine = Callable[[str, str], float]
"""The cosine of two facts' objects, by fact_id."""
Senses = Callable[[Belief], SenseKeys]
"""What the object of a fact means; nothing where no word net is installed or knows its language."""


def no_senses(fact: Belief) -> SenseKeys:
    """As Senses, without a word net."""
    return SenseKeys()


class Likeness(Enum):
    """VALUE: another value of a relation that has one at a time. OPPOSITE: the denial, or what excludes it.
    SAME: the same in other words. UNCLEAR: near, and the triples do not tell. APART: about something else.
    """

    VALUE = "value"
    OPPOSITE = "opposite"
    SAME = "same"
    UNCLEAR = "unclear"
    APART = "apart"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the pairs of facts are to each other; each pair sorted."""

    relations: Mapping[Pair, Likeness]

    def of(self, *kinds: Likeness) -> list[Pair]:
        """The pairs of these kinds, sorted."""
        return sorted(pair for pair, kind in self.relations.items() if kind in kinds)


@dataclass(frozen=True)
class Comparer:
    """Compares facts of one user.

    object_cosine: of the objects of two facts, by fact_id. senses: what the object of a fact means.
    """

    rules: FactRules
    object_cosine: ObjectCosine
    senses: Senses = no_senses

    def compare(self, beliefs: Mapping[str, Belief], near: Iterable[Near]) -> Comparison:
        """Compare each near pair, and all facts of one subject and one family of relations."""
        cosines = {tuple(sorted((pair.one, pair.other))): pair.cosine for pair in near}
        known = {pair for pair in cosines if beliefs.keys() >= set(pair)}
        relations: dict[Pair, Likeness] = {}
        for one, other in sorted(known.union(self._in_slots(beliefs.values()))):
            kind = self.related(beliefs[one], beliefs[other], cosines.get((one, other), 0.0))
            if kind is not Likeness.APART:
                relations[one, other] = kind
        return Comparison(relations)

    def related(self, one: Belief, other: Belief, cosine: float) -> Likeness:
        """What two facts are to each other; symmetric. cosine: of their texts, 0 where they were not compared.

        Only facts of the same subject and of relations that mean the same or the opposite are ever more than UNCLEAR.
        """
        if one.triple.subject != other.triple.subject:
            return Likeness.APART
        near = cosine > self.rules.similar and not _differ(one, other)
        (family, is_opposite), (other_family, other_is_opposite) = (
            relation_family(fact.triple.relation) for fact in (one, other)
        )
        if family != other_family:
            return Likeness.UNCLEAR if near else Likeness.APART
        denies = _opposites(one, other).denies
        if (is_opposite != other_is_opposite) != (denies(one.triple.object) != denies(other.triple.object)):
            same = _said_alike(one, other) or self._are_synonyms(one, other)
            return Likeness.OPPOSITE if same or near else Likeness.APART
        if relation_kind(one.triple.relation).single:
            return Likeness.SAME if _is_variant(one, other) else Likeness.VALUE
        if self._are_synonyms(one, other) and not _differ(one, other):
            return Likeness.SAME
        return self._of_one_relation(one, other, near=near)

    def _of_one_relation(self, one: Belief, other: Belief, *, near: bool) -> Likeness:
        """Facts of one relation that may have several values."""
        if _said_alike(one, other):
            return Likeness.SAME
        if _are_exclusive(one, other):
            return Likeness.OPPOSITE
        if relation_kind(one.triple.relation).exact or not near:
            return Likeness.APART
        mine, its = _objects(one, other)
        if not mine & its or self.object_cosine(one.fact_id, other.fact_id) > self.rules.same_object:
            return Likeness.SAME
        return Likeness.UNCLEAR

    def _are_synonyms(self, one: Belief, other: Belief) -> bool:
        """Whether a word net has the objects as one thing, and their vectors do not speak against it."""
        if relation_kind(one.triple.relation).exact or not self.senses(one).meets(self.senses(other)):
            return False
        return self.object_cosine(one.fact_id, other.fact_id) > self.rules.synonym

    def _in_slots(self, beliefs: Collection[Belief]) -> Iterable[Pair]:
        """Pairs of facts of one subject whose relations mean the same or the opposite."""
        slots: dict[tuple[str, str], list[Belief]] = {}
        for fact in beliefs:
            family, _ = relation_family(fact.triple.relation)
            slots.setdefault((fact.triple.subject, family), []).append(fact)
        for facts in slots.values():
            for group in [facts] if len(facts) <= _MOST_IN_SLOT else self._by_meaning(facts):
                yield from combinations(sorted(fact.fact_id for fact in group), 2)

    def _by_meaning(self, facts: Iterable[Belief]) -> Iterable[list[Belief]]:
        groups: dict[frozenset[str] | str, list[Belief]] = {}
        for fact in facts:
            words = language(fact.language).opposites.words(fact.triple.object)
            for key in (words, *self.senses(fact).all):
                groups.setdefault(key, []).append(fact)
        return (group for group in groups.values() if len(group) <= _MOST_IN_SLOT)


def _opposites(one: Belief, other: Belief) -> Opposites:
    return language(one.language or other.language).opposites


def _objects(one: Belief, other: Belief, *, exact: bool = False) -> tuple[frozenset[str], frozenset[str]]:
    table = _opposites(one, other)
    return table.words(one.triple.object, exact=exact), table.words(other.triple.object, exact=exact)


def _said_alike(one: Belief, other: Belief) -> bool:
    mine, its = _objects(one, other, exact=relation_kind(one.triple.relation).exact)
    return mine == its and _numbers(one) == _numbers(other)


def _are_exclusive(one: Belief, other: Belief) -> bool:
    """Nobody is married and single; a green car and a red one may both be owned."""
    mine, its = _objects(one, other)
    excluded = _opposites(one, other).exclude(mine, its)
    return excluded and one.triple.relation == "is" and len(mine ^ its) == 2


def _differ(one: Belief, other: Belief) -> bool:
    """Whether numbers or words exclude that both are about one thing."""
    table = _opposites(one, other)
    return _numbers(one) != _numbers(other) or table.exclude(*_objects(one, other))


def _is_variant(one: Belief, other: Belief) -> bool:
    """Whether one value is the other, or the same said more exactly: `seattle` and `seattle washington`."""
    mine, its = _objects(one, other, exact=True)
    return bool(mine and its) and (mine <= its or its <= mine)


def _numbers(fact: Belief) -> list[str]:
    return _NUMBER.findall(fact.triple.object)


def newer_stands(one: Belief, other: Belief, kind: Likeness, rules: FactRules) -> bool:
    """Whether one of two opposed facts replaces the other: a new value, or a change of mind after some time.

    Neither is pinned, or the pinned one is the one that stands.
    """
    apart = abs(one.said - other.said)
    return one.said != other.said and (kind is Likeness.VALUE or apart >= rules.change_of_mind_hours * 3600)


def older_and_newer(one: Belief, other: Belief) -> tuple[Belief, Belief]:
    """(the one to retire, the one that stands): by hand before all, then by when it was said, then by id."""
    old, new = sorted((one, other), key=lambda fact: (fact.pinned, fact.said, fact.fact_id))
    return old, new
