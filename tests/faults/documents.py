"""Files of every other format: detections, trees, settings, exports, playlists, ONNX files and their labels."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from amr_neo4j import Memory
from amr_neo4j.domain.receipt import Receipt
from amr_neo4j.ingest.json_lines import read_lines
from tests.faults import nasty
from tests.faults.command_lines import run_here
from tests.faults.tally import Row, Skipped, Tally, call

_FRIGATE = [
    {
        "id": "1742205900.1-abc",
        "camera": "porch",
        "label": "person",
        "sub_label": ["Anna", 0.9],
        "start_time": 1742205900.1,
        "end_time": 1742205912.4,
        "top_score": 0.9,
        "zones": ["front_door"],
        "data": {"box": [0.1, 0.2, 0.3, 0.4], "top_score": 0.8, "score": 0.7, "recognized_license_plate": "AB1"},
    }
]
_TRACKS: list[dict[str, Any]] = [
    {"time": n, "id": 7, "label": "person", "confidence": 0.9, "left": 10, "top": 20, "width": 30, "height": 40}
    for n in range(3)
]
_CSV = "time,id,label,confidence,left,top,right,bottom\n0.0,7,person,0.9,10,20,40,60\n1.0,7,person,0.8,15,20,45,60\n"
_EXPORT: dict[str, Any] = {
    "episodes": [
        {
            "id": "e1",
            "content": "I moved to Rome.",
            "session_id": "s",
            "turn": 0,
            "valid_at": "2026-03-01T09:00:00+01:00",
        }
    ],
    "entities": [{"id": "m1", "text": "Rome", "type": "PLACE", "episode_id": "e1"}],
}
_SETTINGS: dict[str, Any] = {
    "group": "faults-settings",
    "target_clip_sec": 5,
    "provider": "http://127.0.0.1:9/v1",
    "analyse": {"model": "m", "timeout_s": 1, "price_in": 1.0},
    "hot_ttl_days": {"lives_in": 3},
    "data_dir": "data",
    "detector_labels": "labels.txt",
    "max_cost_usd": 1,
}
_PLAYLIST = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:1.0,\n0.mp4\n#EXTINF:2.5,\n1.mp4\n#EXT-X-ENDLIST\n"
_LIST = "0.mp4,0.0,1.0\n1.mp4,1.0,2.5\n"
_CUT = {"uri": "0.mp4", "t_start": 0, "t_end": 1, "video_id": "cut", "uri_offset": 0, "clip_id": "c"}
_LABELS = "person\nforklift\n"


@dataclass(frozen=True)
class Format:
    """valid: a document (or text) of it. name: of the file. line: the command that reads it; `FILE` is the file."""

    valid: Any
    name: str
    line: tuple[str, ...]
    lines: bool = False

    def generated(self, chance: random.Random) -> bytes:
        """A file of the format with something wrong."""
        if isinstance(self.valid, str):
            return nasty.text(chance, self.valid)
        document = nasty.document(chance, self.valid)
        if self.name.endswith(".yaml"):
            text = yaml.safe_dump(json.loads(json.dumps(document)), allow_unicode=False)
        elif self.lines and isinstance(document, list):
            text = "\n".join(map(json.dumps, document))
        else:
            text = json.dumps(document)
        return nasty.text(chance, text) if chance.random() < 0.25 else text.encode("utf-8", "surrogatepass")


def formats(tree: dict[str, Any]) -> dict[str, Format]:
    """By name. tree: of an exploration."""
    page = ("--html", "page.html")
    return {
        "Frigate's list": Format(_FRIGATE, "frigate.json", ("detections", "FILE")),
        "Frigate's messages": Format(_FRIGATE, "frigate.jsonl", ("detections", "FILE"), lines=True),
        "tracks as JSON": Format(
            _TRACKS, "tracks.json", ("detections", "FILE", "--video", "hall", "--size", "100x100")
        ),
        "tracks as CSV": Format(
            _CSV, "tracks.csv", ("detections", "FILE", "--video", "hall", "--map", "label=label")
        ),
        "tree": Format(tree, "tree.json", ("explore", "--replay", "FILE")),
        "tree as a page": Format(tree, "tree.json", ("explore", "--replay", "FILE", *page)),
        "settings": Format(_SETTINGS, "amr.yaml", ("--config", "FILE", "config", "show")),
        "export": Format(_EXPORT, "export.json", ("chat", "import", "FILE", "--user", "door")),
        "playlist": Format(_PLAYLIST, "list.m3u8", ("ingest", "FILE", "--precut", "--video-id", "cut")),
        "list of clips": Format(_LIST, "list.csv", ("ingest", "FILE", "--precut", "--video-id", "cut")),
        "clips to analyse": Format([_CUT], "cut.jsonl", ("ingest", "FILE"), lines=True),
    }


def documents(tally: Tally, memory: Memory, chance: random.Random, attacks: int, folder: Path) -> None:
    """`ingest` takes what `amr detections` lets through; everything else is refused in a line with advice."""
    for name in ("0.mp4", "1.mp4"):
        (folder / name).write_bytes(b"no film")
    with tally.kind("documents") as row:
        known = formats(a_tree())
        for number in range(attacks):
            name = list(known)[number % len(known)]
            _document(row, f"{name} {number}", known[name], known[name].generated(chance), folder)
    with tally.kind("export documents") as row:
        for number in range(attacks // 10):
            document = nasty.document(chance, _EXPORT)
            call(row, f"import_episodes {number}", partial(memory.import_episodes, document, "door"))


def _document(row: Row, name: str, of: Format, content: bytes, folder: Path) -> None:
    file = folder / of.name
    file.write_bytes(content)
    failed = len(row.failed)
    said = run_here(row, [str(file) if word == "FILE" else word for word in of.line], folder)
    if len(row.failed) > failed:
        row.failed[name] = row.failed.popitem()[1] + f" of {content[:500]!r}"
    if of.line[0] == "detections" and said:
        rejected = [each for each in read_lines(said.splitlines(), group_id="g") if isinstance(each, Receipt)]
        if rejected:
            row.failed[name] = f"ingest rejects what detections wrote: {rejected[0].error} of {content[:500]!r}"


def a_tree() -> dict[str, Any]:
    """The tree of a small exploration, as `explorer/export.py` writes it."""
    usage = {"calls": 0, "tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "unpriced": 0}
    decision = {
        **{"decision": "answer", "rationale": "seen", "direct_answer": "at noon", "confidence": 0.5},
        **{"extractive": False, "failed": False, "notes": ["n"], "usage": None},
    }
    asked = {"id": "", "strategy": "s", "start_s": 1.0, "end_s": "inf"}
    rejected = {"asked": asked, "outcome": "rejected", "id": None, "notes": ["out of the video"]}
    node = {
        **{"id": "1", "parent": None, "children": [], "depth": 1, "strategy": "look", "start_s": 0.0, "end_s": 3.0},
        **{"origin": "planner", "score": 0.5, "priority": 0.5, "status": "decided", "decision": decision},
        **{"proposals": [rejected], "seen": "Anna", "finds": [{"start_s": 0, "end_s": 1, "summary": "x", "fit": 1}]},
        "segment": {
            **{"path": "work/segment_1.mp4", "start_s": 0.0, "end_s": 3.0, "duration_s": 3.0, "size_bytes": 9},
            "reused": False,
        },
        **{"notes": [], "usage": usage, "timings": {"cut": 0.1, "look": 0.1, "decide": 0.1}},
    }
    answer = {
        **{"text": "at noon", "confidence": 0.5, "extractive": False, "node": "1", "start_s": 0.0, "end_s": 3.0},
        "segment": "work/segment_1.mp4",
    }
    return {
        **{"schema_version": 1, "question": "When?", "planner": "local", "options": {"max_depth": 3}},
        "video": {"path": "film.mp4", "duration_s": 10.0, "fingerprint": "0" * 16},
        **{"stopped": "answer", "terminated": False, "answer": answer, "node_count": 1, "looks": 1, "usage": usage},
        **{"seconds": 1.0, "nodes": [node], "closing": decision},
        "root": {"decision": decision, "proposals": [rejected], "seconds": 0.1, "children": ["1"]},
    }


_DETECT = """
import sys
import numpy as np
from pathlib import Path
from amr_neo4j.errors import AmrError
from amr_neo4j.perception.onnx_detector import OnnxDetector, read_labels
for name in sys.argv[1:]:
    print("begin", name, flush=True)
    try:
        found = OnnxDetector(Path(name), read_labels(Path(name).with_suffix(".txt")))(np.zeros((36, 64, 3), np.uint8))
        print("took", len(found), flush=True)
    except AmrError as error:
        print("refused" if error.hint else f"failed without advice: {error}", flush=True)
    except Exception as error:
        print(f"failed {type(error).__name__}: {error}"[:300].replace(chr(10), " "), flush=True)
