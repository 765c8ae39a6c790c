"""The numbers of the nightly run and what it knows of relations (rules.yaml)."""

from __future__ import annotations

from functools import cache, cached_property

from pydantic import Field

from amr_neo4j import tables
from amr_neo4j.domain.fact import is_single_valued


class FactRules(tables.Table):
    """rules.yaml; its comments say what each number is for."""

    support: float = Field(ge=0, le=1)
    stated: float = Field(ge=0, le=1)
    growth: float = Field(gt=0, lt=1)
    decay_per_day: float = Field(ge=0)
    deprecated_under: float = Field(ge=0, le=1)
    similar: float = Field(ge=0, le=1)
    same_object: float = Field(ge=0, le=1)
    synonym: float = Field(ge=0, le=1)
    sure: float = Field(ge=0, le=1)
    spread: float = Field(ge=0, le=1)
    penalty: float = Field(gt=0, lt=1)
    change_of_mind_hours: float = Field(gt=0)
    clusters_per_night: int = Field(gt=0)
    usual_of: int = Field(gt=0)
    usual_least: int = Field(gt=0)
    usual_share: float = Field(gt=0.5, le=1)
    same_relations: tuple[frozenset[str], ...]
    opposite_relations: tuple[tuple[str, str], ...]
    named: frozenset[str]
    categories: dict[str, frozenset[str]]

    def category(self, relation: str) -> str:
        """The category of a relation's facts; empty for one that no table has."""
        if relation.startswith("favorite_"):
            return "taste"
        return self._categories.get(relation, "")

    def family(self, relation: str) -> tuple[str, bool]:
        """(name of the relations that mean the same or the opposite of this one, whether it affirms)."""
        return self._families.get(relation, (relation, True))

    def names(self, relation: str) -> bool:
        """Whether its objects are names or numbers, so that nothing but the same words is the same."""
        return relation in self.named or is_single_valued(relation)

    @cached_property
    def _categories(self) -> dict[str, str]:
        return {relation: name for name, relations in self.categories.items() for relation in relations}

    @cached_property
    def _families(self) -> dict[str, tuple[str, bool]]:
        same = {relation: (min(group), True) for group in self.same_relations for relation in group}
        opposed = {yes: (yes, True) for yes, _ in self.opposite_relations}
        return same | opposed | {no: (yes, False) for yes, no in self.opposite_relations}


@cache
def fact_rules() -> FactRules:
    """The rules of this version."""
    return tables.load(__package__ or "", "rules.yaml", FactRules)
