"""The numbers of the nightly run (rules.yaml)."""

from __future__ import annotations

from pydantic import Field

from amr_neo4j import tables


class FactRules(tables.Table):
    """rules.yaml; its comments say what each number is for."""

    support: float = Field(ge=0, le=1)
    stated: float = Field(ge=0, le=1)
    growth: float = Field(gt=0, lt=1)
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


fact_rules = tables.shipped("amr_neo4j.facts", "rules.yaml", FactRules)
"""Returns the shipped numbers, read once."""
