"""The reads of recall: events are found by their words, within the scope and in order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.event import Action, Channel, ComposedClip, Event, EventDraft, Involvement, Use
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Margin, Scope
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.errors import InputError
from amr_neo4j.store.database import Database, Row
from amr_neo4j.store.full_text import event_tokens, queries
from amr_neo4j.store.read.browse import Browse
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.write.clip_writer import ClipWriter
from tests.support.analyses import ODD_TEXT
from tests.support.examples import examples

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SYNTAX = [
    "AND",
    "OR",
    "NOT",
    "AND OR NOT",
    "the of",
    "*",
    "a*",
    "?",
    "~2",
    "^3",
    "a^",
    "[a TO b]",
    "{",
    '"',
    '"a',
    "\\",
    "(",
    "+",
    "--",
]
FAR_TOO_MUCH = [
    "word " * 20_000,
    "a" * 100_000,
    "鍵" * 100_000,
    "?!" * 50_000,
    " ".join(f"w{n}" for n in range(15_000)),
]

texts = st.text(max_size=40) | st.sampled_from(ODD_TEXT)
typed = texts | st.lists(st.sampled_from([*SYNTAX, "keys", " ", ":", "/"]), max_size=12).map("".join)


@pytest.fixture(scope="module")
def reader(database: Database) -> EventReader:
    return EventReader(database, language="en")


class Graph:
    """Writes events into groups and knows their ids."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clips = 0

    def write(self, video: Video, *events: EventDraft, language: str = "en") -> list[int]:
        """One clip of a hundred seconds with these events."""
        self._clips += 1
        clip = Clip(f"c{self._clips}", 0.0, 100.0, uri="file:///film.mp4")
        source = AnalysedClip(video, clip, ClipAnalysis(clip_summary="", events=()), "test", f"sha-{self._clips}")
        writer = ClipWriter(self._database, jump_gap_sec=30.0, language=language, now=lambda: NOON)
        [receipt] = writer.commit([ComposedClip(source, events)], np.ones((len(events), 4), np.float32), "m")
        assert receipt.outcome == "committed", receipt
        return list(receipt.node_ids)

    def write_summaries(self, video: Video, *summaries: str, language: str = "en") -> list[int]:
        """Events with these summaries, a second each."""
        return self.write(video, *(said(n, text) for n, text in enumerate(summaries)), language=language)


@pytest.fixture(scope="module")
def graph(database: Database) -> Graph:
    return Graph(database)


def said(start: float, text: str, **rest: object) -> EventDraft:
    return EventDraft(int(start), float(start), start + 0.5, text, **rest)


def ids(found: Sequence[tuple[int, float]]) -> list[int]:
    return [node_id for node_id, _ in found]


# --- events


drafts = st.builds(
    EventDraft,
    ordinal=st.integers(0, 50),
    time_start=st.integers(0, 10**5).map(lambda ms: ms / 1000),
    time_end=st.integers(10**5, 10**8).map(lambda ms: ms / 1000),
    summary_text=texts,
    dialogue_snippets=st.lists(texts, max_size=3).map(tuple),
    persons=st.lists(texts, max_size=3).map(tuple),
    objects=st.lists(texts, max_size=3).map(tuple),
    scene_type=texts,
    actions=st.lists(st.builds(Action, texts, texts, texts, texts), max_size=2).map(tuple),
    at=st.none() | st.datetimes(datetime(1800, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC)),
)


@examples(push=10, soak=300)
@given(draft=drafts, video_id=st.text(min_size=1, max_size=20))
@example(draft=EventDraft(0, 0.0, 1.0, "", at=datetime(1969, 1, 1, 0, 0, 0, 1000, UTC)), video_id="v")
@example(draft=EventDraft(0, 0.0, 1.0, "", at=datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)), video_id="v")
def test_an_event_comes_back_as_it_was_written(
    draft: EventDraft, video_id: str, graph: Graph, reader: EventReader
) -> None:
    """Every field of an event survives the graph, whatever text is in it; wall clocks in UTC."""
    group = f"test-{uuid4()}"
    [node_id] = graph.write(Video(group, video_id), draft)
    [event] = reader.events([node_id], Scope(group))
    assert event == Event(
        node_id=node_id,
        group_id=group,
        video_id=video_id,
        clip_ids=event.clip_ids,
        uri="file:///film.mp4",
        **{name: getattr(draft, name) for name in Event.__dataclass_fields__ if hasattr(draft, name)},
    )
    assert len(event.clip_ids) == 1


