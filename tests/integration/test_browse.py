"""Looking up nodes: each once, in order, in the group alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.event import ComposedClip, EventDraft, Involvement, Use
from amr_neo4j.domain.page import Page, PageRequest
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.domain.views import NOW, Then
from amr_neo4j.errors import NotInMemory
from amr_neo4j.store.database import Database
from amr_neo4j.store.read.browse import Browse
from amr_neo4j.store.write.clip_writer import ClipWriter

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ALL = PageRequest.of(100, "", "videos")


@pytest.fixture(scope="module")
def house(database: Database) -> tuple[Browse, list[int]]:
    """Anna speaks and acts, then opens and closes a door; a girl without a name is in each of two videos."""
    group = f"test-{uuid4()}"
    both = (Involvement("anna", "speaker"), Involvement("anna", "actor"))
    door = (Use(0, "door", "open", to_state="open"), Use(1, "door", "close", to_state="closed"))
    girl = {video_id: (Involvement("girl", "actor", scope=video_id),) for video_id in "vw"}
    first = EventDraft(0, 5.0, 6.0, "first", involvements=(*both, *girl["v"]))
    then = EventDraft(1, 7.0, 9.0, "then", involvements=(*both[1:], *girl["v"]), uses=door)
    elsewhere = EventDraft(0, 1.0, 2.0, "elsewhere", involvements=girl["w"])
    writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: NOON)
    ids: list[int] = []
    for video_id, drafts in {"v": (first, then), "w": (elsewhere,)}.items():
        analysis = ClipAnalysis(clip_summary="", events=())
        source = AnalysedClip(Video(group, video_id), Clip("c", 0.0, 10.0), analysis, "test", "sha")
        [receipt] = writer.commit([ComposedClip(source, drafts)], np.ones((len(drafts), 4), np.float32), "m")
        ids += receipt.node_ids
    return Browse(database, group), ids


def test_a_person_with_several_roles_is_listed_once_per_event(house: tuple[Browse, list[int]]) -> None:
    browse, (first, then, _) = house
    [anna] = browse.persons("anna", 10)
    assert (anna.scope, anna.times) == ("", 2)
    assert [(e.node_id, e.roles) for e in anna.events] == [(first, ("actor", "speaker")), (then, ("actor",))]
    assert [e.node_id for e in browse.persons("anna", 1)[0].events] == [first]


def test_a_description_is_a_separate_person_in_each_video(house: tuple[Browse, list[int]]) -> None:
    browse, _ = house
    assert [(row.scope, row.times) for row in browse.persons("girl", 10)] == [("v", 2), ("w", 1)]


def test_an_object_lists_its_actions_in_order(house: tuple[Browse, list[int]]) -> None:
    browse, (_, then, _) = house
    [door] = browse.objects("door", 10)
    assert [(e.node_id, e.verb, e.to_state) for e in door.events] == [
        (then, "open", "open"),
        (then, "close", "closed"),
    ]


def test_lists_of_persons_and_objects_know_no_future(house: tuple[Browse, list[int]]) -> None:
    """At second 6 of a video the door was not opened yet, and nobody was seen in a later event."""
    browse, (first, *_) = house
    asked = PageRequest.of(10, "", "persons")
    assert [(known.person_id, known.events) for known in browse.known_persons(asked, "")] == [
        ("anna", 2),
        ("girl", 2),
        ("girl", 1),
    ]
    then = browse.known_persons(asked, "", Then(as_of=6.0))
    assert [(known.person_id, known.events, known.last_event == first) for known in then] == [
        ("anna", 1, True),
        ("girl", 1, True),
        ("girl", 1, False),
    ]
    assert not browse.known_persons(asked, "", Then(known_at=NOON - timedelta(1)))
    assert [known.state for known in browse.known_objects(asked, "")] == ["closed"]
    assert not browse.known_objects(asked, "", Then(as_of=6.0))


@pytest.fixture
def talk(database: Database) -> Callable[..., Browse]:
    """Writes a clip for each list of involvements, ten seconds each, one event in each, and opens the group."""

    def written(*clips: list[Involvement]) -> Browse:
        group = f"test-{uuid4()}"
        writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=lambda: NOON)
        for n, parts in enumerate(clips):
            analysis = ClipAnalysis(clip_summary="", events=())
            clip = Clip(f"c{n}", 10.0 * n, 10.0 * n + 10)
            source = AnalysedClip(Video(group, "v"), clip, analysis, "test", f"sha{n}")
            draft = EventDraft(0, clip.t_start, clip.t_end, f"event {n}", involvements=tuple(parts))
            list(writer.commit([ComposedClip(source, (draft,))], np.ones((1, 4), np.float32), "m"))
        return Browse(database, group)

    return written


def listed(browse: Browse, then: Then = NOW) -> list[str]:
    found = [known.person_id for known in browse.known_persons(PageRequest.of(10, "", "persons"), "", then)]
    if then == NOW:
        assert browse.stats().persons == len(found)
    return sorted(found)


def test_a_name_that_is_only_said_is_no_person_until_somebody_has_it(talk: Callable[..., Browse]) -> None:
    told, addressed = (Involvement("ana", "mentioned", evidence=how) for how in ("told", "addressed"))
    anna = Involvement("anna", "speaker")
    assert listed(talk([anna, told], [anna, told])) == ["anna"]
    assert listed(talk([anna, addressed], [anna, told])) == ["anna"]
    assert listed(talk([anna, addressed], [anna, addressed])) == ["ana", "anna"]
    assert listed(talk([anna, told], [Involvement("ana", "mentioned")])) == ["ana", "anna"]
    browse = talk([anna, told], [Involvement("ana", "actor")])
    assert listed(browse) == ["ana", "anna"]
    assert listed(browse, Then(as_of=10.0)) == ["anna"], "of what comes later nothing is told"
    assert browse.persons("ana", 10)[0].times == 2, "what is said of somebody is found"


def test_counts_by_person_are_of_those_who_are_listed(talk: Callable[..., Browse]) -> None:
    parts = [Involvement("anna", "speaker"), Involvement("ana", "mentioned", evidence="told")]
    browse = talk(parts, parts)
    assert [(each.name, each.events) for each in browse.counts("person", UTC, PageRequest.of(10, "", "c"))] == [
        ("anna", 2)
    ]


def test_the_names_of_several_in_one_are_no_further_person(talk: Callable[..., Browse]) -> None:
    ana, ben, both = (Involvement(who, "mentioned") for who in ("ana", "ben", "ana_ben"))
    assert listed(talk([ana, ben, both])) == ["ana", "ana_ben", "ben"], "neither was ever there"
    there = [Involvement("ana", "actor"), Involvement("ben", "speaker")]
    assert listed(talk([*there, both])) == ["ana", "ben"]
    assert listed(talk([there[0], both])) == ["ana", "ana_ben"], "Ana may have two names"
    assert listed(talk([*there, both], [Involvement("ana_ben", "actor")])) == ["ana", "ana_ben", "ben"]


def test_videos_know_no_future(house: tuple[Browse, list[int]]) -> None:
    browse, (first, then, _) = house
    asked = PageRequest.of(10, "", "videos")
    assert [(v.video_id, v.clips, v.events) for v in browse.videos(asked, Then(as_of=6.0))] == [
        ("v", 0, 1),
        ("w", 0, 1),
    ]
    assert [event.node_id for event in browse.video("v", PageRequest(10), then=Then(as_of=6.0)).timeline] == [first]
    assert [event.node_id for event in browse.video("v", PageRequest(10), then=Then(known_at=NOON)).timeline] == [
        first,
        then,
    ]
    early = Then(known_at=NOON - timedelta(1))
    assert not browse.videos(asked, early)
    for look in (browse.video, browse.transcript):
        with pytest.raises(NotInMemory, match=r"is not in group .* by then") as absent:
            look("v", then=early)
        assert "did you mean v" not in absent.value.hint
    page = browse.videos(PageRequest.of(1, "", "videos"))
    assert (page[0].video_id, page.total) == ("v", 2)
    assert [v.video_id for v in browse.videos(PageRequest.of(1, page.next or "", "videos"))] == ["w"]


def test_a_span_of_a_video_is_read_to_its_end_page_by_page(house: tuple[Browse, list[int]]) -> None:
    """What the limit leaves out can be gone on to, also where only a span is asked for."""
    browse, (first, then, _) = house
    page = browse.video("v", PageRequest.of(1, "", "video"), since=1.0)
    assert [event.node_id for event in page.timeline] == [first] and page.next
    rest = browse.video("v", PageRequest.of(1, page.next, "video"), since=1.0)
    assert [event.node_id for event in rest.timeline] == [then] and rest.next is None
    assert browse.video("v", PageRequest.of(1, "", "video"), until=6.0).next is None


def test_a_page_behind_the_end_and_an_empty_page_know_the_total(house: tuple[Browse, list[int]]) -> None:
    browse, _ = house
    lists: dict[str, Callable[[PageRequest], Page[Any]]] = {
        "videos": browse.videos,
        "persons": lambda asked: browse.known_persons(asked, ""),
        "objects": lambda asked: browse.known_objects(asked, ""),
        "counts": lambda asked: browse.counts("person", UTC, asked),
        "clips": lambda asked: browse.clips("c", None, asked),
        "person": lambda asked: browse.persons("girl", 1, asked),
        "object": lambda asked: browse.objects("door", 1, asked),
        "lifecycle": lambda asked: browse.lifecycle("door", asked),
        "groups": browse.groups,
    }
    for name, asked_for in lists.items():
        whole = asked_for(PageRequest(1000))
        assert whole.total == len(whole) > 0 and whole.next is None, name
        for asked in (PageRequest(5, 10_000), PageRequest(0)):
            page = asked_for(asked)
            assert (list(page), page.total, page.next) == ([], whole.total, None), (name, asked)
        parts = [each for start in range(len(whole) + 1) for each in asked_for(PageRequest(1, start))]
        assert parts == list(whole), name


def test_an_event_shows_its_relationships(house: tuple[Browse, list[int]]) -> None:
    browse, (first, then, _) = house
    event = browse.event(then)
    assert [(part.person, part.role) for part in event.people] == [("anna", "actor"), ("girl", "actor")]
    assert [use.verb for use in event.uses] == ["open", "close"]
    assert [(e.channel, e.src, e.dst, e.time_gap) for e in event.edges] == [("TEMPORAL", first, then, 1.0)]


def test_clips_videos_and_counts(house: tuple[Browse, list[int]]) -> None:
    browse, ids = house
    assert [clip.video_id for clip in browse.clips("c")] == ["v", "w"]
    [clip] = browse.clips("c", "v")
    assert [event.node_id for event in clip.events] == ids[:2] and clip.committed_at == NOON
    assert [(v.video_id, v.events, v.seen_until) for v in browse.videos(ALL)] == [
        ("v", 2, 10.0),
        ("w", 1, 10.0),
    ]
    stats = browse.stats()
    assert (stats.videos, stats.clips, stats.events, stats.persons, stats.objects) == (2, 2, 3, 3, 1)
    assert stats.channels == {"TEMPORAL": 1} and stats.merged == 0


def test_no_group_sees_another(house: tuple[Browse, list[int]], database: Database, group_id: str) -> None:
    _, (first, *_) = house
    stranger = Browse(database, group_id)
    looks = [
        lambda: stranger.event(first),
        lambda: stranger.clips("c"),
        lambda: stranger.video("v"),
        lambda: stranger.persons("anna", 5),
        lambda: stranger.objects("door", 5),
        lambda: stranger.lifecycle("door"),
    ]
    for look in looks:
        with pytest.raises(NotInMemory, match=group_id):
            look()
    assert stranger.videos(ALL) == [] and stranger.stats().events == 0 and stranger.group() is None
