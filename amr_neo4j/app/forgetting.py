"""Forgetting: delete from every place that keeps a copy: spools, graph, dense indexes and this process."""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.app.camera_messages import forget_messages
from amr_neo4j.app.remembering import known_users
from amr_neo4j.domain.episode import Forgotten
from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.forgotten import ForgottenFootage, ForgottenGroup, Selection, contains_name
from amr_neo4j.domain.ports import KINDS, EventReader, Indexes, Notify, TurnSpool
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.language.languages import Language

if TYPE_CHECKING:
    from amr_neo4j.app.chatting import LiveChats
    from amr_neo4j.app.live_footage import LiveFootage
    from amr_neo4j.spool.alerts import AlertSpool
    from amr_neo4j.spool.clips import ClipSpool
    from amr_neo4j.spool.jobs import JobSpool
    from amr_neo4j.spool.messages import MessageSpool
    from amr_neo4j.store.database import Database
    from amr_neo4j.store.persons import NamedPerson
    from amr_neo4j.store.read.browse import Browse
    from amr_neo4j.store.read.facts import FactForgetter
    from amr_neo4j.store.write.forgetting import FootageForgetter, Forgetter

# The most events that are searched for each name that may still occur in them.
_MOST_NAMING = 1000
_NAME_ONE = "name a video, a person or a time; a whole group: forget_group, or amr forget --group NAME"
# Seconds to wait for turns of live conversations to reach the graph, so that they can be deleted there.
_PATIENCE = 5.0
# video_id -> names.
_Names = Callable[[str], Set[str]]
# (scope, person_id), video_id -> whether the person is meant there.
_IsMeant = Callable[[tuple[str, str], str], bool]
_TRIES = 100  # to delete a folder, over a second


@dataclass(frozen=True, kw_only=True)
class ForgettingConversations:
    """Forgets turns and facts of any user.

    spool: opens the spool of turns on this machine.
    jobs: returns those of a server on this machine; None if there never were any.
    facts: group_id -> what deletes facts of the group.
    live: returns the live conversations of this process; None if there were none.
    scrub: overwrites the space that the database has freed on its disk.
    """

    database: Database
    spool: Callable[[], TurnSpool]
    jobs: Callable[[], JobSpool | None]
    turns: Forgetter
    facts: Callable[[str], FactForgetter]
    live: Callable[[], LiveChats | None]
    indexes: Indexes
    scrub: Callable[..., None]
    chat_retention_days: float | None
    fact_retention_days: float | None
    now: Callable[[], datetime]

    def forget(
        self,
        group_id: str,
        user_id: str,
        session_id: str = "",
        episode_id: str = "",
        *,
        dry_run: bool = False,
        overwrite: bool = False,
    ) -> Forgotten:
        """Forget a user, one of their sessions, or one episode. Safe to repeat.

        Returns what was removed, or with dry_run what would be.
        overwrite: also overwrite the freed space on the database's disk.
        """
        whose = (group_id, user_id, session_id or None, episode_id or None)
        spool = self.spool()
        live = self._live_chats()
        if dry_run:
            return replace(self.turns.count(*whose), waiting=spool.count(*whose))
        self.database.write("ingest/take_turn", now=self.now())  # a read-only server refuses here
        # Before the graph, or these turns could be committed later.
        waiting = spool.forget(*whose)
        jobs = self.jobs()
        if jobs and not session_id and not episode_id:
            jobs.forget(group_id, user_id)
        gone = self.turns.forget(*whose)
        self.indexes.remove_gone("episode", "fact")
        if live:
            live.reload(user_id)
        if overwrite:
            self.scrub("episode", forgotten=gone.episodes + gone.facts, now=self.now())
        return replace(gone, waiting=waiting)

    def forget_expired(self, group_id: str, user_id: str, at: datetime, *, dry_run: bool = False) -> Forgotten:
        """Forget a user's facts and turns that are older, at the moment `at`, than the settings say.

        A fact is as old as its latest statement; pinned ones stay. A turn stays as long as a fact rests on it.
        A moment in the future counts as now, since a consolidation ahead of time can be undone, and this cannot.
        Returns what was removed, or with dry_run what would be.
        """
        ages = {"turns": self.chat_retention_days, "facts": self.fact_retention_days}
        at = min(at, self.now())
        before: dict[str, float | None] = dict.fromkeys(ages)
        for name, days in ages.items():
            if days:
                before[name] = _days_before(at, days).timestamp()
        if not any(before.values()):
            return Forgotten()
        if dry_run:
            return self.turns.count_expired(group_id, user_id, **before)
        gone = self.turns.expire(group_id, user_id, **before)
        if gone != Forgotten():
            self.indexes.remove_gone("episode", "fact")
            if live := self.live():
                live.reload(user_id)
        return gone

    def forget_facts(
        self, group_id: str, user_id: str, triple: Triple, *, dry_run: bool = False, overwrite: bool = False
    ) -> int:
        """Delete facts from the graph and from the live conversations of this process. Returns how many.

        An empty relation or object of the triple matches every one.
        dry_run: only count.
        overwrite: also overwrite the freed space on the database's disk.
        """
        live = self._live_chats()
        gone = self.facts(group_id).forget(user_id, *triple, dry_run=dry_run)
        if dry_run:
            return gone
        self.indexes.remove_gone("fact")
        if live:
            live.remove(user_id, triple)
        if overwrite:
            self.scrub("episode", forgotten=gone, now=self.now())
        return gone

    def _live_chats(self) -> LiveChats | None:
        """Return the live conversations, whose turns are committed if the database can be reached."""
        live = self.live()
        if live and not live.is_away:  # during an outage a wait would only delay the error
            live.wait(_PATIENCE)
        return live

    def known_users(self, group_id: str) -> tuple[str, ...]:
        """Return the users of a group: those in the graph and those with spooled turns on this machine."""
        return known_users(self.database, group_id, self.spool().users(group_id))


