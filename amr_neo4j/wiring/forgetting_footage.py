"""Forgetting footage in every place that keeps it: the spool, the graph, and the dense indexes on disk."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from amr_neo4j.domain.forgotten import ForgottenFootage, Selection
from amr_neo4j.store.write.forget_footage import FootageForgetter
from amr_neo4j.store.write.scrub import scrub
from amr_neo4j.vectors.files import remove_snapshots

if TYPE_CHECKING:
    from amr_neo4j.wiring.parts import Parts


def forget_footage(parts: Parts, selection: Selection, *, dry_run: bool, overwrite: bool) -> ForgottenFootage:
    """Forget what is selected. Safe to repeat; returns what was removed, or with dry_run what would be.

    overwrite: also on the disk of the database (store/write/scrub).
    """
    forgetter = FootageForgetter(parts.database, parts.group_id, parts.settings.entity_jump_gap_sec, parts.now)
    if dry_run:
        return forgetter.count(selection)
    waiting = _forget_spooled(parts, forgetter, selection)  # first, or it would be committed again
    gone = forgetter.forget(selection)
    remove_snapshots(parts.vectors_folder, "event")
    if parts.has_event_index:
        parts.index.catch_up()
        parts.index.save()
    if overwrite:
        scrub(parts.database, "event")
    return replace(gone, waiting=waiting)


def _forget_spooled(parts: Parts, forgetter: FootageForgetter, selection: Selection) -> int:
    """Analyses that wait for the graph: of the video, or of the clips that go, or that name the persons."""
    if not parts.clips_file.exists():
        return 0
    spool, group_id = parts.clip_spool, parts.group_id
    if selection.persons:
        names = {person_id.replace("_", " ") for _, person_id in selection.persons}
        return spool.forget_naming(group_id, selection.video_id or None, names)
    if selection.before is None:
        return spool.forget(group_id, selection.video_id or None)
    clips = [(clip["video_id"], clip["clip_id"]) for clip in forgetter.clips(selection)]
    return spool.forget_clips(group_id, clips)
