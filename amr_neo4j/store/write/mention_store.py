"""Reads turns for extraction, and writes their mentions and relations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from datetime import UTC, datetime
from math import inf
from typing import Any

from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.domain.mention import Extracted, Mention, Relation, Window, Written
from amr_neo4j.domain.page import WHOLE, Page, PageRequest
from amr_neo4j.domain.plain import picked
from amr_neo4j.store.database import Database, Row, Run, in_parts
from amr_neo4j.store.read.pages import page_of
from amr_neo4j.store.write.facts import commit_facts

# Episodes that are handed out for extraction at once.
_EPISODES_PER_READ = 100
# Mentions or relations per transaction of an import.
_MENTIONS_PER_COMMIT = 1000
# The properties of a mention that are never null.
_OF_MENTION = {"session_id", "id", "turn", "type", "text", "episode_id", "valid_at", "created_at"}


class MentionStore:
    """Mentions and relations of one group; every read and write is limited to one user."""

    def __init__(self, database: Database, group_id: str, *, now: Callable[[], datetime]) -> None:
        self._database = database
        self.group_id = group_id
        self._now = now

    def waiting(self, user_id: str, session_id: str | None = None, *, again: bool = False) -> Iterator[list[str]]:
        """Yield the ids of episodes that were not extracted yet, page by page, in order of session and turn.

        again: those that rules have read, instead.
        """
        # The next page starts after the last episode of this one, whether or not that was extracted in the meantime.
        place: dict[str, Any] = {"after_session": "", "after_turn": -1}
        which: dict[str, Any] = {"session_id": session_id, "again": again, "limit": _EPISODES_PER_READ}
        while page := self._read("waiting_for_extraction", user_id, **which, **place):
            yield [row["episode_id"] for row in page]
            place = {"after_session": page[-1]["session_id"], "after_turn": page[-1]["turn"]}

    def windows(self, user_id: str, episode_ids: Sequence[str], turns: int) -> list[Window]:
        """Return each turn with the turns just before it, this many in all, and their mentions."""
        rows = self._read("mention_windows", user_id, episode_ids=list(episode_ids), turns=turns)
        return [self._window(user_id, row["episodes"]) for row in rows]

    def commit(
        self, user_id: str, episodes: Sequence[Episode], found: Extracted, extractor: str, *, again: bool = False
    ) -> Written:
        """Write the mentions and relations of these episodes, and their changes of facts, in one transaction.

        Episodes that were extracted before are skipped. A turn that already states facts in the graph was read
        before; its changes are skipped too, so that they do not count as evidence twice.
        again: only episodes that rules have read; what is found replaces what the rules found.
        """
        params = self._params(user_id, [e.episode_id for e in episodes], found, extractor, again=False)

        def write(run: Run) -> Written:
            if again:
                kept = [row["own_id"] for row in (*params["mentions"], *params["relations"])]
                which = {name: params[name] for name in ("group_id", "user_id", "episode_ids")}
                run("conversations/take_back_rules", **which, kept=kept)
            [row] = run("conversations/commit_mentions", **params)
            taken = frozenset(row["taken"])
            changing = [e.episode_id for e in episodes if e.changes and e.episode_id in taken]
            if not changing:
                return Written(taken)
            whose = {"group_id": self.group_id, "user_id": user_id}
            [read] = run("facts/turns_with_facts", **whose, episode_ids=changing)
            fresh = [e for e in episodes if e.episode_id in changing and e.episode_id not in read["episode_ids"]]
            commit_facts(run, fresh, params["now"])
            changes = [change for episode in fresh for change in episode.changes]
            return Written(taken, sum(not change.retracted for change in changes))

        return self._database.in_transaction(write)

    def _add(self, user_id: str, episode_ids: Iterable[str], found: Extracted, extractor: str) -> None:
        """Write mentions and relations, even of episodes that were extracted before."""
        params = self._params(user_id, episode_ids, found, extractor, again=True)
        self._database.write("conversations/commit_mentions", **params)

    def _params(
        self, user_id: str, episode_ids: Iterable[str], found: Extracted, extractor: str, *, again: bool
    ) -> dict[str, Any]:
        return {
            "group_id": self.group_id,
            "user_id": user_id,
            "episode_ids": sorted(episode_ids),
            "extractor": extractor,
            "again": again,
            "mentions": [_mention_row(mention) for mention in found.mentions],
            "relations": [_relation_row(relation) for relation in found.relations],
            "now": self._now(),
        }

    def take_in(self, user_id: str, found: Extracted, extractor: str) -> None:
        """Import mentions and relations. All mentions come first, because a relation connects two of them."""

        def mentions(part: Sequence[Mention]) -> None:
            self._add(user_id, {mention.episode_id for mention in part}, Extracted(tuple(part)), extractor)

        def relations(part: Sequence[Relation]) -> None:
            self._add(
                user_id, {relation.episode_id for relation in part}, Extracted(relations=tuple(part)), extractor
            )

        list(in_parts(found.mentions, mentions, at_once=_MENTIONS_PER_COMMIT))
        list(in_parts(found.relations, relations, at_once=_MENTIONS_PER_COMMIT))

    def episodes(
        self,
        user_id: str,
        session_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        asked: PageRequest = WHOLE,
    ) -> Page[Episode]:
        """Return a page of a user's episodes, or those of a session, in order of session and turn.

        as_of: only episodes said by then.
        known_at: only episodes that were stored by then.
        """
        params = {"session_id": session_id, **asked.bounds, **_by(as_of, known_at)}
        rows = self._read("episodes_of_user", user_id, **params)
        return page_of(rows, asked, "episode", lambda row: self._episode(user_id, row["episode"]))

    def episodes_by_id(self, user_id: str, episode_ids: Sequence[str]) -> dict[str, Episode]:
        """Return episodes by id; unknown ids are left out."""
        rows = self._read("episodes_by_id", user_id, episode_ids=list(episode_ids))
        return {row["episode"]["episode_id"]: self._episode(user_id, row["episode"]) for row in rows}

    def mentions(
        self,
        user_id: str,
        session_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        asked: PageRequest = WHOLE,
        *,
        among: Iterable[Episode] | None = None,
    ) -> Page[Mention]:
        """Return a page of the mentions of a user, or of a session, in order of session and turn.

        as_of: only what was said by then.
        known_at: only what was stored by then.
        among: only of these turns, which follow one another in their sessions.
        """
        params = {"session_id": session_id, "spans": _spans(among), **_by(as_of, known_at)}
        rows = self._read("mentions_of_user", user_id, **params, **asked.bounds)
        read = [row | {"mention": _complete(row["mention"], _OF_MENTION)} for row in rows]
        return page_of(read, asked, "mention", lambda row: self._mention(user_id, row["mention"]))

    def relations(
        self,
        user_id: str,
        session_id: str | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        asked: PageRequest = WHOLE,
        *,
        among: Iterable[Episode] | None = None,
    ) -> Page[Relation]:
        """Return a page of what the turns of a user, or of a session, state; otherwise as `mentions`."""
        params = {"session_id": session_id, "spans": _spans(among), **_by(as_of, known_at)}
        rows = self._read("relations_of_user", user_id, **params, **asked.bounds)

        def complete(row: Row) -> Row | None:
            ends = [_complete(row[name], _OF_MENTION) for name in ("source", "target")]
            return row["relation"] if all(ends) else None

        def relation(row: Row) -> Relation:
            ends = [self._mention(user_id, row[name]) for name in ("source", "target")]
            return _relation(row["relation"], ends[0], ends[1])

        return page_of([row | {"relation": complete(row)} for row in rows], asked, "relation", relation)

    def mentions_by_id(self, user_id: str, ids: Sequence[str]) -> dict[str, Mention]:
        """Return the mentions with these ids that the graph has, by id."""
        [row] = self._read("ids_in_use", user_id, mentions=list(ids), relations=[])
        return {each["id"]: self._mention(user_id, each) for each in row["mentions"]}

    def in_use(self, user_id: str, found: Extracted) -> dict[str, str]:
        """Return {id: session} of the ids in `found` that another mention or relation of the user already has.

        A mention or relation that is itself in the graph is no conflict: its own_id, made from its content, is equal.
        """
        mentions = {mention.id: mention.own_id for mention in found.mentions if mention.id}
        relations = {relation.id: relation.own_id for relation in found.relations if relation.id}
        [row] = self._read("ids_in_use", user_id, mentions=list(mentions), relations=list(relations))
        held = {each["id"]: self._mention(user_id, each) for each in row["mentions"]}
        used = {i: other.session.session_id for i, other in held.items() if other.own_id != mentions[i]}
        for each in row["relations"]:
            ends = self._mention(user_id, each["source"]), self._mention(user_id, each["target"])
            if _relation(each["relation"], *ends).own_id != relations[each["relation"]["id"]]:
                used[each["relation"]["id"]] = ends[0].session.session_id
        return used

    def _read(self, name: str, user_id: str, **params: Any) -> list[dict[str, Any]]:
        return self._database.read(f"conversations/{name}", group_id=self.group_id, user_id=user_id, **params)

    def _session(self, user_id: str, row: Row) -> Session:
        return Session(self.group_id, user_id, row["session_id"])

    def _episode(self, user_id: str, row: Row) -> Episode:
        plain = ("episode_id", "type", "actor", "actor_id", "content", "turn", "turn_id", "shown", "content_sha256")
        return Episode(
            session=self._session(user_id, row),
            valid_at=row["valid_at"].to_native(),
            created_at=row["created_at"].to_native(),
            metadata=json.loads(row["metadata"]),
            vector_id=row["vector_id"],
            **{name: row[name] for name in plain},
        )

    def _window(self, user_id: str, rows: Sequence[Row]) -> Window:
        # The last row is the turn itself, whose mentions are still to be found.
        mentions = [self._mention(user_id, found) for row in rows[:-1] for found in row["mentions"]]
        return Window(tuple(self._episode(user_id, row) for row in rows), tuple(mentions))

    def _mention(self, user_id: str, row: Row) -> Mention:
        times = {name: row[name].to_native() for name in ("valid_at", "created_at")}
        plain = {name: row[name] for name in ("turn", "type", "text", "episode_id", "id")}
        return Mention(
            session=self._session(user_id, row),
            **plain,
            **times,
            start=row.get("char_start"),
            end=row.get("char_end"),
        )


def _by(as_of: datetime | None, known_at: datetime | None) -> dict[str, Any]:
    """Return the time bounds as parameters.

    known_at goes in UTC, as created_at is: Neo4j orders equal moments by their offset.
    """
    clock = inf if as_of is None else as_of.timestamp()
    return {"as_of": clock, "known_at": known_at and known_at.astimezone(UTC)}


def _complete(properties: Row | None, required: Set[str]) -> Row | None:
    """Return the properties of a node; None if another transaction has deleted it, so that it has none."""
    return properties if properties and properties.keys() >= required else None


def _spans(episodes: Iterable[Episode] | None) -> list[dict[str, Any]] | None:
    """Return the turns from the first to the last one of these episodes in each of their sessions."""
    if episodes is None:
        return None
    turns: dict[str, list[int]] = {}
    for each in episodes:
        turns.setdefault(each.session.session_id, []).append(each.turn or 0)
    return [{"session_id": name, "since": min(known), "until": max(known)} for name, known in turns.items()]


def _relation(row: Row, source: Mention, target: Mention) -> Relation:
    times = {name: row[name].to_native() for name in ("valid_at", "created_at")}
    plain = {name: row[name] for name in ("type", "turn", "episode_id", "content", "id")}
    return Relation(source=source, target=target, confidence=row.get("confidence"), **plain, **times)


def _mention_row(mention: Mention) -> dict[str, Any]:
    own = mention.own_id
    place = {"char_start": mention.start, "char_end": mention.end}
    return {"id": mention.id or own, "own_id": own, "episode_id": mention.episode_id} | _named(mention) | place


def _relation_row(relation: Relation) -> dict[str, Any]:
    own = relation.own_id
    return {
        "id": relation.id or own,
        "own_id": own,
        **picked(relation, "episode_id", "type", "content", "confidence"),
        "source": _named(relation.source) | {"turn": relation.source.turn},
        "target": _named(relation.target) | {"turn": relation.target.turn},
    }


def _named(mention: Mention) -> dict[str, Any]:
    return {"type": mention.type, "text": mention.text}
