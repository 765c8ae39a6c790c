"""Forgetting footage in every place that keeps it: the spool, the graph, and the dense indexes on disk."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from amr_neo4j.app.forgetting import forget_vectors
from amr_neo4j.app.live_footage import forget_films, forget_recordings
from amr_neo4j.domain.forgotten import ForgottenFootage, Selection, contains_name
from amr_neo4j.domain.recall import Scope
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.store.persons import find_person
from amr_neo4j.store.write.forgetting import FootageForgetter, scrub, strip_receipts
from amr_neo4j.vectors.snapshot import remove_snapshots

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts

_MOST_NAMING = 1000
_NAME_ONE = "name a video, a person or a time; a whole group: forget_group, or amr forget --group NAME"


def forget_named(
    parts: Parts,
    video_id: str,
    person: str,
    before: datetime | None,
    older_than_days: float | None,
    *,
    dry_run: bool,
    overwrite: bool,
) -> ForgottenFootage:
    """As `forget_footage`, for what is named.

    Raises InputError: nothing was named; several videos have such a person; NotInMemory: there was no such video or
    person, and nothing was removed.
    """
    what = _selection(parts, video_id, person, before, older_than_days)
    unknown = _unknown(parts, video_id, person)
    gone = forget_footage(parts, what, dry_run=dry_run, overwrite=overwrite)
    if unknown and gone.is_empty:
        raise unknown
    return gone


def _unknown(parts: Parts, video_id: str, person: str) -> NotInMemory | None:
    """The error for a video or a person that memory does not know; what waits on this machine counts as known."""
    try:
        if video_id and not _waits_here(parts, video_id):
            parts.browse.video(video_id)
        if person:
            parts.browse.persons(parts.language.person_key(person).person_id, 0)
    except NotInMemory as error:
        return error
    return None


def _waits_here(parts: Parts, video_id: str) -> bool:
    if parts.clips_file.exists() and video_id in parts.clip_spool.waiting(parts.group_id):
        return True
    recorded = parts.live_spool.recordings(parts.group_id) if parts.live_file.exists() else []
    return any(recording.video_id == video_id for recording, _ in recorded)


def _selection(
    parts: Parts, video_id: str, person: str, before: datetime | None, older_than_days: float | None
) -> Selection:
    """What is meant. Raises InputError: nothing was named; several videos have such a person."""
    if not (video_id or person or before or older_than_days is not None):
        raise InputError("nothing was named to forget", hint=_NAME_ONE)
    moments = [moment for moment in (before, _ago(parts, older_than_days)) if moment]
    persons = _identities(parts, person, video_id) if person else ()
    return Selection(video_id, persons, min(moments) if moments else None)


def _ago(parts: Parts, days: float | None) -> datetime | None:
    if days is None:
        return None
    try:
        return parts.now() - timedelta(days=days)
    except OverflowError as error:
        raise InputError(f"{days} days ago is before the year 1", hint="name fewer days") from error


def _identities(parts: Parts, person: str, video_id: str) -> tuple[tuple[str, str], ...]:
    """The person with everybody who was merged into them.

    One that is no longer known, as after an interrupted run, may still be named by receipts and waiting analyses.
    """
    person_id = parts.language.person_key(person).person_id
    ask = partial(parts.database.read, group_id=parts.group_id)
    try:
        who = find_person(ask, person_id, video_id).now
    except NotInMemory:
        return (("", person_id), (video_id, person_id)) if video_id else (("", person_id),)
    rows = ask("forgetting/identities", who=list(who))
    return tuple((row["scope"], row["person_id"]) for row in rows)


def forget_footage(parts: Parts, what: Selection, *, dry_run: bool, overwrite: bool) -> ForgottenFootage:
    """Forget what is selected. Safe to repeat; returns what was removed, or with dry_run what would be.

    overwrite: also on the disk of the database (store/write/scrub).
    """
    forgetter = _forgetter(parts)
    if dry_run:
        return forgetter.count(what)
    waiting = _forget_spooled(parts, forgetter, what)  # first, or it would be committed again
    is_them = partial(_is_one_of, parts, what.persons)
    stripped = strip_receipts(parts.database, parts.group_id, what, is_them) if what.persons else 0
    remove_snapshots(parts.vectors_folder, "event")  # also first: what follows may be interrupted
    gone = forgetter.forget(what)
    forget_vectors(parts, "event", "fact")
    if overwrite:
        scrub(parts.database, "event")
    return replace(gone, waiting=waiting, stripped=stripped, naming=_still_naming(parts, what))


def _still_naming(parts: Parts, what: Selection) -> int:
    """How many of the events that stay have the name of a selected person in their words, as full text finds them."""
    names = {person_id.replace("_", " ") for _, person_id in what.persons}
    scope = Scope(parts.group_id, (what.video_id,) if what.video_id else ())
    found = {node_id for name in names for node_id, _ in parts.reader.full_text(name, scope, _MOST_NAMING)}
    events = parts.reader.events(sorted(found), scope)
    return sum(contains_name(" ".join((e.summary_text, *e.dialogue_snippets)), names) for e in events)


def _forgetter(parts: Parts) -> FootageForgetter:
    return FootageForgetter(parts.database, parts.group_id, parts.settings.entity_jump_gap_sec, parts.now)


def _is_one_of(parts: Parts, persons: tuple[tuple[str, str], ...], words: str, video_id: str) -> bool:
    keys = {words, parts.language.person_key(words).person_id}
    return any(key in keys and scope in ("", video_id) for scope, key in persons)


def _forget_spooled(parts: Parts, forgetter: FootageForgetter, what: Selection) -> int:
    """Analyses that wait for the graph: of the video, or of the clips that go, or that name the persons."""
    if parts.alerts_file.exists():
        _forget_evidence(parts, forgetter, what)
    if parts.live_file.exists() and not what.persons:
        _forget_recorded(parts, forgetter, what)
    if not parts.clips_file.exists():
        return 0
    spool, group_id = parts.clip_spool, parts.group_id
    if what.persons:
        names = {person_id.replace("_", " ") for _, person_id in what.persons}
        return spool.forget_naming(group_id, what.video_id or None, names)
    if what.before is None:
        return spool.forget(group_id, what.video_id or None)
    clips = [(clip["video_id"], clip["clip_id"]) for clip in forgetter.clips(what)]
    return spool.forget_clips(group_id, clips)


def _forget_evidence(parts: Parts, forgetter: FootageForgetter, what: Selection) -> None:
    """What alerts tell of the footage; of a person, all that the alerts of the video or group tell."""
    if what.before is None or what.persons:
        parts.alert_spool.forget(parts.group_id, what.video_id or None)
        return
    for clip in forgetter.clips(what):
        parts.alert_spool.forget(parts.group_id, clip["video_id"], clip["clip_id"])


def _forget_recorded(parts: Parts, forgetter: FootageForgetter, what: Selection) -> None:
    """What this machine recorded of live sources: the films, and clips that wait."""
    if what.before is None:
        forget_recordings(parts, what.video_id or None)
        return
    clips = [(clip["video_id"], clip["clip_id"]) for clip in forgetter.clips(what)]
    forget_films(parts, clips, what.video_id or None, what.before)


def apply_retention(parts: Parts) -> datetime | None:
    """Forget what is older than the setting retention_days; returns that moment, None where nothing is set."""
    oldest = _ago(parts, parts.settings.retention_days)
    if oldest:
        what = Selection(before=oldest)
        if _forgetter(parts).clips(what):
            gone = forget_footage(parts, what, dry_run=False, overwrite=False)
            parts.notify(f"{gone.clips} clips with {gone.events} events are older than retention_days and forgotten")
    return oldest
