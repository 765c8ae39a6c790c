"""The path of the walk to an event, as text."""

from __future__ import annotations

from collections.abc import Mapping

from amr_neo4j.domain.event import Channel, Edge, Event
from amr_neo4j.domain.recall import Path
from amr_neo4j.domain.timestamps import clock


def path_text(path: Path, events: Mapping[int, Event]) -> str:
    """ "event 3 (00:00:12 of kitchen) -> the key, then held -> event 9 (00:01:02 of kitchen)".

    events: those of the path by node_id; one that is missing is shown by its number.
    """
    parts = [_place(path.node_ids[0], events)]
    for here, node_id, edge in zip(path.node_ids, path.node_ids[1:], path.edges, strict=False):
        parts += [_step(edge, forwards=edge.src == here), _place(node_id, events)]
    return " -> ".join(parts)


def _place(node_id: int, events: Mapping[int, Event]) -> str:
    event = events.get(node_id)
    if event and event.turn:
        return f"turn {event.turn.number} of {event.turn.session_id}"
    return f"event {node_id}" + (f" ({clock(event.time_start)} of {event.video_id})" if event else "")


def _step(edge: Edge, *, forwards: bool) -> str:
    payload = edge.payload
    if edge.channel is Channel.TEMPORAL:
        return "next in the video" if forwards else "just before in the video"
    when = "later" if forwards else "earlier"
    if edge.channel is Channel.ENTITY_JUMP:
        return f"{str(payload.get('person', 'the same person')).replace('_', ' ')}, {when}"
    if edge.channel is Channel.OBJECT_LIFECYCLE:
        verb = f" ({payload['verb']})" if payload.get("verb") else ""
        return f"the {payload.get('object', 'same object')}{verb}, {when}"
    return f"{payload.get('subject', 'the same')}, heard and seen"
