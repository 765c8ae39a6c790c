"""Merges and splits persons, undoes that, and links the speakers of conversations to the people in videos."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.store.database import Database, Row, Run
from amr_neo4j.store.full_text import scope_text
from amr_neo4j.store.keys import person_chain
from amr_neo4j.store.person_aliases import Identity
from amr_neo4j.store.read.similar_names import similar_names
from amr_neo4j.store.write.clip_commit import write_edges
from amr_neo4j.store.write.edges import edges_of_person
from amr_neo4j.store.write.rows import video_of

_SHOW = "amr persons lists the persons"


@dataclass(frozen=True)
class NamedPerson:
    """A person that a user named.

    stated: the identity found.
    now: the person it stands for.
    merged: it was merged into another person, so that the two differ.
    """

    stated: Identity
    now: Identity
    merged: bool


@dataclass(frozen=True)
class PersonMerger:
    """Merges and splits the persons of a group, each time in one transaction.

    A person is given by person_id. A description that exists in several videos needs the video_id too.
    """

    database: Database
    group_id: str
    jump_gap_sec: float
    now: Callable[[], datetime]

    def merge(
        self,
        one: str,
        other: str,
        video_id: str = "",
        other_video_id: str = "",
        *,
        name: str = "",
        dry_run: bool = False,
    ) -> int:
        """Merge `one` into `other`. Returns the number of events that moved.

        name: `other` is a person with this name, made if there is none.
        dry_run: change nothing.

        Raises NotInMemory: there is no such person. InputError: an id is ambiguous, both are the same person already,
        or `one` is merged into somebody else.
        """

        def work(run: Run) -> int:
            ask = self._locked(run)
            if name:
                find_person(ask, one, video_id)
                ask("persons/name", person_id=other, name=name, now=self.now())
            person, into = find_person(ask, one, video_id), find_person(ask, other, other_video_id)
            if into.now == person.now:
                raise InputError(f"{one} and {other} are the same person already", hint=f"amr show person {other}")
            if person.merged:
                # A person has one MERGED_INTO at most, so that an undo knows what to take back.
                raise InputError(
                    f"{one} is merged into {person.now[1]}", hint=f"undo that first: amr person undo {one}"
                )
            return self._merge(ask, person.stated, into)

        return self.database.in_transaction(work, dry_run=dry_run)

    def split(self, one: str, other: str, video_id: str, *, name: str = "", dry_run: bool = False) -> int:
        """Say that `one`, a name of the group, is `other` in a video. Returns the number of events that moved.

        In that video the name becomes a person of the video, as a description is, who is merged into `other`.
        name: as for `merge`.
        dry_run: change nothing.
        Raises NotInMemory: there is no such person, or the video does not name them. InputError: `one` is a
        description, both are the same person, or it was said before who it is in that video.
        """
        in_video = (video_id, one)

        def work(run: Run) -> int:
            ask = self._locked(run)
            person = find_person(ask, one, "")
            if person.stated[0]:
                raise InputError(
                    f"{one} is a description, and another person in each video", hint="use: amr person merge"
                )
            if name:
                ask("persons/name", person_id=other, name=name, now=self.now())
            into = find_person(ask, other, "")
            if into.now in (person.now, in_video):
                raise InputError(f"{one} and {other} are the same person", hint="name another person")
            [row] = ask("persons/split", one=list(in_video), now=self.now())
            if row["into"]:
                hint = f"undo that first: amr person undo {one} --video {video_id}"
                raise InputError(f"{one} is {row['into']} in video {video_id} already", hint=hint)
            if not self._move(ask, person.now, in_video, [in_video]):
                raise NotInMemory(f"no event of video {video_id} names {one}", hint=f"amr show person {one}")
            if not ask("persons/videos", who=list(person.now)):
                raise InputError(f"no event of another video names {one}", hint="use: amr person merge")
            return self._merge(ask, in_video, into)

        return self.database.in_transaction(work, dry_run=dry_run)

    def undo(self, one: str, video_id: str = "", *, dry_run: bool = False) -> int:
        """Undo the merge of `one`, or its split in a video. Returns the number of events that moved back.

        dry_run: change nothing.

        Raises NotInMemory: there is no such person. InputError: the id is ambiguous, or the person is not merged.
        """

        def work(run: Run) -> int:
            ask = self._locked(run)
            person = find_person(ask, one, video_id)
            if not person.merged:
                raise InputError(f"{one} is not merged into anybody", hint=_SHOW)
            [row] = ask("persons/undo_merge", one=list(person.stated))
            moved = self._move(ask, person.now, person.stated, row["aliases"])
            for split in ask("persons/unsplit", one=list(person.stated), now=self.now()):
                home = split["home"]
                self._move(ask, person.stated, (home[0], home[1]), [("", person.stated[1])])
                ask("persons/drop", who=list(person.stated))
            if not person.now[0]:
                ask("persons/unname", person_id=person.now[1])
            return moved

        return self.database.in_transaction(work, dry_run=dry_run)

    def _merge(self, ask: Run, one: Identity, into: NamedPerson) -> int:
        """Merge a person who is not merged yet. Returns the number of events that moved."""
        [row] = ask("persons/merge", one=list(one), other=list(into.stated), now=self.now())
        return self._move(ask, one, into.now, row["aliases"])

    def _locked(self, run: Run) -> Run:
        """Lock out other writers until the transaction ends. Returns a Run bound to this group."""
        run("persons/lock", now=self.now())
        return partial(run, group_id=self.group_id)

    def _move(self, ask: Run, source: Identity, target: Identity, aliases: Sequence[Sequence[str]]) -> int:
        """Move the events that state one of the aliases from `source` to `target`. Returns their number.

        The edges along the chains of both persons are deleted first and created again last, because any of them may
        change. The keys of both are set again in between, since a chain is found by its key.
        """
        both = [list(source), list(target)]
        ask("persons/unlink", persons=both)
        [moved] = ask("persons/move_events", source=both[0], target=both[1], aliases=aliases)
        for who in (source, target):
            ask("persons/set_keys", who=list(who), keys=self._keys(ask, who))
        for who in both:
            edges = edges_of_person(ask("persons/chains", who=who), self.jump_gap_sec)
            write_edges(ask, self.group_id, edges)
        self._update_full_text(ask, target)
        return moved["events"]

    def _keys(self, ask: Run, who: Identity) -> dict[str, str]:
        """Return {video_id: key of the person's chain in that video}."""
        videos = [video_of(self.group_id, row) for row in ask("persons/videos", who=list(who))]
        return {video.video_id: person_chain(video, who) for video in videos}

    def _update_full_text(self, ask: Run, who: Identity) -> None:
        """Write new scope tokens on the events that this person is in now, where they changed."""
        rows = ask("persons/videos", who=list(who))
        videos = {row["video_id"]: video_of(self.group_id, row) for row in rows}
        [row] = ask("persons/events", who=list(who))
        # Only events whose tokens changed are written, because each write makes Lucene index the event again.
        texts: list[Row] = []
        for element_id, video_id, text, people in row["events"]:
            # Of a video that damage has taken, the place is unknown.
            video = videos.get(video_id) or Video(self.group_id, video_id)
            now = scope_text(video, [(scope, person_id) for scope, person_id in people])
            if now != text:
                texts.append({"id": element_id, "scope_text": now})
        ask("persons/set_scope_text", events=texts)


def find_person(ask: Run, person_id: str, video_id: str) -> NamedPerson:
    """Find a person by id.

    With a video_id: the person described in that video or meant there by a split name, else the named person of the
    group. Without: the named person of the group, else the only described one with this id.
    ask: runs a statement in a group. Raises NotInMemory: there is none. InputError: several videos have one.
    """
    found = ask("persons/find", person_id=person_id)
    # The scope "" is searched with any video: a named person belongs to the group.
    # A split name stands for its person in its own video alone: without one, it would be the wrong person.
    scopes = (video_id, "") if video_id else {row["scope"] for row in found if not row["split"]}
    rows = [row for row in found if row["scope"] in scopes]
    rows = [row for row in rows if row["scope"] == video_id] or rows
    if not rows:
        where = f" in video {video_id}" if video_id else ""
        raise NotInMemory(f"no person {person_id}{where}", hint=similar_names("person", person_id, ask))
    # The statement returns a named person, whose scope is "", before described ones.
    if len(rows) > 1 and rows[0]["scope"]:
        videos = ", ".join(row["scope"] for row in rows[:5])
        raise InputError(f"{person_id} exists in {len(rows)} videos: {videos}", hint="name the video: --video ID")
    row = rows[0]
    return NamedPerson((row["scope"], person_id), (row["now_scope"], row["now_id"]), row["merged"])


@dataclass(frozen=True)
class SpeakerLinks:
    """Writes SAME_AS relationships from speakers, who belong to a user, to the people in the group's videos."""

    database: Database
    group_id: str
    now: Callable[[], datetime]

    def link(self, user_id: str, speaker: str, person: str) -> bool:
        """Link a speaker to a person. Both are person ids (person_key). Returns False if either is unknown."""
        return bool(self._write("conversations/link_speaker", user_id, speaker, person)["linked"])

    def unlink(self, user_id: str, speaker: str, person: str) -> bool:
        """Undo the link. Returns False if there is none."""
        return bool(self._write("conversations/unlink_speaker", user_id, speaker, person)["unlinked"])

    def _write(self, name: str, user_id: str, speaker: str, person: str) -> dict[str, int]:
        params = {"group_id": self.group_id, "user_id": user_id, "speaker": speaker, "person": person}
        [row] = self.database.write(name, **params, now=self.now())
        return row
