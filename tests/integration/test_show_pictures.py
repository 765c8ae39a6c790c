"""Pictures and clips of events, the page of an answer, and the lists of who and what is known."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from amr_neo4j import InputError, Memory, NoSuchFile, NotInMemory
from amr_neo4j.localdb import Connection
from amr_neo4j.media.ffmpeg import probe
from amr_neo4j.media.frames import frames
from tests.support.amr_command import Amr, amr_at
from tests.support.films import make, source

SUMMARIES = ["Anna puts the keys on the table.", "Ben takes the keys."]


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Red for four seconds, then blue."""
    both = [*source("color=red:s=320x240:r=25:d=4"), *source("color=blue:s=320x240:r=25:d=4")]
    return make(tmp_path / "film.mp4", *both, "-filter_complex", "concat=n=2")


@pytest.fixture
def amr(neo4j_connection: Connection, tmp_path: Path, film: Path) -> Amr:
    """Two clips of the film, the second one in blue, analysed elsewhere; and one without a file."""
    amr = amr_at(neo4j_connection, tmp_path / "data")
    rows = [
        line(0, 0.0, SUMMARIES[0], str(film)),
        line(1, 4.0, SUMMARIES[1], str(film)),
        line(2, 8.0, "Carla sings.", ""),
    ]
    (tmp_path / "film.jsonl").write_text("\n".join(rows))
    amr.here("ingest", str(tmp_path / "film.jsonl"))
    return amr


def line(number: int, start: float, summary: str, uri: str) -> str:
    who, verb, *rest = summary.rstrip(".").split()
    action = {"actor": who, "verb": verb.rstrip("s"), "object": rest[1] if rest else ""}
    event = {"time_start": 1.0, "time_end": 2.0, "summary": summary, "actors": [who], "actions": [action]}
    said = {"clip_summary": "", "events": [event]}
    return json.dumps({"video_id": "film", "clip_id": f"c{number}", "t_start": start, "t_end": start + 4.0,
                       "analysis": said} | ({"uri": uri} if uri else {}))  # fmt: skip


def test_a_picture_and_a_clip_of_an_event(amr: Amr, tmp_path: Path) -> None:
    """The second event is in the blue half; its clip has a second before and after it, and plays."""
    second = next(hit["event"]["node_id"] for hit in amr.items("search", "Ben takes"))
    still, clip = tmp_path / "still.png", tmp_path / "clip.mp4"
    amr.here("show", "event", str(second), "--picture", str(still), "--clip", str(clip))
    assert colour(still) == "blue"
    amr.here("show", "event", str(second), "--picture", str(still), "--second", "1.5")
    assert colour(still) == "red"
    found = probe(clip)
    assert (found.width, found.height) == (320, 240)
    assert found.duration_s == pytest.approx(3.0, abs=0.1)


def test_boxes_and_confidences_are_kept_and_drawn(neo4j_connection: Connection, tmp_path: Path, film: Path) -> None:
    """The picture is of the moment of the box, whose edge is yellow on the blue half of the film."""
    amr = amr_at(neo4j_connection, tmp_path / "boxes")
    row = json.loads(line(0, 0.0, "Rex chases the dog.", str(film)))
    (event,) = row["analysis"]["events"]
    box = {"name": "dog", "time": 6.0, "left": 0.25, "top": 0.25, "right": 0.75, "bottom": 0.75, "confidence": 0.41}
    event |= {"time_end": 7.0, "objects": [{"name": "dog", "confidence": 0.41}], "boxes": [box]}
    (tmp_path / "boxes.jsonl").write_text(json.dumps(row | {"t_end": 8.0}))
    amr.here("ingest", str(tmp_path / "boxes.jsonl"))
    (hit,) = amr.items("search", "dog")
    shown = amr.json("show", "event", str(hit["event"]["node_id"]))
    assert (shown["boxes"], shown["uses"][0]["confidence"]) == ([box], 0.41)
    still = tmp_path / "still.png"
    amr.here("show", "event", str(shown["node_id"]), "--picture", str(still))
    looped = make(still.with_suffix(".mp4"), "-loop", "1", "-i", str(still), "-t", "1", "-pix_fmt", "yuv420p")
    image = next(iter(frames(looped, fps=5, width=320))).image
    inside, edge = image[120, 160], image[120, 81]
    assert inside[0] > 200 > inside[2]
    assert edge[2] > 150 > edge[0]


def colour(file: Path) -> str:
    """The colour in the middle of a picture, which is made into a film so that `frames` can read it."""
    looped = make(file.with_suffix(".mp4"), "-loop", "1", "-i", str(file), "-t", "1", "-pix_fmt", "yuv420p")
    frame = next(iter(frames(looped, fps=5, width=64)))
    blue, _, red = (int(part) for part in frame.image[20, 30])
    return "blue" if blue > red else "red"


def test_a_film_that_is_gone_or_replaced_is_said_so(amr: Amr, film: Path, tmp_path: Path) -> None:
    still = tmp_path / "still.png"
    first, _, third = (event["node_id"] for event in amr.json("show", "video", "film")["timeline"])
    said = amr.here("show", "event", str(third), "--picture", str(still), code=66).stderr
    assert "no source file is known" in said
    assert "unsupported suffix" in amr.here("show", "event", str(first), "--picture", "x.gif", code=65).stderr
    film.unlink()
    said = amr.here("show", "event", str(first), "--picture", str(still), code=66).stderr
    assert f"the file {film} is gone" in said
    assert not still.exists()


