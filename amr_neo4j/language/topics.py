"""The topics that a single word asks for ("hobbies", "family"), and what is of them.

A topic has the name of a category of relations.yaml where there is one: facts of that category are of it, and turns
that name somebody in one of its roles. What else is of it is what is near its examples (topics.yaml of a language).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from amr_neo4j.domain.relations import KIN, people_of, relation_kind, relation_names
from amr_neo4j.language.bullets import Topic
from amr_neo4j.language.languages import language
from amr_neo4j.language.stems import stems, words_in

# A shorter word may be within another by chance.
_SHORTEST_PART = 5


def topics_asked(text: str, code: str) -> frozenset[str]:
    """Return the topics that words of a text ask for: {"family"} for "the user's family"."""
    words = stems(text, code)
    return frozenset(topic for topic in _topics(code) if _names_one(words, asking_for(topic, code), code))


@cache
def asking_for(topic: str, code: str) -> frozenset[str]:
    """Return the forms of the words that ask for a topic in a language; none for a category that is no topic."""
    known = _topics(code).get(topic)
    return stems(" ".join(known.asked), code) if known else frozenset()


def examples_of(topic: str, code: str) -> tuple[str, ...]:
    """Return sentences of those who tell of a topic: "I sing in a choir" for "activity"."""
    return _topics(code)[topic].examples


def names_role(topics: Collection[str], text: str, code: str) -> bool:
    """Return whether a text names somebody in a role of one of the topics: "my aunt" for "family"."""
    words = stems(text, code)
    return any(not words.isdisjoint(_role_words(topic, code)) for topic in topics)


def kin_named(text: str, code: str) -> frozenset[str]:
    """Return the roles of kin that a text names: {"wife", "husband", "partner"} for "the user's spouse"."""
    words = set(words_in(text))
    return frozenset(role for role, nouns in _kin_nouns(code).items() if not words.isdisjoint(nouns))


@cache
def _kin_nouns(code: str) -> Mapping[str, frozenset[str]]:
    """Return {role of kin: the single words for it}, those for several roles ("parents") among them."""
    own = language(code)
    nouns = {
        role: {noun for noun in own.fact_table.roles.get(role, ()) if " " not in noun} for role in people_of(KIN)
    }
    for word, roles in own.bullets.table.groups.items():
        for role in nouns.keys() & set(roles):
            nouns[role].add(word)
    return {role: frozenset(named) for role, named in nouns.items()}


@cache
def _role_words(topic: str, code: str) -> frozenset[str]:
    """Return the forms of the words for the roles of a category, and of those for a group of them ("parents")."""
    own = language(code)
    relations = {each for each in relation_names() if relation_kind(each).category == topic}
    roles = [noun for each in relations for noun in own.fact_table.roles.get(each, ()) if " " not in noun]
    groups = [word for word, named in own.bullets.table.groups.items() if not relations.isdisjoint(named)]
    return stems(" ".join([*roles, *groups]), code) - own.bullets.stop_words


def _names_one(words: Collection[str], asking: frozenset[str], code: str) -> bool:
    """Return whether one of the words is among `asking`; in German, also a compound such as "Essensvorlieben"."""
    if not asking.isdisjoint(words):
        return True
    parts = tuple(part for part in asking if len(part) >= _SHORTEST_PART)
    return language(code).fact_table.capitals_are_nouns and any(
        word.startswith(parts) or word.endswith(parts) for word in words
    )


def _topics(code: str) -> Mapping[str, Topic]:
    return language(code).bullets.topics
