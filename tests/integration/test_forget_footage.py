"""Forgotten footage leaves the graph that a memory would have which never had it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.event import ComposedClip, EventDraft, Use
from amr_neo4j.domain.forgotten import GroupMarks, Selection, footage_key
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import FailedClip, Video
from amr_neo4j.store.database import Database
from amr_neo4j.store.integrity import Integrity
from amr_neo4j.store.read.digest import digest
from amr_neo4j.store.read.event_reader import EventReader
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.store.write.forgetting import FootageForgetter, Forgetter, sweep
from tests.support.clips import JUMP, NOON, clip_of, commit, event_at, shuffled_clips
from tests.support.merging import commit as merge
from tests.support.merging import merging_on, scene
from tests.support.person_merges import Known, a_few, change_something, merger_of, people_there


@pytest.fixture(scope="module")
def writer(database: Database) -> ClipWriter:
    moments = (NOON + timedelta(seconds=n) for n in count())
    return ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: next(moments))


def forgetter_of(database: Database, group_id: str) -> FootageForgetter:
    return FootageForgetter(database, group_id, JUMP, lambda: NOON + timedelta(days=1))


def group_of(clips: list[ComposedClip]) -> str:
    return clips[0].source.video.group_id


def elsewhere(clips: list[ComposedClip]) -> list[ComposedClip]:
    """The same clips in another group."""
    group_id = f"test-{uuid4()}"
    return [
        replace(clip, source=replace(clip.source, video=replace(clip.source.video, group_id=group_id)))
        for clip in clips
    ]


def hash_of(database: Database, clips: list[ComposedClip]) -> str:
    return digest(database, group_of(clips)).sha256 if clips else digest(database, str(uuid4())).sha256


@a_few
@given(clips=shuffled_clips(), data=st.data())
def test_a_forgotten_video_was_never_there(
    clips: list[ComposedClip], data: st.DataObject, database: Database, writer: ClipWriter
) -> None:
    """The digest is that of a memory that never had it, and doctor finds nothing."""
    gone = data.draw(st.sampled_from(sorted({clip.source.video.video_id for clip in clips})))
    rest = elsewhere([clip for clip in clips if clip.source.video.video_id != gone])
    for each in (clips, rest):
        for clip in each:
            commit(writer, [clip])
    forgetter = forgetter_of(database, group_of(clips))
    counted = forgetter.count(Selection(gone))
    done = forgetter.forget(Selection(gone))
    assert (counted.clips, counted.events, counted.persons, counted.objects) == (
        done.clips,
        done.events,
        done.persons,
        done.objects,
    )
    assert done.vectors == done.events
    assert hash_of(database, clips) == hash_of(database, rest)
    assert_whole(database, group_of(clips))
    assert forgetter.forget(Selection(gone)).clips == 0


def test_what_is_forgotten_of_a_film_while_it_is_taken_in_does_not_come_back(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    """Neither the rest of the film nor the clip that was forgotten alone, until somebody names the film again."""
    film = Video(group_id, "film")
    clips = [clip_of(film, n, (event_at(n * 10.0, 0, ("anna",)),)) for n in range(4)]
    forgetter = forgetter_of(database, group_id)
    for gone in (Selection("film", clip_id=clips[1].source.clip.clip_id), Selection("film")):
        assert not writer.forgotten(film).keys  # as it begins
        commit(writer, clips[:2])
        assert forgetter.forget(gone).clips
        assert writer.forgotten(film).keys  # as more clips of the same film are read
        outcomes = [receipt.outcome for receipt in commit(writer, clips)]
        kept = "committed" if gone.clip_id else "unchanged"
        assert outcomes == ["unchanged", "unchanged", kept, kept]
        [first, *_] = commit(writer, clips[1:2])
        assert "forgotten on" in first.notes[-1]
        failed = FailedClip(film, clips[1].source.clip, "local", "", "no reply")
        assert writer.fail(failed, attempt=1, skip=False).outcome == "unchanged"
        writer.take_again(film)
    assert [receipt.outcome for receipt in commit(writer, clips)] == ["committed"] * 4


def test_a_film_that_is_taken_in_while_its_group_is_forgotten_does_not_bring_it_back(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    """Until the film is begun again, by the same process or another."""
    film = Video(group_id, "film")
    clips = [clip_of(film, n, (event_at(n * 10.0, 0, ("anna",)),)) for n in range(4)]
    failed = FailedClip(film, clips[3].source.clip, "local", "", "no reply")
    for _ in range(2):
        assert not writer.forgotten(film).keys  # as it begins
        assert [receipt.outcome for receipt in commit(writer, clips[:2])] == ["committed"] * 2
        Forgetter(database, lambda: datetime.now(UTC)).note_group(group_id)
        sweep(database, group_id, lambda: datetime.now(UTC))
        assert [receipt.outcome for receipt in commit(writer, clips)] == ["unchanged"] * 4
        assert writer.fail(failed, attempt=1, skip=False).outcome == "unchanged"
        of_group = "MATCH (n) WHERE n.group_id = $group_id RETURN n"
        assert not database.driver.execute_query(of_group, group_id=group_id).records


def test_a_group_that_is_forgotten_during_an_ingest_gets_no_later_film_of_it_either(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    films = [Video(group_id, name) for name in ("first", "second")]
    [first, second] = [[clip_of(film, n, (event_at(n * 10.0, 0, ("anna",)),)) for n in range(2)] for film in films]
    marks: GroupMarks = {}
    writer.forgotten(films[0], marks)
    assert [receipt.outcome for receipt in commit(writer, first[:1])] == ["committed"]
    Forgetter(database, lambda: datetime.now(UTC)).note_group(group_id)
    sweep(database, group_id, lambda: datetime.now(UTC))
    for film in films:
        writer.forgotten(film, marks)
    assert [receipt.outcome for receipt in commit(writer, [*first, *second])] == ["unchanged"] * 4
    writer.forgotten(films[1])  # an ingest that begins later
    assert [receipt.outcome for receipt in commit(writer, second)] == ["committed"] * 2


@pytest.mark.parametrize("is_noted", [False, True], ids=["video", "clips"])
def test_what_is_forgotten_before_anything_is_committed_does_not_come(
    database: Database, writer: ClipWriter, group_id: str, is_noted: bool
) -> None:
    """The whole film, or the clips that wait; whether they are committed, fail or are dropped."""
    film = Video(group_id, "film")
    clips = [clip_of(film, n, (event_at(n * 10.0, 0, ("anna",)),)) for n in range(2)]
    assert not writer.forgotten(film).keys  # as it begins
    forgetter = forgetter_of(database, group_id)
    if is_noted:
        forgetter.note([("film", clip.source.clip.clip_id) for clip in clips])
    else:
        assert not forgetter.forget(Selection("film")).clips
    failed = FailedClip(film, clips[0].source.clip, "local", "", "no reply")
    assert [receipt.outcome for receipt in commit(writer, clips)] == ["unchanged"] * 2
    assert (writer.fail(failed, attempt=1, skip=False).outcome, writer.drop(failed).outcome) == ("unchanged",) * 2
    assert not forgetter.clips(Selection("film"))
    writer.take_again(film)
    assert [receipt.outcome for receipt in commit(writer, clips)] == ["committed"] * 2


@pytest.mark.parametrize("video_id", ["", "film"])
def test_what_is_forgotten_by_time_while_a_model_looks_at_it_does_not_come(
    database: Database, writer: ClipWriter, group_id: str, video_id: str
) -> None:
    """Of one film or of all; whether it is committed, fails or is dropped. What ended later comes."""
    film = Video(group_id, "film", recorded_at=datetime(2026, 3, 1, 9, tzinfo=UTC))
    clips = [clip_of(film, n, (event_at(n * 10.0, 0, ("anna",)),)) for n in range(3)]
    undated = clip_of(Video(group_id, "undated"), 0, (event_at(0.0, 0, ("anna",)),))
    for video in (film, undated.source.video):
        assert not writer.forgotten(video).keys  # as it begins
    forgetter = forgetter_of(database, group_id)
    forgetter.note_before("other", datetime(2026, 4, 1, tzinfo=UTC))
    for seconds in (5, 20):  # the later moment takes the place of the earlier
        forgetter.note_before(video_id, datetime(2026, 3, 1, 9, 0, seconds, tzinfo=UTC))
    noted = "MATCH (f:ForgottenFootage {group_id: $group_id}) WHERE f.before IS NOT NULL RETURN f"
    assert len(database.driver.execute_query(noted, group_id=group_id).records) == 2
    failed = FailedClip(film, clips[0].source.clip, "local", "", "no reply")
    assert (writer.fail(failed, attempt=1, skip=False).outcome, writer.drop(failed).outcome) == ("unchanged",) * 2
    refused = "MATCH (f:ForgottenFootage {group_id: $group_id}) WHERE f.film <> '' RETURN f.clip AS clip"
    [row] = database.driver.execute_query(refused, group_id=group_id).records
    assert row["clip"] == footage_key(clips[0].source.clip.clip_id)  # so a folder does not bring it back
    outcomes = [receipt.outcome for receipt in commit(writer, clips)]
    assert outcomes == ["unchanged", "unchanged", "committed"]
    assert commit(writer, [undated])[0].outcome == "committed"
    assert clips[0].source.clip.clip_id in writer.forgotten(film)  # so a folder does not bring it back
    writer.forgotten(film)  # an ingest that begins later, and names the film
    writer.take_again(film)
    assert [receipt.outcome for receipt in commit(writer, clips[:2])] == ["committed"] * 2


def test_a_film_of_the_past_that_is_begun_after_a_forgetting_by_time_is_taken_in(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    forgetter_of(database, group_id).note_before("", datetime(2026, 4, 1, tzinfo=UTC))
    film = Video(group_id, "film", recorded_at=datetime(2026, 3, 1, 9, tzinfo=UTC))
    clip = clip_of(film, 0, (event_at(0.0, 0, ("anna",)),))
    assert not writer.forgotten(film).keys
    assert commit(writer, [clip])[0].outcome == "committed"


def test_a_damaged_clip_that_was_forgotten_keeps_what_is_left_of_it(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    """A run that began before the forgetting does not write it, and so removes nothing for it."""
    film = Video(group_id, "film")
    clips = [clip_of(film, n, (event_at(n * 10.0, 0, ("anna",)),)) for n in range(2)]
    assert not writer.forgotten(film).keys  # as the run begins
    commit(writer, clips)
    assert forgetter_of(database, group_id).forget(Selection("film", clip_id=clips[1].source.clip.clip_id)).clips
    another = ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON)
    assert [receipt.outcome for receipt in commit(another, clips)] == ["unchanged", "committed"]
    database.driver.execute_query("MATCH (c:Clip {group_id: $g}) SET c.damaged = true", g=group_id)
    left = digest(database, group_id).sha256
    assert [receipt.outcome for receipt in commit(writer, clips[1:])] == ["unchanged"]
    assert digest(database, group_id).sha256 == left


def assert_whole(database: Database, group_id: str) -> None:
    integrity = Integrity(database, group_id, JUMP, "en", lambda: NOON)
    assert (integrity.found("deleted_events"), integrity.found("broken_chains"), integrity.wrong_edges()) == (
        [],
        [],
        0,
    )
    assert integrity.found("lost_receipts") == []


@a_few
@given(clips=shuffled_clips(), seconds=st.integers(0, 150))
def test_what_ended_by_a_moment_was_never_there(
    clips: list[ComposedClip], seconds: int, database: Database, writer: ClipWriter
) -> None:
    """The video's wall clock decides. If it has none, the time when memory took it in does, here after the moment."""
    before = NOON + timedelta(seconds=seconds)
    writer = ClipWriter(database, jump_gap_sec=JUMP, language="en", now=lambda: NOON + timedelta(days=1))
    rest = elsewhere([clip for clip in clips if not ended_by(clip, before)])
    for each in (clips, rest):
        for clip in each:
            commit(writer, [clip])
    done = forgetter_of(database, group_of(clips)).forget(Selection(before=before))
    assert done.clips == len(clips) - len(rest)
    assert hash_of(database, clips) == hash_of(database, rest)
    assert_whole(database, group_of(clips))


