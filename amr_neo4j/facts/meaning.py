"""What two facts of one subject are to each other, judged by their triples (specification 002 3 and 4)."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum

from amr_neo4j.domain.belief import Belief
from amr_neo4j.domain.relations import relation_family, relation_kind
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.language.languages import language
from amr_neo4j.language.opposites import Opposites
from amr_neo4j.language.synonyms import SenseKeys

_NUMBER = re.compile(r"\d+")

ObjectCosine = Callable[[str, str], float]
"""The cosine of two facts' objects, by fact_id."""
Senses = Callable[[Belief], SenseKeys]
"""What the object of a fact means; nothing where no word net is installed or knows its language."""


def no_senses(fact: Belief) -> SenseKeys:
    """As Senses, without a word net."""
    return SenseKeys()


class Relation(Enum):
    """VALUE: another value of a relation that has one at a time. OPPOSITE: the denial, or what excludes it.
    SAME: the same in other words. UNCLEAR: near, and the triples do not tell. APART: about something else.
    """

    VALUE = "value"
    OPPOSITE = "opposite"
    SAME = "same"
    UNCLEAR = "unclear"
    APART = "apart"


def related(
    one: Belief,
    other: Belief,
    cosine: float,
    object_cosine: ObjectCosine,
    rules: FactRules,
    senses: Senses = no_senses,
) -> Relation:
    """What two facts are to each other; symmetric. cosine: of their texts, 0 where they were not compared.

    Only facts of the same subject and of relations that mean the same or the opposite are ever more than UNCLEAR.
    """
    if one.triple.subject != other.triple.subject:
        return Relation.APART
    families = [relation_family(fact.triple.relation) for fact in (one, other)]
    if families[0][0] != families[1][0]:
        near = cosine > rules.similar and not _differ(one, other)
        return Relation.UNCLEAR if near else Relation.APART
    table = _opposites(one, other)
    denied = (families[0][1] != families[1][1]) != (
        table.denies(one.triple.object) != table.denies(other.triple.object)
    )
    if denied:
        same = _said_alike(one, other) or _are_synonyms(one, other, object_cosine, rules, senses)
        near = cosine > rules.similar and not _differ(one, other)
        return Relation.OPPOSITE if same or near else Relation.APART
    if relation_kind(one.triple.relation).single:
        return Relation.SAME if _is_variant(one, other) else Relation.VALUE
    if _are_synonyms(one, other, object_cosine, rules, senses) and not _differ(one, other):
        return Relation.SAME
    return _of_one_relation(one, other, cosine, object_cosine, rules)


def _of_one_relation(
    one: Belief, other: Belief, cosine: float, object_cosine: ObjectCosine, rules: FactRules
) -> Relation:
    """Facts of one relation that may have several values."""
    if _said_alike(one, other):
        return Relation.SAME
    if _are_exclusive(one, other):
        return Relation.OPPOSITE
    if relation_kind(one.triple.relation).exact or cosine <= rules.similar or _differ(one, other):
        return Relation.APART
    mine, its = _objects(one, other)
    if not mine & its or object_cosine(one.fact_id, other.fact_id) > rules.same_object:
        return Relation.SAME
    return Relation.UNCLEAR


def _opposites(one: Belief, other: Belief) -> Opposites:
    return language(one.language or other.language).opposites


def _objects(one: Belief, other: Belief, *, exact: bool = False) -> tuple[frozenset[str], frozenset[str]]:
    table = _opposites(one, other)
    return table.words(one.triple.object, exact=exact), table.words(other.triple.object, exact=exact)


def _said_alike(one: Belief, other: Belief) -> bool:
    mine, its = _objects(one, other, exact=relation_kind(one.triple.relation).exact)
    return mine == its and _numbers(one) == _numbers(other)


def _are_synonyms(one: Belief, other: Belief, object_cosine: ObjectCosine, rules: FactRules, senses: Senses) -> bool:
    """Whether a word net has the objects as one thing, and their vectors do not speak against it."""
    if relation_kind(one.triple.relation).exact or not senses(one).meets(senses(other)):
        return False
    return object_cosine(one.fact_id, other.fact_id) > rules.synonym


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
