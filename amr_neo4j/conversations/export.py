"""The episodic graph as seed 004 writes it in JSON, out and in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast

from pydantic import AliasChoices, AliasPath, AwareDatetime, BaseModel, Field, ValidationError

from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.domain.mention import Extracted, Mention, Relation, mention_in, stated_in
from amr_neo4j.errors import InputError

Table = dict[str, Any]
_HINT = "a document has nodes, edges and episodes, as Memory.export_episodes gives them"


class Told(BaseModel):
    """What a node and an edge have in common. episode_id says where; turn does too, in a document of one session."""

    id: str = Field(min_length=1, max_length=200)
    type: str = Field(max_length=200, validation_alias=AliasChoices("type", AliasPath("content", "type")))
    episode_id: str = Field("", validation_alias=AliasChoices("episode_id", AliasPath("metadata", "episode_id")))
    turn: int | None = Field(
        None, validation_alias=AliasChoices("turn", AliasPath("content", "turn"), AliasPath("metadata", "turn"))
    )
    valid_at: AwareDatetime | None = Field(
        None, validation_alias=AliasChoices("validAt", AliasPath("metadata", "timestamp"))
    )


class Node(Told):
    """A mention, in either of the seed's forms."""

    mention: str = Field(max_length=500, validation_alias=AliasChoices("mention", AliasPath("content", "mention")))


class Edge(Told):
    """A relation, in either of the seed's spellings."""

    source: str = Field(validation_alias=AliasChoices("source", "sourceId"))
    target: str = Field(validation_alias=AliasChoices("target", "targetId"))
    content: str = Field("", validation_alias=AliasChoices(AliasPath("content", "description"), "description"))
    confidence: float | None = Field(
        None, validation_alias=AliasChoices("confidence", AliasPath("metadata", "confidence"))
    )


class Place(BaseModel):
    """Where an episode of a document belongs."""

    id: str = Field(min_length=1)
    session_id: str = Field(min_length=1, validation_alias=AliasPath("metadata", "session_id"))
    turn_id: str = Field("", validation_alias=AliasPath("metadata", "turn_id"))
    turn: int | None = None


class Document(BaseModel):
    """The three lists."""

    nodes: list[Table] = Field(default_factory=list[Table])
    edges: list[Table] = Field(default_factory=list[Table])
    episodes: list[Table]


Part = TypeVar("Part", bound=BaseModel)


def as_export(text: str) -> Table | None:
    """The document that a text holds, if it is one of this kind."""
    if '"episodes"' not in text:
        return None
    try:
        found: object = json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return None
    table = cast(Table, found) if isinstance(found, dict) else {}
    return table if {"nodes", "edges", "episodes"} <= table.keys() else None


def to_json(episodes: Iterable[Episode], found: Extracted) -> Table:
    """The document of episodes and what they mention and state; ready for json.dumps."""
    return {
        "nodes": [_node(mention) for mention in found.mentions],
        "edges": [_edge(relation) for relation in found.relations],
        "episodes": [_episode(episode) for episode in episodes],
    }


def from_json(
    document: Mapping[str, Any], group_id: str, user_id: str, now: datetime
) -> tuple[list[Episode], Extracted]:
    """The episodes of a document, with what they mention and state.

    now: when those were said that don't tell. Raises InputError: a part that cannot be taken; none is then.
    """
    whole = _part(Document, document, "the document")
    places: dict[str, int] = {}
    episodes = [_read_episode(table, group_id, user_id, now, places) for table in whole.episodes]
    where = _Where(episodes)
    nodes = [_part(Node, table, f"node {n}") for n, table in enumerate(whole.nodes, start=1)]
    mentions = {node.id: mention_in(where.of(node), node.type, node.mention, node.id) for node in nodes}
    if len(mentions) < len(nodes):
        raise InputError("two nodes have the same id", hint=_HINT)
    edges = [_part(Edge, table, f"edge {n}") for n, table in enumerate(whole.edges, start=1)]
    return episodes, Extracted(tuple(mentions.values()), tuple(_read_edge(e, where, mentions) for e in edges))


def same(one: Episode, other: Episode | None) -> bool:
    """Whether two episodes are written the same, whenever memory learnt of them."""
    return other is not None and _episode(one) | {"createdAt": ""} == _episode(other) | {"createdAt": ""}