def ended_by(clip: ComposedClip, moment: datetime) -> bool:
    recorded_at = clip.source.video.recorded_at
    return recorded_at is not None and recorded_at + timedelta(seconds=clip.source.clip.t_end) <= moment


@a_few
@given(clips=shuffled_clips(), person=st.sampled_from([("", "anna"), ("v0", "girl")]))
def test_the_events_of_a_forgotten_person_were_never_there(
    clips: list[ComposedClip], person: tuple[str, str], database: Database, writer: ClipWriter
) -> None:
    rest = elsewhere([replace(clip, events=without(clip, person)) for clip in clips])
    for each in (clips, rest):
        for clip in each:
            commit(writer, [clip])
    forgetter_of(database, group_of(clips)).forget(Selection(persons=(person,)))
    assert hash_of(database, clips) == hash_of(database, rest)
    assert_whole(database, group_of(clips))


def without(clip: ComposedClip, person: tuple[str, str]) -> tuple[EventDraft, ...]:
    there = [{(part.scope, part.person_id) for part in event.involvements} for event in clip.events]
    return tuple(event for event, people in zip(clip.events, there, strict=True) if person not in people)


@a_few
@given(clips=shuffled_clips(), data=st.data())
def test_merged_persons_are_those_that_the_rest_names(
    clips: list[ComposedClip], data: st.DataObject, database: Database, writer: ClipWriter
) -> None:
    """Persons who are still named stay, with the merges between them, and no others."""
    gone = data.draw(st.sampled_from(sorted({clip.source.video.video_id for clip in clips})))
    for clip in clips:
        commit(writer, [clip])
    group_id, known = group_of(clips), Known()
    merger = merger_of(database, group_id)
    for _ in range(3):
        change_something(data, merger, known, people_there(database, group_id))
    forgetter_of(database, group_id).forget(Selection(gone))
    named = {
        known.identity((part.scope, part.person_id), clip.source.video.video_id)
        for clip in clips
        if clip.source.video.video_id != gone
        for event in clip.events
        for part in event.involvements
    }
    into = dict(known.said)
    needed = set(named)
    for who in named:
        while who in into:
            who = into[who]  # noqa: PLW2901
            needed.add(who)
    assert people_there(database, group_id) == sorted(needed)
    assert_whole(database, group_id)


