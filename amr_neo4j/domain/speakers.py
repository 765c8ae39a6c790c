"""Decides who speaks: whether the actor of a turn is the user, another person or a program (speakers.yaml)."""

from __future__ import annotations

import itertools
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from pydantic import BeforeValidator

from amr_neo4j import tables
from amr_neo4j.domain.fact import SPEAKER
from amr_neo4j.domain.folding import folded_words, without_accents

_Words = Annotated[frozenset[str], BeforeValidator(tables.listed)]

_WORD = re.compile(r"[^\W_]+")
# Splits "AIMessage" and "PlannerAgent" into two words each.
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Ids of models have a provider and a version ("acme/foo-2") or a number of parameters ("foo-7b").
_MODEL_ID = re.compile(r"[\w.-]+/[\w.:-]*\d[\w.:-]*|.*[-_:. ]\d+(\.\d+)?b([-_:. ].*)?")


class _Table(tables.Table):
    """speakers.yaml."""

    users: _Words
    own: _Words
    agents: _Words
    ambiguous: _Words
    titles: _Words
    posts: _Words
    compounds: _Words
    people_too: _Words
    begun_by: _Words
    adjectives: _Words
    silent: _Words
    voices: _Words
    beside: _Words
    models: _Words
    named_models: _Words
    providers: _Words
    versions: _Words
    wearers: _Words
    beside_wearers: _Words


_table = tables.shipped("amr_neo4j.domain", "speakers.yaml", _Table)


@dataclass(frozen=True)
class Speakers:
    """Decides whose words a turn has.

    agents: further names of programs, in lower case, from the settings.
    """

    agents: frozenset[str] = frozenset()

    @classmethod
    def with_agents(cls, names: str) -> Speakers:
        """Return the speakers with further names of programs, separated by commas."""
        return cls(frozenset(_key(name) for name in names.split(",") if name.strip()))

    def subject(self, actor: str, user_id: str) -> str:
        """Return what an actor's "I" stands for in facts: SPEAKER for the user, else the person's name in lower case.

        Empty for a program: its words state nothing about a person.

        >>> Speakers().subject("Ben", user_id="anna")
        'ben'
        """
        if is_user(actor, user_id):
            return SPEAKER
        key = _key(actor)
        return "" if key in self.agents or _is_program(actor) else key

    def talks(self, actor: str, user_id: str) -> bool:
        """Return whether a turn of this actor may be a question to the user. A tool or the system asks nothing."""
        return bool(self.subject(actor, user_id)) or _table().silent.isdisjoint(_words(actor))


def is_user(actor: str, user_id: str) -> bool:
    """Return whether an actor is the user: "user", "human", "Me", or the user's own id in any case."""
    if _key(actor) == _key(user_id):
        return True
    table, words = _table(), _words(actor)
    if len(words) == 1 and words[0] in table.own:
        return True
    return not table.users.isdisjoint(words) and all(word in table.users | table.beside for word in words)


def wears_camera(role: str) -> bool:
    """Return whether a role in an analysis means the wearer of the camera: "camera wearer", "wearer (I)"."""
    table, words = _table(), {*_words(role)}
    # "The wearer's wife" and "glasses wearer" have further words.
    return any(words >= {*phrase.split()} >= words - table.beside_wearers for phrase in table.wearers)


def is_numbered_voice(name: str) -> bool:
    """Return whether a name is that of a voice with a number: "voice 1", "Sprecherin 2"."""
    words = _words(name)
    return len(words) == 2 and words[0] in _table().voices and words[1].isdecimal()


@lru_cache(maxsize=1000)
def is_program(actor: str) -> bool:
    """Return whether an actor is a program by its name alone, without the settings of a memory."""
    return not Speakers().subject(actor, "")


def _key(name: str) -> str:
    return folded_words(unicodedata.normalize("NFC", name))


def _words(name: str) -> list[str]:
    return _WORD.findall(without_accents(_CAMEL.sub(" ", name)).casefold())


