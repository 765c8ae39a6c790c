"""A full disk: what is in memory can be read and asked, nothing is half-written, and doctor names the disk first."""

from __future__ import annotations

import json
from pathlib import Path

import _pytest.outcomes

from tests.faults.tally import Skipped, Tally, command
from tests.support.amr_command import Amr
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
                there = [turn["content"] for turn in own.json("chat", "show", "s", "--user", "anna")] if said else []
                if [text for text in said if text not in there]:
                    row.failed["turns"] = f"{len(said)} were acknowledged, {len(there)} are there"
        except _pytest.outcomes.Skipped as reason:
            raise Skipped(str(reason)) from reason
