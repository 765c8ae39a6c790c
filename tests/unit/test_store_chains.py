"""Chains with new events among stored ones, against the chain of all of them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.store.write.chains import Sight, Stop, splice, tie_voices
from tests.support.examples import examples

places = st.sets(st.integers(0, 30), max_size=12)


def stop(place: int) -> Stop:
    return Stop(f"{place:03d}", place, float(place), place + 1.0, float(place))


def sight(place: int) -> Sight:
    return Sight(f"{place:03d}", place)


@examples(push=100, soak=5000)
@given(new=places, stored=places)
def test_links_and_what_remains_are_the_chain_of_all(new: set[int], stored: set[int]) -> None:
    """Every link has a new end; stored neighbours are passed exactly where something new stands between them."""
    stored = stored - new
    around = {
        stop(n).position: (
            stop(max(before)) if (before := [s for s in stored if s < n]) else None,
            stop(min(after)) if (after := [s for s in stored if s > n]) else None,
        )
        for n in new
    }
    spliced = splice(map(stop, new), around)
    links = [(src.node_id, dst.node_id) for src, dst in spliced.links]
    passed = {(src.node_id, dst.node_id) for src, _, dst in spliced.passed}
    kept = set(pairwise(sorted(stored))) - passed
    assert len(links) == len(set(links)) and all({*link} & new for link in links)
    assert set(links) | kept == set(pairwise(sorted(stored | new)))
    assert all(src.node_id < between.node_id < dst.node_id for src, between, dst in spliced.passed)


def nearest(voices: set[int], sights: set[int]) -> set[tuple[int, int]]:
    return {
        (voice, found)
        for voice in voices
        for found in (
            max((s for s in sights if s < voice), default=None),
            min((s for s in sights if s > voice), default=None),
        )
        if found is not None
    }


@examples(push=100, soak=5000)
@given(seen=places, heard=places, seen_before=places, heard_before=places)
def test_each_voice_is_tied_to_the_nearest_sights(
    seen: set[int], heard: set[int], seen_before: set[int], heard_before: set[int]
) -> None:
    """Of the stored edges, exactly those are deleted that no longer lead to the nearest sight."""
    heard -= seen
    seen_before -= seen | heard
    heard_before -= seen | heard | seen_before
    tied = tie_voices(
        map(sight, seen),
        map(sight, heard),
        seen_before=map(sight, seen_before),
        heard_before=map(sight, heard_before),
    )
    links = {(voice.node_id, to.node_id) for voice, to in tied.links}
    passed = {(voice.node_id, known.node_id) for voice, known, _ in tied.passed}
    there = nearest(heard_before, seen_before)
    assert passed <= there and not links & there
    assert links | (there - passed) == nearest(heard | heard_before, seen | seen_before)
