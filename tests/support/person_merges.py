"""Merges of persons drawn by hypothesis, and who is who after them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import HealthCheck
from hypothesis import strategies as st

from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError, NotInMemory
from amr_neo4j.store.database import Database
from amr_neo4j.store.full_text import scope_text
from amr_neo4j.store.persons import PersonMerger
from tests.support.clips import JUMP, NOON, VIDEOS
from tests.support.examples import examples

a_few = examples(
    push=5, soak=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def merger_of(database: Database, group_id: str) -> PersonMerger:
    return PersonMerger(database, group_id, JUMP, lambda: NOON + timedelta(days=1))


@dataclass
class Known:
    """Who is who, as plain dictionaries. split: (video, person_id) of names that are somebody else there."""

    said: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    split: set[tuple[str, str]] = field(default_factory=set)

    def identity(self, who: tuple[str, str], video: str) -> tuple[str, str]:
        """Whom a video means: the person of the video if the name was split there."""
        return (video, who[1]) if not who[0] and (video, who[1]) in self.split else who

    def now(self, who: tuple[str, str], video: str = "") -> tuple[str, str]:
        who = self.identity(who, video)
        return self.now(self.said[who]) if who in self.said else who


def people_there(database: Database, group_id: str) -> list[tuple[str, str]]:
    rows = database.driver.execute_query(
        "MATCH (p:Person {group_id: $g}) RETURN p.scope AS scope, p.person_id AS id", g=group_id
    )
    return sorted((row["scope"], row["id"]) for row in rows.records)


def assert_full_text_names_persons(database: Database, group_id: str) -> None:
    """Every event's scope tokens are those of whom it involves by now."""
    rows = database.driver.execute_query(
        """
        MATCH (e:Event {group_id: $g})-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(v:Video)
        RETURN v.video_id AS video, v.place AS place, e.scope_text AS text,
               COLLECT { MATCH (e)-[:INVOLVES]->(p) RETURN [p.scope, p.person_id] } AS people
        """,
        g=group_id,
    ).records
    for row in rows:
        people = [(scope, person_id) for scope, person_id in row["people"]]
        assert row["text"] == scope_text(Video(group_id, row["video"], place=row["place"]), people)


def change_something(data: st.DataObject, merger: PersonMerger, known: Known, there: list[tuple[str, str]]) -> None:
    """Say that somebody is another, everywhere or in a video, or take it back."""
    if len(there) < 2:
        return
    one, other = data.draw(st.permutations(there))[:2]
    if one in known.said:
        merger.undo(one[1], one[0])
        del known.said[one]
        known.split.discard(one)
    elif not one[0] and not other[0] and data.draw(st.booleans()):
        in_video = data.draw(st.sampled_from(VIDEOS)), one[1]
        if in_video in known.said or known.now(other) in (known.now(one), in_video):
            return
        with suppress(NotInMemory, InputError):  # the video does not name them, or no other one does
            merger.split(one[1], other[1], in_video[0])
            known.said[in_video] = other
            known.split.add(in_video)
    elif known.now(other) != one:
        merger.merge(one[1], other[1], one[0], other[0])
        known.said[one] = other
