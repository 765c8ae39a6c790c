"""Captions of one deed are one occasion: how often, on which days, and the last time, which is not now."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Path, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.answer.by_rules import with_best_captions
from amr_neo4j.recall.answer.claim import Reason, Unknown, event_claim
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, _composed

DAY = datetime(2026, 3, 2, 8, tzinfo=ZoneInfo("Europe/Berlin"))
# Seconds from DAY of captions that Jake waters the basil: three in the morning, one in the evening, two the next day.
WATERED = [0, 40, 200, 36_000, 86_400, 86_500]


def graph(deed: str = "waters the basil") -> FakeGraph:
    """A caption of the deed for each, by seconds from DAY, in a film a day; and one of something else before each."""
    lines: list[str] = []
    for number, second in enumerate(WATERED):
        day, start = divmod(second, 86_400)
        captions = [("Jake cleans the window.", start), (f"Jake {deed}.", start + 5)]
        events = [
            {"time_start": at, "time_end": at + 4, "summary": text, "actors": [], "objects": []}
            for text, at in captions
        ]
        clip = {
            "video_id": f"day{day}",
            "clip_id": f"c{number}",
            "t_start": start,
            "t_end": start + 10,
            "time_base": "video",
            "recorded_at": (DAY + timedelta(days=day)).isoformat(),
            "analysis": {"clip_summary": "", "events": events},
        }
        lines.append(json.dumps(clip))
    return FakeGraph(_composed(lines, "test"), HashedWords())


def answered(question: str, second: float, found: FakeGraph | None = None, code: str = "en") -> str:
    """The answer to a question that is asked so many seconds after DAY, in a language."""
    language = ENGLISH if code == "en" else AskedLanguage(code, "en")
    found, now = found or graph(), (DAY + timedelta(seconds=second)).astimezone(UTC)
    sources = Sources(Scope("test", as_of=now), found, found, HashedWords(), language, now=now, zone=DAY.tzinfo)
    return ask(question, sources).text


@pytest.mark.parametrize(
    ("code", "question", "said"),
    [
        ("en", "On which days did Jake water the basil?", "3 times, on Monday 2 March (twice) and Tuesday 3 March"),
        ("de", "An welchen Tagen hat Jake das Basilikum gegossen?", "3-mal, am Montag, 2. März (zweimal) und"),
        ("fr", "Quels jours Jake a-t-il arrosé le basilic ?", "3 fois, le lundi 2 mars (deux fois) et mardi 3 mars"),
        ("es", "¿Qué días regó Jake la albahaca?", "3 veces, el lunes 2 de marzo (dos veces) y martes 3 de marzo"),
        ("es", "¿En qué días regó Jake la albahaca?", "3 veces, el lunes 2 de marzo (dos veces) y martes 3 de"),
        ("it", "In quali giorni Jake ha annaffiato il basilico?", "3 volte, lunedì 2 marzo (due volte) e martedì 3"),
    ],
)
def test_on_which_days_lists_them_in_each_language(code: str, question: str, said: str) -> None:
    assert answered(question, 180_000, code=code).startswith(said)


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("en", "What did Jake clean the last time he watered the basil?"),
        ("de", "Was putzte Jake, als er das letzte Mal das Basilikum gegossen hat?"),
        ("de", "Was putzte Jake das letzte Mal, als er das Basilikum goss?"),
        ("fr", "Que nettoyait Jake la dernière fois qu'il a arrosé le basilic ?"),
        ("es", "¿Qué limpiaba Jake la última vez que regó la albahaca?"),
        ("it", "Cosa puliva Jake l'ultima volta che ha annaffiato il basilico?"),
    ],
)
def test_the_last_time_begins_a_clause_in_each_language(code: str, question: str) -> None:
    text = answered(question, 37_000, code=code)
    assert "10:00:00" in text and "Jake cleans the window" in text


@pytest.mark.parametrize(
    ("code", "question", "said"),
    [
        ("de", "Vor wie langer Zeit hat Jake das Basilikum gegossen?", "2026"),
        ("fr", "Il y a combien de temps que Jake a arrosé le basilic ?", "2026"),
        ("es", "¿Hace cuánto tiempo que Jake regó la albahaca?", "2026"),
        ("it", "Quanto tempo fa Jake ha annaffiato il basilico?", "2026"),
        ("en", "How long ago did Jake water the basil?", "2026"),
    ],
)
def test_a_date_is_told_once(code: str, question: str, said: str) -> None:
    assert answered(question, 180_000, code=code).partition("[")[0].count(said) == 1


@pytest.mark.parametrize(("second", "then"), [(36_100, "00:03:20"), (37_000, "10:00:00"), (86_600, "10:00:00")])
def test_what_was_done_the_last_time_is_not_what_is_done_now(second: float, then: str) -> None:
    assert then in answered("What did Jake clean the last time he watered the basil?", second)


@pytest.mark.parametrize(
    "question", ["How often did Jake water the basil?", "On which days did Jake water the basil?"]
)
def test_captions_that_follow_one_another_are_one_occasion(question: str) -> None:
    text = answered(question, 90_000)
    assert text.startswith("3 times, on Monday 2 March (twice) and Tuesday 3 March (once): ")


@pytest.mark.parametrize(("second", "last"), [(36_100, "08:03:25"), (37_000, "18:00:05"), (86_600, "18:00:05")])
def test_the_last_time_is_not_the_one_that_is_going_on(second: float, last: str) -> None:
    assert last in answered("When did Jake last water the basil?", second)


@pytest.mark.parametrize(
    ("deed", "question"),
    [
        ("leaves the house", "How often did Jake leave the house?"),
        ("rings the bell", "How many times did Jake ring the bell?"),
        ("opens the window", "How often was the window opened?"),
    ],
)
def test_what_is_done_in_a_moment_is_counted_each_time(deed: str, question: str) -> None:
    assert answered(question, 90_000, graph(deed)).startswith("6 times, on ")


def test_what_was_done_in_a_moment_is_over() -> None:
    assert "18:00:05" in answered("When did Jake last leave the house?", 36_100, graph("leaves the house"))


def test_the_nth_time_may_be_one_of_the_captions_of_an_occasion() -> None:
    # There are three occasions and six captions.
    assert "18:00:05" in answered("When did Jake water the basil the fourth time?", 90_000, graph())


@pytest.mark.parametrize("deed", ["waters the basil again", "waters the basil once more"])
def test_again_begins_another_occasion(deed: str) -> None:
    assert answered("How often did Jake water the basil?", 90_000, graph(deed)).startswith("6 times, on ")


def week(*seen: tuple[str, int, str, list[str], list[tuple[str, str]]]) -> FakeGraph:
    """A graph of (video, second from DAY, caption, its actors, what is said then).

    A caption without an actor lists the actions that its words state.
    """
    lines: list[str] = []
    for number, (video, at, text, actors, said) in enumerate(seen):
        deeds = [] if actors or said else ENGLISH.deeds_in(text)
        actions = [{"actor": deed.actor, "verb": deed.verb, "object": deed.object} for deed in deeds]
        event = {"time_start": at, "time_end": at + 4, "summary": text, "actors": actors, "actions": actions}
        turns = [{"speaker_id": who, "utterance": words, "time_start": at, "time_end": at + 4} for who, words in said]
        clip = {"video_id": video, "clip_id": f"c{number}", "t_start": at, "t_end": at + 10, "time_base": "video"}
        analysis = {"clip_summary": "", "events": [event] if text else [], "speaker_turns": turns}
        lines.append(json.dumps(clip | {"recorded_at": DAY.isoformat(), "analysis": analysis}))
    return FakeGraph(_composed(lines, "test"), HashedWords())


def test_captions_with_and_without_actions_count_alike() -> None:
    found = week(
        ("a", 0, "I wash the dishes.", ["Nora"], []),
        ("a", 40_000, "I wash the dishes.", ["Nora"], []),
        ("b", 90_000, "Rosa washes the dishes.", [], []),
    )
    assert answered("Who usually washes the dishes?", 99_000, found).startswith("Nora - 2 of 3 occasions")


def test_what_two_cameras_see_is_one_time() -> None:
    found = week(
        ("a", 0, "I ring the bell.", ["Nora"], []),
        ("b", 2, "Nora rings the bell.", ["Nora"], []),
        ("a", 500, "I ring the bell.", ["Nora"], []),
    )
    assert answered("How often did Nora ring the bell?", 9_000, found).startswith("Twice: ")


def told(speaker: str, words: str) -> tuple[str, int, str, list[str], list[tuple[str, str]]]:
    """An event of talk alone, as it is made of speech that no caption has."""
    return ("a", 0, f'{speaker} says: "{words}"', [], [(speaker, words)])


def test_what_was_only_planned_was_not_done() -> None:
    found = week(told("Emil", "Let's call the plumber on Thursday."), ("a", 60, "Rosa eats an apple.", [], []))
    assert answered("Did Emil call the plumber?", 9_000, found).startswith(("Nothing", "Memory may not"))


def test_of_what_is_to_come_somebody_may_have_spoken() -> None:
    found = week(told("Rosa", "Next year I want to travel to Porto."), ("a", 60, "Rosa eats an apple.", [], []))
    answer = answered("Where does Rosa want to travel next year?", 9_000, found)
    assert "Porto" in answer and not answer.startswith("Nothing")


def test_what_was_done_in_a_morning_is_told_of_each_part_of_it() -> None:
    deeds = [
        "looks up",
        "cooks porridge at the stove",
        "turns",
        "walks",
        "writes a letter at the desk",
        "feeds the black cat",
    ]
    captions = [f"Nora {deed}." for deed in deeds for _ in range(3)]
    found = week(*(("a", 500 * number, text, ["Nora"], []) for number, text in enumerate(captions)))
    text = answered("What did Nora do this morning?", 10_000, found)
    assert text.startswith("18 events, of which these 5 tell most: ")
    assert all(deed in text for deed in ("porridge", "letter"))


def test_no_habit_is_counted_where_any_deed_is_asked_for() -> None:
    found = week(*(("a", 500 * number, "I turn my head on the second floor.", ["Nora"], []) for number in range(6)))
    assert "occasions" not in answered("What is Nora usually doing on the second floor?", 9_000, found)


def test_an_answer_in_doubt_quotes_the_caption_that_ranks_best() -> None:
    found = week(("a", 0, "Nora turns.", ["Nora"], []), ("a", 60, "Nora holds the scissors.", ["Nora"], []))
    events = found.events([0, 1], Scope("test"))
    turns, holds = (Candidate(event, Path((event.node_id,), (), 0.0), language=ENGLISH) for event in events)
    parsed = parse_question("Who used the scissors?", Names(frozenset(), frozenset()), ENGLISH)
    declined = Unknown(Reason.NOT_STATED, (event_claim(turns),), unmet_words=("scissors", "used"))
    unsure = with_best_captions(parsed, declined, [holds])
    assert [claim.rests_on for claim in unsure.nearest] == [holds, turns] and unsure.unmet_words == ("used",)
    assert with_best_captions(parsed, declined, []) is declined
    # All that the operator claims is kept, also of one event.
    of_turns = [replace(event_claim(turns), text=f"claim {number}") for number in range(4)]
    several = with_best_captions(parsed, Unknown(Reason.IN_DOUBT, tuple(of_turns)), [turns, holds])
    assert [claim.text for claim in several.nearest[:4]] == [claim.text for claim in of_turns]
    assert [claim.rests_on for claim in several.nearest[4:]] == [holds]


@pytest.mark.parametrize(
    "question",
    ["How often were the scissors used?", "How many scissors are there?", "In what order were they used?"],
)
def test_what_rests_on_many_captions_does_not_begin_with_another(question: str) -> None:
    events = week(*(("a", start, "Ann waves.", ["Ann"], []) for start in (0, 60))).events([0, 1], Scope("test"))
    chosen, best = (Candidate(event, Path((event.node_id,), (), 0.0), language=ENGLISH) for event in events)
    parsed = parse_question(question, Names(frozenset(), frozenset()), ENGLISH)
    unsure = Unknown(Reason.IN_DOUBT, (event_claim(chosen),))
    assert with_best_captions(parsed, unsure, [best]) is unsure


@pytest.mark.parametrize("verb", ["mention", "talk about"])
def test_how_long_ago_something_was_said_stands_beside_its_time(verb: str) -> None:
    said = week(
        ("a", 60, "Ann walks.", ["Ann"], [("Ann", "I would love a balcony.")]),
        ("a", 3_600, "Ann walks on.", ["Ann"], [("Ann", "It may rain.")]),
    )
    text = answered(f"When did Ann {verb} the balcony?", 7_260, said)
    assert "at 00:01:00 of a, about two hours ago: “I would love a balcony.”" in text


def test_the_evidence_of_an_answer_is_of_different_scenes() -> None:
    around = [("a", 10 * n, f"Ann holds the red kite number {n}.", ["Ann"], []) for n in range(12)]
    found = week(*around, ("a", 4_000, "Ann sold a kite.", ["Ann"], []))
    sources = Sources(Scope("test"), found, found, HashedWords(), ENGLISH)
    evidence = ask("Where does Ann hold the red kite?", sources).evidence
    assert 4_000 in [hit.event.time_start for hit in evidence[:6]]


def test_who_was_in_charge_once_is_no_habit() -> None:
    looks = [("a", 2_000 * n, "Ann looks at the cake.", ["Ann"], []) for n in range(3)]
    text = answered("Who was responsible for the cake on that evening?", 99_000, week(*looks))
    assert "occasions" not in text


@pytest.mark.parametrize("question", ["What should I do next?", "I am here. Where should I go now?", "What next?"])
def test_no_caption_says_what_should_be_done(question: str) -> None:
    found = week(("a", 0, "I move forward.", ["Ann"], []), ("a", 60, "I go to the door.", ["Ann"], []))
    assert answered(question, 100, found).startswith(("Memory may not", "Nothing in memory"))


def test_of_captions_nothing_is_said_never_to_have_happened() -> None:
    found = week(
        ("a", 0, "I have got the takeout now.", ["Ann"], []), ("a", 60, "The courier brings something.", ["Ann"], [])
    )
    text = answered("How often did the courier bring the takeout?", 9_000, found)
    assert text.startswith("Nothing in memory states this")
