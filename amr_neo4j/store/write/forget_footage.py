"""Deletes events of videos, with their clips, and ties what stays as if they had never been."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from amr_neo4j.domain.forgotten import ForgottenFootage, Selection
from amr_neo4j.domain.video import Video
from amr_neo4j.store.database import Database, Row, Run
from amr_neo4j.store.keys import chain_key, person_chain
from amr_neo4j.store.write.clip_commit import state_of, supersede, write_edges
from amr_neo4j.store.write.edges import VideoState, edges_of

# Events per transaction: it holds the writers' lock.
_AT_ONCE = 500
# Clips per transaction, where they have few events.
_CLIPS_AT_ONCE = 500


@dataclass(frozen=True)
class FootageForgetter:
    """Deletes footage of one group, in transactions of about 500 events. After an interruption, run it again.

    jump_gap_sec: of the settings, as in an ingest.
    """

    database: Database
    group_id: str
    jump_gap_sec: float
    now: Callable[[], datetime]

    def forget(self, selection: Selection) -> ForgottenFootage:
        """Delete what is selected; returns the counts of what was deleted. Safe to repeat."""
        total = ForgottenFootage()
        if selection.persons:
            while node_ids := self._events_of_persons(selection):
                for page in _pages(node_ids):
                    total = total.and_also(self._in_transaction(lambda ask, p=page: self._forget_events(ask, p)))
            return total
        while clips := self.clips(selection):
            for page in _pages_of_clips(clips):
                total = total.and_also(self._in_transaction(lambda ask, p=page: self._forget_clips(ask, p)))
        if selection.video_id and not selection.before:
            total = total.and_also(self._forget_without_receipts(selection.video_id))
        return total

    def count(self, selection: Selection) -> ForgottenFootage:
        """Returns what `forget` would delete. Changes nothing."""
        clips = [] if selection.persons else self.clips(selection)
        node_ids = self._events_of_persons(selection) if selection.persons else self._events_of_clips(clips)
        gone = self._read("with_successors", node_ids=node_ids)
        [row] = self._read("count", node_ids=[each["node_id"] for each in gone])
        selected = Counter(clip["video_id"] for clip in clips)
        whole = {clip["video_id"] for clip in clips if clip["clips_of_video"] == selected[clip["video_id"]]}
        return ForgottenFootage(videos=len(whole), clips=len(clips), vectors=len(gone), **row)

    def clips(self, selection: Selection) -> list[Row]:
        """Returns the selected clips as {video_id, clip_id, events, clips_of_video}, in order."""
        return self._read("select_clips", video_id=selection.video_id or None, before=selection.before)

    def _events_of_clips(self, clips: Sequence[Row]) -> list[int]:
        return [row["node_id"] for row in self._read("events_of_clips", clips=clips)]

    def _events_of_persons(self, selection: Selection) -> list[int]:
        persons = [list(who) for who in selection.persons]
        where = {"video_id": selection.video_id or None, "before": selection.before}
        return [row["node_id"] for row in self._read("events_of_persons", persons=persons, **where)]

    def _forget_without_receipts(self, video_id: str) -> ForgottenFootage:
        """Events of a video whose receipts were lost."""
        total = ForgottenFootage()
        while rows := self._read("events_of_video", video_id=video_id, limit=_AT_ONCE):
            node_ids = [row["node_id"] for row in rows]

            def work(ask: Run, node_ids: list[int] = node_ids) -> ForgottenFootage:
                gone = self._forget_events(ask, node_ids)
                [deleted] = ask("forgetting/delete_clips", clips=[], video_ids=[video_id])
                return gone.and_also(ForgottenFootage(**deleted))

            total = total.and_also(self._in_transaction(work))
        return total

    def _forget_clips(self, ask: Run, clips: Sequence[Row]) -> ForgottenFootage:
        node_ids = [row["node_id"] for row in ask("forgetting/events_of_clips", clips=clips)]
        gone = self._forget_events(ask, node_ids)
        video_ids = sorted({clip["video_id"] for clip in clips})
        [deleted] = ask("forgetting/delete_clips", clips=clips, video_ids=video_ids)
        return gone.and_also(ForgottenFootage(**deleted))

    def _forget_events(self, ask: Run, node_ids: Sequence[int]) -> ForgottenFootage:
        """Take events out of the current graph as merging does, then delete them."""
        rows = ask("forgetting/with_successors", node_ids=node_ids)
        if not rows:
            return ForgottenFootage()
        gone, live = [row["node_id"] for row in rows], [row["node_id"] for row in rows if row["is_live"]]
        now = self.now()
        left = supersede(ask, self.group_id, live, now)
        edges = edges_of(
            ask, self.group_id, (), gone=left.events, videos=_states(left.events), jump_gap=self.jump_gap_sec
        )
        write_edges(ask, self.group_id, edges, now)
        restored = self._restore(ask, gone, now)
        [deleted] = ask("forgetting/delete_events", node_ids=gone, no_data=b"", now=now)
        for slot in deleted.pop("slots"):
            ask("facts/settle_slots", user_id=slot.pop("user_id"), slots=[slot], now=now)
        merged = deleted.pop("events") - len(live)
        return ForgottenFootage(events=len(live), merged=merged, restored=restored, **deleted)

    def _restore(self, ask: Run, gone: Sequence[int], now: datetime) -> int:
        """Make the parts current again that stay when the event they were merged into goes; returns their number."""
        parts = [self._part(row) for row in ask("forgetting/parts", node_ids=gone)]
        if parts:
            events = ask("forgetting/rejoin_chains", events=parts)
            edges = edges_of(ask, self.group_id, events, videos=_states(events), jump_gap=self.jump_gap_sec)
            ask("forgetting/restore", node_ids=[part["node_id"] for part in parts])
            write_edges(ask, self.group_id, edges, now)
        return len(parts)

    def _part(self, row: Row) -> Row:
        """What `forgetting/rejoin_chains` takes of a part: the keys of its persons and objects."""
        recorded_at = row["recorded_at"].to_native() if row["recorded_at"] else None
        video = Video(self.group_id, row["video_id"], place=row["place"], recorded_at=recorded_at)
        persons = [who | {"key": person_chain(video, (who["scope"], who["person_id"]))} for who in row["persons"]]
        objects = [{"name": name, "key": chain_key(self.group_id, *video.timeline, name)} for name in row["objects"]]
        return {"node_id": row["node_id"], "persons": persons, "objects": objects}

    def _in_transaction(self, work: Callable[[Run], ForgottenFootage]) -> ForgottenFootage:
        """Run `work` with a Run bound to this group, while other writers wait."""

        def locked(run: Run) -> ForgottenFootage:
            run("ingest/take_turn", now=self.now())
            return work(partial(run, group_id=self.group_id))

        return self.database.in_transaction(locked)

    def _read(self, name: str, **params: Any) -> list[Row]:
        return self.database.read(f"forgetting/{name}", group_id=self.group_id, **params)


def _states(events: Iterable[Row]) -> dict[str, VideoState]:
    return {event["props"]["video_id"]: state_of(event["video"]) for event in events}


def _pages(node_ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(node_ids), _AT_ONCE):
        yield node_ids[start : start + _AT_ONCE]


def _pages_of_clips(clips: Sequence[Row]) -> Iterator[list[Row]]:
    """Clips in order, with about _AT_ONCE events together."""
    page: list[Row] = []
    events = 0
    for clip in clips:
        if page and (events + clip["events"] > _AT_ONCE or len(page) == _CLIPS_AT_ONCE):
            yield page
            page, events = [], 0
        page.append(clip)
        events += clip["events"]
    if page:
        yield page
