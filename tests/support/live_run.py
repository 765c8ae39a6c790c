"""`Memory.ingest` of live sources in a process of its own, where recorded analyses stand in for the analyser.

Run as: python -m tests.support.live_run URL ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from amr_neo4j import Memory
from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.video import AnalysedClip, Clip, Video, content_sha256

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"


class Recorded:
    """Gives each clip the recorded events of a clip of the example household (an Analyser of domain/ports.py)."""

    name, model = "recorded", "kitchen"

    def __init__(self) -> None:
        lines = [line for file in sorted(KITCHEN.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
        self._analyses = [json.loads(line)["analysis"] for line in lines]

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip]:
        for number, clip in enumerate(clips):
            recorded = self._analyses[(number + len(video.video_id)) % len(self._analyses)]
            inside = {"time_start": clip.t_start + 0.1, "time_end": clip.t_end - 0.1}
            events = [{**event, **inside, "dialogue": []} for event in recorded["events"]]
            said = {"clip_summary": recorded.get("clip_summary", ""), "events": events}
            analysis = ClipAnalysis.model_validate(said)
            yield AnalysedClip(video, clip, analysis, self.name, content_sha256(video, clip), self.model)


def main(urls: list[str]) -> None:
    with Memory.open() as memory:
        memory._parts.analyser.use(Recorded())
        report = memory.ingest(*urls)
    counts = {"committed": report.committed, "notes": report.notes, "errors": report.errors}
    sys.stdout.write(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1:])
