"""The explorer without a model on the films that benchmarks/eyes.py is scored on; `held` chose nothing for it.

    python -m benchmarks.explorer_eyes FOLDER --work FOLDER [--half tune|held] [--minutes 15] [--copies 2] [--looks 9]

FOLDER: as for benchmarks/eyes.py. The films of a half are taken three or four at a time, brought to one size, and
joined to a long film: copies in a random order at random places. Between two copies, the longest stretch of the first
in which no label begins or ends (5 s at most) is played forwards and backwards. Questions come from the labels that
something comes, goes or crosses, by its first class, in three wordings each; what crosses also comes and goes. The
two films of benchmarks/explorer.py are left out. What is right, and the grid, are as there. The halves are those of
the local analyser: its thresholds were chosen on `tune`, and so was the explorer's overview.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from amr_neo4j.domain.exploration import Span
from amr_neo4j.media.segment_cutter import SegmentCutter
from benchmarks.explorer import EMPTY_S, FPS, Film, Task, concatenate, encoded, measure
from benchmarks.eyes import films as found_films

CHOSEN_ON = {"bottle-detection", "one-by-one-person-detection"}
FORMS = {
    "come": ["When does {thing} come in?", "When does {thing} appear?", "When does {thing} enter?"],
    "go": ["When does {thing} leave?", "When does {thing} disappear?", "When does {thing} go away?"],
    "cross": ["When does {thing} move?", "When does {thing} cross the picture?", "When does {thing} pass by?"],
}
SIZE = "scale=640:360:force_original_aspect_ratio=decrease,pad=640:360:-1:-1,setsar=1"
BESIDE_S = 1.0
"""Seconds beside a label that are not called empty."""


@dataclass(frozen=True)
class Labelled:
    """Of a label: what happens, when, and the classes that are right, the plainest first."""

    kind: str
    span: Span
    classes: tuple[str, ...]

    def at(self, offset: float) -> Labelled:
        return Labelled(self.kind, Span(self.span.start_s + offset, self.span.end_s + offset), self.classes)

    def is_of(self, thing: str) -> bool:
        return thing == "something" or thing in self.classes


@dataclass(frozen=True)
class Source:
    name: str
    path: Path
    labels: tuple[Labelled, ...]
    times: tuple[float, ...]
    """Seconds at which any label begins or ends."""


def labelled(rows: Sequence[Sequence[Any]]) -> tuple[Labelled, ...]:
    found: list[Labelled] = []
    for start, stop, kind, *classes in rows:
        spans = {kind: (start, stop)}
        if kind == "cross":
            spans |= {"come": (start, start), "go": (stop, stop)}
        for each, (first, last) in spans.items():
            if each in FORMS:
                found.append(Labelled(each, Span(first, max(last, first + 0.1)), tuple(classes)))
    return tuple(found)


def questions(labels: Sequence[Labelled]) -> list[Task]:
    """Each kind of each first class, in every wording, with all labels that it fits."""
    asked = {(each.kind, each.classes[0]): None for each in labels}
    return [
        Task(
            form.format(thing=_with_article(thing)),
            tuple(each.span for each in labels if each.kind == kind and each.is_of(thing)),
        )
        for kind, thing in asked
        for form in FORMS[kind]
    ]


def _with_article(thing: str) -> str:
    return thing if thing == "something" else f"{'an' if thing[0] in 'aeiou' else 'a'} {thing}"


def joined(sources: Sequence[Source], folder: Path, minutes: float, copies: int, seed: int) -> Film:
    share = random.Random(seed)
    order = [*sources] * copies
    share.shuffle(order)
    seconds = {each.name: SegmentCutter(each.path, folder).duration_s for each in sources}
    cuts = [share.expovariate(1) for _ in order]
    empty = minutes * 60 - sum(seconds[each.name] for each in order)
    gaps = [round(max(2.0, empty * cut / sum(cuts)), 1) for cut in cuts]
    path = folder / f"{'+'.join(each.name for each in sources)}-{minutes:g}min-{seed}.mp4"
    parts: list[Path] = []
    labels: list[Labelled] = []
    begin = 0.0
    for number, (source, gap) in enumerate(zip(order, gaps, strict=True)):
        labels += [each.at(begin) for each in source.labels]
        copy, calm = (path.with_suffix(f".{number}.{what}.mp4") for what in ("film", "calm"))
        if not path.exists():
            _parts(source, seconds[source.name], gap, copy, calm)
        parts += [copy, calm]
        begin += seconds[source.name] + gap
    if not path.exists():
        concatenate(parts, path)
    for part in parts:
        part.unlink(missing_ok=True)
    return Film(path.stem, path, questions(labels))


def _parts(source: Source, seconds: float, gap: float, copy: Path, calm: Path) -> None:
    encoded("-i", str(source.path), "-an", "-vf", SIZE, "-r", str(FPS), "-t", f"{seconds:.3f}", copy)
    start, end = quiet(source.times, seconds)
    once = calm.with_suffix(".once.mp4")
    both_ways = f"[0:v]{SIZE},split[a][b];[b]reverse[c];[a][c]concat=n=2"
    cut = ("-ss", f"{start:.2f}", "-t", f"{end - start:.2f}")
    encoded(*cut, "-i", str(source.path), "-an", "-filter_complex", both_ways, "-r", str(FPS), once)
    encoded("-stream_loop", "-1", "-i", str(once), "-t", str(gap), "-r", str(FPS), calm)
    once.unlink()


def quiet(times: Sequence[float], seconds: float) -> tuple[float, float]:
    """The middle of the longest stretch in which no label begins or ends, EMPTY_S at most."""
    edges = [-BESIDE_S, *sorted(times), seconds]
    length, before = max((after - before, before) for before, after in pairwise(edges))
    kept = min(EMPTY_S, max(0.4, length - 2 * BESIDE_S))
    start = min(max(0.0, before + (length - kept) / 2), seconds - kept)
    return start, start + kept


def groups(folder: Path, half: str) -> list[list[Source]]:
    """The films of a half that have questions, three or four at a time."""
    table = yaml.safe_load(Path(__file__).with_name("eyes_labels.yaml").read_text())["films"]
    named = {
        name: labelled(table[name]["events"])
        for name in table
        if table[name]["half"] == half and name not in CHOSEN_ON
    }
    sources = [
        Source(name, path, named[name], tuple(t for row in table[name]["events"] for t in row[:2]))
        for name, path in found_films(folder, [name for name, labels in named.items() if labels])
    ]
    number = max(1, len(sources) // 3)
    return [sources[n::number] for n in range(number)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--half", choices=["tune", "held"])
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--copies", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="look at all clips too, and tell why a question fails")
    parser.add_argument("--looks", type=int, nargs="+", default=[9])
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    for half in [given.half] if given.half else ["tune", "held"]:
        for sources in groups(given.folder, half):
            film = joined(sources, given.work, given.minutes, given.copies, given.seed)
            measure(film, given.work, given.looks, all_clips=given.all)


if __name__ == "__main__":
    main()
