"""Checks that the graph of a group is whole, and repairs what can be derived from the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from amr_neo4j.domain.ports import Embedder, Fault, Repairable
from amr_neo4j.domain.scene import TOP
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database, Row, Run, in_parts
from amr_neo4j.store.full_text import scope_token
from amr_neo4j.store.write.clip_commit import state_of, write_edges
from amr_neo4j.store.write.edges import EdgeKey, edges_from

# {statement in cypher/integrity that finds a fault: the name of what a row of it is about}.
_FAULTS: Mapping[Fault, str] = {
    "broken_chains": "{video_id}",  # videos whose events are not one TEMPORAL chain
    "broken_scenes": "{video_id}",  # videos whose scenes do not have each event once, or are not linked
    "broken_sessions": "{session_id}",  # sessions whose turns are not one NEXT chain
    "counters": "{name}",  # counters that would give out a number that is in use
    "deleted_events": "{node_id}",  # events that were deleted by hand
    "future_facts": "“{text}” of {user_id}, said {said:.10}",  # facts that a wrong clock has dated a day ahead
    "lost_evidence": "“{text}” of {user_id}",  # facts of talk that have lost all turns that they rested on
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
    "lost_links": ("accept_links", "events"),
    "lost_receipts": ("restore_receipts", "clips"),
    "lost_sources": ("relink_sources", "rows"),
    "lost_texts": ("record_lost", "rows"),
}
# Events per transaction when edges are compared. It holds the writers' lock, so an ingest waits for as long.
_AT_ONCE = 500


@dataclass(frozen=True)
class Integrity:
    """Checks and repairs one group.

    jump_gap_sec: the setting entity_jump_gap_sec, which decides about edges.
    language: given to a Group node that has to be made again.
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
        return self._read(fault, top=TOP, now=self.now())

    def odd_nodes(self) -> Counter[str]:
        """Return {label: nodes that lack a property that the rest relies on, or have a wrong type in it}."""
        return Counter(row["label"] for row in self._read("odd_nodes"))

    def reset_odd_properties(self) -> int:
        """Empty properties of the wrong type, without which a node is whole still. Returns of how many nodes."""
        return self._write("reset_odd_properties")[0]["nodes"]

    def delete_odd_nodes(self) -> Counter[str]:
        """Delete those nodes. Returns the counts. What can be derived is made again by the other repairs."""
        rows = self._read("odd_nodes")
        if rows:
            self._write("delete_nodes", ids=[row["id"] for row in rows])
        return Counter(row["label"] for row in rows)

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
        """Record what is lost for good."""
        self._write("accept_losses", losses=list(lost))

    def wrong_edges(self) -> int:
        """Return how many edges of the four channels are missing, wrong or there twice. Changes nothing."""
        return self._relink(keep=False)

    def relink(self) -> int:
        """Create missing edges of the four channels and delete wrong ones. Returns the number of both."""
        return self._relink(keep=True)

    def incomplete_full_text(self) -> list[str]:
        """Return the names of full-text indexes that do not find every event, turn and fact of the group."""
        before = self._texts()
        found = {key: self._found(*key) for key in before}
        after = self._texts()  # again, since others may write meanwhile
        wrong: set[str] = set()
        for (name, user), least in before.items():
            most = after.get((name, user), least)
            if not min(least, most) <= found[name, user] <= max(least, most):
                wrong.add(name)
        return sorted(wrong)

    def _texts(self) -> dict[tuple[str, str | None], int]:
        """Return {(full-text index, user or None): the nodes that it must find}."""
        return {(row["index"], row["user_id"]): row["nodes"] for row in self._read("texts")}

    def drop_index(self, name: str) -> None:
        """Drop an index, so that `schema.restore` creates it again."""
        schema.drop(self.database, name)

    def _found(self, index: str, user: str | None) -> int:
        # Every node of the group has its token in scope_text, so a search for that token must find all of them.
        token = scope_token("group", self.group_id) if user is None else scope_token("user", self.group_id, user)
        return self._read("full_text", index=index, token=token)[0]["nodes"]

    def _relink(self, *, keep: bool) -> int:
        ids = [row["node_id"] for row in self.database.stream("integrity/event_ids", group_id=self.group_id)]
        pages = (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))

        def relink(page: Sequence[int]) -> int:
            return self.database.in_transaction(partial(self._relink_page, page, keep=keep))

        return sum(number for page in pages for number in in_parts(page, relink))

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
