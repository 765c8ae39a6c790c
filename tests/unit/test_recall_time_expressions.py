"""The words for times in a question, and the ranges that they mean."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from math import exp
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.time_expressions import NamedTime
from amr_neo4j.recall.question.time_ranges import clock_ranges, film_range
from amr_neo4j.recall.rank.score import date_proximity

TIMES = ENGLISH.time_expressions
BERLIN = ZoneInfo("Europe/Berlin")
# A Sunday. Clocks were set back in its first night.
NOW = datetime(2026, 10, 25, 20, tzinfo=BERLIN)
BEGUN = datetime(2026, 10, 24, 9, tzinfo=BERLIN)
END = timedelta(microseconds=1)


def ranges(text: str, now: datetime = NOW, begun: datetime | None = BEGUN) -> list[tuple[str, str]]:
    """The ranges as local times to the minute. An end just before midnight is given as the next day's 00:00."""
    _, named = TIMES.time_in(text)
    assert named

    def local(moment: datetime | None) -> str:
        if moment is None:
            return ""
        whole = moment + END if (moment + END).astimezone(now.tzinfo).time().isoformat() == "00:00:00" else moment
        return whole.astimezone(now.tzinfo).strftime("%y-%m-%d %H:%M")

    return [
        (local(since), local(until))
        for since, until in clock_ranges(named, now, [(begun, begun)] if begun else [], TIMES)
    ]


def day(first: int, last: int | None = None) -> list[tuple[str, str]]:
    """Whole days of October 2026."""
    return [(f"26-10-{first:02d} 00:00", f"26-10-{(last or first) + 1:02d} 00:00")]


