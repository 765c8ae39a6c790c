"""Every kind of JSON line through the real command: stored word for word, or named by its number."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.domain.analysis import LONGEST_LINE, MOST_EVENTS
from amr_neo4j.localdb import Connection
from tests.support.amr_command import Amr, Json, amr_at

TEXTS = {
    "long": "Anna looks for her keys, again and again. " * 238 + "She.",
    "emoji": "Anna 👩‍👩‍👧 finds the 🔑 — 😀!",
    "right to left": "אנה שמה את המפתחות \u202eעל המדף\u202c, ואז يذهب",
    "quotes": "\"It's\\here\", said Ben; '); MATCH (n) DETACH DELETE n //",
    "controls": "tab\tbell\u0007nul\u0000end",
    "combined": "e\u0301 is not \u00e9, \ufb01 is not fi",
}


@pytest.fixture(scope="module")
def amr(neo4j_connection: Connection, tmp_path_factory: pytest.TempPathFactory) -> Amr:
    return amr_at(neo4j_connection, tmp_path_factory.mktemp("data"))


@pytest.fixture
def own(amr: Amr, group_id: str) -> Amr:
    return amr.of(group_id)


def line(start: float, *spans: tuple[float, float], summary: str = "Anna waves.", **rest: Any) -> str:
    """A clip of ten seconds with events at these seconds of it."""
    events = [{"time_start": begin, "time_end": end, "summary": summary} for begin, end in spans]
    analysis = {"clip_summary": summary, "events": events}
    whole = {"video_id": "film", "clip_id": f"c{start:g}", "t_start": start, "t_end": start + 10.0}
    return json.dumps(whole | {"analysis": analysis} | rest)


def events_of(own: Amr, clip_id: str) -> list[Json]:
    [clip] = own.items("show", "clip", clip_id)
    return [own.json("show", "event", str(event["node_id"])) for event in clip["events"]]


def test_any_text_is_stored_byte_for_byte(own: Amr, tmp_path: Path) -> None:
    assert len(TEXTS["long"]) == 10_000
    names = {f"c{number * 10}": text for number, text in enumerate(TEXTS.values())}
    lines = [line(number * 10.0, (1, 2), summary=text) for number, text in enumerate(TEXTS.values())]
    file = tmp_path / 'it\'s a "file" 😀.jsonl'
    file.write_text("\n".join(lines))
    assert own("ingest", str(file)).stdout.startswith(f"{len(TEXTS)} clips committed, 0 unchanged, 0 rejected; ")
    for clip_id, text in names.items():
        [clip] = own.items("show", "clip", clip_id)
        assert clip["clip_summary"] == text
        assert [event["summary_text"] for event in events_of(own, clip_id)] == [text]


def test_names_of_any_script_are_stored_byte_for_byte(own: Amr) -> None:
    name = "אנה's «film» 👩‍👩‍👧 \\ /"
    own("ingest", "-", stdin=line(0.0, (1, 2), video_id=name, clip_id=name, place=name))
    [video] = own.json("videos")["items"]
    assert (video["video_id"], video["place"]) == (name, name)
    [event] = events_of(own, name)
    assert (event["video_id"], event["clip_ids"]) == (name, [name])


def test_late_and_overlapping_clips_keep_their_times(own: Amr) -> None:
    """The clip at 5 s arrives last and overlaps both others; its events are placed between theirs in time."""
    lines = [line(10.0, (0, 3), (8, 10)), line(0.0, (1, 2), (5.5, 9.25)), line(5.0, (0, 1), (4, 7))]
    report = json.loads(own("ingest", "-", "--json", stdin="\n".join(lines)).stdout)
    assert (report["committed"], report["rejected"], report["notes"]) == (3, 0, [])
    events = [event for clip_id in ("c0", "c5", "c10") for event in events_of(own, clip_id)]
    times = {event["node_id"]: (event["time_start"], event["time_end"]) for event in events}
    in_order = [(1.0, 2.0), (5.0, 6.0), (5.5, 9.25), (9.0, 12.0), (10.0, 13.0), (18.0, 20.0)]
    assert sorted(times.values()) == in_order
    following = {(edge["src"], edge["dst"]) for event in events for edge in event["edges"]}
    assert {(times[src], times[dst]) for src, dst in following} == set(pairwise(in_order))


BROKEN = {
    "t_end: ": line(20.0, (1, 2), t_end=float("nan")),
    "t_start: ": line(20.0, (1, 2), t_start=float("inf")),
    "the clip ends at 5.0 s, not after its start at 20.0 s": line(20.0, (1, 2), t_end=5.0),
    "analysis.events.0.time_start: ": line(20.0, (float("nan"), 2)),
    "analysis.events.0.summary: ": line(20.0, (1, 2), summary=""),
    "analysis: Field required": '{"video_id": "film", "clip_id": "c20", "t_start": 20, "t_end": 30}',
    "Invalid JSON: EOF while parsing": line(20.0, (1, 2))[:-30],
    "Invalid JSON: expected value at column 1": "<html>502 Bad Gateway</html>",
    "Input should be an object": "[]",
    f"longer than {LONGEST_LINE >> 20} MiB": line(20.0, (1, 2), summary="x" * LONGEST_LINE),
    "analysis.events: ": line(20.0, *[(1, 2)] * (MOST_EVENTS + 1)),
    "recorded_at: ": line(20.0, (1, 2), recorded_at="2026-03-01T09:00:00"),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_broken_lines_are_numbered_and_the_others_kept(own: Amr, tmp_path: Path, end: str) -> None:
    file = tmp_path / "film.jsonl"
    whole = [line(0.0, (1, 2)), "", *BROKEN.values(), line(10.0, (3, 4))]
    file.write_bytes(("\ufeff" + end.join(whole)).encode())
    done = own("ingest", str(file), code=65)
    counts = f"2 clips committed, 0 unchanged, {len(BROKEN)} rejected; 2 events in 20 s of video"
    assert done.stdout.splitlines() == [counts, "taken in as film"]
    _, *reported, advice = done.stderr.splitlines()
    assert "amr config schema" in advice
    for number, (said, complaint) in enumerate(zip(reported, BROKEN, strict=True), start=3):
        assert said.startswith(f"{file}: line {number}: {complaint}")
    stored = own.json("stats")
    assert (stored["videos"], stored["clips"], stored["events"]) == (1, 2, 2)
    assert [event["time_start"] for clip_id in ("c0", "c10") for event in events_of(own, clip_id)] == [1.0, 13.0]


@pytest.mark.parametrize(
    ("content", "rejected"),
    [(b"", 0), (b"\r\n \n", 0), (bytes(range(1, 256)), 2), (line(0.0, (1, 2)).encode("utf-16"), 1), (b"\0" * 999, 1)],
    ids=["empty", "blank", "junk", "utf-16", "zeros"],
)
def test_a_file_without_lines_leaves_nothing(own: Amr, tmp_path: Path, content: bytes, rejected: int) -> None:
    (tmp_path / "film.jsonl").write_bytes(content)
    report = own.json("ingest", str(tmp_path), code=65 if rejected else 0)
    assert (report["committed"], report["rejected"]) == (0, rejected)
    assert all(f"line {number}: " in said for number, said in enumerate(report["errors"], start=1))
    assert own.json("stats")["clips"] == 0


def test_broken_lines_are_in_the_report_of_memory(own: Amr, group_id: str, neo4j_connection: Connection) -> None:
    there = neo4j_connection
    arguments = {"neo4j_uri": there.uri, "neo4j_username": there.username, "neo4j_password": there.password}
    with Memory.open(group=group_id, **arguments) as memory:
        report = memory.ingest_lines([line(0.0, (1, 2)), *BROKEN.values(), line(10.0, (1, 2))])
    assert (report.committed, report.rejected, report.events) == (2, len(BROKEN), 2)
    assert [error.split(": ")[1] for error in report.errors] == [f"line {n + 2}" for n in range(len(BROKEN))]


@pytest.mark.parametrize(("given", "transactions"), [(list, 1), (iter, 4)])
def test_lines_of_a_list_share_transactions(
    group_id: str, neo4j_connection: Connection, given: Callable[[list[str]], Iterable[str]], transactions: int
) -> None:
    """A program that sends a batch does not wait for a transaction of each clip. A pipe's clips come one by one."""
    there = neo4j_connection
    arguments: dict[str, Any] = {
        "neo4j_uri": there.uri,
        "neo4j_username": there.username,
        "neo4j_password": there.password,
    }
    with Memory.open(group=group_id, **arguments) as memory:
        report = memory.ingest_lines(given([line(10.0 * n, (1, 2)) for n in range(4)]))
        committed = {clip.committed_at for n in range(4) for clip in memory.clips(f"c{10 * n}")}
    assert (report.committed, len(committed)) == (4, transactions)


@pytest.mark.soak
def test_the_largest_clip_and_many_large_clips_are_written(own: Amr, tmp_path: Path) -> None:
    """Accepted input can be written: also on a server with little memory, also eight clips at once."""
    large = [line(number * 10.0, *[(1, 2)] * 900) for number in range(8)]
    (tmp_path / "large.jsonl").write_text("\n".join([*large, line(90.0, *[(1, 2)] * MOST_EVENTS)]))
    report = own.json("ingest", str(tmp_path))
    assert (report["committed"], report["rejected"], report["events"]) == (9, 0, 8 * 900 + MOST_EVENTS)
