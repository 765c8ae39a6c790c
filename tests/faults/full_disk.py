"""A full disk: what is in memory can be read and asked, nothing is half-written, and doctor names the disk first."""

from __future__ import annotations

import json
from pathlib import Path

import _pytest.outcomes
import pytest

from amr_neo4j import Memory
from tests.faults.programs import serving
from tests.faults.served import judge
from tests.faults.tally import Skipped, Tally, command, peak_mb
from tests.support.amr_command import Amr
from tests.support.http_client import Reply
from tests.support.real_ingest import KITCHEN
from tests.support.small_disk import fill, small_disk


def full_disk(tally: Tally, amr: Amr, folder: Path) -> None:
    """Every command with its data directory on a disk without a free byte."""
    with tally.kind("full disk") as row:
        try:
            with small_disk(folder / "disk", 24 * 2**20) as disk:
                own = Amr(amr.of("faults-full-disk").server | {"AMR_DATA_DIR": str(disk), "AMR_USER": "anna"})
                own("ingest", str(KITCHEN))
                own("chat", "say", "I moved to Rome.", "--session", "s")
                before = own.json("stats")
                (disk / "vectors").mkdir(exist_ok=True)
                fill(disk)
                reading = (
                    ["ask", "Where are the keys?"],
                    ["search", "keys"],
                    ["videos"],
                )
                for line in [*reading, ["stats"], ["chat", "sessions"]]:
                    done = command(row, " ".join(line), [*line], own.environment)
                    if done.returncode:
                        row.failed[" ".join(line)] = f"reading ended with {done.returncode}: {done.stderr[-200:]}"
                done = command(row, "doctor", ["doctor", "--json"], own.environment)
                if not done.stdout or json.loads(done.stdout)[0]["check"] != "disk":
                    row.failed["doctor"] = f"the disk is not first: {done.stdout[:100]}"
                for line in (
                    ["index", "rebuild"],
                    ["chat", "say", "I moved to Oslo.", "--session", "s"],
                    ["ingest", str(KITCHEN)],
                ):
                    command(row, " ".join(line[:2]), line, own.environment)
                if parts := [str(path) for path in disk.rglob("*.part")]:
                    row.failed["parts"] = f"left: {parts}"
                (disk / "filler").unlink()
                if own.json("stats")["events"] != before["events"]:
                    row.failed["events"] = "not those of before"
                command(row, "afterwards", ["ask", "Where are the keys?"], own.environment)
        except _pytest.outcomes.Skipped as reason:
            raise Skipped(str(reason)) from reason


def tiny_disk(tally: Tally, amr: Amr, folder: Path) -> None:
    """Every command with a data directory of 2 MB: what was acknowledged is kept, and nothing is half-written."""
    with tally.kind("disk of 2 MB") as row:
        try:
            with small_disk(folder / "tiny", 2 * 2**20) as disk:
                own = Amr(amr.of("faults-tiny-disk").server | {"AMR_DATA_DIR": str(disk), "AMR_USER": "anna"})
                said: list[str] = []
                for number in range(12):
                    text = f"I like dish{number}. {'And so on. ' * 3000}"
                    done = command(row, f"say {number}", ["chat", "say", text, "--session", "s"], own.environment)
                    said += [text] if done.returncode == 0 else []
                for line in (
                    ["ingest", str(KITCHEN)],
                    ["ask", "Where are the keys?"],
                    ["index", "rebuild"],
                    ["doctor"],
                    ["chat", "extract", "--user", "anna"],
                ):
                    command(row, " ".join(line[:2]), line, own.environment)
                if parts := [str(path) for path in disk.rglob("*.part")]:
                    row.failed["parts"] = f"left: {parts}"
                there = [turn["content"] for turn in own.items("chat", "show", "s", "--user", "anna")] if said else []
                if [text for text in said if text not in there]:
                    row.failed["turns"] = f"{len(said)} were acknowledged, {len(there)} are there"
        except _pytest.outcomes.Skipped as reason:
            raise Skipped(str(reason)) from reason


def served_disk(tally: Tally, folder: Path) -> None:
    """`amr serve` with a data directory of 2 MB: what does not fit is refused, and what was acknowledged is kept."""
    with tally.kind("served disk of 2 MB") as row, (folder / "serve.err").open("w+b") as err:
        try:
            with small_disk(folder / "served", 2 * 2**20) as disk, pytest.MonkeyPatch.context() as patch:
                patch.setenv("AMR_DATA_DIR", str(disk))
                with serving(folder, err) as (process, client):
                    anna, replies, said = {"user": "anna"}, list[tuple[str, Reply]](), ["I live in Porto."]
                    client.call("POST", "/conversations/s/observe", {"text": said[0]}, query=anna)
                    begun = client.call("POST", "/uploads", {"name": "film.mp4", "size": 2**23}, query=anna)
                    place, offset = f"/uploads/{begun.json['id']}", 0
                    while offset < 2**23:
                        at = {"Upload-Offset": str(offset)}
                        sent = client.call("PATCH", place, bytes(2**18), query=anna, headers=at)
                        replies.append(("upload", sent))
                        if sent.status != 200:
                            break
                        offset = sent.json["offset"]
                    for number in range(12):
                        text = f"I like dish{number}. {'And so on. ' * 3000}"
                        turn = client.call("POST", "/conversations/s/observe", {"text": text}, query=anna)
                        replies.append((f"turn {number}", turn))
                        said += [text] if turn.status == 200 else []
                    asked = client.call("POST", "/ask", {"question": "Where do I live?"}, query=anna)
                    replies.append(("ask", asked))
                    row.attacks += len(replies)
                    row.refused += sum(reply.status >= 400 for _, reply in replies)
                    for name, reply in replies:
                        if reply.status not in (200, 503):
                            row.failed[name] = f"{reply.status}: {reply.body[:200]!r}"
                    if replies[-1][1].status != 200:
                        row.failed["ask"] = f"no answer: {asked.body[:200]!r}"
                    if client.call("DELETE", place, query=anna).status != 200:
                        row.failed["remove"] = "an upload cannot be removed"
                    again = client.call("POST", "/conversations/s/observe", {"text": "I like tea."}, query=anna)
                    if again.status != 200:
                        row.failed["afterwards"] = f"{again.status}: {again.body[:200]!r}"
                    said.append("I like tea.")
                    peak = peak_mb(process.pid)
                with Memory.open(notify=lambda line: None) as memory:
                    there = {turn.content for turn in memory.conversation("s", user_id="anna")}
                if missing := [text[:20] for text in said if text not in there]:
                    row.failed["turns"] = f"acknowledged and not there: {missing}"
            err.seek(0)
            judge(row, err.read(), peak)
        except _pytest.outcomes.Skipped as reason:
            raise Skipped(str(reason)) from reason