def evening(number: int) -> tuple[str, str]:
    """From 6 to 8 pm on a day of October 2026."""
    return f"26-10-{number} 18:00", f"26-10-{number} 20:00"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("today", day(25)),
        ("yesterday", day(24)),
        ("the day before yesterday", day(23)),
        ("this week", day(19, 25)),
        ("last week", day(12, 18)),
        ("the week before last", day(5, 11)),
        ("at the weekend", day(24, 25)),
        ("last weekend", day(17, 18)),
        ("last Monday", day(19)),
        ("the Monday before last", day(12)),
        ("on Sunday", day(25)),
        ("last Sunday", day(18)),
        ("on the 23rd", day(23)),
        ("on 23 October", day(23)),
        ("on October 23rd", day(23)),
        ("on 26 October", [("25-10-26 00:00", "25-10-27 00:00")]),
        ("on the 23rd of October 2026", day(23)),
        ("on 2026-10-23", day(23)),
        ("on 29 February", [("24-02-29 00:00", "24-03-01 00:00")]),
        ("in November", [("25-11-01 00:00", "25-12-01 00:00")]),
        ("last October", [("25-10-01 00:00", "25-11-01 00:00")]),
        ("in early March 2026", [("26-03-01 00:00", "26-03-13 00:00")]),
        ("in 2025", [("25-01-01 00:00", "26-01-01 00:00")]),
        ("this month", [("26-10-01 00:00", "26-11-01 00:00")]),
        ("last year", [("25-01-01 00:00", "26-01-01 00:00")]),
        ("in the last three days", [("26-10-22 20:00", "26-10-25 20:00")]),
        ("in the last few days", [("26-10-20 20:00", "26-10-25 20:00")]),
        ("in the last hour", [("26-10-25 19:00", "26-10-25 20:00")]),
        ("in the last two months", [("26-08-25 20:00", "26-10-25 20:00")]),
        ("just now", [("26-10-25 19:45", "26-10-25 20:00")]),
        ("two days ago", day(23)),
        ("a week ago", day(17, 19)),
        ("three hours ago", [("26-10-25 16:30", "26-10-25 17:30")]),
        ("two months ago", [("26-08-01 00:00", "26-09-01 00:00")]),
        ("last night", [("26-10-24 18:00", "26-10-25 06:00")]),
        ("tonight", [("26-10-25 18:00", "26-10-26 06:00")]),
        ("this morning", [("26-10-25 04:00", "26-10-25 12:00")]),
        ("yesterday evening", [("26-10-24 17:00", "26-10-24 23:59")]),
        ("on Tuesday night", [("26-10-20 22:00", "26-10-21 06:00")]),
        ("at night on Tuesday", [("26-10-20 22:00", "26-10-21 06:00")]),
        ("after 5 pm on Wednesday", [("26-10-21 17:00", "26-10-22 00:00")]),
        ("today before noon", [("26-10-25 00:00", "26-10-25 12:00")]),
        ("since Saturday", [("26-10-24 00:00", "26-10-25 20:00")]),
        ("before Thursday", [("", "26-10-22 00:00")]),
        ("until Thursday", [("", "26-10-23 00:00")]),
        ("after Thursday", [("26-10-23 00:00", "26-10-25 20:00")]),
        ("between Wednesday and Friday", day(21, 23)),
        ("from 14 October to 17 October", day(14, 17)),
        ("between 14 and 17 October", day(14, 17)),
        ("between 2:00 and 3:00 today", [("26-10-25 02:00", "26-10-25 03:00")]),
        ("on 30 February", []),
        ("3000 years ago", []),
        ("in December 9999", []),
        ("from Monday to Friday", day(19, 23)),
        ("from Friday to Monday", day(23, 26)),
        ("between 20 October and 30 October", day(20, 30)),
        ("on Friday 16 October", day(16)),
        ("on Saturday, October 24", day(24)),
        ("on Friday the 23rd", day(23)),
        ("on 17.10.2026", day(17)),
        ("before midnight on Thursday", day(22)),
        ("half an hour ago", [("26-10-25 19:15", "26-10-25 19:45")]),
        ("on Saturday the 24th", day(24)),
        ("on Saturday, 24 October 2026", day(24)),
        ("on Oct 23", day(23)),
        ("on 23.10.2026", day(23)),
        ("on Monday and Tuesday", [*day(19), *day(20)]),
        ("Monday through Friday", day(19, 23)),
        ("on Tuesday last week", day(13)),
        ("on the evening of the 23rd", [("26-10-23 17:00", "26-10-23 23:59")]),
        ("at 3 this afternoon", [("26-10-25 15:00", "26-10-25 15:59")]),
        ("this past weekend", day(17, 18)),
        ("on the weekend before last", day(10, 11)),
        ("on Thursday or Saturday", [*day(22), *day(24)]),
        ("on Monday, Wednesday and Friday", [*day(19), *day(21), *day(23)]),
        ("on 20, 21 and 23 October", [*day(20), *day(21), *day(23)]),
        ("yesterday or on Monday", [*day(19), *day(24)]),
        ("yesterday and on Sundays", [*day(24), *day(25)]),
        ("on Sundays and yesterday", [*day(24), *day(25)]),
        ("from Monday to Wednesday and on Friday", [*day(19, 21), *day(23)]),
        ("Monday to Wednesday", day(19, 21)),
        ("Mon-Wed", day(19, 21)),
        ("Monday to Wednesday and on Friday", [*day(19, 21), *day(23)]),
        ("on Monday and from Wednesday to Friday", [*day(19), *day(21, 23)]),
        ("from 19 October to 20 October and on the 22nd", [*day(19, 20), *day(22)]),
        ("19-21 October", day(19, 21)),
        ("on Monday to Tuesday between 6 and 8 pm", [evening(19), evening(20)]),
        ("in the night to Thursday", [("26-10-21 22:00", "26-10-22 06:00")]),
        ("in the night from Wednesday to Thursday", [("26-10-21 22:00", "26-10-22 06:00")]),
        ("on the 20th, 21st or 23rd", [*day(20), *day(21), *day(23)]),
        ("after dark on Monday", [("26-10-19 22:00", "26-10-20 06:00")]),
        ("the evening before last", [("26-10-23 17:00", "26-10-23 23:59")]),
        ("the night before last", [("26-10-23 22:00", "26-10-24 06:00")]),
        ("in the week of 14 October", day(12, 18)),
        ("from Monday to Tuesday, on Thursday and yesterday", [*day(19, 20), *day(22), *day(24)]),
        ("in May and July", [("26-05-01 00:00", "26-06-01 00:00"), ("26-07-01 00:00", "26-08-01 00:00")]),
        ("from May to June", [("26-05-01 00:00", "26-07-01 00:00")]),
        ("from Sept to Nov 2025", [("25-09-01 00:00", "25-12-01 00:00")]),
        ("in Nov", [("25-11-01 00:00", "25-12-01 00:00")]),
        ("on Mon", day(19)),
        ("last Fri", day(23)),
        ("Saturday 3 pm", [("26-10-24 15:00", "26-10-24 15:59")]),
        ("3 pm Saturday", [("26-10-24 15:00", "26-10-24 15:59")]),
        ("on Sat 3-5 pm", [("26-10-24 15:00", "26-10-24 17:00")]),
        ("on 23 October 15:30", [("26-10-23 15:30", "26-10-23 15:30")]),
        ("on 23 October at 15:30:10", [("26-10-23 15:30", "26-10-23 15:30")]),
        ("yesterday 8 o'clock", [("26-10-24 08:00", "26-10-24 08:59"), ("26-10-24 20:00", "26-10-24 20:59")]),
        ("yesterday at 17 o'clock", [("26-10-24 17:00", "26-10-24 17:59")]),
        ("yesterday before 8 o'clock", [("26-10-24 00:00", "26-10-24 08:00")]),
        ("at 8 yesterday", [("26-10-24 08:00", "26-10-24 08:59"), ("26-10-24 20:00", "26-10-24 20:59")]),
        ("on Friday from 10 to 2", [("26-10-23 10:00", "26-10-23 14:00"), ("26-10-23 22:00", "26-10-24 02:00")]),
        ("tomorrow", day(26)),
        ("tomorrow morning", [("26-10-26 04:00", "26-10-26 12:00")]),
        ("next week", [("26-10-26 00:00", "26-11-02 00:00")]),
        ("next Monday", day(26)),
        ("the weekend before 14 October", day(10, 11)),
        ("last weekend before October 11, 2026", day(3, 4)),
        ("the weekend after 14 October", day(17, 18)),
        ("on the weekend of 10 October 2026", day(10, 11)),
        ("on the Friday before 14 October", day(9)),
        ("the Friday after the 9th of October", day(16)),
        ("two days before 14 October", day(12)),
        ("the day after 14 October", day(15)),
        ("a few days before 14 October", day(9, 13)),
        ("in the week before 14 October", day(7, 13)),
        ("the month after September 2026", [("26-10-01 00:00", "26-11-01 00:00")]),
        ("the evening before 14 October", [("26-10-13 17:00", "26-10-13 23:59")]),
    ],
)
def test_days_are_counted_from_the_moment_of_the_question(words: str, meant: list[tuple[str, str]]) -> None:
    """The words may come before or after what is asked, and none of them is left in it."""
    assert ranges(f"Who came {words}?") == meant
    assert TIMES.time_in(f"Who came {words}?")[0] == "Who came ?"
    assert ranges(f"{words[0].upper()}{words[1:]}, who came?") == meant


