"""Which stored events are read to tie new ones to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.store.write.edges import _joined
from tests.support.examples import examples

PLACES = st.integers(0, 20)
STRETCHES = st.tuples(st.sampled_from(["hall", "yard"]), PLACES, PLACES).map(
    lambda drawn: (drawn[0], f"{min(drawn[1:]):020d}", f"{max(drawn[1:]):020d}")
)


@examples(push=100, soak=2000)
@given(stretches=st.lists(STRETCHES))
def test_an_event_in_several_stretches_is_read_once(stretches: list[tuple[str, str, str]]) -> None:
    """And one in none not at all."""
    joined = _joined(stretches)
    for video_id in ("hall", "yard"):
        for place in range(21):
            position = f"{place:020d}"
            wanted = any(of == video_id and start <= position < end for of, start, end in stretches)
            read = sum(of == video_id and start <= position < end for of, start, end in joined)
            assert read == wanted
