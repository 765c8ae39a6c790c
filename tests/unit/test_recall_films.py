"""Whether, how many, what is worn, what there is to see: answered from the reports of a film."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from amr_neo4j.domain.recall import Answer, Citation, Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parse import answer_type_of
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

WORDS = ["Welcome to the garden.", "Today we plant roses.", "Water every tomato twice a day.", "We went to Berlin."]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When did somebody say tomatoes?", "at 00:00:23 of garden: “Water every tomato twice a day.”"),
        ("When did anybody mention tomatoes?", "at 00:00:23 of garden: “Water every tomato twice a day.”"),
        ("When did Anna say Berlin?", "Anna said, at 00:00:33 of garden: “We went to Berlin.”"),
        ("When did somebody say bicycle?", ""),
        ("When did Ben say Berlin?", ""),
    ],
)
def test_when_words_were_said_is_the_second_of_the_words(question: str, text: str) -> None:
    """Not of the event around them. Where nobody said them, or somebody else did, the answer says so."""
    graph = graph_of_lines([_spoken(number, words) for number, words in enumerate(WORDS)])
    answer = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert text in answer.text if text else not answer.found


def _spoken(number: int, words: str) -> str:
    """A clip of ten seconds with somebody in it, who says something at its third second."""
    speaker = [{"local_character_id": "S1", "role": "speaker", "name_or_description": "Anna"}]
    turn = {"speaker_id": "S1" if number == 3 else "", "utterance": words, "time_start": 3, "time_end": 6}
    event = {"time_start": 0, "time_end": 10, "summary": "A person is there.", "actors": [], "actions": []}
    analysis = {"clip_summary": "", "characters": speaker, "speaker_turns": [turn], "events": [event]}
    clip = {"video_id": "garden", "clip_id": str(number), "t_start": number * 10, "t_end": number * 10 + 10}
    return json.dumps(clip | {"analysis": analysis})


CAMERA = ", as seen by the camera."
Report = tuple[float, str, Sequence[str], Sequence[str], Sequence[tuple[str, str]]]
RED, BLUE = "person in a red top", "person in a blue coat"
REPORTS: list[Report] = [
    (1, f"There are two horses and perhaps a goat (.55) on the left{CAMERA}", [], ["horse", "goat"], []),
    (10, f"A {RED} enters from the left{CAMERA}", [RED], [], [(RED, "enter")]),
    (20, f"Two people move: a {RED} to the left and a {BLUE} to the right{CAMERA}", [RED, BLUE], [],
     [(RED, "move"), (BLUE, "move")]),
    (30, f"A {RED} leaves to the right{CAMERA}", [RED], [], [(RED, "leave")]),
    (40, f"A {BLUE} leaves to the left{CAMERA}", [BLUE], [], [(BLUE, "leave")]),
    (50, f"A {BLUE} enters from the left{CAMERA}", [BLUE], [], [(BLUE, "enter")]),
]  # fmt: skip


def film(reports: Sequence[Report], video: str = "meadow") -> FakeGraph:
    return graph_of_lines([_line(video, *report) for report in reports])


def _line(
    video: str, at: float, summary: str, people: Sequence[str], things: Sequence[str], done: Sequence[tuple[str, str]]
) -> str:
    ids = {name: f"C{n}" for n, name in enumerate(people, 1)}
    event = {
        "time_start": 0,
        "time_end": 2,
        "summary": summary,
        "actors": list(ids.values()),
        "objects": [{"name": name} for name in things],
        "actions": [{"actor": ids[who], "verb": verb, "object": "", "spatial_relation": ""} for who, verb in done],
    }
    characters = [{"local_character_id": id_, "name_or_description": name} for name, id_ in ids.items()]
    analysis = {"clip_summary": "", "events": [event], "characters": characters}
    return json.dumps({"video_id": video, "clip_id": f"c{at}", "t_start": at, "t_end": at + 2, "analysis": analysis})


MEADOW = film(REPORTS)


def answer(question: str, graph: FakeGraph = MEADOW) -> Answer:
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))


@pytest.mark.parametrize(
    ("question", "says", "seconds"),
    [
        ("Are there any horses?", "Yes: ", [1]),
        ("Is there a goat?", "Perhaps: ", [1]),
        ("Is there a person in a red top?", "Yes: ", [10]),
        ("Does anybody leave?", "Yes: ", [30]),
        ("Did somebody go out?", "Yes: ", [30]),
        ("Is anybody else there?", "Yes: ", [20]),
        ("How many horses are there?", "At least two at once: ", [1]),
        ("How many people are there?", "At least two at once: ", [20]),
        ("How many people leave?", "Perhaps two by their looks, twice in all: ", [30, 40]),
        ("How many times does somebody go out?", "As far as was recognised, twice: ", [30, 40]),
        ("What does the first person wear?", "red top", [10]),
        ("Who comes in first?", "red top", [10]),
        ("Who leaves last?", "blue coat", [40]),
        ("What happens at the end?", "blue coat", [40, 50]),
        ("What happens in the film?", "6 events, of which these 5 tell most: ", [10, 20, 30, 40, 50]),
    ],
)
def test_a_film_s_reports_answer(question: str, says: str, seconds: list[float]) -> None:
    found = answer(question)
    assert found.found
    assert says in found.text
    assert [citation.start for citation in found.citations] == seconds


@pytest.mark.parametrize(
    "question",
    ["Is there a tiger?", "Are there any red horses?", "Does anybody dance?", "Does anybody wear a green top?"],
)
def test_what_no_report_tells_is_neither_affirmed_nor_denied(question: str) -> None:
    found = answer(question)
    assert not found.found
    assert not found.citations
    assert not found.text.startswith(("Yes", "No:", "No,"))


def test_a_sex_that_no_report_tells_is_doubted() -> None:
    assert answer("Is there a woman?").text.startswith("Nothing found says “woman”; the nearest is this.")
    assert answer("How many times does the man leave?").text.startswith("Nothing found says “man”")


@pytest.mark.parametrize(
    "question", ["How many times does the man with a beard leave?", "How often did a man with a hat go out?"]
)
def test_a_count_is_not_of_people_whom_the_question_does_not_describe(question: str) -> None:
    text = answer(question).text
    assert "recognised, twice" not in text or text.startswith("Nothing found says")


def test_the_name_of_a_video_is_no_thing_in_it() -> None:
    graph = film(REPORTS[1:], "horses")
    assert not answer("Are there any horses?", graph).found


def test_a_denial_is_no_sighting() -> None:
    graph = film([(1, "There are no horses in the field.", [], ["horse"], []), *REPORTS[1:]])
    assert not answer("Are there any horses?", graph).text.startswith("Yes")


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("He goes out of the room", {"leave", "exit", "depart"}),
        ("She came in first", {"enter"}),
        ("They walk in the park", set[str]()),
        ("They walked in", {"enter"}),
        ("He looked for it", {"search"}),
        ("The barrier goes up", {"rise", "raise", "ascend"}),
        ("She goes up to the counter", {"approach"}),
    ],
)
def test_phrasal_verbs_say_what_single_verbs_say(text: str, verbs: set[str]) -> None:
    assert ENGLISH.phrasal_verbs(text) == verbs


def test_a_side_is_no_leaving() -> None:
    assert "leave" not in ENGLISH.all_forms("She enters from the left")
    assert "leave" in ENGLISH.all_forms("She left the house")


GATE = film(
    [
        (1, "A woman goes out through the gate.", [], [], []),
        (10, "A boy with a cap leaves by the gate.", [], [], []),
        (20, "A girl comes in through the gate.", [], [], []),
        (30, "An old man walks out of the gate.", [], [], []),
    ]
)


@pytest.mark.parametrize("question", ["How many times does somebody leave?", "How many times does somebody go out?"])
def test_going_out_counts_as_leaving(question: str) -> None:
    assert answer(question, GATE).text.startswith("3 times: ")


def test_a_look_that_nobody_has_is_not_counted() -> None:
    assert "beard" in answer("How many times does the man with a beard leave the gate?", GATE).text.partition(";")[0]


def test_the_doubt_of_a_report_is_kept_in_other_words() -> None:
    summary = f"There is perhaps a goat (.55) on the left and a horse on the right{CAMERA}"
    things = [("goat", "on the left"), ("horse", "on the right")]
    objects = [{"name": name, "spatial_description": where} for name, where in things]
    event = {"time_start": 0, "time_end": 2, "summary": summary, "objects": objects}
    clip = {"video_id": "yard", "clip_id": "c1", "t_start": 1, "t_end": 3}
    yard = graph_of_lines([json.dumps(clip | {"analysis": {"clip_summary": "", "events": [event]}})])
    assert answer("Where is the goat?", yard).text.startswith("Perhaps the goat was on the left")
    assert answer("Where is the horse?", yard).text.startswith("The horse was on the right")


COLOURED = film(
    [
        (1, f"There is a red car on the left and a person in a black top and blue trousers on the right{CAMERA}",
         ["person in a black top and blue trousers"], ["car"], []),
        (10, f"Something grey leaves the picture to the top{CAMERA}", [], ["something grey"], [])
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    "question",
    ["Is there a red car?", "Are there any red cars?", "Is there a person in a black top?", "Is anybody in black?"],
)
def test_a_thing_of_a_colour_is_found(question: str) -> None:
    assert answer(question, COLOURED).text.startswith("Yes: ")


@pytest.mark.parametrize(
    "question",
    [
        "Is there a black car?",
        "Is there a blue car?",
        "Is there a person in a red top?",
        "Is anybody in black trousers?",
    ],
)
def test_the_colour_of_another_thing_is_not_its_own(question: str) -> None:
    assert not answer(question, COLOURED).text.startswith(("Yes", "Perhaps"))


def test_the_colour_of_a_thing_is_told() -> None:
    assert answer("What colour is the car?", COLOURED).found
    assert "red car" in answer("What colour is the car?", COLOURED).text


ENDS = film(
    [
        (1, f"Three people in black clothes are in the middle{CAMERA}", ["person 1", "person 2", "person 3"], [], []),
        (40, f"Two people in blue clothes are in the middle{CAMERA}", ["person 4", "person 5"], [], []),
        (60, f"A person in red clothes leaves to the left{CAMERA}", ["person 6"], [], []),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "at"),
    [
        ("How many people are there at the start?", "At least three at once: at 00:00:01"),
        ("How many people are there at the end?", "At least one at once: at 00:01:00"),
        ("What happens at 40 seconds?", "At 00:00:40"),
        ("What happens at about 1 minute?", "At 00:01:00"),
        ("What happens 40 sec into the video?", "At 00:00:40"),
    ],
)
def test_a_time_of_the_film_is_heeded(question: str, at: str) -> None:
    assert answer(question, ENDS).text.startswith(at)


IN_BLACK, IN_RED = "person in black clothes", "person in a red top and black trousers"
IN_BLUE = "person in a blue top and grey trousers"
DARK = "The picture is too dark to see what happens."
HALL = film(
    [
        (2, f"A {IN_BLACK} enters from the left{CAMERA}", [IN_BLACK], [], [(IN_BLACK, "enter")]),
        (12, f"A {IN_BLACK} stays on the left{CAMERA}", [IN_BLACK], [], []),
        (32, f"A {IN_RED} enters from the right{CAMERA}", [IN_RED], [], [(IN_RED, "enter")]),
        (42, f"A {IN_BLUE} crosses from the left to the right{CAMERA}", [IN_BLUE], [], [(IN_BLUE, "cross")]),
        (52, f"A {IN_RED} leaves to the left{CAMERA}", [IN_RED], [], [(IN_RED, "leave")]),
        (57, f"There is a suitcase on the right{CAMERA}", [], ["suitcase"], []),
        (60, DARK, [], [], []),
        (62, DARK, [], [], []),
        (70, DARK, [], [], []),
    ],
    "hall",
)


@pytest.mark.parametrize(
    ("question", "second"),
    [
        ("When does the woman in the red dress enter?", 32),
        ("What does the man in the red jacket do?", 32),
        ("Who wears a red coat?", 32),
        ("Does the man in the red jacket leave?", 52),
        ("When does the person in a navy shirt arrive?", 42),
    ],
)
def test_a_garment_is_known_by_its_colour_alone(question: str, second: float) -> None:
    found = answer(question, HALL)
    assert [citation.start for citation in found.citations][:1] == [second]
    assert "Reports state the colours of clothes, but not whether it is a" in found.text


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        ("When does the woman in the green dress enter?", "green dress"),
        ("When does the person in the yellow coat leave?", "yellow coat"),
        ("Where is the man in the green jacket?", "green jacket"),
        ("Who wears a yellow jacket?", "yellow jacket"),
        ("Does anybody wear a green jacket?", "green jacket"),
        ("Does the man in the green jacket leave?", "green jacket"),
    ],
)
def test_nobody_of_another_colour_is_shown_for_it(question: str, lacking: str) -> None:
    found = answer(question, HALL)
    assert not found.found
    assert f"“{lacking}”" in found.text or f"“{lacking.partition(' ')[0]}”" in found.text
    assert not found.citations


def test_a_garment_without_a_colour_may_be_anybody_s() -> None:
    assert answer("Is anybody in a dress?", HALL).text.startswith("Nothing found says “dress”")
    assert answer("When does the man in the jacket enter?", HALL).text.startswith("Nothing found says “jacket”")


def test_a_sex_that_no_report_tells_is_left_open() -> None:
    text = answer("When does the woman leave?", HALL).text
    assert text.startswith("Reports state no sex or age, so “woman” is left open. ")
    assert "leaves" in text


@pytest.mark.parametrize("question", ["When does somebody come?", "When does a person arrive?"])
def test_every_time_in_a_film_is_told_in_whatever_words(question: str) -> None:
    assert [citation.start for citation in answer(question, HALL).citations] == [2, 32, 42]


def test_what_goes_on_over_the_clips_is_one_stretch() -> None:
    found = answer("When is it too dark?", HALL)
    assert [citation.start for citation in found.citations] == [60, 70]
    assert "too dark to see what happens, which goes on until 00:01:04" in found.text


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("How long does the person in red clothes stay?", ["20 s in view: at 00:00:32"]),
        ("How long is the person in the red top there?", ["20 s in view: at 00:00:32"]),
        ("How long does the person in black stay?", ["At least 12 s in view: at 00:00:02"]),
        ("How long does somebody stay?", ["At least 12 s in view", "20 s in view", "2 s in view"]),
    ],
)
def test_a_stay_lasts_from_coming_to_going(question: str, says: list[str]) -> None:
    text = answer(question, HALL).text
    assert all(words in text for words in says)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("How long does the second visitor stay?", "20 s in view: at 00:00:32"),
        ("When does the second person leave?", "At 00:00:52"),
        ("What does the 2nd person wear?", "red"),
        ("How long does the third person stay?", "2 s in view"),
    ],
)
def test_of_several_visitors_the_one_who_is_meant_answers(question: str, says: str) -> None:
    text = answer(question, HALL).text
    assert says in text and "00:00:02 " not in text


def test_a_visitor_who_never_came_answers_nothing() -> None:
    assert answer("When does the fourth visitor arrive?", HALL).text.startswith(
        "It happened fewer than 4 times in memory."
    )


def test_without_reports_of_every_arrival_the_second_visitor_is_in_doubt() -> None:
    graph = graph_of_lines([_spoken(number, words) for number, words in enumerate(WORDS)])
    found = ask("What did the second person wear?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert found.text.startswith("Memory may not hold the answer")


def stays(*seen: tuple[int, int, float]) -> FakeGraph:
    """A graph of stays of a person in a red top: (day of October, hour, seconds)."""
    lines: list[str] = []
    for day, hour, seconds in seen:
        for at, verb in ((2.0, "enter"), (2.0 + seconds, "leave")):
            side = "enters from the left" if verb == "enter" else "leaves to the right"
            line = json.loads(_line(f"yard{day}-{hour}", at, f"A {RED} {side}{CAMERA}", [RED], [], [(RED, verb)]))
            begun = datetime(2026, 10, day, hour, tzinfo=ZoneInfo("Europe/Berlin"))
            lines.append(json.dumps(line | {"recorded_at": begun.isoformat()}))
    return graph_of_lines(lines)


def asked_on_saturday(question: str, graph: FakeGraph) -> str:
    now = datetime(2026, 10, 24, 20, tzinfo=ZoneInfo("Europe/Berlin"))
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH, now)).text


@pytest.mark.parametrize(
    ("time", "says", "untold"),
    [
        ("on 22 October", "10 s in view", "40 s"),
        ("at night", "20 s in view", "10 s"),
        ("today", "Nothing in memory fits that time. The last time before: ", "in view"),
        ("on Thursday before 9 am", "Nothing in memory fits that time.", "in view"),
    ],
)
def test_only_a_stay_within_the_time_counts(time: str, says: str, untold: str) -> None:
    """Of several ranges ("at night"), what lies between two of them does not count."""
    graph = stays((21, 10, 40.0), (21, 23, 20.0), (22, 12, 10.0), (22, 23, 21.0))
    text = asked_on_saturday(f"How long was the person in the red top there {time}?", graph)
    assert says in text and untold not in text


@pytest.mark.parametrize(
    ("question", "says", "untold"),
    [
        ("Who is in view at 15 seconds?", "red top enters", "blue"),
        ("Is anybody there at 15 seconds?", "Yes: at 00:00:10", "blue"),
        ("How many people are there at 25 seconds?", "At least two at once", "horses"),
        ("Who is in view at 35 seconds?", "blue coat", "enters"),
        ("Who is in view at 45 seconds?", "Nothing in memory fits that time.", "in view:"),
        ("Who enters at 15 seconds?", "Nothing in memory fits that time.", "in view:"),
        ("Who was with the person in the red top at 25 seconds?", "Nothing in memory fits that time.", "in view:"),
        ("Is anyone else there at 15 seconds?", "Nothing in memory fits that time.", "Yes"),
    ],
)
def test_who_is_in_view_between_two_reports_is_known(question: str, says: str, untold: str) -> None:
    text = answer(question).text
    assert says in text and untold not in text, text


@pytest.mark.parametrize(
    ("reports", "says"),
    [((10, 18_000), "At least 10 s in view"), ((60, 120, 180, 240), "At least 4 min in view")],
)
def test_a_long_silence_ends_a_stay(reports: Sequence[float], says: str) -> None:
    """Somebody in view is reported once a minute."""
    came = (2.0, f"A {RED} enters from the left{CAMERA}", [RED], [], [(RED, "enter")])
    stays = [(at, f"A {RED} stays in the middle{CAMERA}", [RED], [], [(RED, "stay")]) for at in reports]
    text = answer("How long is the person in the red top there?", film([came, *stays])).text
    assert text.startswith(says), text


def test_stays_of_two_cameras_are_never_one() -> None:
    seen = [("yard", 2.0, "enters from the left", "enter"), ("hall", 62.0, "leaves to the right", "leave")]
    lines = [
        _line(camera, at, f"A {RED} {does}{CAMERA}", [RED], [], [(RED, verb)]) for camera, at, does, verb in seen
    ]
    text = answer("How long is the person in the red top there?", graph_of_lines(lines)).text
    assert text.startswith("At least 2 s in view") and "60 s" not in text


def test_two_cameras_are_not_two_people_at_once() -> None:
    reports = [(0, "enters from the left", "enter"), (50, "leaves to the right", "leave")]
    lines = [
        _line(camera, at, f"A {RED} {does}{CAMERA}", [RED], [], [(RED, verb)])
        for camera in ("door", "yard")
        for at, does, verb in reports
    ]
    text = answer("How many people were there at 25 seconds?", graph_of_lines(lines)).text
    assert text.startswith("At least one at once, at most two of those recognised"), text


def test_a_stay_whose_beginning_was_not_seen_has_at_least_its_length() -> None:
    seen = [(2, "enters from the left", "enter"), (302, "moves to the left", "move"), (322, "leaves", "leave")]
    reports = [(at, f"A {RED} {does}{CAMERA}", [RED], (), [(RED, verb)]) for at, does, verb in seen]
    text = answer("How long is the person in the red top there?", film(reports)).text
    assert text.startswith("At least 2 s in view") and "At least 20 s in view" in text, text


def test_the_moment_of_a_report_is_in_the_zone_of_its_camera() -> None:
    text = asked_on_saturday("When did the person in the red top leave on Thursday?", stays((22, 0, 10.0)))
    assert "Thursday 22 October 2026, 00:00:12 CEST" in text


@pytest.mark.parametrize("question", ["Who stays longest?", "Who stayed the longest?", "Who was there the longest?"])
def test_who_stayed_longest_is_known_from_the_stays(question: str) -> None:
    text = answer(question, HALL).text
    assert text.startswith("20 s in view: at 00:00:32") and "At least 12 s in view: at 00:00:02" in text


def test_a_place_is_not_left_out_of_a_stay() -> None:
    assert "in view" not in answer("How long is somebody on the left?", HALL).text.partition(" enters ")[0]


def test_a_cut_ends_what_is_known_of_a_stay() -> None:
    graph = film(
        [
            (2, f"A {IN_RED} enters from the left{CAMERA}", [IN_RED], [], [(IN_RED, "enter")]),
            (12, "The picture cuts to another view.", [], [], []),
            (30, f"A {IN_RED} leaves to the left{CAMERA}", [IN_RED], [], [(IN_RED, "leave")]),
        ]
    )
    assert "28 s" not in answer("How long does the person in the red top stay?", graph).text


def test_those_never_in_view_together_may_be_one() -> None:
    looks = [IN_BLACK, IN_BLACK, IN_RED]
    lines = [
        json.loads(_line("porch", 10.0 * n, f"A {look} enters from the left{CAMERA}", [look], [], [(look, "enter")]))
        for n, look in enumerate(looks, 1)
    ]
    lines[1]["analysis"]["characters"][0]["person_id"] = "person_black_clothes_2"
    text = answer("How many people are there?", graph_of_lines(map(json.dumps, lines))).text
    assert text.startswith("At least one at once, by their looks perhaps two, at most three of those recognised")


@pytest.mark.parametrize("question", ["Does the person in black leave?", "Does the man in black leave?"])
def test_black_trousers_make_nobody_a_person_in_black(question: str) -> None:
    assert not answer(question, HALL).found


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("How many people wear black?", "At least one at once: at 00:00:02"),
        ("How many people are in view?", "At least one at once, at most three of those recognised"),
        ("How many people are visible at the same time?", "At least one at once, at most three"),
        ("How does the film begin?", "At 00:00:02"),
        ("How does the film end?", "At 00:01:02"),
        ("Does anybody carry a suitcase?", "Nothing in memory states this with “carry”"),
        ("What colour are the trousers of the person in blue?", "At 00:00:42"),
    ],
)
def test_other_questions_of_a_hall(question: str, says: str) -> None:
    assert answer(question, HALL).text.startswith(says)


SHELF = film(
    [
        (1, f"There are three bottles on the left, in the middle and on the right{CAMERA}", [], ["bottle"], []),
        (6, f"A hand picks up the bottle on the left, left of another bottle{CAMERA}", ["hand"], ["bottle"], []),
        (12, f"A hand puts down a bottle on the right{CAMERA}", ["hand"], ["bottle"], []),
        (20, f"A {IN_RED} enters from the right{CAMERA}", [IN_RED], [], [(IN_RED, "enter")]),
        (30, f"Something white crosses from the left to the right{CAMERA}", [], ["something white"], []),
    ],
    "shelf",
)


def test_that_a_camera_saw_it_is_nothing_to_see() -> None:
    assert not answer("Is there a face to see?", SHELF).text.startswith("Yes")


@pytest.mark.parametrize(
    ("question", "lacking"),
    [("Who comes from the left?", "from the left"), ("Is there a person on the left?", "the left")],
)
def test_a_part_of_the_picture_is_heeded(question: str, lacking: str) -> None:
    text = answer(question, SHELF).text
    assert "Yes" not in text
    assert lacking in text.partition(";")[0] or text.startswith("Nothing in memory")


def test_what_no_person_does_is_no_coming_of_somebody() -> None:
    assert [each.start for each in answer("When does somebody come?", SHELF).citations] == [20]
    assert "twice" not in answer("How often does somebody come in?", SHELF).text


CUTS = film(
    [
        (1, f"There are two people in a black top on the left and in the middle{CAMERA}", ["person in a black top"],
         [], []),
        (5, "The picture cuts to another view.", [], [], []),
        (6, f"There is a {IN_RED} on the right{CAMERA}", [IN_RED], [], []),
        (15, "The picture cuts to another view.", [], [], []),
        (16, f"There is a {IN_BLUE} on the right{CAMERA}", [IN_BLUE], [], []),
    ],
    "cuts",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("What happens after the first cut?", "After that, at 00:00:06"),
        ("What happens after the last cut?", "After that, at 00:00:16"),
        ("How often does the view change?", "As far as was recognised, twice"),
        ("How many people are there?", "At least two at once"),
        ("How many men are there?", "Reports state no sex or age, so “men” is left open. At least two at once"),
    ],
)
def test_views_and_those_in_them(question: str, says: str) -> None:
    assert says in answer(question, CUTS).text


def test_the_name_of_a_film_is_nothing_in_it() -> None:
    boxes = film([(6.0, f"A hand puts down a bottle on the right{CAMERA}", ["hand"], ["bottle"], [])], "box")
    assert answer("When is the box put down?", boxes).text.startswith("Nothing found says “box”")


@pytest.mark.parametrize(
    "question",
    [
        "How many cameras are there?",
        "How many cameras were seen?",
        "Is there a camera?",
        "Where is the camera?",
        "Who took the camera?",
        "When was the camera moved?",
        "How often was the camera moved?",
        "What did the camera do?",
    ],
)
def test_as_seen_by_the_camera_shows_no_camera(question: str) -> None:
    told = answer(question)
    assert told.confidence < 0.4
    assert told.text.startswith(("Nothing", "Memory knows nothing"))


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many videos are there?", "number"),
        ("how many films do you have", "number"),
        ("How many videos did Anna watch?", ""),
        ("How many clips are on the table?", ""),
        ("How long are the videos in all?", "length"),
        ("What is the total length of all videos?", "length"),
        ("How long is the clip in her hair?", ""),
        ("When was the video recorded?", "span"),
        ("From when to when do the videos go?", "span"),
        ("When was the film developed?", ""),
    ],
)
def test_the_films_themselves_are_asked_about(question: str, asked: str) -> None:
    assert ENGLISH.asking.asked_of_films(question) == (asked, "")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How many videos are there?", "2 videos, 1 min 30 s in all: barn, 30 s; meadow, 1 min."),
        ("How long are the films?", "2 videos, 1 min 30 s in all: barn, 30 s; meadow, 1 min."),
        ("When was the video recorded?", "barn: Friday 23 October 2026 from 20:15:00 to 20:15:30 UTC"),
    ],
)
def test_how_many_films_how_long_and_when_come_from_their_data(question: str, text: str) -> None:
    """An event would be found for any of these words, and says nothing of it."""
    graph = film(REPORTS)
    begun = datetime(2026, 10, 23, 20, 15, tzinfo=UTC)
    videos = [Video("test", "barn", duration_s=30.0, recorded_at=begun), Video("test", "meadow", duration_s=60.0)]
    graph.recordings = lambda scope: {video.video_id: video for video in videos}
    answer = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert answer.found and answer.text.startswith(text) and not answer.citations
    of_user = ask(question, Sources(Scope("test", user_id="anna"), graph, graph, HashedWords(), ENGLISH))
    assert not of_user.text.startswith(text), "in talk, a film may be one that the user saw"


@pytest.mark.parametrize("named", ["meadow", "pasture", "summer day", "Summer_Day"])
def test_a_film_is_named_by_its_id_its_place_or_its_file(named: str) -> None:
    graph = film(REPORTS)
    one = Video("test", "summer_day-29b477d6", uri="/films/summer_day.mp4", duration_s=30.0, place="pasture")
    videos = [one, Video("test", "barn", duration_s=60.0)]
    if named == "meadow":
        videos[0] = replace(one, video_id="meadow")
    graph.recordings = lambda scope: {video.video_id: video for video in videos}
    answer = ask(f"How long is the {named} video?", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert answer.found and "30 s" in answer.text and "barn" not in answer.text


@pytest.mark.parametrize(
    ("question", "is_whole"),
    [
        ("Summarise the whole film", True),
        ("Give me a short overview of the film", True),
        ("Can you summarize the video for me?", True),
        ("What happens from start to finish?", True),
        ("Sum up the video briefly", True),
        ("What happens in the film after the bell rings?", False),
        ("Summarise the meeting", False),
        ("Describe the film poster", False),
    ],
)
def test_the_whole_film_is_asked_for_in_many_words(question: str, is_whole: bool) -> None:
    assert (answer_type_of(question, ENGLISH.asking) is AnswerType.OVERVIEW) is is_whole


def test_a_summary_has_events_of_every_part_of_the_film() -> None:
    """Also where most of the telling ones lie at its beginning."""
    busy = [(RED, "enter"), (BLUE, "enter"), (RED, "wave")]
    start = [(n * 3.0, f"A {RED} and a {BLUE} wave{CAMERA}", [RED, BLUE], ["cup"], busy) for n in range(8)]
    later = [(at, f"A {BLUE} leaves{CAMERA}", [BLUE], [], [(BLUE, "leave")]) for at in (150.0, 290.0)]
    graph = film([*start, *later])
    answer = ask("Summarise the whole film", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH))
    assert [hit.start for hit in answer.citations if isinstance(hit, Citation)] == [0.0, 150.0, 290.0]


def test_a_list_has_every_event_that_fits() -> None:
    graph = film(REPORTS)
    answer = ask(
        "List all scenes with a person in a red top", Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH)
    )
    assert [each.start for each in answer.citations if isinstance(each, Citation)] == [10.0, 20.0, 30.0]
