"""Messages of a camera system: one is deleted here only once the graph has it; the rest waits in its order."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import pytest

from amr_neo4j.app import camera_messages
from amr_neo4j.app.camera_messages import CameraMessages, forget_messages, take_some
from amr_neo4j.domain.forgotten import NONE_FORGOTTEN, ForgottenClips
from amr_neo4j.domain.receipt import Progress, Receipt, Watch
from amr_neo4j.domain.tracked import StoredItem, TrackedItem
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.errors import SourceLost
from amr_neo4j.ingest.amending import KnownItems, amended
from amr_neo4j.ingest.frigate import line_of, read_entry
from amr_neo4j.ingest.json_lines import analysed_clip
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.media.mqtt import Subscription, broker
from amr_neo4j.spool.messages import MessageSpool
from tests.unit.test_frigate import by_mqtt

SOURCE = "mqtt://broker:1883/frigate events"


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[MessageSpool]:
    spool = MessageSpool(tmp_path / "messages.sqlite")
    yield spool
    spool.close()


class Graph:
    """Takes items in, but holds those of `busy`: another process amends them."""

    def __init__(self, *busy: str) -> None:
        self.busy, self.taken = set(busy), list[str]()

    def take_in(self, group_id: str, name: str, items: Sequence[TrackedItem], watch: Watch) -> None:
        for item in items:
            held = item.item_id in self.busy
            if not held:
                self.taken.append(f"{item.item_id} {item.zones}")
            watch(Progress(name, Receipt("v", item.item_id, "held" if held else "committed")))


def keep(spool: MessageSpool, *messages: dict[str, Any]) -> list[str]:
    """Returns the ids of the messages' items."""
    for message in messages:
        spool.keep("g", SOURCE, json.dumps(message).encode())
    return [message["after"]["id"] for message in messages]


def test_a_message_that_names_somebody_is_forgotten_where_its_video_means_them(spool: MessageSpool) -> None:
    """An update that names no camera is looked through for the names of the group."""
    keep(spool, by_mqtt(1, sub_label=["Anna", 0.9]), by_mqtt(2, sub_label=["Anna", 0.9], camera="office"))
    update = {"type": "description", "id": "1700000100.05-abc1", "description": "Anna Lee waves to Anna."}
    spool.keep("g", SOURCE, json.dumps(update).encode())

    def names(video_id: str) -> set[str]:
        return {"anna"} if video_id.startswith("office") else set()

    assert forget_messages(spool, "g", "", names, items=None) == 1
    assert [json.loads(message.payload)["type"] for message in spool.first("g", -1)] == ["end", "description"]
    assert forget_messages(spool, "g", "", lambda _: {"anna lee"}, items=None) == 1
    assert forget_messages(spool, "g", "", None, items=None) == 1


def test_a_message_whose_item_is_held_stays_and_those_after_it_wait(spool: MessageSpool) -> None:
    busy, free = keep(spool, by_mqtt(1, kind="new"), by_mqtt(2))
    graph, left, seen = Graph(busy), dict[int, set[str]](), list[Progress]()
    assert take_some(spool, "g", graph.take_in, watch=seen.append, left=left)
    assert [each.receipt.clip_id for each in seen] == [free] and spool.waiting("g") == 1
    keep(spool, by_mqtt(1, kind="update", entered_zones=["porch"]), by_mqtt(3))
    assert take_some(spool, "g", graph.take_in, watch=seen.append, left=left)
    assert not take_some(spool, "g", graph.take_in, watch=seen.append, left=left)
    assert spool.waiting("g") == 2, "the newer message of the same item waits too"
    graph.busy.clear()
    left.clear()
    assert take_some(spool, "g", graph.take_in, watch=seen.append, left=left)
    assert graph.taken[-1] == f"{busy} ('porch',)" and spool.waiting("g") == 0


def test_many_that_wait_do_not_stop_the_others(spool: MessageSpool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camera_messages, "_MESSAGES_AT_ONCE", 5)
    ids = keep(spool, *(by_mqtt(number) for number in range(20)))
    graph, left = Graph(*ids[:12]), dict[int, set[str]]()
    while take_some(spool, "g", graph.take_in, watch=lambda _: None, left=left):
        pass
    assert len(graph.taken) == 8 and spool.waiting("g") == 12


def test_where_a_review_is_held_its_members_are_taken_in_again(spool: MessageSpool) -> None:
    """The item of a member also amends its review, which has no message of its own."""
    keep(spool, by_mqtt(1))

    def take_in(group_id: str, name: str, items: Sequence[TrackedItem], watch: Watch) -> None:
        watch(Progress(name, Receipt("v", items[0].item_id, "committed")))
        watch(Progress(name, Receipt("v", "review-1", "held")))

    assert take_some(spool, "g", take_in, watch=lambda _: None, left={})
    assert spool.waiting("g") == 1


