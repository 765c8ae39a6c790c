"""Reads facts out of conversation turns with rules, in milliseconds and without a model."""

from __future__ import annotations

from collections.abc import Sequence


def extract(text: str, lang: str, context: Sequence[str] = ()) -> list[tuple[str, str, str]]:
    """The triples that a turn states. context: earlier turns of the same speaker, oldest first."""
    from amr_neo4j.turn_reader.understand import understand_in  # noqa: PLC0415 (only those who extract compile the tables)

    stated = (fact.triple for fact in understand_in(text, lang, context).facts)
    return [(each.subject, each.relation, each.object) for each in stated]
