"""Facts of video events for a user's nightly run: usual places by rules, the rest by a model where one is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from amr_neo4j.domain.belief import NewEvent, SeenFact
from amr_neo4j.domain.ports import Vectors
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.facts.usual_places import usual_places

if TYPE_CHECKING:
    from amr_neo4j.store.write.fact_upkeep import FactUpkeep
    from amr_neo4j.wiring.parts import Parts

# Events per transaction, and sightings of a thing that are read for one occasion of `usual_of`.
_PAGE, _PER_OCCASION = 500, 5


@dataclass(frozen=True)
class Looked:
    """counts: events and facts, for the report. problems: what failed."""

    counts: Mapping[str, int]
    problems: Sequence[str] = ()


def look_at_events(parts: Parts, store: FactUpkeep, run_id: str, rules: FactRules) -> Looked:
    """Write what the events that no run has looked at show, page by page, each in one transaction."""
    after, stated, by_model, events = store.seen_to(), 0, 0, 0
    problems: list[str] = []
    while page := store.new_events(after, _PAGE, parts.embedder.model):
        after = page[-1].node_id
        events += len(page)
        by_rules = _usual(parts, store, page, rules)
        by_topics, failed = _of_topics(parts, page)
        problems += failed
        store.see(run_id, [*by_rules, *by_topics], after)
        stated, by_model = stated + len(by_rules), by_model + len(by_topics)
    counts = {"events read": events, "facts seen": stated, "facts seen by the model": by_model}
    return Looked(counts, problems)


def _usual(parts: Parts, store: FactUpkeep, page: Sequence[NewEvent], rules: FactRules) -> list[SeenFact]:
    things = {thing for event in page for thing in event.things}
    if not things:
        return []
    seen = store.sightings(things, rules.usual_of * _PER_OCCASION)
    return list(usual_places(seen, rules, parts.language))


def _of_topics(parts: Parts, page: Sequence[NewEvent]) -> tuple[Sequence[SeenFact], list[str]]:
    from amr_neo4j.facts.topics import facts_of_events  # noqa: PLC0415 (only with a model)

    model, dim = parts.models.text, parts.embedder.dim
    fitting = [event for event in page if len(event.vector) == 4 * dim]
    if not model or not fitting:
        return (), []
    vectors: Vectors = np.stack([np.frombuffer(event.vector, np.float32) for event in fitting])
    try:
        return facts_of_events(fitting, vectors, model, parts.settings.language), []
    except ModelFailed as error:
        return (), [f"{len(fitting)} events are not read by the model: {error}"]
