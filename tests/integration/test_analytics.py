"""The analytics queries on the example household; expected rows were derived from its lines by hand."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from amr_neo4j import Memory
from amr_neo4j.cli.main import main
from amr_neo4j.conversations.export import IMPORTED, from_json
from amr_neo4j.errors import InputError
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.json_lines import read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.localdb import Connection
from amr_neo4j.store.database import Database
from amr_neo4j.store.statements import data_path
from amr_neo4j.store.write.clip_writer import ClipWriter
from amr_neo4j.store.write.episode_writer import EpisodeWriter
from amr_neo4j.store.write.mention_store import MentionStore
from tests.support.counting_embedder import CountingEmbedder
from tests.support.orwell import DOCUMENT

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
CYPHER = data_path("cypher")
MORNING, NOON, EVENING = "kitchen_morning", "kitchen_noon", "kitchen_evening"
NAMES = [each.name for each in Memory.analyses()]

Row = dict[str, Any]


def open_memory(server: Connection, group: str, data_dir: Path) -> Memory:
    return Memory.open(
        neo4j_uri=server.uri,
        neo4j_username=server.username,
        neo4j_password=server.password,
        group=group,
        data_dir=data_dir,
    )


@pytest.fixture(scope="module")
def kitchen(
    neo4j_connection: Connection, database: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Memory]:
    with open_memory(neo4j_connection, f"test-{uuid4()}", tmp_path_factory.mktemp("data")) as memory:
        for path in sorted(KITCHEN.glob("*.jsonl")):
            take_in(database, memory.group_id, path.read_text().splitlines())
        converse(database, memory.group_id)
        yield memory


def take_in(database: Database, group: str, lines: list[str]) -> None:
    writer = ClipWriter(database, jump_gap_sec=30.0, language="en", now=_utc_now)
    clips = read_lines(lines, group_id=group)
    receipts = list(ingest(clips, Committer(writer, CountingEmbedder(), ENGLISH), clips_per_transaction=8))
    assert {receipt.outcome for receipt in receipts} == {"committed"}


def converse(database: Database, group: str) -> None:
    """A conversation of the user and the session that the files name, with what it mentions and states."""
    document = json.loads(json.dumps(DOCUMENT).replace("session_0", "monday"))
    episodes, found = from_json(document, group, "anna", _utc_now(), ENGLISH)
    embedder = CountingEmbedder()
    vectors = embedder.embed([episode.content for episode in episodes])
    EpisodeWriter(database, language="en", now=_utc_now).commit(episodes, vectors, (embedder.model, embedder.dim))
    MentionStore(database, group, now=_utc_now).take_in("anna", found, IMPORTED)


def _utc_now() -> datetime:
    return datetime.now(UTC)


def picked(rows: list[Row], *columns: str) -> list[tuple[Any, ...]]:
    return [tuple(row[column] for column in columns) for row in rows]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_pasted_into_browser_gives_the_program_s_result(
    name: str, kitchen: Memory, database: Database
) -> None:
    """Browser passes no parameters: the file contains values, of which only the group is replaced here."""
    file = (CYPHER / "analytics" / f"{name}.cypher").read_text()
    pasted = database.driver.execute_query(file.replace("'demo'", f"'{kitchen.group_id}'"))
    ours = kitchen.analytics(name)
    assert [list(record.values()) for record in pasted.records] == [list(row.values()) for row in ours]
    assert bool(ours) == (name != "orphans")


@pytest.mark.parametrize(
    "script", sorted((CYPHER / "browser" / "scripts").glob("*.cypher")), ids=lambda path: path.stem
)
def test_a_saved_script_pasted_into_browser_draws_a_graph(script: Path, kitchen: Memory, database: Database) -> None:
    [first] = database.driver.execute_query(
        "MATCH (e:Event {group_id: $group}) RETURN min(e.node_id)", group=kitchen.group_id
    ).records[0]
    pasted = script.read_text().replace("'demo'", f"'{kitchen.group_id}'").replace(" 0 AS", f" {first} AS")
    graph = database.driver.execute_query(pasted, result_transformer_=neo4j.Result.graph)
    assert len(graph.nodes) > 5
    assert len(graph.relationships) > 5


@pytest.mark.parametrize(
    "file",
    sorted(CYPHER.glob("analytics/*.cypher")) + sorted(CYPHER.glob("browser/*/*.cypher")),
    ids=lambda p: p.stem,
)
def test_a_file_to_paste_is_one_statement_under_its_name(file: Path) -> None:
    """Browser shows no rows of several statements, and names a saved script by its first line."""
    text = file.read_text()
    assert ";" not in text
    assert text.startswith("// ")
    assert "\nWITH 'demo' AS group_id" in text


def test_an_object_timeline_lists_each_change_of_the_keys(kitchen: Memory) -> None:
    rows = kitchen.analytics("object_timeline", object="Anna's keys")
    changes = [row for row in rows if row["to_state"]]
    assert picked(changes, "video_id", "time_start", "verb", "actor", "to_state") == [
        (MORNING, 193.0, "take", "anna", "held"),
        (MORNING, 201.0, "put down", "anna", "placed"),
        (MORNING, 305.0, "pick up", "ben", "held"),
        (MORNING, 305.0, "put down", "ben", "placed"),
        (MORNING, 479.0, "pick up", "anna", "held"),
        (EVENING, 26.0, "put", "anna", "placed"),
        (EVENING, 225.0, "pick up", "ben", "held"),
        (EVENING, 319.0, "lay", "ben", "placed"),
    ]
    assert changes[-1]["spatial_relation"] == "on top of the fridge"
    assert rows == [asdict(step) for step in kitchen.lifecycle("key")]


def test_a_state_lasts_until_another_and_the_last_until_the_end_of_its_video(kitchen: Memory) -> None:
    """The lamp: on 07:40:02, still on 07:52:26, off 12:06:08, on 18:25:21, off 18:35:29; seen until 18:36:06."""
    on = (2, 15_966.0 + 608.0, 15_966.0)
    off = (2, 22_753.0 + 37.0, 22_753.0)
    rows = {row["state"]: row for row in kitchen.analytics("state_durations", object="the lamp")}
    assert {state: (row["times"], row["seconds"], row["longest"]) for state, row in rows.items()} == {
        "on": on,
        "off": off,
    }


def test_opening_and_closing_within_one_event_lasts_no_time(kitchen: Memory) -> None:
    """The fridge: open for 28 s in the morning and 65 s at night, and three times opened and closed at once."""
    [row] = [row for row in kitchen.analytics("state_durations", object="fridge") if row["state"] == "open"]
    assert (row["kind"], row["times"], row["seconds"], row["longest"]) == ("open", 5, 93.0, 65.0)


def test_hand_overs_are_direct_or_put_down_in_between(kitchen: Memory) -> None:
    rows = kitchen.analytics("hand_overs")
    courier = "man_yellow_jacket"
    assert picked(rows, "object", "from", "to", "video_id", "time_start") == [
        ("blue mug", "ben", "anna", MORNING, 127.0),
        ("key", "anna", "ben", MORNING, 305.0),
        ("blue mug", "anna", "ben", MORNING, 395.0),
        ("key", "ben", "anna", MORNING, 479.0),
        ("umbrella", "ben", "anna", MORNING, 495.0),
        ("red mug", "anna", "ben", MORNING, 607.0),
        ("phone", "anna", "ben", MORNING, 663.0),
        ("parcel", courier, "ben", NOON, 223.0),
        ("scanner", courier, "ben", NOON, 339.0),
        ("scanner", "ben", courier, NOON, 346.0),
        ("phone", "ben", "anna", EVENING, 83.0),
        ("parcel", "ben", "anna", EVENING, 151.0),
        ("knife", "ben", "anna", EVENING, 160.0),
        ("parcel", "anna", "ben", EVENING, 210.0),
        ("key", "anna", "ben", EVENING, 225.0),
        ("red mug", "ben", "anna", EVENING, 259.0),
    ]
    given = [row for row in rows if not row["put_down_between"]]
    assert picked(given, "object", "gave", "took") == [("parcel", "hand", None), ("scanner", "hand", None)]


def test_who_met_whom_counts_who_took_part(kitchen: Memory) -> None:
    """Ben is heard from the hall, and the radio in the kitchen; Clara is only spoken of."""
    assert [list(row.values()) for row in kitchen.analytics("who_met_whom")] == [
        ["anna", "ben", 18, MORNING, 52.0, EVENING, 499.0],
        ["ben", "man_yellow_jacket", 4, NOON, 197.0, NOON, 346.0],
        ["ben", "voice_radio", 1, MORNING, 419.0, MORNING, 419.0],
    ]


def test_the_duration_of_an_open_state_counts_from_its_opening(kitchen: Memory) -> None:
    assert picked(kitchen.analytics("left_open_or_on"), "object", "state", "actor", "video_id", "since") == [
        ("parcel", "open", "anna", EVENING, 175.0),
        ("fridge", "open", "ben", EVENING, 601.0),
    ]


def test_busiest_times_count_every_event_once(kitchen: Memory) -> None:
    busiest = kitchen.analytics("busiest_times")[0]
    assert list(busiest.values()) == [MORNING, 0.0, 60.0, 6, 2, 6]
    halves = {
        (row["video_id"], row["time_start"]): row["events"] for row in kitchen.analytics("busiest_times", window=600)
    }
    assert sum(halves.values()) == 129
    assert (halves[MORNING, 600.0], halves[EVENING, 600.0]) == (9, 4)


def test_a_person_is_found_by_any_form_of_the_name(kitchen: Memory) -> None:
    columns = ("video_id", "events", "acts", "speaks", "mentioned", "first_time", "last_time")
    visitor = kitchen.analytics("person_across_videos", person="a man in a yellow jacket")
    assert picked(visitor, *columns) == [(NOON, 5, 5, 4, 0, 197.0, 355.0)]
    assert picked(kitchen.analytics("person_across_videos", person="Clara"), *columns) == [
        (MORNING, 1, 0, 0, 1, 229.0, 240.0),
        (NOON, 1, 0, 0, 1, 24.0, 38.0),
        (EVENING, 2, 0, 0, 2, 63.0, 448.0),
    ]


def test_channel_degrees_add_up_to_the_number_of_edges(kitchen: Memory) -> None:
    """129 events of 3 videos: each but the last of a video has a next one, so 126 edges touch all of them."""
    rows = {row["channel"]: row for row in kitchen.analytics("channel_degrees")}
    assert {channel: row["edges"] for channel, row in rows.items()} == kitchen.stats().channels
    assert list(rows["TEMPORAL"].values()) == ["TEMPORAL", 126, 129, 1.95, 2]


def test_orphans_are_lone_events_and_persons_without_events(
    neo4j_connection: Connection, database: Database, group_id: str, tmp_path: Path
) -> None:
    event = {"time_start": 1, "time_end": 2, "summary": "A dog barks."}
    line = {
        "video_id": "v",
        "clip_id": "c",
        "t_start": 0,
        "t_end": 10,
        "analysis": {"clip_summary": "", "events": [event]},
    }
    take_in(database, group_id, [json.dumps(line)])
    database.driver.execute_query(
        """
        CREATE (:Person {group_id: $group, scope: '', person_id: 'nobody'})
        CREATE (:Object {group_id: $group, place: 'hall', name: 'nothing'})
        """,
        group=group_id,
    )
    with open_memory(neo4j_connection, group_id, tmp_path) as memory:
        rows = memory.analytics("orphans")
    assert picked(rows, "kind", "what") == [("event", "A dog barks."), ("object", "hall"), ("person", "")]


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("nonsense", {}, "hand_overs"),
        ("hand_overs", {"object": "keys"}, "no parameter object"),
        ("object_timeline", {"group_id": "another"}, "no parameter group_id"),
        ("busiest_times", {"window": "soon"}, "window=60"),
        ("busiest_times", {"window": 0}, "window=60"),
        ("busiest_times", {"window": float("nan")}, "window=60"),
    ],
)
def test_an_invalid_query_is_refused_with_advice(name: str, params: Row, said: str, kitchen: Memory) -> None:
    with pytest.raises(InputError, match=said):
        kitchen.analytics(name, **params)


def test_the_command_prints_what_python_returns(kitchen: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("uri", "username"):
        monkeypatch.setenv(f"NEO4J_{name.upper()}", getattr(kitchen.settings, f"neo4j_{name}"))
    monkeypatch.setenv("NEO4J_PASSWORD", kitchen.settings.neo4j_password.get_secret_value())
    monkeypatch.setenv("AMR_GROUP", kitchen.group_id)
    expected = kitchen.analytics("object_timeline", object="fridge")
    asked = ["analytics", "object_timeline", "--param", "object=the Fridge"]
    shown = list(csv.DictReader(io.StringIO(printed(*asked, "--csv"))))
    assert [row["summary_text"] for row in shown] == [row["summary_text"] for row in expected]
    assert {row["at"] for row in shown} == {row["at"].isoformat() for row in expected}
    assert [row["node_id"] for row in json.loads(printed(*asked, "--json"))["items"]] == [
        row["node_id"] for row in expected
    ]
    assert len(printed("analytics", "busiest_times", "--param", "window=600").splitlines()) == 1 + 5
    assert printed("analytics", "orphans") == "no matches\n"


def printed(*arguments: str) -> str:
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    return out.getvalue()
