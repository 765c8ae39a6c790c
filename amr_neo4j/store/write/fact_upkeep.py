"""Stores the nightly run over one user's facts (consolidation).

A run holds a lease, so that only one works on a user's facts. First it writes the facts that new turns and events
state; then it saves a plan of changes and carries it out, step by step. Each step is saved as FactStep in the same
transaction as its changes. So a run that is cut off can go on, and a finished one can be undone.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar, cast

from amr_neo4j.domain.batches import batched
from amr_neo4j.domain.belief import Belief, Change, HeardTurn, LinkChange, NewEvent, NewTalk, SeenFact, Sighting, Unit
from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.fact import FactChange, fact_id
from amr_neo4j.domain.page import WHOLE, Page, PageRequest
from amr_neo4j.domain.plain import picked
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.errors import NotInMemory, StoreError
from amr_neo4j.store.database import Database, Row, Run, Scoped, native, natively, of_fact
from amr_neo4j.store.full_text import user_text
from amr_neo4j.store.person_aliases import PersonAliases, read_aliases
from amr_neo4j.store.read.pages import page_of
from amr_neo4j.store.write.facts import change_row, commit_rows

T = TypeVar("T")
LEASE = timedelta(minutes=15)
"""How long a lease lasts. A run that was killed on another machine keeps others out for this time."""
KEPT = 10
"""The journals of this many runs are kept. Older runs cannot be undone."""
# Units per step, so per transaction.
_UNITS_PER_COMMIT = 500
_STATEMENTS = {
    "DERIVED_FROM": "facts/link_support",
    "CONTRADICTS": "facts/link_contradicts",
    "MERGED_INTO": "facts/link_merged",
    "DISTINCT_FROM": "facts/link_distinct",
}
# Properties that are datetimes, and go into the journal as ISO 8601 text.
_TIMES = frozenset({"last_updated", "decayed_at", "at", "valid_at", "archived_at"})
# Properties of a fact that an undo restores.
_RESTORED = (
    "confidence", "evidence_count", "counted", "last_updated", "decayed_at", "status", "flagged", "category",
    "weight", "said", "valid_at", "archived_at",
)  # fmt: skip
# Properties that other writers add to. An undo subtracts what the run added, instead of setting the old value.
_SUMS = frozenset({"evidence_count", "counted"})


@dataclass(frozen=True, slots=True)
class FactRun:
    """A run as the graph has it. status: reading, planned, completed, incomplete or undone.

    read_from, seen_from: the last turn and the last event that runs had read before this one; -1 for none.
    waiting: clusters of facts that are left for a later run.
    """

    run_id: str
    at: datetime
    status: str
    read_from: int
    counts: Mapping[str, int]
    waiting: int = 0
    seen_from: int = -1


class FactUpkeep:
    """Reads and writes for the one run that holds the lease.

    A write prolongs the lease in its own transaction, and fails if another run has taken it.
    """

    def __init__(
        self, database: Database, group_id: str, user_id: str, *, holder: str, now: Callable[[], datetime]
    ) -> None:
        """holder: a name for this run that no other process uses."""
        self._group_id, self._user_id = group_id, user_id
        self._database = database
        self._graph = Scoped(database, group_id=group_id, user_id=user_id)
        self._holder = holder
        self._now = now

    # --- the lease

    def take(self, dead: Callable[[str], bool]) -> str | None:
        """Take the lease. Returns "" if this run holds it now, otherwise the name of the holder.

        dead: returns whether the process of a holder is known to be gone; its lease is taken over then.
        Returns None, and writes nothing, if there is nothing to consolidate: the user has no turns and no facts, and
        the group has no videos.
        """
        row = self._take(None)
        if row and not row["free"] and dead(row["holder"]):
            row = self._take(row["holder"])
        if row is None:
            return None
        return "" if row["free"] else str(row["holder"])

    def _take(self, dead: str | None) -> Row | None:
        now = self._now()
        params = {"holder": self._holder, "dead": dead, "until": now + LEASE, "now": now}
        return next(iter(self._graph.write("facts/take_upkeep", **params)), None)

    def release(self) -> None:
        """Give the lease back."""
        self._graph.write("facts/release_upkeep", holder=self._holder)

    def _hold(self, run: Run, now: datetime) -> int:
        """Prolong the lease within a transaction; returns the number of the last turn that runs have read.

        Raises StoreError: another run has taken the lease. NotInMemory: the user was forgotten in the meantime.
        """
        held = run("facts/hold_upkeep", holder=self._holder, until=now + LEASE, now=now)
        if held:
            return int(held[0]["read_to"])
        if run("facts/upkeep"):
            raise StoreError("another run over these facts has taken over", hint="run amr consolidate again")
        raise NotInMemory(f"{self._user_id} was forgotten during this run", hint="nothing that it found was kept")

    def _leased(self, write: Callable[[Run, datetime], T]) -> T:
        """Return the result of a transaction that first prolongs the lease. write: gets the transaction and the time.

        Raises as `_hold` does.
        """
        now = self._now()

        def held(run: Run) -> T:
            self._hold(run, now)
            return write(run, now)

        return self._graph.in_transaction(held)

    # --- runs

    def runs(self, asked: PageRequest = WHOLE) -> Page[FactRun]:
        """Return a page of the runs of this user, the latest first."""
        rows = self._graph.read("facts/runs", **asked.bounds)
        return page_of(rows, asked, "run_id", _run)

    def begin(self, run_id: str, at: datetime) -> FactRun:
        """Save a new run, with what runs had read before it, and return it."""

        def write(run: Run, now: datetime) -> FactRun:
            [upkeep] = run("facts/upkeep")
            read_from, seen_from = int(upkeep["read_to"]), upkeep["seen_to"]
            props = {"at": at, "status": "reading", "read_from": read_from, "counts": "{}", "waiting": 0}
            run("facts/save_run", run_id=run_id, props=props | {"seen_from": seen_from}, now=now)
            return FactRun(run_id, at, "reading", read_from, {}, seen_from=seen_from)

        return self._leased(write)

    def end(
        self, run_id: str, status: str, *, counts: Mapping[str, int], waiting: int, earlier: Sequence[FactRun]
    ) -> None:
        """Save how a run ended, and delete the journals of all but the latest KEPT runs.

        earlier: the runs before this one, the latest first.
        """
        # This run counts as one of those that are kept.
        old = [known.run_id for known in earlier[KEPT - 1 :]]

        def write(run: Run, now: datetime) -> None:
            props = {"status": status, "counts": json.dumps(counts), "waiting": waiting, "ended_at": now}
            run("facts/save_run", run_id=run_id, props=props, now=now)
            if old:
                run("facts/remove_steps", run_ids=old, status=None)
                run("facts/save_run", run_id=old[0], props={"gathered": None}, now=now)

        self._leased(write)

    # --- reading turns

    def new_turns(self, after: int, limit: int, model: str) -> list[HeardTurn]:
        """Return at most `limit` turns with numbers over `after`, in order, with their vectors of this model."""
        rows = self._graph.read("facts/new_turns", after=after, limit=limit, model=model)
        return [_turn(row) for row in rows]

    def gathered_turns(self, run_id: str, model: str) -> list[HeardTurn]:
        """Return the turns that the previous run left for this one to read by topic, with their vectors."""
        rows = self._graph.read("facts/gathered_turns", run_id=run_id, model=model)
        return [_turn(row) for row in rows]

    def read_to(self) -> int:
        """Prolong the lease and return the number of the last turn that runs have read; -1 before the first."""
        now = self._now()
        return self._graph.in_transaction(lambda run: self._hold(run, now))

    def state(self, run_id: str, stated: Sequence[tuple[HeardTurn, Sequence[FactChange]]], read_to: int) -> int:
        """Write the facts that turns state, the journal, and that turns up to `read_to` are read, in one transaction.

        Returns the number of statements written.
        """
        group, user = self._group_id, self._user_id
        rows = [
            change_row(
                change,
                Session(group, user, turn.session_id),
                actor_id=turn.actor_id,
                episode_id=turn.episode_id,
            )
            for turn, changes in stated
            for change in changes
        ]

        def write(run: Run, now: datetime) -> None:
            if rows:
                slots = [{"subject": row["subject"], "relation": row["relation"]} for row in rows]
                data = self._before(run, slots, {row["fact_id"] for row in rows if not row["retracted"]})
                commit_rows(run, group, user, rows=rows, now=now)
                turns = [turn.episode_id for turn, changes in stated if changes]
                self._add_step(run, now, run_id=run_id, data={"turns": turns, **data}, status="read")
            run("facts/set_read_to", read_to=read_to)

        self._leased(write)
        return sum(not row["retracted"] for row in rows)

    def peek_read_to(self) -> int:
        """Return the number of the last turn that runs have read; -1 before the first. Needs no lease."""
        rows = self._graph.read("facts/upkeep")
        return int(rows[0]["read_to"]) if rows else -1

    # --- looking at events

    def new_events(self, after: int, limit: int, model: str) -> list[NewEvent]:
        """Return at most `limit` of the group's events with node_ids over `after`, in order."""
        rows = self._graph.read("facts/new_events", after=after, limit=limit, model=model)
        return [_event(row) for row in rows]

    def sightings(self, things: Collection[tuple[str, str]], limit: int) -> list[Sighting]:
        """Return where objects were seen: the latest `limit` sightings of each, the latest first.

        things: (place, name) of the objects.
        """
        named = [list(thing) for thing in sorted(things)]
        rows = self._graph.read("facts/sightings", things=named, limit=limit)
        return [Sighting(**natively(row)) for row in rows]

    def seen_to(self) -> int:
        """Return the node_id of the last event that runs have looked at; -1 before the first."""
        rows = self._graph.read("facts/upkeep")
        return int(rows[0]["seen_to"]) if rows else -1

    def see(self, run_id: str, seen: Sequence[SeenFact], seen_to: int) -> int:
        """Write the facts that events show, with their journal, and note that events up to `seen_to` were looked at.

        All in one transaction. Returns the number of facts.
        """
        scope_text = user_text(self._group_id, self._user_id)
        rows = [_seen_row(number, fact, scope_text) for number, fact in enumerate(seen)]

        def write(run: Run, now: datetime) -> None:
            if rows:
                slots = [{"subject": row["subject"], "relation": row["relation"]} for row in rows]
                data = self._before(run, slots, {row["fact_id"] for row in rows})
                _commit_seen(run, rows, run_id, now)
                self._add_step(run, now, run_id=run_id, data={"turns": [], **data}, status="read")
            run("facts/set_seen_to", seen_to=seen_to)

        self._leased(write)
        return len(rows)

    def new_talk(self, after: int, limit: int) -> list[NewTalk]:
        """Return at most `limit` of the group's events with node_ids over `after`, in order, with what is said.

        Names that were split in a video are those of the persons whom it means.
        """
        rows = self._graph.read("facts/new_talk", after=after, limit=limit)
        aliases = read_aliases(self._database.read, self._group_id) if rows else PersonAliases()
        found: list[NewTalk] = []
        for row in rows:
            said = tuple(aliases.told(line, row["video_id"]) for line in row["said"])
            found.append(NewTalk(row["node_id"], row["video_id"], said, native(row["at"])))
        return found

    def hear(self, stated: Sequence[SeenFact], dropped: Sequence[SeenFact], heard_to: int) -> None:
        """Write what people say in videos, and that the talk up to `heard_to` was read, in one transaction.

        dropped: plans that are dropped, whoever made them.
        """
        scope_text = user_text(self._group_id, self._user_id)
        rows = [_seen_row(number, fact, scope_text) for number, fact in enumerate(stated)]
        gone = [{"object": fact.triple.object, "said": fact.at.timestamp(), "at": fact.at} for fact in dropped]

        def write(run: Run, now: datetime) -> None:
            if rows:
                _commit_seen(run, rows, "", now)
            if gone:
                run("facts/drop_plans", rows=gone, now=now)
            run("facts/set_seen_to", seen_to=heard_to)

        self._leased(write)

    def _before(self, run: Run, slots: Sequence[Row], stated: Collection[str]) -> dict[str, Any]:
        """Return what the journal needs to take statements back.

        slots: {subject, relation} of the statements.
        stated: fact_ids that they state.
        Returns the keys fresh: ids of stated facts that do not exist yet; and before: {fact_id: its properties} of
        all facts in the slots, because a statement may also archive a fact that it replaces.
        """
        [there] = run("facts/in_slots", slots=slots)
        before = run("facts/fact_props", fact_ids=there["fact_ids"])
        return {
            "fresh": sorted(set(stated) - set(there["fact_ids"])),
            "before": {row["fact_id"]: _encoded({k: row[k] for k in _RESTORED}) for row in before},
        }

    # --- the plan

    def beliefs(self, model: str) -> list[tuple[Belief, bytes]]:
        """Return the believed facts, each with its vector of this model; b"" for a fact that has none yet."""
        rows = self._graph.stream("facts/beliefs", model=model)
        found: list[tuple[Belief, bytes]] = []
        for row in rows:
            vector = row.pop("vector") or b""
            found.append((Belief(**of_fact(row)), vector))
        return found

    def decided(self) -> list[Row]:
        """Return earlier decisions on pairs of facts: rows with source, link, target, resolution and evidence."""
        return self._graph.read("facts/decided")

    def save_plan(
        self, run_id: str, units: Iterable[Unit], *, counts: Mapping[str, int], waiting: int, gathered: Sequence[int]
    ) -> None:
        """Save the plan of a run, in steps of _UNITS_PER_COMMIT units.

        gathered: numbers of the turns that the next run may read by topic. The status of the run becomes "planned"
            last. If this is cut off, the run counts as not planned, and the next call deletes the steps that were
            written.
        """
        self._graph.write("facts/remove_steps", run_ids=[run_id], status="planned")
        for part in batched(units, _UNITS_PER_COMMIT):
            data = {"units": [_unit_data(unit) for unit in part]}
            self._leased(partial(self._add_step, run_id=run_id, data=data, status="planned"))
        props = {"status": "planned", "counts": json.dumps(counts), "waiting": waiting, "gathered": gathered}
        self._leased(lambda run, now: run("facts/save_run", run_id=run_id, props=props, now=now))

    def carry_out(self, run_id: str) -> int:
        """Make the planned changes that were not made yet.

        Returns the number of units that were left out, because one of their facts has changed since the plan.
        """
        left = 0
        for step in self._steps_of(run_id):
            if step["status"] == "planned":
                left += self._leased(partial(self._apply, run_id=run_id, step=step))
        return left

    def _apply(self, run: Run, now: datetime, *, run_id: str, step: Row) -> int:
        """Make the changes of a planned step. Returns the number of units that were left out.

        The step is saved again with only the units that were made, so that an undo takes back nothing else.
        """
        units = [_unit(data) for data in _decoded(step["data"])["units"]]
        ids = [change.fact_id for unit in units for change in unit.changes]
        [there] = run("facts/fact_versions", fact_ids=ids)
        versions = dict(there["versions"])
        # A version changes with every write of its fact. A unit is made whole or not at all.
        made = [u for u in units if all(versions.get(c.fact_id) == c.version for c in u.changes)]
        changes = [change for unit in made for change in unit.changes]
        rows = [{"fact_id": each.fact_id, "props": _props(each, now)} for each in changes if each.after]
        run("facts/set_facts", rows=rows, now=now)
        links = [link for unit in made for link in unit.links]
        for kind, statement in _STATEMENTS.items():
            of_kind = [each for each in links if each.link == kind]
            rows = [{"source": each.source, "target": each.target, "props": dict(each.props)} for each in of_kind]
            if rows:
                run(statement, run_id=run_id, rows=rows, now=now)
        data = {"units": [_unit_data(unit) for unit in made]}
        self._save_step(run, now, run_id=run_id, number=step["number"], data=data, status="done")
        return len(units) - len(made)

    # --- undo

    def undo(self, undone: FactRun) -> int:
        """Take back what a run did, its last step first. Returns how many facts it had changed.

        A value that somebody changed after the run stays as it is. Counts of evidence lose what the run added.
        """
        run_id = undone.run_id
        steps, facts = list(self._steps_of(run_id)), 0
        for step in reversed(steps):
            facts += self._leased(partial(self._undo_step, run_id=run_id, step=step))

        def write(run: Run, now: datetime) -> None:
            run("facts/set_read_to", read_to=undone.read_from)
            run("facts/set_seen_to", seen_to=undone.seen_from)
            run("facts/save_run", run_id=run_id, props={"status": "undone", "ended_at": now}, now=now)

        self._leased(write)
        return facts

    def would_undo(self, runs: Sequence[FactRun]) -> int:
        """Return how many facts `undo` of these runs, one after the other, would change. Nothing is changed."""

        def write(run: Run, now: datetime) -> int:
            # In one transaction, because what an earlier run did shows only once the later ones are undone.
            return sum(
                self._undo_step(run, now, run_id=each.run_id, step=step)
                for each in runs
                for step in reversed(list(self._steps_of(each.run_id)))
            )

        # Without the lease: a run that is under way goes on.
        now = self._now()
        return self._graph.in_transaction(lambda run: write(run, now), dry_run=True)

    def _undo_step(self, run: Run, now: datetime, *, run_id: str, step: Row) -> int:
        """Take back one step and save it as undone. Returns how many facts it had changed; 0 for a planned one."""
        data = _decoded(step["data"])
        undone = (
            self._unread(run, now, run_id=run_id, made=step["made"], data=data) if step["status"] == "read" else 0
        )
        if step["status"] == "done":
            undone = self._unapply(run, now, run_id=run_id, data=data)
        self._save_step(run, now, run_id=run_id, number=step["number"], data={"units": []}, status="undone")
        return undone

    def _unapply(self, run: Run, now: datetime, *, run_id: str, data: dict[str, Any]) -> int:
        """Take back the changes of a step of the plan: first its relationships, then the properties of facts."""
        units = [_unit(each) for each in data["units"]]
        changes = [change for unit in units for change in unit.changes]
        links = [link for unit in units for link in unit.links]
        # A merge also gives the winner relationships to the loser's turns, which start at the winner.
        winners = {link.target for link in links if link.link == "MERGED_INTO"}
        sources = sorted({link.source for link in links} | winners)
        run("facts/unlink_run", run_id=run_id, fact_ids=sources)
        again = [
            {"source": x.source, "link": x.link, "target": x.target, "props": dict(x.before)}
            for x in links
            if x.before
        ]
        run("facts/relink", rows=again)
        self._restore(run, {c.fact_id: (c.before, c.after) for c in changes}, now)
        return len(changes)

    def _unread(self, run: Run, now: datetime, *, run_id: str, made: Any, data: dict[str, Any]) -> int:
        """Take back what a step of reading turns or events has stated. Returns how many facts that concerns.

        made: when the step was saved. Contradictions of its facts that were noted at that very moment are its own.
        """
        before: dict[str, dict[str, Any]] = data["before"]
        ids = [*before, *data["fresh"]]
        params = {"episode_ids": data["turns"], "fact_ids": ids, "made": made}
        run("facts/unread_turns", **params)
        run("facts/unlink_run", run_id=run_id, fact_ids=ids)
        # A fact that the run created stays if another turn or event has stated it since.
        run("facts/drop_unstated", fact_ids=data["fresh"], no_data=b"")
        # An active fact was replaced by nothing.
        active = {"replaced_by": None}
        rows = [
            {"fact_id": name, "props": _timed(props) | (active if props.get("status") == "active" else {})}
            for name, props in before.items()
        ]
        run("facts/set_facts", rows=rows, now=now)
        return len(ids)

    def _restore(
        self, run: Run, changes: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]], now: datetime
    ) -> None:
        """Set properties of facts back. changes: {fact_id: (values before, values after)} of the run."""
        there = run("facts/fact_props", fact_ids=list(changes))
        rows = [{"fact_id": row["fact_id"], "props": _restored(row, *changes[row["fact_id"]])} for row in there]
        run("facts/set_facts", rows=rows, now=now)

    # --- steps

    def _add_step(self, run: Run, now: datetime, *, run_id: str, data: Mapping[str, Any], status: str) -> None:
        """Save one more step of a run, after its last one."""
        [row] = run("facts/count_steps", run_id=run_id)
        self._save_step(run, now, run_id=run_id, number=int(row["steps"]), data=data, status=status)

    def _save_step(
        self, run: Run, now: datetime, *, run_id: str, number: int, data: Mapping[str, Any], status: str
    ) -> None:
        packed = zlib.compress(json.dumps(data).encode())
        params = {"run_id": run_id, "number": number, "data": packed, "status": status, "now": now}
        run("facts/save_step", **params)

    def _steps_of(self, run_id: str) -> Iterator[Row]:
        # One step per read: a step may hold 500 units.
        after = -1
        while rows := self._graph.read("facts/steps", run_id=run_id, after=after):
            yield rows[0]
            after = int(rows[0]["number"])


