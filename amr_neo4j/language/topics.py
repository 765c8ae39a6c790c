"""The topics that a single word asks for ("hobbies", "family"), and which words and facts belong to them.

A topic with the name of a category in relations.yaml has the facts of that category. The words of the other topics
are in a table per language (topics.yaml).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

from amr_neo4j.domain.relations import KIN, people_of, relation_kind, relation_names
from amr_neo4j.language.bullets import Topic
from amr_neo4j.language.languages import language
from amr_neo4j.language.stems import forms, stems, words_in

_SLOT = re.compile(r"\{\w+\}")


def topics_asked(text: str, code: str) -> frozenset[str]:
    """Return the topics that words of a text ask for: {"family"} for "the user's family"."""
    # Spanish "cómo" has a form in common with "comer".
    asking = (each for word, each in forms(text, code).items() if word not in language(code).bullets.stop_words)
    words = frozenset[str]().union(*asking)
    return frozenset(topic for topic in _topics(code) if not words.isdisjoint(asking_for(topic, code)))


@cache
def asking_for(topic: str, code: str) -> frozenset[str]:
    """Return the forms of the words that ask for a topic in a language; none for a category that is not a topic."""
    known = _topics(code).get(topic)
    return stems(" ".join(known.asked), code) if known else frozenset()


def is_about(topics: Collection[str], text: str, code: str) -> bool:
    """Return whether a text has a word of one of the topics."""
    return words_before(topics, text, code) is not None


def words_before(topics: Collection[str], text: str, code: str) -> list[str] | None:
    """Return the words of a text before the first one of one of the topics; None if it has none."""
    words, formed = words_in(text), forms(text, code)
    said = frozenset[str]().union(*(_said(topic, code) for topic in topics))
    place = next((n for n, word in enumerate(words) if not formed[word].isdisjoint(said)), None)
    return None if place is None else words[:place]


def words_of_facts(relations: Collection[str], topics: Collection[str], code: str) -> list[str]:
    """Return the words of facts of some relations ("wohnst" for lives_in), and of what is said about topics."""
    own = language(code)
    found: dict[str, None] = {}
    for relation in (*relations, *(each for topic in topics for each in sorted(_relations(topic)))):
        if row := own.relation_words.relations.get(relation):
            found |= dict.fromkeys(words_in(_SLOT.sub(" ", f"{row.you} {row.other}")))
    for topic in topics:
        found |= dict.fromkeys(_words(topic, code))
    return [word for word in found if word not in own.bullets.stop_words]


def consists_of_others(topic: str) -> bool:
    """Return whether a topic is the persons or pets themselves that somebody has, as "family" is."""
    found = [relation_kind(each) for each in _relations(topic)]
    return bool(found) and all(kind.role for kind in found)


def kin_named(text: str, code: str) -> frozenset[str]:
    """Return the roles of kin that a text names: {"wife", "husband", "partner"} for "the user's spouse"."""
    words = set(words_in(text))
    return frozenset(role for role, nouns in _kin_nouns(code).items() if not words.isdisjoint(nouns))


@cache
def _kin_nouns(code: str) -> Mapping[str, frozenset[str]]:
    """Return {role of kin: the single words for it}, those for several roles ("parents") among them."""
    own = language(code)
    nouns = {
        role: {noun for noun in own.relation_words.nouns.get(role, ()) if " " not in noun} for role in people_of(KIN)
    }
    for word, roles in own.relation_words.groups.items():
        for role in nouns.keys() & set(roles):
            nouns[role].add(word)
    return {role: frozenset(named) for role, named in nouns.items()}


@cache
def _said(topic: str, code: str) -> frozenset[str]:
    """Return the forms of the words of a topic."""
    return stems(" ".join(_words(topic, code)), code) - language(code).bullets.stop_words


def _words(topic: str, code: str) -> list[str]:
    """Return the words of a topic, those for the roles of its category among them."""
    own, table = language(code), _topics(code)[topic]
    relations = _relations(topic)
    nouns = [noun for each in relations for noun in own.relation_words.nouns.get(each, ())]
    roles = [noun for noun in nouns if " " not in noun]
    groups = [word for word, named in own.relation_words.groups.items() if not relations.isdisjoint(named)]
    return [*table.asked, *table.said, *roles, *groups]


def _relations(category: str) -> frozenset[str]:
    return frozenset(each for each in relation_names() if relation_kind(each).category == category)


def _topics(code: str) -> Mapping[str, Topic]:
    return language(code).bullets.topics
