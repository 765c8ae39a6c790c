"""Facts that the events of videos show: usual places by rules, the rest by a model if one is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from amr_neo4j.domain.belief import NewEvent, SeenFact
from amr_neo4j.domain.ports import ChatModel, Vectors
from amr_neo4j.errors import ModelFailed
from amr_neo4j.facts.rules import FactRules
from amr_neo4j.facts.usual_places import usual_places
from amr_neo4j.language.languages import Language

if TYPE_CHECKING:
    from amr_neo4j.store.write.fact_upkeep import FactUpkeep

# Events per transaction, and sightings of a thing that are read for one of the occasions that rules look at.
_PAGE, _PER_OCCASION = 500, 5


@dataclass(frozen=True)
class Looked:
    """counts: events and facts, for the report. problems: what failed."""

    counts: Mapping[str, int]
    problems: Sequence[str] = ()


def look_at_events(
    store: FactUpkeep,
    run_id: str,
    rules: FactRules,
    *,
    language: Language,
    embedded_by: tuple[str, int],
    model: ChatModel | None,
) -> Looked:
    """Write the facts that new events show, page by page, each page in one transaction.

    store: of the user that the facts are for. language: of the facts' sentences.
    embedded_by: the model and the dimension of the events' vectors. model: reads what rules do not, if there is one.
    """
    after, stated, by_model, events = store.seen_to(), 0, 0, 0
    problems: list[str] = []
    embedder, dim = embedded_by
    while page := store.new_events(after, _PAGE, embedder):
        after = page[-1].node_id
        events += len(page)
        by_rules = _usual(store, page, rules, language)
        by_topics, failed = _of_topics(page, dim, model, language)
        problems += failed
        store.see(run_id, [*by_rules, *by_topics], after)
        stated, by_model = stated + len(by_rules), by_model + len(by_topics)
    counts = {"events read": events, "facts seen": stated, "facts seen by the model": by_model}
    return Looked(counts, problems)


def _usual(store: FactUpkeep, page: Sequence[NewEvent], rules: FactRules, language: Language) -> list[SeenFact]:
    things = {thing for event in page for thing in event.things}
    if not things:
        return []
    seen = store.sightings(things, rules.usual_of * _PER_OCCASION)
    return list(usual_places(seen, rules, language))


def _of_topics(
    page: Sequence[NewEvent], dim: int, model: ChatModel | None, language: Language
) -> tuple[Sequence[SeenFact], list[str]]:
    fitting = [event for event in page if len(event.vector) == 4 * dim]
    if not model or not fitting:
        return (), []
    from amr_neo4j.facts.topics import facts_of_events  # noqa: PLC0415 (only with a model)

    vectors: Vectors = np.stack([np.frombuffer(event.vector, np.float32) for event in fitting])
    try:
        return facts_of_events(fitting, vectors, model, language.code), []
    except ModelFailed as error:
        return (), [f"{len(fitting)} events are not read by the model: {error}"]
