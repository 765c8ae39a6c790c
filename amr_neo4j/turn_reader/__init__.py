"""Reads facts out of conversation turns with rules, in milliseconds and without a model."""

from __future__ import annotations

from collections.abc import Sequence

from amr_neo4j.domain.fact import TurnContext


def extract(text: str, lang: str, context: Sequence[str] = ()) -> list[tuple[str, str, str]]:
    """Return the triples that a turn states.

    lang: code of its language.
    context: earlier turns of the same speaker, oldest first.

    >>> extract("My brother Tom lives in Rome.", "en")
    [('you', 'brother', 'tom'), ('tom', 'lives_in', 'rome')]
    """
    from amr_neo4j.turn_reader.understand import read_by_rules  # noqa: PLC0415 (only those who extract compile the tables)

    stated = (fact.triple for fact in read_by_rules(text, lang, TurnContext(context)).facts)
    return [(each.subject, each.relation, each.object) for each in stated]
