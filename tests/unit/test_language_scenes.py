"""English sentences about scenes and sounds: the words of the local analyser."""

from __future__ import annotations

import pytest

from amr_neo4j.language.en.sentences import counted, number_words, ordinal
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.nouns import Observation, Position
from amr_neo4j.perception.classes import LABELS

scenes = ENGLISH.scenes
ANNA = "person in a red top and blue trousers"
# One and two of each class, in the order of LABELS.
COUNTED = [
    ("a person", "two people"),
    ("a bicycle", "two bicycles"),
    ("a car", "two cars"),
    ("a motorcycle", "two motorcycles"),
    ("an airplane", "two airplanes"),
    ("a bus", "two buses"),
    ("a train", "two trains"),
    ("a truck", "two trucks"),
    ("a boat", "two boats"),
    ("a bird", "two birds"),
    ("a cat", "two cats"),
    ("a dog", "two dogs"),
    ("a horse", "two horses"),
    ("a sheep", "two sheep"),
    ("a cow", "two cows"),
    ("an elephant", "two elephants"),
    ("a bear", "two bears"),
    ("a zebra", "two zebras"),
    ("a giraffe", "two giraffes"),
    ("a traffic light", "two traffic lights"),
    ("a fire hydrant", "two fire hydrants"),
    ("a stop sign", "two stop signs"),
    ("a parking meter", "two parking meters"),
    ("a bench", "two benches"),
    ("a chair", "two chairs"),
    ("a couch", "two couches"),
    ("a potted plant", "two potted plants"),
    ("a bed", "two beds"),
    ("a table", "two tables"),
    ("a toilet", "two toilets"),
    ("a tv", "two tvs"),
    ("a microwave", "two microwaves"),
    ("an oven", "two ovens"),
    ("a toaster", "two toasters"),
    ("a sink", "two sinks"),
    ("a refrigerator", "two refrigerators"),
    ("a clock", "two clocks"),
    ("a backpack", "two backpacks"),
    ("an umbrella", "two umbrellas"),
    ("a handbag", "two handbags"),
    ("a tie", "two ties"),
    ("a suitcase", "two suitcases"),
    ("a frisbee", "two frisbees"),
    ("skis", "two pairs of skis"),
    ("a snowboard", "two snowboards"),
    ("a ball", "two balls"),
    ("a kite", "two kites"),
    ("a baseball bat", "two baseball bats"),
    ("a baseball glove", "two baseball gloves"),
    ("a skateboard", "two skateboards"),
    ("a surfboard", "two surfboards"),
    ("a tennis racket", "two tennis rackets"),
    ("a bottle", "two bottles"),
    ("a wine glass", "two wine glasses"),
    ("a cup", "two cups"),
    ("a fork", "two forks"),
    ("a knife", "two knives"),
    ("a spoon", "two spoons"),
    ("a bowl", "two bowls"),
    ("a banana", "two bananas"),
    ("an apple", "two apples"),
    ("a sandwich", "two sandwiches"),
    ("an orange", "two oranges"),
    ("a broccoli", "two broccolis"),
    ("a carrot", "two carrots"),
    ("a hot dog", "two hot dogs"),
    ("a pizza", "two pizzas"),
    ("a donut", "two donuts"),
    ("a cake", "two cakes"),
    ("a laptop", "two laptops"),
    ("a mouse", "two mice"),
    ("a remote control", "two remote controls"),
    ("a keyboard", "two keyboards"),
    ("a phone", "two phones"),
    ("a book", "two books"),
    ("a vase", "two vases"),
    ("scissors", "two pairs of scissors"),
    ("a teddy bear", "two teddy bears"),
    ("a hair dryer", "two hair dryers"),
    ("a toothbrush", "two toothbrushes"),
]


def test_every_class_has_an_article_and_a_plural() -> None:
    assert [(counted(label, 1), counted(label, 2)) for label in LABELS.values()] == COUNTED


