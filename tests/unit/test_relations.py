"""relations.yaml: what a relation of a fact is."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from amr_neo4j.domain.relations import RelationKind, relation_family, relation_kind, relation_names
from amr_neo4j.language.fact_tables import FactTable
from amr_neo4j.language.languages import language


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


@pytest.mark.parametrize("code", ["en", "es", "fr", "de", "it"])
def test_each_language_words_each_role(code: str) -> None:
    roles = {name for name in relation_names() if relation_kind(name).is_role}
    assert language(code).bullets.table.roles.keys() == roles
    assert language(code).fact_table.roles.keys() - {"other"} == {*roles, "friend_of"}


@pytest.mark.parametrize(
    ("group", "first", "second", "error"),
    [
        (
            "roles",
            {"uncle": "onkel, patenonkel"},
            {"godfather": "Patenonkel"},
            "Patenonkel stands under uncle and under godfather",
        ),
        ("genders", {"m": "patenonkel, vater, patenonkel"}, {}, "patenonkel stands under m and under m"),
    ],
)
def test_a_noun_that_stands_twice_is_refused(
    group: str, first: dict[str, str], second: dict[str, str], error: str
) -> None:
    with pytest.raises(ValidationError) as raised:
        FactTable.model_validate({group: first | second})
    [line] = [
        each["msg"] for each in raised.value.errors() if each["loc"] == (group,) and each["type"] == "value_error"
    ]
    assert line == f"Value error, {error}"
