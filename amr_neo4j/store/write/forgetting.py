"""Deletes what is to be forgotten: turns, footage, what receipts say about a person, and the freed bytes on disk."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal, TypeVar

from amr_neo4j.domain.batches import batched
from amr_neo4j.domain.episode import Forgotten, forgotten_footage_key, forgotten_group_key, forgotten_key
from amr_neo4j.domain.forgotten import (
    ANY_FILM,
    UNKNOWN_FILM,
    WHOLE_FILM,
    ForgottenFootage,
    Selection,
    contains_name,
    footage_key,
)
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.store import schema
from amr_neo4j.store.database import Database, Row, Run, in_parts
from amr_neo4j.store.integrity import properties
from amr_neo4j.store.keys import chain_key, person_chain
from amr_neo4j.store.write.clip_commit import state_of, supersede, write_edges
from amr_neo4j.store.write.edges import VideoState, edges_of
from amr_neo4j.store.write.rows import video_of

# Episodes per transaction.
_EPISODES_AT_ONCE = 500
# More turns than a user has.
_ALL = 2**31
T = TypeVar("T")


class Forgetter:
    """Deletes episodes. Interrupted halfway, it keeps what it has deleted; run it again to finish."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def forget(
        self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None
    ) -> Forgotten:
        """Delete a user's episodes, those of one session, or a single one. Returns the counts of what was deleted."""
        # First, so that a turn which another machine commits from now on is refused or found below.
        self._note_forgotten(group_id, forgotten_key(user_id, "" if episode_id else session_id, episode_id))
        whole = {"user_id": user_id, "session_id": session_id}
        total = Forgotten() if episode_id else self._swept(group_id, damaged=True, **whole)
        # Read again after every transaction, until nothing is left: turns may arrive in the meantime.
        while episode_ids := [episode_id] if episode_id else self._some(group_id, user_id, session_id):
            whose = {"group_id": group_id, "user_id": user_id, "now": self._now()}
            for part in in_parts(episode_ids, partial(self._forget_part, whose, session_id)):
                total = total.and_also(part)
            if episode_id:
                break
        if not episode_id:
            total = total.and_also(self._swept(group_id, **whole))
        return total

    def note_group(self, group_id: str) -> None:
        """Note that a group is forgotten, so that turns in the spool of another machine are not committed.

        Call it before anything of the group is deleted.
        """
        # The note itself has no group: what has the group's name is deleted with the group.
        self._note_forgotten("", forgotten_group_key(group_id))

    def _note_forgotten(self, group_id: str, key: str) -> None:
        self._database.write("forgetting/note_forgotten", group_id=group_id, key=key, now=self._now())

    def _swept(self, group_id: str, **what: Any) -> Forgotten:
        return Forgotten.of(sweep(self._database, group_id, self._now, **what))

    def expire(self, group_id: str, user_id: str, *, turns: float | None, facts: float | None) -> Forgotten:
        """Delete facts that were stated last before a moment, then turns that were said before one. Safe to repeat.

        Pinned facts stay, and so do turns in which a fact that stays was stated or taken back.
        turns, facts: the moments in epoch seconds; None to keep all.
        """
        whose = {"group_id": group_id, "user_id": user_id}
        total = Forgotten()
        # Most calls find nothing, and then nothing is written.
        while facts is not None and self._database.read("facts/count_expired", **whose, before=facts)[0]["facts"]:
            params = {"before": facts, "limit": _EPISODES_AT_ONCE, "now": self._now(), "no_data": b""}
            [gone] = self._database.write("facts/forget_expired", **whose, **params)
            total = total.and_also(Forgotten(facts=gone["facts"]))
            if not gone["facts"]:
                break
        while turns is not None and (episode_ids := self._expired_turns(whose, turns, facts, _EPISODES_AT_ONCE)):
            before = total
            for part in in_parts(episode_ids, partial(self._forget_part, whose | {"now": self._now()}, None)):
                total = total.and_also(part)
            if total == before:  # what cannot be deleted would be found for ever
                break
        return total

    def count_expired(self, group_id: str, user_id: str, *, turns: float | None, facts: float | None) -> Forgotten:
        """Return how many turns and facts `expire` would delete. Changes nothing."""
        whose = {"group_id": group_id, "user_id": user_id}
        counted = self._database.read("facts/count_expired", **whose, before=facts)[0]["facts"] if facts else 0
        return Forgotten(episodes=len(self._expired_turns(whose, turns, facts, _ALL)) if turns else 0, facts=counted)

    def _expired_turns(self, whose: dict[str, Any], before: float, facts: float | None, most: int) -> list[str]:
        params = {"before": before, "facts_before": facts, "limit": most}
        return [row["episode_id"] for row in self._database.read("conversations/expired_turns", **whose, **params)]

    def count(
        self, group_id: str, user_id: str, session_id: str | None = None, episode_id: str | None = None
    ) -> Forgotten:
        """Return what `forget` would delete. Changes nothing."""
        named = {"session_id": session_id, "episode_id": episode_id}
        [found] = self._database.read("conversations/count_turns", group_id=group_id, user_id=user_id, **named)
        return Forgotten(**found)

    def _forget_part(self, whose: dict[str, Any], session_id: str | None, episode_ids: Sequence[str]) -> Forgotten:
        named = {"session_id": session_id, "episode_ids": list(episode_ids)}
        return self._database.in_transaction(partial(_forget_turns, whose=whose, named=named))

    def _some(self, group_id: str, user_id: str, session_id: str | None) -> list[str]:
        """Return the ids of up to _EPISODES_AT_ONCE episodes of a user or session."""
        name = "conversations/turns_of_session" if session_id else "conversations/turns_of_user"
        named = {"session_id": session_id} if session_id else {}
        rows = self._database.read(name, group_id=group_id, user_id=user_id, limit=_EPISODES_AT_ONCE, **named)
        return [row["episode_id"] for row in rows]


