"""Checks that the graph of a group is whole, and repairs what can be derived from the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from string import Formatter
from typing import Any

from pydantic import BaseModel, ConfigDict

from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.ports import Embedder, Fault, Repairable
from amr_neo4j.domain.scene import TOP
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database, Row, Run, in_parts, whole
from amr_neo4j.store.full_text import scope_token, turn_text, user_text
from amr_neo4j.store.write.clip_commit import state_of, write_edges
from amr_neo4j.store.write.edges import EdgeKey, edges_from
from amr_neo4j.tables import Table, shipped

# {statement in cypher/integrity that finds a fault: the name of what a row of it is about}.
_FAULTS: Mapping[Fault, str] = {
    "broken_chains": "{video_id}",  # videos whose events are not one TEMPORAL chain
    "broken_scenes": "{video_id}",  # videos with an event in no scene or in two, or with a scene not linked
    "broken_sessions": "{session_id}",  # sessions whose turns are not one NEXT chain
    "counters": "{name}",  # counters that would give out a number that is in use
    "deleted_events": "{node_id}",  # events that were deleted by hand
    "future_facts": "“{text}” of {whose}, said {said:.10}",  # facts that a wrong clock has dated a day ahead
    "lost_evidence": "“{text}” of {user_id}",  # facts of talk that have lost all turns that they rested on
    "lost_extracts": "turn {turn} of {session_id}",  # turns that have lost mentions or what these state
    "lost_links": "{node_id}",  # events that have lost persons or objects
    "lost_parents": "{kind} {name}",  # group, videos and sessions that are gone, or not linked, and have something
    "lost_receipts": "{clip_id} of {video_id}",  # clips that have events but no receipt
    "lost_sources": "{kind} {owner}",  # turns that have lost their speaker, mentions that have lost their turn
    "lost_texts": "{kind} {owner}",  # turns and facts that were deleted by hand
}
# {fault: (statement that mends it or records the loss, its parameter for the rows that were found)}.
_REPAIRS: Mapping[Repairable, tuple[str, str]] = {
    "broken_scenes": ("mark_scenes", "videos"),  # store/write/scenes.py then makes them again
    "broken_sessions": ("relink_turns", "turns"),
    "counters": ("raise_counters", "counters"),
    "deleted_events": ("record_deleted", "events"),
    "lost_evidence": ("accept_evidence", "facts"),
    "lost_extracts": ("extract_again", "turns"),
    "lost_links": ("accept_links", "events"),
    "lost_receipts": ("restore_receipts", "clips"),
    "lost_sources": ("relink_sources", "rows"),
    "lost_texts": ("record_lost", "rows"),
}
# Labels whose nodes are a part of a clip, or the clip itself.
_OF_CLIPS = ("Video", "Clip", "Event", "SupersededEvent")
_NO_METADATA, _NO_ACTIONS = "{}", "[]"
# Events per transaction when edges are compared. It holds the writers' lock, so an ingest waits for as long.
_EVENTS_PER_COMMIT = 500


class _Label(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Mapping[str, str]
    more: Mapping[str, str]


class _Properties(Table):
    """properties.yaml, whose head explains its keys."""

    types: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, _Label]
    links: Mapping[str, Mapping[str, str]]
    other_links: tuple[str, ...]

    def keys(self) -> dict[str, dict[str, list[str]]]:
        """Return {label: {property without which a node is damaged: what valueType may call its value}}."""
        return {name: self._types(of.key) for name, of in self.labels.items()}

    def allowed(self) -> dict[str, dict[str, list[str]]]:
        """Return {label: {property: what valueType may call its value}}."""
        optional = {name: {each: f"{kind}?" for each, kind in of.more.items()} for name, of in self.labels.items()}
        return {name: self._types({**of.key, **optional[name]}) for name, of in self.labels.items()}

    def allowed_of_links(self) -> dict[str, dict[str, list[str]]]:
        """Return the same of relationships, {type: ...}."""
        return {name: self._types(of) for name, of in self.links.items()}

    @property
    def linked(self) -> list[str]:
        """The types of relationships by which a damaged node is known as ours."""
        return [*self.links, *self.other_links]

    def _types(self, of: Mapping[str, str]) -> dict[str, list[str]]:
        return {
            name: [*self.types[kind.removesuffix("?")], *(["NULL"] if kind.endswith("?") else [])]
            for name, kind in of.items()
        }

    def of_type(self, kind: str) -> dict[str, list[str]]:
        """Return {label: its properties of a type}."""
        return {
            name: [each for each, its in (*of.key.items(), *of.more.items()) if its == kind]
            for name, of in self.labels.items()
        }


properties = shipped("amr_neo4j.store", "properties.yaml", _Properties)
"""Returns the properties of each label."""


@dataclass(frozen=True)
class Integrity:
    """Checks and repairs one group.

    jump_gap_sec: the setting entity_jump_gap_sec, which decides about edges.
    language: given to a Group node that has to be recreated.
    """

    database: Database
    group_id: str
    jump_gap_sec: float
    language: str
    now: Callable[[], datetime]

    def found(self, fault: Fault) -> list[str]:
        """Return a name for each thing that has a fault of this kind, in order; each name once."""
        return list(dict.fromkeys(_FAULTS[fault].format(**row) for row in self._rows(fault)))

    def repair(self, fault: Repairable) -> list[str]:
        """Mend a fault, or record what nothing in the graph can replace as gone. Returns a name for each row."""
        rows, (statement, takes) = self._rows(fault), _REPAIRS[fault]
        if rows:
            self._write(statement, **{takes: rows}, no_data=b"", now=self.now())
        return [_FAULTS[fault].format(**row) for row in rows]

    def _rows(self, fault: Fault) -> list[Row]:
        # Counting is cheap. Only if the counts show a gap are all numbers searched for the missing ones.
        if fault == "deleted_events":
            [ids] = self._read("ids")
            if ids["next"] <= ids["events"]:
                return []
        named = [name for _, name, _, _ in Formatter().parse(_FAULTS[fault]) if name]
        return whole(self._read(fault, top=TOP, now=self.now()), *named)

    def odd(self) -> Counter[str]:
        """Return {label or type: how many have a property that properties.yaml does not allow, or lack one}."""
        return Counter(row["label"].split()[0] for row in (*self._odd_nodes(), *self._odd_links()))

    def mend_odd(self, person_id: Callable[[str], str]) -> tuple[Counter[str], Counter[str], Counter[str]]:
        """Set odd properties to what the rest of their node tells, empty them, or delete the node or relationship.

        person_id: returns the identity of the person with a name.
        Returns {"attempts of Clip": how many were set}, {"fps of Video": how many were emptied} and
        {label or type: how many were deleted}. The other repairs make again what can be derived.
        """
        # Otherwise an element id that was read could be that of another node when it is written.
        with self.database.held_transaction():
            return self._mend_odd(person_id)

    def _mend_odd(self, person_id: Callable[[str], str]) -> tuple[Counter[str], Counter[str], Counter[str]]:
        mended, emptied = Counter[str](), Counter[str]()
        kept: list[Row] = []
        deleted: list[Row] = []
        for row in self._odd_nodes():
            label = row["label"].split()[0]
            told = _told(label, row["odd"], row["properties"], person_id)
            values = {name: told.get(name) for name in row["odd"]}
            if any(
                value is None and name not in properties().labels[row["label"]].more for name, value in values.items()
            ):
                deleted.append(row)
                continue
            for name, value in values.items():
                is_empty = not value or value in (_NO_METADATA, _NO_ACTIONS)
                (emptied if is_empty else mended)[f"{name} of {label}"] += 1
            kept.append({"id": row["id"], "values": values, "is_of_clip": label in _OF_CLIPS})
        if kept:
            self._write("set_properties", rows=kept)
        if deleted:
            self._write("delete_nodes", ids=[row["id"] for row in deleted])
        if links := self._odd_links():
            self._write("delete_links", rows=links)
        return mended, emptied, Counter(row["label"].split()[0] for row in (*deleted, *links))

    def _odd_nodes(self) -> list[Row]:
        table = properties()
        rows = self._read("odd_nodes", types=table.allowed(), json=table.of_type("JSON"), linked=table.linked)
        return whole(rows, "label", "properties")

    def _odd_links(self) -> list[Row]:
        return whole(self._read("odd_links", types=properties().allowed_of_links()), "label")

    def restore_parents(self, embedder: Callable[[], Embedder]) -> list[str]:
        """Make the lost parents again from what belongs to them. Returns their names as `found`.

        embedder: opens the embedder of a group that has no embedding left.
        """
        lost = self._rows("lost_parents")
        if lost:
            self._restore_parents(lost, model=None, dim=None)
        if any(row["kind"] == "group" for row in lost) and (left := self._rows("lost_parents")):
            self._restore_parents(left, model=embedder().model, dim=embedder().dim)
        return [f"{row['kind']} {row['name']}" for row in lost]

    def _restore_parents(self, lost: Sequence[Row], **embedded_by: Any) -> None:
        self._write("restore_parents", parents=lost, language=self.language, **embedded_by, now=self.now())

    def losses(self) -> list[str]:
        """Return what repairs have recorded as lost for good, a line for each repair."""
        return [line for row in self._read("losses") for line in row["losses"]]

    def accept(self, lost: Sequence[str]) -> None:
        """Record which data are lost for good."""
        self._write("accept_losses", losses=list(lost))

    def wrong_edges(self) -> int:
        """Return how many edges of the channels are missing, wrong or duplicated. Changes nothing."""
        return self._relink(keep=False)

    def relink(self) -> int:
        """Create missing edges of the channels and delete wrong ones. Returns the number of both."""
        return self._relink(keep=True)

    def incomplete_full_text(self) -> list[str]:
        """Return the names of full-text indexes that do not find every event, turn and fact of the group."""
        before = self._texts()
        found = {key: self._found(*key) for key in before}
        after = self._texts()  # again, since others may have written
        wrong: set[str] = set()
        for (name, user), least in before.items():
            most = after.get((name, user), least)
            if not min(least, most) <= found[name, user] <= max(least, most):
                wrong.add(name)
        return sorted(wrong)

    def _texts(self) -> dict[tuple[str, str | None], int]:
        """Return {(full-text index, user or None): the nodes that it must find}."""
        return {(row["index"], row["user_id"]): row["nodes"] for row in self._read("texts")}

    def mend_texts(self) -> int:
        """Let turns and facts be found as those of the user and group that they name. Returns how many were not."""
        rows: list[Row] = []
        users = sorted({user for _, user in self._texts() if user is not None})
        with self.database.held_transaction():  # as for mend_odd
            for user in users:
                token = scope_token("user", self.group_id, user)
                strayed = self._read("strayed_texts", user_id=user, token=token)
                strayed += self._read("foreign_texts", user_id=user, token=token)
                for row in strayed:
                    text = user_text(row["group_id"], row["user_id"])
                    if row["is_turn"]:
                        named = Session(row["group_id"], row["user_id"], row["session_id"])
                        text = turn_text(named, row["actor_id"])
                    rows.append({"id": row["id"], "values": {"scope_text": text}, "is_of_clip": False})
            if rows:
                self._write("set_properties", rows=rows)
        return len(rows)

    def drop_index(self, name: str) -> None:
        """Drop an index, so that `schema.restore` creates it again."""
        schema.drop(self.database, name)

    def _found(self, index: str, user: str | None) -> int:
        # Every node of the group has its token in scope_text, so a search for that token must find all of them.
        token = scope_token("group", self.group_id) if user is None else scope_token("user", self.group_id, user)
        return self._read("full_text", index=index, token=token)[0]["nodes"]

    def _relink(self, *, keep: bool) -> int:
        ids = [row["node_id"] for row in self.database.stream("integrity/event_ids", group_id=self.group_id)]

        def relink(page: Sequence[int]) -> int:
            return self.database.in_transaction(partial(self._relink_page, page, keep=keep))

        return sum(in_parts(ids, relink, at_once=_EVENTS_PER_COMMIT))

    def _relink_page(self, node_ids: Sequence[int], run: Run, *, keep: bool) -> int:
        """Compare the edges that start at these events with those that should. keep: correct the differences.

        Returns the number of differences.
        """
        # Even a check locks out other writers: an edge that is being written would count as missing.
        run("ingest/take_turn", now=self.now())
        events = run("ingest/linked_events", group_id=self.group_id, node_ids=node_ids)
        videos = {event["props"]["video_id"]: state_of(event["video"]) for event in events}
        right = edges_from(run, self.group_id, events, videos=videos, jump_gap=self.jump_gap_sec)
        found = Counter(
            EdgeKey(**row) for row in run("integrity/edges_from", group_id=self.group_id, node_ids=node_ids)
        )
        wanted = set(right.made_edges())
        missing = wanted - found.keys()
        wrong = [edge for edge, number in found.items() if edge not in wanted or number > 1]
        if keep and (missing or wrong):
            right.passed = wrong  # an edge that is there twice is deleted in both places and written once
            write_edges(run, self.group_id, right)
            # Read caches only notice new events, so edges between old ones are announced to them here.
            run("integrity/mark_rewritten", group_id=self.group_id)
        return len(missing) + len(wrong)

    def _read(self, name: str, **params: Any) -> list[Row]:
        return self.database.read(f"integrity/{name}", group_id=self.group_id, **params)

    def _write(self, name: str, **params: Any) -> list[Row]:
        return self.database.write(f"integrity/{name}", group_id=self.group_id, **params)


def _told(label: str, odd: Sequence[str], of: Row, person_id: Callable[[str], str]) -> Row:
    """Return {property: its value} as far as other properties of the node tell it. of: all; odd: not these."""
    sure = {name: value for name, value in of.items() if name not in odd}
    told: Row = {}
    if label == "Clip":
        told = dict.fromkeys(("clip_summary", "scene_type", "analyser", "model"), "")
        told |= {"notes": [], "attempts": 1, "uri_offset": 0.0}
    elif label in ("Event", "SupersededEvent"):
        told = {"actions": _NO_ACTIONS}
    elif label == "Episode":
        told = {"metadata": _NO_METADATA, "type": "message", "turn_id": f"turn_{sure.get('turn', 0)}"}
        if "clock" in sure:
            told["valid_at"] = datetime.fromtimestamp(sure["clock"], UTC)
        if "valid_at" in sure:
            told["clock"] = sure["valid_at"].to_native().timestamp()
        told["created_at"] = sure.get("valid_at")
        actor_id = sure.get("actor_id") or (person_id(sure["actor"]) if sure.get("actor") else None)
        told["actor_id"], told["actor"] = actor_id, sure.get("actor_id")
        if sure.keys() >= {"group_id", "user_id", "session_id"} and actor_id:
            told["scope_text"] = turn_text(Session(sure["group_id"], sure["user_id"], sure["session_id"]), actor_id)
    elif label == "Fact":
        told = {"confidence": sure.get("weight"), "weight": sure.get("confidence"), "evidence_count": 1}
        told |= {"valid_at": sure.get("last_updated"), "created_at": sure.get("last_updated")}
        if "said" in sure:
            told["last_updated"] = datetime.fromtimestamp(sure["said"], UTC)
        if "last_updated" in sure:
            told["said"] = sure["last_updated"].to_native().timestamp()
        if sure.keys() >= {"group_id", "user_id"}:
            told["scope_text"] = user_text(sure["group_id"], sure["user_id"])
    elif label == "FactUpkeep":
        told = {"read_to": -1}
    return told
