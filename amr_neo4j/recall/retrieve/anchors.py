"""Rankings of events that a question starts from: by words, by vectors, by the names in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from amr_neo4j.domain.ports import EventReader
from amr_neo4j.domain.recall import Question, Scope
from amr_neo4j.recall.rank.reciprocal_rank import fuse

# The ranking of the events of what a question names.
NAMED = "named"


def by_words(words: str, scope: Scope, reader: EventReader, limit: int) -> list[int]:
    """The events that match the words, best first."""
    return [node_id for node_id, _ in reader.full_text(words, scope, limit)]


def reads_by_name(
    question: Question, scope: Scope, reader: EventReader, limit: int
) -> list[Callable[[], Sequence[int]]]:
    """For each object and person that the question names, what reads its events, latest first."""
    objects = [partial(reader.by_object, name, scope, limit) for name in question.objects]
    return [*objects, *(partial(reader.by_person, name, scope, limit) for name in question.persons)]


def together(named: Sequence[Sequence[int]], limit: int) -> list[int]:
    """The events of several names as one ranking: those of several come first."""
    return [node_id for node_id, _ in fuse(named)][:limit]