@pytest.mark.parametrize(
    ("words", "hours"),
    [
        ("at night", [("23 22:00", "24 06:00"), ("24 22:00", "25 06:00"), ("25 22:00", "26 06:00")]),
        ("between 10 pm and 6 am", [("23 22:00", "24 06:00"), ("24 22:00", "25 06:00"), ("25 22:00", "26 06:00")]),
        ("before noon", [("23 00:00", "23 12:00"), ("24 00:00", "24 12:00"), ("25 00:00", "25 12:00")]),
        ("after noon", [("23 12:00", "24 00:00"), ("24 12:00", "25 00:00"), ("25 12:00", "26 00:00")]),
        ("after midnight", [("23 00:00", "23 06:00"), ("24 00:00", "24 06:00"), ("25 00:00", "25 06:00")]),
        ("between 9:00 and 11:00", [("23 09:00", "23 11:00"), ("24 09:00", "24 11:00"), ("25 09:00", "25 11:00")]),
        ("on Saturdays at night", [("24 22:00", "25 06:00")]),
        ("on Saturdays at 3 at night", [("24 03:00", "24 03:59")]),
        ("on Saturdays at midnight", [("24 23:00", "25 01:00")]),
        ("on Saturdays between 9 and 5 pm", [("24 09:00", "24 17:00")]),
        ("at 18:30", [("23 18:30", "23 18:30"), ("24 18:30", "24 18:30"), ("25 18:30", "25 18:30")]),
        ("on weekdays", [("23 00:00", "24 00:00")]),
        ("every Saturday morning", [("24 04:00", "24 12:00")]),
        ("on Fridays and Saturdays", [("23 00:00", "25 00:00")]),
        ("between 10 and 11 pm on weekends", [("24 22:00", "24 23:00"), ("25 22:00", "25 23:00")]),
    ],
)
def test_hours_without_a_day_are_those_of_every_day(words: str, hours: list[tuple[str, str]]) -> None:
    """From the evening before the first recording on. The night in which clocks are set back is one night."""
    assert ranges(f"Who came {words}?") == [(f"26-10-{since}", f"26-10-{until}") for since, until in hours]