def test_events_are_returned_in_the_requested_order(graph: Graph, reader: EventReader, group_id: str) -> None:
    there = graph.write_summaries(Video(group_id, "v"), "one", "two", "three")
    elsewhere = graph.write_summaries(Video(f"{group_id}-other", "v"), "four")
    other_film = graph.write_summaries(Video(group_id, "w"), "five")
    asked = [there[2], elsewhere[0], there[0], 2**62, other_film[0], there[2]]
    found = reader.events(asked, Scope(group_id, ("v",)))
    assert [event.summary_text for event in found] == ["three", "one", "three"]
    assert reader.events([], Scope(group_id)) == []


def test_what_lies_around_an_event_is_read_within_the_scope(graph: Graph, reader: EventReader, group_id: str) -> None:
    film = Video(group_id, "film")
    whole = graph.write(film, EventDraft(0, 0.0, 95.0, "the whole clip"))
    there = graph.write(film, *(said(second, f"at {second}") for second in range(10, 60, 5)))
    graph.write(Video(group_id, "other"), said(30, "elsewhere"))
    graph.write(Video(f"{group_id}-other", "film"), said(30, "another group"))
    [at_30] = reader.events([there[4]], Scope(group_id))

    def around(scope: Scope) -> list[int]:
        return sorted(event.node_id for event in reader.around([at_30], Margin(5.0, 10.0, 0), scope))

    # 25 ends within five seconds before, 40 begins within ten seconds after.
    assert around(Scope(group_id)) == sorted([*whole, *there[3:7]])
    assert around(Scope(group_id, as_of=36.0)) == there[3:6]
    assert around(Scope(group_id, ("other",))) == []
    assert sorted(e.node_id for e in reader.around([at_30, at_30], Margin(0.0, 0.0, 0), Scope(group_id))) == sorted(
        [*whole, there[4]]
    )


# --- full text


@pytest.fixture(scope="module")
def kitchen(graph: Graph) -> Scope:
    scope = Scope(f"test-{uuid4()}")
    graph.write_summaries(
        Video(scope.group_id, "v"), "Anna puts the keys into the drawer.", "Ben washes the mug.", *ODD_TEXT
    )
    return scope


@examples(push=12, soak=400)
@given(text=typed, language=st.sampled_from(["en", "de"]))
@example(text="AND OR NOT", language="en")
@example(text=FAR_TOO_MUCH[0], language="en")
@example(text=FAR_TOO_MUCH[1], language="de")
@example(text=FAR_TOO_MUCH[2], language="en")
@example(text=FAR_TOO_MUCH[3], language="en")
@example(text=FAR_TOO_MUCH[4], language="de")
def test_no_text_is_a_syntax_error(text: str, language: str, kitchen: Scope, database: Database) -> None:
    """Lucene accepts any text. What it finds has scores above 0, comes best first and keeps to the limit."""
    found = EventReader(database, language=language).full_text(text, kitchen, 5)
    scores = [score for _, score in found]
    assert len(found) <= 5 and scores == sorted(scores, reverse=True) and all(score > 0 for score in scores)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    ("written", "question"),
    [
        ("Anna puts the keys into the drawer.", """what's in "the/drawer"? (a:b)"""),
        ("Anna puts the keys into the drawer.", "Where are ANNA's things?"),
        ("She can't find it.", "can't"),
        ("It is 3.14 at 12:30.", "3.14"),
        ("Er geht über die Straße.", "STRAßE Straße"),
        ("鍵は引き出しの中にあります", "鍵はどこですか"),
        ("Кошка сидит на окне", "где кошка?"),
        ("लड़का हिन्दी बोलता है", "हिन्दी"),
        ("הַכֶּלֶב רץ", "הַכֶּלֶב"),
        ("The 😀 cup falls.", "😀"),
        ("She says AND OR NOT aloud.", "aloud AND NOT"),
    ],
)
def test_words_are_found(
    language: str, written: str, question: str, graph: Graph, database: Database, group_id: str
) -> None:
    node_ids = graph.write_summaries(Video(group_id, "v"), "Something else happens.", written, language=language)
    found = EventReader(database, language=language).full_text(question, Scope(group_id), 5)
    assert ids(found)[:1] == node_ids[1:]


def test_a_query_of_stop_words_finds_nothing(reader: EventReader, kitchen: Scope) -> None:
    """Without a word, the query would require the scope alone, and so find every event."""
    assert reader.full_text("the of it", kitchen, 5) == []
    assert reader.full_text("?!", kitchen, 5) == []


def test_an_inflected_word_is_found_in_english(graph: Graph, reader: EventReader, group_id: str) -> None:
    graph.write_summaries(Video(group_id, "v"), "Anna washes the mugs.")
    assert len(reader.full_text("washing a mug", Scope(group_id), 5)) == 1


