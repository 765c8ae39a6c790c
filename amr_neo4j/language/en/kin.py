"""Words that may tell of the same: verbs of a class, a general noun and its kinds, two nouns for a thing."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache

from amr_neo4j.language.en.content import forms
from amr_neo4j.tables import Table, load


class KinTable(Table):
    """kin.yaml, whose head says what its keys mean."""

    verbs: tuple[tuple[str, ...], ...]
    kinds: dict[str, tuple[str, ...]]
    nouns: tuple[tuple[str, ...], ...]
    exact: frozenset[str]


@cache
def _table() -> KinTable:
    return load("amr_neo4j.language.en", "kin.yaml", KinTable)


@cache
def _related() -> dict[str, frozenset[str]]:
    """word -> the words that may tell of the same."""
    table = _table()
    found: dict[str, set[str]] = defaultdict(set)
    for some in (*table.verbs, *table.nouns):
        for word in some:
            found[word].update(some)
    for general, kinds in table.kinds.items():
        found[general].update(kinds)
    return {word: frozenset(some) for word, some in found.items()}


@lru_cache(maxsize=8192)
def kin(word: str) -> frozenset[str]:
    """The words that may tell of the same as one word, in their base forms; without the word's own forms."""
    own = forms(word)
    return frozenset[str]().union(*(_related().get(form, frozenset()) for form in own)) - own


def says_more(verb: str) -> bool:
    """Whether a verb says more than the state that it leaves a thing in."""
    return not forms(verb).isdisjoint(_table().exact)
