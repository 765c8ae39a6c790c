"""Questions to conversations, and to conversations and videos at once, on a real Neo4j."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.recall import Answer, Citation, TurnCitation
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.local_models.registry import installed
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from tests.conftest import KITCHEN

MORNING = datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=1)))
TALK = [
    ("Annie", "Good morning! Did you sleep well?"),
    ("Ben", "Like a stone. I have an appointment with the dentist on Thursday."),
    ("Annie", "Which one do you go to?"),
    ("Ben", "Doctor Weber in the old town, at half past three."),
    ("Annie", "I booked the train to Lisbon for our holiday, by the way."),
    ("Ben", "Lovely. The passports are in the blue folder."),
]


@pytest.fixture(scope="module")
def home(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """The example household, and a conversation of two of its people. Read only."""
    if not {status.name: status for status in installed(load())}["e5"].installed:
        pytest.skip("the embedder is not installed: amr models install")
    settings = load(
        neo4j_uri=neo4j_connection.uri,
        neo4j_username=neo4j_connection.username,
        neo4j_password=neo4j_connection.password,
        data_dir=tmp_path_factory.mktemp("data"),
        group=f"test-{uuid4()}",
    )
    with Memory.open(settings) as memory:
        memory.ingest(KITCHEN)
        _notify(memory, "me", "sunday", TALK)
        _notify(memory, "me", "monday", [("Annie", "The dentist called: Thursday is cancelled.")], day=1)
        _notify(memory, "you", "sunday", [("Zoe", "I sold the passports to a stranger in Lisbon.")])
        yield memory


def _notify(memory: Memory, user: str, session: str, talk: list[tuple[str, str]], day: int = 0) -> None:
    turns = [
        {"actor": actor, "content": words, "at": (MORNING + timedelta(days=day, minutes=place)).isoformat()}
        for place, (actor, words) in enumerate(talk)
    ]
    assert memory.remember(turns, user_id=user, session_id=session).committed == len(talk)


def _cited(answer: Answer) -> list[tuple[str, int, str]]:
    return [(c.session_id, c.turn, c.actor) for c in answer.citations if isinstance(c, TurnCitation)]


@pytest.mark.parametrize(
    ("question", "cited"),
    [
        ("Where are the passports?", ("sunday", 5, "Ben")),
        ("Which dentist does Ben go to?", ("sunday", 3, "Ben")),
        ("What did Annie book for the holiday?", ("sunday", 4, "Annie")),
        ("When was the appointment on Thursday cancelled?", ("monday", 0, "Annie")),
    ],
)
def test_an_answer_cites_session_turn_and_speaker(home: Memory, question: str, cited: tuple[str, int, str]) -> None:
    answer = home.ask(question, user_id="me")
    found = [
        (h.event.turn.session_id, h.event.turn.number, h.event.turn.actor) for h in answer.evidence if h.event.turn
    ]
    assert cited in found[:5]
    for session, turn, actor in _cited(answer):
        assert f"[turn {turn}, {session}, {actor}]" in answer.text
    for citation in answer.citations:
        assert citation.label in answer.text
        event = home.cited(citation, user_id="me")
        assert (event.node_id, event.video_id) == (citation.node_id, citation.source)


def test_one_answer_combines_conversations_and_videos(home: Memory) -> None:
    answer = home.ask("Where are the keys?", user_id="me")
    assert any(isinstance(cited, Citation) for cited in answer.citations)
    found = home.search("passports and keys", user_id="me", limit=20, all=True)
    assert {bool(hit.event.turn) for hit in found} == {True, False}


def test_the_context_has_two_turns_around_each_hit_and_what_was_filmed(home: Memory) -> None:
    """Every line of it can be looked up again, and no other user's turn is in it."""
    found = home.context("Which dentist does Ben go to?", user_id="me", tokens=1500)
    said = [(c.session_id, c.turn) for c in found.citations if isinstance(c, TurnCitation)]
    assert [("sunday", turn) for turn in (1, 2, 3, 4, 5)] == [each for each in said if each[0] == "sunday"][-5:]
    assert "sunday, Sunday 1 March 2026:" in str(found).splitlines()
    assert "[event " in str(found) and "stranger" not in str(found) and found.tokens <= 1500
    for line in found.lines:
        if line.citation:
            summary = home.cited(line.citation, user_id="me").summary_text
            assert summary in line.text


def test_a_cited_turn_is_shown_to_its_user_alone(home: Memory) -> None:
    answer = home.ask("Where are the passports?", user_id="me")
    [said, *_] = [cited for cited in answer.citations if isinstance(cited, TurnCitation)]
    with pytest.raises(NotInMemory, match="turn"):
        home.cited(said, user_id="you")
    with pytest.raises(InputError):
        home.cited(said)