@dataclass(frozen=True, kw_only=True)
class ForgettingFootage:
    """Forgets videos, clips and persons of any group.

    clips, alerts, live, messages, jobs: return what this machine keeps; None if it never kept any.
    explorations: the folder of what was cut from films and seen in them for questions.
    served: the folder of pictures and clips that a server has cut.
    footage: group_id -> what deletes footage of the group.
    find_person: (group_id, person_id, video_id) -> the person. Raises NotInMemory or InputError.
    meant: group_id -> (person, video_id) -> whether an analysis of the video can name the person and mean them.
    strip: (group_id, selection, is_them, names) -> how many receipts it changed. It removes what receipts say of the
        selected persons. is_them: (words, video_id) -> whether these words, in this video, name or describe one of
        them.
    names: video_id -> those of the persons there, for contains_name.
    remake_scenes: group_id -> makes the scenes of what stays.
    scrub: overwrites the space that the database has freed on its disk.
    """

    database: Database
    clips: Callable[[], ClipSpool | None]
    alerts: Callable[[], AlertSpool | None]
    live: Callable[[], LiveFootage | None]
    messages: Callable[[], MessageSpool | None]
    jobs: Callable[[], JobSpool | None]
    explorations: Path
    served: Path
    footage: Callable[[str], FootageForgetter]
    browse: Callable[[str], Browse]
    reader: EventReader
    find_person: Callable[[str, str, str], NamedPerson]
    meant: Callable[[str], _IsMeant]
    strip: Callable[[str, Selection, Callable[[str, str], bool], Callable[[str], Set[str]]], int]
    indexes: Indexes
    remake_scenes: Callable[[str], None]
    scrub: Callable[..., None]
    language: Language
    retention_days: float | None
    now: Callable[[], datetime]
    notify: Notify

    def forget_named(
        self,
        group_id: str,
        *,
        video_id: str,
        person: str,
        before: datetime | None,
        older_than_days: float | None,
        clip_id: str,
        event: int | None,
        dry_run: bool,
        overwrite: bool,
    ) -> ForgottenFootage:
        """Forget what the arguments name; otherwise like `forget`.

        Raises InputError: nothing was named, or several videos have such a person, or an event or a clip was named
        with what does not go with it.
        Raises NotInMemory if there is no such video, clip, event or person; then nothing is removed.
        """
        others = person or before or older_than_days is not None
        if not (video_id or others or clip_id or event is not None):
            raise InputError("nothing was named to forget", hint=_NAME_ONE)
        if event is not None and (others or clip_id or video_id):
            raise InputError("an event is named by its number alone", hint="give the event without other options")
        if clip_id and (others or not video_id):
            raise InputError("a clip is named with its video", hint="amr forget --video ID --clip ID")
        moments = [moment for moment in (before, self._ago(older_than_days)) if moment]
        persons = self._identities(group_id, person, video_id) if person else ()
        what = Selection(video_id, persons, min(moments) if moments else None, clip_id=clip_id, node_id=event)
        # Raised only after forgetting: an interrupted run may have left parts of a video or person that is gone.
        unknown = self._unknown(group_id, what, person)
        gone = self.forget(group_id, what, dry_run=dry_run, overwrite=overwrite)
        if unknown and gone.is_empty:
            raise unknown
        # Also if nothing was deleted: an import that runs may have brought the person and not yet their events.
        if not (dry_run or before or older_than_days is not None):
            self.footage(group_id).note_forgotten()
        return gone

    def forget(
        self, group_id: str, what: Selection, *, dry_run: bool = False, overwrite: bool = False
    ) -> ForgottenFootage:
        """Forget the selection. Safe to repeat. Returns what was removed, or with dry_run what would be.

        overwrite: also overwrite the freed space on the database's disk.
        Raises InputError: a recording of it has not ended. Nothing is removed then.
        """
        forgetter = self.footage(group_id)
        if dry_run:
            return forgetter.count(what)
        self.check_ended(group_id, what)
        self.database.write("ingest/take_turn", now=self.now())  # a read-only server refuses here
        # Read now: a split goes with the last event of its person.
        names = partial(_names, what, self.meant(group_id)) if what.persons else None
        # Before the graph, or waiting clips could be committed later.
        waiting = self._forget_spooled(group_id, forgetter, what, names)
        stripped = 0
        if names:
            is_them, spoken = partial(self._is_one_of, names), partial(self._spoken, names)
            stripped = self.strip(group_id, what, is_them, spoken)
        # Before the graph: an interruption must not leave a snapshot that still holds forgotten vectors.
        self.indexes.remove_snapshots("event")
        gone = forgetter.forget(what, has_waited=waiting > 0)
        _remove(self.served)  # not before: a server would cut them again
        self.indexes.remove_gone("event", "fact")
        self.remake_scenes(group_id)
        if overwrite:
            self.scrub("event", forgotten=gone.events + gone.merged + gone.clips, now=self.now())
        return replace(
            gone,
            waiting=waiting,
            stripped=stripped + gone.stripped,
            naming=self._still_naming(group_id, what, names) if names else 0,
        )

    def check_ended(self, group_id: str, what: Selection) -> None:
        """Raise InputError if a recording that the selection takes away as a whole has not ended."""
        live = self.live()
        if live and not (what.is_part or what.persons):
            live.ended_recordings(group_id, what.video_id or None)

    def apply_retention(self, group_id: str) -> datetime | None:
        """Forget what is older than the setting retention_days.

        Returns the moment before which all is forgotten; None if the setting is not set.
        """
        oldest = self._ago(self.retention_days)
        if oldest:
            what = Selection(before=oldest, is_retention=True)
            # Most calls find nothing to forget and end here, without touching indexes.
            if self.footage(group_id).clips(what) or self._here(group_id, what):
                gone = self.forget(group_id, what)
                self.notify(
                    f"{gone.clips} clips with {gone.events} events are older than retention_days and forgotten"
                )
        return oldest

    def _ago(self, days: float | None) -> datetime | None:
        return None if days is None else _days_before(self.now(), days)

    def _unknown(self, group_id: str, what: Selection, person: str) -> NotInMemory | None:
        """Return the error for a video, clip, event or person that memory does not know; None if it knows all.

        A video with clips that still wait on this machine is known.
        """
        video_id = what.video_id
        try:
            if what.node_id is not None and not self.footage(group_id).parts_of_event(what.node_id):
                return NotInMemory(f"event {what.node_id} is not in memory", hint="amr search shows the events")
            if video_id and not self._waits_here(group_id, video_id):
                self.browse(group_id).video(video_id)
                if what.clip_id and not self.footage(group_id).clips(what):
                    hint = f"amr show video {video_id} lists its clips"
                    return NotInMemory(f"clip {what.clip_id} of {video_id} is not in memory", hint=hint)
            if person:
                self.browse(group_id).persons(self.language.person_key(person).person_id, 0)
        except NotInMemory as error:
            return error
        return None

    def _waits_here(self, group_id: str, video_id: str) -> bool:
        clips, live = self.clips(), self.live()
        if clips and video_id in clips.waiting(group_id):
            return True
        return bool(live) and video_id in live.video_ids(group_id)

    def _identities(self, group_id: str, person: str, video_id: str) -> tuple[tuple[str, str], ...]:
        """Return (scope, person_id) of the person and of everybody who was merged into them.

        An interrupted run may have deleted the person already. Receipts and waiting analyses may still name them,
        so the id itself is returned then.
        """
        person_id = self.language.person_key(person).person_id
        try:
            who = self.find_person(group_id, person_id, video_id).now
        except NotInMemory:
            # A name belongs to the group, a descriptor to its video. Either may be meant.
            return (("", person_id), (video_id, person_id)) if video_id else (("", person_id),)
        rows = self.database.read("forgetting/identities", group_id=group_id, who=list(who))
        return tuple((row["scope"], row["person_id"]) for row in rows)

    def _still_naming(self, group_id: str, what: Selection, names: _Names) -> int:
        """Return how many of the remaining events still contain the name of a selected person."""
        scope = Scope(group_id, (what.video_id,) if what.video_id else ())
        found: set[int] = set()
        for name in {_name_of(person_id) for _, person_id in what.persons}:
            found.update(node_id for node_id, _ in self.reader.full_text(name, scope, _MOST_NAMING))
        # Full text also finds parts of a name, so each event is checked.
        events = self.reader.events(sorted(found), scope)
        return sum(contains_name(" ".join((e.summary_text, *e.dialogue_snippets)), names(e.video_id)) for e in events)

    def _is_one_of(self, names: _Names, words: str, video_id: str) -> bool:
        keys = {_name_of(words), _name_of(self.language.person_key(words).person_id)}
        return not keys.isdisjoint(names(video_id))

    def _spoken(self, names: _Names, video_id: str) -> Set[str]:
        # Nobody says "I will" to Will.
        return {name.capitalize() if self.language.is_word(name) else name for name in names(video_id)}

    def _forget_spooled(
        self, group_id: str, forgetter: FootageForgetter, what: Selection, names: _Names | None
    ) -> int:
        """Forget what this machine keeps of the selection: evidence of alerts, films, jobs and waiting analyses.

        Returns the number of clips that waited: of analyses, and of films to be analysed.
        """
        is_by_user = not what.is_retention
        chosen = self._chosen(group_id, forgetter, what) if what.is_part and not what.persons else []
        alerts, live, clips, messages = self.alerts(), self.live(), self.clips(), self.messages()
        jobs = self.jobs()
        # Retention runs with each ingest: a program may be asking for its job, or exploring.
        if is_by_user:
            if jobs:
                jobs.forget(group_id, unfinished=what == Selection())
            _remove(self.explorations)
        # Messages that wait are newer than any limit of age.
        if messages and (what.persons or what.before is None):
            items = {clip_id for _, clip_id in chosen} if what.is_part else None
            forget_messages(messages, group_id, what.video_id or "", names, items=items)
        if alerts:
            _forget_evidence(alerts, group_id, what, chosen)
        films = _forget_films(live, group_id, what, chosen=chosen) if live else 0
        return films + (_forget_clips(clips, group_id, what, chosen=chosen, names=names) if clips else 0)

    def _chosen(self, group_id: str, forgetter: FootageForgetter, what: Selection) -> list[tuple[str, str]]:
        """Return (video_id, clip_id) of the clips of a selection, and note that they must not come back."""
        rows = forgetter.clips(what) if what.node_id is None else forgetter.parts_of_event(what.node_id)
        here = self._here(group_id, what)
        # A run may be analysing or committing them just now, or others of which nothing is known here.
        forgetter.note(here)
        # Retention notes no limit: it finds later clips when it runs again.
        if what.before and not what.is_retention:
            # What has not ended yet is not selected: a live source may go on.
            forgetter.note_before(what.video_id, min(what.before, self.now()))
        return sorted({*here, *((row["video_id"], row["clip_id"]) for row in rows if row["clip_id"])})

    def _here(self, group_id: str, what: Selection) -> list[tuple[str, str]]:
        """Return (video_id, clip_id) of the selected clips that may be on this machine and not in the graph.

        A selection by person has none.
        """
        if what.clip_id:
            return [(what.video_id, what.clip_id)]
        if not what.before:
            return []
        clips, live = self.clips(), self.live()
        spools = [spool for spool in (clips, live and live.spool) if spool]
        return sorted(
            {one for spool in spools for one in spool.ended_by(group_id, what.video_id or None, what.before)}
        )


