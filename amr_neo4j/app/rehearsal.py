"""Loads what the first clip of a live source would wait for: embedder, tables, and the plans of the server."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from amr_neo4j.app.asking import Asking
from amr_neo4j.domain.analysis import AnalysedEvent, Character, ClipAnalysis, SeenObject, SpeakerTurn, StatedAction
from amr_neo4j.domain.page import PageRequest
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.commit import Committer

if TYPE_CHECKING:
    from amr_neo4j.store.read.event_reader import EventReader

_WORDS = "The cup is on the table."
# It has one of everything, so that each part of the statements runs.
_ANALYSIS = ClipAnalysis(
    clip_summary=_WORDS,
    characters=(Character(local_character_id="C1", name_or_description="person"),),
    speaker_turns=(SpeakerTurn(speaker_id="S1", utterance=_WORDS, time_start=0, time_end=1),),
    events=(
        AnalysedEvent(
            time_start=0,
            time_end=1,
            summary=_WORDS,
            actors=("C1",),
            objects=(SeenObject(name="cup"),),
            actions=(StatedAction(actor="C1", verb="take", object="cup"),),
        ),
    ),
)


def rehearse(group_id: str, committer: Committer, asking: Asking, reader: EventReader) -> None:
    """Commit an invented clip and take it back, then search. Nothing of it stays.

    reader: reads events also of a group that nothing was taken into yet.
    """
    clip = Clip("rehearsal", 0, 1)
    committer.rehearse(AnalysedClip(Video(group_id, "rehearsal"), clip, _ANALYSIS, "rehearsal", "rehearsal"))
    reader.warm_up(group_id)
    sources = replace(asking.sources_of(asking.scope(group_id)), reader=reader)
    asking.search_in(sources, _WORDS, PageRequest(1))
