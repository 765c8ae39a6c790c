"""Reads what a group, or one user of it, holds as records, and writes such records into another group.

A record is one node: {"kind", "labels", "properties", "links", ...}, as JSON has it. It names other nodes by their
keys, so that ids can be drawn anew. Keys and full-text tokens that contain a group or user are computed again.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, cast
from zoneinfo import ZoneInfo

import neo4j.time

from amr_neo4j.domain.episode import (
    composed,
    forgotten_fact_key,
    forgotten_footage_key,
    forgotten_group_key,
    forgotten_key,
)
from amr_neo4j.domain.event import Channel
from amr_neo4j.domain.transfer import Header
from amr_neo4j.errors import InputError, StoreBusy
from amr_neo4j.store.database import Database, Row, Run, in_parts
from amr_neo4j.store.full_text import scope_token
from amr_neo4j.store.keys import chain_key

Record = dict[str, Any]
# The properties that identify a node within its group, and the labels that a record of this kind may have.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "Video": ("video_id",),
    "Clip": ("video_id", "clip_id"),
    "Scene": ("video_id", "level", "t_start"),
    "Person": ("scope", "person_id"),
    "Object": ("place", "name"),
    "SupersededEvent": ("video_id", "position"),
    "Event": ("video_id", "position"),
    "Session": ("user_id", "session_id"),
    "Speaker": ("user_id", "person_id"),
    "Episode": ("user_id", "episode_id"),
    "Mention": ("user_id", "id"),
    "Fact": ("user_id", "fact_id"),
    "ForgottenFact": ("user_id", "fact_id"),
    "ForgottenFootage": ("film", "clip"),
    "ForgottenTurns": ("key",),
    "FactUpkeep": ("user_id",),
}
_SECOND_LABELS = {
    "Event": "PlainText",
    "SupersededEvent": "PlainSupersededEvent",
    "Scene": "PlainScene",
    "Episode": "PlainEpisode",
}
_LINKS = frozenset(
    [
        "OF_VIDEO",
        "IN_CLIP",
        "PART_OF",
        "INVOLVES",
        "USES",
        *Channel,
        "MERGED_INTO",
        "NEXT",
        "SAID_BY",
        "SAME_AS",
        "MENTIONED_IN",
        "STATES",
        "DERIVED_FROM",
        "TAKEN_BACK_IN",
        "CONTRADICTS",
        "DISTINCT_FROM",
    ]
)
# Numbers that are drawn anew, and what only the machine that wrote them needs.
_LEFT_OUT: Mapping[str, frozenset[str]] = {
    "Video": frozenset({"last_node_id"}),
    "Event": frozenset({"node_id", "unlinked"}),
    "SupersededEvent": frozenset({"node_id", "unlinked"}),
    "Episode": frozenset({"vector_id"}),
    "Fact": frozenset({"vector_id", "embed_after", "embed_attempts", "embed_error"}),
    "FactUpkeep": frozenset({"read_to", "seen_to", "holder", "until", "asked_at"}),
}
_VECTOR_KINDS = {"Event": "event", "SupersededEvent": "event", "Episode": "episode", "Fact": "fact"}
UPKEEP = "FactUpkeep"
"""How far a user's facts were read. It may be there although nothing else of the user is."""
_FORGOTTEN = ("ForgottenFootage", "ForgottenTurns")
_OF_USER = frozenset(kind for kind, key in _KEYS.items() if "user_id" in key)
"""The kinds that the export of one user has."""
_MERGED = (UPKEEP, *_FORGOTTEN)
"""What may be there already in an empty group. It is written with the relationships, after everything else."""
_LAST_NAME = "\U0010ffff"
"""Sorts after every name of a user."""


class GroupState(NamedTuple):
    """A group: its embedder and languages, and the import that is unfinished in it (see transfer/group)."""

    model: str
    dim: int
    languages: list[str]
    losses: list[str]
    importing: str | None
    done: int
    imported: str | None


@dataclass(frozen=True)
class GroupOrUser:
    """A group or, with user_id, one user of it."""

    group_id: str
    user_id: str = ""

    @property
    def bounds(self) -> dict[str, Any]:
        """The parameters of the statements that read it."""
        return {
            "group_id": self.group_id,
            "footage": not self.user_id,
            "from_user": self.user_id,
            "to_user": self.user_id or _LAST_NAME,
        }