def item(message: dict[str, Any]) -> TrackedItem:
    [found] = read_entry(message)
    assert isinstance(found, TrackedItem)
    return found


def test_zone_place_and_file_of_a_line_are_kept_also_when_it_is_amended() -> None:
    given = line_of(item(by_mqtt(1, kind="new")), ENGLISH)
    given = given.model_copy(update={"place": "garden", "timezone": "Europe/Berlin", "uri": "garden.mp4"})
    later = line_of(item(by_mqtt(1, entered_zones=["porch"])), ENGLISH)
    later = later.model_copy(update={"place": "garden", "timezone": "Europe/Berlin"})
    lines = [analysed_clip(line, "g") for line in (given, later)]
    clips = [c for c in amended(lines, lambda *_: (), ENGLISH, at_once=1) if isinstance(c, AnalysedClip)]
    assert [(c.video.place, c.video.timezone, c.clip.uri) for c in clips] == [
        ("garden", "Europe/Berlin", "garden.mp4")
    ] * 2
    assert clips[1].replaces == clips[0].content_sha256


def test_messages_get_the_zone_of_their_camera_and_the_place_that_is_stored() -> None:
    from dataclasses import replace

    stored = StoredItem("front_door-2023-11-14", item(by_mqtt(1, kind="new")), "sha", place="garden")
    known = KnownItems("g", lambda *_: [stored], ENGLISH, in_zone=lambda video: replace(video, timezone="Asia/Tokyo"))
    video = next(known.joined([item(by_mqtt(1))]))[0]
    assert isinstance(video, AnalysedClip)
    assert (video.video.timezone, video.video.place) == ("Asia/Tokyo", "garden")


def test_a_broker_whose_name_cannot_be_looked_up_ends_the_watch(spool: MessageSpool, tmp_path: Path) -> None:
    pytest.importorskip("paho.mqtt.client")
    messages = CameraMessages(
        spool=lambda: spool, take_in=Graph().take_in, lock=tmp_path / "lock", session="s", notify=print
    )
    stop = Event()
    Timer(10.0, stop.set).start()
    with pytest.raises(SourceLost, match="label"):
        messages.watch("g", f"mqtt://a..{'b' * 70}/frigate", lambda _: None, stop)


def test_an_update_of_a_forgotten_item_is_dropped_with_a_word() -> None:
    """It names no camera, so the item is known by its id alone. One that was never known is still rejected."""
    gone = ForgottenClips(datetime(2026, 3, 1, tzinfo=UTC))
    update = {"type": "description", "id": "1700000000.1-abc", "description": "A man waves."}
    for forgotten, outcome in ((gone, "unchanged"), (NONE_FORGOTTEN, "rejected")):
        known = KnownItems("g", lambda *_: [], ENGLISH, forgotten=lambda _, found=forgotten: found)
        [receipt] = next(known.joined([item(update)]))
        assert isinstance(receipt, Receipt) and receipt.outcome == outcome
    assert "forgotten on 2026-03-01" in gone.note


def test_messages_that_are_held_are_not_read_again(spool: MessageSpool, monkeypatch: pytest.MonkeyPatch) -> None:
    busy, _ = keep(spool, by_mqtt(1, kind="new"), by_mqtt(1))
    graph, left = Graph(busy), dict[int, set[str]]()
    take_some(spool, "g", graph.take_in, watch=print, left=left)
    assert len(left) == 2
    read = list[str]()
    rows = spool.rows

    def noted(query: str, values: Any) -> list[Any]:
        found = list(rows(query, values))
        read.extend(map(str, found))
        return found

    monkeypatch.setattr(spool, "rows", noted)
    assert not take_some(spool, "g", graph.take_in, watch=print, left=left)
    assert not read and spool.waiting("g") == 2


def test_a_stop_while_the_broker_is_being_reached_ends_the_watch() -> None:
    """The connection stands only after the stop. paho would go on for ever with it."""
    pytest.importorskip("paho.mqtt.client")
    with socket.create_server(("127.0.0.1", 0), backlog=0) as busy, ExitStack() as held:
        port = busy.getsockname()[1]
        for _ in range(2):  # its queue is full: the next connection waits
            held.enter_context(closing(first := socket.socket()))
            first.setblocking(False)
            first.connect_ex(("127.0.0.1", port))

        def answer() -> None:
            time.sleep(0.6)
            for _ in range(3):
                link, _ = busy.accept()
                with suppress(OSError):
                    link.sendall(b"\x20\x02\x00\x00")  # CONNACK
                held.enter_context(link)

        Thread(target=answer, daemon=True).start()
        link = Subscription(broker(f"mqtt://127.0.0.1:{port}"), "s", keep=lambda *_: None, notify=print)
        link.__enter__()
        time.sleep(0.3)
        ended = Thread(target=link.__exit__, args=(None, None, None), daemon=True)
        ended.start()
        ended.join(9.0)
        assert not ended.is_alive() and not link._thread.is_alive()