# Cached, because every turn asks and a conversation has few actors.
@lru_cache(maxsize=1000)
def _is_program(actor: str) -> bool:
    table, folded = _table(), without_accents(actor).casefold()
    words = [_role_of_compound(word) for word in _words(actor)]
    if "".join(words) in table.agents:  # "A.I."
        return True
    is_role = not table.agents.isdisjoint(words)
    # "the assistant", "AIMessage 2": roles beside words that do not change them.
    if is_role and all(_stands_by_role(word) or word.isdecimal() for word in words):
        return True
    return (is_role and (_begins_with_role(actor, words) or _ends_with_role(actor, words))) or _is_model(folded)


def _role_of_compound(word: str) -> str:
    """Return the role that a word names: "assistent" for "sprachassistent". Any other word stays."""
    table = _table()
    ends = (role for role in table.compounds if word.endswith(role) and len(word) > len(role) + 3)
    whole = (role for role in table.people_too if word.removesuffix(role) in table.begun_by)
    return next(ends, next(whole, word))


def _stands_by_role(word: str) -> bool:
    table = _table()
    return word in table.agents or word in table.beside or word in table.adjectives


def _begins_with_role(actor: str, words: list[str]) -> bool:
    """Return whether a role stands before a name: "tool:search", "AI (Nova)", "Assistant Nova", not "Agent Smith"."""
    table = _table()
    if words[0] in table.agents and re.match(r"\W*\w+?(?:[_:/#.]|\s*[(\[{])", actor):
        return True
    before = [*itertools.takewhile(_stands_by_role, words)]
    if not table.posts.isdisjoint(words[len(before) : len(before) + 1]):
        return False
    roles = [word for word in before if word in table.agents]
    # "Agent Smith" and "Ai Weiwei" are people, "voice agent Smith" and "AI Nova" are not.
    is_abbreviated = re.match(r"\W*[A-Z]{2}\s+\w*[a-z]", actor) is not None
    return bool(roles) and (
        not table.titles.issuperset(roles)
        or len(roles) > 1
        or is_abbreviated
        or not table.adjectives.isdisjoint(before)
    )


def _ends_with_role(actor: str, words: list[str]) -> bool:
    """Return whether a role stands after a name: "weather-bot", "Nova, asistente virtual", but not "Ben Bot"."""
    table = _table()
    behind = [*itertools.takewhile(_stands_by_role, reversed(words))]
    roles = [word for word in behind if word in table.agents]
    if not roles:
        return False
    # An ambiguous word after a space may be a last name ("Ben Bot"), so it does not make a program.
    is_apart = re.search(r"\s\w+\W*$", _CAMEL.sub("-", actor)) is not None
    return not is_apart or not table.ambiguous.issuperset(roles) or not table.adjectives.isdisjoint(behind)


def _is_model(folded: str) -> bool:
    """Return whether a name is the id of a language model.

    "gpt-4o", "openai/gpt-4o", "nvidia/parakeet" and "gemma-2-9b" are; "Gemma" is not.
    """
    table = _table()
    words = _WORD.findall(folded)
    if _MODEL_ID.fullmatch(folded) or ("/" in folded and words and words[0] in table.providers):
        return True
    from_provider = False
    while words and words[0] in table.providers:
        from_provider = True
        words = words[1:]
    if not words:
        return False
    # "llama3" is the name "llama" with its version.
    name = words[0].rstrip("0123456789")
    if words[0] in table.models or name in table.models:
        return True
    # "text-davinci-003", "Nous-Hermes-2-Mixtral"
    if any(character.isdecimal() for character in folded) and any(
        word in table.models or word.rstrip("0123456789") in table.models for word in words
    ):
        return True
    if name not in table.named_models:
        return False
    # What follows the name: 2 and 9b in "gemma-2-9b".
    rest = [*([words[0][len(name) :]] if words[0] != name else []), *words[1:]]
    has_number = any(character.isdecimal() for word in rest for character in word)
    is_version = all(word in table.versions or (has_number and len(word) < 9) for word in rest)
    # "Gemma" alone is a first name. A provider before it or a version after it makes it a model.
    return (from_provider or bool(rest)) and is_version