def checked(record: Record) -> Record:
    """Return a line of a file as a record.

    Raises InputError if it is not a record, or has a kind, labels or links that no export has.
    """
    try:
        kind, labels = record["kind"], {*record["labels"]}
        keys = [record["properties"][name] for name in _KEYS[kind]]
        types = {link["type"] for link in record.get("links", ())}
    except (KeyError, TypeError) as error:
        raise InputError(f"a line of the file is no record of an export: {error}", hint="export it again") from error
    if not labels <= {kind, _SECOND_LABELS.get(kind)} or kind not in labels or not types <= _LINKS or None in keys:
        raise InputError(f"a {kind} in the file has labels or links that no export has", hint="export it again")
    return record


class RecordReader:
    """Reads records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def group(self, group_id: str) -> GroupState | None:
        """Return the group; None if it is not there."""
        rows = self._database.read("transfer/group", group_id=group_id)
        return GroupState(**rows[0]) if rows else None

    def counts(self, whose: GroupOrUser) -> dict[str, int]:
        """Return {kind: number of nodes}, without kinds that have none."""
        rows = self._database.read("transfer/counts", **whose.bounds)
        return {row["kind"]: row["nodes"] for row in rows if row["nodes"]}

    def records(self, whose: GroupOrUser, model: str | None) -> Iterator[Record]:
        """Yield all records as they arrive, in the order in which they are to be written.

        model: also read the vectors by this model.
        """
        for row in self._database.stream("transfer/read", **whose.bounds, model=model):
            yield _record(row)


def _record(row: Row) -> Record:
    kind = row["kind"]
    kept = {name: value for name, value in row["properties"].items() if name not in _LEFT_OUT.get(kind, ())}
    record: Record = {"kind": kind, "labels": sorted(row["labels"]), "properties": _plain(kept)}
    if row["links"]:
        record["links"] = [_link(link) for link in row["links"]]
    if kind == UPKEEP:
        record["read_to"], record["seen_to"] = next(iter(row["read_to"]), None), next(iter(row["seen_to"]), None)
    if row["vector"]:
        record["vector"] = base64.b64encode(row["vector"]).decode()
    return record


def _link(link: Row) -> Record:
    label = next(label for label in link["labels"] if label in _KEYS)
    target = {name: link["target"][name] for name in _KEYS[label]}
    return {"type": link["type"], "properties": _plain(link["properties"]), "target": {"label": label} | target}


def _plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _to_json(value) for name, value in sorted(properties.items())}


def _to_json(value: Any) -> Any:
    """Return a value of the graph as JSON has it. A time becomes {"time": ISO 8601}, with "zone" if it has one."""
    if isinstance(value, neo4j.time.DateTime):
        moment = value.to_native()
        zone = getattr(moment.tzinfo, "key", None) or getattr(moment.tzinfo, "zone", None)
        # The driver's tzinfo for an offset of 0 calls itself UTC, too.
        return {"time": moment.isoformat()} | ({"zone": str(zone)} if zone not in (None, "UTC") else {})
    return value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        table = cast(dict[str, str], value)
        moment = datetime.fromisoformat(table["time"])
        return moment.astimezone(ZoneInfo(table["zone"])) if "zone" in table else moment
    return value


def _triple(properties: Mapping[str, Any]) -> tuple[str, str, str]:
    subject, relation, object = (str(properties.get(name) or "") for name in ("subject", "relation", "object"))
    return subject, relation, object


def _fact_names(user_id: str, subject: str, relation: str, object: str) -> set[str]:
    """Return the keys under which a fact is noted that was forgotten alone, or with others of its subject."""
    return {
        forgotten_fact_key(user_id, subject),
        forgotten_fact_key(user_id, subject, relation),
        forgotten_fact_key(user_id, subject, "", object),
        forgotten_fact_key(user_id, subject, relation, object),
    }


def _unnamed(record: Record, keys: Set[str], user: Callable[[str], str]) -> Record:
    """Return a record without the name of the fact that replaced it, if that was forgotten."""
    properties = record["properties"]
    if record["kind"] != "Fact" or not properties.get("replaced_by"):
        return record
    subject, relation, _ = _triple(properties)
    if keys.isdisjoint(_fact_names(user(properties["user_id"]), subject, relation, properties["replaced_by"])):
        return record
    return record | {"properties": {name: of for name, of in properties.items() if name != "replaced_by"}}


@dataclass
class RecordWriter:
    """Writes the records of one export into a group, in the order in which they were read.

    Each part is written in a transaction that also notes how far the import has come. So whoever goes on after an
    interruption begins where the last committed part ended.

    source: whose records they are.
    target: whose they become.
    mark: names this import in the group.
    vectors: the model of the records' vectors; None to leave them out.
    asked_at: when the import was asked for. What was forgotten of users since is left out; footage that was ends it.
    """

    database: Database
    source: GroupOrUser
    target: GroupOrUser
    mark: str
    vectors: tuple[str, int] | None
    asked_at: datetime
    now: Callable[[], datetime]
    _tokens: dict[str, str] = field(default_factory=dict[str, str])
    _timelines: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])

    def begin(self, header: Header, model: tuple[str, int]) -> None:
        """Note in the group that the import has begun. The group is made if it is not there.

        Raises InputError if it was forgotten since the import was asked for.
        """
        self._forgotten(self.database.read)
        props: dict[str, Any] = {
            "embedding_model": model[0],
            "embedding_dim": model[1],
            "languages": header.languages,
        }
        if header.losses and not header.user:
            props["losses"] = header.losses
        self.database.write(
            "transfer/begin", group_id=self.target.group_id, props=props, mark=self.mark, now=self.now()
        )

    def known(self, record: Record) -> Record:
        """Check a record of the file and return it. Also note the names from which keys of later records are made.

        Raises InputError if the record is not valid, or is not of the user whose export this is.
        """
        kind, properties = checked(record)["kind"], record["properties"]
        owner = self.source.user_id
        if owner and (kind not in _OF_USER or properties["user_id"] != owner):
            raise InputError(f"a {kind} in the file is not of user {owner}", hint="export the user again")
        if kind == "Video":
            home = properties.get("place") or properties["video_id"]
            timeline = ("place", home) if properties.get("recorded_at") else ("video", properties["video_id"])
            self._timelines[properties["video_id"]] = timeline
            for name, part in (("group", ()), ("video", (properties["video_id"],)), ("place", (home,))):
                self._token(name, *part)
        elif kind == "Person":
            self._token("person", properties["scope"], properties["person_id"])
        elif kind == "Session":
            self._user_token(properties["user_id"], "session", properties["session_id"])
            self._user_token(properties["user_id"], "user")
        elif kind == "Speaker":
            self._user_token(properties["user_id"], "actor", properties["person_id"])
        elif kind == "Fact":  # of a user, or read from the talk of a film, where no session has the user's token
            self._user_token(properties["user_id"], "user")
        return record

    def write_nodes(self, records: Sequence[Record], done: int) -> int:
        """Write the nodes of records. done: how many nodes the import has written before. Returns 0.

        Raises InputError: the group was forgotten since the import was asked for.
        """
        return self._write(self._write_nodes, records, done)

    def write_links(self, records: Sequence[Record], done: int) -> int:
        """Write the relationships of records. done: how many nodes, and records' relationships, were written before.

        Returns how many relationships were left out because a node of theirs is not there.
        """
        return self._write(self._write_links, records, done)

    def _write(
        self, write_part: Callable[[Sequence[Record], int, Run], int], records: Sequence[Record], done: int
    ) -> int:
        """Write records in parts, each in a transaction. Return the sum of what `write_part` returns."""

        def write(part: Sequence[Record]) -> int:
            nonlocal done
            left_out = self.database.in_transaction(lambda run: write_part(part, done, run))
            done += len(part)
            return left_out

        return sum(in_parts(records, write))

    def finish(self) -> None:
        """Note that everything was written."""
        self.database.write("transfer/finish", group_id=self.target.group_id, mark=self.mark)

    def _forgotten(self, run: Run) -> set[str]:
        """Return the keys of what was forgotten since the import was asked for."""
        group_id = self.target.group_id
        whole, footage = forgotten_group_key(group_id), forgotten_footage_key(group_id)
        rows = run("transfer/forgotten_since", group_id=group_id, group_keys=[whole, footage], since=self.asked_at)
        keys = {row["key"] for row in rows}
        if whole in keys:
            raise InputError(
                f"group {group_id} was forgotten since the import was asked for", hint="to import it now, ask again"
            )
        # Persons, objects and edges of many films hang together, so footage is not imported in part.
        if footage in keys and not self.source.user_id:
            raise InputError(
                f"footage of group {group_id} was forgotten since the import was asked for",
                hint="forget the whole group, import it anew, and then forget what is not to be in it",
            )
        return keys

    def _kept(self, records: Sequence[Record], run: Run) -> list[Record]:
        """Return the records of what was not forgotten, without facts that rest only on forgotten turns.

        Facts that a forgotten one had replaced no longer name it.

        It locks out other writers until the transaction ends.
        """
        run("ingest/take_turn", now=self.now())
        keys = self._forgotten(run)
        if not keys:
            return list(records)
        kept = [_unnamed(record, keys, self._user) for record in records if keys.isdisjoint(self._names(record))]
        turns = {self._turn(record["properties"]) for record in kept if record["kind"] == "Episode"}
        sources = {turn for record in kept for turn in self._sources(record)}
        rows = [{"user_id": user, "episode_id": episode} for user, episode in sources]
        turns.update(
            self._turn(row) for row in run("transfer/known_turns", group_id=self.target.group_id, turns=rows)
        )
        return [record for record in kept if not self._sources(record) or turns & self._sources(record)]

    def _names(self, record: Record) -> set[str]:
        """Return the keys under which a record's user, session, turn or fact would be noted if it were forgotten."""
        properties = record["properties"]
        if "user_id" not in properties:
            return set()
        user, turn = self._turn(properties)
        session_id = properties.get("session_id")
        names = {forgotten_key(user), forgotten_key(user, session_id), forgotten_key(user, "", turn)}
        return names | _fact_names(user, *_triple(properties)) if record["kind"] == "Fact" else names

    def _sources(self, record: Record) -> set[tuple[str, str]]:
        """Return the turns that a fact rests on; none if it also rests on events, which are not forgotten here."""
        ends = [link["target"] for link in record.get("links", ()) if link["type"] == "DERIVED_FROM"]
        return {self._turn(end) for end in ends} if all("episode_id" in end for end in ends) else set()

    def _turn(self, properties: Mapping[str, Any]) -> tuple[str, str]:
        """Return (user in the target, episode id) of a turn or of what belongs to one."""
        return self._user(properties["user_id"]), properties.get("episode_id", "")

    def _write_nodes(self, records: Sequence[Record], done: int, run: Run) -> int:
        read, records = len(records), self._kept(records, run)
        kinds = [record["kind"] for record in records]
        turns = kinds.count("Episode")
        facts = sum(record["kind"] == "Fact" and self._has_vector(record) for record in records)
        drawn = self._draw(
            run,
            done,
            read,
            events=kinds.count("Event") + kinds.count("SupersededEvent"),
            turns=turns,
            facts=facts,
        )
        numbers = {"event": drawn["event"], "episode": drawn["turn"], "fact": drawn["fact"]}
        rows: list[Row] = []
        vectors: list[Row] = []
        for record in records:
            properties = self._properties(record)
            kind = _VECTOR_KINDS.get(record["kind"])
            if kind and (kind != "fact" or self._has_vector(record)):
                properties["node_id" if kind == "event" else "vector_id"] = number = numbers[kind]
                numbers[kind] += 1
                if self._has_vector(record):
                    data = base64.b64decode(record["vector"])
                    vectors.append({"kind": kind, "owner": str(number), "data": data})
            elif kind == "fact":
                properties["embed_after"] = 0.0
            if record["kind"] not in _MERGED:
                rows.append({"labels": record["labels"], "properties": properties})
        run("transfer/write_nodes", group_id=self.target.group_id, rows=rows)
        if vectors and self.vectors:
            model, dim = self.vectors
            run(
                "vectors/add_embeddings",
                group_id=self.target.group_id,
                model=model,
                dim=dim,
                rows=vectors,
                now=self.now(),
            )
        return 0

    def _write_links(self, records: Sequence[Record], done: int, run: Run) -> int:
        read, records = len(records), self._kept(records, run)
        self._draw(run, done, read)
        links = [link for record in records for link in self._links(record)]
        missing = 0
        if links:
            [row] = run("transfer/write_links", group_id=self.target.group_id, rows=links)
            missing = len(links) - row["written"]
        upkeep = [record for record in records if record["kind"] == UPKEEP]
        if upkeep:
            rows = [
                {"properties": self._own(record["properties"])}
                | {name: record.get(name) for name in ("read_to", "seen_to")}
                for record in upkeep
            ]
            run("transfer/write_upkeep", group_id=self.target.group_id, rows=rows, now=self.now())
        forgotten = [self._own(record["properties"]) for record in records if record["kind"] in _FORGOTTEN]
        if forgotten:
            run("transfer/write_forgotten", group_id=self.target.group_id, rows=forgotten)
        return missing

    def _draw(self, run: Run, done: int, more: int, **drawn: int) -> Row:
        """Take the writers' lock, and reserve ids for this many events, turns and facts."""
        counts = {"events": 0, "turns": 0, "facts": 0} | drawn
        rows = run(
            "transfer/draw",
            group_id=self.target.group_id,
            mark=self.mark,
            done=done,
            next_done=done + more,
            now=self.now(),
            **counts,
        )
        if not rows:
            raise StoreBusy(
                f"another process imports into group {self.target.group_id}", hint="wait until it is done"
            )
        return rows[0]

    def _has_vector(self, record: Record) -> bool:
        return self.vectors is not None and "vector" in record

    def _properties(self, record: Record) -> dict[str, Any]:
        properties = self._own(record["properties"])
        if "scope_text" in properties:
            # What a user's export does not explain may be the token of another user.
            tokens = (
                self._tokens.get(token, "" if self.source.user_id else token)
                for token in properties["scope_text"].split()
            )
            properties["scope_text"] = " ".join(filter(None, tokens))
        if record["kind"] == "Fact":
            properties["updated"] = self.now()  # so that open conversations read it
        return properties

    def _own(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Return the properties with the target's group and, if a user's export is imported, its user.

        Otherwise each record keeps its own user.
        """
        own = {name: _from_json(value) for name, value in properties.items()}
        own["group_id"] = self.target.group_id
        if "user_id" in own:
            own["user_id"] = self._user(own["user_id"])
        return own

    def _user(self, user_id: str) -> str:
        return self.target.user_id if self.source.user_id else composed(user_id)

    def _links(self, record: Record) -> list[Row]:
        label, properties = record["kind"], record["properties"]
        source = self._end({"label": label} | {name: properties[name] for name in _KEYS[label]})
        chains, links = self._chains(record), list[Row]()
        for link in record.get("links", ()):
            own = self._own(link["properties"])
            for name in {"key", "seen", "heard"} & own.keys():
                # `seen` and `heard` go on with "@" and the video; in a key every "@" is escaped.
                chain, at, video = own[name].partition("@")
                own[name] = f"{chains.get(chain, chain)}{at}{video}"
            ends = {"source": source, "target": self._end(link["target"])}
            links.append({"type": link["type"], "properties": own} | ends)
        return links

    def _chains(self, record: Record) -> dict[str, str]:
        """Return {key of a chain that the event is in: the same in the target}."""
        keys: dict[str, str] = {}
        for link in record.get("links", ()):
            if link["type"] in ("INVOLVES", "USES") and link["properties"].get("key"):
                target, timeline = link["target"], self._timelines[record["properties"]["video_id"]]
                names = [target["name"]] if link["type"] == "USES" else [target["scope"], target["person_id"]]
                keys[link["properties"]["key"]] = chain_key(self.target.group_id, *timeline, *names)
        return keys

    def _end(self, key: Mapping[str, Any]) -> Row:
        return dict(key) | ({"user_id": self._user(key["user_id"])} if "user_id" in key else {})

    def _token(self, kind: str, *names: str) -> None:
        self._tokens[scope_token(kind, self.source.group_id, *names)] = scope_token(
            kind, self.target.group_id, *names
        )

    def _user_token(self, user_id: str, kind: str, *names: str) -> None:
        old, new = (self.source.group_id, user_id), (self.target.group_id, self._user(user_id))
        self._tokens[scope_token(kind, *old, *names)] = scope_token(kind, *new, *names)
