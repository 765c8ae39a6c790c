"""Time ranges that a question names by the clock or the calendar."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.recall import Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.question.time_span import time_span_in
from amr_neo4j.recall.rank.score import date_proximity
from amr_neo4j.recall.retrieve.time_scope import NEVER, narrow_scope, scopes_within

TIMES = ENGLISH.time_expressions
HOME = timezone(timedelta(hours=1))
ALL = Scope("g")
TUESDAY = datetime(2026, 3, 17, 7, 40, tzinfo=HOME)
WEDNESDAY = datetime(2026, 3, 18, 18, 25, tzinfo=HOME)


def at(hour: int, minute: int = 0, second: float = 0.0, day: int = 17) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=HOME) + timedelta(seconds=second)


@pytest.mark.parametrize(
    ("text", "left", "since", "until"),
    [
        ("What happened between 12:07 and 12:30?", "What happened ?", at(12, 7), at(12, 30)),
        ("Between 7 am and 8:30 am, who came?", "who came?", at(7), at(8, 30)),
        ("Who came at 18:30?", "Who came ?", at(18, 30), at(18, 30, 59.999)),
        ("Who came after 6:30 pm", "Who came", at(18, 30), at(0, day=18)),
        ("Who came before 08:00:30?", "Who came ?", at(0), at(8, 0, 30)),
        ("Who came on Tuesday?", "Who came ?", at(0), at(0, day=18)),
        ("Who came on 17 March 2026 at 9:00?", "Who came ?", at(9), at(9, 0, 59.999)),
        ("Who came on March 17th?", "Who came ?", at(0), at(0, day=18)),
        ("Who came on 2026-03-17?", "Who came ?", at(0), at(0, day=18)),
        ("Who came on 17 March, 2026?", "Who came ?", at(0), at(0, day=18)),
        ("Who came on March 17,2026?", "Who came ?", at(0), at(0, day=18)),
        ("Who came in March?", "Who came ?", at(0, day=1), at(0) + timedelta(days=15)),
        ("Who came in early March 2026?", "Who came ?", at(0, day=1), at(0) + timedelta(days=15)),
        ("Who came in 2026?", "Who came ?", at(0) - timedelta(days=75), at(0) + timedelta(days=290)),
        ("Who came at 9:00 in March?", "Who came ?", at(9), at(9, 0, 59.999)),
        ("How long was the lamp on in the morning?", "How long was the lamp on ?", at(4), at(12)),
        ("Who is at the door at noon?", "Who is at the door ?", at(11), at(14)),
        ("Who came after noon?", "Who came ?", at(12), at(0, day=18)),
        ("Who came before the evening?", "Who came ?", at(0), at(17)),
        ("Who came on Tuesday evening?", "Who came ?", at(17), at(23, 59, 59)),
        ("Who came at 8 in the morning?", "Who came ?", at(8), at(8, 59, 59.999)),
        ("Who came at eight o'clock?", "Who came ?", at(20), at(20, 59, 59.999)),
        ("Who came at night?", "Who came ?", at(21), at(5, day=18)),
    ],
)
def test_expressions_by_the_wall_clock(text: str, left: str, since: datetime, until: datetime) -> None:
    rest, span = time_span_in(text, TIMES)
    assert rest == left and span
    assert (
        scopes_within(span, ALL, [TUESDAY], TIMES)[0].since,
        scopes_within(span, ALL, [TUESDAY], TIMES)[0].until,
    ) == (
        since,
        until,
    )


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("What happened in second 90?", 90, 91),
        ("What happened at 90 seconds?", 90, 91),
        ("What happened 2 minutes into the film?", 120, 121),
        ("What happened between second 90 and second 100?", 90, 100),
        ("What happened in minute 2?", 120, 180),
        ("What happened between 1:30 and 2:00?", 90, 120),
    ],
)
def test_expressions_by_video_time_without_a_clock(text: str, since: float, until: float) -> None:
    span = time_span_in(text, TIMES)[1]
    assert span
    [scope] = scopes_within(span, ALL, [], TIMES)
    assert (scope.since, scope.until) == (since, until)


@pytest.mark.parametrize(
    ("text", "said", "near"),
    [
        ("on 3 June, 2023", date(2023, 6, 3), 1.0),
        ("on 3 June, 2023", date(2023, 6, 10), 1.0),
        ("on 3 June, 2023", date(2023, 6, 2), 1.0),
        ("on 3 June, 2023", date(2023, 6, 17), exp(-1)),
        ("on 3 June", date(2024, 1, 3), exp(-151 / 7)),
        ("in December", date(2024, 1, 3), 1.0),
        ("in June 2023", date(2023, 6, 30), 1.0),
        ("in 2023", date(2024, 1, 14), exp(-1)),
        ("on 30 February", date(2024, 2, 28), 0.0),
        ("on Tuesday", date(2024, 2, 27), 0.0),
        ("at 9:00", date(2024, 2, 27), 0.0),
    ],
)
def test_date_proximity(text: str, said: date, near: float) -> None:
    span = time_span_in(text, TIMES)[1]
    assert span and date_proximity(span, said) == pytest.approx(near)


@given(st.dates(date(2020, 1, 1), date(2026, 1, 1)), st.integers(-400, 400))
def test_proximity_falls_on_either_side_of_the_date(day: date, off: int) -> None:
    """The further from the date, the less, on either side."""
    span = time_span_in(f"on {day.isoformat()}", TIMES)[1]
    assert span and date_proximity(span, day) == 1
    said = day + timedelta(days=off)
    assert 0 <= date_proximity(span, said + timedelta(days=1 if off > 0 else -1)) <= date_proximity(span, said) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "May I see it?",
        "Where is the second mug?",
        "Who has 3 keys?",
        "Did they march?",
        "Where is the morning paper?",
        "",
    ],
)
def test_other_words_are_no_time_expression(text: str) -> None:
    assert time_span_in(text, TIMES) == (text, None)


def test_the_latest_day_with_events_is_meant() -> None:
    span = time_span_in("Who came between 12:00 and 13:00?", TIMES)[1]
    assert span
    days = [TUESDAY, WEDNESDAY]
    assert narrow_scope(span, ALL, days, holds=lambda scope: True, times=TIMES).since == at(12, day=18)
    assert narrow_scope(span, ALL, days, holds=lambda scope: scope.since == at(12), times=TIMES).since == at(12)
    monday = time_span_in("Who came on Monday?", TIMES)[1]
    assert monday and narrow_scope(monday, ALL, days, holds=lambda scope: True, times=TIMES).as_of == NEVER


@given(st.integers(0, 23), st.integers(0, 23), st.datetimes(timezones=st.just(HOME)))
def test_a_scope_never_grows(first: int, second: int, bound: datetime) -> None:
    """Whatever a question names, the scope given beside it still bounds the search."""
    span = time_span_in(f"Who came between {first}:00 and {second}:00?", TIMES)[1]
    given_scope = Scope("g", ("v",), since=bound, as_of=bound)
    assert span
    for scope in scopes_within(span, given_scope, [TUESDAY], TIMES):
        assert isinstance(scope.since, datetime) and scope.since >= bound
        assert (scope.video_ids, scope.as_of) == (("v",), bound)
