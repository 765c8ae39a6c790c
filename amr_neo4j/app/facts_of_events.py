"""Derive facts from the events of videos: usual places by rules, everything else by a model if one is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from amr_neo4j.domain.belief import EventsRead, NewEvent, SeenFact
from amr_neo4j.domain.ports import ChatModel, Embedder, Vectors
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.facts.usual_places import usual_places
from amr_neo4j.language.languages import Language

if TYPE_CHECKING:
    from amr_neo4j.store.write.fact_upkeep import FactUpkeep

# Events per transaction. Sightings that are read for each occasion that the rules look at: several of them may
# belong to the same occasion.
_EVENTS_PER_READ, _PER_OCCASION = 500, 5


@dataclass(frozen=True)
class Looked:
    """The result of a look at events.

    counts: {what: number} of events and facts.
    problems: a line for each failure.
    refused: a line for each fact of the model that its events do not support.
    """

    counts: Mapping[str, int]
    problems: Sequence[str] = ()
    refused: Sequence[str] = ()


def look_at_events(
    store: FactUpkeep,
    run_id: str,
    rules: FactRules,
    *,
    language: Language,
    embedder: Embedder,
    model: ChatModel | None,
) -> Looked:
    """Write the facts that new events show. Each page of events is one transaction.

    store: the facts of the user that new facts are written for.
    language: the language of the facts' sentences.
    embedder: of the events.
    model: reads what the rules do not; None to do without.
    """
    after, stated, by_model, events = store.seen_to(), 0, 0, 0
    problems: list[str] = []
    refused: list[str] = []
    while page := store.new_events(after, _EVENTS_PER_READ, embedder.model):
        after = page[-1].node_id
        events += len(page)
        by_rules = _usual(store, page, rules, language)
        by_topics = EventsRead()
        # 4 bytes per float32. An event without a vector has an empty one.
        fitting = [event for event in page if len(event.vector) == 4 * embedder.dim]
        if model and fitting:
            try:
                by_topics = _of_topics(fitting, embedder, model, language)
            except ModelFailed as error:
                problems.append(f"{len(fitting)} events are not read by the model: {error}")
        refused += by_topics.refused
        store.see(run_id, [*by_rules, *by_topics.stated], after)
        stated, by_model = stated + len(by_rules), by_model + len(by_topics.stated)
    counts = {
        "events read": events,
        "facts seen": stated,
        "facts seen by the model": by_model,
        "facts refused": len(refused),
    }
    return Looked(counts, problems, refused)


def _usual(store: FactUpkeep, page: Sequence[NewEvent], rules: FactRules, language: Language) -> list[SeenFact]:
    things = {thing for event in page for thing in event.things}
    if not things:
        return []
    seen = store.sightings(things, rules.usual_of * _PER_OCCASION)
    return list(usual_places(seen, rules, language))


def _of_topics(events: Sequence[NewEvent], embedder: Embedder, model: ChatModel, language: Language) -> EventsRead:
    from amr_neo4j.facts.topics import facts_of_events  # noqa: PLC0415 (only with a model)

    vectors: Vectors = np.stack([np.frombuffer(event.vector, np.float32) for event in events])
    return facts_of_events(events, vectors, model, unrelated=embedder.unrelated, language=language.code)