def test_o_clock_is_either_half_of_the_day() -> None:
    assert ranges("Who came at eight o'clock today?") == [
        ("26-10-25 08:00", "26-10-25 08:59"),
        ("26-10-25 20:00", "26-10-25 20:59"),
    ]


@pytest.mark.parametrize("rest", ["and sat down", "and Jan came on Tuesday", "and may have left"])
def test_other_words_continue_no_list(rest: str) -> None:
    assert ranges(f"Who came on Monday {rest}?")[0] == day(19)[0]


def test_hours_that_clocks_skip_are_no_time() -> None:
    """On 29 March 2026, 2:00 to 3:00 is missing. The hour before 3:30 began at 1:30 then."""
    day_after, begun = datetime(2026, 3, 30, 12, tzinfo=BERLIN), datetime(2026, 3, 29, 12, tzinfo=BERLIN)
    assert ranges("Who rang at 2:30?", day_after, begun)[0] == ("26-03-28 02:30", "26-03-28 02:30")
    assert ranges("Who rang between 1:30 and 2:30?", day_after, begun)[1] == ("26-03-29 01:30", "26-03-29 03:00")
    half_past = datetime(2026, 3, 29, 3, 30, tzinfo=BERLIN)
    assert ranges("Who rang in the last hour?", half_past) == [("26-03-29 01:30", "26-03-29 03:30")]


def test_a_day_may_have_25_hours() -> None:
    [(since, until)] = clock_ranges(named("Who came today?"), NOW, (), TIMES)
    assert since and until and until + END - since == timedelta(hours=25)


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)),
    st.sampled_from(["UTC", "America/New_York", "Asia/Tokyo", "Africa/Cairo", "America/Havana"]),
)
def test_days_meet_and_do_not_overlap(now: datetime, zone: str) -> None:
    """Yesterday ends where today begins, in every time zone, and today holds the moment of the question."""
    asked_at = now.replace(tzinfo=ZoneInfo(zone))
    [(since, until)] = clock_ranges(named("today"), asked_at, (), TIMES)
    [(_, yesterday)] = clock_ranges(named("yesterday"), asked_at, (), TIMES)
    assert since and until and yesterday and yesterday + END == since and since <= asked_at <= until


