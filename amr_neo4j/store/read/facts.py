"""Reads the facts of one user: lists them, searches them, and finds turns whose statements were replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from math import inf
from typing import Any, NamedTuple

from amr_neo4j.domain.belief import Planned
from amr_neo4j.domain.citation_form import event_label
from amr_neo4j.domain.episode import SaidTurn, forgotten_fact_key
from amr_neo4j.domain.event import said_id
from amr_neo4j.domain.fact import NEW_CONFIDENCE, Fact, FactStatus, KnownFact, Triple, fact_id
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.ports import Replacements
from amr_neo4j.domain.recall import Citation, Held, OutdatedTurn, Recalled, Replacement, Scope, TurnCitation
from amr_neo4j.store import full_text
from amr_neo4j.store.database import Database, Row, Run, Scoped, native, of_fact, whole
from amr_neo4j.store.read.read_cache import Admit, admit_all, embedded

# A fact that waits for its embedding is believed like an active one; only vector search cannot find it yet.
_BELIEVED: tuple[FactStatus, ...] = ("active", "pending_embed")
_ALL: tuple[FactStatus, ...] = (*_BELIEVED, "candidate", "stale", "archived", "deprecated", "merged_into")

# Columns of a fact that are never null.
_OF_FACT = (*Triple._fields, "text", "confidence")


class Forgettings(NamedTuple):
    """How often something of a user was forgotten, by two counters in the graph.

    forgotten: the counter of the user.
    rewritten: that of the group, which counts what was forgotten of any user.
    upkeep, group: when the nodes with these counters were made; None if there is no node. A node that was deleted
        and recreated counts from 0, so that its count alone could look unchanged.
    """

    upkeep: int | None
    forgotten: int
    group: int | None
    rewritten: int

    def differ(self, before: Forgettings) -> bool:
        """Return whether something of the user may have been forgotten since `before` was read.

        If the user has no counter, or had none then, the group's counter decides.
        """
        if self.upkeep is not None and self.upkeep == before.upkeep:
            return self.forgotten != before.forgotten
        return before.upkeep is not None or self.of_group_differ(before)

    def of_group_differ(self, before: Forgettings) -> bool:
        """Whether something of the group was forgotten, or changed other than by adding, since `before` was read."""
        return (self.group, self.rewritten) != (before.group, before.rewritten)


class FactChanges(NamedTuple):
    """How many facts of a user changed since a moment, and the sum of the times. It differs after a change."""

    facts: int = 0
    updated: int = 0


class StoredFacts:
    """The facts of a user of a group; every read is limited to one user."""

    def __init__(self, database: Database, group_id: str) -> None:
        self._facts = Scoped(database, group_id=group_id)

    def active(self, user_id: str, most: int) -> list[KnownFact]:
        """Return at most `most` active facts and candidates, those stated last first."""
        rows = self._facts.read("facts/active_facts", user_id=user_id, limit=most)
        return [_known(row) for row in whole(rows, *_OF_FACT, "weight", "said")]

    def updated(self, user_id: str, since: datetime) -> tuple[list[KnownFact], list[KnownFact], datetime]:
        """Return the facts that changed since a moment: (active ones, retired ones, time of the last change)."""
        rows = whole(
            self._facts.read("facts/facts_updated", user_id=user_id, since=since), *_OF_FACT, "weight", "said"
        )
        active = [_known(row) for row in rows if row["status"] == "active"]
        gone = [_known(row) for row in rows if row["status"] != "active"]
        return active, gone, native(rows[-1]["updated"]) if rows else since

    def changed(self, since: Mapping[str, datetime]) -> dict[str, FactChanges]:
        """Return what changed of each user's facts. since: {user_id: moment from which on changes count}."""
        given = [{"user_id": user_id, "moment": moment} for user_id, moment in since.items()]
        rows = self._facts.read("facts/facts_changed", since=given)
        return dict.fromkeys(since, FactChanges()) | {row.pop("user_id"): FactChanges(**row) for row in rows}

    def forgettings(self, user_ids: Sequence[str]) -> dict[str, Forgettings]:
        """Return {user_id: how often something of the user was forgotten}."""
        rows = self._facts.read("facts/forgettings", user_ids=list(user_ids))
        return {row.pop("user_id"): Forgettings(**row) for row in rows}

    def said_turns(self, user_id: str, after: int, most: int) -> tuple[list[tuple[str, SaidTurn]], int]:
        """Return (a user's latest turns with their actors, in order; the number of the last one).

        Only turns that were stored after the number `after` and that memory may recall; at most `most`.
        """
        found = self._facts.read("facts/said_turns", user_id=user_id, after=after, limit=most)
        rows = whole(found, "number", "episode_id", "actor", "text", "said")[::-1]
        turns = [
            (
                row["actor"],
                SaidTurn(row["episode_id"], row["text"], row["said"], tuple(Triple(*each) for each in row["states"])),
            )
            for row in rows
        ]
        return turns, rows[-1]["number"] if rows else after

    def still_recalled(self, user_id: str, held: Held) -> Held:
        """Return those of some turns and events that are there and that their speaker lets memory recall."""
        turns = [each for each in held if isinstance(each, str)]
        events = [each for each in held if isinstance(each, int)]
        held_by = {"user_id": user_id, "episode_ids": turns, "node_ids": events}
        [row] = self._facts.read("recall/still_recalled", **held_by)
        return frozenset(row["turns"]) | frozenset(row["events"])

    def facts(
        self,
        user_id: str,
        asked: PageRequest,
        *,
        subject: str | None,
        relation: str | None,
        history: bool = False,
        contradicted: bool = False,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Page[Fact]:
        """Return a page of a user's facts, each with the turns that state it.

        subject, relation: only facts with these; None for any.
        history: also facts that are no longer believed.
        contradicted: only facts with a contradiction that nobody has settled.
        as_of, known_at: those that were believed then; not together with history or contradicted.
        """
        is_then = as_of is not None or known_at is not None
        [row] = self._facts.read(
            "facts/facts_of_user",
            user_id=user_id,
            status=list(_ALL if history or is_then else _BELIEVED),
            subject=subject,
            relation=relation,
            history=history,
            contradicted=contradicted,
            after=asked.after,
            limit=asked.limit + 1,
            **_moment(as_of, known_at),
        )
        page = asked.page(row["facts"], row["total"], lambda fact: [fact["said"], fact["fact_id"]])
        required = ("fact_id", *_OF_FACT, "weight", "evidence_count", "first_said", "last_said")
        return replace(page, items=tuple(map(_fact, whole(page.items, *required))))

    def held(self, user_id: str) -> list[tuple[str, float, int]]:
        """Return (status, confidence, evidence_count) of every fact of a user, retired ones included."""
        rows = self._facts.read("facts/measures", user_id=user_id, status=list(_ALL))
        names = ("status", "confidence", "evidence")
        return [(row["status"], row["confidence"], row["evidence"]) for row in whole(rows, *names)]

    def use(self, user_id: str) -> dict[str, int]:
        """Return {name: number}: how replies in live conversations used this user's memory; {} before the first."""
        rows = self._facts.read("facts/use_counts", user_id=user_id)
        return dict(rows[0]) if rows else {}


class FactForgetter:
    """Deletes facts for good."""

    def __init__(self, database: Database, group_id: str, now: Callable[[], datetime]) -> None:
        self._facts = Scoped(database, group_id=group_id)
        self._now = now

    def forget(self, user_id: str, subject: str, relation: str, object: str, *, dry_run: bool = False) -> int:
        """Delete all facts of a subject, those with one relation, or a single fact. Returns their number.

        Turns that were said before now and are committed later do not bring the facts back, nor do imports that were
        asked for before now.

        relation, object: "" for any.
        dry_run: only count.
        """
        now = self._now()
        one = fact_id(Triple(subject, relation, object)) if relation and object else None
        params: dict[str, Any] = {"user_id": user_id, "subject": subject, "fact_id": one}
        params |= {"relation": relation or None, "object": object or None}
        params |= {"now": now, "said": now.timestamp(), "no_data": b""}
        key = forgotten_fact_key(user_id, subject, relation, object)

        def forget(run: Run) -> int:
            run("forgetting/note_forgotten", key=key, now=now)  # for imports, which may bring the facts later
            return run("facts/forget_facts", **params)[0]["facts"]

        return self._facts.in_transaction(forget, dry_run=dry_run)


def _known(row: Row) -> KnownFact:
    return KnownFact(
        triple=Triple(row["subject"], row["relation"], row["object"]),
        text=row["text"],
        weight=row["weight"],
        said=row["said"],
        session_id=row["session_id"],
        language=row["language"],
        pinned=row["pinned"],
        strength=row["strength"],
        ends=row["ends"],
        confidence=row["confidence"],
        opposed=tuple(Triple(*opposed) for opposed in row["opposed"]),
        waits=row["status"] == "candidate",
    )


def _fact(row: Row) -> Fact:
    events = tuple(event_label(*event) for event in whole(row["events"], *range(4)))
    parts = of_fact(row | {"episode_ids": tuple(row["episode_ids"]), "events": events})
    del parts["said"]
    return Fact(**parts)


# Most confidence of a candidate.
_DOUBTFUL = 0.4
# The most hits of Lucene among which active facts are looked for.
_MOST_HITS = 5000


class FactSearch:
    """Finds active facts of a user: by number, by words, or by subject and relation."""

    def __init__(self, database: Database, group_id: str, user_id: str, admit: Admit = admit_all) -> None:
        """admit: called with (model, dimension) of the group at each read by number; may raise."""
        self._facts = Scoped(database, group_id=group_id, user_id=user_id)
        self._required = full_text.turn_tokens(Scope(group_id, user_id=user_id))
        self._admit = admit
        self._then = _moment(None, None)

    def by(self, as_of: datetime | None, known_at: datetime | None) -> FactSearch:
        """Return a search over what was believed at a moment, whatever its confidence.

        If both are None, it is a search over what is believed now, and confidence counts. The moment applies to
        `believed`, `by_words`, `by_ids` and `outdated`.
        """
        then = copy(self)
        then._then = _moment(as_of, known_at)
        return then

    def believed(self, vector_ids: Sequence[int], confidence: float) -> dict[int, Recalled]:
        """Return {vector_id: fact} of those that are active with more than this confidence."""
        params = {"vector_ids": list(vector_ids), "confidence": self._least(confidence), **self._then}
        [row] = self._facts.read("facts/recall_facts", **params)
        self._admit(embedded(row))
        return {fact["vector_id"]: self._recalled(fact) for fact in whole(row["facts"], *_OF_FACT)}

    def _least(self, confidence: float) -> float:
        """Return the confidence that facts must have: 0 for an earlier moment, at which they may have been surer."""
        return 0.0 if any(self._then.values()) else confidence

    def _recalled(self, row: Row) -> Recalled:
        fact = _recalled(row)
        return replace(fact, status="active") if any(self._then.values()) else fact

    def unindexed_from(self) -> int | None:
        """Return the first vector_id that a dense index may lack after it catches up now; None if it will have all.

        While facts wait for their embedding, some may get one after the index has caught up. Facts that still wait
        have no vector_id and are missing in any case.
        """
        [row] = self._facts.read("facts/recall_state")
        return row["next"] if row["waiting"] else None

    def has_turns_waiting(self) -> bool:
        """Return whether turns of the user wait for their embedding."""
        [row] = self._facts.read("facts/turns_waiting")
        return row["waiting"]

    def by_words(self, text: str, limit: int, confidence: float, since: int | None = None) -> list[Recalled]:
        """Return at most `limit` active facts that contain words of the text, best first.

        since: only facts that a dense index may lack, from the number that `unindexed_from` returned; None for all.
        """
        params = {"confidence": self._least(confidence), "since": since, **self._then}
        found: list[Recalled] = []
        for query in full_text.queries(text, self._required):

            def fetch(fetched: int, query: str = query) -> tuple[int, list[Row]]:
                [row] = self._facts.read("facts/recall_by_words", query=query, limit=fetched, **params)
                return row["found"], whole(row["facts"], *_OF_FACT)

            found += map(self._recalled, full_text.widened(fetch, limit, _MOST_HITS))
        return found[:limit]

    def about(
        self,
        subjects: Sequence[str],
        relations: Sequence[str],
        confidence: float,
        limit: int,
        as_of: datetime | None = None,
        *,
        objects: Sequence[str] = (),
        held: Sequence[str] = (),
    ) -> list[Recalled]:
        """Return at most `limit` facts with one of these subjects and one of these relations: the most certain first,
        and the latest of equal ones. With as_of, the latest come first.

        objects, held: also the facts of any subject with one of these objects and one of these relations.
        as_of: the facts that turns had stated by then, even if they were replaced later.
        """
        slots = {"subjects": list(subjects), "relations": list(relations)}
        slots |= {"objects": list(objects), "held": list(held)}
        params = {**slots, **_moment(as_of, None), "new": NEW_CONFIDENCE, "confidence": confidence, "limit": limit}
        [row] = self._facts.read("facts/facts_about", **params)
        return [_recalled(fact) for fact in whole(row["facts"], *_OF_FACT)]

    def plans(self, limit: int, as_of: datetime | None = None) -> list[Planned]:
        """Return at most `limit` plans, the latest first. as_of: only those made by this moment; None: by now."""
        params = {"limit": limit, "as_of": as_of and as_of.timestamp()}
        [row] = self._facts.read("facts/plans", **params)
        found: list[Planned] = []
        for plan in whole(row["plans"], "subject", "object", "text", "confidence", "said"):
            turn, event = plan["turn"], plan["event"]
            if turn is None and event is None:
                continue
            found.append(
                Planned(
                    who=plan["subject"],
                    what=plan["object"],
                    text=plan["text"],
                    confidence=plan["confidence"],
                    said=plan["said"],
                    node_id=event if turn is None else said_id(turn),
                    ends_at=native(plan["ends_at"]),
                    dropped=plan["dropped"],
                    language=plan["language"] or "",
                )
            )
        return found

    def by_ids(self, fact_ids: Sequence[str]) -> list[Recalled]:
        """Return the believed facts of these ids."""
        [row] = self._facts.read("facts/facts_by_id", fact_ids=list(fact_ids), **self._then)
        return [self._recalled(fact) for fact in whole(row["facts"], *_OF_FACT)]

    def full_names(self, parts: Sequence[str]) -> frozenset[str]:
        """Return the subjects of several words whose first or last word is one of these, in lower case."""
        [row] = self._facts.read("facts/full_names", parts=list(parts))
        return frozenset(row["names"])

    def turns_of_others(
        self,
        turns: Sequence[int],
        subjects: Sequence[str],
        relations: Sequence[str],
        roles: Sequence[str],
        two_sided: Sequence[str],
        *,
        is_now: bool,
    ) -> set[int]:
        """Return the node_ids of turns that state one of these relations, but never about one of these subjects.

        roles: relations that name a person, such as "sister". They count as a statement about their object only.
        two_sided: relations that count as a statement about their object as well: two people are friends.
        is_now: what was taken back since does not count as stated.
        """
        ids = [said_id(node_id) for node_id in turns]
        slots = {"subjects": list(subjects), "relations": list(relations), "roles": list(roles), "is_now": is_now}
        slots["two_sided"] = list(two_sided)
        [row] = self._facts.read("facts/turns_of_others", **slots, vector_ids=ids)
        return {said_id(vector_id) for vector_id in row["turns"]}

    def outdated(self, vector_ids: Sequence[int]) -> dict[int, OutdatedTurn]:
        """Return those of the turns that state something that was replaced or taken back, by vector_id."""
        rows = self._facts.read("facts/facts_of_turns", vector_ids=list(vector_ids), **self._then)
        return {row["vector_id"]: OutdatedTurn(row["whole"], tuple(sorted(row["over"]))) for row in rows}


def _moment(as_of: datetime | None, known_at: datetime | None) -> dict[str, Any]:
    """Return the parameters of `believed` in recall/scope.cypher."""
    # In UTC, as created_at is: Neo4j orders equal moments by their offset.
    return {"as_of": as_of and as_of.timestamp(), "known_at": known_at and known_at.astimezone(UTC)}


def _recalled(row: Row) -> Recalled:
    triple = Triple(row["subject"], row["relation"], row["object"])
    source = _latest(row["turn"], row["event"])
    # A candidate was said too weakly to be believed: an answer from it is doubtful.
    confidence = min(row["confidence"], _DOUBTFUL) if row["status"] == "candidate" else row["confidence"]
    said = native(row["last_updated"])
    return Recalled(
        "fact",
        row["text"],
        confidence,
        said,
        source,
        triple=triple,
        fact_id=row["fact_id"],
        status=row["status"],
        opposed=tuple(row["opposed"]),
        by_hand=row["by_hand"],
    )


def _latest(turn: Row | None, event: Row | None) -> Citation | TurnCitation | None:
    """Return the later of a turn and an event as a citation. If a time is unknown, the turn is preferred."""
    turn = _if_whole(turn, "vector_id", "episode_id", "session_id", "turn", "turn_id", "actor", "valid_at")
    event = _if_whole(event, "node_id", "video_id", "time_start", "time_end")
    if turn and (not event or _is_later(turn["stated_at"], event["shown_at"])):
        return TurnCitation(
            node_id=said_id(turn["vector_id"]),
            episode_id=turn["episode_id"],
            session_id=turn["session_id"],
            turn=turn["turn"],
            turn_id=turn["turn_id"],
            actor=turn["actor"],
            valid_at=native(turn["valid_at"]),
        )
    if event:
        return Citation(event["node_id"], event["video_id"], event["time_start"], event["time_end"])
    return None


def _if_whole(node: Row | None, *required: str) -> Row | None:
    return next(iter(whole([node], *required)), None) if node else None


def _is_later(one: Any, other: Any) -> bool:
    """Return whether `one` is not before `other`. True also if either is unknown."""
    return one is None or other is None or native(one) >= native(other)


class StatedReplacements(Replacements):
    """Implements domain.ports.Replacements with the facts that turns state."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, node_ids: Sequence[int], scope: Scope) -> list[Replacement]:
        """As domain.ports.Replacements. Returns nothing for a scope without conversations."""
        turns = [said_id(node_id) for node_id in node_ids if node_id < 0]
        if not turns or not scope.has_turns:
            return []
        ends = [moment.timestamp() for moment in (scope.as_of, scope.until) if isinstance(moment, datetime)]
        whose = {"group_id": scope.group_id, "user_id": scope.user_id, "as_of": min(ends, default=inf)}
        rows = self._database.read("facts/replaced_turns", vector_ids=turns, **whose)
        return [Replacement(said_id(r["old"]), said_id(r["new"]), native(r["at"]), r["whole"]) for r in rows]