def _run(row: Row) -> FactRun:
    counts = json.loads(row["counts"] or "{}")
    at, waiting = native(row["at"]), row["waiting"] or 0
    return FactRun(
        run_id=row["run_id"],
        at=at,
        status=row["status"],
        read_from=row["read_from"],
        counts=counts,
        waiting=waiting,
        seen_from=row["seen_from"],
    )


def _turn(row: Row) -> HeardTurn:
    row = row | {"at": native(row["at"]), "before": tuple(row["before"]), "vector": row["vector"] or b""}
    return HeardTurn(**row)


def _event(row: Row) -> NewEvent:
    things = tuple((place, name) for place, name in row["things"])
    return NewEvent(row["node_id"], row["text"], native(row["at"]), things, row["vector"] or b"")


def _commit_seen(run: Run, rows: Sequence[Row], run_id: str, now: datetime) -> None:
    """Write facts of videos. Of a relation with one value at a time, the one that was stated last holds."""
    run("facts/commit_seen", run_id=run_id, rows=rows, now=now)
    slots = {(row["subject"], row["relation"]) for row in rows if relation_kind(row["relation"]).single}
    if slots:
        named = [{"subject": subject, "relation": relation} for subject, relation in sorted(slots)]
        run("facts/settle_slots", slots=named, now=now)


