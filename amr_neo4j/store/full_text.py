"""What goes into the full-text index beside the words, and queries that Lucene can't misread.

Neo4j's full-text procedure ranks before Cypher can filter. So every event carries tokens for its scope, and a
query requires them: Lucene itself ranks within the scope, and a tenant with ten rows among a million is found.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video

# Lucene refuses a query of more than 1024 clauses; each word is looked up in five fields, a video or person in one.
_MOST_WORDS = 150
_MOST_TOKENS = 120
# Characters that the index keeps one by one (Han, Hiragana): as one run they would be a phrase that nobody wrote.
_ALONE = "\u3005-\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Else the index takes for a word what stays together here: "can't", "3.14", vowel signs. Nothing of it is syntax
# between quotes, and surrogates, which are no characters, cannot be sent.
_WORD = re.compile(
    rf"[{_ALONE}]|(?:[0-9A-Za-z_]|[^\x00-\x7f\s\ud800-\udfff{_ALONE}]|(?<=\w)['.:](?=\w)|(?<=\d),(?=\d))+"
)


def scope_token(kind: str, *parts: str) -> str:
    """A word that stands for a group, video, place or person; digits, so that no stemmer shortens it."""
    digest = hashlib.blake2b("\x1f".join((kind, *parts)).encode(), digest_size=8).digest()
    return f"{kind[0]}{int.from_bytes(digest, 'big'):020d}"


def scope_text(video: Video, people: Iterable[tuple[str, str]]) -> str:
    """The scope tokens of an event. people: (scope, person_id) of all whom it involves."""
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
    """The tokens of a scope, of each list one: of its group, its videos and its people.

    people: (scope, person_id) of whom an event must involve one, where the scope names persons.
    """
    group = scope.group_id
    videos = [scope_token("video", group, video_id) for video_id in scope.video_ids]
    return [[scope_token("group", group)], videos, [scope_token("person", group, *person) for person in people]]


def said_text(session: Session, actor_id: str) -> str:
    """The scope tokens of a turn."""
    whose = (session.group_id, session.user_id)
    session_token = scope_token("session", *whose, session.session_id)
    return " ".join([scope_token("user", *whose), session_token, scope_token("actor", *whose, actor_id)])


def turn_tokens(scope: Scope) -> list[list[str]]:
    """The tokens of a scope, of each list one: of its user, the sessions and whoever speaks."""
    whose = (scope.group_id, scope.user_id)
    sessions = [scope_token("session", *whose, session_id) for session_id in scope.session_ids]
    return [[scope_token("user", *whose)], sessions, [scope_token("actor", *whose, who) for who in scope.persons]]


def queries(text: str, required: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lucene queries for what a person typed: any of its words, and of each list of tokens one, without weight.

    None at all where the text has no word; several where a list is long (their scores compare). An empty list
    requires nothing. Only words go in, each quoted: there is no syntax left to escape.
    """
    if words := _words(text):
        for some in product(*map(_portions, required)):
            yield " ".join([*(_required(tokens) for tokens in some if tokens), f"+({_any(words)})"])


def _portions(tokens: Sequence[str]) -> list[Sequence[str]]:
    """As many tokens at once as a query takes; one empty portion where nothing is required."""
    return [tokens[start : start + _MOST_TOKENS] for start in range(0, max(1, len(tokens)), _MOST_TOKENS)]


def _words(text: str) -> list[str]:
    """The first words of a text, each once, without an owner's 's, which only the English index takes away itself."""
    words = (re.sub(r"['’]s$", "", word) for word in _WORD.findall(text))
    return list({word.lower(): word for word in words}.values())[:_MOST_WORDS]


def _required(tokens: Iterable[str]) -> str:
    return f"+scope_text:({_any(tokens)})^0"


def _any(words: Iterable[str]) -> str:
    return " ".join(f'"{word}"' for word in words)
