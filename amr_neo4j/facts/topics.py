"""Lets a model read facts from topics: clusters of events, or of turns in which the rules found nothing.

A fact is kept only if the turns or events that the model cites for it support it. Specification 002 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from amr_neo4j.domain.belief import EventsRead, HeardTurn, NewEvent, SeenFact, TurnsRead
from amr_neo4j.domain.fact import NEW_CONFIDENCE, SPEAKER, FactChange, Triple
from amr_neo4j.domain.folding import folded_words
from amr_neo4j.domain.masking import has_mask, mask_secrets
from amr_neo4j.domain.ports import ChatModel, Vectors
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.domain.replies import EventFact, EventFacts, TopicFact, TopicFacts
from amr_neo4j.facts.evidence import supporting
from amr_neo4j.facts.merge import components
from amr_neo4j.prompts.library import prompt

# _FEWEST: a topic has at least this many turns. _BLOCK: this many turns are clustered at once, because the time grows
# with the square. _MOST: the model is shown this many topics. _SHOWN: characters of each turn that it is shown.
_FEWEST, _BLOCK, _MOST, _SHOWN = 3, 2000, 12, 300

AnyFact = TypeVar("AnyFact", TopicFact, EventFact)


def topics(vectors: Vectors, unrelated: float) -> list[list[int]]:
    """Cluster turns of one speaker into topics; return the rows of each topic, the largest topic first.

    vectors: shape (turns, dim), of length 1.
    unrelated: a cosine under which texts are about different things.

    Uses HDBSCAN in blocks of 2,000 turns. Turns without a topic are left out.
    """
    from sklearn.cluster import HDBSCAN  # noqa: PLC0415 # pyright: ignore (takes a second to load)

    found: list[list[int]] = []
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        if len(block) < _FEWEST:
            continue
        clusterer: Any = HDBSCAN(min_cluster_size=_FEWEST, copy=True)  # pyright: ignore[reportArgumentType] (its stub is wrong)
        labels = [int(label) for label in clusterer.fit_predict(block)]
        rows = [[row for row, each in enumerate(labels) if each == label] for label in range(max(labels) + 1)]
        # HDBSCAN tells topics apart by their densities, so it finds none if all turns are about one thing.
        found += [[start + row for row in topic] for topic in rows or _related(block, unrelated)]
    return sorted(found, key=lambda rows: (-len(rows), rows))


def _related(vectors: Vectors, unrelated: float) -> list[list[int]]:
    """Return the groups of rows that are connected by pairs with a cosine over `unrelated`.

    A group that is too small for a topic is left out.
    """
    pairs = np.argwhere(np.triu(np.inner(vectors, vectors) > unrelated, 1))
    groups = components((f"{one:04}", f"{other:04}") for one, other in pairs.tolist())
    return [[int(row) for row in group] for group in groups if len(group) >= _FEWEST]


def facts_of_topics(
    turns: Sequence[HeardTurn],
    vectors: Vectors,
    model: ChatModel,
    *,
    unrelated: float,
    language_of: Callable[[HeardTurn], str],
    may_state: Callable[[HeardTurn, Triple], bool],
) -> TurnsRead:
    """Return the facts that the model reads from the topics of a user's turns, as far as these support them.

    vectors: of the turns, shape (turns, dim).
    unrelated: as in `topics`.
    may_state: whether a turn may state a fact of the user's; a wish and a turn about somebody else do not.
    Raises ModelError: no usable reply.
    """
    shown, text, count = _numbered([turn.text for turn in turns], topics(vectors, unrelated))
    if not shown:
        return TurnsRead()
    reply, _ = model.ask(prompt("facts_of_topics", topics=text, count=count), TopicFacts)
    stated: dict[str, tuple[FactChange, ...]] = {}
    refused: list[str] = []
    for fact in _without_secrets(reply.facts):
        triple = Triple(SPEAKER, fact.relation, folded_words(fact.object))
        cited = [turns[row] for row in _rows(fact.turns, shown) if may_state(turns[row], triple)]
        codes = [language_of(turn) for turn in cited]
        places = supporting(triple, [turn.text for turn in cited], codes)
        if not places:
            refused.append(_refusal(fact.text, fact.turns))
        # What a model concludes never replaces what was said plainly. Said in passing twice it would be plain, so the
        # last turn alone states it.
        is_single = relation_kind(triple.relation).single
        for place in places[-1:] if is_single else places:
            turn = cited[place]
            change = FactChange(
                triple,
                turn.at.timestamp(),
                fact.text,
                NEW_CONFIDENCE,
                session_id=turn.session_id,
                language=codes[place],
                strength="passing" if is_single else "plain",
            )
            stated[turn.episode_id] = (*stated.get(turn.episode_id, ()), change)
    return TurnsRead(stated, frozenset(turns[row].number for row in shown), tuple(refused))


def facts_of_events(
    events: Sequence[NewEvent], vectors: Vectors, model: ChatModel, *, unrelated: float, language: str
) -> EventsRead:
    """Return the facts that the model reads from the topics of a group's events, as far as these support them.

    vectors: of the events, shape (events, dim).
    unrelated: as in `topics`.
    language: code of the facts' texts.
    Raises ModelError: no usable reply.
    """
    shown, text, count = _numbered([event.text for event in events], topics(vectors, unrelated))
    if not shown:
        return EventsRead()
    reply, _ = model.ask(prompt("facts_of_events", topics=text, count=count), EventFacts)
    found: list[SeenFact] = []
    refused: list[str] = []
    for fact in _without_secrets(reply.facts):
        triple = Triple(folded_words(fact.subject), fact.relation, folded_words(fact.object))
        cited = [events[row] for row in _rows(fact.events, shown)]
        seen = [cited[place] for place in supporting(triple, [e.text for e in cited], [language] * len(cited))]
        if seen:
            node_ids = tuple(event.node_id for event in seen)
            last = max(event.at for event in seen)
            found.append(
                SeenFact(
                    triple=triple,
                    text=fact.text,
                    language=language,
                    confidence=NEW_CONFIDENCE,
                    at=last,
                    node_ids=node_ids,
                )
            )
        else:
            refused.append(_refusal(fact.text, fact.events))
    return EventsRead(tuple(found), tuple(refused))


def _rows(cited: Sequence[int], shown: Sequence[int]) -> list[int]:
    """Return the rows of the numbers that a model cites. It may name numbers that it was not shown."""
    return [shown[number - 1] for number in sorted(set(cited)) if number <= len(shown)]


def _refusal(text: str, cited: Sequence[int]) -> str:
    return f"not in the {len(cited)} turns or events that the model cites: {text!r}"


def _numbered(texts: Sequence[str], groups: Sequence[Sequence[int]]) -> tuple[list[int], str, int]:
    """Return (rows shown to the model, the text for the prompt, number of topics).

    groups: the rows of each topic. The texts are numbered through all topics from 1: number n stands for the row
        `rows[n - 1]`.
    """
    groups = groups[:_MOST]
    shown = [row for rows in groups for row in rows]
    numbers = {row: n for n, row in enumerate(shown, 1)}
    parts: list[str] = []
    for n, rows in enumerate(groups, 1):
        lines = [f"{numbers[row]}. {texts[row][:_SHOWN]}" for row in rows]
        parts.append("\n".join([f"Topic {n}", *lines]))
    return shown, "\n\n".join(parts), len(parts)


def _without_secrets(facts: Sequence[AnyFact]) -> list[AnyFact]:
    """Return the facts that have neither a secret nor a mask, which stands for a secret in the prompt."""
    return [fact for fact in facts if not has_mask(mask_secrets(f"{fact.text} {fact.object}"))]