def named(text: str) -> NamedTime:
    found = TIMES.time_in(text)[1]
    assert found
    return found


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("What happened in second 90?", 90, 91),
        ("What happened at 90 seconds?", 90, 91),
        ("What happened 2 minutes into the film?", 120, 121),
        ("What happened 90 seconds in?", 90, 91),
        ("What happened between second 90 and second 100?", 90, 100),
        ("What happened in minute 2?", 120, 180),
        ("What happened between 1:30 and 2:00?", 90, 120),
        ("What happened between 2 and 3 minutes?", 120, 180),
        ("What happens after 180 seconds?", 180, None),
        ("What happens after 1 hour and 24 minutes?", 5040, None),
        ("What happens after an hour and a half?", 5400, None),
        ("What happens after 1h24m?", 5040, None),
        ("What happens before 2 minutes in the film?", None, 120),
        ("What happens in the first ten minutes?", None, 600),
        ("What happens in the first minute?", None, 60),
        ("What happens in the third half hour?", 3600, 5400),
        ("What happens two and a half minutes in?", 150, 151),
        ("What happens after the first five minutes?", 300, None),
        ("What happens at the 5 minute mark?", 300, 301),
        ("What happens in the final minute?", 7140, None),
        ("What happens in the second quarter hour?", 900, 1800),
        ("What happens in the 3rd minute?", 120, 180),
        ("What happens in the last ten minutes?", 6600, None),
        ("What happens 5 minutes before the end?", 6900, None),
        ("What happens at 5 m?", 300, 301),
        ("What happens after the first hour?", 3600, None),
        ("What happens after an hour and a quarter?", 4500, None),
        ("What happens between the 5th and the tenth minute?", 240, 600),
        ("What happens in minutes 5 to 10?", 300, 600),
        ("What happens in the twentieth minute?", 1140, 1200),
        ("What happens in the last 10 minutes of kitchen.mp4?", 6600, None),
        ("What happens after the third minute?", 180, None),
        ("What happens before the third minute?", None, 120),
        ("What happens until the third minute?", None, 180),
        ("What happens from the third minute?", 120, None),
        ("What happens before the last ten minutes?", None, 6600),
        ("What happens twenty-five minutes in?", 1500, 1501),
        ("What happens after forty five minutes?", 2700, None),
        ("What happens in the twenty-first minute?", 1200, 1260),
        ("What happens after a hundred seconds?", 100, None),
        ("What happens after 1,200 seconds?", 1200, None),
        ("What happens 84 minutes into kitchen.mp4?", 5040, 5041),
        ("What happens 20 minutes in to the film?", 1200, 1201),
        ("What happens 10 minutes from the end?", 6600, None),
        ("What happens ten minutes after the start of the film?", 600, 601),
        ("What happens at 1h24?", 5040, 5041),
        ("What happens after 2 hours 5?", 7500, None),
        ("What happens between 1 hour 20 and 1 hour 30?", 4800, 5400),
        ("What happens between minute 30 and 40?", 1800, 2400),
        ("What happens in the second ten minutes?", 600, 1200),
        ("What happens in the last minute and a half?", 7110, None),
    ],
)
def test_positions_in_a_film(text: str, since: float | None, until: float | None) -> None:
    rest, found = TIMES.time_in(text)
    assert found and film_range(found, 7200.0, TIMES) == (since, until)
    assert rest in ("What happened ?", "What happens ?")
    if found.position and found.position.from_end:
        assert film_range(found, None, TIMES) is None, "where a film of unknown length ends is not known"


def test_the_film_of_a_position_is_named_beside_it() -> None:
    rest, found = TIMES.time_in("What happens between 2:00 and 3:30 in the hall video?")
    assert rest == "What happens ?" and found and found.film == "hall"
    assert named("What happens in the last minute of the film?").film == ""


@pytest.mark.parametrize(
    "text",
    [
        "May I see it?",
        "What did May say?",
        "Where is the second mug?",
        "When is the last cut?",
        "Who has 3 keys?",
        "Did they march?",
        "Where is the morning paper?",
        "Is the Sunday paper there?",
        "Who opened the door the 12th time?",
        "Who came in the 3rd car?",
        "How long did he stir after 2 minutes of cooking?",
        "Who ate before 2 minutes had passed?",
        "How many minutes did it take?",
        "Who drank the last of it?",
        "What was put 30 seconds in the oven?",
        "What did I give to June?",
        "Where are Tom and April?",
        "Did they march 10 miles?",
        "What did we do on the last day of the trip?",
        "Where did we sleep on the last night in Rome?",
        "Did it take around ten minutes?",
        "Who stood at 5 m from the door?",
        "How high did the drone fly at 100 m?",
        "Who ran at the 100 m race?",
        "Who sat in the sun?",
        "Did Jan come after Mar?",
        "Which mug is the 3rd?",
        "What is behind the 2?",
        "Who took the 9?",
        "Who paid with the 20?",
        "Who lives in the 12.?",
        "Did Mara wash the 1st?",
        "Which of the two came first, the 1st or the 2nd?",
        "Who read the first of Jan's letters?",
        "Who came by day and by night?",
        "Does it get better day by day?",
        "",
    ],
)
def test_other_words_are_no_time_expression(text: str) -> None:
    assert TIMES.time_in(text) == (text, None)


