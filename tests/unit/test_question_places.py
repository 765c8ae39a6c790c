"""The name of a camera in a question says where it asks."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.ports import Names
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.question.places import without_places

PLACES = frozenset({"front_door", "door", "garden", "driveway", "home"})


@pytest.mark.parametrize(
    ("asked", "read", "places"),
    [
        ("Was a person seen at the front door?", "Was a person seen there?", ("front_door",)),
        ("Who was at the front_door yesterday?", "Who was there yesterday?", ("front_door",)),
        ("Did the garden camera see a dog?", "Did the camera see a dog?", ("garden",)),
        ("Who came in from the driveway at 9:00?", "Who came in there at 9:00?", ("driveway",)),
        ("How many cars were seen in the driveway and in the garden?", "How many cars were seen there and there?",
         ("driveway", "garden")),
        ("Who was in the garden 2 hours ago?", "Who was there 2 hours ago?", ("garden",)),
        ("Who was in the garden on 3 May?", "Who was there on 3 May?", ("garden",)),
        ("Was a car in the driveway two days ago?", "Was a car there two days ago?", ("driveway",)),
        ("Who was at the garden gate 2 hours ago?", "Who was at the garden gate 2 hours ago?", ()),
        # Another thing, or no place: nothing is left out.
        ("Who opened the front door?", "Who opened the front door?", ()),
        ("Who was there before the garden was watered?", "Who was there before the garden was watered?", ()),
        ("Who parked in front of the garden?", "Who parked in front of the garden?", ()),
        ("Who slept in garden 12?", "Who slept in garden 12?", ()),
        ("Who was in the garden 9 pm?", "Who was there 9 pm?", ("garden",)),
        ("What is in the garden shed?", "What is in the garden shed?", ()),
        ("Did anyone run through the garden today?", "Did anyone run there today?", ("garden",)),
        ("When did Anna come home?", "When did Anna come home?", ()),
    ],
)  # fmt: skip
def test_a_place_is_read_as_where_the_question_asks(asked: str, read: str, places: tuple[str, ...]) -> None:
    assert without_places(asked, Names(places=PLACES), ENGLISH) == (read, places)
    parsed = parse_question(asked, Names(places=PLACES), ENGLISH)
    assert (parsed.question.text, parsed.places) == (asked, places)
