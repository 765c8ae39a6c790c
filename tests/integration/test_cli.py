"""The real `amr` on a real Neo4j, fed with JSON lines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.errors import ModelMissing, NotInMemory
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.localdb import Connection
from amr_neo4j.settings import load
from tests.support.amr_command import Amr, Done, amr_at
from tests.support.model_server import ModelServer

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def amr(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Amr:
    return amr_at(neo4j_connection, tmp_path_factory.mktemp("data"))


def _line(number: int, verb: str, where: str, video: str = "kitchen") -> Json:
    event = {
        "time_start": 1.0,
        "time_end": 4.5,
        "summary": f"Anna {verb} the keys {where}.",
        "actors": ["C1"],
        "objects": [{"name": "keys"}],
        "actions": [{"actor": "C1", "verb": verb, "object": "keys", "spatial_relation": where}],
    }
    anna = {"local_character_id": "C1", "name_or_description": "Anna"}
    analysis = {"clip_summary": f"Clip {number}.", "characters": [anna], "events": [event]}
    return {
        "video_id": video,
        "clip_id": f"c{number}",
        "t_start": number * 10.0,
        "t_end": number * 10.0 + 10.0,
        "recorded_at": "2026-03-01T09:00:00+01:00",
        "analysis": analysis,
    }


LIFE = ["place", "video", "time", "when", "verb", "actor", "from", "to", "where", "event", "summary"]
LINES = [
    json.dumps(_line(0, "picks up", "from the hook")),
    json.dumps(_line(1, "puts down", "on the table")),
    '{"video_id": "kitchen", "clip_id": "c2", "t_start": 20.0, "t_end": 30.0, "analysis": {"clip_summary": "half a',
    "",
    json.dumps(_line(3, "picks up", "from the table")),
]


@pytest.fixture(scope="module")
def first(amr: Amr, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The kitchen's file, and its first ingestion: a line in the middle is broken, the others are kept."""
    path = tmp_path_factory.mktemp("lines") / "kitchen.jsonl"
    path.write_text("\n".join(LINES))
    return path, amr("ingest", str(path), code=65)


@pytest.fixture(scope="module")
def kitchen(first: tuple[Path, Done]) -> Path:
    return first[0]


def test_a_broken_line_is_named_and_the_others_are_kept(first: tuple[Path, Done]) -> None:
    path, done = first
    assert done.stdout.splitlines()[0] == "3 clips committed, 0 unchanged, 1 rejected; 3 events in 30 s of video"
    begun, said, advice = done.stderr.splitlines()
    assert begun == f"taking in {path} ..."
    assert said.startswith(f"{path}: line 3: ") and "docs/clip-analyses.md" in advice


def test_a_second_run_changes_nothing(amr: Amr, kitchen: Path) -> None:
    before = amr.json("stats")
    report = amr.json("ingest", str(kitchen), code=65)
    assert (report["committed"], report["unchanged"], report["rejected"], report["events"]) == (0, 3, 1, 0)
    assert len(report["errors"]) == 1
    assert amr.json("stats") == before


def test_standard_input_is_read_like_a_file(amr: Amr, kitchen: Path) -> None:
    more = LINES[0] + "\n" + json.dumps(_line(9, "picks up", "", "hall"))
    report = json.loads(amr("ingest", "-", "--json", stdin=more).stdout)
    assert (report["committed"], report["unchanged"], report["rejected"]) == (1, 1, 0)
    assert report["errors"] == []


def test_other_content_under_the_same_clip_is_rejected_by_name(amr: Amr, kitchen: Path) -> None:
    done = amr("ingest", "-", stdin=json.dumps(_line(0, "puts down", "elsewhere")), code=65)
    assert done.stderr.splitlines()[1].startswith("stdin: kitchen/c0: ")
    assert done.stdout == "0 clips committed, 0 unchanged, 1 rejected; 0 events in 0 s of video\n"


