"""Turns from a caller: accepted forms, their fields, and refused ones."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.conversations.record import one_episode, several_episodes
from amr_neo4j.domain.episode import LONGEST_TURN, Session, embedded_text
from amr_neo4j.errors import InputError
from amr_neo4j.language.languages import ENGLISH

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MONDAY = Session("home", "anna", "monday")


def test_text_alone_is_a_message_of_the_user_valid_now() -> None:
    episode = one_episode("The keys are on the hook.", MONDAY, NOW, ENGLISH)
    assert (episode.type, episode.actor, episode.content) == ("message", "user", "The keys are on the hook.")
    assert (episode.valid_at, episode.turn) == (NOW, None)
    assert episode.episode_id != one_episode("The keys are on the hook.", MONDAY, NOW, ENGLISH).episode_id


def test_a_speaker_is_one_however_the_name_was_typed() -> None:
    typed, composed = (
        one_episode({"actor": name, "content": "Hello.", "valid_at": NOW}, MONDAY, NOW, ENGLISH)
        for name in ("Zoe\u0308", "Zo\u00eb")
    )
    assert (typed.actor, typed.episode_id) == (composed.actor, composed.episode_id)


def test_a_turn_number_gives_the_specified_id() -> None:
    assert one_episode({"content": "hi", "turn": 3}, MONDAY, NOW, ENGLISH).episode_id == "ep_turn_monday_3"


def test_a_repeated_turn_id_gives_the_same_id_only_for_the_same_turn() -> None:
    """A caller that stores the same turns twice adds nothing; other words under a used turn_id are kept beside it."""
    said = {"content": "hi", "turn_id": "t1"}
    first, again = (one_episode(said, MONDAY, now, ENGLISH) for now in (NOW, NOW + timedelta(hours=1)))
    assert first.episode_id == again.episode_id
    others = [said | {"content": "ho"}, said | {"actor": "assistant"}, said | {"turn_id": "t2"}]
    ids = {one_episode(other, MONDAY, NOW, ENGLISH).episode_id for other in others}
    ids.add(one_episode(said, Session("home", "anna", "tuesday"), NOW, ENGLISH).episode_id)
    assert len(ids) == 4 and first.episode_id not in ids


def test_the_same_actor_moment_and_words_are_one_turn() -> None:
    said = {"content": "hi", "actor": "Ben", "at": "2026-03-01T09:00:00+01:00"}
    first, again = (one_episode(said, MONDAY, NOW, ENGLISH) for _ in range(2))
    assert first.episode_id == again.episode_id
    others = [said | {"content": "ho"}, said | {"actor": "Eva"}, said | {"at": "2026-03-01T09:00:01+01:00"}]
    assert first.episode_id not in {one_episode(other, MONDAY, NOW, ENGLISH).episode_id for other in others}


def test_a_wall_clock_keeps_its_offset() -> None:
    at = "2026-03-01T09:00:00+01:00"
    assert one_episode({"content": "hi", "at": at}, MONDAY, NOW, ENGLISH).valid_at.isoformat() == at


def test_openai_keys_are_read_and_nothing_is_lost() -> None:
    calls = [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}]
    asked = one_episode({"role": "assistant", "content": None, "tool_calls": calls}, MONDAY, NOW, ENGLISH)
    assert (asked.type, asked.actor, json.loads(asked.content)) == ("JSON", "assistant", calls)
    episode = one_episode(
        {"role": "tool", "name": "look", "content": "a hook", "tool_call_id": "c1"}, MONDAY, NOW, ENGLISH
    )
    assert (episode.actor, episode.metadata) == ("tool", {"name": "look", "tool_call_id": "c1"})
    parts = [{"type": "text", "text": "see"}, {"type": "text", "text": "this"}]
    seen = one_episode({"role": "user", "content": parts}, MONDAY, NOW, ENGLISH)
    assert (seen.content, seen.metadata) == ("see\nthis", {"content": parts})


def test_json_given_as_text_is_kept_verbatim() -> None:
    raw = '{ "b": 1,  "a": [ ] }'
    assert one_episode({"content": raw, "type": "JSON"}, MONDAY, NOW, ENGLISH).content == raw


def test_a_picture_without_text_is_a_turn() -> None:
    assert one_episode({"content": "", "shown": "a dog"}, MONDAY, NOW, ENGLISH).text == " [shows a dog]"


def test_numbers_are_accepted_as_ids() -> None:
    assert one_episode({"content": "hi", "id": 17, "turn_id": 3}, MONDAY, NOW, ENGLISH).episode_id == "17"


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        ("", "is empty"),
        ({"content": "  "}, "is empty"),
        ({"content": None}, "is empty"),
        ({"content": "x" * (LONGEST_TURN + 1)}, "longer than 1,000,000"),
        ({"content": "a\x00b"}, "NUL"),
        ({"content": "a\udcffb"}, "no UTF-8"),
        ({"content": "hi", "actor": " "}, "actor: is empty"),
        ({"content": "hi", "actor": "a\x00"}, "actor: holds a NUL"),
        ({"content": "hi", "id": ""}, "id: is empty"),
        ({"content": "hi", "id": "x" * 501}, "id: String should have at most 500"),
        ({"content": "hi", "shown": "\ud800"}, "shown: holds"),
        ({"content": "hi", "turn": -1}, "turn: "),
        ({"content": "hi", "turn": 2**60}, "turn: "),
        ({"content": "hi", "at": "2026-03-01T09:00:00"}, "lacks its offset"),
        ({"content": "hi", "at": "0001-01-01T00:00:00+01:00"}, "years 1 to 9999"),
        ({"content": "hi", "at": "9999-12-31T23:59:00-05:00"}, "years 1 to 9999"),
        ({"content": "hi", "at": "2026-03-01T09:00:00+23:59"}, "more than 18 hours"),
        ({"content": "hi", "at": datetime(2026, 3, 1, tzinfo=timezone(timedelta(seconds=3723)))}, "with seconds"),
        ({"content": "hi", "type": "song"}, "type: "),
        ({"content": "hi", "metadata": {"when": NOW}}, "metadata: Object of type datetime"),
        ({"content": "hi", "mood": "\ud800"}, "metadata: holds"),
        *((no_turn, "Input should be a valid dictionary") for no_turn in (5, 1.5, True, None, ["hi"], b"hi")),
    ],
)
def test_an_unstorable_turn_is_refused_with_the_reason(turn: Any, why: str) -> None:
    with pytest.raises(InputError) as refused:
        several_episodes(["fine", turn], MONDAY, NOW, ENGLISH)
    assert refused.value.message.startswith("turn 2")
    assert why in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize("name", ["", "  ", "x" * 501, "a\x00b", "\udcff"])
def test_a_session_needs_a_storable_name(name: str) -> None:
    with pytest.raises(ValueError, match="the session "):
        Session("home", "anna", name)


# Text that both databases can store.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1).filter(str.strip)
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(datetime(1, 1, 2), datetime(2026, 3, 1), timezones=ZONES)


@pytest.mark.parametrize(("days", "is_noted"), [(-3650, False), (0.9, False), (1.1, True), (3650, True)])
def test_a_moment_more_than_a_day_ahead_counts_as_now_and_is_noted(days: float, is_noted: bool) -> None:
    at = NOW + timedelta(days=days)
    given, again = (one_episode({"content": "x", "at": at}, MONDAY, now, ENGLISH) for now in (NOW, at))
    assert given.valid_at == (NOW if is_noted else at)
    assert dict(given.metadata) == ({"dated": at.isoformat()} if is_noted else {})
    assert given.content_sha256 == again.content_sha256, "or the same turn would be refused when it comes again"


@given(content=TEXT, actor=st.text("abc é", min_size=1).filter(str.strip), at=TIMES)
def test_content_is_stored_unchanged(content: str, actor: str, at: datetime) -> None:
    """Content, actor and time are unchanged; of content that is not composed, the original is kept beside it."""
    episode = one_episode({"content": content, "actor": actor, "at": at}, MONDAY, NOW, ENGLISH)
    assert (episode.metadata.get("original", episode.content), episode.actor, episode.valid_at) == (
        content,
        actor,
        at,
    )
    assert episode.content == unicodedata.normalize("NFC", content)
    assert episode.valid_at.utcoffset() == at.utcoffset()


@given(TEXT, TEXT)
def test_the_hash_covers_the_content(one: str, other: str) -> None:
    """Two turns have the same hash if and only if their content is equal."""
    hashes = [one_episode({"content": text, "turn": 0}, MONDAY, NOW, ENGLISH).content_sha256 for text in (one, other)]
    assert (hashes[0] == hashes[1]) == (one == other)


def test_no_part_of_an_episode_has_a_secret_that_is_to_be_masked() -> None:
    key = "sk-proj-" + "a1B2" * 8
    said = {
        "content": [{"type": "text", "text": f"It is {key}, e\u0301"}],
        "shown": f"a note with {key}",
        "key": key,
        "metadata": {"tools": [{"password": "tr0ub4dor"}, f"Bearer {key}"]},
        "at": NOW,
    }
    episode = one_episode(said, MONDAY, NOW, ENGLISH, masks=True)
    stored = json.dumps(vars(episode), default=str)
    assert key not in stored
    assert episode.text == "It is [key], é [shows a note with [key]]"
    assert episode.metadata["original"] == "It is [key], e\u0301"
    pins = [{"content": f"My PIN is {pin}.", "at": NOW} for pin in (4711, 1234)]
    first, second = (one_episode(pin, MONDAY, NOW, ENGLISH, masks=True) for pin in pins)
    assert first == second, "neither the id nor the hash tells which one it was"
    asked, answered = several_episodes(["What is your password?", "hunter2"], MONDAY, NOW, ENGLISH, masks=True)
    assert (asked.content, answered.content) == ("What is your password?", "[password]")
    assert one_episode(said, MONDAY, NOW, ENGLISH).content == f"It is {key}, é"


@pytest.mark.parametrize(("actor", "text"), [("user", "ok"), ("assistant", "ok"), ("Caroline", "Caroline: ok")])
def test_only_the_name_of_a_speaker_is_embedded_with_a_turn(actor: str, text: str) -> None:
    assert embedded_text(actor, "ok", "") == text