@dataclass(frozen=True)
class _Where:
    """Finds the episode that a node or an edge is of."""

    episodes: Sequence[Episode]

    def of(self, told: Told) -> Episode:
        if told.episode_id:
            found = [e for e in self.episodes if e.episode_id == told.episode_id]
        else:
            found = [e for e in self.episodes if told.turn == e.turn is not None]
        if len(found) != 1:
            raise InputError(f"{told.id} is of no one episode of the document", hint="give it an episode_id")
        if told.valid_at not in (None, found[0].valid_at):
            said = _stamp(found[0].valid_at)
            raise InputError(
                f"{told.id} is valid at another time than its episode, {said}", hint="leave validAt out, or set that"
            )
        return found[0]


def _read_edge(edge: Edge, where: _Where, mentions: Mapping[str, Mention]) -> Relation:
    try:
        source, target = mentions[edge.source], mentions[edge.target]
        return stated_in(where.of(edge), source, target, edge.type, edge.content, edge.confidence, edge.id)
    except KeyError as error:
        raise InputError(f"{edge.id}: no node is called {error}", hint=_HINT) from error
    except ValueError as error:
        raise InputError(f"{edge.id}: {error}", hint=_HINT) from error


def _read_episode(table: Table, group_id: str, user_id: str, now: datetime, places: dict[str, int]) -> Episode:
    """places: the next turn of each session, for those that don't tell theirs."""
    place = _part(Place, table, str(table.get("id", "an episode")))
    numbered = re.fullmatch(r"turn_(\d+)", place.turn_id)
    turn = place.turn if place.turn is not None else int(numbered[1]) if numbered else places.get(place.session_id, 0)
    places[place.session_id] = turn + 1
    known = {"id", "metadata", "createdAt", "turn"}
    metadata = {k: v for k, v in table["metadata"].items() if k not in ("session_id", "turn_id")}
    own_name = "" if place.turn_id == f"turn_{turn}" else place.turn_id
    said = {name: value for name, value in table.items() if name not in known}
    return one_episode(
        said | {"episode_id": place.id, "turn": turn, "turn_id": own_name, "metadata": metadata},
        Session(group_id, user_id, place.session_id),
        now,
    )


def _part(shape: type[Part], table: object, name: str) -> Part:
    try:
        return shape.model_validate(table)
    except ValidationError as error:
        complaint = error.errors(include_url=False)[0]
        where = ".".join(map(str, complaint["loc"]))
        raise InputError(f"{name}: {where}: {complaint['msg']}", hint=_HINT) from error


def _node(mention: Mention) -> Table:
    named = {"id": mention.id, "type": mention.type, "mention": mention.text, "episode_id": mention.episode_id}
    return named | _times(mention.valid_at, mention.created_at)


def _edge(relation: Relation) -> Table:
    edge: Table = {
        "id": relation.id,
        "source": relation.source.id,
        "target": relation.target.id,
        "type": relation.type,
        "episode_id": relation.episode_id,
    }
    if relation.content:
        edge["content"] = {"type": relation.type, "description": relation.content}
    if relation.confidence is not None:
        edge["confidence"] = relation.confidence
    return edge | _times(relation.valid_at, relation.created_at)


def _episode(episode: Episode) -> Table:
    """With its turn where turn_id does not tell it, and what a shared picture shows, where one does."""
    plain = f"turn_{episode.turn}"
    turn_id = episode.turn_id or plain
    return {
        "id": episode.episode_id,
        "type": episode.type,
        "actor": episode.actor,
        "content": episode.content,
        "metadata": {**episode.metadata, "session_id": episode.session.session_id, "turn_id": turn_id},
        **({} if turn_id == plain else {"turn": episode.turn}),
        **({"shown": episode.shown} if episode.shown else {}),
        **_times(episode.valid_at, episode.created_at),
    }


def _times(valid_at: datetime, created_at: datetime | None) -> Table:
    return {"validAt": _stamp(valid_at), "createdAt": _stamp(created_at) if created_at else None}


def _stamp(moment: datetime) -> str:
    """ISO 8601 with the offset; milliseconds, and microseconds where there are any."""
    precision = "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")
