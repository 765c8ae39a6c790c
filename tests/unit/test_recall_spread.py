"""Of events that say nearly the same at nearly the same time the best is listed before others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from amr_neo4j.app.beliefs import _spoken as language_of_talk
from amr_neo4j.domain.event import Action, Event, Turn
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Path
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.question.parse import parse_question
from amr_neo4j.recall.question.parsed import ParsedQuestion
from amr_neo4j.recall.rank.score import with_recency
from amr_neo4j.recall.rank.spread import different_scenes, over_sessions, spread
from amr_neo4j.recall.retrieve.candidate import Candidate, best_first

SAME = "A child stands on a wooden deck"


def candidate(
    n: int, summary: str, score: float, start: float, video: str = "v", turn: Turn | None = None
) -> Candidate:
    event = Event(n, "g", video, ("c",), 0, start, start + 1, summary, turn=turn)
    return Candidate(event, Path((n,), (), 0.0), score=score, language=ENGLISH)


def listed(*candidates: Candidate) -> list[int]:
    return [found.node_id for found in best_first(spread(candidates))]


def test_a_repeated_caption_comes_after_another_event() -> None:
    assert listed(
        candidate(1, SAME, 0.5, 0), candidate(2, SAME, 0.49, 1), candidate(3, "A dog drinks from a bowl", 0.45, 30)
    ) == [1, 3, 2]


@pytest.mark.parametrize(
    "second",
    [
        candidate(2, SAME, 0.49, 60),
        candidate(2, SAME, 0.49, 1, video="w"),
        candidate(2, "The cat jumps", 0.49, 1),
    ],
    ids=["later", "elsewhere", "something else"],
)
def test_what_is_no_repetition_keeps_its_place(second: Candidate) -> None:
    assert listed(candidate(1, SAME, 0.5, 0), second, candidate(3, "A dog drinks from a bowl", 0.45, 30)) == [1, 2, 3]


def test_turns_keep_their_scores() -> None:
    turns = [
        candidate(-n, SAME, 0.5 - n / 100, float(n), turn=Turn(f"e{n}", "s", n, f"t{n}", "Anna")) for n in (1, 2, 3)
    ]
    assert spread(turns) == turns


def test_no_candidates_are_no_error() -> None:
    assert spread([]) == []


def test_the_first_hits_of_a_long_video_are_of_different_scenes() -> None:
    found = [
        candidate(1, "a", 0.9, 1000),
        candidate(2, "b", 0.8, 1030),
        candidate(3, "c", 0.7, 1046),
        candidate(4, "d", 0.6, 1000, video="w"),
        candidate(5, "e", 0.5, 5000),
    ]
    apart, others = different_scenes(found)
    assert ([c.node_id for c in apart], [c.node_id for c in others]) == ([1, 3, 4, 5], [2])


def test_a_short_video_has_short_scenes_and_every_turn_is_one() -> None:
    film = [candidate(n, "a", 0.9 - n / 100, float(5 * n)) for n in range(13)]
    assert different_scenes(film) == (film, [])
    # Beside another video, a short one is left as it is.
    near = [candidate(1, "a", 0.9, 0.0), candidate(2, "a", 0.8, 1.0), candidate(3, "a", 0.7, 60.0)]
    assert different_scenes(near) == ([near[0], near[2]], [near[1]])
    beside = [*near, candidate(4, "a", 0.6, 0.0, video="w")]
    assert different_scenes(beside) == (beside, [])
    talk = [candidate(-n, "a", 0.5, 0.0, turn=Turn(f"e{n}", "s", n, f"t{n}", "Anna")) for n in (1, 2, 3)]
    assert different_scenes(talk) == (talk, [])


def test_the_events_of_an_analysis_that_lists_actions_are_left_as_they_are() -> None:
    taps = [candidate(n, "a", 0.9 - n / 100, 1000.0 + 5 * n) for n in range(4)]
    deed = replace(taps[1], event=replace(taps[1].event, actions=(Action("anna", "rinse", "mug"),)))
    found = [taps[0], deed, *taps[2:], candidate(9, "b", 0.1, 5000)]
    assert different_scenes(found) == (found, [])


def asked(question: str, code: str = "en", *, of_talk: bool = True) -> ParsedQuestion:
    of = language_of_talk(code, LANGUAGES, ENGLISH) if of_talk else AskedLanguage(code, "en")
    return parse_question(of.in_english(question, frozenset(), frozenset()).text, Names(), of)


def said(n: int, score: float, session: str) -> Candidate:
    return candidate(-n, "a", score, 0.0, video=session, turn=Turn(f"e{n}", session, n, f"t{n}", "Anna"))


LANGUAGES = ("en", "de", "fr", "es", "it")
SEVERAL = [
    ("en", "How many books have I read?"),
    ("en", "How often did Tim swim?"),
    ("en", "In which order did I mention the topics?"),
    ("de", "Wie viele Bücher habe ich gelesen?"),
    ("fr", "Combien de livres ai-je lus ?"),
    ("es", "¿Cuántos libros he leído?"),
    ("it", "Quanti libri ho letto?"),
    ("de", "Wie oft ist Tim geschwommen?"),
    ("fr", "Combien de fois Tim a-t-il nagé ?"),
    ("es", "¿Cuántas veces nadó Tim?"),
    ("it", "Quante volte ha nuotato Tim?"),
    ("de", "In welcher Reihenfolge habe ich die Themen erwähnt?"),
]


@pytest.mark.parametrize("of_talk", [True, False], ids=["talk", "footage"])
@pytest.mark.parametrize(("code", "question"), SEVERAL)
def test_the_first_turns_come_from_more_sessions_if_several_things_are_asked_for(
    code: str, question: str, of_talk: bool
) -> None:
    parsed = asked(question, code, of_talk=of_talk)
    monday = [said(1, 0.8, "monday"), said(2, 0.79, "monday"), said(3, 0.78, "monday")]
    tuesday, friday = said(4, 0.77, "tuesday"), said(5, 0.3, "friday")
    spread_out = over_sessions(parsed, [*monday, tuesday, friday])
    assert [each.event.turn.number for each in spread_out if each.event.turn] == [1, 4, 2, 3, 5]
    assert {each.score for each in spread_out} == {0.8, 0.79, 0.78, 0.77, 0.3}, "only the order is another"
    assert over_sessions(parsed, monday) == monday, "one session alone keeps its order"
    film = candidate(9, "a", 0.785, 0.0)
    assert over_sessions(parsed, [*monday[:2], film, tuesday])[2] == film, "an event of a video keeps its place"
    assert over_sessions(parsed, []) == []


def test_the_turns_of_one_session_stay_together_if_one_thing_is_asked_for() -> None:
    found = [said(1, 0.8, "monday"), said(2, 0.79, "monday"), said(3, 0.785, "tuesday")]
    for question in ("What did Tim read?", "Where is my book?", "How long did it last?"):
        assert over_sessions(asked(question), found) == found


ASKED = datetime(2026, 3, 8, 12, tzinfo=UTC)


def at(n: int, before: timedelta, score: float = 0.5) -> Candidate:
    found = candidate(n, "a", score, 0.0)
    return replace(found, event=replace(found.event, at=ASKED - before))


def scores(*candidates: Candidate, asked_at: datetime | None = ASKED) -> list[float]:
    of = {found.node_id: found.score for found in candidates}
    return [*with_recency(of, {found.node_id: found.event for found in candidates}, asked_at).values()]


def test_of_equal_events_the_more_recent_ranks_first_but_not_what_is_still_going_on() -> None:
    now, hour, day, month = scores(
        at(1, timedelta(seconds=30)), at(2, timedelta(hours=1)), at(3, timedelta(days=1)), at(4, timedelta(days=40))
    )
    assert hour > day > now == month
    assert max(scores(at(1, timedelta(minutes=6), 1.0))) <= 1.0


def test_a_memory_asked_long_after_its_end_and_a_question_without_a_moment_keep_their_scores() -> None:
    found = [at(1, timedelta(days=1)), at(2, timedelta(hours=1))]
    assert scores(*found, asked_at=ASKED + timedelta(days=365)) == [0.5, 0.5]
    assert scores(*found, asked_at=None) == [0.5, 0.5]
