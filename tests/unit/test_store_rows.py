"""What is written of an event is what merging reads back: a property that is added must be in both."""

from __future__ import annotations

from dataclasses import asdict, fields, replace

import numpy as np

from amr_neo4j.domain.analysis import SeenBox
from amr_neo4j.domain.event import Action, EventDraft, Involvement, Use
from amr_neo4j.domain.video import Video
from amr_neo4j.ingest.merging import merged
from amr_neo4j.store.person_aliases import PersonAliases
from amr_neo4j.store.write.rows import clip_row, recent_event
from tests.support.clips import clip_of

VIDEO = Video("g", "v", "v.mp4", "f", duration_s=60.0, fps=25.0, width=640, height=480)
# Every field has another value than its default.
EVENT = EventDraft(
    ordinal=3,
    time_start=1.0,
    time_end=2.5,
    summary_text="Anna opens the door.",
    dialogue_snippets=("Anna: hello",),
    persons=("Anna",),
    objects=("door",),
    scene_type="kitchen",
    actions=(Action("Anna", "opens", "door", time=1.0),),
    at=None,
    involvements=(Involvement("anna", "actor", evidence="name", confidence=0.9),),
    uses=(Use(0, "door", "open", "anna", "closed", "open", time=1.0),),
    heard=True,
    derived=True,
    spatial_descriptions=("door: beside the fridge",),
    boxes=(SeenBox(name="Anna", time=1.0, left=0.1, top=0.1, right=0.4, bottom=0.9),),
)
# Relationships and the moment are columns of their own (`recent_events.cypher`).
BESIDE = {"at", "involvements", "uses"}


def test_each_field_of_an_event_is_written_and_read_back() -> None:
    row = clip_row(0, clip_of(VIDEO, 0, (EVENT,)), vectors=np.ones((1, 4), np.float32), aliases=PersonAliases())
    written = row["events"][0]["props"]
    assert {each.name for each in fields(EventDraft)} - BESIDE <= written.keys()

    stored = written | {
        "node_id": 7,
        "vector": np.ones(4, np.float32).tobytes(),
        "involvements": [_without(asdict(part), "name") for part in EVENT.involvements],
        "uses": [_without(asdict(use), "words", "confidence") for use in EVENT.uses],
    }
    # Boxes show where somebody was in one clip: a merged event has none.
    assert recent_event(stored).event == replace(EVENT, boxes=())


def test_merging_an_event_with_itself_keeps_every_field() -> None:
    assert merged((EVENT, EVENT), EVENT.ordinal, EVENT.summary_text) == replace(EVENT, boxes=())


def _without(values: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in names}
