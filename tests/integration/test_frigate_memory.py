"""What is known of Frigate's events grows: a stored event is amended, and nothing is counted twice or lost."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.app.camera_messages import take_some
from amr_neo4j.domain.receipt import Progress, Receipt
from amr_neo4j.domain.tracked import TrackedItem
from amr_neo4j.ingest.frigate import folded, line_of, read
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from amr_neo4j.spool.messages import MessageSpool
from amr_neo4j.store.database import Database
from amr_neo4j.store.integrity import Integrity
from tests.unit.test_frigate import by_http, by_mqtt, review


@pytest.fixture
def memory(neo4j_connection: Connection, tmp_path: Path) -> Iterator[Memory]:
    server = neo4j_connection
    with Memory.open(
        neo4j_uri=server.uri,
        neo4j_username=server.username,
        neo4j_password=server.password,
        data_dir=tmp_path,
        group=f"test-{uuid4()}",
    ) as memory:
        yield memory


def take(memory: Memory, *entries: Any) -> list[Receipt]:
    """Take entries in as `amr detections | amr ingest -` does. Returns the receipts."""
    receipts: list[Receipt] = []

    def keep(progress: Progress) -> None:
        receipts.append(progress.receipt)

    items = folded(each for each in read(json.dumps(entries)) if isinstance(each, TrackedItem))
    memory.ingest_lines([line_of(item, ENGLISH).model_dump_json(exclude_defaults=True) for item in items], watch=keep)
    return receipts


def told(memory: Memory, database: Database) -> list[str]:
    rows = database.driver.execute_query(
        "MATCH (e:Event {group_id: $g}) RETURN e.summary_text AS text ORDER BY e.position", g=memory.group_id
    ).records
    return [row["text"] for row in rows]


def test_an_event_is_amended_when_more_is_known(memory: Memory, database: Database) -> None:
    [seen] = take(memory, by_mqtt(1, kind="new"))
    between = datetime.now().astimezone()
    [named] = take(memory, by_mqtt(1, sub_label=["Anna", 0.9], entered_zones=["porch"]))
    assert (seen.outcome, named.outcome) == ("committed", "amended")
    [note] = named.notes
    assert "sub_labels: Anna (was empty)" in note
    assert "ended: yes (was no)" in note
    # An older message that comes again, and the same one, change nothing.
    assert [each.outcome for each in take(memory, by_mqtt(1, kind="new"))] == ["unchanged"]
    assert [each.outcome for each in take(memory, by_mqtt(1, sub_label=["Anna", 0.9]))] == ["unchanged"]
    [described] = take(memory, by_http(1, data={"description": "She rings."}))
    assert described.outcome == "amended"
    assert told(memory, database) == ["Anna is seen in porch. She rings."]
    assert [len(person.events) for person in memory.persons("Anna")] == [1]
    # History is kept, and the graph is whole.
    earlier = memory.search("person seen", known_at=between)
    assert [hit.event.summary_text for hit in earlier] == ["A person is seen, still in progress."]
    integrity = Integrity(database, memory.group_id, 30.0, "en", lambda: between)
    assert integrity.wrong_edges() == 0
    assert not (
        integrity.found("broken_chains")
        or integrity.losses()
        or integrity.found("lost_receipts")
        or integrity.found("lost_links")
    )
    # Only Frigate amends: the same id with other content stays an error elsewhere.
    line = {
        "video_id": "v",
        "clip_id": "1",
        "t_start": 0,
        "t_end": 5,
        "analysis": {"clip_summary": "A", "events": []},
    }
    report = memory.ingest_lines([json.dumps(line), json.dumps(line | {"t_end": 6})])
    assert (report.committed, report.amended, report.rejected) == (1, 0, 1)


@pytest.mark.parametrize("age_s", [60.0, 4000.0])
@pytest.mark.parametrize("waits", [True, False])
def test_an_update_that_comes_before_its_event_waits_for_it_an_hour(
    memory: Memory, database: Database, tmp_path: Path, age_s: float, waits: bool
) -> None:
    """However old both are: after an outage, the broker brings what it kept in the order in which it came."""
    start, tried = time.time() - age_s, datetime.now().astimezone()
    event = by_mqtt(1, id=f"{start}-abc", start_time=start, frame_time=start + 9, end_time=start + 12)
    spool, receipts, clock = MessageSpool(tmp_path / "messages.sqlite"), list[Receipt](), [tried]
    ingesting = replace(memory._parts.ingesting, now=lambda: clock[0])

    def take_in() -> None:
        take_some(spool, memory.group_id, ingesting.items, watch=lambda seen: receipts.append(seen.receipt), left={})

    def come(message: dict[str, Any]) -> None:
        spool.keep(memory.group_id, "broker topic", json.dumps(message).encode())
        take_in()

    come({"type": "description", "id": f"{start}-abc", "description": "A courier rings."})
    clock[0] = tried + timedelta(minutes=59 if waits else 61)
    take_in()
    assert (spool.waiting(memory.group_id), [each.outcome for each in receipts]) == (
        (1, []) if waits else (0, ["rejected"])
    )
    come(event)
    assert spool.waiting(memory.group_id) == 0
    assert told(memory, database) == [f"A person is seen.{' A courier rings.' if waits else ''}"]
    spool.close()


def test_an_event_that_turns_out_to_be_false_is_taken_back(memory: Memory, database: Database) -> None:
    take(memory, by_http(1), by_http(2))
    [receipt] = take(memory, by_http(1, false_positive=True))
    assert receipt.outcome == "amended"
    assert len(told(memory, database)) == 1
    [again] = take(memory, by_http(3, false_positive=True))
    assert (again.outcome, again.notes) == ("unchanged", ("a false positive; nothing of it is kept",))


@pytest.mark.parametrize("first", ["review", "events"])
def test_a_review_item_and_its_events_are_one(memory: Memory, database: Database, first: str) -> None:
    """In either order: what has an event of its own is not counted by the review item again."""
    data = {"objects": ["person", "car"], "audio": ["bark"], "metadata": {"title": "Delivery"}}
    data["detections"] = ["1700000100.05-abc1", "1700000110.05-abc2"]
    events = [
        by_http(1),
        by_http(1, "car", id="1700000110.05-abc2"),
        by_http(1, "bark", id="7-c", data={"type": "audio"}),
    ]
    if first == "review":
        take(memory, review(1, data=data))
        assert told(memory, database) == ["Alert: A car and a person are seen. Delivery.", "A dog barks."]
        take(memory, *events)
    else:
        take(memory, *events)
        take(memory, review(1, data=data))
    assert sorted(told(memory, database)) == [
        "A car is seen.",
        "A dog barks.",
        "A person is seen.",
        "Alert: Delivery.",
    ]


def test_a_day_that_began_in_another_time_zone_is_named(memory: Memory) -> None:
    def notes_of(entry: object, timezone: str) -> tuple[str, ...]:
        receipts: list[Receipt] = []
        items = [each for each in read(json.dumps([entry])) if isinstance(each, TrackedItem)]
        memory._parts.ingesting.items(
            memory.group_id, "broker", items, lambda progress: receipts.append(progress.receipt), timezone=timezone
        )
        return receipts[0].notes

    assert notes_of(by_http(1), "Europe/Berlin") == notes_of(by_http(90, id="b"), "Europe/Berlin") == ()
    [note] = notes_of(by_http(180, id="c"), "Asia/Tokyo")
    assert "stays in Europe/Berlin" in note and "Asia/Tokyo" in note


def test_a_forgotten_event_does_not_come_back_with_its_next_message(memory: Memory, database: Database) -> None:
    [receipt] = take(memory, by_mqtt(1, kind="new"))
    memory.forget_videos(event=receipt.node_ids[0])
    receipts: list[Receipt] = []
    items = [each for each in read(json.dumps([by_mqtt(1), by_mqtt(2)])) if isinstance(each, TrackedItem)]
    memory._parts.ingesting.items(
        memory.group_id, "broker", items, lambda progress: receipts.append(progress.receipt)
    )
    assert [each.outcome for each in receipts] == ["unchanged", "committed"]
    assert "forgotten on" in receipts[0].notes[0] and len(told(memory, database)) == 1


def test_a_forgotten_item_does_not_come_back_by_a_pipe_but_by_its_file(
    memory: Memory, database: Database, tmp_path: Path
) -> None:
    """Frigate's list is piped again and again. Only a file that is named brings an item back."""
    [receipt, _] = take(memory, by_http(1), by_http(90, "car", id="car"))
    memory.forget_videos(video_id=receipt.video_id, clip_id=receipt.clip_id)
    again = {each.clip_id: each for each in take(memory, by_http(1), by_http(90, "car", id="car"))}
    assert again[receipt.clip_id].outcome == "unchanged" and "forgotten on" in again[receipt.clip_id].notes[0]
    assert told(memory, database) == ["A car is seen."]
    [item] = [each for each in read(json.dumps([by_http(1)])) if isinstance(each, TrackedItem)]
    file = tmp_path / "door.jsonl"
    file.write_text(line_of(item, ENGLISH).model_dump_json(exclude_defaults=True))
    assert memory.ingest(file).committed == 1 and len(told(memory, database)) == 2


def test_what_is_said_of_a_forgotten_person_does_not_stay_in_the_receipt(memory: Memory, database: Database) -> None:
    take(memory, by_http(1, sub_label="Anna", data={"description": "Anna waves."}))
    memory.forget_videos(person="anna")
    kept = database.driver.execute_query(
        "MATCH (c:Clip {group_id: $g}) RETURN c.tracked AS tracked", g=memory.group_id
    )
    assert [row["tracked"] for row in kept.records] == [None]
