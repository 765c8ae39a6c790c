"""Facts from turns that rules read nothing from, by topic and with a model (specification 002 5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from amr_neo4j.domain.belief import HeardTurn
from amr_neo4j.domain.fact import SPEAKER, FactChange, Triple
from amr_neo4j.domain.ports import ChatModel, Vectors
from amr_neo4j.domain.replies import TopicFacts
from amr_neo4j.prompts.library import prompt

# Turns that make a topic, turns clustered at once (it grows with the square), topics and characters put to a model.
_FEWEST, _BLOCK, _MOST, _SHOWN = 3, 2000, 12, 300
_CONFIDENCE = 0.7


def topics(vectors: Vectors) -> list[list[int]]:
    """Rows of turns of one speaker by topic, the largest first; what belongs to none is left out.

    vectors: (turns, dim), of length 1. Clusters are those of HDBSCAN, in blocks of 2,000 turns.
    """
    from sklearn.cluster import HDBSCAN  # noqa: PLC0415 # pyright: ignore (takes a second to load)

    found: list[list[int]] = []
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        if len(block) < _FEWEST:
            continue
        clusterer: Any = HDBSCAN(min_cluster_size=_FEWEST, copy=True)  # pyright: ignore[reportArgumentType] (its stub is wrong)
        labels = [int(label) for label in clusterer.fit_predict(block)]
        for label in range(max(labels) + 1):
            found.append([start + row for row, each in enumerate(labels) if each == label])
    return sorted(found, key=lambda rows: (-len(rows), rows))


def facts_of_topics(
    turns: Sequence[HeardTurn], vectors: Vectors, model: ChatModel
) -> Mapping[str, tuple[FactChange, ...]]:
    """What the model reads from the topics of a user's turns, by episode_id. Raises ModelError: no usable reply."""
    groups = topics(vectors)[:_MOST]
    if not groups:
        return {}
    shown = [row for rows in groups for row in rows]
    numbers = {row: n for n, row in enumerate(shown, 1)}
    parts = [
        "\n".join([f"Topic {n}", *(f"{numbers[row]}. {turns[row].text[:_SHOWN]}" for row in rows)])
        for n, rows in enumerate(groups, 1)
    ]
    reply = model.ask(prompt("facts_of_topics", topics="\n\n".join(parts), count=len(parts)), TopicFacts)
    stated: dict[str, tuple[FactChange, ...]] = {}
    for fact in reply.facts:
        triple = Triple(SPEAKER, fact.relation, " ".join(fact.object.casefold().split()))
        for number in sorted({number for number in fact.turns if number <= len(shown)}):
            turn = turns[shown[number - 1]]
            change = FactChange(triple, turn.at.timestamp(), fact.text, _CONFIDENCE, False, turn.session_id, "")
            stated[turn.episode_id] = (*stated.get(turn.episode_id, ()), change)
    return stated