def test_no_conversation_is_read_unless_a_user_is_named(home: Memory) -> None:
    assert not any(hit.event.turn for hit in home.search("passports in the blue folder", limit=50))
    assert not any("passports" in hit.event.summary_text for hit in home.search("passports", limit=50))


def test_no_user_finds_turns_of_another(home: Memory) -> None:
    for user, words in (("me", "stranger"), ("you", "folder")):
        found = home.search("passports", user_id=user, limit=50)
        assert found and not any(words in hit.event.summary_text for hit in found)
    assert not any(hit.event.turn for hit in home.search("passports", user_id="nobody", limit=50))


def test_a_named_session_is_the_only_one_read(home: Memory) -> None:
    found = home.search("Thursday dentist", user_id="me", sessions=["monday"], limit=50)
    assert [hit.event.summary_text for hit in found] == ["Annie: The dentist called: Thursday is cancelled."]
    with pytest.raises(InputError, match="needs a user"):
        home.search("Thursday", sessions=["monday"])


def test_a_person_filter_bounds_the_speaker(home: Memory) -> None:
    found = home.search("Thursday dentist appointment", user_id="me", sessions=["sunday"], persons=["Ben"], limit=50)
    assert found and {hit.event.turn.actor for hit in found if hit.event.turn} == {"Ben"}


@pytest.mark.parametrize("where", ["ask", "search", "context"])
def test_an_unknown_person_or_session_of_a_user_is_said_with_the_nearest_names(home: Memory, where: str) -> None:
    for bounds, near in (({"persons": ["Anny"]}, "annie"), ({"sessions": ["munday"]}, "monday")):
        with pytest.raises(NotInMemory) as unknown:
            getattr(home, where)("What was said of the dentist?", user_id="me", **bounds)
        assert "did you mean " in unknown.value.hint and near in unknown.value.hint
    with pytest.raises(NotInMemory, match="zoe") as unknown:
        getattr(home, where)("What was said of the passports?", user_id="me", persons=["Zoe"])
    assert "zoe" not in unknown.value.hint, "she speaks to another user"


def test_all_turns_of_a_person_are_searched(home: Memory) -> None:
    """Turns without a word of the question are searched too; only the dense index finds those."""
    talk = [("Lea", "I adopted a kitten from the shelter.")] + [("Lea", f"Number {n} is done.") for n in range(60)]
    _notify(home, "many", "s", talk)
    found = home.search("Who got a young cat?", user_id="many", persons=["Lea"], limit=5)
    assert found[0].event.turn and found[0].event.turn.number == 0


def test_later_turns_never_reach_an_answer(home: Memory) -> None:
    """as_of: turns said by then; known_at: turns stored by then."""
    then = MORNING + timedelta(minutes=4, seconds=30)
    found = home.search("dentist passports Thursday Lisbon", user_id="me", as_of=then, limit=50)
    turns = [hit.event.turn for hit in found if hit.event.turn]
    assert turns and all(turn.session_id == "sunday" and turn.number <= 4 for turn in turns)
    before = datetime(2020, 1, 1, tzinfo=UTC)
    assert not home.search("dentist passports", user_id="me", known_at=before, limit=50)
    spoken = home.search("dentist", user_id="me", since=MORNING + timedelta(days=1), sessions=["monday", "sunday"])
    assert [hit.event.turn.session_id for hit in spoken if hit.event.turn] == ["monday"]


def test_a_linked_speaker_and_person_share_their_evidence(home: Memory) -> None:
    def seen() -> set[str]:
        found = home.search("What did Annie do?", user_id="me", limit=50, all=True)
        return {name for hit in found if not hit.event.turn and "named" in hit.ranks for name in hit.event.persons}

    person = home.videos() and next(hit for hit in home.search("Anna", limit=5) if "Anna" in hit.event.persons)
    assert person
    assert "Anna" not in seen()
    home.tie("Annie", "Anna", user_id="me")
    assert "Anna" in seen()
    home.untie("Annie", "Anna", user_id="me")
    assert "Anna" not in seen()
    with pytest.raises(NotInMemory):
        home.untie("Annie", "Anna", user_id="me")
    with pytest.raises(NotInMemory):
        home.tie("Nobody", "Anna", user_id="me")
    with pytest.raises(NotInMemory):
        home.tie("Annie", "Anna", user_id="you")


def test_equal_names_are_linked_until_unlinked(home: Memory) -> None:
    _notify(home, "third", "s", [("Anna", "I hid the spare key."), ("Anna", "Behind the clock.")])
    home.untie("Anna", "Anna", user_id="third")
    _notify(home, "third", "s", [("Anna", "And the ladder is in the shed.")], day=2)
    with pytest.raises(NotInMemory):
        home.untie("Anna", "Anna", user_id="third")