def test_one_bad_file_does_not_stop_the_others(amr: Amr, kitchen: Path, tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("no video")
    (tmp_path / "b.jsonl").write_text(LINES[0])
    report = amr.json("ingest", str(tmp_path), code=65)
    assert (report["unchanged"], report["rejected"]) == (1, 1)
    assert "a.mp4" in report["errors"][0]


def test_show_follows_the_graph(amr: Amr, kitchen: Path) -> None:
    [clip] = amr.items("show", "clip", "c1", "--video", "kitchen")
    [summary] = clip["events"]
    event = amr.json("show", "event", str(summary["node_id"]))
    assert event["summary_text"] == "Anna puts down the keys on the table."
    assert event["at"] == "2026-03-01T09:00:11+01:00", "in the time zone of the recording"
    assert event["actions"] == [
        {"actor": "anna", "verb": "puts down", "object": "keys", "spatial_relation": "on the table"}
    ]
    assert {edge["channel"] for edge in event["edges"]} == {"TEMPORAL", "OBJECT_LIFECYCLE"}
    assert event["people"] == [{"person": "anna", "role": "actor"}]
    shown = amr.here("show", "event", str(summary["node_id"])).stdout
    assert "kitchen 00:00:11-00:00:14.5" in shown and "Sun 2026-03-01 09:00:11+01:00" in shown
    assert "put down" in shown
    for table in (
        ["search", "keys", "--all"],
        ["show", "video", "kitchen"],
        ["show", "around", str(summary["node_id"])],
        ["show", "object", "keys"],
        ["show", "person", "Anna"],
        ["lifecycle", "keys"],
        ["counts", "person"],
        ["persons"],
        ["objects"],
    ):
        assert "Sun 2026-03-01 09:0" in amr.here(*table).stdout, table
    assert amr.json("show", "video", "kitchen")["clips"] == 3
    [person] = amr.items("show", "person", "Anna", "--events", "2")
    assert len(person["events"]) == 2
    [thing] = [row for row in amr.items("show", "object", "the keys") if row["place"] == "kitchen"]
    assert [event["to_state"] for event in thing["events"]] == ["held", "placed", "held"]


def test_lifecycle_lists_an_object_s_states_in_order(amr: Amr, kitchen: Path) -> None:
    rows = [row for row in amr.items("lifecycle", "keys") if row["place"] == "kitchen"]
    assert [(row["from_state"], row["to_state"]) for row in rows] == [
        ("placed", "held"),
        ("held", "placed"),
        ("placed", "held"),
    ]
    head, *lines = amr.here("lifecycle", "keys").stdout.splitlines()
    assert head.split() == LIFE
    assert any("on the table" in line and "00:00:11-00:00:14.5" in line for line in lines)


def test_videos_and_stats_count(amr: Amr, kitchen: Path) -> None:
    [video] = [row for row in amr.json("videos")["items"] if row["video_id"] == "kitchen"]
    assert (video["clips"], video["events"], video["seen_until"]) == (3, 3, 40.0)
    assert amr.json("stats")["channels"]["TEMPORAL"] == 2
    assert "kitchen" in amr.here("videos").stdout


def test_ask_and_search_find_it_again(amr: Amr, kitchen: Path) -> None:
    answer = amr.json("ask", "Where are the keys?", "--video", "kitchen")
    assert answer["found"]
    assert answer["question"]["type"] == "Object_Tracking"
    cited = {citation["node_id"] for citation in answer["citations"]}
    assert cited <= {hit["event"]["node_id"] for hit in answer["evidence"]}
    assert cited
    printed = amr.here("ask", "Where are the keys?", "--video", "kitchen").stdout
    assert "kitchen 00:00:" in printed
    hits = amr.items("search", "keys on the table", "--limit", "1")
    assert ["keys" in hit["event"]["summary_text"] for hit in hits] == [True]
    assert amr.json("ask", "Where is the elephant?")["found"] is False
    found = amr.items("search", "keys", "--video", "kitchen", "--order", "latest")
    latest = [hit["event"]["node_id"] for hit in found]
    assert latest == sorted(latest, reverse=True) and len(latest) == 3
    around = amr.json("show", "around", str(latest[0]), "--before", "20")
    assert [event["node_id"] for event in around] == latest[1::-1]
    assert "puts down the keys" not in amr.here("show", "around", str(latest[0]), "--before", "5").stdout
    later = amr.here("show", "around", str(latest[0]), "--as-of", "2026-01-01", code=66).stderr
    assert "is not in group" in later and "by then" in later
    timeline = amr.json("show", "video", "kitchen", "--since", "10", "--until", "0:12")["timeline"]
    assert [event["time_start"] for event in timeline] == [11.0]
    heading, *lines = amr.here("context", "keys on the table", "--tokens", "100").stdout.splitlines()
    assert heading.startswith("kitchen, Sunday 1 March 2026") and "puts down the keys on the table" in "".join(lines)
    told = amr.json("context", "keys", "--video", "kitchen")["lines"]
    assert {line["citation"]["video_id"] for line in told if line["citation"]} == {"kitchen"}


@pytest.mark.parametrize("what", [["event", "999999999"], ["clip", "none"], ["video", "none"], ["person", "Nobody"]])
def test_an_unknown_name_exits_with_66(amr: Amr, what: list[str]) -> None:
    done = amr.here("show", *what, code=66)
    assert done.stdout == ""
    assert [line[:5] for line in done.stderr.splitlines()] == ["amr: ", "     "]


@pytest.mark.parametrize("command", ["ask", "context", "search"])
def test_an_empty_group_exits_with_66(amr: Amr, kitchen: Path, command: str) -> None:
    """Reported at once, without the names of existing groups, which may be confidential."""
    said = amr.of("kichten").refused(command, "Where are the keys?", code=66)
    assert said == "amr: nothing has been taken into group kichten yet"
    nobodys = load(**_settings(amr), group="kichten")
    with Memory.open(nobodys) as memory, pytest.raises(NotInMemory, match="amr ingest") as caught:
        getattr(memory, command)("Where are the keys?", videos=["kitchen"])
    assert amr.server["AMR_GROUP"] not in str(caught.value)


def _settings(amr: Amr) -> dict[str, str]:
    return {name.lower(): value for name, value in amr.server.items() if name.startswith("NEO4J_")}


def test_a_missing_path_exits_with_66(amr: Amr) -> None:
    assert "nowhere" in amr.here("ingest", "/nowhere.jsonl", code=66).stderr


def test_the_index_is_rebuilt_from_the_graph(amr: Amr, kitchen: Path) -> None:
    status = amr.json("index", "status")
    assert status["indexed"] == status["stored"] > 0
    assert amr.json("index", "rebuild")["indexed"] == status["stored"]


def test_doctor_finds_no_fault(amr: Amr, kitchen: Path) -> None:
    findings = amr.json("doctor")
    assert [row["check"] for row in findings if row["exit_code"]] == []
    assert {"database", "schema", "group", "index"} <= {row["check"] for row in findings}


def test_a_wrong_password_and_an_unreachable_server_are_distinguished(amr: Amr) -> None:
    stranger = Amr(amr.server | {"NEO4J_PASSWORD": "not-the-one"})
    assert "refuses" in stranger.here("stats", code=77).stderr
    nobody = Amr(amr.server | {"NEO4J_URI": "bolt://127.0.0.1:1"})
    done = nobody("stats", code=69)
    assert "does not answer" in done.stderr
    assert len(done.stderr.splitlines()) == 2, "the driver's log does not chatter"


def test_another_embedder_exits_with_78(amr: Amr, kitchen: Path) -> None:
    try:
        model_dir(load(), "multilingual-e5")
    except ModelMissing as error:
        pytest.skip(str(error))
    other = Amr(amr.server | {"AMR_EMBEDDER": "multilingual-e5"})
    said = other.here("ask", "Where are the keys?", code=78).stderr
    assert "e5-small-v2 (384" in said
    assert "amr index reembed" in said


def test_claims_of_a_model_are_printed_as_they_arrive(amr: Amr, kitchen: Path) -> None:
    """The first sentence is printed while the model hangs within the second, which is never printed."""
    answer = amr.json("ask", "Where are the keys?")["text"]
    citation = answer[answer.index("[event") :].rstrip(".")
    with ModelServer() as server:
        first = f"They are on the table {citation}."
        told = [{"text": "They are on the table.", "events": [citation]}]
        told.append({"text": "Nobody has touched them in all that was seen ever since then.", "events": [citation]})
        server.then(json.dumps({"answerable": True, "claims": told}), fault="hang_midway")
        roles = {"AMR_TEXT__PROVIDER": "none", "AMR_JUDGE__PROVIDER": "none", "AMR_ANSWER__PROVIDER": server.url}
        process = subprocess.Popen(
            [sys.executable, "-m", "amr_neo4j", "ask", "Where are the keys?"],
            env=amr.environment | roles,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout and process.stdout.read(len(first)) == first
    rest, noted = process.communicate(timeout=60)
    assert rest.startswith("\n") and "Nobody" not in rest and "event " in rest
    assert "the answer broke off" in noted and process.returncode == 0


def test_weights_from_the_user_are_validated(amr: Amr, kitchen: Path, tmp_path: Path) -> None:
    ours = ROOT / "amr_neo4j" / "recall" / "rank" / "channels.yaml"
    own = tmp_path / "channels.yaml"
    named = Amr(amr.server | {"AMR_CHANNELS_FILE": str(own)})
    assert "No such file" in named.refused("ask", "Where are the keys?", code=78)
    own.write_text(ours.read_text("utf-8").replace("OBJECT_LIFECYCLE: 1.0", "OBJECT_LIFECICLE: 1.0"), "utf-8")
    assert f"{own}: weights.Object_Tracking.OBJECT_LIFECICLE: " in named.refused("search", "keys", code=78)
    own.write_text(ours.read_text("utf-8"), "utf-8")
    assert named.json("ask", "Where are the keys?")["found"]
    [shown] = [row for row in named.json("config", "show") if row["setting"] == "channels_file"]
    assert (shown["value"], shown["origin"]) == (str(own), "AMR_CHANNELS_FILE")


def test_a_closed_pipe_is_no_error(amr: Amr, kitchen: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "amr_neo4j", "videos", "--json"],
        env=amr.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == ""


def test_ask_with_as_of_ignores_later_events(amr: Amr, kitchen: Path) -> None:
    """As of the end of the first clip, nothing later is cited. As known before the first write, there is nothing."""
    early = amr.json("ask", "Where are the keys?", "--video", "kitchen", "--as-of", "00:10", "--explain")
    assert early["found"] and {hit["event"]["clip_ids"][0] for hit in early["evidence"]} == {"c0"}
    assert set(early["trace"]["stages"]) == {"classify", "anchor", "navigate", "verify", "answer"}
    assert not amr.json("ask", "Where are the keys?", "--known-at", "2020-01-01T00:00:00Z")["found"]
    assert amr.items("search", "keys", "--until", "5", "--video", "kitchen")
    assert "nobody_atall is not in group" in amr.here("search", "keys", "--person", "Nobody Atall", code=66).stderr


@pytest.mark.parametrize(
    ("bounds", "code"),
    [
        (["--video", "nowhere"], 66),
        (["--since", "10", "--until", "5"], 65),
        (["--as-of", "noon"], 2),
        (["--known-at", "2020-13-01T00:00:00"], 2),
    ],
)
def test_an_invalid_bound_is_refused_in_one_line(amr: Amr, kitchen: Path, bounds: list[str], code: int) -> None:
    done = amr.here("ask", "Where are the keys?", *bounds, code=code)
    assert not done.stdout and done.stderr.strip()
