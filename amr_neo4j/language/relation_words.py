"""The words of one language for the relations of facts (relation_words.yaml), which every room asks.

How a turn states a relation stands in facts.yaml; what a relation is, in domain/relations.yaml.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from amr_neo4j.tables import Table, Words


class RelationRow(BaseModel):
    """you, other: the sentence of a fact about the speaker, and about somebody or something else.

    one: that of the number 1, if it is another one than `other`: "There is 1 dog".
    many: both, where the object is plural: "Ti piacciono i cani".
    cues: the words of questions about the relation. Without them no question finds its facts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    you: str = ""
    other: str
    one: str = ""
    many: RelationRow | None = None
    cues: Words = ()


class RoleWords(BaseModel):
    """What the people or pets are called who have one role: mother, doctor, dog.

    label: the role in the sentence of a fact ("Your mother is called Ana").
    m, f: nouns that "he" and "she" may take up.
    nouns: those of either gender.
    plural: nouns for several; one that is singular, too, stands in both lists.
    called: {noun: how other facts call who is meant by it}, such as {mum: your mum}.
    groups: words for several roles, this one among them ("parents").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str = ""
    m: Words = ()
    f: Words = ()
    nouns: Words = ()
    plural: Words = ()
    called: Mapping[str, str] = Field(default_factory=dict[str, str])
    groups: Words = ()

    @property
    def all_nouns(self) -> tuple[str, ...]:
        """The nouns of every list, each once."""
        return tuple(dict.fromkeys((*self.m, *self.f, *self.nouns, *self.plural)))


def _each_noun_once(roles: Mapping[str, RoleWords]) -> Mapping[str, RoleWords]:
    """Refuse a noun that stands twice: the reader of turns would silently take the later place."""
    seen: dict[str, str] = {}
    for name, role in roles.items():
        # A noun may be plural as well, but nothing else twice.
        plural = [noun for noun in role.plural if noun not in {*role.m, *role.f, *role.nouns}]
        for noun in (*role.m, *role.f, *role.nouns, *plural):
            if before := seen.get(noun.lower()):
                raise ValueError(f"{noun} stands under {before} and under {name}")
            seen[noun.lower()] = name
    return roles


class RelationWords(Table):
    """relation_words.yaml.

    If a phrase names two roles ("petit-fils"), a question with it asks for the first. The role "other" has the nouns
    for which there is no relation ("stepdad").
    """

    relations: Mapping[str, RelationRow]
    roles: Annotated[Mapping[str, RoleWords], AfterValidator(_each_noun_once)]

    @cached_property
    def nouns(self) -> Mapping[str, tuple[str, ...]]:
        """{role: its nouns}."""
        return {name: role.all_nouns for name, role in self.roles.items()}

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """{role: its label}, of the roles that have one."""
        return {name: role.label for name, role in self.roles.items() if role.label}

    @cached_property
    def genders(self) -> Mapping[str, tuple[str, ...]]:
        """{"m" or "f": the nouns of this gender}."""
        return {
            "m": _joined(role.m for role in self.roles.values()),
            "f": _joined(role.f for role in self.roles.values()),
        }

    @cached_property
    def plural(self) -> tuple[str, ...]:
        """The nouns for several people or pets."""
        return _joined(role.plural for role in self.roles.values())

    @cached_property
    def called(self) -> Mapping[str, str]:
        """{noun: how facts call who is meant by it}."""
        return {noun: text for role in self.roles.values() for noun, text in role.called.items()}

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """{word for several roles: the roles}, such as {siblings: (brother, sister)}."""
        groups: dict[str, tuple[str, ...]] = {}
        for name, role in self.roles.items():
            for word in role.groups:
                groups[word] = (*groups.get(word, ()), name)
        return groups

    @cached_property
    def cues(self) -> Mapping[str, tuple[str, ...]]:
        """{relation: its cues}, of the relations that have any."""
        return {name: row.cues for name, row in self.relations.items() if row.cues}


def _joined(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(word for words in lists for word in words)
