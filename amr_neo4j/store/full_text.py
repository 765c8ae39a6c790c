"""What goes into the full-text index beside the words, and queries that Lucene can't misread.

Neo4j's full-text procedure ranks before Cypher can filter. So every event carries tokens for its scope, and a
query requires them: Lucene itself ranks within the scope, and a tenant with ten rows among a million is found.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video

# Lucene refuses a query of more than 1024 clauses; each word is looked up in five fields.
_MOST_WORDS = 150
_WORD = re.compile(r"\w+", re.UNICODE)


def scope_token(kind: str, *parts: str) -> str:
    """A word that stands for a group, video, place or person; digits, so that no stemmer shortens it."""
    digest = hashlib.blake2b("\x1f".join((kind, *parts)).encode(), digest_size=8).digest()
    return f"{kind[0]}{int.from_bytes(digest, 'big'):020d}"


def scope_text(video: Video, event: EventDraft) -> str:
    """The scope tokens of an event."""
    group = video.group_id
    people = sorted({(person.scope, person.person_id) for person in event.involvements})
    return " ".join(
        [
            scope_token("group", group),
            scope_token("video", group, video.video_id),
            scope_token("place", group, video.home),
            *(scope_token("person", group, scope, person_id) for scope, person_id in people),
        ]
    )


def query(text: str, scope: Scope) -> str | None:
    """A Lucene query for what a person typed: any of its words, the scope required and without weight.

    None where the text has no word. Only word characters go in, each quoted: there is no syntax left to escape.
    """
    words = list(dict.fromkeys(_WORD.findall(text.casefold())))[:_MOST_WORDS]
    if not words:
        return None
    return f"{_required('scope_text', _scope_tokens(scope))} +({_any(words)})"


def _scope_tokens(scope: Scope) -> Iterable[Sequence[str]]:
    yield [scope_token("group", scope.group_id)]
    if scope.video_ids:
        yield [scope_token("video", scope.group_id, video_id) for video_id in scope.video_ids]


def _required(field: str, alternatives: Iterable[Sequence[str]]) -> str:
    return " ".join(f"+{field}:({_any(tokens)})^0" for tokens in alternatives)


def _any(words: Iterable[str]) -> str:
    return " ".join(f'"{word}"' for word in words)
