"""Recall and speed of the local analyser against events labelled by eye.

    python benchmarks/perception.py VIDEO... [--hog] [--show]

Beside VIDEO.mp4, labels made by eye are read from VIDEO.events.json. A labelled event is found when one of ours, of
the right kind and object, begins within 2 s of it; each of ours counts once. Needs `amr models install` (or --hog).
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amr_neo4j.domain.analysis import AnalysedEvent
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.media import ffmpeg
from amr_neo4j.media.frames import frames
from amr_neo4j.media.transcriber import listen
from amr_neo4j.perception.detector import Detector, HogPeople, SsdLite
from amr_neo4j.perception.local import LocalAnalyser
from amr_neo4j.settings import load

TOLERANCE = 2.0
KINDS = {
    "take": {"pick up"},
    "put": {"put down"},
    "enter": {"enter"},
    "leave": {"leave"},
    "stay": {"stay", "stay beside"},
}
PARTS = {"left": "on the left", "middle": "in the middle", "right": "on the right"}


@dataclass(frozen=True)
class Label:
    """An event as labelled: kind as in KINDS; thing and part of the picture, empty where they do not matter."""

    start: float
    stop: float
    kind: str
    thing: str = ""
    part: str = ""

    def matches(self, event: AnalysedEvent) -> bool:
        in_time = self.start - TOLERANCE <= event.time_start <= self.stop + TOLERANCE
        seen = [each for each in event.objects if each.name == self.thing and self.part in each.spatial_description]
        return in_time and _kind(event) in KINDS[self.kind] and (bool(seen) or not self.thing)


def _kind(event: AnalysedEvent) -> str:
    """The verb of its action; somebody who merely stays does nothing."""
    return event.actions[0].verb if event.actions else "stay" if " stays " in event.summary else ""


def labels(path: Path) -> list[Label]:
    """Both kinds of label file: events with a verb, and people with the seconds they enter, stay and leave."""
    return [label for entry in json.loads(path.read_text())["events"] for label in _labels(entry)]


def _labels(entry: dict[str, Any]) -> Iterator[Label]:
    if "verb" in entry:
        thing, _, part = entry["object"].partition(":")
        yield Label(entry["start"], entry["stop"], entry["verb"], thing, PARTS[part])
        return
    yield Label(entry["enter"], entry["enter"], "enter")
    yield Label(entry["at_table"][0], entry["at_table"][0], "stay")
    yield Label(entry["leave"], entry["leave"], "leave")


def watch(path: Path, detector: Detector, clip_s: float = 10.0) -> Iterator[AnalysedClip]:
    """The whole video in clips of so many seconds."""
    found = ffmpeg.probe(path)
    duration = found.duration_s or 0.0
    starts = [clip_s * n for n in range(int(duration / clip_s) + 1) if clip_s * n < duration]
    clips = [Clip(f"{start:.0f}", start, min(start + clip_s, duration)) for start in starts]
    video = Video("benchmark", path.stem, uri=str(path), fingerprint=ffmpeg.fingerprint(path), duration_s=duration)
    return LocalAnalyser(detector, frames, listen, language=ENGLISH).watch(video, clips)


def measure(path: Path, detector: Detector, show: bool) -> None:
    """Print one video's figures."""
    began = time.perf_counter()
    clips = list(watch(path, detector))
    took = time.perf_counter() - began
    events = [event for clip in clips for event in clip.analysis.events]
    print(f"{path.name}: {len(events)} events, {clips[-1].clip.t_end / took:.1f} x real time ({took:.1f} s)")
    if show:
        print("\n".join(f"  {event.time_start:6.1f} {event.summary}" for event in events))
    if (labelled := path.with_suffix(".events.json")).exists():
        score(labels(labelled), events)


def score(expected: list[Label], events: list[AnalysedEvent]) -> None:
    """Print how many labels of each kind are found, and which of the found actions no label matches."""
    left = list(events)
    missed = []
    for label in expected:
        found = next((event for event in left if label.matches(event)), None)
        left.remove(found) if found else missed.append(label)
    for kind in dict.fromkeys(label.kind for label in expected):
        of_kind = [label for label in expected if label.kind == kind]
        print(f"  {kind}: {sum(label not in missed for label in of_kind)} of {len(of_kind)}")
    print(f"  found {len(expected) - len(missed)} of {len(expected)}; missed: {missed}")
    print(f"  matched by no label: {[event.summary for event in left if event.actions]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("videos", nargs="+", type=Path)
    parser.add_argument("--hog", action="store_true", help="the fall-back detector")
    parser.add_argument("--show", action="store_true", help="print every event")
    parser.add_argument("--model", type=Path, help="folder of the detector, instead of the installed one")
    given = parser.parse_args()
    detector = HogPeople() if given.hog else SsdLite(given.model or model_dir(load(), "ssdlite"))
    for path in given.videos:
        measure(path, detector, given.show)
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB, and ffmpeg's "
          f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB")  # fmt: skip


if __name__ == "__main__":
    main()