def test_the_time_of_a_long_text_stands_at_its_end() -> None:
    long = "It rang on Monday after 5 minutes. " * 1000 + "The kettle is on. " * 100
    assert TIMES.time_in(f"{long}Who came yesterday?")[0] == f"{long}Who came ?"


def test_a_time_without_a_meaning_is_named() -> None:
    for text, words in (
        ("What did I do at Easter?", "at Easter"),
        ("Who came on 03/04/2026?", "03/04/2026"),
        ("Who came three nights ago?", "three nights ago"),
        ("Who comes in three days?", "in three days"),
        ("What happens in the penultimate minute?", "in the penultimate minute"),
    ):
        assert named(text).unknown == words


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
    assert date_proximity(named(text), said) == pytest.approx(near)


@given(st.dates(date(2020, 1, 1), date(2026, 1, 1)), st.integers(-400, 400))
def test_proximity_falls_on_either_side_of_the_date(day: date, off: int) -> None:
    """The further from the date, the less, on either side."""
    span = named(f"on {day.isoformat()}")
    assert date_proximity(span, day) == 1
    said = day + timedelta(days=off)
    assert 0 <= date_proximity(span, said + timedelta(days=1 if off > 0 else -1)) <= date_proximity(span, said) <= 1


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("today at half past eight pm", [("26-10-25 20:30", "26-10-25 20:30")]),
        ("yesterday at a quarter to one", [
            ("26-10-24 00:45", "26-10-24 00:45"),
            ("26-10-24 12:45", "26-10-24 12:45"),
        ]),
        ("at ten to nine in the morning yesterday", [("26-10-24 08:50", "26-10-24 08:50")]),
        ("half five yesterday", [("26-10-24 05:30", "26-10-24 05:30"), ("26-10-24 17:30", "26-10-24 17:30")]),
        ("an hour and a half ago", [("26-10-25 18:00", "26-10-25 19:00")]),
        ("two and a half hours ago", [("26-10-25 17:00", "26-10-25 18:00")]),
        ("a year and a half ago", [("25-01-24 00:00", "25-07-26 00:00")]),
        ("on the last Friday of September", [("26-09-25 00:00", "26-09-26 00:00")]),
        ("on the first Monday of last month", [("26-09-07 00:00", "26-09-08 00:00")]),
        ("in the last week of September", [("26-09-24 00:00", "26-10-01 00:00")]),
        ("since the second Tuesday of October", [("26-10-13 00:00", "26-10-25 20:00")]),
        ("on the fifth Monday of September", []),
        ("the day before Friday", day(22)),
        ("since the day before Friday", [("26-10-22 00:00", "26-10-25 20:00")]),
        ("in the last week", [("26-10-18 20:00", "26-10-25 20:00")]),
        ("within the past month", [("26-09-25 20:00", "26-10-25 20:00")]),
        ("after yesterday at 5 pm", [("26-10-24 17:00", "26-10-25 20:00")]),
        ("at 2 last night", [("26-10-25 02:00", "26-10-25 02:59")]),
        ("after 10 last night", [("26-10-24 22:00", "26-10-25 06:00")]),
        ("before 2 last night", [("26-10-24 18:00", "26-10-25 02:00")]),
        ("after midnight last night", [("26-10-25 00:00", "26-10-25 06:00")]),
        ("before midnight last night", [("26-10-24 18:00", "26-10-25 00:00")]),
        ("at the end of September", [("26-09-19 00:00", "26-10-01 00:00")]),
        ("from Friday on", [("26-10-23 00:00", "26-10-25 20:00")]),
        ("no earlier than Friday", [("26-10-23 00:00", "26-10-25 20:00")]),
        ("since 6 pm on Friday", [("26-10-23 18:00", "26-10-25 20:00")]),
        ("since 8 am yesterday", [("26-10-24 08:00", "26-10-25 20:00")]),
        ("from 8 am yesterday until now", [("26-10-24 08:00", "26-10-25 20:00")]),
        ("from yesterday at 6 pm", [("26-10-24 18:00", "26-10-25 20:00")]),
        ("since noon", [("26-10-25 12:00", "26-10-25 20:00")]),
        ("since midnight", [("26-10-25 00:00", "26-10-25 20:00")]),
        ("since 11 pm", [("26-10-24 23:00", "26-10-25 20:00")]),
        ("since half past eight", [("26-10-25 08:30", "26-10-25 20:00")]),
        ("since the morning", [("26-10-25 04:00", "26-10-25 20:00")]),
        ("since 11 pm last night", [("26-10-24 23:00", "26-10-25 20:00")]),
        ("yesterday during the day", [("26-10-24 06:00", "26-10-24 22:00")]),
        ("on 2026/10/23", day(23)),
        ("on 23-10-2026", day(23)),
        ("on October the 23rd", day(23)),
        ("on 23. October", day(23)),
        ("around the 23rd", day(23)),
        ("the 23rd", day(23)),
        ("on the twenty-third of October", day(23)),
        ("on the twenty-third", day(23)),
        ("on the third of October", day(3)),
        ("in September last year", [("25-09-01 00:00", "25-10-01 00:00")]),
        ("on the 23rd of last month", [("26-09-23 00:00", "26-09-24 00:00")]),
        ("on Monday two weeks ago", day(5)),
        ("two Mondays ago", day(12)),
        ("more than two days ago", [("", "26-10-23 20:00")]),
        ("at least three days ago", [("", "26-10-22 20:00")]),
        ("more than a month ago", [("", "26-09-25 20:00")]),
        ("more than five and a half hours ago", [("", "26-10-25 14:30")]),
        ("more than half an hour ago", [("", "26-10-25 19:30")]),
        ("over two and a half days ago", [("", "26-10-23 08:00")]),
        ("not less than a day ago", [("", "26-10-24 20:00")]),
        ("less than a year ago", [("25-10-25 20:00", "26-10-25 20:00")]),
        ("no more than two days ago", [("26-10-23 20:00", "26-10-25 20:00")]),
        ("not longer than a week ago", [("26-10-18 20:00", "26-10-25 20:00")]),
        ("not over two weeks ago", [("26-10-11 20:00", "26-10-25 20:00")]),
        ("since 8 am on Thursday until Friday", [("26-10-22 08:00", "26-10-24 00:00")]),
        ("since 8 am on Monday and Tuesday", [
            ("26-10-19 08:00", "26-10-20 00:00"),
            ("26-10-20 08:00", "26-10-21 00:00"),
        ]),
        ("from Friday at 6 pm until Saturday", [("26-10-23 18:00", "26-10-25 00:00")]),
        ("from Friday at 6 pm, until 8 pm", [("26-10-23 00:00", "26-10-23 20:00")]),
        ("from the 21st to the 23rd", day(21, 23)),
        ("from the twenty-first to the twenty-third", day(21, 23)),
        ("a hundred and twenty days ago", [("26-06-27 00:00", "26-06-28 00:00")]),
        ("five hundred and forty-two days ago", [("25-05-01 00:00", "25-05-02 00:00")]),
        ("and opened the door the 23rd", day(23)),
        ("less than two hours ago", [("26-10-25 18:00", "26-10-25 20:00")]),
        ("yesterday from half past eight to ten", [
            ("26-10-24 08:30", "26-10-24 10:00"),
            ("26-10-24 20:30", "26-10-24 22:00"),
        ]),
    ],
)  # fmt: skip
def test_spoken_times_and_counted_days(words: str, meant: list[tuple[str, str]]) -> None:
    assert ranges(f"Who came {words}?") == meant


