"""Where things usually are, by where the latest events show them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from amr_neo4j.domain.belief import Sighting
from amr_neo4j.facts.rules import fact_rules
from amr_neo4j.facts.usual_places import usual_places
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.languages import language as language_with

MARCH = datetime(2026, 3, 1, tzinfo=UTC)


def seen(*places: str, name: str = "mug", clip: str = "") -> list[Sighting]:
    """Sightings in these places, given in order of time; the latest first, as the store has them."""
    made = [
        Sighting("kitchen", name, True, n, clip or f"clip {n}", where, MARCH + timedelta(hours=n))
        for n, where in enumerate(places)
    ]
    return made[::-1]


def texts(sightings: list[Sighting], language: str = "en") -> list[str]:
    found = usual_places(sightings, fact_rules(), language_with(language))
    return [fact.text for fact in found]


@pytest.mark.parametrize(
    ("places", "usual"),
    [
        (["on the left shelf"] * 3, "on the left shelf"),
        (["on the left shelf", "left shelf", "onto the left shelf", "on the table"], "onto the left shelf"),
        (["on the left shelf"] * 2, None),
        (["on the left shelf", "on the right shelf"] * 5, None),
        (["on the table"] * 30 + ["in the sink"] * 12, "in the sink"),  # the latest twenty count
    ],
)
def test_a_usual_place_is_where_most_of_the_latest_clips_show_a_thing(places: list[str], usual: str | None) -> None:
    assert texts(seen(*places)) == ([f"The mug (kitchen) is usually {usual}"] if usual else [])


def test_what_one_clip_shows_counts_once() -> None:
    assert texts(seen(*["on the left shelf"] * 9, clip="one")) == []


def test_each_thing_has_its_own_place_and_its_own_events() -> None:
    both = [*seen(*["on the shelf"] * 3), *seen(*["in the drawer"] * 4, name="knife")]
    mug, knife = usual_places(both, fact_rules(), ENGLISH)
    assert (mug.triple.object, mug.node_ids, mug.at) == ("on the shelf", (0, 1, 2), MARCH + timedelta(hours=2))
    assert (knife.triple.subject, knife.triple.object, len(knife.node_ids)) == ("knife (kitchen)", "in the drawer", 4)


def test_a_usual_place_is_worded_in_the_language_of_the_group() -> None:
    assert texts(seen(*["auf dem Regal"] * 3, name="Tasse"), "de") == ["Tasse (kitchen) ist meistens auf dem Regal"]