def test_numbers_are_spelled_out() -> None:
    assert [number_words(n) for n in (0, 12, 20, 21, 100, 115, 1000)] == [
        "zero", "twelve", "twenty", "twenty-one", "one hundred", "one hundred and fifteen", "1000",
    ]  # fmt: skip
    assert [ordinal(n) for n in (2, 3, 12, 20, 21, 100, 101)] == [
        "second", "third", "twelfth", "twentieth", "twenty-first", "one hundredth", "one hundred and first",
    ]  # fmt: skip


def test_people_are_described_by_their_clothes() -> None:
    assert scenes.clothed_person("black", "blue") == "person in a black top and blue trousers"
    assert scenes.clothed_person("orange", "grey") == "person in an orange top and grey trousers"
    assert scenes.clothed_person("", "grey") == "person in grey trousers"
    assert scenes.clothed_person("black", "black") == "person in black clothes"
    assert scenes.clothed_person("", "") == "person"


def test_sentences_for_what_is_in_view() -> None:
    there = [("bus", "left"), ("bus", "left"), ("sheep", "right")]
    assert scenes.in_view(there) == "There are two buses on the left and a sheep on the right, as seen by the camera."
    spread = [("car", "left"), ("car", "middle"), ("car", "right"), ("dog", "left"), ("cat", "right")]
    assert scenes.in_view(spread) == (
        "There are three cars on the left, in the middle and on the right; a dog on the left and a cat on the right, "
        "as seen by the camera."
    )


BOTTLE = Position("bottle", "left", (("on top of", "table"), ("next to and left of", "bottle")))
TWIN = Position("bottle", "left", BOTTLE.neighbours, alone=False)
SEEN = "on the left, on top of the table, next to and left of another bottle, as seen by the camera"


@pytest.mark.parametrize(
    ("what", "sentence", "relation"),
    [
        (
            Observation("enter", ANNA, origin="left", stop="middle"),
            f"A {ANNA} enters from the left and stops in the middle, as seen by the camera.",
            "from the left, as seen by the camera",
        ),
        (
            Observation("move", ANNA, origin="left", goal="middle"),
            f"A {ANNA} moves from the left to the middle, as seen by the camera.",
            "from the left to the middle, as seen by the camera",
        ),
        (
            Observation("pick up", ANNA, "bottle", position=BOTTLE, side="front"),
            f"A {ANNA} picks up the bottle in front of them, on top of the table.",
            "from its place in front of them, on top of the table",
        ),
        (
            Observation("put down", "hand", "bottle", position=TWIN, side="right"),
            f"A hand puts down a bottle on their right ({SEEN}).",
            f"on their right ({SEEN})",
        ),
        (
            Observation("approach", ANNA, person="person", position=Position("person", "right")),
            f"A {ANNA} approaches a person on the right, as seen by the camera.",
            "a person, on the right, as seen by the camera",
        ),
        (Observation("move", ANNA, "chair"), f"A {ANNA} moves a chair.", ""),
        (Observation("disappear", thing="bottle", position=BOTTLE), f"The bottle is gone {SEEN}.", SEEN),
        (Observation("have", ANNA, "skis", position=BOTTLE), f"A {ANNA} has skis with them.", SEEN),
    ],
)
def test_sentences_for_observations(what: Observation, sentence: str, relation: str) -> None:
    assert scenes.observed(what) == sentence
    assert scenes.spatial_relation(what) == relation


def test_sentences_for_speakers() -> None:
    assert scenes.speak([], unknown=False) == ""
    assert scenes.speak([], unknown=True) == "Somebody speaks."
    assert scenes.speak(["Anna"], unknown=False) == "Anna speaks."
    assert scenes.speak(["Anna", "Ben"], unknown=True) == "Anna, Ben and somebody else speak."
    assert scenes.says(["anna", "Ben"], "Hm.") == 'Anna and Ben say: "Hm."'


def test_sentences_for_other_events() -> None:
    assert [scenes.more_events(n) for n in (-1, 0, 1, 7)] == [
        "", "", "And a more thing happens.", "And seven more things happen.",
    ]  # fmt: skip
    assert scenes.nothing_happens("").startswith("Nothing happens")
    assert scenes.nothing_happens("There is a cup.") == "Nothing new happens. There is a cup."
