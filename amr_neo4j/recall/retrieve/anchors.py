"""Rankings of events that a question starts from: by words, by vectors, by the names in it."""

from __future__ import annotations

from amr_neo4j.domain.ports import EventReader
from amr_neo4j.domain.recall import Question, Scope
from amr_neo4j.recall.rank.reciprocal_rank import fuse

# The ranking of the events of what a question names.
NAMED = "named"


def by_words(words: str, scope: Scope, reader: EventReader, limit: int) -> list[int]:
    """The events that match the words, best first."""
    return [node_id for node_id, _ in reader.full_text(words, scope, limit)]


def by_name(question: Question, scope: Scope, *, reader: EventReader, limit: int) -> list[int]:
    """The events of the objects and persons that the question names, latest first; those of several come first."""
    named = [reader.by_object(name, scope, limit) for name in question.objects]
    named += [reader.by_person(name, scope, limit) for name in question.persons]
    return [node_id for node_id, _ in fuse(named)][:limit]
