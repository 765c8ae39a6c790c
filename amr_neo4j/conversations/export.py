"""Exports and imports the episodic graph as JSON (specification 004 5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar, cast

from pydantic import AliasChoices, AliasPath, AwareDatetime, BaseModel, Field, ValidationError

from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import ChatReport, Episode, EpisodeReceipt, Session
from amr_neo4j.domain.masking import mask_secrets
from amr_neo4j.domain.mention import Extracted, Mention, Relation, mention_in, stated_in
from amr_neo4j.domain.page import WHOLE, PageRequest
from amr_neo4j.domain.plain import Json
from amr_neo4j.domain.ports import MentionStore
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import Language
from amr_neo4j.tables import first_error

_HINT = "a document has nodes, edges and episodes, as Memory.export_episodes returns it"
IMPORTED = "import"
"""The extractor name that is recorded with imported episodes: their mentions came with the document."""


class Element(BaseModel):
    """The fields that nodes and edges share. An element names its episode by episode_id or by turn."""

    id: str = Field(min_length=1, max_length=200)
    type: str = Field(max_length=200, validation_alias=AliasChoices("type", AliasPath("content", "type")))
    episode_id: str = Field("", validation_alias=AliasChoices("episode_id", AliasPath("metadata", "episode_id")))
    turn: int | None = Field(
        None, validation_alias=AliasChoices("turn", AliasPath("content", "turn"), AliasPath("metadata", "turn"))
    )
    valid_at: AwareDatetime | None = Field(
        None, validation_alias=AliasChoices("validAt", AliasPath("metadata", "timestamp"))
    )


class NodeElement(Element):
    """A mention, in the flat or the nested form of specification 004."""

    mention: str = Field(max_length=500, validation_alias=AliasChoices("mention", AliasPath("content", "mention")))


class EdgeElement(Element):
    """A relation, with either spelling of its ends in specification 004: source or sourceId, target or targetId."""

    source: str = Field(validation_alias=AliasChoices("source", "sourceId"))
    target: str = Field(validation_alias=AliasChoices("target", "targetId"))
    content: str = Field("", validation_alias=AliasChoices(AliasPath("content", "description"), "description"))
    confidence: float | None = Field(
        None, validation_alias=AliasChoices("confidence", AliasPath("metadata", "confidence"))
    )


class Place(BaseModel):
    """The session and the turn of an episode in a document."""

    id: str = Field(min_length=1)
    session_id: str = Field(min_length=1, validation_alias=AliasPath("metadata", "session_id"))
    turn_id: str = Field("", validation_alias=AliasPath("metadata", "turn_id"))
    turn: int | None = None


class ExportDocument(BaseModel):
    """An exported document. Its parts are validated one by one, so that an error can name the part."""

    nodes: list[Json] = Field(default_factory=list[Json])
    edges: list[Json] = Field(default_factory=list[Json])
    episodes: list[Json]


Part = TypeVar("Part", bound=BaseModel)


def as_export(document: object) -> Json | None:
    """Return the JSON value if it is an exported document, else None."""
    table = cast(Json, document) if isinstance(document, dict) else {}
    return table if {"nodes", "edges", "episodes"} <= table.keys() else None


def to_json(episodes: Iterable[Episode], found: Extracted, *, nested: bool = False) -> Json:
    """Return the document of episodes with their mentions and relations, ready for json.dumps.

    nested: write the form of specification 004, section 2, which nests fields under `content` and `metadata`.
    """
    node, edge = (_nested_node, _nested_edge) if nested else (_node, _edge)
    return {
        "nodes": [node(mention) for mention in found.mentions],
        "edges": [edge(relation) for relation in found.relations],
        "episodes": [_episode(episode) for episode in episodes],
    }


def from_json(
    document: Mapping[str, Any],
    group_id: str,
    user_id: str,
    now: datetime,
    language: Language,
    *,
    masks: bool = False,
    stored: Callable[[Sequence[str]], Mapping[str, Mention]] = lambda ids: {},
) -> tuple[list[Episode], Extracted]:
    """Read the episodes of a document, with their mentions and relations.

    now: the time given to episodes without one.
    masks: mask secrets.
    stored: returns mentions by id, for edges whose nodes are on an earlier page of the document.
    Raises InputError: a part of the document is invalid.
    """
    whole = _part(ExportDocument, document, "the document")
    # Episodes first: nodes and edges name an episode, and take its time.
    read = _EpisodeReader(group_id, user_id, now, language, masks=masks)
    episodes = [read.episode(table) for table in whole.episodes]
    where = _Where(episodes)
    said = mask_secrets if masks else str
    nodes = [_part(NodeElement, table, f"node {n}") for n, table in enumerate(whole.nodes, start=1)]
    mentions = {
        node.id: mention_in(where.of(node), node.type, said(node.mention), mention_id=node.id) for node in nodes
    }
    # Edges name nodes by their ids.
    if len(mentions) < len(nodes):
        raise InputError("two nodes have the same id", hint=_HINT)
    edges = [_part(EdgeElement, table, f"edge {n}") for n, table in enumerate(whole.edges, start=1)]
    elsewhere = {end for edge in edges for end in (edge.source, edge.target)} - mentions.keys()
    known = {**(stored(sorted(elsewhere)) if elsewhere else {}), **mentions}
    return episodes, Extracted(tuple(mentions.values()), tuple(_read_edge(e, where, known) for e in edges))


def export_episodes(
    store: MentionStore,
    user_id: str,
    session_id: str | None = None,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    asked: PageRequest | None = None,
    nested: bool = False,
) -> Json:
    """Return the document of a user's episodes, or of those of one session.

    An edge is on the page of its turn, and its nodes are there or on an earlier page.

    as_of: what was said later is left out.
    known_at: what was recorded later is left out.
    asked: which page of it; None for the whole document.
    nested: as in `to_json`.
    """
    of = (user_id, session_id, as_of, known_at)
    page = store.episodes(*of, asked or WHOLE)
    among = page if asked else None
    mentions = store.mentions(*of, among=among)
    ids, turns = {each.id for each in mentions}, {(each.session, each.turn) for each in page}

    def is_there(end: Mention) -> bool:
        # It may have been deleted since the mentions were read.
        return end.id in ids or (asked is not None and (end.session, end.turn) not in turns)

    stated = store.relations(*of, among=among)
    relations = [each for each in stated if is_there(each.source) and is_there(each.target)]
    document = to_json(page, Extracted(tuple(mentions), tuple(relations)), nested=nested)
    return document | ({"total": page.total, "next": page.next} if asked else {})


def import_episodes(
    document: Mapping[str, Any],
    user_id: str,
    store: MentionStore,
    *,
    record: Callable[[Sequence[Episode]], ChatReport],
    now: datetime,
    language: Language,
    masks: bool = False,
) -> ChatReport:
    """Import a document: first its episodes, then their mentions and relations.

    An episode that the graph already has with the same content is reported as unchanged. Mentions and relations of
    rejected episodes are left out. Raises InputError and StoreUnavailable: either nothing was imported or only
    episodes were; importing the same document again completes it.

    record: records episodes and returns their receipts.
    now: the time of episodes without one.
    masks: mask secrets in episodes.
    """
    earlier: dict[str, Mention] = {}

    def stored_mentions(named: Sequence[str]) -> Mapping[str, Mention]:
        earlier.update(store.mentions_by_id(user_id, named))
        return earlier

    episodes, found = from_json(document, store.group_id, user_id, now, language, masks=masks, stored=stored_mentions)
    ids = [episode.episode_id for episode in episodes]
    stored = store.episodes_by_id(user_id, ids)
    known = [episode for episode in episodes if same(episode, stored.get(episode.episode_id))]
    report = record([episode for episode in episodes if episode not in known])
    report.add(EpisodeReceipt(e.session.session_id, e.episode_id, "unchanged", e.turn) for e in known)
    # Read again: only now the graph shows which of the new episodes it accepted.
    stored = store.episodes_by_id(user_id, ids)
    accepted = {e.episode_id for e in episodes if same(e, stored.get(e.episode_id))}
    taken = _of(accepted, found, ends={each.episode_id for each in earlier.values()})
    for used, session_id in sorted(store.in_use(user_id, taken).items()):
        report.errors.append(f"{used} is in use in session {session_id}; this one got an id of its own")
    store.take_in(user_id, taken, IMPORTED)
    if left := len(found.mentions) + len(found.relations) - len(taken.mentions) - len(taken.relations):
        report.errors.append(f"{left} mentions and relations belong to episodes that were not imported")
    return report


def _of(episode_ids: Set[str], found: Extracted, *, ends: Set[str]) -> Extracted:
    """Return the mentions of these episodes, and their relations whose ends are of these episodes or of `ends`."""
    mentions = [m for m in found.mentions if m.episode_id in episode_ids]
    inside = [
        r
        for r in found.relations
        if r.episode_id in episode_ids and {r.source.episode_id, r.target.episode_id} <= episode_ids | ends
    ]
    return Extracted(tuple(mentions), tuple(inside))


def same(one: Episode, other: Episode | None) -> bool:
    """Return whether two episodes export to the same JSON, apart from the time when they were recorded."""
    return other is not None and _episode(one) | {"createdAt": ""} == _episode(other) | {"createdAt": ""}


@dataclass(frozen=True)
class _Where:
    """Finds the episode that a node or an edge belongs to."""

    episodes: Sequence[Episode]

    def of(self, element: Element) -> Episode:
        if element.episode_id:
            found = [e for e in self.episodes if e.episode_id == element.episode_id]
        else:
            found = [e for e in self.episodes if element.turn == e.turn is not None]
        if len(found) != 1:
            raise InputError(f"{element.id} does not belong to exactly one episode", hint="give it an episode_id")
        # The graph stores only the turn's time for what it mentions and states (specification 004 4.a).
        if element.valid_at not in (None, found[0].valid_at):
            said = _stamp(found[0].valid_at)
            raise InputError(
                f"{element.id} is valid at another time than its episode, {said}",
                hint="leave validAt out, or set that",
            )
        return found[0]


def _read_edge(edge: EdgeElement, where: _Where, mentions: Mapping[str, Mention]) -> Relation:
    try:
        source, target = mentions[edge.source], mentions[edge.target]
        return stated_in(
            where.of(edge),
            source,
            target,
            kind=edge.type,
            content=edge.content,
            confidence=edge.confidence,
            relation_id=edge.id,
        )
    except KeyError as error:
        raise InputError(f"{edge.id}: no node is called {error}", hint=_HINT) from error
    except ValueError as error:
        raise InputError(f"{edge.id}: {error}", hint=_HINT) from error


class _EpisodeReader:
    """Reads the episodes of a document in order. One without a turn follows the one before it in its session."""

    def __init__(self, group_id: str, user_id: str, now: datetime, language: Language, *, masks: bool) -> None:
        self._group_id, self._user_id, self._now, self._language = group_id, user_id, now, language
        self._masks = masks
        self._next_turn: dict[str, int] = {}

    def episode(self, table: Json) -> Episode:
        place = _part(Place, table, str(table.get("id", "an episode")))
        turn = self._turn(place)
        self._next_turn[place.session_id] = turn + 1
        known = {"id", "metadata", "createdAt", "turn"}
        metadata = {k: v for k, v in table["metadata"].items() if k not in ("session_id", "turn_id")}
        # turn_7 is the name that export gives to a turn without one (see _episode): do not store it as the turn's
        # own.
        own_name = "" if place.turn_id == f"turn_{turn}" else place.turn_id
        # All other fields of the episode pass through, as those of a recorded turn do.
        fields = {name: value for name, value in table.items() if name not in known}
        return one_episode(
            fields | {"episode_id": place.id, "turn": turn, "turn_id": own_name, "metadata": metadata},
            Session(self._group_id, self._user_id, place.session_id),
            self._now,
            self._language,
            masks=self._masks,
        )

    def _turn(self, place: Place) -> int:
        if place.turn is not None:
            return place.turn
        # 15 digits always fit into the 64-bit numbers of the graph.
        numbered = re.fullmatch(r"turn_(\d{1,15})", place.turn_id)
        return int(numbered[1]) if numbered else self._next_turn.get(place.session_id, 0)


def _part(shape: type[Part], table: object, name: str) -> Part:
    try:
        return shape.model_validate(table)
    except ValidationError as error:
        raise InputError(f"{name}: {first_error(error)}", hint=_HINT) from error


def _node(mention: Mention) -> Json:
    named = {"id": mention.id, "type": mention.type, "mention": mention.text, "episode_id": mention.episode_id}
    return named | _times(mention.valid_at, mention.created_at)


def _nested_node(mention: Mention) -> Json:
    turn = str(mention.turn)
    return {
        "id": mention.id,
        "type": mention.type,
        "content": {"mention": mention.text, "turn": mention.turn},
        "metadata": {"turn": turn, "timestamp": _stamp(mention.valid_at), "episode_id": mention.episode_id},
    } | _times(mention.valid_at, mention.created_at)


def _nested_edge(relation: Relation) -> Json:
    metadata: Json = {"episode_id": relation.episode_id, "turn": str(relation.turn)}
    if relation.confidence is not None:
        metadata["confidence"] = relation.confidence
    return {
        "id": relation.id,
        "sourceId": relation.source.id,
        "targetId": relation.target.id,
        "type": relation.type,
        "content": {"type": relation.type, "description": relation.content},
        "metadata": metadata,
    } | _times(relation.valid_at, relation.created_at)


def _edge(relation: Relation) -> Json:
    edge: Json = {
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


def _episode(episode: Episode) -> Json:
    """Return the episode as JSON. `turn` is written only if turn_id does not show it, `shown` only for a picture."""
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


def _times(valid_at: datetime, created_at: datetime | None) -> Json:
    return {"validAt": _stamp(valid_at), "createdAt": _stamp(created_at) if created_at else None}


def _stamp(moment: datetime) -> str:
    """Return the time in ISO 8601 with its offset, in milliseconds, or in microseconds if it has any."""
    precision = "microseconds" if moment.microsecond % 1000 else "milliseconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")
