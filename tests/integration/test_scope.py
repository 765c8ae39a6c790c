"""No read of the graph returns anything outside its scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.event import Channel, ComposedClip, Event, EventDraft, Involvement, Use
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.examples import examples
from tests.support.plain_scope import holds

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PEOPLE = ("anna", "ben", "girl_black_hoodie")


@dataclass(frozen=True)
class Known:
    """An event as it stands in the graph, with what a scope asks of it."""

    event: Event
    persons: tuple[str, ...]
    learnt_at: datetime


@dataclass(frozen=True)
class Written:
    group_id: str
    events: dict[int, Known]

    def within(self, scope: Scope) -> set[int]:
        return {i for i, known in self.events.items() if holds(scope, known.event, known.persons, known.learnt_at)}


@pytest.fixture(scope="module")
def reader(database: Database) -> EventReader:
    return EventReader(database, language="en")


@pytest.fixture(scope="module")
def written(database: Database) -> Iterator[Written]:
    """Three videos, one without a wall clock; of each six events of 5 s, one a minute, learnt an hour apart."""
    group, known = f"test-{uuid4()}", dict[int, Known]()
    for number, recorded_at in enumerate([NOON, NOON + 3 * MINUTE, None]):
        video = Video(group, f"v{number}", recorded_at=recorded_at)
        for minute in range(6):
            draft = _draft(video, minute)
            learnt_at = NOON + timedelta(hours=minute, minutes=number)
            [node_id] = _write(database, video, draft, learnt_at)
            event = Event(
                node_id,
                group,
                video.video_id,
                (),
                0,
                draft.time_start,
                draft.time_end,
                draft.summary_text,
                at=draft.at,
            )
            known[node_id] = Known(event, tuple(part.person_id for part in draft.involvements), learnt_at)
    yield Written(group, known)


def _draft(video: Video, minute: int) -> EventDraft:
    who = PEOPLE[minute % 3]
    return EventDraft(
        ordinal=0,
        time_start=60.0 * minute,
        time_end=60.0 * minute + 5,
        summary_text=f"the keys move, {who} by",
        at=video.recorded_at + minute * MINUTE if video.recorded_at else None,
        involvements=(Involvement(who, "actor", video.video_id if "_" in who else "", who),),
        uses=(Use(0, "key", "move", who, to_state=f"moved {minute}"),),
    )


def _write(database: Database, video: Video, draft: EventDraft, now: datetime) -> tuple[int, ...]:
    clip = Clip(f"c{draft.time_start}", draft.time_start, draft.time_end)
    source = AnalysedClip(video, clip, ClipAnalysis(clip_summary="", events=()), "test", clip.clip_id)
    writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: now)
    [receipt] = writer.commit([ComposedClip(source, (draft,))], np.ones((1, 4), np.float32), "m")
    return receipt.node_ids


seconds = st.integers(-1, 13).map(lambda half: 30.0 * half)
wall_clock = st.integers(-2, 20).map(lambda half: NOON + half * MINUTE / 2)
moments = st.none() | seconds | wall_clock


def in_order(since: object, until: object) -> bool:
    return since is None or until is None or type(since) is not type(until) or since <= until  # type: ignore[operator]


@examples(push=6, soak=400)
@given(
    video_ids=st.lists(st.sampled_from(["v0", "v1", "v2", "nowhere"]), max_size=2, unique=True).map(tuple),
    persons=st.lists(st.sampled_from([*PEOPLE, "nobody"]), max_size=2, unique=True).map(tuple),
    span=st.tuples(moments, moments).filter(lambda span: in_order(*span)),
    as_of=moments,
    ranges=st.lists(st.tuples(wall_clock, st.integers(0, 2)), max_size=3, unique_by=lambda each: each[0]).map(
        lambda each: tuple((begin, begin + length * MINUTE / 8) for begin, length in sorted(each))
    ),
    known_at=st.none() | st.integers(-1, 7).map(lambda hours: NOON + timedelta(hours=hours)),
)
def test_reads_give_back_the_scope_whole_and_nothing_else(
    video_ids: tuple[str, ...],
    persons: tuple[str, ...],
    span: tuple[float | datetime | None, float | datetime | None],
    as_of: float | datetime | None,
    ranges: tuple[tuple[datetime, datetime], ...],
    known_at: datetime | None,
    written: Written,
    reader: EventReader,
) -> None:
    """Full text, names, edges, events and known names agree with the scope in plain Python, whatever it bounds."""
    scope = Scope(written.group_id, video_ids, persons, *span, as_of, known_at, ranges=ranges)
    inside = written.within(scope)
    everything = sorted(written.events)
    assert {node_id for node_id, _ in reader.full_text("keys", scope, 50)} == inside
    assert len(reader.full_text("keys", scope, 1)) == min(1, len(inside)), "filled though others rank first"
    assert {event.node_id for event in reader.events(everything, scope)} == inside
    assert {*reader.by_object("key", scope, 50)} == inside
    for who in PEOPLE:
        assert {*reader.by_person(who, scope, 50)} == {i for i in inside if who in written.events[i].persons}
    involved = frozenset(who for i in inside for who in written.events[i].persons)
    known = reader.known(reader.vocabulary(Scope(written.group_id)), scope)
    assert known == Names(involved, frozenset(["key"] if inside else []))
    for edge in reader.neighbours(sorted(inside), list(Channel), scope):
        assert {edge.src, edge.dst} <= inside
    temporal = {(e.src, e.dst) for e in reader.neighbours(everything, [Channel.TEMPORAL], Scope(written.group_id))}
    found = {(e.src, e.dst) for e in reader.neighbours(sorted(inside), [Channel.TEMPORAL], scope)}
    assert found == {edge for edge in temporal if {*edge} <= inside}


@pytest.mark.parametrize(
    "bounds",
    [
        {"as_of": float("nan")},
        {"since": float("inf")},
        {"as_of": datetime(2026, 5, 1)},
        {"known_at": datetime(2026, 5, 1)},
        {"since": 2.0, "until": 1.0},
        {"since": NOON, "until": NOON - MINUTE},
    ],
)
def test_an_invalid_scope_is_refused(bounds: dict[str, float | datetime]) -> None:
    with pytest.raises(ValueError):
        Scope("g", **bounds)  # type: ignore[arg-type]
