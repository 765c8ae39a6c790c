"""Lets a model read facts from topics: clusters of events, or of turns in which the rules found nothing.

Specification 002 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from amr_neo4j.domain.belief import HeardTurn, NewEvent, SeenFact
from amr_neo4j.domain.fact import SPEAKER, FactChange, Triple
from amr_neo4j.domain.masking import has_mask, mask_secrets
from amr_neo4j.domain.ports import ChatModel, Vectors
from amr_neo4j.domain.replies import EventFact, EventFacts, TopicFact, TopicFacts
from amr_neo4j.prompts.library import prompt

# _FEWEST: a topic has at least this many turns. _BLOCK: this many turns are clustered at once, because the time grows
# with the square. _MOST: the model is shown this many topics. _SHOWN: characters of each turn that it is shown.
_FEWEST, _BLOCK, _MOST, _SHOWN = 3, 2000, 12, 300
_CONFIDENCE = 0.7
AnyFact = TypeVar("AnyFact", TopicFact, EventFact)


def topics(vectors: Vectors) -> list[list[int]]:
    """Cluster turns of one speaker into topics; return the rows of each topic, the largest topic first.

    vectors: shape (turns, dim), of length 1. Uses HDBSCAN in blocks of 2,000 turns. Turns without a topic are left
    out.
    """
    from sklearn.cluster import HDBSCAN  # noqa: PLC0415 # pyright: ignore (takes a second to load)

    found: list[list[int]] = []
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        if len(block) < _FEWEST:
            continue
        clusterer: Any = HDBSCAN(min_cluster_size=_FEWEST, copy=True)  # pyright: ignore[reportArgumentType] (its stub is wrong)
        labels = [int(label) for label in clusterer.fit_predict(block)]
        for label in range(max(labels) + 1):  # -1 marks the turns without a topic
            found.append([start + row for row, each in enumerate(labels) if each == label])
    return sorted(found, key=lambda rows: (-len(rows), rows))


def facts_of_topics(
    turns: Sequence[HeardTurn], vectors: Vectors, model: ChatModel
) -> Mapping[str, tuple[FactChange, ...]]:
    """Return {episode_id: the facts that the model reads from the topics of a user's turns}.

    vectors: of the turns, shape (turns, dim). Raises ModelError: no usable reply.
    """
    shown, text, count = _numbered([turn.text for turn in turns], vectors)
    if not shown:
        return {}
    reply = model.ask(prompt("facts_of_topics", topics=text, count=count), TopicFacts)
    stated: dict[str, tuple[FactChange, ...]] = {}
    for fact in _without_secrets(reply.facts):
        triple = Triple(SPEAKER, fact.relation, _plain(fact.object))
        # A model may name turns that it was not shown.
        for number in sorted({number for number in fact.turns if number <= len(shown)}):
            turn = turns[shown[number - 1]]
            change = FactChange(triple, turn.at.timestamp(), fact.text, _CONFIDENCE, False, turn.session_id, "")
            stated[turn.episode_id] = (*stated.get(turn.episode_id, ()), change)
    return stated


def facts_of_events(
    events: Sequence[NewEvent], vectors: Vectors, model: ChatModel, language: str
) -> tuple[SeenFact, ...]:
    """Return the facts that the model reads from the topics of a group's events.

    vectors: of the events, shape (events, dim). language: code of the facts' texts. Raises ModelError: no usable
    reply.
    """
    shown, text, count = _numbered([event.text for event in events], vectors)
    if not shown:
        return ()
    reply = model.ask(prompt("facts_of_events", topics=text, count=count), EventFacts)
    found: list[SeenFact] = []
    for fact in _without_secrets(reply.facts):
        rows = sorted({shown[number - 1] for number in fact.events if number <= len(shown)})
        if rows:
            triple = Triple(_plain(fact.subject), fact.relation, _plain(fact.object))
            node_ids = tuple(events[row].node_id for row in rows)
            last = max(events[row].at for row in rows)
            found.append(SeenFact(triple, fact.text, language, _CONFIDENCE, last, node_ids))
    return tuple(found)


def _numbered(texts: Sequence[str], vectors: Vectors) -> tuple[list[int], str, int]:
    """Return (rows shown to the model, the text for the prompt, number of topics).

    The texts are numbered through all topics from 1: number n stands for the row `rows[n - 1]`.
    """
    groups = topics(vectors)[:_MOST]
    shown = [row for rows in groups for row in rows]
    numbers = {row: n for n, row in enumerate(shown, 1)}
    parts = [
        "\n".join([f"Topic {n}", *(f"{numbers[row]}. {texts[row][:_SHOWN]}" for row in rows)])
        for n, rows in enumerate(groups, 1)
    ]
    return shown, "\n\n".join(parts), len(parts)


def _without_secrets(facts: Sequence[AnyFact]) -> list[AnyFact]:
    """Return the facts that have neither a secret nor a mask, which stands for a secret in the prompt."""
    return [fact for fact in facts if not has_mask(mask_secrets(f"{fact.text} {fact.object}"))]


def _plain(words: str) -> str:
    return " ".join(words.casefold().split())
