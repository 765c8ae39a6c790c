"""amr forget and Memory.forget_videos: every place that keeps footage, the receipt, and interruptions."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from amr_neo4j import InputError, Memory
from amr_neo4j.app.live_recordings import hold
from amr_neo4j.domain.episode import forgotten_group_key
from amr_neo4j.domain.live import Recording, SpooledClip
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import NotInMemory
from amr_neo4j.localdb import Connection
from amr_neo4j.spool import CLIPS_FILE, JOBS_FILE, LIVE_FILE
from amr_neo4j.spool.clips import ClipSpool
from amr_neo4j.spool.jobs import JobSpool
from amr_neo4j.spool.live import LiveSpool
from tests.support.amr_command import Amr, amr_at
from tests.support.chatting import rows
from tests.support.spooled_clips import clip as spooled

SAID = {
    "kitchen": ["Anna puts the keys on the table.", "Ben takes the keys.", "Anna opens the fridge."],
    "hall": ["Ben puts the parcel on the floor.", "Carla opens the door."],
}
COUNTS = ("videos", "clips", "events", "persons", "objects", "vectors")


@pytest.fixture
def amr(neo4j_connection: Connection, tmp_path: Path) -> Amr:
    """The kitchen and the hall."""
    amr = amr_at(neo4j_connection, tmp_path / "data")
    amr.here("ingest", str(lines(tmp_path, "kitchen")), str(lines(tmp_path, "hall")))
    return amr


def lines(folder: Path, video_id: str, **also: Any) -> Path:
    file = folder / f"{video_id}.jsonl"
    file.write_text("\n".join(line(video_id, n, text, **also) for n, text in enumerate(SAID[video_id])))
    return file


def line(video_id: str, number: int, summary: str, **also: Any) -> str:
    who, verb, _, thing = summary.rstrip(".").split()[:4]
    action = {"actor": who, "verb": verb.rstrip("s"), "object": thing}
    event = {"time_start": 1.0, "time_end": 2.0, "summary": summary, "actors": [who], "actions": [action]}
    people = [{"local_character_id": "C1", "name_or_description": who}]
    said = {"clip_summary": f"{who} is there.", "characters": people, "events": [event]}
    clip = {"video_id": video_id, "clip_id": f"c{number}", "t_start": number * 60.0, "t_end": number * 60.0 + 60}
    return json.dumps(clip | {"place": "home", "analysis": said} | also)


def memory_of(amr: Amr) -> Memory:
    there = amr.server
    return Memory.open(
        neo4j_uri=there["NEO4J_URI"],
        neo4j_username=there["NEO4J_USERNAME"],
        neo4j_password=there["NEO4J_PASSWORD"],
        group=there["AMR_GROUP"],
        data_dir=Path(there["AMR_DATA_DIR"]),
    )


def digest_of(amr: Amr, folder: Path, *videos: str) -> str:
    """The digest of a group that took in only these videos."""
    other = amr.of(f"{amr.server['AMR_GROUP']}-other")
    other.here("ingest", *(str(folder / f"{video}.jsonl") for video in videos))
    return other.here("db", "digest").stdout


def jobs_of_server(folder: Path, group_id: str, user_id: str) -> JobSpool:
    """The jobs that a server left there: one that ended, and one that waits."""
    jobs = JobSpool(folder / "data" / JOBS_FILE)
    with jobs.transaction() as db:
        for state in ("completed", "pending"):
            film = json.dumps({"places": [f"/films/{state}-{user_id}.mp4"]})
            row = (f"{state} {user_id}", group_id, user_id, film, state)
            db.execute(
                "INSERT INTO jobs (id, group_id, user_id, arguments, state, action, attempts, progress, result,"
                " error, created_at, changed_at) VALUES (?, ?, ?, ?, ?, 'ingest', 1, '{}', '{}', '', '', '')",
                row,
            )
    return jobs


def words_of_jobs(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in (folder / "data").glob(f"{JOBS_FILE}*"))


def test_a_video_is_forgotten_everywhere(amr: Amr, tmp_path: Path) -> None:
    """It leaves graph, spools, snapshot. A dry run counts what the receipt counts; a repetition changes nothing."""
    group_id = amr.server["AMR_GROUP"]
    spool = ClipSpool(tmp_path / "data" / CLIPS_FILE)
    for video_id in ("kitchen", "hall"):
        spool.keep(spooled(video=Video(group_id, video_id)))
    spool.close()
    jobs_of_server(tmp_path, group_id, "").close()
    (tmp_path / "data" / "explorer").mkdir()
    (tmp_path / "data" / "explorer" / "segment_1.mp4").touch()
    amr.here("index", "rebuild")
    counted = amr.json("forget", "--video", "kitchen", "--dry-run")
    gone = amr.json("forget", "--video", "kitchen", "--yes")
    assert (gone["videos"], gone["clips"], gone["events"], gone["vectors"]) == (1, 3, 3, 3)
    assert (gone["persons"], gone["objects"], gone["waiting"]) == (1, 2, 1)  # Ben is in the hall
    assert {name: counted[name] for name in COUNTS} == {name: gone[name] for name in COUNTS}
    assert not list((tmp_path / "data").glob("vectors/*/event-*.npz"))
    assert not (tmp_path / "data" / "explorer").exists()
    assert b"/pending-" in words_of_jobs(tmp_path) and b"/completed-" not in words_of_jobs(tmp_path)
    assert [video["video_id"] for video in amr.json("videos")["items"]] == ["hall"]
    assert all(hit["event"]["video_id"] == "hall" for hit in amr.items("search", "parcel keys"))
    assert amr.here("db", "digest").stdout == digest_of(amr, tmp_path, "hall")
    assert amr.json("doctor", "--deep")
    assert amr.refused("forget", "--video", "kitchen", "--yes", code=66).startswith("amr: video kitchen is not in")
    assert amr.here("ingest", str(tmp_path / "kitchen.jsonl")).stdout.startswith("3 clips committed")


def test_what_waits_and_is_old_is_forgotten_by_time_and_by_retention(amr: Amr, tmp_path: Path) -> None:
    """Analyses and films of this machine, of videos of which the graph has nothing."""
    group_id, data = amr.server["AMR_GROUP"], tmp_path / "data"
    old, new = datetime.now(UTC) - timedelta(days=90), datetime.now(UTC)

    def wait() -> None:
        with closing(ClipSpool(data / CLIPS_FILE)) as spool, closing(LiveSpool(data / LIVE_FILE)) as live:
            spool.keep(spooled(video=Video(group_id, "attic", recorded_at=old)))
            spool.keep(spooled(video=Video(group_id, "porch", recorded_at=new)))
            live.begin(Recording(group_id, "yard", "rtsp://yard/1", old, str(data / "live"), recorded_at=old))
            film = data / "yard.mkv"
            film.touch()
            live.receive(group_id, SpooledClip("yard", "c1", str(film), 0.0, 10.0, new))

    wait()
    assert amr.json("forget", "--older-than", "30d", "--yes")["waiting"] == 2
    with memory_of(amr) as memory:
        assert memory._parts.clip_spool().waiting(group_id) == {"porch": 1}
        assert not memory._parts.live_spool().clips(group_id) and not (data / "yard.mkv").exists()
        writer = memory._parts.writer()
        assert len(writer.forgotten(Video(group_id, "attic")).keys) == 1
    wait()
    keeping = Amr(amr.server | {"AMR_RETENTION_DAYS": "30"})
    keeping.here("ingest", str(tmp_path / "hall.jsonl"))
    with memory_of(amr) as memory:
        assert memory._parts.clip_spool().waiting(group_id) == {"porch": 1}
        assert not memory._parts.live_spool().clips(group_id) and not (data / "yard.mkv").exists()


def test_a_name_that_is_not_known_is_refused_with_the_similar_ones(amr: Amr) -> None:
    for command in (["forget", "--yes", "--video"], ["forget", "--dry-run", "--video"], ["show", "video"]):
        assert "did you mean kitchen?" in amr.here(*command, "kitch", code=66).stderr
    assert "did you mean kitchen?" in amr.here("ask", "Where is it?", "--video", "kitchn", code=66).stderr
    assert "did you mean anna?" in amr.here("forget", "--person", "Ana", "--yes", code=66).stderr
    assert "did you mean anna?" in amr.here("show", "person", "Ana", code=66).stderr
    assert len(amr.json("videos")["items"]) == 2


def test_a_person_is_forgotten_with_what_receipts_say_of_them(amr: Amr, tmp_path: Path) -> None:
    with memory_of(amr) as memory:
        gone = memory.forget_videos(person="Anna")
        assert (gone.events, gone.clips, gone.stripped, gone.persons) == (2, 0, 2, 1)
        [clip] = memory.clips("c0", "kitchen")
        assert (clip.clip_summary, clip.status, clip.events) == ("", "committed", ())
        assert memory.ingest(tmp_path / "kitchen.jsonl").unchanged == 3
        assert [hit for hit in memory.search("Anna") if "Anna" in hit.event.summary_text] == []
        with memory._parts.database.session() as session:
            query = (
                "MATCH (n {group_id: $g}) WHERE any(k IN keys(n) WHERE toStringOrNull(n[k]) CONTAINS 'Anna') RETURN n"
            )
            assert list(session.run(query, g=memory.group_id)) == []


def test_who_wore_a_camera_is_forgotten_as_its_wearer(amr: Amr, tmp_path: Path) -> None:
    worn = [line(f"walk of {who}", 0, f"{who} rakes the leaves.", wearer=who) for who in ("Anna", "Ben")]
    (tmp_path / "walks.jsonl").write_text("\n".join(worn).replace("walk of Anna", "first walk"))
    amr.here("ingest", str(tmp_path / "walks.jsonl"))
    with memory_of(amr) as memory:
        memory.forget_videos(person="Anna")
        assert everything_containing(memory, "Anna") == []
        assert rows(memory, "MATCH (v:Video {group_id: $group_id}) WHERE v.wearer IS NOT NULL RETURN v.wearer") == [
            "Ben"
        ]


def test_who_calls_a_forgotten_person_by_name_is_not_quoted_where_the_event_is_gone(amr: Amr, tmp_path: Path) -> None:
    """What the same person says otherwise stays."""
    clip = json.loads(line("yard", 0, "Anna rakes the leaves."))
    clip["analysis"]["characters"].append(
        {"local_character_id": "C2", "name_or_description": "Ben", "speaker_id": "S1"}
    )
    clip["analysis"]["speaker_turns"] = [
        {"speaker_id": "S1", "utterance": "Close the gate, anna.", "time_start": 1.0, "time_end": 2.0},
        {"speaker_id": "S1", "utterance": "It is windy.", "time_start": 8.0, "time_end": 9.0},
    ]
    (tmp_path / "yard.jsonl").write_text(json.dumps(clip))
    amr.here("ingest", str(tmp_path / "yard.jsonl"))
    with memory_of(amr) as memory:
        memory.forget_videos(person="Anna")
        assert everything_containing(memory, "anna.") == []
        assert everything_containing(memory, "It is windy.")


@pytest.mark.parametrize(
    ("name", "goes", "stays"),
    [
        ("Ann-Kathrin", "Close the gate, Ann-Kathrin.", "Ann is at the gate."),
        ("Mrs. Smith", "Mrs. Smith, the gate!", "The smith is here."),
        ("Will", "Close the gate, Will.", "It will rain."),
    ],
)
def test_who_is_called_is_known_by_the_name_as_it_is_written(
    amr: Amr, tmp_path: Path, name: str, goes: str, stays: str
) -> None:
    clip = json.loads(line("yard", 0, "Anna rakes the leaves."))
    said = clip["analysis"]
    said["characters"][0]["name_or_description"] = said["events"][0]["actors"][0] = name
    said["events"][0]["actions"][0]["actor"] = name
    said["characters"].append({"local_character_id": "C2", "name_or_description": "Ben", "speaker_id": "S1"})
    said["speaker_turns"] = [
        {"speaker_id": "S1", "utterance": text, "time_start": 1.0 + 7 * n, "time_end": 2.0 + 7 * n}
        for n, text in enumerate((goes, stays))
    ]
    (tmp_path / "yard.jsonl").write_text(json.dumps(clip))
    amr.here("ingest", str(tmp_path / "yard.jsonl"))
    with memory_of(amr) as memory:
        memory.forget_videos(person=name)
        assert everything_containing(memory, goes) == []
        [kept] = rows(memory, "MATCH (c:Clip {group_id: $group_id, video_id: 'yard'}) RETURN c.speaker_turns")
        assert stays in kept


def test_what_has_not_ended_yet_is_not_forgotten_by_time(amr: Amr) -> None:
    """A live source goes on, whatever moment was named."""
    with memory_of(amr) as memory:
        memory.forget_videos(before=datetime.now(UTC) + timedelta(days=365))
        noted = "MATCH (f:ForgottenFootage {group_id: $group_id}) WHERE f.before IS NOT NULL RETURN f.before"
        [before] = rows(memory, noted)
        assert before.to_native() <= datetime.now(UTC)


def test_events_that_only_contain_a_forgotten_name_are_counted(amr: Amr, tmp_path: Path) -> None:
    """They are only counted, because the analysis lists nobody, and its words may mean somebody else."""
    said = {"clip_summary": "", "events": [{"time_start": 1.0, "time_end": 2.0, "summary": "A sign says anna-lena."}]}
    clip = {"video_id": "sign", "clip_id": "c0", "t_start": 0.0, "t_end": 10.0, "analysis": said}
    (tmp_path / "sign.jsonl").write_text(json.dumps(clip))
    amr.here("ingest", str(tmp_path / "sign.jsonl"))
    gone = amr.json("forget", "--person", "Anna", "--yes")
    assert (gone["events"], gone["naming"]) == (2, 1)


def everything_containing(memory: Memory, word: str) -> list[Any]:
    query = "MATCH (n {group_id: $g}) WHERE any(k IN keys(n) WHERE toStringOrNull(n[k]) CONTAINS $word) RETURN n"
    with memory._parts.database.session() as session:
        return list(session.run(query, g=memory.group_id, word=word))


def test_a_clip_is_forgotten_and_comes_back_only_by_naming_its_file(amr: Amr, tmp_path: Path) -> None:
    folder = tmp_path / "films"
    folder.mkdir()
    (tmp_path / "kitchen.jsonl").rename(folder / "kitchen.jsonl")
    counted = amr.json("forget", "--video", "kitchen", "--clip", "c1", "--dry-run")
    gone = amr.json("forget", "--video", "kitchen", "--clip", "c1", "--yes")
    assert (gone["videos"], gone["clips"], gone["events"], gone["vectors"]) == (0, 1, 1, 1)
    assert {name: counted[name] for name in COUNTS} == {name: gone[name] for name in COUNTS}
    assert amr.json("doctor", "--deep")
    assert "clip c1 of kitchen" in amr.refused("forget", "--video", "kitchen", "--clip", "c1", "--yes", code=66)
    done = amr.here("ingest", str(folder))
    assert done.stdout.startswith("0 clips committed, 3 unchanged")
    with memory_of(amr) as memory:
        assert everything_containing(memory, "Ben takes") == []
        report = memory.ingest(folder)
        [note] = report.notes
        assert "forgotten on" in note and "amr ingest FILE" in note
        # A whole film of JSON lines may go on under its id; what is there of it stays forgotten.
        memory.forget_videos(video_id="kitchen")
        assert memory.ingest(folder).committed == 0
        # A job that was given the file before, and begins only now, does not bring it back either.
        before = datetime.now(UTC) - timedelta(minutes=1)
        assert memory.ingest(folder / "kitchen.jsonl", asked_at=before).committed == 0
        memory.ingest_lines([line("kitchen", 7, "Dora opens the fridge.")])
        assert memory.ingest(folder / "kitchen.jsonl").committed == 3
        assert memory.ingest(folder).unchanged == 3


def test_what_was_forgotten_does_not_come_back_by_a_pipe(amr: Amr, tmp_path: Path) -> None:
    """What a camera sees after its film was forgotten as a whole is new, which a wall clock tells."""
    begun = datetime.now(UTC) - timedelta(hours=1)

    def caption(number: int, second: float, **more: str) -> str:
        return json.dumps(
            json.loads(line("door", number, "Emil rings the bell.")) | {"t_start": second, "t_end": second + 5} | more
        )

    clock = {"recorded_at": begun.isoformat()}
    lines = [caption(0, 0, **clock), caption(1, 3000, **clock)]
    later = caption(2, 7200, **clock)
    with memory_of(amr) as memory:
        assert memory.ingest_lines(iter(lines)).committed == 2
        memory.forget_videos(video_id="door", clip_id="c0")
        report = memory.ingest_lines(iter(lines))
        assert (report.committed, report.unchanged) == (0, 2) and "forgotten on" in report.notes[0]
        memory.forget_videos(video_id="door")
        assert (memory.ingest_lines(iter([*lines, later])).committed, len(memory.receipts("door"))) == (1, 1)
        file = tmp_path / "door.jsonl"
        file.write_text("\n".join(lines))
        assert memory.ingest(file).committed == 2


def test_a_piped_camera_comes_back_after_forgetting_what_memory_did_not_know(amr: Amr) -> None:
    """Its lines have no clock. What memory did know of it stays forgotten, also if it is forgotten twice."""
    old, new = (line("cam", number, "Emil rings the bell.") for number in (0, 1))
    with memory_of(amr) as memory:
        with pytest.raises(NotInMemory):
            memory.forget_videos(video_id="cam")
        assert memory.ingest_lines(iter([old])).committed == 1
        memory.forget_videos(video_id="cam")
        with pytest.raises(NotInMemory):
            memory.forget_videos(video_id="cam")
    with memory_of(amr) as memory:
        report = memory.ingest_lines(iter([old, new]))
        assert (report.committed, report.unchanged) == (1, 1)


def test_what_is_forgotten_while_lines_are_read_does_not_come_back_after_lines_of_many_films(amr: Amr) -> None:
    empty = {"clip_id": "c", "t_start": 0.0, "t_end": 1.0, "analysis": {"clip_summary": "", "events": []}}

    def read() -> Iterator[str]:
        first, *rest = (line("kitchen", n, text) for n, text in enumerate(SAID["kitchen"]))
        yield first
        memory.forget_videos(video_id="kitchen")
        yield from (json.dumps(empty | {"video_id": f"film {n}"}) for n in range(65))
        yield from rest

    with memory_of(amr) as memory:
        report = memory.ingest_lines(read())
        assert (report.committed, report.unchanged) == (65, 3)
        assert everything_containing(memory, "fridge") == []


def test_an_event_is_forgotten_and_its_clip_stays(amr: Amr, tmp_path: Path) -> None:
    """With its vector, its people, and what the receipt of its clip tells; the other event of the clip stays."""
    first = json.loads(line("yard", 0, "Emil puts the ladder on the grass."))
    event = first["analysis"]["events"][0]
    other = event | {"time_start": 30.0, "time_end": 31.0, "summary": "Fay opens the gate.", "actors": ["Fay"]}
    said = [
        {"speaker_id": "", "utterance": f"{word}!", "time_start": t, "time_end": t + 1}
        for word, t in (("Emil", 1), ("Gate", 30))
    ]
    first["analysis"] |= {
        "events": [event, other | {"actions": []}],
        "speaker_turns": said,
        "clip_summary": "Emil works.",
    }
    file = tmp_path / "yard" / "yard.jsonl"
    file.parent.mkdir()
    file.write_text(json.dumps(first))
    amr.here("ingest", str(file))
    with memory_of(amr) as memory:
        [hit] = [hit for hit in memory.search("ladder") if "ladder" in hit.event.summary_text]
        number = str(hit.event.node_id)
        for wrong in ({"video_id": "yard"}, {"person": "Emil"}, {"clip_id": "c0"}):
            with pytest.raises(InputError, match="number alone"):
                memory.forget_videos(event=hit.event.node_id, **wrong)
        with pytest.raises(InputError, match="with its video"):
            memory.forget_videos(clip_id="c0")
    gone = amr.json("forget", "--event", number, "--yes")
    assert (gone["clips"], gone["events"], gone["vectors"], gone["stripped"], gone["persons"]) == (0, 1, 1, 1, 1)
    assert f"event {number} is not in memory" in amr.refused("forget", "--event", number, "--yes", code=66)
    assert amr.json("doctor", "--deep")
    with memory_of(amr) as memory:
        assert everything_containing(memory, "Emil") == everything_containing(memory, "ladder") == []
        [clip] = memory.clips("c0", "yard")
        assert [len(clip.events), clip.status] == [1, "committed"]
        assert memory.ingest(file.parent).unchanged == memory.ingest(file).unchanged == 1
        assert len(everything_containing(memory, "Gate!")) >= 1


def test_retention_forgets_and_does_not_take_in_again(neo4j_connection: Connection, tmp_path: Path) -> None:
    """Clips that ended more than retention_days ago go at an ingest, those of another video too."""
    amr = amr_at(neo4j_connection, tmp_path / "data")
    now = datetime.now(UTC)
    old = lines(tmp_path, "kitchen", recorded_at=(now - timedelta(days=30, seconds=61)).isoformat())
    amr.here("ingest", str(old))
    keeping = Amr(amr.server | {"AMR_RETENTION_DAYS": "30"})
    done = keeping.here("ingest", str(lines(tmp_path, "hall", recorded_at=now.isoformat())))
    assert "forgotten" in done.stderr
    assert clips_of(keeping, "kitchen") == 2
    assert keeping.here("ingest", str(old)).stdout.startswith("0 clips committed, 2 unchanged")
    assert keeping.json("forget", "--expired", "--yes")["footage"]["clips"] == 0


def test_what_expires_takes_no_jobs_and_no_explorations_with_it(neo4j_connection: Connection, tmp_path: Path) -> None:
    """The nightly run of a server forgets so, too: a program may be asking for its job, or exploring."""
    amr = amr_at(neo4j_connection, tmp_path / "data")
    old = (datetime.now(UTC) - timedelta(days=30, seconds=61)).isoformat()
    amr.here("ingest", str(lines(tmp_path, "kitchen", recorded_at=old)))
    jobs_of_server(tmp_path, amr.server["AMR_GROUP"], "").close()
    (tmp_path / "data" / "explorer").mkdir()
    keeping = Amr(amr.server | {"AMR_RETENTION_DAYS": "30"})
    assert keeping.json("forget", "--expired", "--yes")["footage"]["clips"] > 0
    assert b"/completed-" in words_of_jobs(tmp_path)
    assert (tmp_path / "data" / "explorer").is_dir()


def clips_of(amr: Amr, video_id: str) -> int:
    return next((video["clips"] for video in amr.json("videos")["items"] if video["video_id"] == video_id), 0)


def test_a_whole_group_leaves_nothing(amr: Amr, tmp_path: Path) -> None:
    """Conversations of every user too; only tombstones without content stay, and it can begin anew."""
    amr.here("chat", "say", "I live in Seattle.", "--user", "anna", "--session", "monday")
    amr.here("chat", "say", "The soup is ready.", "--user", "ben", "--session", "monday")
    other = amr.of(amr.server["AMR_GROUP"] + "-empty")
    for group_id, user_id in ((amr.server["AMR_GROUP"], "anna"), ("another", "ida")):
        jobs_of_server(tmp_path, group_id, user_id).close()
    gone = amr.json("forget", "--group", amr.server["AMR_GROUP"], "--yes")
    assert (gone["footage"]["clips"], gone["conversations"]["episodes"], gone["users"]) == (5, 2, ["anna", "ben"])
    assert amr.here("db", "digest").stdout == other.here("db", "digest").stdout
    with memory_of(amr) as memory, memory._parts.database.session() as session:
        assert session.run("MATCH (n {group_id: $g}) RETURN labels(n)", g=memory.group_id).values() == []
    assert amr.here("ask", "Where are the keys?", code=66).stderr
    assert b"anna" not in words_of_jobs(tmp_path) and b"/completed-ida" in words_of_jobs(tmp_path)


def test_a_users_ended_jobs_go_with_the_user(amr: Amr, tmp_path: Path) -> None:
    for user_id in ("anna", "ben"):
        amr.here("chat", "say", "The soup is ready.", "--user", user_id, "--session", "monday")
        jobs_of_server(tmp_path, amr.server["AMR_GROUP"], user_id).close()
    amr.here("chat", "forget", "--user", "anna", "--session", "monday", "--yes")
    assert b"/completed-anna" in words_of_jobs(tmp_path)
    amr.here("chat", "forget", "--user", "anna", "--yes")
    assert b"/completed-anna" not in words_of_jobs(tmp_path) and b"/completed-ben" in words_of_jobs(tmp_path)


def test_what_is_not_said_is_refused(amr: Amr) -> None:
    for arguments in (["--yes"], ["--video", "kitchen"], ["--older-than", "soon", "--yes"], ["--expired", "--yes"]):
        assert amr.here("forget", *arguments, code=2).stderr
    with memory_of(amr) as memory:
        with pytest.raises(InputError, match="nothing was named to forget"):
            memory.forget_videos()
        with pytest.raises(InputError, match="before"):
            memory.forget_videos(before=datetime(2026, 3, 1))
        assert memory.stats().events == 5


SLOWLY = """
import sys
from amr_neo4j.store.write import forgetting
forgetting._EVENTS_AT_ONCE = 1
from amr_neo4j.cli.main import main
print("started", flush=True)
main(["forget", "--video", "long", "--yes"])
"""


def test_an_interrupted_forgetting_is_finished_by_the_next(amr: Amr, tmp_path: Path) -> None:
    """It is killed twice, with a transaction per clip. What is left is whole each time; in the end nothing is."""
    text = "Anna puts the keys on the table."
    (tmp_path / "long.jsonl").write_text("\n".join(line("long", n, text) for n in range(30)))
    amr.here("ingest", str(tmp_path / "long.jsonl"))
    left = []
    for delay in (0.01, 0.05):
        command = [sys.executable, "-c", SLOWLY]
        with subprocess.Popen(command, env=amr.environment, stdout=subprocess.PIPE) as process:
            assert process.stdout
            process.stdout.readline()
            before = clips_of(amr, "long")
            until = time.monotonic() + 60
            while clips_of(amr, "long") == before and time.monotonic() < until and process.poll() is None:
                time.sleep(0.01)
            time.sleep(delay)
            process.kill()
        left.append(clips_of(amr, "long"))
        with memory_of(amr) as memory:
            assert (memory.integrity.found("broken_chains"), memory.integrity.wrong_edges()) == ([], 0)
            assert memory.integrity.found("deleted_events") == []
    assert 30 > left[0] > left[1] > 0
    assert amr.json("forget", "--video", "long", "--yes")["clips"] == left[1]
    assert amr.here("db", "digest").stdout == digest_of(amr, tmp_path, "kitchen", "hall")


def clips_left(amr: Amr) -> int:
    with memory_of(amr) as memory:
        return next((video.clips for video in memory.videos() if video.video_id == "long"), 0)


@pytest.mark.parametrize("what", [("--group",), ("--video", "porch")], ids=["group", "video"])
def test_nothing_is_forgotten_while_a_recording_of_it_goes_on(
    amr: Amr, neo4j_connection: Connection, tmp_path: Path, what: tuple[str, ...]
) -> None:
    """Neither jobs and explorations, nor turns that were accepted before the refusal."""
    group_id, data = amr.server["AMR_GROUP"], tmp_path / "data"
    folder = data / "live" / "porch"
    folder.mkdir(parents=True)
    spool = LiveSpool(data / LIVE_FILE)
    assert spool.begin(Recording(group_id, "porch", "rtsp://porch/1", datetime.now(UTC), str(folder)))
    spool.close()
    jobs_of_server(tmp_path, group_id, "").close()
    (data / "explorer").mkdir()
    with ExitStack() as locks:
        assert hold(folder, locks)
        group = (group_id,) if what == ("--group",) else ("--group", group_id)
        assert "is being recorded (porch)" in amr.refused("forget", *what, *group, "--yes", code=InputError.exit_code)
    jobs = JobSpool(data / JOBS_FILE)
    assert len(jobs.rows("SELECT id FROM jobs")) == 2
    jobs.close()
    assert (data / "explorer").is_dir()
    key = forgotten_group_key(group_id)
    there = neo4j_connection
    with GraphDatabase.driver(there.uri, auth=(there.username, there.password)) as driver:
        noted = driver.execute_query("MATCH (f:ForgottenTurns {key: $key}) RETURN f", key=key)
    assert not noted.records
