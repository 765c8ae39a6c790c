"""When something is that a text speaks of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from amr_neo4j.language.languages import language

# A Monday.
SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("I went to the support group yesterday.", "7 May 2023"),
        ("We had pizza last night", "7 May 2023"),
        ("The day before yesterday it rained.", "6 May 2023"),
        ("I'm off tomorrow!", "9 May 2023"),
        ("I ran a race three days ago", "5 May 2023"),
        ("She leaves in 2 weeks", "22 May 2023"),
        ("A couple of weeks ago I signed up", "24 April 2023"),
        ("I saw him last Friday", "5 May 2023"),
        ("I saw him last Monday", "1 May 2023"),
        ("See you next Monday", "15 May 2023"),
        ("the party is this Saturday", "13 May 2023"),
        ("We moved last weekend.", "the weekend before 8 May 2023"),
        ("Last Fri I finally went", "5 May 2023"),
        ("we hike this weekend", "the weekend of 8 May 2023"),
        ("last summer was great", "the summer before 8 May 2023"),
        ("I start next week", "the week after 8 May 2023"),
        ("I quit last month", "April 2023"),
        ("five months ago we met", "December 2022"),
        ("I graduated last year", "2022"),
        ("ten years ago", "2013"),
        ("Tom is getting married on October 10th in Hamburg", "October 10th"),
        ("It is due on 3 March 2024.", "3 March 2024"),
        ("The dentist sees me at 3 pm", "at 3 pm"),
    ],
)
def test_a_time_is_reckoned_from_when_it_was_said(text: str, meaning: str) -> None:
    assert [time.value for time in language("en").times_stated(text, SAID_AT)] == [meaning]


@pytest.mark.parametrize(
    "text", ["I may go", "a week of rain", "Friday", "some time ago", "the last day", "May is nice"]
)
def test_what_names_no_time_states_none(text: str) -> None:
    assert language("en").times_stated(text, SAID_AT) == []


def test_without_a_moment_only_plain_dates_count() -> None:
    found = language("en").times_stated("yesterday, and again on 3 June 2024", None)
    assert [time.value for time in found] == ["3 June 2024"]
