"""Keys for sorting and seeking in the graph."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import EventDraft
from amr_neo4j.domain.video import Clip, Video
from amr_neo4j.ingest.compose import compose
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.store.keys import chain_key, clock_start, position
from amr_neo4j.store.person_aliases import PersonAliases
from amr_neo4j.store.write.rows import clip_row
from tests.support.analyses import analysed

parts = st.lists(
    st.text(max_size=8) | st.sampled_from(["a/b", "a", "b", "", "%2F", "#", "a#b", "x" * 500]), max_size=4
)
names = st.text(min_size=1, max_size=6) | st.sampled_from(["c", "c 000000", "c/1", "🎬"])
seconds = st.integers(0, 10**12).map(lambda milliseconds: milliseconds / 1000)
wall_clocks = st.none() | st.datetimes(
    datetime(1800, 1, 1),
    datetime(8900, 1, 1),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=9))]),
)


@given(parts.filter(len), parts.filter(len))
def test_chain_keys_are_distinct(one: list[str], other: list[str]) -> None:
    """Different parts never give the same key, wherever they contain the separator."""
    assert (chain_key(*one) == chain_key(*other)) == (one == other)


@given(st.lists(st.text(max_size=500) | st.just("𗀀" * 500) | st.just("/" * 500), min_size=1, max_size=5))
def test_any_key_fits_an_index(names: list[str]) -> None:
    """Keys are bounded, in bytes: Neo4j refuses an index entry above some 8,000."""
    assert len(chain_key(*names).encode()) <= 400


def test_long_keys_with_a_common_prefix_differ() -> None:
    assert chain_key("x" * 500, "a") != chain_key("x" * 500, "b")


def test_a_short_key_is_readable() -> None:
    assert chain_key("home", "place", "kitchen", "red mug") == "home/place/kitchen/red mug"


@given(
    wall_clocks,
    st.lists(st.tuples(seconds, seconds, names, st.integers(0, 99)), min_size=2, max_size=6, unique=True),
)
def test_positions_sort_by_time(recorded_at: datetime | None, events: list[tuple[float, float, str, int]]) -> None:
    """Positions sort by start, then end; within one clip by ordinal; no two events share one."""
    video = Video("g", "v", recorded_at=recorded_at)
    at = {event: _position(video, *event) for event in events}
    for one in events:
        for other in events:
            if one[:2] != other[:2]:
                assert (at[one] < at[other]) == (one[:2] < other[:2])
            elif one[2] == other[2]:
                assert (at[one] < at[other]) == (one[3] < other[3])
    assert len(set(at.values())) == len(events)


@given(
    st.lists(
        st.tuples(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)), st.integers(0, 10**6)),
        min_size=2,
        max_size=2,
    )
)
def test_videos_with_a_clock_share_one_timeline(recordings: list[tuple[datetime, int]]) -> None:
    """Positions sort by the wall clock across videos."""
    one, other = recordings
    moments = [start + timedelta(seconds=offset) for start, offset in (one, other)]
    positions = [
        _position(Video("g", f"v{n}", recorded_at=start.replace(tzinfo=UTC)), float(offset), float(offset), "c", 0)
        for n, (start, offset) in enumerate(recordings)
    ]
    assert (positions[0][:20] < positions[1][:20]) == (moments[0] < moments[1])


def _position(video: Video, start: float, end: float, clip_id: str, ordinal: int) -> str:
    return position(video, Clip(clip_id, 0.0, 1.0), EventDraft(ordinal, start, end, "x"))


def test_the_clock_counts_from_1970() -> None:
    noon = datetime(1970, 1, 1, 12, tzinfo=UTC)
    assert clock_start(Video("g", "v", recorded_at=noon), 1.5) == 43201.5
    assert clock_start(Video("g", "v"), 1.5) == 1.5


def _keys(video: Video) -> list[str]:
    event = {"time_start": 0, "time_end": 1, "summary": "x", "actors": ["Anna"], "objects": [{"name": "cup"}]}
    clip = compose(analysed({"clip_summary": "", "events": [event]}, video=video), ENGLISH)
    [row] = clip_row(0, clip, vectors=np.zeros((1, 1), np.float32), aliases=PersonAliases())["events"]
    return [row["involvements"][0]["props"]["key"], row["uses"][0]["props"]["key"]]


NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_chains_cross_the_videos_of_a_place_with_a_clock() -> None:
    one, other = (Video("g", name, place="kitchen", recorded_at=NOON) for name in ("v", "w"))
    assert _keys(one) == _keys(other)
    assert not set(_keys(one)) & set(_keys(Video("g", "w", place="kitchen"))), "seconds of a film are no time of day"
    assert not set(_keys(one)) & set(_keys(Video("h", "v", place="kitchen", recorded_at=NOON)))


def test_a_video_named_like_a_place_has_its_own_timeline() -> None:
    """The film "kitchen" counts from its second 0, the place "kitchen" by the wall clock: no chain may join them."""
    assert not set(_keys(Video("g", "kitchen"))) & set(_keys(Video("g", "v", place="kitchen", recorded_at=NOON)))
