"""relations.yaml: what a relation of a fact is."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from amr_neo4j.domain.relations import RelationKind, relation_family, relation_kind, relation_names
from amr_neo4j.language.languages import language
from amr_neo4j.language.relation_words import RelationWords


def test_every_favourite_is_single_valued_and_an_unknown_relation_is_not() -> None:
    assert relation_kind("favorite_ice_cream") == relation_kind("favorite_color")
    assert relation_kind("favorite_color").single
    assert relation_kind("collects") == RelationKind()


@pytest.mark.parametrize(
    ("relation", "family"),
    [
        ("likes", ("likes", True)),
        ("dislikes", ("likes", False)),
        ("owns", ("has", True)),
        ("has", ("has", True)),
        ("name", ("name", True)),
    ],
)
def test_relations_of_the_same_and_the_opposite_meaning_are_one_family(
    relation: str, family: tuple[str, bool]
) -> None:
    assert relation_family(relation) == family


def test_same_and_opposite_point_at_each_other() -> None:
    for name in relation_names():
        kind = relation_kind(name)
        assert not kind.same or relation_kind(kind.same).same == name
        assert not kind.opposite or relation_kind(kind.opposite).opposite == name


# Found without words of their own: a stay by the words for a home; habits and plans by other tables.
_WITHOUT_CUES = {"staying_in", "working_from", "usually_at", "plans"}
# Read by code: from rules for several relations ("called", "friends", a number before a noun), or instructions.yaml.
_WITHOUT_RULE = {*_WITHOUT_CUES, "name", "quantity", "friend_of", "instruction"}
_NO_RELATION = "other"  # the nouns of those for whom there is no relation


def _missing(code: str) -> list[str]:
    """Return what the tables of a language lack of the relations of domain/relations.yaml."""
    words, rules = language(code).relation_words, language(code).fact_table.rules
    stated = {relation for rule in rules for relation in (rule.gives, rule.denied, *rule.also.values())}
    missing = list[str]()
    for name in relation_names():
        kind, role, row = relation_kind(name), words.roles.get(name), words.relations.get(name)
        if kind.role and not (role and role.all_nouns):
            missing.append(f"roles: {name}: nouns")
        if kind.is_role and not (role and role.label):
            missing.append(f"roles: {name}: label")
        if kind.is_role or name == "favorite":
            continue
        if row is None:
            missing.append(f"relations: {name}")
            continue
        if not row.you and kind.subject == "PERSON":
            missing.append(f"relations: {name}: you")
        if not row.cues and name not in _WITHOUT_CUES:
            missing.append(f"relations: {name}: cues")
        if name not in stated | _WITHOUT_RULE:
            missing.append(f"facts.yaml: a rule that gives {name}")
    known = {*relation_names(), _NO_RELATION}
    return missing + [f"{name} is no relation" for name in (*words.relations, *words.roles) if name not in known]


@pytest.mark.parametrize("code", ["en", "es", "fr", "de", "it"])
def test_each_language_has_words_for_each_relation(code: str) -> None:
    missing = _missing(code)
    assert not missing, "\n".join([f"relation_words.yaml and facts.yaml of {code} lack:", *missing])


@pytest.mark.parametrize(
    ("roles", "error"),
    [
        ({"uncle": {"m": "onkel, patenonkel"}, "godfather": {"m": "Patenonkel"}}, ("uncle", "godfather")),
        ({"uncle": {"m": "patenonkel", "nouns": "vater, Patenonkel"}}, ("uncle", "uncle")),
    ],
)
def test_a_noun_that_stands_twice_is_refused(roles: dict[str, Any], error: tuple[str, str]) -> None:
    with pytest.raises(ValidationError) as raised:
        RelationWords.model_validate({"version": 1, "relations": {}, "roles": roles})
    [line] = [each["msg"] for each in raised.value.errors()]
    assert line == f"Value error, Patenonkel stands under {error[0]} and under {error[1]}"


def test_a_noun_may_be_plural_as_well() -> None:
    roles = {"uncle": {"label": "Dein Onkel", "m": "onkel", "plural": "onkel"}}
    assert RelationWords.model_validate({"version": 1, "relations": {}, "roles": roles}).nouns == {
        "uncle": ("onkel",)
    }
