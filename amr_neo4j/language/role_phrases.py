"""Finds the phrases of a text that name a person by a role: "my mum", "ma belle-mère"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import language
from amr_neo4j.language.stems import words_in

# A phrase for a role has at most this many words: "significant other", "compañero de piso".
_LONGEST_ROLE = 3


@lru_cache(maxsize=10_000)
def roles_in(text: str, code: str) -> Mapping[str, frozenset[str]]:
    """Return {role: the words by which a text mentions it}. In "grand-père", "père" is not counted by itself."""
    words = words_in(text)
    found: dict[str, frozenset[str]] = {}
    for start, end, roles in role_spans(words, code):
        for role in roles:
            found[role] = found.get(role, frozenset()).union(words[start:end])
    return found


def role_spans(words: Sequence[str], code: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return (start, end, roles) of each phrase for a relative. Some phrases have no role ("step-aunt")."""
    phrases = role_phrases(code)
    found: list[tuple[int, int, tuple[str, ...]]] = []
    start = 0
    while start < len(words):
        runs = (tuple(words[start : start + length]) for length in range(_LONGEST_ROLE, 0, -1))
        run = next((run for run in runs if run in phrases), None)
        end = start + (len(run) if run else 1)
        if run:
            found.append((start, end, phrases[run]))
        start = end
    return found


@cache
def role_phrases(code: str) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return {words of a phrase: the roles it names} of a language. A phrase such as "step-aunt" names no role."""
    own = language(code)
    phrases: dict[tuple[str, ...], tuple[str, ...]] = {}
    for role, named in own.relation_words.nouns.items():
        for phrase in named:
            phrases.setdefault(tuple(words_in(phrase)), (role,) if relation_kind(role).is_role else ())
    return phrases | {tuple(words_in(word)): roles for word, roles in own.bullets.groups.items()}