def _forget_turns(run: Run, *, whose: dict[str, Any], named: dict[str, Any]) -> Forgotten:
    """Delete episodes, and the facts that no other episode states.

    Facts that these episodes had replaced or taken back become active again. If that leaves several values of a
    single-valued relation, only the value that was stated last stays active.
    """
    [gone] = run("conversations/forget_turns", **whose, **named, no_data=b"")
    if slots := [slot for slot in gone.pop("slots") if relation_kind(slot["relation"]).single]:
        run("facts/settle_slots", **whose, slots=slots)
    return Forgotten(**gone)


def _clip_key(clip: str) -> str:
    return clip if clip in (WHOLE_FILM, UNKNOWN_FILM) else footage_key(clip)


# Events per transaction. It holds the writers' lock, so an ingest waits for as long as one takes.
_EVENTS_AT_ONCE = 500
# Clips per transaction, even if they have few events.
_CLIPS_AT_ONCE = 500


@dataclass(frozen=True)
class FootageForgetter:
    """Deletes footage of one group, in transactions of about 500 events. If it is interrupted, run it again.

    jump_gap_sec: the setting entity_jump_gap_sec, because deleting events creates edges between their neighbours.
    """

    database: Database
    group_id: str
    jump_gap_sec: float
    now: Callable[[], datetime]

    def forget(self, selection: Selection, *, has_waited: bool = False) -> ForgottenFootage:
        """Delete what is selected; returns the counts of what was deleted. Safe to repeat.

        has_waited: whether clips that were not in the graph yet have just been deleted from the spool.
        """
        total = ForgottenFootage()
        if selection.persons:
            while node_ids := self._events_of_persons(selection):
                for page in batched(node_ids, _EVENTS_AT_ONCE):
                    total = total.and_also(*in_parts(page, partial(self._in_transaction, self._forget_events)))
            return total
        if selection.node_id is not None:
            return self._in_transaction(self._forget_event, [selection.node_id])
        is_video = bool(selection.video_id) and not selection.is_part
        if is_video:
            total = ForgottenFootage.of(self.sweep(damaged=True, video_id=selection.video_id))
            if not total.is_empty:
                self.note_forgotten()
        while clips := self.clips(selection):
            for page in _pages_of_clips(clips):
                forget = partial(self._forget_and_note, is_retention=selection.is_retention)
                in_transaction = partial(self._in_transaction, forget, is_retention=selection.is_retention)
                total = total.and_also(*in_parts(page, in_transaction))
        if is_video:
            total = total.and_also(self._forget_without_receipts(selection.video_id))
            if not total.clips:  # it may be analysed just now, and nothing is committed yet
                self.note([(selection.video_id, WHOLE_FILM if has_waited else UNKNOWN_FILM)])
        return total

    def note_forgotten(self, run: Run | None = None) -> None:
        """Note that footage of the group is forgotten, so that no import that was asked for before goes on."""
        note = {"key": forgotten_footage_key(self.group_id), "now": self.now()}
        (run or self.database.write)("forgetting/note_forgotten", group_id="", **note)

    def note(self, clips: Iterable[tuple[str, str]]) -> None:
        """Note that clips (video_id, clip_id) are forgotten, so that no run that has begun commits them."""
        nowhere = {"t_start": None, "t_end": None}
        marks = [{"film": footage_key(film), "clip": _clip_key(clip), **nowhere} for film, clip in clips]
        if marks:
            query = {"marks": marks, "films": [], "now": self.now()}
            self.database.write("forgetting/note_footage", group_id=self.group_id, **query)

    def note_before(self, video_id: str, before: datetime) -> None:
        """Note that what ended by a moment is forgotten, so that no run that has begun commits it.

        video_id: of this video; "" for all.
        """
        film = footage_key(video_id) if video_id else ANY_FILM
        note = {"key": footage_key(f"{film} before {before.timestamp()}"), "of": film, "before": before}
        self.database.write("forgetting/note_time", group_id=self.group_id, **note, now=self.now())

    def sweep(self, **what: Any) -> Counter[str]:
        """Delete what damage has left of the group or of a video, as the function `sweep` does."""
        return sweep(self.database, self.group_id, self.now, **what)

    def count(self, selection: Selection) -> ForgottenFootage:
        """Return what `forget` would delete. Changes nothing."""
        if selection.node_id is not None:
            parts = self.parts_of_event(selection.node_id)
            clips = _tracked_clips(partial(self.database.read, group_id=self.group_id), parts)
            node_ids = sorted({row["node_id"] for row in parts})
        else:
            clips = [] if selection.persons else self.clips(selection)
            if selection.persons:
                node_ids = self._events_of_persons(selection)
            else:
                node_ids = [row["node_id"] for row in self._read("events_of_clips", clips=clips)]
        # If one part of a merged event is deleted, the merged event is too: its summary describes that part.
        gone = self._read("with_successors", node_ids=node_ids)
        [row] = self._read("count", node_ids=[each["node_id"] for each in gone])
        selected = Counter(clip["video_id"] for clip in clips)
        whole = {clip["video_id"] for clip in clips if clip["clips_of_video"] == selected[clip["video_id"]]}
        return ForgottenFootage(videos=len(whole), clips=len(clips), vectors=len(gone), **row)

    def clips(self, selection: Selection) -> list[Row]:
        """Return the selected clips in order, as rows of forgetting/select_clips."""
        of = {"video_id": selection.video_id or None, "clip_id": selection.clip_id or None}
        return self._read("select_clips", **of, before=selection.before)

    def parts_of_event(self, node_id: int) -> list[Row]:
        """Return an event and what was merged into it, a row for each of their clips; none for an unknown event."""
        return self._read("parts_of_event", node_id=node_id)

    def _forget_event(self, ask: Run, node_ids: Sequence[int]) -> ForgottenFootage:
        """Forget an event with its parts, and what the receipts of their clips tell of it.

        A receipt loses its summary, notes, characters and what was said during the event: it does not say which
        event its words belong to.
        """
        parts = ask("forgetting/parts_of_event", node_id=node_ids[0])
        tracked = _tracked_clips(ask, parts)
        gone = self._forget_events(ask, sorted({row["node_id"] for row in parts}))
        receipts: dict[tuple[str, str], Row] = {}
        for row in parts:
            if row["clip_id"] is None or row["is_tracked"]:
                continue
            key = row["video_id"], row["clip_id"]
            said = receipts[key]["speaker_turns"] if key in receipts else row["speaker_turns"]
            turns = [
                turn
                for turn in json.loads(said)
                if turn["time_end"] <= row["time_start"] or turn["time_start"] >= row["time_end"]
            ]
            where = {"video_id": key[0], "clip_id": key[1]}
            receipts[key] = {**where, "characters": "[]", "speaker_turns": _as_json(turns)}
        if receipts:
            ask("forgetting/strip_receipts", receipts=list(receipts.values()))
        gone = gone.and_also(ForgottenFootage(stripped=len(receipts)))
        # Neither an exploration nor a copy of the film must show it again.
        spans: set[tuple[str, float, float]] = set()
        for row in parts:
            films = (row["video_id"], *row["fingerprints"]) if row["video_id"] else ()
            spans |= {(film, row["time_start"], row["time_end"]) for film in films}
        marks = [
            {"film": footage_key(film), "clip": footage_key(f"event {start}-{end}"), "t_start": start, "t_end": end}
            for film, start, end in sorted(spans)
        ]
        ask("forgetting/note_footage", marks=marks, films=[], now=self.now())
        return gone.and_also(self._forget_and_note(ask, tracked)) if tracked else gone

    def _forget_and_note(self, ask: Run, clips: Sequence[Row], *, is_retention: bool = False) -> ForgottenFootage:
        """Forget clips, and note that they are forgotten, so that a folder does not bring them back.

        is_retention: clips with a wall clock are not noted, since they are left out by their age.
        """
        gone = self._forget_clips(ask, clips)
        marks: list[Row] = []
        films: set[tuple[str, str]] = set()
        for clip in clips:
            if is_retention and clip["is_dated"]:
                continue
            for film in (clip["video_id"], *clip["fingerprints"]):
                seconds = {name: clip[name] for name in ("t_start", "t_end")}
                marks.append({"film": footage_key(film), "clip": footage_key(clip["clip_id"]), **seconds})
                # What has no fingerprint may go on under its id, as a camera's day does.
                if clip["fingerprints"]:
                    films.add((clip["video_id"], footage_key(film)))
        whole = [{"video_id": video_id, "film": film} for video_id, film in sorted(films)]
        if marks:
            ask("forgetting/note_footage", marks=marks, films=whole, now=self.now())
        return gone

    def _events_of_persons(self, selection: Selection) -> list[int]:
        persons = [list(who) for who in selection.persons]
        where = {"video_id": selection.video_id or None, "before": selection.before}
        return [row["node_id"] for row in self._read("events_of_persons", persons=persons, **where)]

    def _forget_without_receipts(self, video_id: str) -> ForgottenFootage:
        """Delete the remaining events of a video: clips that lost their receipts are not found by clip.

        Then delete the video, which may have lost all clips.
        """

        def work(ask: Run, part: Sequence[int]) -> ForgottenFootage:
            gone = self._forget_events(ask, part)
            [deleted] = ask("forgetting/delete_clips", clips=[], video_ids=[video_id])
            return gone.and_also(ForgottenFootage(**deleted))

        total = ForgottenFootage()
        while rows := self._read("events_of_video", video_id=video_id, limit=_EVENTS_AT_ONCE):
            node_ids = [row["node_id"] for row in rows]
            total = total.and_also(*in_parts(node_ids, partial(self._in_transaction, work)))
        return total.and_also(self._in_transaction(work, ()))

    def remove_clips(self, run: Run, clips: Sequence[Row]) -> None:
        """Delete clips that are written again inside the transaction of `run`, which holds the writers' lock.

        Persons, and facts that only these clips show, stay for the clips to come.
        clips: rows with video_id and clip_id.
        """
        self._forget_clips(partial(run, group_id=self.group_id), clips, healing=True)

    def _forget_clips(self, ask: Run, clips: Sequence[Row], *, healing: bool = False) -> ForgottenFootage:
        node_ids = [row["node_id"] for row in ask("forgetting/events_of_clips", clips=clips)]
        gone = self._forget_events(ask, node_ids, healing=healing)
        video_ids = sorted({clip["video_id"] for clip in clips})
        [deleted] = ask("forgetting/delete_clips", clips=clips, video_ids=video_ids)
        return gone.and_also(ForgottenFootage(**deleted))

    def _forget_events(self, ask: Run, node_ids: Sequence[int], *, healing: bool = False) -> ForgottenFootage:
        """Remove events from the current graph as merging does, tie their neighbours to each other, and delete them.

        An event that was merged from one of them is deleted too, and its other parts become current again.
        """
        rows = ask("forgetting/with_successors", node_ids=node_ids)
        if not rows:
            return ForgottenFootage()
        gone, live = [row["node_id"] for row in rows], [row["node_id"] for row in rows if row["is_live"]]
        now = self.now()
        left = supersede(ask, self.group_id, live, now=now)
        edges = edges_of(
            ask, self.group_id, (), gone=left.events, videos=_states(left.events), jump_gap=self.jump_gap_sec
        )
        write_edges(ask, self.group_id, edges)
        restored = self._restore(ask, gone)
        [deleted] = ask("forgetting/delete_events", node_ids=gone, healing=healing, no_data=b"", now=now)
        # Facts that rest on events belong to any user of the group, so each slot names its own.
        for slot in deleted.pop("slots"):
            ask("facts/settle_slots", user_id=slot.pop("user_id"), slots=[slot], now=now)
        merged = deleted.pop("events") - len(live)
        return ForgottenFootage(events=len(live), merged=merged, restored=restored, **deleted)

    def _restore(self, ask: Run, gone: Sequence[int]) -> int:
        """Make events current again that were merged into a deleted event and stay. Returns their number."""
        parts = [self._part(row) for row in ask("forgetting/parts", node_ids=gone)]
        if parts:
            events = ask("forgetting/rejoin_chains", events=parts)
            edges = edges_of(ask, self.group_id, events, videos=_states(events), jump_gap=self.jump_gap_sec)
            ask("forgetting/restore", node_ids=[part["node_id"] for part in parts])
            write_edges(ask, self.group_id, edges)
        return len(parts)

    def _part(self, row: Row) -> Row:
        """Return the row of forgetting/rejoin_chains: an event with the chain keys of its persons and objects."""
        video = video_of(self.group_id, row)
        persons = [who | {"key": person_chain(video, (who["scope"], who["person_id"]))} for who in row["persons"]]
        objects = [{"name": name, "key": chain_key(self.group_id, *video.timeline, name)} for name in row["objects"]]
        return {"node_id": row["node_id"], "persons": persons, "objects": objects}

    def _in_transaction(
        self,
        work: Callable[[Run, Sequence[T]], ForgottenFootage],
        items: Sequence[T],
        *,
        is_retention: bool = False,
    ) -> ForgottenFootage:
        """Run `work` on some items in a transaction that holds the writers' lock, with a Run bound to this group.

        If anything is deleted, running imports are aborted. Retention does not abort them: its next run deletes what
        they brought in.
        """

        def locked(run: Run) -> ForgottenFootage:
            run("ingest/take_turn", now=self.now())
            gone = work(partial(run, group_id=self.group_id), items)
            if not (is_retention or gone.is_empty):
                self.note_forgotten(run)
            return gone

        return self.database.in_transaction(locked)

    def _read(self, name: str, **params: Any) -> list[Row]:
        return self.database.read(f"forgetting/{name}", group_id=self.group_id, **params)