def test_dialogue_persons_and_objects_are_searched(graph: Graph, reader: EventReader, group_id: str) -> None:
    parts = {"dialogue_snippets": ("Anna: lemonade",), "persons": ("Zebulon",), "objects": ("sextant",)}
    [node_id] = graph.write(Video(group_id, "v"), said(0, "x", **parts))
    for word in ("lemonade", "Zebulon", "sextant"):
        assert ids(reader.full_text(word, Scope(group_id), 5)) == [node_id]


@examples(push=9, soak=250)
@given(text=typed)
@example(text="keys")
@example(text="g00000000000000000000 scope_text")
def test_groups_never_see_each_other(
    text: str, reader: EventReader, two_groups: dict[str, dict[str, set[int]]]
) -> None:
    """The same words in two groups and two videos: a search finds those of its scope alone."""
    for group, of_video in two_groups.items():
        assert {*ids(reader.full_text(text, Scope(group), 50))} <= of_video["v"] | of_video["w"]
        assert {*ids(reader.full_text(text, Scope(group, ("w",)), 50))} <= of_video["w"]


@pytest.fixture(scope="module")
def two_groups(graph: Graph) -> dict[str, dict[str, set[int]]]:
    texts = ["Anna puts the keys into the drawer.", *ODD_TEXT]
    groups = [f"test-{uuid4()}", f"test-{uuid4()}"]
    return {group: {v: {*graph.write_summaries(Video(group, v), *texts)} for v in ("v", "w")} for group in groups}


def test_a_search_in_one_video_finds_its_events(reader: EventReader, two_groups: dict) -> None:
    group, of_video = next(iter(two_groups.items()))
    assert len(reader.full_text("keys", Scope(group), 50)) == 2
    [found] = ids(reader.full_text("keys", Scope(group, ("w",)), 50))
    assert found in of_video["w"]


def test_a_scope_may_name_more_videos_than_lucene_allows_clauses(reader: EventReader, two_groups: dict) -> None:
    group = next(iter(two_groups))
    many = tuple(f"absent-{n}" for n in range(1500))
    scattered = Scope(group, (*many[:700], "w", *many[700:], "v"))
    for limit in (1, 50):
        found = ids(reader.full_text("keys in the drawer", scattered, limit))
        assert found == ids(reader.full_text("keys in the drawer", Scope(group), limit)) and len(found) == min(
            limit, 2
        )


def test_the_scope_does_not_change_the_ranking(
    graph: Graph, reader: EventReader, database: Database, group_id: str
) -> None:
    """Scores depend on the words alone: the scope's tokens are required and have no weight."""
    people = (Involvement("anna", "actor"),)
    words = [
        "keys",
        "keys drawer",
        "keys drawer keys",
        "a long tale of keys and what became of them",
        "drawer",
        "mug",
    ]
    graph.write(Video(group_id, "v"), *(said(n, text, involvements=people[: n % 2]) for n, text in enumerate(words)))
    [query] = queries("keys drawer", event_tokens(Scope(group_id)))
    unscoped = query[query.index(" +(") + 1 :]
    rows = database.driver.execute_query(
        "CALL db.index.fulltext.queryNodes('amr_event_text', $query) YIELD node, score "
        "WHERE node.group_id = $group_id RETURN node.node_id AS node_id, score ORDER BY score DESC, node_id",
        query=unscoped,
        group_id=group_id,
    ).records
    assert reader.full_text("keys drawer", Scope(group_id), 50) == [
        (row["node_id"], pytest.approx(row["score"], rel=0.05)) for row in rows
    ]
    assert len(rows) == 5


def test_a_small_tenant_is_found_among_a_large_one(graph: Graph, reader: EventReader, group_id: str) -> None:
    """Ten events among two thousand with higher scores: Lucene ranks within the scope, not before it."""
    large = Video(f"{group_id}-large", "v")
    for _ in range(10):
        graph.write_summaries(large, *["Keys, keys and keys."] * 200)
    mine = graph.write_summaries(
        Video(group_id, "v"), *["Somewhere in a long summary of the day the keys are mentioned, once."] * 10
    )
    assert {*ids(reader.full_text("keys", Scope(group_id), 50))} == {*mine}
    assert len(reader.full_text("keys", Scope(large.group_id), 50)) == 50