def test_parts_of_a_forgotten_merged_event_are_events_again(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    """An event made of two clips goes with the first; what the second one showed stays, in every chain."""
    video = Video(group_id, "film", place="home", recorded_at=NOON)
    first, second = scene(0, (0, 2, "cooks 0"), (8, 10, "walks 0")), scene(1, (0, 3, "walks 0"), (5, 8, "cooks 0"))
    clips = [clip_of(video, n, events, f"sha-{n}") for n, events in enumerate((first, second))]
    merge(merging_on(database), clips)
    assert superseded(database, group_id) == 2
    forgetter = forgetter_of(database, group_id)
    done = forgetter.forget(Selection(before=NOON + timedelta(seconds=10)))
    assert (done.clips, done.events, done.merged, done.restored) == (1, 2, 2 - 1, 1)
    assert superseded(database, group_id) == 0
    rest = elsewhere(clips[1:])
    commit(writer, rest, "signs", 16)
    assert hash_of(database, clips) == hash_of(database, rest)
    assert_whole(database, group_id)


def superseded(database: Database, group_id: str) -> int:
    query = "MATCH (e:SupersededEvent {group_id: $g}) RETURN count(e) AS n"
    return database.driver.execute_query(query, g=group_id).records[0]["n"]


def test_a_reader_notices_what_was_forgotten_and_taken_in_elsewhere(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    """Events, edges, names and the place of a video are read again, also of a group that was forgotten whole."""
    reader, scope = EventReader(database, language="en"), Scope(group_id)
    for place in ("home", "office"):
        video = Video(group_id, "v", place=place)
        commit(writer, [clip_of(video, n, (event_at(n * 10.0, people=(place,)),)) for n in range(2)])
        assert reader.vocabulary(scope).persons == {place}
        ids = reader.by_person(place, scope, 10)
        assert len(reader.events(ids, scope)) == 2
        assert reader.recordings(scope)["v"].place == place
        forgetter_of(database, group_id).forget(Selection("v"))
        forgetter_of(database, group_id).sweep()
    reader.vocabulary(scope)
    assert reader.events(ids, scope) == []


def test_facts_go_with_the_events_that_alone_state_them(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    """A fact that a kept event states, too, stays with less evidence. What a lost fact replaced is believed again."""
    for name in ("gone", "kept"):
        commit(writer, [clip_of(Video(group_id, name), 0, (event_at(0.0),))])
    facts = """
        MATCH (gone:Event {group_id: $g, video_id: 'gone'}), (kept:Event {group_id: $g, video_id: 'kept'})
        CREATE (lost:Fact $alone), (shared:Fact $both), (old:Fact $old),
               (lost)-[:DERIVED_FROM]->(gone), (shared)-[:DERIVED_FROM]->(gone), (shared)-[:DERIVED_FROM]->(kept),
               (old)-[:DERIVED_FROM]->(kept), (lost)-[:CONTRADICTS]->(old)
    """
    same = {"group_id": group_id, "user_id": "anna", "subject": "key", "relation": "is_at", "said": 1.0}
    of = {
        "alone": same | {"fact_id": "1", "object": "hook", "status": "active", "evidence_count": 1},
        "both": same
        | {"fact_id": "2", "relation": "owned_by", "object": "ben", "status": "active", "evidence_count": 2},
        "old": same
        | {"fact_id": "3", "object": "table", "status": "archived", "replaced_by": "hook", "evidence_count": 1},
    }
    database.driver.execute_query(facts, {"g": group_id, **of})
    assert forgetter_of(database, group_id).forget(Selection("gone")).facts == 1
    query = "MATCH (f:Fact {group_id: $g}) RETURN f.object, f.status, f.evidence_count ORDER BY f.fact_id"
    rows = [list(row.values()) for row in database.driver.execute_query(query, g=group_id).records]
    assert rows == [["ben", "active", 1], ["table", "active", 1]]


def test_a_fact_stays_when_only_an_event_of_a_fact_merged_into_it_goes(
    database: Database, writer: ClipWriter, group_id: str
) -> None:
    """Its own event still shows it. Without that event, the other does not keep it."""
    for name in ("own", "merged"):
        commit(writer, [clip_of(Video(group_id, name), 0, (event_at(0.0),))])
    query = """
        MATCH (own:Event {group_id: $g, video_id: 'own'}), (merged:Event {group_id: $g, video_id: 'merged'})
        CREATE (f:Fact {group_id: $g, user_id: 'anna', fact_id: '1', subject: 'key', relation: 'is_at', object: $at,
                        said: 1.0, status: 'active', evidence_count: 1}),
               (f)-[:DERIVED_FROM]->(own), (f)-[:DERIVED_FROM {via: 'other'}]->(merged)
    """
    database.driver.execute_query(query, g=group_id, at="hook")
    forgetter = forgetter_of(database, group_id)
    assert forgetter.forget(Selection("merged")).facts == 0
    facts = "MATCH (f:Fact {group_id: $g}) RETURN f.object, f.status, f.evidence_count"
    rows = [list(row.values()) for row in database.driver.execute_query(facts, g=group_id).records]
    assert rows == [["hook", "active", 1]]
    commit(writer, [clip_of(Video(group_id, "third"), 0, (event_at(0.0),))])
    through = """
        MATCH (f:Fact {group_id: $g}), (third:Event {group_id: $g, video_id: 'third'})
        CREATE (f)-[:DERIVED_FROM {via: 'other'}]->(third)
    """
    database.driver.execute_query(through, g=group_id)
    assert forgetter.forget(Selection("own")).facts == 1


def test_forgetting_beside_an_ingest(database: Database, writer: ClipWriter, group_id: str) -> None:
    """Two videos of one timeline, committed clip by clip while one of them is forgotten again and again."""
    videos = [Video(group_id, name, place="home", recorded_at=NOON) for name in ("gone", "kept")]
    cup = (Use(0, "cup", "open", "anna", None, "open"),)
    clips = [
        clip_of(video, n, (event_at(n * 40.0 + shift, people=("anna",), uses=cup),), f"{video.video_id}-{n}")
        for n in range(12)
        for shift, video in enumerate(videos)
    ]
    forgetter = forgetter_of(database, group_id)
    with ThreadPoolExecutor(1) as beside:
        writing = beside.submit(lambda: [commit(writer, [clip]) for clip in clips])
        while not writing.done():
            forgetter.forget(Selection("gone"))
        writing.result()
    forgetter.forget(Selection("gone"))
    rest = elsewhere([clip for clip in clips if clip.source.video.video_id == "kept"])
    for clip in rest:
        commit(writer, [clip])
    assert hash_of(database, clips) == hash_of(database, rest)
    assert_whole(database, group_id)
