"""Which second of an event its picture shows."""

from __future__ import annotations

from amr_neo4j.app.showing import moment
from amr_neo4j.domain.views import BoxView


def box(time: float) -> BoxView:
    return BoxView(name="person", time=time, left=0.1, top=0.1, right=0.2, bottom=0.3)


def test_a_picture_shows_most_of_those_who_are_meant() -> None:
    assert moment([box(5.0), box(7.0), box(7.1)], 5.0) == 7.0


def test_of_moments_with_as_many_it_is_the_one_nearest_to_the_middle() -> None:
    assert moment([box(3.0), box(6.0)], 5.0) == 6.0
    assert moment([], 5.0) == 5.0