def _seen_row(number: int, fact: SeenFact, scope_text: str) -> Row:
    return {
        "number": number,
        "fact_id": fact_id(fact.triple),
        **fact.triple._asdict(),
        **picked(fact, "text", "language", "at", "ends_at", "confidence"),
        "said": fact.at.timestamp(),
        "node_ids": list(fact.node_ids),
        "scope_text": scope_text,
    }


def _props(change: Change, now: datetime) -> dict[str, Any]:
    """Return the properties to set. A fact that stops being believed also gets the time, as archived_at."""
    props = dict(change.after)
    if props.get("status") in ("archived", "merged_into", "deprecated"):
        props["archived_at"] = now
    return props


def _restored(current: Row, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that take a change back.

    current: the fact as it is now.
    before, after: the values that the run found and those that it set. A value that differs from `after` was changed
        by somebody else since, and is left alone.
    """
    props: dict[str, Any] = {}
    for name, value in after.items():
        if name in _SUMS:
            props[name] = current[name] - (value - before[name])
        elif native(current[name]) == value:
            props[name] = before[name]
    if props.get("status") in ("active", "pending_embed"):
        props |= {"archived_at": None, "replaced_by": None}
    return props


# --- the journal as JSON


def _unit_data(unit: Unit) -> dict[str, Any]:
    """Return a unit as JSON data: "c" lists its changes and "l" its relationships, which `_unit` reads again."""
    return {
        "c": [[c.fact_id, c.version, _encoded(c.before), _encoded(c.after), list(c.why)] for c in unit.changes],
        "l": [
            [x.link, x.source, x.target, _encoded(x.props), None if x.before is None else _encoded(x.before)]
            for x in unit.links
        ],
    }


def _unit(data: dict[str, Any]) -> Unit:
    changes = (Change(i, v, _timed(b), _timed(a), tuple(why)) for i, v, b, a, why in data["c"])
    links = (LinkChange(k, s, t, _timed(p), None if b is None else _timed(b)) for k, s, t, p, b in data["l"])
    return Unit(tuple(changes), tuple(links))


def _encoded(props: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties with times as ISO 8601 text."""
    return {name: native(v).isoformat() if name in _TIMES and v is not None else v for name, v in props.items()}


def _timed(props: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties of the journal with times as datetimes: the reverse of `_encoded`."""
    return {
        name: datetime.fromisoformat(value) if name in _TIMES and value is not None else value
        for name, value in props.items()
    }


def _decoded(data: bytes) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads(zlib.decompress(data)))