"""


def detectors(tally: Tally, chance: random.Random, attacks: int, folder: Path) -> None:
    """ONNX files with bytes changed, and label files, in a process of their own: it may not crash."""
    with tally.kind("own detectors") as row:
        try:
            from tests.support.onnx_exports import LAYOUTS, export
        except ImportError as error:
            raise Skipped(str(error)) from error
        names: list[Path] = []
        for number in range(attacks):
            made = export(folder, LAYOUTS[list(LAYOUTS)[number % len(LAYOUTS)]], uint8=False).read_bytes()
            file = folder / f"{number}.onnx"
            file.write_bytes(_spoilt(chance, made))
            file.with_suffix(".txt").write_bytes(nasty.text(chance, _LABELS) if number % 3 else _LABELS.encode())
            names.append(file)
        for begin in range(0, attacks, 50):
            _detect(row, names[begin : begin + 50])
        for file in folder.glob("*.onnx"):
            file.unlink()


def _spoilt(chance: random.Random, content: bytes) -> bytes:
    """With a few bytes changed, or cut off."""
    data = bytearray(content)
    if chance.random() < 0.2:
        return bytes(data[: chance.randrange(len(data))])
    # The head and the tail hold the shapes and names; the middle is numbers.
    for _ in range(chance.randint(0, 4)):
        at = chance.randrange(min(300, len(data)))
        data[at if chance.random() < 0.5 else len(data) - 1 - at] = chance.randrange(256)
    return bytes(data)


def _detect(row: Row, files: list[Path]) -> None:
    command = [sys.executable, "-c", _DETECT, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, errors="replace")
    row.attacks += len(files)
    name = ""
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "begin":
            name = Path(rest).name
        elif word == "failed":
            row.failed[name] = rest
        row.refused += word == "refused"
    if done.returncode:
        row.failed[name or "start"] = f"the process ended with {done.returncode}: {done.stderr[-200:]}"