def test_a_group_that_holds_the_best_of_all_groups_is_asked_for_without_its_token(
    database: Database, graph: Graph, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hits are those that the token gives, and others' are never among them."""
    word = f"zz{uuid4().hex}"
    mine = graph.write_summaries(Video(group_id, "v"), *[f"{word} {'on ' * n}" for n in range(8)])
    graph.write_summaries(
        Video(f"{group_id}-other", "v"), f"keys for {word} and a long tale of what became of it all"
    )
    sent = spied(database, monkeypatch)
    reader = EventReader(database, language="en")
    best = reader.full_text(word, Scope(group_id), 5)
    assert "scope_text" not in sent.pop() and not sent
    reader = EventReader(database, language="en")
    assert ids(reader.full_text(word, Scope(group_id), 50)) == mine
    assert ["scope_text" in query for query in sent] == [False, True], "nine are found, and one is another group's"
    sent.clear()
    assert best == reader.full_text(word, Scope(group_id, ("v",)), 5)
    assert "scope_text" in sent.pop()


def test_a_group_whose_hits_others_crowd_out_is_soon_asked_for_with_its_token_alone(
    database: Database, graph: Graph, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = f"zz{uuid4().hex}"
    graph.write_summaries(Video(f"{group_id}-large", "v"), *[f"{word} {word}"] * 30)
    mine = graph.write_summaries(Video(group_id, "v"), *[f"the {word} in a long tale of what became of it"] * 10)
    sent = spied(database, monkeypatch)
    reader = EventReader(database, language="en")
    for questions in range(1, 8):
        assert {*ids(reader.full_text(word, Scope(group_id), 20))} == {*mine}
        assert len(sent) == questions + min(questions, 3)


def test_few_hits_say_nothing_of_a_group_s_part_in_the_graph(
    database: Database, graph: Graph, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = f"zz{uuid4().hex}"
    graph.write_summaries(Video(f"{group_id}-large", "v"), *[f"{word} {word}"] * 3)
    mine = graph.write_summaries(Video(group_id, "v"), f"the {word} in a long tale of what became of it")
    sent = spied(database, monkeypatch)
    reader = EventReader(database, language="en")
    for questions in range(1, 8):
        assert ids(reader.full_text(word, Scope(group_id), 20)) == mine
        assert len(sent) == 2 * questions


def test_hits_that_are_left_out_as_they_are_just_being_deleted_hide_no_others(
    database: Database, graph: Graph, group_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best hits of all groups are of another group, which is being forgotten; none of them is returned."""
    word, read = f"zz{uuid4().hex}", database.read
    mine = graph.write_summaries(Video(group_id, "v"), word)

    def with_none_of_all(name: str, /, **params: Any) -> list[Row]:
        is_of_all = name == "recall/full_text" and "scope_text" not in params["query"]
        return [{"found": 0, "inside": []}] if is_of_all else read(name, **params)

    monkeypatch.setattr(database, "read", with_none_of_all)
    assert ids(EventReader(database, language="en").full_text(word, Scope(group_id), 5)) == mine


def spied(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The Lucene queries that will be sent."""
    sent, read = list[str](), database.read

    def noted(name: str, /, **params: Any) -> list[Row]:
        if name == "recall/full_text":
            sent.append(params["query"])
        return read(name, **params)

    monkeypatch.setattr(database, "read", noted)
    return sent


# --- edges, people and objects


@pytest.fixture(scope="module")
def house(graph: Graph) -> tuple[str, list[int]]:
    """Two films: Anna opens a door, comes back to it after a minute; Ben is in the other film."""
    group = f"test-{uuid4()}"
    anna, ben = (Involvement("anna", "actor"),), (Involvement("ben", "actor"), Involvement("ben", "speaker"))
    door = (Use(0, "door", "open", to_state="open", state_kind="open"), Use(1, "door", "close", to_state="closed"))
    first = graph.write(
        Video(group, "v"),
        said(0, "zero", involvements=anna, uses=door),
        said(1, "one", uses=(Use(0, "cup"),)),
        said(60, "sixty", involvements=anna, uses=door[:1]),
    )
    return group, [*first, *graph.write(Video(group, "w"), said(5, "five", involvements=ben, uses=(Use(0, "cup"),)))]


def test_neighbours_are_found_in_both_directions_over_the_requested_channels(house, reader: EventReader) -> None:
    group, (zero, one, sixty, five) = house
    edges = {(Channel.TEMPORAL, zero, one), (Channel.TEMPORAL, one, sixty), (Channel.ENTITY_JUMP, zero, sixty)}
    edges.add((Channel.OBJECT_LIFECYCLE, zero, sixty))
    for node_id in (zero, one, sixty, five):
        for channels in ([Channel.TEMPORAL], [Channel.ENTITY_JUMP, Channel.OBJECT_LIFECYCLE], list(Channel), []):
            found = reader.neighbours([node_id], channels, Scope(group))
            expected = {edge for edge in edges if edge[0] in channels and node_id in edge[1:]}
            assert {(edge.channel, edge.src, edge.dst) for edge in found} == expected
            assert len(found) == len(expected)
    assert len(reader.neighbours([zero, one, sixty], list(Channel), Scope(group))) == len(edges), "each edge once"


def test_neighbours_stay_in_scope(house, reader: EventReader) -> None:
    group, (zero, *_) = house
    assert reader.neighbours([zero], list(Channel), Scope("nobody")) == []
    assert reader.neighbours([zero], list(Channel), Scope(group, ("w",))) == []
    assert reader.neighbours([], list(Channel), Scope(group)) == []


def test_an_edge_has_what_the_words_of_a_path_need(house, reader: EventReader) -> None:
    group, (zero, _, sixty, _) = house
    properties = {
        edge.channel: edge.payload
        for edge in reader.neighbours([zero], list(Channel), Scope(group))
        if edge.dst == sixty
    }
    assert properties[Channel.ENTITY_JUMP] == {"person": "anna"}
    assert properties[Channel.OBJECT_LIFECYCLE] == {"object": "door", "verb": "open"}


def test_events_by_object_and_by_person_are_latest_first(house, reader: EventReader) -> None:
    group, (zero, one, sixty, five) = house
    scope = Scope(group)
    assert reader.by_object("door", scope, 10) == [sixty, zero], "once each, though it was opened and closed"
    assert reader.by_object("door", scope, 1) == [sixty]
    assert reader.by_object("cup", scope, 10) == [five, one]
    assert reader.by_object("cup", Scope(group, ("v",)), 10) == [one]
    assert reader.by_person("anna", scope, 10) == [sixty, zero]
    assert reader.by_person("ben", scope, 10) == [five], "once, though he acts and speaks"
    assert reader.by_person("anna", Scope(group, ("w",)), 10) == reader.by_person("anna", Scope("nobody"), 10) == []


def test_latest_means_the_wall_clock_where_it_is_known(graph: Graph, reader: EventReader, group_id: str) -> None:
    cup = {"uses": (Use(0, "cup"),)}
    evening = Video(group_id, "evening", place="home", recorded_at=NOON + timedelta(hours=6))
    morning = Video(group_id, "morning", place="home", recorded_at=NOON - timedelta(hours=4))
    [late] = graph.write(evening, said(1, "x", **cup))
    [early] = graph.write(morning, said(90, "x", **cup))
    assert reader.by_object("cup", Scope(group_id), 10) == [late, early]


def names(persons: str, objects: str, places: str = "", videos: str = "") -> Names:
    named, things, where, files = (frozenset(words.split()) for words in (persons, objects, places, videos))
    return Names(named, things, places=where, videos=files)


def test_the_vocabulary_is_that_of_the_group_and_of_the_scope(house, reader: EventReader) -> None:
    group, _ = house
    everything = names("anna ben", "cup door")
    assert reader.vocabulary(Scope(group)) == names("anna ben", "cup door", videos="v w")
    assert reader.known(everything, Scope(group)) == everything
    assert reader.known(everything, Scope(group, ("w",))) == names("ben", "cup")
    assert reader.known(names("ben zoe", "door"), Scope(group, ("w",))) == names("ben", "")
    assert reader.vocabulary(Scope("nobody")) == names("", "") == reader.known(everything, Scope("nobody"))


def test_the_vocabulary_includes_later_writes(graph: Graph, reader: EventReader, group_id: str) -> None:
    video = Video(group_id, "v", place="home")
    graph.write(video, said(1, "x", uses=(Use(0, "cup"),)))
    first = reader.vocabulary(Scope(group_id))
    assert first == names("", "cup", "home", "v")
    assert reader.vocabulary(Scope(group_id)) is first, "nothing came"
    graph.write(Video(f"{group_id}-neighbour", "w", place="home"), said(1, "x", uses=(Use(0, "saw"),)))
    graph.write(video, said(2, "x", uses=(Use(0, "lid"),)))
    assert reader.vocabulary(Scope(group_id)) == names("", "cup lid", "home", "v")


# --- invalid queries


def test_values_that_neo4j_cannot_take_are_input_errors(
    database: Database, reader: EventReader, group_id: str
) -> None:
    with pytest.raises(InputError, match="cannot take"):
        reader.by_object("\ud800", Scope(group_id), 5)
    with pytest.raises(InputError, match="cannot take"):
        Browse(database, group_id).event(2**63)
