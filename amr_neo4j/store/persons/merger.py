"""Persons merged by hand, and parted again: every edge follows, the words as seen stay.

INVOLVES remembers who each was told to be. Whoever is who by now, all else follows from it, and taking a merge back
gives the graph that would be there without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.store.database import Database, Row, Run
from amr_neo4j.store.full_text import scope_text
from amr_neo4j.store.keys import person_chain
from amr_neo4j.store.persons.aliases import Identity

_WHO = "amr show person NAME tells who is known"


@dataclass(frozen=True)
class _Person:
    """Somebody, who that is by now, and whether it was said that this is another."""

    told: Identity
    now: Identity
    merged: bool


@dataclass(frozen=True)
class PersonMerger:
    """Merges the persons of a group, each in one transaction.

    Ids are person ids; a video says which is meant where a description is somebody in each of several.
    """

    database: Database
    group_id: str
    jump_gap_sec: float
    now: Callable[[], datetime]

    def merge(self, one: str, other: str, video_id: str = "", other_video_id: str = "") -> int:
        """Say that one is the other; how many events it moved. Raises NotInMemory, InputError."""

        def work(run: Run) -> int:
            ask = self._locked(run)
            person, into = _find(ask, one, video_id), _find(ask, other, other_video_id)
            if into.now == person.now:
                raise InputError(f"{one} and {other} are the same already", hint=f"amr show person {other}")
            if person.merged:
                raise InputError(f"{one} is {person.now[1]} by now", hint=f"take that back: amr person undo {one}")
            [row] = ask("persons/merge", one=list(person.told), other=list(into.told), now=self.now())
            return self._move(ask, person.told, into.now, row["told"])

        return self.database.together(work)

    def part(self, one: str, video_id: str = "") -> int:
        """Take back that one is another; how many events it moved. Raises NotInMemory, InputError."""

        def work(run: Run) -> int:
            ask = self._locked(run)
            person = _find(ask, one, video_id)
            if not person.merged:
                raise InputError(f"nobody said that {one} is somebody else", hint=_WHO)
            [row] = ask("persons/part", one=list(person.told))
            return self._move(ask, person.now, person.told, row["told"])

        return self.database.together(work)

    def _locked(self, run: Run) -> Run:
        """Statements about this group, once no other writer is at work."""
        run("persons/lock", now=self.now())
        return partial(run, group_id=self.group_id)

    def _move(self, ask: Run, source: Identity, target: Identity, told: Sequence[Sequence[str]]) -> int:
        both = [list(source), list(target)]
        ask("persons/untie", persons=both)
        [moved] = ask("persons/move", source=both[0], target=both[1], told=told)
        for who in (source, target):
            ask("persons/rekey", who=list(who), keys=self._keys(ask, who))
        for who in both:
            ask("persons/tie_jumps", who=who, jump_gap=self.jump_gap_sec)
            ask("persons/tie_voices", who=who)
        self._tell_full_text(ask, target)
        return moved["events"]

    def _keys(self, ask: Run, who: Identity) -> dict[str, str]:
        """video_id -> the key of the person's chain there."""
        videos = map(self._video, ask("persons/videos", who=list(who)))
        return {video.video_id: person_chain(video, who) for video in videos}

    def _video(self, row: Row) -> Video:
        recorded_at = row["recorded_at"].to_native() if row["recorded_at"] else None
        return Video(self.group_id, row["video_id"], place=row["place"], recorded_at=recorded_at)

    def _tell_full_text(self, ask: Run, who: Identity) -> None:
        videos = {video.video_id: video for video in map(self._video, ask("persons/videos", who=list(who)))}
        [row] = ask("persons/events", who=list(who))
        texts: list[Any] = []
        for element_id, video_id, text, people in row["events"]:
            now = scope_text(videos[video_id], [(scope, person_id) for scope, person_id in people])
            if now != text:
                texts.append([element_id, now])
        ask("persons/scope", events=texts)


def _find(ask: Run, person_id: str, video_id: str) -> _Person:
    """Who is meant: the one of the video where one is named, the group's own, or the only one."""
    found = ask("persons/called", person_id=person_id)
    # who has a name is the group's own, in every video
    scopes = (video_id, "") if video_id else {row["scope"] for row in found}
    rows = [row for row in found if row["scope"] in scopes]
    rows = [row for row in rows if row["scope"] == video_id] or rows
    if not rows:
        where = f" in video {video_id}" if video_id else ""
        raise NotInMemory(f"nobody is called {person_id}{where}", hint=_WHO)
    if len(rows) > 1 and rows[0]["scope"]:
        videos = ", ".join(row["scope"] for row in rows[:5])
        raise InputError(f"{person_id} is somebody in each of {len(rows)} videos: {videos}", hint="name the video")
    row = rows[0]
    return _Person((row["scope"], person_id), (row["now_scope"], row["now_id"]), row["merged"])
