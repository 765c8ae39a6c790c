"""Which stored events are read to tie new ones to."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.store.write.edges import _joined, _Stretch
from tests.support.examples import examples

PLACES = range(21)
KINDS = st.sampled_from([[False], [True], [False, True]])


@st.composite
def stretches(draw: st.DrawFn) -> _Stretch:
    start, end = sorted(draw(st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES))))
    since = float(draw(st.sampled_from(PLACES)))
    return _Stretch(draw(st.sampled_from(["hall", "yard"])), f"{start:020d}", f"{end:020d}", since, draw(KINDS))


def _lies(stretch: _Stretch, video_id: str, place: int) -> bool:
    return stretch.video_id == video_id and stretch.start <= f"{place:020d}" < stretch.end


@examples(push=100, soak=2000)
@given(asked=st.lists(stretches()))
def test_an_event_in_several_stretches_is_read_once(asked: list[_Stretch]) -> None:
    """An event in no stretch is not read. What is read has all that any of its stretches asks for."""
    joined = _joined(asked)
    for video_id, place in product(("hall", "yard"), PLACES):
        around = [stretch for stretch in asked if _lies(stretch, video_id, place)]
        read = [stretch for stretch in joined if _lies(stretch, video_id, place)]
        assert len(read) == bool(around)
        assert all(one.since <= each.since and set(one.heard) >= set(each.heard) for one in read for each in around)