def test_a_replaced_film_is_not_shown(amr: Amr, film: Path, tmp_path: Path) -> None:
    """Of a video whose fingerprint is known."""
    with memory_of(amr) as memory:
        [node_id] = [event.node_id for event in memory.video("film").timeline][:1]
        with memory._parts.database.session() as session:
            session.run("MATCH (v:Video {group_id: $g}) SET v.fingerprint = 'another'", g=memory.group_id).consume()
        assert "was replaced by another one" in memory.filmed(node_id).missing
        with pytest.raises(NoSuchFile, match="another one"):
            memory.save_clip(node_id, tmp_path / "clip.mp4")
        with pytest.raises(NotInMemory):
            memory.filmed(10**15)
        with pytest.raises(InputError, match="width"):
            memory.save_picture(node_id, tmp_path / "x.png", width=3)


def memory_of(amr: Amr) -> Memory:
    there = amr.server
    return Memory.open(
        neo4j_uri=there["NEO4J_URI"],
        neo4j_username=there["NEO4J_USERNAME"],
        neo4j_password=there["NEO4J_PASSWORD"],
        group=there["AMR_GROUP"],
        data_dir=Path(there["AMR_DATA_DIR"]),
    )


def test_a_page_holds_all_it_shows(amr: Amr, film: Path, tmp_path: Path) -> None:
    """A picture and a clip for each event cited, nothing from elsewhere, no text of a film as HTML."""
    page, pictures = tmp_path / "page.html", tmp_path / "pictures"
    question = "Where are the <b>keys</b>?"
    answer = amr.json("ask", question, "--html", str(page), "--pictures", str(pictures))
    cited = {citation["node_id"] for citation in answer["citations"]}
    assert cited
    text = page.read_text()
    assert len(re.findall(r'<img alt="[^"]+" src="data:image/jpeg;base64,', text)) == len(cited)
    assert len(re.findall(r"<video [^>]*data:video/mp4;base64,[^\"]*#t=1\.00", text)) == len(cited)
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert "<b>keys" not in text
    assert {file.name for file in pictures.iterdir()} == {f"event-{node_id}.jpg" for node_id in cited}
    film.unlink()
    amr.here("ask", question, "--html", str(page))
    assert page.read_text().count("is gone") == len(cited)
    assert "data:video" not in page.read_text()
    assert amr.here("ask", question, "--html", str(tmp_path / "no" / "page.html"), code=65).stderr


def test_a_page_opens_at_the_words_that_are_quoted(amr: Amr, film: Path, tmp_path: Path) -> None:
    """The event begins in the red half; what Dora says in it is heard in the blue one."""
    row = json.loads(line(0, 0.0, "Dora talks.", str(film))) | {"video_id": "talk", "t_end": 8.0}
    row["analysis"]["events"][0] |= {"time_start": 0.5, "time_end": 7.0, "summary": "Dora sits and talks."}
    said = [(1.0, 2.0, "Good morning."), (5.0, 6.0, "The lantern is in the cellar.")]
    row["analysis"]["speaker_turns"] = [
        {"speaker_id": "S1", "identity": "Dora", "time_start": start, "time_end": end, "utterance": words}
        for start, end, words in said
    ]
    (tmp_path / "talk.jsonl").write_text(json.dumps(row))
    amr.here("ingest", str(tmp_path / "talk.jsonl"))
    page = tmp_path / "page.html"
    answer = amr.json("ask", "What did Dora say about the lantern?", "--html", str(page))
    assert [(c["time_start"], c["time_end"]) for c in answer["citations"]] == [(5.0, 6.0)]
    [picture] = re.findall(r"data:image/jpeg;base64,([^\"]+)", page.read_text())
    (still := tmp_path / "still.jpg").write_bytes(base64.b64decode(picture))
    assert colour(still) == "blue"
    assert re.findall(r"data:video/mp4;base64,[^\"]*#t=([\d.]+)", page.read_text()) == ["5.00"]


def test_a_citation_of_a_turn_leads_to_it(amr: Amr, tmp_path: Path) -> None:
    page, anna = tmp_path / "page.html", ("--user", "anna")
    amr.here("chat", "say", "The ladder is in the garage.", "--session", "monday", *anna)
    answer = amr.json("ask", "Where is the ladder?", *anna, "--html", str(page))
    [turn] = answer["citations"]
    assert turn["session_id"] == "monday"
    [(anchor, label)] = re.findall(r'<a href="#([^"]+)">([^<]+)</a>', page.read_text())
    assert f'<article id="{anchor}">\n<h2>{label}</h2>' in page.read_text()


def test_the_lists_of_who_and_what_is_known(amr: Amr) -> None:
    assert {(row["person_id"], row["events"], row["last_time"]) for row in amr.items("persons")} == {
        ("anna", 1, 1.0),
        ("ben", 1, 5.0),
        ("carla", 1, 9.0),
    }
    [keys] = [row for row in amr.items("objects") if row["name"] == "key"]
    assert (keys["events"], keys["videos"], keys["last_time"]) == (2, 1, 5.0)
    assert len(amr.items("persons", "--limit", "2")) == 2
    shown = amr.here("show", "video", "film", "--limit", "2")
    events = shown.stdout.partition("\nevents\n")[2]
    assert SUMMARIES[0] in events and "Carla" not in events
    [cursor] = [line.split()[-1] for line in shown.stderr.splitlines() if "--cursor" in line]
    assert "Carla" in amr.here("show", "video", "film", "--limit", "2", "--cursor", cursor).stdout
    assert "anna" in amr.here("persons").stdout and "key" in amr.here("objects").stdout
