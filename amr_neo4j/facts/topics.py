"""Facts that a model reads by topic: of events, and of turns that rules read nothing from (specification 002 5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from amr_neo4j.domain.belief import HeardTurn, NewEvent, SeenFact
from amr_neo4j.domain.fact import SPEAKER, FactChange, Triple
from amr_neo4j.domain.ports import ChatModel, Vectors
from amr_neo4j.domain.replies import EventFacts, TopicFacts
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
    shown, text, count = _numbered([turn.text for turn in turns], vectors)
    if not shown:
        return {}
    reply = model.ask(prompt("facts_of_topics", topics=text, count=count), TopicFacts)
    stated: dict[str, tuple[FactChange, ...]] = {}
    for fact in reply.facts:
        triple = Triple(SPEAKER, fact.relation, _plain(fact.object))
        for number in sorted({number for number in fact.turns if number <= len(shown)}):
            turn = turns[shown[number - 1]]
            change = FactChange(triple, turn.at.timestamp(), fact.text, _CONFIDENCE, False, turn.session_id, "")
            stated[turn.episode_id] = (*stated.get(turn.episode_id, ()), change)
    return stated


def facts_of_events(
    events: Sequence[NewEvent], vectors: Vectors, model: ChatModel, language: str
) -> tuple[SeenFact, ...]:
    """What the model reads from the topics of a group's events. Raises ModelError: no usable reply."""
    shown, text, count = _numbered([event.text for event in events], vectors)
    if not shown:
        return ()
    reply = model.ask(prompt("facts_of_events", topics=text, count=count), EventFacts)
    found: list[SeenFact] = []
    for fact in reply.facts:
        rows = sorted({shown[number - 1] for number in fact.events if number <= len(shown)})
        if rows:
            triple = Triple(_plain(fact.subject), fact.relation, _plain(fact.object))
            node_ids = tuple(events[row].node_id for row in rows)
            last = max(events[row].at for row in rows)
            found.append(SeenFact(triple, fact.text, language, _CONFIDENCE, last, node_ids))
    return tuple(found)


def _numbered(texts: Sequence[str], vectors: Vectors) -> tuple[list[int], str, int]:
    """(rows that a model sees, in the order of their numbers from 1; their text by topic; the number of topics)."""
    groups = topics(vectors)[:_MOST]
    shown = [row for rows in groups for row in rows]
    numbers = {row: n for n, row in enumerate(shown, 1)}
    parts = [
        "\n".join([f"Topic {n}", *(f"{numbers[row]}. {texts[row][:_SHOWN]}" for row in rows)])
        for n, rows in enumerate(groups, 1)
    ]
    return shown, "\n\n".join(parts), len(parts)


def _plain(words: str) -> str:
    return " ".join(words.casefold().split())