def _forget_films(live: LiveFootage, group_id: str, what: Selection, *, chosen: Sequence[tuple[str, str]]) -> int:
    """Forget the recordings of a selection. Returns how many films of chosen clips waited to be analysed."""
    # Forgetting a person keeps the clips, and so the films.
    if what.persons:
        return 0
    if what.is_part:
        return live.forget_films(group_id, chosen)
    live.forget_recordings(group_id, what.video_id or None)
    return 0


def _forget_clips(
    clips: ClipSpool, group_id: str, what: Selection, *, chosen: Sequence[tuple[str, str]], names: _Names | None
) -> int:
    """Forget the waiting analyses of a selection. Returns their number."""
    if names:
        return clips.forget_naming(group_id, what.video_id or None, names)
    if not what.is_part:
        return clips.forget(group_id, what.video_id or None)
    return clips.forget_clips(group_id, chosen)


def _names(what: Selection, is_meant: _IsMeant, video_id: str) -> frozenset[str]:
    """Return the names by which a video means the selected persons; without a video_id, those of the whole group."""
    return frozenset(_name_of(who[1]) for who in what.persons if is_meant(who, video_id))


def _name_of(person_id: str) -> str:
    return person_id.replace("_", " ").casefold()


def _remove(folder: Path) -> None:
    for tries_left in reversed(range(_TRIES)):
        if not folder.is_dir():
            return
        try:
            shutil.rmtree(folder)
        except OSError as error:
            # A server may delete and write there too. On a network's disk, a file that is read stays until then.
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY) or not tries_left:
                raise
            time.sleep(0.01)


