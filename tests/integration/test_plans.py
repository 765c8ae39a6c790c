"""What people plan and like, in films and in turns, on a real Neo4j."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from amr_neo4j import InputError, Memory
from amr_neo4j.errors import NotInMemory
from amr_neo4j.integrations.toolset import Tools
from amr_neo4j.localdb import Connection
from tests.support.chatting import rows, talking

# A Wednesday.
MORNING = datetime(2026, 3, 4, 9, tzinfo=UTC)


@pytest.fixture(scope="module")
def memory(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with talking(neo4j_connection, "plans", tmp_path_factory.mktemp("data")) as memory:
        file = tmp_path_factory.mktemp("films") / "days.jsonl"
        days = [
            clip(
                0,
                [("Alice", "Remind me to water the basil tomorrow."), ("Ben", "We still need to buy milk and eggs.")],
            ),
            clip(0, [("Ben", "Let's call the plumber on Friday."), ("Alice", "I love mango cake.")], n=1),
            clip(0, [("Alice", "We still need to buy candles."), ("Ben", "Hello there, Alice.")], n=2),
            clip(0, [("Alice", "We still need flour."), ("Alice", "Let's return the ladder on Friday.")], n=3),
            clip(1, [("Ben", "We don't need candles any more.")], ["Alice waters the basil on the balcony."]),
            clip(
                1,
                [("Ben", "We don't need eggs any more."), ("Ben", "Let's return the ladder on Saturday instead.")],
                n=1,
            ),
        ]
        file.write_text("\n".join(map(json.dumps, days)), encoding="utf-8")
        memory.ingest(file)
        yield memory


def clip(day: int, said: list[tuple[str, str]], seen: list[str] | None = None, *, n: int = 0) -> dict[str, Any]:
    """Return a line of a film of one day, with a clip of a minute."""
    turns = [
        {"speaker_id": who, "utterance": words, "time_start": n * 60.0 + 5 * i, "time_end": n * 60.0 + 5 * i + 4}
        for i, (who, words) in enumerate(said)
    ]
    events = [{"time_start": n * 60.0 + 30, "time_end": n * 60.0 + 40, "summary": words} for words in seen or []]
    return {
        "video_id": f"day{day}",
        "clip_id": str(n),
        "t_start": n * 60.0,
        "t_end": n * 60.0 + 60,
        "time_base": "video",
        "recorded_at": (MORNING + timedelta(days=day)).isoformat(),
        "analysis": {"clip_summary": "", "events": events, "speaker_turns": turns},
    }


def at(day: int, hours: int = 5) -> datetime:
    return MORNING + timedelta(days=day, hours=hours)


def test_what_was_still_to_be_bought(memory: Memory) -> None:
    """A plan is open until it is done or dropped, also one of another speaker."""
    answer = memory.ask("What did we still want to buy?", as_of=at(0))
    assert all(f"{thing} (open)" in answer.text for thing in ("milk", "eggs", "candles", "fetch flour"))
    assert {memory.cited(citation).video_id for citation in answer.citations} == {"day0"}
    later = memory.ask("What did we still want to buy?", as_of=at(1)).text
    # Of several things that were planned together, one is dropped.
    assert "milk (open)" in later and "eggs" not in later and "candles" not in later


def test_a_plan_that_is_put_off_is_for_the_later_day(memory: Memory) -> None:
    assert "return the ladder" in memory.ask("What is planned for Friday?", as_of=at(0)).text
    assert "return the ladder" not in memory.ask("What is planned for Friday?", as_of=at(1)).text
    assert "return the ladder (open, for 2026-03-07)" in memory.ask("What is planned for Saturday?", as_of=at(1)).text


def test_a_week_or_a_date_may_be_asked_for(memory: Memory) -> None:
    assert "call the plumber (open, for 2026-03-06)" in memory.ask("What is planned for 6 March?", as_of=at(0)).text
    assert "return the ladder" in memory.ask("What is planned for this week?", as_of=at(0)).text
    assert "return the ladder" in memory.ask("What is planned for the weekend?", as_of=at(1)).text
    # The weekend may be the one to come, and last weekend is only that.
    assert "return the ladder" not in memory.ask("What is planned for last weekend?", as_of=at(1)).text
    assert "plumber" not in memory.ask("What is planned for next week?", as_of=at(0)).text


def test_what_will_be_is_told_by_plans(memory: Memory) -> None:
    answer = memory.ask("When will Alice water the basil?", as_of=at(0))
    assert "water the basil (open, for 2026-03-05)" in answer.text
    assert "knows nothing of “cat”" in memory.ask("When will Alice feed the cat?", as_of=at(1)).text


def test_the_day_of_a_plan_is_no_time_of_the_footage(memory: Memory) -> None:
    answer = memory.ask("What is planned for Friday?", as_of=at(0))
    assert "call the plumber (open, for 2026-03-06)" in answer.text and answer.found
    assert answer.confidence > 0.5
    assert "water the basil (open, for 2026-03-05)" in memory.ask("What is planned for tomorrow?", as_of=at(0)).text


def test_a_plan_that_a_later_scene_carried_out_is_done(memory: Memory) -> None:
    answer = memory.ask("What did Alice plan to do with the basil?", as_of=at(1))
    assert "water the basil (done" in answer.text and "Alice waters the basil" in answer.text
    assert [memory.cited(citation).video_id for citation in answer.citations] == ["day0", "day1"]


def test_counts_and_look_ups_as_of_a_moment(memory: Memory) -> None:
    """Nothing of a later day is told."""
    assert {row.name: row.events for row in memory.counts("person")}.keys() == {"alice", "ben"}
    assert [row.name for row in memory.counts("day")] == ["2026-03-04", "2026-03-05"]
    assert [row.name for row in memory.counts("day", as_of=at(0))] == ["2026-03-04"]
    [alice], [then] = memory.persons("Alice"), memory.persons("Alice", as_of=at(0))
    assert alice.times == then.times + 1 and {each.video_id for each in then.events} == {"day0"}
    assert memory.lifecycle("basil") and not memory.lifecycle("basil", as_of=at(0))
    with pytest.raises(NotInMemory, match="alicia") as raised:
        memory.search("basil", persons=["Alicia"])
    assert "alice" in raised.value.hint


def test_an_event_and_a_clip_as_of_a_moment(memory: Memory) -> None:
    """What was not over, or not known, by then is not there, and no edge tells of it."""
    first, late = (memory.video(f"day{day}", 100).timeline for day in (0, 1))
    moments: list[dict[str, Any]] = [{"as_of": at(0)}, {"known_at": MORNING}]
    for when in moments:
        with pytest.raises(NotInMemory, match="by then"):
            memory.event(late[0].node_id, **when)
        with pytest.raises(NotInMemory, match="by then"):
            memory.clips("0", "day1", **when)
    assert memory.event(late[0].node_id, as_of=at(1)) == memory.event(late[0].node_id)
    assert memory.clips("0", "day1", as_of=at(1)) == memory.clips("0", "day1")
    event = first[0]
    assert memory.event(event.node_id).edges and not memory.event(event.node_id, as_of=event.time_end).edges
    with pytest.raises(NotInMemory, match="by then"):
        memory.event(event.node_id, as_of=event.time_end - 1.0)


def test_a_plan_is_no_deed(memory: Memory) -> None:
    assert not memory.ask("Did we call the plumber?", as_of=at(0)).found


def test_what_people_say_that_they_like_is_a_fact_of_theirs(memory: Memory) -> None:
    answer = memory.ask("What does Alice like?", as_of=at(1))
    assert "mango cake" in answer.text and "day0" in answer.citations[0].label
    # The embedder's cosines mean nothing, so it is chance whether the nearest event is quoted, as one in doubt.
    ben = memory.ask("What does Ben like?", as_of=at(1)).text
    assert ben.startswith(("Nothing found says “like”; the nearest is", "Nothing in memory states this"))


def test_a_favourite_that_is_said_later_in_a_film_replaces_the_one_before(
    neo4j_connection: Connection, tmp_path: Path
) -> None:
    with talking(neo4j_connection, "favourites", tmp_path / "data") as memory:
        file = tmp_path / "days.jsonl"
        said = ["My favourite colour is green.", "My favourite colour is red."]
        days = [clip(day, [("Ben", words)], ["Ben stands at the window."]) for day, words in enumerate(said)]
        file.write_text("\n".join(map(json.dumps, days)), encoding="utf-8")
        memory.ingest(file)
        believed = rows(
            memory,
            "MATCH (f:Fact {group_id: $group_id, relation: 'favorite_color', status: 'active'}) RETURN f.object",
        )
        assert believed == ["red"]


def test_facts_of_films_are_listed_shown_corrected_and_forgotten(
    neo4j_connection: Connection, tmp_path: Path
) -> None:
    """They are of the group and of no user, and name the second of the film, also once a person put them right."""
    with talking(neo4j_connection, f"liked-{uuid4()}", tmp_path) as memory:
        said = [
            ("Alice", "I love mango cake."),
            ("Ben", "I like jazz."),
            ("Ben", "Let's call the plumber on Friday."),
        ]
        memory.ingest_lines([json.dumps(clip(0, said)), json.dumps(clip(1, [("Ben", "I like jazz.")]))])
        with pytest.raises(InputError, match="no user given"):
            memory.facts()
        with pytest.raises(InputError, match="of a user and of the group"):
            memory.facts(user_id="ben", of_group=True)
        listed = memory.facts(of_group=True)
        assert {fact.triple.subject for fact in listed} == {"alice", "ben"} and len(listed) == 2
        # The Friday of the plan is over.
        assert memory.facts(of_group=True, history=True).total == 3
        [jazz] = memory.facts(of_group=True, subject="ben", relation="likes")
        shown = memory.fact(jazz.fact_id[:8], of_group=True)
        assert jazz.events == tuple(event.label for event in shown.events) and len(jazz.events) == 2
        assert all("Ben: I like jazz." in memory.cited(event).dialogue_snippets for event in shown.events)
        with pytest.raises(NotInMemory):
            memory.fact(jazz.fact_id, user_id="ben")
        tools = Tools(memory)
        [told] = tools.list_facts(subject="ben", of_group=True)["facts"][:1]
        assert told["source"] in {event for fact in listed for event in fact.events}

        blues = memory.correct_fact(jazz.fact_id, "I like blues", of_group=True)
        assert (blues.triple, blues.pinned) == (("ben", "likes", "blues"), True)
        assert blues.events == shown.events
        assert [fact.text for fact in memory.facts(of_group=True, relation="likes", subject="ben")] == [blues.text]
        assert not memory.pin_fact(blues.fact_id, of_group=True, pinned=False).pinned
        assert memory.pin_fact(blues.fact_id, of_group=True).pinned
        # It lasts as long as one of the films that it rests on.
        memory.forget_videos(video_id="day0")
        [left] = memory.facts(of_group=True)
        assert left.triple == blues.triple and len(left.events) == 1 and left.evidence_count >= 0
        assert memory.forget_facts(of_group=True, subject="ben", relation="likes") == 2
        assert not memory.facts(of_group=True, history=True)
        # What is forgotten does not come back with the film.
        memory.ingest_lines([json.dumps(clip(1, [("Ben", "I like jazz.")]))])
        memory.consolidate(user_id="anna")
        assert not memory.facts(of_group=True, history=True)