@pytest.mark.parametrize(
    ("hour", "words", "begins"),
    [
        (8, "this night", "26-10-24 20:00"),
        (20, "this night", "26-10-25 20:00"),
        (2, "tonight", "26-10-24 18:00"),
        (8, "tonight", "26-10-25 18:00"),
        (8, "last night", "26-10-24 18:00"),
        (20, "last night", "26-10-24 18:00"),
    ],
)
def test_a_night_depends_on_the_hour_of_the_question(hour: int, words: str, begins: str) -> None:
    assert ranges(f"Who came {words}?", NOW.replace(hour=hour))[0][0] == begins


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("Who came at half past noon?", "past noon"),
        ("Who came every other Friday?", "every other"),
        ("Who came on Easter Monday?", "on Easter Monday"),
        ("Who came on Good Friday?", "on Good Friday"),
        ("Who came before Christmas?", "before Christmas"),
        ("Who came the next morning?", "the next morning"),
        ("Who came on the third night?", "on the third night"),
        ("Who came some time ago?", "some time ago"),
        ("Who came two days earlier?", "two days earlier"),
        ("Who came the week before?", "the week before"),
        ("Who came in the middle of last month?", "in the middle of"),
        ("Who came in week 43?", "in week 43"),
        ("Who came on 30.10.?", "on 30.10."),
        ("Who came at 0830?", "at 0830"),
        ("Who came between 8 and 9?", "between 8 and 9"),
        ("Who came that week?", "that week"),
        ("Who came the last five Fridays?", "the last five Fridays"),
        ("Who came Friday the 13th?", "Friday the 13th"),
        ("Who came towards evening?", "towards evening"),
        ("Who came at 5ish?", "5ish"),
        ("Who came several Saturdays ago?", "several Saturdays ago"),
        ("Who came on Monday a few weeks ago?", "a few weeks ago"),
        ("Who came the Friday after next?", "the after next"),
        ("Who came 23/10?", "23/10"),
        ("Who came on 11-23-2026?", "11-23-2026"),
        ("Who came on any day but Thursday?", "on any day but Thursday"),
        ("What happens in the middle of the film?", "in the middle of the film"),
        ("What happens in the last third of the film?", "in the last third of the film"),
        ("What happens in hour 2?", "in hour 2"),
    ],
)
def test_words_for_a_time_that_are_not_understood_are_named(text: str, unread: str) -> None:
    _, named = TIMES.time_in(text)
    assert named
    assert named.unknown == unread