def _days_before(moment: datetime, days: float) -> datetime:
    try:
        return moment - timedelta(days=days)
    except OverflowError as error:
        raise InputError(f"{days} days ago is before the year 1", hint="name fewer days") from error


def _forget_evidence(alerts: AlertSpool, group_id: str, what: Selection, chosen: list[tuple[str, str]]) -> None:
    """Forget what alerts report of the footage. For a person, forget all evidence of the video or the group."""
    if not what.is_part or what.persons:
        alerts.forget(group_id, what.video_id or None)
        return
    for video_id, clip_id in chosen:
        alerts.forget(group_id, video_id, clip_id)


def forget_group(
    group_id: str,
    footage: ForgettingFootage,
    conversations: ForgettingConversations,
    *,
    dry_run: bool,
    overwrite: bool,
) -> ForgottenGroup:
    """Forget everything that a group holds. Safe to repeat.

    Returns what was removed, or with dry_run what would be.
    Raises InputError: one of its recordings has not ended. Nothing is removed then.
    """
    users = conversations.known_users(group_id)
    if dry_run:
        return ForgottenGroup(footage.forget(group_id, Selection(), dry_run=True), Forgotten(), users)
    footage.check_ended(group_id, Selection())  # before the note, by which spooled turns are refused
    conversations.turns.note_group(group_id)
    forgetter = footage.footage(group_id)
    left = forgetter.sweep(damaged=True)
    filmed = footage.forget(group_id, Selection())
    said = Forgotten()
    for user_id in users:
        said = said.and_also(conversations.forget(group_id, user_id))
    left.update(forgetter.sweep())
    said = said.and_also(Forgotten.of(left))
    filmed = filmed.and_also(replace(ForgottenFootage.of(left), facts=0, vectors=0))  # said has them
    footage.indexes.remove_gone(*KINDS)
    if overwrite:
        forgotten = filmed.events + filmed.merged + filmed.clips + said.episodes + said.facts
        footage.scrub("event", "episode", forgotten=forgotten, now=footage.now())
    return ForgottenGroup(filmed, said, users)


def forget_expired(
    group_id: str,
    footage: ForgettingFootage,
    conversations: ForgettingConversations,
    *,
    dry_run: bool,
    overwrite: bool,
) -> ForgottenGroup:
    """Forget the footage, turns and facts of a group that are older than the settings say.

    Returns what was removed, or with dry_run what would be. Its `users` are those who had something removed.
    """
    now = footage.now()
    filmed, said, users = ForgottenFootage(), Forgotten(), list[str]()
    if footage.retention_days:
        expired = Selection(before=_days_before(now, footage.retention_days), is_retention=True)
        filmed = footage.forget(group_id, expired, dry_run=dry_run)
    for user_id in conversations.known_users(group_id):
        gone = conversations.forget_expired(group_id, user_id, now, dry_run=dry_run)
        if gone != Forgotten():
            said = said.and_also(gone)
            users.append(user_id)
    if overwrite and not dry_run:
        forgotten = filmed.events + filmed.merged + filmed.clips + said.episodes + said.facts
        footage.scrub("event", "episode", forgotten=forgotten, now=now)
    return ForgottenGroup(filmed, said, tuple(users))
