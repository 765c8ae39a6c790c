"""How facts read in a prompt, from a table per language (bullets.yaml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from pydantic import BaseModel, ConfigDict

from amr_neo4j import tables
from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.relations import FAVORITE, USUALLY_AT, relation_kind
from amr_neo4j.tables import every


class AskingTable(BaseModel):
    """Which questions a fact answers (fact_questions/answering.py).

    speaker: words by which a question is about who asks it; refuse: words of questions that no fact answers; past:
    those for what was once; renewed: those of statements by which something is new or over; meant: those by which a
    statement corrects another and says nothing else ("I meant"); denying: those that deny.
    who: words that ask for a person by name. generic: cues too general to ask for a relation alone. only: word -> the
    relations that a question with it may ask for, "favorite" for each of these; phrases: set words, with a full stop
    for the end, -> those they ask for. professions: words, or endings of words, for what somebody is who is asked for
    a profession.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    speaker: frozenset[str]
    refuse: frozenset[str]
    past: frozenset[str]
    renewed: tuple[str, ...]
    meant: frozenset[str]
    denying: frozenset[str]
    who: frozenset[str]
    generic: frozenset[str]
    only: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, tuple[str, ...]]
    professions: tuple[str, ...]


class BulletTable(tables.Table):
    """bullets.yaml. you, other: relation -> sentence, by subject. cues: relation -> words of a question about it.

    favorite_compound: what a thing is joined to in one word, as in "Lieblingsfarbe".
    """

    you: Annotated[Mapping[str, str], every(["role", "favorite", "any"])]
    other: Annotated[Mapping[str, str], every(["role", "favorite", "friend_of_you", "any"])]
    roles: Mapping[str, str]
    things: Mapping[str, str]
    own: str
    favorite_compound: str = ""
    nouns: Mapping[str, str]
    asking: AskingTable
    cues: Mapping[str, tuple[str, ...]]
    stop: frozenset[str]


@dataclass(frozen=True)
class Bullets:
    """The sentences of one language."""

    table: BulletTable

    @property
    def stop_words(self) -> frozenset[str]:
        """Words that no fact is found by."""
        return self.table.stop

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Words that are in any question of the language."""
        return self.interrogatives.union(self.table.asking.speaker, self.table.asking.only)

    @cached_property
    def interrogatives(self) -> frozenset[str]:
        """Those of them that say nothing of what is asked for."""
        return self.table.stop.union(self.table.asking.who, self.table.asking.generic)

    @cached_property
    def cue_words(self) -> frozenset[str]:
        """Words that ask for some relation."""
        return frozenset[str]().union(*self.table.cues.values())

    @property
    def joins_favorites(self) -> bool:
        """Whether a favourite thing is one word, as "Lieblingsfarbe" is."""
        return bool(self.table.favorite_compound)

    @property
    def asking(self) -> AskingTable:
        """Which questions a fact answers."""
        return self.table.asking

    def own_cues(self, relation: str) -> tuple[str, ...]:
        """Its telling cues: of a role the role, of a favourite the thing, else those that are not generic."""
        if relation in self.table.roles:
            return tuple(self.table.roles[relation].split())
        if relation.startswith(FAVORITE):
            return tuple(self._thing(relation).split())
        return tuple(word for word in self.cues(relation) if word not in self.table.asking.generic)

    def kind(self, relation: str) -> str:
        """The relation, or "role" or "favorite" for each of these."""
        if relation.startswith(FAVORITE):
            return "favorite"
        return "role" if relation_kind(relation).is_role else relation

    def cues(self, relation: str) -> tuple[str, ...]:
        """Words that a question about this relation uses."""
        table, own = self.table, self.table.cues.get(relation, ())
        if relation in table.roles:  # asked for by name
            own = (*table.cues["name"], *table.roles[relation].split())
        elif relation.startswith(FAVORITE):
            thing = self._thing(relation)
            own = (*table.cues["likes"], *thing.split(), f"{table.favorite_compound}{thing}")
        return (*own, *relation.split("_"))

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations with words of their own."""
        favorites = (f"{FAVORITE}{thing}" for thing in ("color", *self.table.things))
        return tuple(dict.fromkeys((*self.table.cues, *self.table.roles, *favorites)))

    def bullet(self, triple: Triple, said: str = "") -> str:
        """The fact as a sentence without a full stop. said: the turn that states it, for capital letters."""
        subject, relation, _ = triple
        table = self.table
        names = relation_kind(relation).is_name
        words = self._as_said(triple.object, said, names=names)
        kind = self.kind(relation)
        if (relation, triple.object) == ("friend_of", SPEAKER):
            kind = "friend_of_you"
        sentences = table.you if subject == SPEAKER else table.other
        text = sentences.get(kind, sentences["any"]).format(
            subject=subject if relation == USUALLY_AT else self._subject(subject, said),
            object=words,
            relation=relation.replace("_", " "),
            role=table.roles.get(relation, relation),
            thing=self._thing(relation),
        )
        return text[:1].upper() + text[1:]

    def _thing(self, relation: str) -> str:
        thing = relation.removeprefix(FAVORITE)
        return self.table.things.get(thing, thing.replace("_", " "))

    def _subject(self, subject: str, said: str) -> str:
        if subject in self.table.nouns:
            return self.table.nouns[subject]
        if subject in self._bare_roles:
            return self.table.own.format(noun=subject)
        return self._as_said(subject, said, names=True)

    @cached_property
    def _bare_roles(self) -> frozenset[str]:
        return frozenset(word for role in self.table.roles.values() for word in role.casefold().split())

    def _as_said(self, words: str, said: str, *, names: bool) -> str:
        """With the capital letters of the turn; a name that was typed in lower case gets them."""
        found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", said, re.IGNORECASE)
        text = found.group() if found else words
        return text.title() if names and text.islower() else text
