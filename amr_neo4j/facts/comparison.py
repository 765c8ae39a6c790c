"""Compares facts: which say the same, which contradict each other, and which of two wins (specification 002 3, 4)."""

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
# The number of pairs grows with the square of the facts. If one subject has more facts of one family of relations
# than this, only facts are compared whose objects have the same words or a sense in common.
_MOST_IN_SLOT = 64

ObjectCosine = Callable[[str, str], float]
"""Returns the cosine of the objects of two facts, which are given by fact_id."""
Senses = Callable[[Belief], SenseKeys]
"""Returns the senses of a fact's object: none if no word net is installed, or none for the fact's language."""


def no_senses(fact: Belief) -> SenseKeys:
    """Return no senses: the `Senses` of an installation without a word net."""
    return SenseKeys()


class Likeness(Enum):
    """How two facts relate to each other.

    - VALUE: different values of a single-valued relation ("lives in Rome", "lives in Bari").
    - OPPOSITE: one denies or excludes the other ("likes tea", "dislikes tea").
    - SAME: they say the same in other words.
    - UNCLEAR: their texts are close, but the triples alone do not decide. A model may.
    - APART: they are about different things.
    """

    VALUE = "value"
    OPPOSITE = "opposite"
    SAME = "same"
    UNCLEAR = "unclear"
    APART = "apart"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The likeness of each pair of facts that are not APART: {(smaller fact_id, larger fact_id): likeness}."""

    relations: Mapping[Pair, Likeness]

    def of(self, *kinds: Likeness) -> list[Pair]:
        """Return the pairs of these kinds, sorted."""
        return sorted(pair for pair, kind in self.relations.items() if kind in kinds)


@dataclass(frozen=True)
class Comparer:
    """Compares facts of one user.

    object_cosine: returns the cosine of the objects of two facts, by fact_id.
    senses: returns the senses of a fact's object.
    """

    rules: FactRules
    object_cosine: ObjectCosine
    senses: Senses = no_senses

    def compare(self, beliefs: Mapping[str, Belief], near: Iterable[Near]) -> Comparison:
        """Compare each near pair, and all facts of one subject and one family of relations.

        beliefs: by fact_id.
        near: pairs with the cosine of their texts; pairs with a fact that is not in `beliefs` are ignored. A family
            is all relations of the same or the opposite meaning, such as likes and dislikes.
        """
        cosines = {tuple(sorted((pair.one, pair.other))): pair.cosine for pair in near}
        known = {pair for pair in cosines if beliefs.keys() >= set(pair)}
        relations: dict[Pair, Likeness] = {}
        for one, other in sorted(known.union(self._in_slots(beliefs.values()))):
            kind = self.related(beliefs[one], beliefs[other], cosines.get((one, other), 0.0))
            if kind is not Likeness.APART:
                relations[one, other] = kind
        return Comparison(relations)

    def related(self, one: Belief, other: Belief, cosine: float) -> Likeness:
        """Return how two facts relate; symmetric. cosine: of their texts, 0 if it is not known.

        SAME, VALUE and OPPOSITE need the same subject and relations of the same or the opposite meaning. Facts of one
        subject and unrelated relations are UNCLEAR or APART.
        """
        if one.triple.subject != other.triple.subject:
            return Likeness.APART
        near = cosine > self.rules.similar and not _differ(one, other)
        (family, is_opposite), (other_family, other_is_opposite) = (
            relation_family(fact.triple.relation) for fact in (one, other)
        )
        if family != other_family:
            return Likeness.UNCLEAR if near else Likeness.APART
        # A relation can deny (dislikes) and so can an object ("no onions"). Two denials in one fact cancel out, so
        # that "dislikes no onions" is compared as an affirmation.
        denies = _opposites(one, other).denies
        if (is_opposite != other_is_opposite) != (denies(one.triple.object) != denies(other.triple.object)):
            same = _said_alike(one, other) or self._are_synonyms(one, other)
            return Likeness.OPPOSITE if same or (near and not _are_kinds(one, other)) else Likeness.APART
        if relation_kind(one.triple.relation).single:
            return Likeness.SAME if _is_variant(one, other) else Likeness.VALUE
        if self._are_synonyms(one, other) and not _differ(one, other):
            return Likeness.SAME
        return self._of_one_relation(one, other, near=near)

    def _of_one_relation(self, one: Belief, other: Belief, *, near: bool) -> Likeness:
        """Return how two facts relate whose relation may have several values at once."""
        if _said_alike(one, other):
            return Likeness.SAME
        if _are_exclusive(one, other):
            return Likeness.OPPOSITE
        if relation_kind(one.triple.relation).exact or not near:
            return Likeness.APART
        if _are_kinds(one, other):
            return Likeness.UNCLEAR
        mine, its = _objects(one, other)
        # Texts may be close merely because their objects share a word ("red bike", "bike lock"). So the objects
        # themselves must be close, too.
        if not mine & its or self.object_cosine(one.fact_id, other.fact_id) > self.rules.same_object:
            return Likeness.SAME
        return Likeness.UNCLEAR

    def _are_synonyms(self, one: Belief, other: Belief) -> bool:
        """Return whether the objects share a sense in the word net and are close enough as vectors.

        The cosine rules out homonyms, which share a word but no meaning.
        """
        if relation_kind(one.triple.relation).exact or not self.senses(one).meets(self.senses(other)):
            return False
        return self.object_cosine(one.fact_id, other.fact_id) > self.rules.synonym

    def _in_slots(self, beliefs: Collection[Belief]) -> Iterable[Pair]:
        """Yield the pairs of facts of one subject whose relations mean the same or the opposite."""
        slots: dict[tuple[str, str], list[Belief]] = {}
        for fact in beliefs:
            family, _ = relation_family(fact.triple.relation)
            slots.setdefault((fact.triple.subject, family), []).append(fact)
        for facts in slots.values():
            for group in [facts] if len(facts) <= _MOST_IN_SLOT else self._by_meaning(facts):
                yield from combinations(sorted(fact.fact_id for fact in group), 2)

    def _by_meaning(self, facts: Iterable[Belief]) -> Iterable[list[Belief]]:
        """Group facts whose objects have the same words or a sense in common; a fact may be in several groups.

        Leaves out groups of more than _MOST_IN_SLOT facts, to bound the number of pairs.
        """
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
    """Return whether two facts of the relation `is` exclude each other: nobody is married and single.

    Other relations never do: somebody may own a green car and a red one. The objects must differ in one word each.
    """
    mine, its = _objects(one, other)
    excluded = _opposites(one, other).exclude(mine, its)
    return excluded and one.triple.relation == "is" and len(mine ^ its) == 2


def _differ(one: Belief, other: Belief) -> bool:
    """Return whether the facts cannot be about one thing: their objects have different numbers or opposite words."""
    table = _opposites(one, other)
    return _numbers(one) != _numbers(other) or table.exclude(*_objects(one, other))


def _are_kinds(one: Belief, other: Belief) -> bool:
    """Whether the objects are different kinds of one thing. Their vectors are close even if only one is meant."""
    return _opposites(one, other).are_kinds(one.triple.object, other.triple.object)


def _is_variant(one: Belief, other: Belief) -> bool:
    """Whether two values are the same, or one is the other said more exactly: `seattle` and `seattle washington`."""
    mine, its = _objects(one, other, exact=True)
    return bool(mine and its) and (mine <= its or its <= mine)


def _numbers(fact: Belief) -> list[str]:
    return _NUMBER.findall(fact.triple.object)


def newer_stands(one: Belief, other: Belief, kind: Likeness, rules: FactRules) -> bool:
    """Return whether one of two opposed facts replaces the other, rather than both staying open as a contradiction.

    A new value of a single-valued relation replaces the old one at once. An opposite ("I like tea", "I don't like
    tea") does so only after `change_of_mind_hours`. Pins are not looked at here: see `older_and_newer`.
    """
    apart = abs(one.said - other.said)
    return one.said != other.said and (kind is Likeness.VALUE or apart >= rules.change_of_mind_hours * 3600)


def older_and_newer(one: Belief, other: Belief) -> tuple[Belief, Belief]:
    """Return (the fact to retire, the fact that stands).

    A pinned fact stands, else the one that was said later, else the one with the larger fact_id.
    """
    old, new = sorted((one, other), key=lambda fact: (fact.pinned, fact.said, fact.fact_id))
    return old, new