def _tracked_clips(ask: Run, parts: Sequence[Row]) -> list[Row]:
    """Return the clips that are one item of a camera system. More about the item would bring its event back."""
    found: list[Row] = []
    for video_id, clip_id in sorted({(row["video_id"], row["clip_id"]) for row in parts if row["is_tracked"]}):
        found += ask("forgetting/select_clips", video_id=video_id, clip_id=clip_id, before=None)
    return found


def _states(events: Iterable[Row]) -> dict[str, VideoState]:
    return {event["props"]["video_id"]: state_of(event["video"]) for event in events}


def _pages_of_clips(clips: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield pages of clips, in order. A page has at most _EVENTS_AT_ONCE events, unless one clip has more."""
    page: list[Row] = []
    events = 0
    for clip in clips:
        if page and (events + clip["events"] > _EVENTS_AT_ONCE or len(page) == _CLIPS_AT_ONCE):
            yield page
            page, events = [], 0
        page.append(clip)
        events += clip["events"]
    if page:
        yield page


# Nodes per transaction of a sweep.
_SWEPT_AT_ONCE = 1000


def sweep(
    database: Database, group_id: str, now: Callable[[], datetime], *, damaged: bool = False, **whose: str | None
) -> Counter[str]:
    """Delete what is left of a group, or of a user or session of it, because it was damaged by hand.

    damaged: delete what nothing else finds, also of a video. Call it first, while the neighbours that show whose it
        is still exist.
    whose: user_id, session_id or video_id; without any, the whole group with its name on the tombstones.
    Returns how many nodes of each kind were deleted, by the names of ForgottenFootage and Forgotten.
    """
    whole: dict[str, Any] = {"user_id": None, "session_id": None, "video_id": None}
    params = whole | whose | {"damaged": damaged, "types": properties().keys(), "linked": properties().linked}

    def some(run: Run, name: str, **params: Any) -> Row:
        run("ingest/take_turn", now=now())
        return run(f"forgetting/{name}", group_id=group_id, limit=_SWEPT_AT_ONCE, no_data=b"", **params)[0]

    swept: Counter[str] = Counter()
    while (gone := database.in_transaction(partial(some, name="sweep", **params)))["nodes"]:
        swept.update(gone)
    if not damaged and not any(whose.values()):
        while database.in_transaction(partial(some, name="empty_vectors"))["emptied"]:
            pass
    return swept


_RECEIPTS_AT_ONCE = 500
_Entry = dict[str, Any]


def strip_receipts(
    database: Database,
    group_id: str,
    selection: Selection,
    is_them: Callable[[str, str], bool],
    names: Callable[[str], Set[str]],
) -> int:
    """Remove the selected persons from the receipts of clips. Returns how many receipts were changed.

    Where all footage of them goes, they are no longer the wearers of cameras.
    A receipt is changed if it lists one of the persons, or if its clip has an event with one of them. It loses their
    characters and speaker turns. It also loses its summary, notes, errors and replies: these are free text, which may
    name the person in any words. Characters and speaker turns of other people stay; but where an event with a person
    goes, so do the turns that call them by name.
    is_them: (words, video_id) -> whether these words, which name or describe somebody, mean one of the persons.
    names: video_id -> by which turns call them there, for contains_name.
    """
    of = {"group_id": group_id, "video_id": selection.video_id or None}
    persons = [list(who) for who in selection.persons]
    if selection.before is None:
        worn = database.read("forgetting/wearers", **of)
        theirs = [row["video_id"] for row in worn if is_them(row["wearer"], row["video_id"])]
        database.write("forgetting/unname_wearers", group_id=group_id, video_ids=theirs)
    rows = database.stream("forgetting/receipts_telling", persons=persons, before=selection.before, **of)
    changed = list(_changed(rows, is_them, names))

    def strip(part: Sequence[Row]) -> list[Row]:
        return database.write("forgetting/strip_receipts", group_id=group_id, receipts=part)

    for _ in in_parts(changed, strip, at_once=_RECEIPTS_AT_ONCE):
        pass
    return len(changed)


def _changed(
    rows: Iterator[Row], is_them: Callable[[str, str], bool], names: Callable[[str], Set[str]]
) -> Iterator[Row]:
    """Yield the receipts to change, with the characters and speaker turns that stay."""
    for row in rows:
        video_id = row["video_id"]
        characters: list[_Entry] = json.loads(row["characters"])
        turns: list[_Entry] = json.loads(row["speaker_turns"])

        def is_of(entry: _Entry, *fields: str, video_id: str = video_id) -> bool:
            return any(is_them(entry[field], video_id) for field in fields if entry.get(field))

        theirs = [each for each in characters if is_of(each, "identity", "person_id", "name_or_description")]
        # A speaker turn may name its speaker only by a local id, such as S1, that a character carries.
        voices = {each["speaker_id"] for each in theirs if each.get("speaker_id")}
        said = [each for each in turns if each.get("speaker_id") in voices or is_of(each, "identity", "speaker_id")]
        if row["involves"]:
            said += [each for each in turns if each not in said and contains_name(each["utterance"], names(video_id))]
        if theirs or said or (row["involves"] and (row["clip_summary"] or row["other"])):
            yield {
                "video_id": video_id,
                "clip_id": row["clip_id"],
                "characters": _as_json([each for each in characters if each not in theirs]),
                "speaker_turns": _as_json([each for each in turns if each not in said]),
            }


def _as_json(entries: list[_Entry]) -> str:
    return json.dumps(entries, ensure_ascii=False)


# The labels and relationship types whose indexes hold words of turns or of footage. Facts come from both.
_LABELS = {
    "episode": "Group Session Episode PlainEpisode Speaker Mention STATES Fact ForgottenFact ForgottenTurns"
    " FactUpkeep FactRun FactStep",
    "event": "Group Video Clip Event PlainText SupersededEvent PlainSupersededEvent Scene PlainScene Person Object"
    " ForgottenFootage INVOLVES USES Fact",
}
# These hold vectors; with `dense: neo4j` also the names that searches filter by.
_DENSE = "DenseVector EventVector EpisodeVector FactVector ScopedVector"
# Neo4j reuses freed space in the store only after about a second.
_FREED_AFTER_S = 2.0
# What is written in one transaction: 8 MB each of long texts and lists, and 60,000 short texts. Three fill more than
# one transaction log of the local database (16 MB), so that it starts another and can remove the old one.
_FILLERS = 2000
_FEWEST_FILLERS = 3 * _FILLERS
# A deletion frees at most about as much as this many fillers take.
_FILLERS_OF_A_DELETION = 4
# Neo4j takes some new space although some is free.
_SPARE_FILLERS = 100
# No scrub writes so many (100 GB). A counter that says more was changed by hand.
_MOST_FILLERS = 10_000_000
# Fillers that are older are of a scrub that was interrupted, and not of one that runs at the same time.
_LONGEST_SCRUB = timedelta(days=1)
# Nodes that are written again in one transaction, with their relationships.
_REWRITTEN_AT_ONCE = 1000
# Whole blocks of 120 bytes.
_TEXT, _SHORT_TEXT = "x" * 33 * 120, "x" * 24
_BLOCKS_OF_A_FILLER = 37  # of texts, and as many of lists


def scrub(database: Database, *kinds: Literal["episode", "event"], forgotten: int, now: datetime) -> None:
    """Remove deleted words from the disk: make indexes again, overwrite freed space, and write what stays again.

    Transaction logs cannot be rewritten. The local database removes a full one at its next checkpoint, at the latest
    when it stops.

    kinds: "episode" for the indexes of turns and facts, "event" for those of events.
    forgotten: how many events and turns were deleted. The more, the more filler nodes are written and deleted again.
    """
    labels = " ".join((_DENSE, *(_LABELS[kind] for kind in kinds)))
    schema.remake(database, labels.split())
    [left] = database.read("scrub/left_over", before=now - _LONGEST_SCRUB)
    for ids in batched(left["ids"], _FILLERS):
        database.write("scrub/clear", ids=list(ids))
    _fill(database, _FEWEST_FILLERS, more=_FILLERS_OF_A_DELETION * forgotten + _SPARE_FILLERS, now=now)
    # What was written since a deletion may lie in a freed block, and end before it does: the rest keeps old words.
    _fill(database, _rewrite(database, now) // _BLOCKS_OF_A_FILLER, more=_SPARE_FILLERS, now=now)


def _fill(database: Database, fewest: int, *, more: int, now: datetime) -> None:
    """Write filler nodes into all freed space, and delete them again.

    fewest: how many at least.
    more: how many more than the last time.
    """
    # Neo4j does not say how much space is free, nor which it reuses first. The fillers of the scrub before have left
    # most of it.
    [row] = database.write("scrub/count_fillers", fewest=fewest, more=more, most=_MOST_FILLERS)
    filled: list[list[str]] = []
    for there in range(0, row["fillers"], _FILLERS):
        time.sleep(_FREED_AFTER_S)
        nodes = min(_FILLERS, row["fillers"] - there)
        [written] = database.write("scrub/fill", nodes=nodes, now=now, text=_TEXT, short_text=_SHORT_TEXT)
        filled.append(written["ids"])
    # Only now: otherwise each transaction would fill again what the one before had freed.
    for ids in filled:
        database.write("scrub/clear", ids=ids)


def _rewrite(database: Database, now: datetime) -> int:
    """Write what stays again, into blocks of deleted fillers. Returns about how many blocks that has freed."""

    def rewrite(run: Run, page: Sequence[Row]) -> int:
        run("ingest/take_turn", now=now)  # otherwise a change between reading and writing would be lost
        [row] = run("scrub/rewrite", ids=[node["id"] for node in page])
        return row["blocks"]

    blocks = 0
    time.sleep(_FREED_AFTER_S)
    # Neo4j reuses no block that was freed while a transaction was open, before that ends.
    with database.held_transaction():
        for page in batched(database.stream("scrub/kept"), _REWRITTEN_AT_ONCE):
            for freed in in_parts(page, lambda part: database.in_transaction(partial(rewrite, page=part))):
                blocks += freed
    return blocks