def test_a_forgotten_turn_is_not_found_by_an_open_index(home: Memory, tmp_path: Path) -> None:
    _notify(home, "leaving", "s", [("Kim", "The safe opens with seven one four."), ("Kim", "Good night.")])
    assert home.search("safe", user_id="leaving", limit=5)[0].event.turn
    gone = home.forget(user_id="leaving")
    assert (gone.episodes, gone.vectors) == (2, 2)
    assert not any(hit.event.turn for hit in home.search("safe opens", user_id="leaving", limit=50))


def test_a_turn_that_asks_the_same_is_no_answer(home: Memory) -> None:
    """An assistant is asked, and asks memory the same: it must not hear its user's question as the answer."""
    asked = [
        ("user", "My sister Clara lives in Berlin."),
        ("user", "Where does my sister live?"),
        ("user", "Hi! Where does my brother live?"),
    ]
    _notify(home, "asker", "talk", asked)
    answer = home.ask("Where does my sister live?", user_id="asker")
    assert _cited(answer) == [("talk", 0, "user")]
    assert not home.ask("Where does my cousin Theo live?", user_id="asker").found
    _notify(home, "asker", "later", [("user", "Where does my cousin Theo live?")], day=1)
    assert not home.ask("Where does my cousin Theo live?", user_id="asker").found, "to have been asked is not to know"
    hits = home.search("my brother", user_id="asker", all=True)
    found = [hit.event.turn.number for hit in hits if hit.event.turn]
    assert 2 in found, "search lists it"


def test_a_day_bounds_turns_by_when_they_were_said_and_what_they_tell_of(home: Memory) -> None:
    """Where none is, the answer says so."""
    told = [
        ("2023-03-18T10:00:00+01:00", "I bought a red bike."),
        ("2023-03-20T10:00:00+01:00", "I planted an apple tree yesterday."),
        ("2023-04-02T10:00:00+02:00", "I sold the old tent."),
    ]
    turns = [{"actor": "gardener", "content": words, "at": at} for at, words in told]
    home.remember(turns, user_id="gardener", session_id="spring")
    as_of = datetime.fromisoformat("2023-04-03T09:00:00+02:00")

    def said(question: str) -> Answer:
        return home.ask(question, user_id="gardener", sessions=["spring"], as_of=as_of)

    assert "apple tree" in said("What did I do on 19 March 2023?").text
    assert "tent" in said("What did I sell yesterday?").text
    hits = home.search(
        "the bike, the tree and the tent in March", user_id="gardener", sessions=["spring"], as_of=as_of
    )
    assert len(hits) == 2 and not any("tent" in hit.event.summary_text for hit in hits)
    assert not said("What have I sold today?").found
    nothing = said("What did I buy on 25 March 2023?")
    assert not nothing.found and nothing.text.startswith("Nothing in memory fits that time.")


def test_days_are_those_of_the_camera_and_of_the_user(neo4j_connection: Connection, tmp_path: Path) -> None:
    """A clip's own zone counts, else that of the call, else that of its place or user, else the setting."""
    settings = load(
        neo4j_uri=neo4j_connection.uri,
        neo4j_username=neo4j_connection.username,
        neo4j_password=neo4j_connection.password,
        data_dir=tmp_path,
        group=f"test-{uuid4()}",
        timezone="Europe/Berlin",
        place_timezones={"yard": "Asia/Tokyo"},
        user_timezones={"mia": "Asia/Tokyo"},
    )

    def clip(name: str, **more: str) -> str:
        event = {"time_start": 1, "time_end": 4, "summary": f"A fox digs in the {name}."}
        analysis = {"clip_summary": "", "characters": [], "events": [event]}
        begun = {"recorded_at": "2026-10-22T20:00:00+00:00"}
        table = {
            "video_id": name,
            "clip_id": "1",
            "t_start": 0,
            "t_end": 5,
            "recorded_at": begun,
            "analysis": analysis,
        }
        return json.dumps(table | begun | more)

    with Memory.open(settings) as memory:
        memory.ingest_lines([clip("hall"), clip("shed", place="yard"), clip("own", place="yard", timezone="UTC")])
        memory.ingest_lines([clip("boat", place="yard")], timezone="Europe/Lisbon")
        for day, cameras in (("22", {"hall", "own", "boat"}), ("23", {"shed"})):
            found = memory.ask(f"What happened on {day} October 2026?")
            assert {hit.event.video_id for hit in found.evidence} == cameras, found.text
        memory.remember(["I bought a kite."], user_id="mia", session_id="s")
        assert "UTC+09:00" in memory.ask("What did I buy?", user_id="mia").text
