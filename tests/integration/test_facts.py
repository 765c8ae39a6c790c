"""Facts on a real Neo4j: written with the turns that state them, replaced, taken back and forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j import InputError, Memory
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Episode, Session
from amr_neo4j.domain.fact import FactChange, Triple
from amr_neo4j.domain.fact import fact_id as fact_id_of
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from tests.support.chatting import rows, talking

NINE = datetime(2026, 3, 1, 9, tzinfo=UTC)
PORTO = Triple("you", "lives_in", "porto")
GHENT = Triple("you", "lives_in", "ghent")
TEA = Triple("you", "likes", "tea")


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    with talking(neo4j_connection, group_id, tmp_path) as memory:
        yield memory


def turn(memory: Memory, text: str, minute: int, *stated: Triple, gone: tuple[Triple, ...] = ()) -> Episode:
    """A turn that states some facts and takes some back."""
    session = Session(memory.group_id, "anna", "monday")
    said = (NINE + timedelta(minutes=minute)).timestamp()
    back = [FactChange(triple, said, retracted=True) for triple in gone]
    facts = [FactChange(triple, said, " ".join(triple), 0.7, language="en") for triple in stated]
    episode = one_episode({"content": text, "at": NINE + timedelta(minutes=minute)}, session, NINE, ENGLISH)
    return replace(episode, changes=(*back, *facts), intake_id=uuid4().hex)


def say(memory: Memory, *turns: Episode) -> None:
    memory._parts.conversations(memory.group_id).record(turns)


def believed(memory: Memory, **wanted: str | bool) -> list[Triple]:
    return [fact.triple for fact in memory.facts(user_id="anna", **wanted)]


def test_a_fact_names_its_turn(memory: Memory) -> None:
    spoken = turn(memory, "I live in Porto.", 0, PORTO)
    say(memory, spoken)
    [fact] = memory.facts(user_id="anna")
    assert (fact.triple, fact.text, fact.confidence, fact.weight) == (PORTO, "you lives_in porto", 0.7, 0.7)
    assert (fact.status, fact.evidence_count, fact.first_said, fact.last_said) == ("active", 1, NINE, NINE)
    assert fact.episode_ids == (spoken.episode_id,)
    assert not memory.facts(user_id="ben")


def test_a_repeated_fact_is_one_with_more_weight(memory: Memory) -> None:
    say(memory, *(turn(memory, f"I like tea {n}.", n, TEA) for n in range(3)))
    [fact] = memory.facts(user_id="anna")
    assert fact.evidence_count == len(fact.episode_ids) == 3
    assert fact.weight == pytest.approx(1 - 0.3 * 0.7**2)
    assert (fact.first_said, fact.last_said) == (NINE, NINE + timedelta(minutes=2))


@pytest.mark.parametrize("at_once", [True, False])
def test_a_value_that_is_taken_back_leaves_none_that_it_replaced(memory: Memory, at_once: bool) -> None:
    turns = [
        turn(memory, "I live in Porto.", 0, PORTO),
        turn(memory, "I live in Ghent.", 1, GHENT),
        turn(memory, "I live in Porto.", 2, PORTO),
        turn(memory, "I don't live in Porto any more.", 3, gone=(PORTO,)),
    ]
    for batch in [turns] if at_once else [[each] for each in turns]:
        say(memory, *batch)
    assert not believed(memory)
    then = memory.facts(user_id="anna", as_of=NINE + timedelta(minutes=1.5))
    assert [each.triple for each in then] == [GHENT]


@pytest.mark.parametrize("lost", ["relation", "subject", "object"])
def test_a_chat_reads_past_a_fact_that_is_being_deleted(memory: Memory, lost: str) -> None:
    """Neo4j returns null for the properties of a node that is deleted during a read."""
    say(memory, turn(memory, "I like tea. I live in Porto.", 0, TEA, PORTO))
    rows(memory, f"MATCH (f:Fact {{group_id: $group_id, relation: 'likes'}}) SET f.{lost} = null")
    chat = memory.chat(user_id="anna", session_id="tuesday")
    assert [fact.triple for fact in chat._index.facts()] == [PORTO]
    chat.observe("I have a cat.")
    assert memory._parts.live_chats().wait(60)
    assert Triple("you", "has", "cat") in {fact.triple for fact in memory.facts(user_id="anna", relation="has")}


def test_a_turn_stored_again_changes_nothing(memory: Memory) -> None:
    spoken = turn(memory, "I like tea.", 0, TEA)
    say(memory, spoken)
    say(memory, spoken)
    [fact] = memory.facts(user_id="anna")
    assert (fact.evidence_count, fact.weight) == (1, 0.7)


@pytest.mark.parametrize("late_first", [False, True])
def test_the_value_stated_last_is_believed(memory: Memory, *, late_first: bool) -> None:
    """It is believed in whatever order the turns come in."""
    turns = [turn(memory, "I live in Porto.", 0, PORTO), turn(memory, "I moved to Ghent.", 5, GHENT)]
    for spoken in turns[::-1] if late_first else turns:
        say(memory, spoken)
    assert believed(memory) == [GHENT]
    old = next(fact for fact in memory.facts(user_id="anna", history=True) if fact.triple == PORTO)
    assert (old.status, old.replaced_by) == ("archived", "ghent")


def test_what_is_taken_back_is_no_longer_believed(memory: Memory) -> None:
    say(memory, turn(memory, "I like tea and live in Porto.", 0, TEA, PORTO))
    say(memory, turn(memory, "I no longer live there.", 1, gone=(Triple("you", "lives_in", ""),)))
    assert believed(memory) == [TEA]
    say(memory, turn(memory, "I am back in Porto.", 2, PORTO))
    assert believed(memory) == [PORTO, TEA]


@pytest.mark.parametrize("again", [False, True])
def test_forgetting_the_turn_that_took_something_back_brings_it_back(memory: Memory, *, again: bool) -> None:
    """Unless another turn takes it back too, or something else holds now."""
    over = [
        turn(memory, "I no longer like tea or live in Porto.", 1, gone=(TEA, PORTO)),
        turn(memory, "I don't live in Porto any more.", 2, gone=(PORTO,)),
    ]
    say(memory, turn(memory, "I like tea and jazz and live in Porto.", 0, TEA, Triple("you", "likes", "jazz"), PORTO))
    say(memory, *over[: 1 + again])
    memory.forget(user_id="anna", session_id="monday", episode_id=over[0].episode_id)
    back = [TEA, Triple("you", "likes", "jazz"), *([] if again else [PORTO])]
    assert sorted(believed(memory)) == sorted(back)


def test_what_comes_back_does_not_stand_beside_what_holds_now(memory: Memory) -> None:
    over = turn(memory, "I no longer live in Porto.", 1, gone=(PORTO,))
    say(memory, turn(memory, "I live in Porto.", 0, PORTO), over, turn(memory, "I live in Ghent.", 2, GHENT))
    memory.forget(user_id="anna", session_id="monday", episode_id=over.episode_id)
    assert believed(memory) == [GHENT]


@pytest.mark.parametrize(
    ("believed_of", "said", "stay"),
    [
        (["works_at lindqvist shipping"], "works_at lindqvist", []),
        (["works_at lindqvist"], "works_at lindqvist shipping", []),
        (["works_at lindqvistson"], "works_at lindqvist", ["lindqvistson"]),
        (["owns red bike"], "owns bike", []),
        (["owns red bike", "owns bike"], "owns bike", ["red bike"]),
        (["owns red bike", "owns blue bike"], "owns bike", ["blue bike", "red bike"]),
        (["likes coffee"], "likes coffee at night", ["coffee"]),
    ],
)
def test_what_is_taken_back_may_have_a_shorter_or_longer_name(
    memory: Memory, believed_of: list[str], said: str, stay: list[str]
) -> None:
    say(memory, turn(memory, "So it is.", 0, *(Triple("you", *each.split(" ", 1)) for each in believed_of)))
    say(memory, turn(memory, "That is over.", 1, gone=(Triple("you", *said.split(" ", 1)),)))
    assert sorted(triple.object for triple in believed(memory)) == stay


@pytest.mark.parametrize("told", ["I live in Ghent.", "I no longer live in Porto."])
def test_an_address_is_over_with_its_home_until_that_turn_is_forgotten(memory: Memory, told: str) -> None:
    street = Triple("you", "address", "rua augusta 5")
    say(memory, turn(memory, "I live in Porto.", 0, PORTO), turn(memory, "It is Rua Augusta 5.", 1, street))
    stated = [GHENT] if "Ghent" in told else []
    moved = turn(memory, told, 2, *stated, gone=() if stated else (PORTO,))
    say(memory, moved)
    assert believed(memory) == stated
    memory.forget(user_id="anna", session_id="monday", episode_id=moved.episode_id)
    assert set(believed(memory)) == {PORTO, street}


def test_an_address_stays_with_a_home_that_is_said_again_or_in_the_same_turn(memory: Memory) -> None:
    street = Triple("you", "address", "rua augusta 5")
    say(
        memory,
        turn(memory, "I live in Ghent.", 0, GHENT),
        turn(memory, "I live in Rua Augusta 5, Porto", 1, street, PORTO),
    )
    say(memory, turn(memory, "I live in Porto.", 2, PORTO))
    assert set(believed(memory)) == {PORTO, street}
    # Imported later, and said before: it is no move.
    say(memory, turn(memory, "I live in Ghent.", -5, GHENT))
    assert set(believed(memory)) == {PORTO, street}


def test_what_was_taken_back_is_not_told_as_present(memory: Memory) -> None:
    chat = memory.chat(user_id="anna", session_id="monday")
    chat.observe("I work at Lindqvist Shipping as a clerk.")
    chat.observe("I no longer work at Lindqvist.")
    assert memory._parts.live_chats().wait(120)
    answer = memory.ask("Where do I work?", user_id="anna").text
    assert "“I no longer work at Lindqvist”" in answer
    assert "this replaces what was said on " in answer and "as a clerk" not in answer
    [fact] = memory.facts(user_id="anna", history=True, relation="works_at")
    assert fact.fact_id == fact_id_of(fact.triple)
    memory.restore_fact(fact.fact_id, user_id="anna")
    assert "You work at Lindqvist Shipping" in memory.ask("Where do I work?", user_id="anna").text


def test_of_turns_said_at_one_moment_the_last_one_holds_and_is_cited(memory: Memory) -> None:
    for at, (old, new) in enumerate([("Paris", "Lyon"), ("Lyon", "Paris")]):
        user, said = f"user{at}", [f"I live in {old}.", f"No, I meant {new}, not {old}."]
        memory.remember([{"content": text, "at": NINE} for text in said], user_id=user, session_id=user)
        memory.consolidate(user_id=user, at=NINE)
        [fact] = memory.facts(user_id=user)
        last = memory.conversation(user, user_id=user)[-1]
        assert (fact.triple.object, fact.episode_ids) == (new.lower(), (last.episode_id,))


def test_forgotten_facts_do_not_come_back_with_turns_said_before(memory: Memory) -> None:
    say(memory, turn(memory, "I like tea.", 0, TEA))
    assert memory.forget_facts(user_id="anna", subject="nobody") == 0
    with pytest.raises(InputError, match="either fact_id or subject"):
        memory.forget_facts(user_id="anna")
    [fact] = memory.facts(user_id="anna")
    assert memory.forget_facts(fact.fact_id, user_id="anna", dry_run=True) == 1
    assert memory.facts(user_id="anna").items == (fact,)
    assert memory.forget_facts(fact.fact_id, user_id="anna") == 1
    say(memory, turn(memory, "Tea, I said.", 1, TEA))
    assert not memory.facts(user_id="anna", history=True)
    later = replace(turn(memory, "Tea again.", 2), valid_at=datetime.now(UTC) + timedelta(minutes=1))
    change = FactChange(TEA, later.valid_at.timestamp(), "You like tea", 0.7, language="en")
    say(memory, replace(later, changes=(change,)))
    assert believed(memory) == [TEA]


def test_a_clock_that_was_ahead_freezes_no_fact(memory: Memory) -> None:
    """Its turn counts as said first. A live turn counts as said after all others, however old it is by its clock."""
    ahead, past = datetime.now(UTC) + timedelta(days=3650), datetime(2020, 1, 1, tzinfo=UTC)

    def said(at: datetime, *stated: Triple, gone: tuple[Triple, ...] = (), live: bool = False) -> None:
        spoken = turn(memory, f"{at} {stated} {live}", 0, *stated, gone=gone)
        changes = [replace(change, said=at.timestamp(), live=live) for change in spoken.changes]
        say(memory, replace(spoken, valid_at=at, changes=tuple(changes)))

    said(ahead, PORTO)
    assert memory.integrity.found("future_facts") == [f"“{' '.join(PORTO)}” of anna, said {ahead:%Y-%m-%d}"]
    said(NINE, GHENT)
    assert believed(memory) == [GHENT]
    said(past, PORTO)
    assert believed(memory) == [GHENT]
    assert not memory.integrity.found("future_facts"), "stated again, it has the right date"
    said(past, PORTO, live=True)
    assert believed(memory) == [PORTO]
    said(NINE + timedelta(minutes=1), TEA)
    said(past, gone=(TEA,), live=True)
    assert believed(memory) == [PORTO]


def test_facts_go_with_the_turns_that_state_them(memory: Memory) -> None:
    first, second = turn(memory, "I live in Porto.", 0, PORTO, TEA), turn(memory, "Ghent now. Tea!", 5, GHENT, TEA)
    say(memory, first, second)
    assert memory.forget(user_id="anna", session_id="monday", episode_id=second.episode_id).facts == 1
    assert believed(memory) == [PORTO, TEA]
    assert [fact.evidence_count for fact in memory.facts(user_id="anna")] == [1, 1]
    assert memory.forget(user_id="anna").facts == 2
    assert not memory.facts(user_id="anna", history=True)
    assert rows(memory, "MATCH (f:Fact {group_id: $group_id}) RETURN count(f)") == [0]


def test_a_dry_run_counts_what_is_forgotten(memory: Memory) -> None:
    first, second = turn(memory, "I live in Porto.", 0, PORTO, TEA), turn(memory, "Ghent now. Tea!", 5, GHENT, TEA)
    say(memory, first, second)
    for what in ({"session_id": "monday", "episode_id": second.episode_id}, {"session_id": "monday"}):
        would = memory.forget(user_id="anna", **what, dry_run=True)
        assert (would.episodes, would.facts, would.sessions) == (1, *((1, 0) if "episode_id" in what else (2, 1)))
        assert memory.forget(user_id="anna", **what) == would


def test_facts_are_found_by_subject_and_relation(memory: Memory) -> None:
    tom = Triple("tom", "works_at", "bmw")
    say(memory, turn(memory, "Tom works at BMW. I like tea.", 0, tom, TEA))
    assert believed(memory, subject="tom") == [tom]
    assert believed(memory, relation="likes") == [TEA]
    assert not believed(memory, subject="tom", relation="likes")


def test_what_is_said_in_passing_waits_until_it_is_said_again(memory: Memory) -> None:
    """Until then it is a candidate. A value said beside the main one replaces nothing; one that has ended is gone."""

    def firmly(spoken: Episode, **how: object) -> Episode:
        return replace(spoken, changes=tuple(replace(change, **how) for change in spoken.changes))

    say(memory, turn(memory, "I live in Porto.", 0, PORTO))
    say(memory, firmly(turn(memory, "I think I live in Ghent.", 1, GHENT), strength="passing"))
    assert believed(memory) == [PORTO]
    assert {fact.status for fact in memory.facts(user_id="anna", history=True)} == {"active", "candidate"}
    say(memory, firmly(turn(memory, "I do think I live in Ghent.", 2, GHENT), strength="passing"))
    assert believed(memory) == [GHENT]
    say(memory, firmly(turn(memory, "On weekends I live in Porto.", 3, PORTO), strength="beside"))
    assert set(believed(memory)) == {GHENT, PORTO}
    stay = Triple("you", "staying_in", "rome")
    say(memory, firmly(turn(memory, "I am in Rome until nine.", 4, stay), ends=NINE.timestamp()))
    assert stay not in believed(memory)
    assert stay in believed(memory, history=True)
