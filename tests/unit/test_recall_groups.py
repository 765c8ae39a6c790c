"""Groups of candidates."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.rank.groups import group, in_order_of_chains, with_chains
from amr_neo4j.recall.retrieve.candidate import Candidate


def candidate(node_id: int, video_id: str, start: float, length: float) -> Candidate:
    event = Event(node_id, "g", video_id, ("c",), 0, start, start + length, "something")
    return Candidate(event, Path((node_id,), (), 0.0), language=ENGLISH)


candidates = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 300), st.integers(0, 30)), max_size=30).map(
    lambda rows: [candidate(n, *row) for n, row in enumerate(rows)]
)


@given(candidates)
def test_every_candidate_is_in_one_group(found: list[Candidate]) -> None:
    """Grouping neither loses nor repeats an event."""
    groups = group(found, gap=10, span=60)
    assert sorted(c.node_id for members in groups for c in members) == [c.node_id for c in found]


@given(candidates)
def test_a_group_is_a_continuous_segment_of_one_video(found: list[Candidate]) -> None:
    """Within a group events follow one another within the gap; only a single longer event exceeds it."""
    for members in group(found, gap=10, span=60):
        assert len({c.event.video_id for c in members}) == 1
        ends = [c.event.time_end for c in members]
        for place, later in enumerate(members[1:], start=1):
            assert members[place - 1].event.time_start <= later.event.time_start <= max(ends[:place]) + 10
            assert later.event.time_end - members[0].event.time_start <= 60


def test_a_pause_separates_groups() -> None:
    found = [candidate(0, "a", 0, 5), candidate(1, "a", 12, 5), candidate(2, "a", 40, 5), candidate(3, "b", 41, 5)]
    assert [[c.node_id for c in members] for members in group(found, gap=10, span=60)] == [[0, 1], [2], [3]]


def test_chains_that_share_a_move_are_read_together() -> None:
    """Passport and ticket were put into one folder, each in a clip of its own: its move is said of both."""
    passport, ticket, folder, other = (candidate(n, "a", 100 * n, 5) for n in range(4))
    groups = [(passport,), (ticket,), (folder,), (other,)]
    joined = with_chains(groups, [[passport, folder], [ticket, folder]])
    assert [[c.node_id for c in members] for members in joined] == [[0, 1, 2], [3]]


def test_what_holds_each_thing_of_an_event_is_moved_up() -> None:
    """Passport and ticket were put down in one event, into a folder and a box."""
    put, other, folder, box = (candidate(n, "a", 100 * n, 5) for n in range(4))
    found = in_order_of_chains([put, other, folder, box], [[put, folder], [put, box]])
    assert [c.node_id for c in found] == [0, 2, 3, 1]
