"""The days and hours that a question names bound what answers it, counted from the moment of the question."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from amr_neo4j.domain.event import Turn
from amr_neo4j.domain.recall import Answer, Scope
from amr_neo4j.language.languages import ENGLISH, language
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.pipeline import ask, search
from amr_neo4j.recall.question.time_ranges import counted_in
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines

BERLIN = ZoneInfo("Europe/Berlin")
EMBEDDER = HashedWords()
SUNDAY = datetime(2026, 10, 25, 20, tzinfo=BERLIN)
# (day of October, hour, camera, who, what)
SEEN = [
    (21, 10.0, "door", "Mara", "rings the bell"),
    (22, 15.0, "garden", "A dog", "runs over the lawn"),
    (22, 23.5, "garden", "A fox", "digs under the hedge"),
    (24, 2.5, "door", "A man in a mask", "tries the handle"),
    (24, 11.0, "door", "Mara", "rings the bell"),
    (25, 10.0, "garden", "Lea", "waters the roses"),
    (25, 14.0, "door", "A courier", "leaves a parcel"),
]


def line(day: int, hour: float, camera: str, who: str, does: str) -> str:
    """A clip of a video that begins at that moment."""
    begun = datetime(2026, 10, day, tzinfo=BERLIN)
    at = begun.fromtimestamp(begun.timestamp() + hour * 3600 + (3600 if day == 25 else 0), begun.astimezone().tzinfo)
    summary = f"{who} {does}."
    event = {"time_start": 1, "time_end": 9, "summary": summary, "actors": ["C1"], "objects": [], "actions": []}
    analysis = {
        "clip_summary": summary,
        "characters": [{"local_character_id": "C1", "name_or_description": who}],
        "events": [event],
    }
    clip = {"video_id": f"{camera}{day}", "clip_id": f"{hour}", "t_start": 0, "t_end": 10, "analysis": analysis}
    return json.dumps(clip | {"recorded_at": at.astimezone(BERLIN).isoformat()})


@pytest.fixture(scope="module")
def cameras() -> FakeGraph:
    return graph_of_lines([line(*seen) for seen in SEEN], EMBEDDER)


def answer(graph: FakeGraph, question: str, now: datetime = SUNDAY, as_of: datetime | None = None) -> Answer:
    return ask(question, Sources(Scope("test", as_of=as_of), graph, graph, EMBEDDER, ENGLISH, now))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Did anybody ring the bell yesterday?", "on Saturday 24 October 2026 at 11:00 CEST"),
        ("Who rang the bell on Wednesday?", "Mara, on Wednesday 21 October"),
        ("Did a man in a mask try the handle more than a day ago?", "On Saturday 24 October 2026 at 02:30 CEST"),
        ("Did a dog run over the lawn more than three days ago?", "On Thursday 22 October"),
        ("How often did Mara ring the bell this week?", "Twice"),
        ("How often did Mara ring the bell at the weekend?", "Once"),
        ("On how many days did Mara ring the bell?", "^2 days"),
        ("How often did the courier come?", "^Once"),
        ("How many parcels did the courier leave this week?", "^At least one"),
        ("What happened at night?", "2 events|A fox digs under the hedge.*A man in a mask"),
        ("Who tried the handle between 10 pm and 6 am?", "man in a mask, on Saturday 24 October 2026 at 02:30 CEST"),
        ("Who tried the handle in the early hours of Saturday?", "man in a mask"),
        ("What did Lea do today before noon?", "On Sunday 25 October 2026 at 10:00 CET"),
        ("What did the courier do this afternoon?", "leaves a parcel"),
        ("Did a dog run over the lawn in the last four days?", "On Thursday 22 October"),
        ("When did Mara ring the bell?", "about a day ago|about four days ago"),
        ("When was the courier last seen?", "14:00 CET.*about six hours ago"),
    ],
)
def test_what_lies_in_the_time_answers(question: str, said: str, cameras: FakeGraph) -> None:
    found = answer(cameras, question)
    assert found.found and re.search(said, found.text, re.DOTALL), found.text


@pytest.mark.parametrize(
    ("question", "says", "untold"),
    [
        ("What happened before Mara rang the bell on Saturday?", "Before that, on Thursday 22 October", "roses"),
        ("What happened before Mara rang the bell on Sunday?", "Memory may not hold the answer", "Before that"),
        ("What happened after Mara rang the bell on Wednesday?", "A dog runs", "roses"),
        ("What did Lea do after Mara rang the bell on Saturday?", "After that, on Sunday 25 October", "A dog"),
        (
            "When did Lea water the roses after Mara rang the bell on Friday?",
            "may not hold the answer",
            "Before that",
        ),
        ("Who watered the roses after Mara rang the bell on Friday?", "may not hold the answer", "After that"),
    ],
)
def test_the_day_behind_a_clause_is_that_of_its_event(
    question: str, says: str, untold: str, cameras: FakeGraph
) -> None:
    text = answer(cameras, question).text
    assert says in text and untold not in text


@pytest.mark.parametrize(
    ("code", "question", "said"),
    [
        (
            "en",
            "How often per day did Mara open the fridge?",
            "3 times, on Wednesday 21 October (twice) and Saturday",
        ),
        ("en", "How many times did Mara open the fridge per day?", "3 times, on Wednesday 21 October (twice) and"),
        ("de", "Wie oft pro Tag hat Mara den Kühlschrank geöffnet?", "3-mal, am Mittwoch, 21. Oktober (zweimal) und"),
        (
            "fr",
            "Combien de fois par jour Mara a-t-elle ouvert le frigo ?",
            "3 fois, le mercredi 21 octobre (deux fois)",
        ),
        ("es", "¿Cuántas veces al día abrió Mara la nevera?", "3 veces, el miércoles 21 de octubre (dos veces) y"),
        (
            "it",
            "Quante volte al giorno Mara ha aperto il frigo?",
            "3 volte, mercoledì 21 ottobre (due volte) e sabato",
        ),
    ],
)
def test_how_often_per_day_is_answered_by_the_count_of_each_day(code: str, question: str, said: str) -> None:
    seen = [(21, 10.0), (21, 12.0), (24, 11.0)]
    lines = [line(day, hour, "kitchen", "Mara", "opens the fridge") for day, hour in seen]
    graph = graph_of_lines([*lines, line(25, 10.0, "garden", "Lea", "waters the roses")], EMBEDDER)
    read = ENGLISH if code == "en" else AskedLanguage(code, "en")
    found = ask(question, Sources(Scope("test"), graph, graph, EMBEDDER, read, SUNDAY))
    assert found.found and found.text.startswith(said), found.text


@pytest.mark.parametrize("code", ["de", "en", "es", "fr", "it"])
def test_every_language_counts_in_the_same_units(code: str) -> None:
    """Each unit of answers.yaml can be asked for, and each moment of a week is tried against it."""
    answers = language(code).answers
    assert answers is not None
    assert set(answers.units) == set(ENGLISH.grammar.units)
    week = [SUNDAY + timedelta(hours=hour) for hour in range(7 * 24)]
    for unit, (_, many) in ENGLISH.grammar.units.items():
        assert ENGLISH.asking.unit_counted(f"On how many {many} did a fox come?") == (unit, True)
        assert any(counted_in(moment, unit) for moment in week)


@pytest.mark.parametrize(
    ("code", "question", "said"),
    [
        (
            "en",
            "How many nights did a fox come?",
            r"^3 nights, on Tuesday 20 October \(twice\), Wednesday 21 October \(once\) and Friday 23",
        ),
        ("en", "On how many nights did the fox dig?", "^3 nights, on Tuesday 20 October"),
        ("en", "How many days did the fox come?", "^6 days, on Tuesday 20 October"),
        ("en", "On how many evenings did the fox dig?", "^3 evenings"),
        ("en", "How many mornings did the fox dig?", "^2 mornings"),
        ("en", "How many weekends did the fox come?", "^1 weekend"),
        ("de", "In wie vielen Nächten hat der Fuchs gegraben?", "Nächte: 3, am Dienstag, 20. Oktober"),
        ("de", "Wie viele Nächte ist ein Fuchs gekommen?", "Nächte: 3"),
        ("fr", "Combien de nuits le renard a-t-il creusé ?", "Nuits : 3"),
        ("es", "¿Cuántas noches cavó el zorro?", "Noches: 3"),
        ("it", "Quante notti la volpe ha scavato?", "Notti: 3"),
    ],
)
def test_nights_are_counted_by_their_evening(code: str, question: str, said: str) -> None:
    """Before and after midnight is one night. Evenings, mornings and weekends are counted likewise."""
    begun = [(20, 23.9), (21, 0.1), (21, 22.5), (22, 5.5), (23, 21.0), (24, 3.0), (25, 11.0)]
    graph = graph_of_lines(
        [line(day, hour, "garden", "A fox", "digs under the hedge") for day, hour in begun], EMBEDDER
    )
    asked = AskedLanguage(code, "en") if code != "en" else ENGLISH
    found = ask(question, Sources(Scope("test"), graph, graph, EMBEDDER, asked, SUNDAY))
    assert re.search(said, found.text), found.text


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("Did anybody ring the bell today?", "on Saturday 24 October 2026 at 11:00 CEST"),
        ("Did a dog run over the lawn at the weekend?", "on Thursday 22 October 2026 at 15:00 CEST"),
        ("Did a dog run over the lawn not more than three days ago?", "on Thursday 22 October 2026 at 15:00 CEST"),
        ("Did a dog run over the lawn last night?", "on Thursday 22 October 2026 at 15:00 CEST"),
        ("What happened in the last hour?", "A courier leaves a parcel"),
        ("How often did Mara ring the bell on the 22nd?", "on Wednesday 21 October 2026 at 10:00 CEST"),
        ("Who rang the bell in September?", ""),
        ("What did the fox do on 20 October?", ""),
    ],
)
def test_where_nothing_lies_in_the_time_the_last_time_before_is_named(
    question: str, before: str, cameras: FakeGraph
) -> None:
    found = answer(cameras, question)
    assert not found.found and not found.citations and found.text.startswith("Nothing in memory fits that time.")
    assert before.casefold() in found.text.casefold() and ("The last time before" in found.text) == bool(before)


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("Is anybody there now?", "A courier leaves a parcel"),
        ("Who is there right now?", "A courier leaves a parcel"),
        ("What is happening at the moment?", "A courier leaves a parcel"),
        ("Is a fox digging under the hedge at the moment?", "A fox digs under the hedge"),
    ],
)
def test_what_was_seen_hours_ago_is_not_now(question: str, before: str, cameras: FakeGraph) -> None:
    found = answer(cameras, question)
    assert not found.found and found.text.startswith("Nothing in memory fits that time. The last time before: ")
    assert before.casefold() in found.text.casefold()


def test_what_goes_on_now_answers(cameras: FakeGraph) -> None:
    found = answer(cameras, "What is happening now?", now=datetime(2026, 10, 25, 14, 5, tzinfo=BERLIN))
    assert found.found and "A courier leaves a parcel" in found.text


def test_a_time_at_which_a_film_was_not_recorded_is_one_of_the_film(cameras: FakeGraph) -> None:
    """0:05 is five minutes past midnight only if the camera ran then."""
    garden = graph_of_lines([line(22, 15.0, "garden", "A dog", "runs over the lawn")], EMBEDDER)
    assert answer(garden, "What happened at 0:05?").found
    found = answer(garden, "What happened at 0:00?")
    assert "15:00" not in found.text and "The last time before" not in found.text


def test_times_count_from_as_of(cameras: FakeGraph) -> None:
    """Without as_of they count from the clock. Both are in the time zone of the recordings."""
    as_of = datetime(2026, 10, 24, 12, tzinfo=BERLIN)
    assert "24 October 2026 at 11:00" in answer(cameras, "Did anybody ring the bell today?", as_of=as_of).text
    assert "about an hour ago" in answer(cameras, "When did Mara ring the bell last?", as_of=as_of).text
    assert not answer(cameras, "Did anybody ring the bell today?", as_of=as_of + timedelta(hours=13)).found


def test_the_last_time_before_is_not_after_as_of(cameras: FakeGraph) -> None:
    as_of = datetime(2026, 10, 22, 12, tzinfo=BERLIN)
    said = answer(cameras, "Did anybody ring the bell on 25 October 2026?", as_of=as_of).text
    assert "21 October" in said and "24 October" not in said


def test_a_search_is_bounded_too(cameras: FakeGraph) -> None:
    sources = Sources(Scope("test"), cameras, cameras, EMBEDDER, ENGLISH, SUNDAY)
    assert {hit.event.video_id for hit in search("the bell yesterday", sources)} == {"door24"}
    assert {hit.event.video_id for hit in search("the lawn or the hedge at night", sources)} == {"garden22", "door24"}
    assert search("the bell on 20 October", sources) == []


def test_days_are_those_of_the_camera() -> None:
    """23:30 UTC is the next day in Tokyo. A clock with an offset that the zone does not have keeps its own."""
    clip = json.loads(line(22, 23.5, "garden", "A fox", "digs under the hedge"))
    utc = clip | {"recorded_at": "2026-10-22T23:30:00+00:00"}
    for zone, at, day in (
        ("Asia/Tokyo", utc["recorded_at"], "the 23rd"),
        ("America/New_York", utc["recorded_at"], "the 22nd"),
        ("Asia/Tokyo", "2026-10-22T23:30:00-03:00", "the 22nd"),
    ):
        graph = graph_of_lines([json.dumps(utc | {"timezone": zone, "recorded_at": at})], EMBEDDER)
        for asked in ("the 22nd", "the 23rd"):
            assert answer(graph, f"Did a fox dig on {asked}?").found == (asked == day), (zone, asked)


@pytest.mark.parametrize(("zone", "day"), [("UTC", "22nd"), ("Asia/Tokyo", "23rd")])
def test_clocks_by_utc_are_read_in_the_zone_of_the_question(zone: str, day: str) -> None:
    clip = json.loads(line(22, 23.5, "garden", "A fox", "digs under the hedge"))
    graph = graph_of_lines([json.dumps(clip | {"recorded_at": "2026-10-22T23:30:00+00:00"})], EMBEDDER)
    found = answer(graph, f"Did a fox dig on the {day}?", SUNDAY.astimezone(ZoneInfo(zone)))
    assert found.found and f"{day[:2]} October 2026" in found.text


def test_a_time_that_is_not_understood_is_said(cameras: FakeGraph) -> None:
    found = answer(cameras, "Who rang the bell at Easter?")
    assert found.found and found.text.startswith("“at Easter” is not understood as a time and left out.")


@pytest.mark.parametrize(
    ("question", "cameras"),
    [
        ("What happened on 22 October?", {"berlin"}),
        ("What happened on 23 October?", {"tokyo"}),
        ("What happened at night on 22 October?", {"berlin"}),
        ("What happened before 23 October?", {"berlin"}),
        ("What happened between 6:00 and 8:00?", {"tokyo"}),
    ],
)
def test_the_days_of_each_camera_are_those_of_its_own_zone(question: str, cameras: set[str]) -> None:
    """Both foxes dig at the same moment, a minute before midnight in Berlin: seven in the morning in Tokyo."""
    clip = json.loads(line(22, 23.5, "garden", "A fox", "digs under the hedge"))
    moment = {"recorded_at": "2026-10-22T21:59:00+00:00"}
    graph = graph_of_lines(
        [
            json.dumps(clip | moment | {"video_id": name, "timezone": zone})
            for name, zone in (("berlin", "Europe/Berlin"), ("tokyo", "Asia/Tokyo"))
        ],
        EMBEDDER,
    )
    found = answer(graph, question)
    assert {hit.event.video_id for hit in found.evidence} == cameras, found.text
    for later in ("after today", "since tomorrow", "since this evening"):
        assert answer(graph, f"What happened {later}?", SUNDAY.replace(hour=11)).text


def test_hours_of_days_too_long_ago_are_said_to_be_left_out() -> None:
    clip = json.loads(line(22, 23.5, "garden", "A fox", "digs")) | {"recorded_at": "2021-10-22T23:30:00+00:00"}
    found = answer(graph_of_lines([json.dumps(clip)], EMBEDDER), "What happened at night?")
    assert any("last 1,000 days" in note for note in found.notes), found


@pytest.mark.parametrize(
    "question",
    [
        "Did anybody ring the bell tomorrow?",
        "Will Mara ring the bell tomorrow?",
        "What will happen next Monday?",
        "Who comes tomorrow?",
    ],
)
def test_nothing_was_recorded_on_a_day_to_come(question: str, cameras: FakeGraph) -> None:
    found = answer(cameras, question)
    assert not found.found and found.text.startswith("Nothing in memory fits that time.")


@pytest.mark.parametrize(
    ("question", "said", "never"),
    [
        ("Who rang the bell on the first day?", "Mara, on Wednesday 21 October", "Saturday"),
        ("Who rang the bell on day 3?", "Mara, on Saturday 24 October", "Wednesday"),
        ("What ran over the lawn on the second day?", "A dog runs over the lawn", "fox"),
        ("What did the courier do on the last day?", "[Oo]n Sunday 25 October.*courier leaves a parcel", "Mara"),
        ("On day four, what did the courier do in the afternoon?", "courier leaves a parcel", "Mara"),
        ("How often did Mara ring the bell between the first and the third day?", "^Twice", ""),
        ("How often did Mara ring the bell after the first day?", "^Once", ""),
        ("Who rang the bell the third day?", "Mara, on Saturday 24 October", "Wednesday"),
    ],
)
def test_days_are_counted_among_those_that_were_recorded(
    question: str, said: str, never: str, cameras: FakeGraph
) -> None:
    found = answer(cameras, question)
    assert found.found and re.search(said, found.text) and not (never and never in found.text), found.text


@pytest.mark.parametrize("question", ["Who rang the bell on the ninth day?", "Who rang the bell on the second day?"])
def test_nothing_happened_on_a_day_of_which_nothing_was_recorded(question: str, cameras: FakeGraph) -> None:
    assert not answer(cameras, question).found


def test_days_are_not_counted_where_no_day_is_known() -> None:
    clip = json.loads(line(21, 10.0, "door", "Mara", "rings the bell"))
    del clip["recorded_at"]
    found = answer(graph_of_lines([json.dumps(clip)], EMBEDDER), "Who rang the bell on the second day?")
    assert "second day" in found.text, found.text


@pytest.mark.parametrize("words", ["Lea was away", "that Lea was away", "when Lea was there", "with the courier"])
def test_a_day_that_more_is_said_of_is_not_counted(words: str) -> None:
    """The first day that Lea was away need not be the first that was recorded."""
    named = ENGLISH.time_expressions.time_in(f"Who rang the bell on the first day {words}?")[1]
    assert not (named and named.days), named


def test_in_the_last_day_is_counted_back_from_now(cameras: FakeGraph) -> None:
    early = SUNDAY.replace(hour=9)
    assert "Mara, on Saturday" in answer(cameras, "Who rang the bell in the last day?", now=early).text


@pytest.mark.parametrize(
    ("question", "day"),
    [("on the last day", "16"), ("on the first day", "12"), ("on the second day", "14"), ("on day 3", "16")],
)
def test_a_recording_that_ends_at_midnight_is_of_one_day(question: str, day: str) -> None:
    """As the files of a camera that writes one a day are."""
    files = [
        json.loads(line(each, 0.0, "door", "Mara", "rings the bell")) | {"t_end": 86400} for each in (12, 14, 16)
    ]
    graph = graph_of_lines([json.dumps(each) for each in files], EMBEDDER)
    graph.recorded = {name: replace(video, duration_s=86400.0) for name, video in graph.recorded.items()}
    found = answer(graph, f"Who rang the bell {question}?")
    assert found.found and f" {day} October" in found.text, found.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many days did Ben work on the fence?", "Memory may not hold the answer"),
        ("For how many days was Ben ill?", "Anna said: “Ben was ill for four days”"),
        ("In how many days is the exam?", "Anna said: “The exam is in twelve days”"),
        ("How many days was Ben ill?", "Anna said: “Ben was ill for four days”"),
    ],
)
def test_days_that_a_turn_states_are_not_counted(question: str, said: str) -> None:
    told = ["The exam is in twelve days.", "We worked for five days on the fence.", "Ben was ill for four days."]
    graph = graph_of_lines([line(20, float(n), "a", "Anna", text) for n, text in enumerate(told)], EMBEDDER)
    for number, text in enumerate(told):
        turn = Turn(f"e{number}", "s", number, f"t{number}", "Anna")
        graph.stored[number] = replace(graph.stored[number], summary_text=f"Anna: {text}", turn=turn)
    found = answer(graph, question).text
    assert said in found and not found.startswith(("Once", "On 20 October 2026 at 02")), found
