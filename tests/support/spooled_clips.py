"""An analysed clip to be spooled."""

from __future__ import annotations

from dataclasses import replace

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.chat import Usage
from amr_neo4j.domain.video import AnalysedClip, Clip, Video

VIDEO = Video("home", "hall", fingerprint="abc")
USAGE = Usage(calls=2, retries=1, tokens_in=1200, tokens_out=80, cost_usd=0.1 + 0.2)
SAID = {
    "clip_summary": "é 鍵",
    "events": [{"time_start": 0.1, "time_end": 0.30000000000000004, "summary": "Anna waves."}],
}


def clip(number: int = 0, said: object = SAID, **other: object) -> AnalysedClip:
    start = number * 10.0
    there = Clip(f"c{number}", start, start + 10, "hall.mp4", start)
    analysed = AnalysedClip(
        VIDEO, there, ClipAnalysis.model_validate(said), "vision", f"sha-{number}", "gemini", ("clamped",), USAGE
    )
    return replace(analysed, **other)