@pytest.mark.parametrize(
    "text",
    [
        "Where is the half pound of butter?",
        "Who drank half of the milk?",
        "Who sat at table 5?",
        "What did Anna say about Friday's meeting?",
        "Who joined the Monday meeting?",
        "How long ago did Anna leave?",
        "How many days ago did Anna water the basil?",
        "What do I drink every morning?",
        "Who lives at number 8?",
        "Who was the last to leave the kitchen?",
        "Who cut the cake into three quarters?",
        "Who paid 8 euros for April's book?",
        "Did Tom score 3 of 5 goals?",
        "Who stood in the middle of the kitchen?",
        "What is at the end of the hall?",
        "Who went past two doors?",
        "Who ate a quarter of the pizza?",
        "Who carried 10 boxes from one room to another?",
        "What is the next step?",
        "Who turned the key a quarter turn to the left?",
        "What version 3.10 runs on the server?",
        "Who cooked the second course?",
        "Who opened door 12?",
        "Who mixed one to two spoons of sugar?",
        "Who watered the basil last yesterday?",
        "What did Anna do next today?",
        "Who watered the basil second yesterday?",
        "What does Anna take half of?",
        "What does Dora stand in the middle of?",
        "Who gives a quarter to Anna?",
        "Who takes half of two keys?",
    ],
)
def test_what_is_no_time_is_not_named_as_one(text: str) -> None:
    _, named = TIMES.time_in(text)
    assert named is None or not named.unknown


@pytest.mark.parametrize(
    ("question", "is_present"),
    [
        ("What do I have today?", True),
        ("Who has the key today?", True),
        ("What have I got today?", True),
        ("Where do I live this week?", True),
        ("What have I bought today?", False),
        ("What has Anna eaten this week?", False),
        ("What have my parents sold today?", False),
        ("What did I buy today?", False),
    ],
)
def test_a_question_for_what_was_done_is_not_about_the_present(question: str, is_present: bool) -> None:
    assert TIMES.is_present(question) == is_present
