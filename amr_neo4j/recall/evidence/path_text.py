"""The path of the walk to an event, as text."""

from __future__ import annotations

from collections.abc import Mapping

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.grammar import Grammar


def path_text(path: Path, events: Mapping[int, Event], grammar: Grammar) -> str:
    """ "event 3 (00:00:12 of kitchen) -> the key, then held -> event 9 (00:01:02 of kitchen)".

    events: those of the path by node_id; one that is missing is shown by its number.
    """
    first = path.node_ids[0]
    parts = [grammar.path_place(first, events.get(first))]
    for here, node_id, edge in zip(path.node_ids, path.node_ids[1:], path.edges, strict=False):
        spoken = any(event and event.turn for event in (events.get(here), events.get(node_id)))
        step = grammar.path_step(edge, forwards=edge.src == here, spoken=spoken)
        parts += [step, grammar.path_place(node_id, events.get(node_id))]
    return " -> ".join(parts)
