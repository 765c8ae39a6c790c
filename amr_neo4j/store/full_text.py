"""Scope tokens for the full-text index, and Lucene queries built from plain text (decision 0034).

Neo4j's full-text procedure ranks before Cypher can filter, so a group with ten events among a million would never be
among the best hits. Therefore every event carries tokens that name its group, video, place and people. A query
requires those of its scope, and Lucene ranks only what has them.
Only EventReader._best_of_all asks without tokens. There the condition on group_id alone keeps groups apart.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import inf
from typing import TypeVar

from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video

T = TypeVar("T")
# Lucene refuses queries of more than 1024 clauses. A word makes one in each of up to six fields, a token only one.
_MOST_WORDS = 130
_MOST_TOKENS = 120
# The number of hits is multiplied by this while too few are in the scope.
_GROWTH = 4
# Characters that the index stores one by one (Han, Hiragana). A query must quote each by itself, because several in
# one pair of quotes would be a phrase.
_ALONE = "\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Other text is cut into words as the index cuts it: "can't" and "3.14" are one word each, and so is a word with vowel
# signs.
# Inside quotes none of these characters is Lucene syntax. Lone surrogates are left out: the driver cannot send them.
_WORD = re.compile(
    rf"[{_ALONE}]|(?:[0-9A-Za-z_]|[^\x00-\x7f\s\ud800-\udfff{_ALONE}]|(?<=\w)['.:](?=\w)|(?<=\d),(?=\d))+"
)


@lru_cache(1 << 14)
def scope_token(kind: str, *parts: str) -> str:
    """Return the token of a group, video, place, person, user, session or speaker, such as "g01234567890123456789".

    It is one letter and digits, so that no stemmer changes it.
    """
    # The parts are joined by a separator, so that ("ab", "c") and ("a", "bc") differ.
    digest = hashlib.blake2b("\x1f".join((kind, *parts)).encode(), digest_size=8).digest()
    return f"{kind[0]}{int.from_bytes(digest, 'big'):020d}"


def scope_text(video: Video, people: Iterable[tuple[str, str]]) -> str:
    """Return the scope tokens of an event. people: (scope, person_id) of everybody it involves."""
    group = video.group_id
    return " ".join(
        [
            scope_token("group", group),
            scope_token("video", group, video.video_id),
            scope_token("place", group, video.home),
            *(scope_token("person", group, scope, person_id) for scope, person_id in sorted({*people})),
        ]
    )


def event_tokens(scope: Scope, people: Sequence[tuple[str, str]] = ()) -> list[list[str]]:
    """Return the tokens that a query requires, as lists for group, videos and people. A hit has one of each list.

    An empty list requires nothing.

    people: (scope, person_id) of those that the scope names.
    """
    group = scope.group_id
    videos = [scope_token("video", group, video_id) for video_id in scope.video_ids]
    return [[scope_token("group", group)], videos, [scope_token("person", group, *person) for person in people]]


def turn_text(session: Session, actor_id: str) -> str:
    """Return the scope tokens of a turn."""
    user = (session.group_id, session.user_id)
    session_token = scope_token("session", *user, session.session_id)
    return " ".join([scope_token("user", *user), session_token, scope_token("actor", *user, actor_id)])


def user_text(group_id: str, user_id: str) -> str:
    """Return the scope token for what belongs to a user but to no session, such as a fact that an event shows."""
    return scope_token("user", group_id, user_id)


def turn_tokens(scope: Scope) -> list[list[str]]:
    """Return the tokens that a query requires, as lists for user, sessions and speakers. A hit has one of each list.

    An empty list requires nothing.
    """
    user = (scope.group_id, scope.user_id)
    sessions = [scope_token("session", *user, session_id) for session_id in scope.session_ids]
    return [[scope_token("user", *user)], sessions, [scope_token("actor", *user, person) for person in scope.persons]]


def queries(text: str, required: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield Lucene queries that find any word of a text, and require one token of each list.

    Example: `+scope_text:("g0123...")^0 +("red" "cup")`. The boost ^0 keeps tokens out of the score.
    Yields nothing for a text without a word, and several queries with comparable scores if a list is long. Empty
    lists are ignored. Every word is quoted and holds no quote, so there is no syntax to escape.
    """
    if words := _words(text):
        for chosen in product(*map(_portions, required)):
            yield " ".join([*(_required(tokens) for tokens in chosen if tokens), f"+({_any(words)})"])


def widened(fetch: Callable[[int], tuple[int, list[T]]], limit: int, most: float = inf) -> list[T]:
    """Return the hits that are in a scope: at least `limit` if Lucene has that many, best first.

    Lucene ranks before Cypher filters, by time for example. So it is asked for more until enough are left.
    fetch: takes how many hits Lucene is to rank. Returns (how many it found, those of them in the scope).
    most: more are not asked for.
    """
    fetched = limit
    while True:
        found, inside = fetch(fetched)
        if len(inside) >= limit or found < fetched or fetched >= most:
            return inside
        # If the share in the scope so far says that the next number is too few as well, it is left out.
        fetched *= _GROWTH if len(inside) * _GROWTH >= limit else _GROWTH**2


def _portions(tokens: Sequence[str]) -> list[Sequence[str]]:
    """Cut tokens into lists of at most _MOST_TOKENS. No tokens give one empty list, because `product` needs one."""
    return [tokens[start : start + _MOST_TOKENS] for start in range(0, max(1, len(tokens)), _MOST_TOKENS)]


def _words(text: str) -> list[str]:
    """Return the first distinct words of a text, without possessive 's, which only the English analyser strips."""
    words = (re.sub(r"['’]s$", "", word) for word in _WORD.findall(text))
    return list({word.lower(): word for word in words}.values())[:_MOST_WORDS]


def _required(tokens: Iterable[str]) -> str:
    return f"+scope_text:({_any(tokens)})^0"


def _any(words: Iterable[str]) -> str:
    return " ".join(f'"{word}"' for word in words)
