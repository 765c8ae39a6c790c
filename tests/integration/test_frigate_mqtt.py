"""`amr watch mqtt://...` with a real broker: an acknowledged message is kept, whatever is killed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j.localdb import Connection
from amr_neo4j.store.database import Database
from tests.support.amr_command import Amr, amr_at
from tests.support.live_streams import free_port
from tests.unit.test_frigate import by_mqtt

# Debian keeps it in a folder that is not in every user's PATH.
MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
pytestmark = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed: apt-get install mosquitto")


@dataclass
class Broker:
    """A mosquitto on this machine. address: for `amr watch`."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}/frigate"

    def start(self) -> None:
        assert MOSQUITTO
        config = self.folder / "mosquitto.conf"
        config.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {self.folder}/\nmax_queued_messages 0\nuser {self.folder.owner()}\n"
        )
        self.process = subprocess.Popen([MOSQUITTO, "-c", str(config)], stderr=subprocess.DEVNULL)

    def stop(self) -> None:
        assert self.process
        self.process.terminate()
        self.process.wait(timeout=20)

    def publish(self, messages: list[tuple[str, dict[str, Any]]]) -> None:
        """Publish messages with quality of service 1, as Frigate does with `qos: 1`."""
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        client = Client(CallbackAPIVersion.VERSION2)
        until(lambda: _connects(client, self.port), "the broker answers")
        client.loop_start()
        sent = [client.publish(f"frigate/{topic}", json.dumps(message), qos=1) for topic, message in messages]
        for each in sent:
            each.wait_for_publish(timeout=60)
        client.disconnect()
        client.loop_stop()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    broker = Broker(folder, free_port())
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def amr(neo4j_connection: Connection, tmp_path: Path, group_id: str) -> Amr:
    return amr_at(neo4j_connection, tmp_path / "data").of(group_id)


@contextmanager
def watching(amr: Amr, address: str) -> Iterator[subprocess.Popen[str]]:
    """Run `amr watch` until the block ends, and then end it as a service is ended."""
    command = [sys.executable, "-m", "amr_neo4j", "watch", address]
    process = subprocess.Popen(
        command, env=amr.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=60)
    finally:
        process.kill()
        process.wait()


def until(holds: Callable[[], object], what: str, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.2)


def heard(process: subprocess.Popen[str], words: str) -> list[str]:
    """Wait for a line with these words on standard error. Returns the lines up to it."""
    assert process.stderr
    said = [process.stderr.readline()]
    while words not in said[-1]:
        assert said[-1], f"ended without {words!r}: {said}"
        said.append(process.stderr.readline())
    return said


def _connects(client: Any, port: int) -> bool:
    try:
        client.connect("127.0.0.1", port)
    except OSError:
        return False
    return True


def stored(database: Database, amr: Amr) -> list[str]:
    rows = database.driver.execute_query(
        "MATCH (e:Event {group_id: $g}) RETURN e.summary_text AS text ORDER BY e.position",
        g=amr.environment["AMR_GROUP"],
    ).records
    return [row["text"] for row in rows]


def has_more(database: Database, amr: Amr, than: int) -> bool:
    return len(stored(database, amr)) > than


def life_of(number: int) -> list[tuple[str, dict[str, Any]]]:
    """The four messages of an event from its first to what a model wrote about it."""
    told = {"type": "description", "id": by_mqtt(number)["after"]["id"], "description": f"Visitor {number} waves."}
    return [
        ("events", by_mqtt(number, kind="new")),
        ("events", by_mqtt(number, kind="update", entered_zones=["porch"])),
        ("events", by_mqtt(number, kind="end", entered_zones=["porch"])),
        ("tracked_object_update", told),
    ]


@pytest.mark.soak
@pytest.mark.parametrize(("lives", "kills"), [(15, 1), pytest.param(250, 4, marks=pytest.mark.timeout(1200))])
def test_what_was_acknowledged_is_kept_once(
    broker: Broker, amr: Amr, database: Database, lives: int, kills: int
) -> None:
    """Killed between messages, with some published while nobody listens and a broker that restarts: none is lost or
    doubled.
    """
    messages = [message for number in range(lives) for message in life_of(number)]
    with watching(amr, broker.address) as process:
        heard(process, "is there")  # the session has begun, from which on the broker keeps what comes
        broker.publish([("events", {"type": "new", "after": "nothing"}), ("events", by_mqtt(lives, kind="new"))])
        until(lambda: stored(database, amr), "the first event is stored")
    share = len(messages) // (kills + 1)
    for kill in range(kills):
        with watching(amr, broker.address) as process:
            broker.publish(messages[kill * share : kill * share + share // 2])
            until(partial(has_more, database, amr, len(stored(database, amr))), "some are stored")
            process.kill()
        broker.publish(messages[kill * share + share // 2 : (kill + 1) * share])
        broker.stop()
        broker.start()
    broker.publish(messages[kills * share :])
    expected = [f"A person is seen in porch. Visitor {number} waves." for number in range(lives)]
    expected.append("A person is seen, still in progress.")
    with watching(amr, broker.address) as process:
        until(lambda: stored(database, amr) == expected, "all are stored", seconds=600 if lives > 100 else 120)
    assert process.returncode == 0


@pytest.mark.soak
def test_a_broker_that_is_away_is_said_once(broker: Broker, amr: Amr, database: Database) -> None:
    broker.stop()
    with watching(amr, broker.address) as process:
        first = heard(process, "is away")
        assert "Connection refused" in first[-1]
        time.sleep(3)  # in which it is tried again
        broker.start()
        said = heard(process, "is there")
        broker.publish(life_of(1))
        until(lambda: len(stored(database, amr)) == 1, "the event is stored")
    assert not any("is away" in line for line in said)
