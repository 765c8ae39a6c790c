"""Whether the explorer without a model would look where something labelled happens. It does not really look.

    python -m benchmarks.explorer_coverage FOLDER [--half tune|held] [--films 8] [--copies 2] [--looks 5 9 13]

FOLDER, groups of films, questions and stretches between copies: as for benchmarks/explorer_eyes.py, but no film is
encoded: the small pictures of the overview are taken from those of the films, so that many joined films (`--films`,
each with an order and places of its own) cost seconds. A question is covered if one of its labels lies within a range
of the first looks, which the planner proposes before it has found anything: peaks of the overview and probes. A grid
of as many looks is printed beside it.
"""

from __future__ import annotations

import argparse
import random
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import mean

import cv2
import numpy as np

from amr_neo4j.domain.exploration import Span
from amr_neo4j.explorer.local_planner import LocalPlanner
from amr_neo4j.explorer.overview import Overview, Pictures, by_pictures
from amr_neo4j.explorer.question_reader import QuestionReader
from amr_neo4j.language.languages import ENGLISH
from benchmarks.explorer import CLIP_S, TOLERANCE, Task
from benchmarks.explorer_eyes import SIZE, Labelled, Source, groups, questions, quiet

FPS = 10
WIDTH, HEIGHT = 160, 90


@cache
def pictures(path: Path) -> Pictures:
    """Small pictures of a film, FPS a second."""
    to_raw = [
        "-an",
        "-vf",
        f"{SIZE},scale={WIDTH}:{HEIGHT}",
        "-r",
        str(FPS),
        "-pix_fmt",
        "bgr24",
        "-f",
        "rawvideo",
        "-",
    ]
    made = subprocess.run(
        ["ffmpeg", "-v", "error", "-nostdin", "-i", str(path), *to_raw], capture_output=True, check=True
    )
    return np.frombuffer(made.stdout, np.uint8).reshape(-1, HEIGHT, WIDTH, 3)


def joined(sources: Sequence[Source], minutes: float, copies: int, seed: int) -> tuple[Pictures, list[Labelled]]:
    """The pictures of a long film, one a second, and its labels."""
    share = random.Random(seed)
    order = [*sources] * copies
    share.shuffle(order)
    cuts = [share.expovariate(1) for _ in order]
    empty = minutes * 60 - sum(len(pictures(each.path)) for each in order) / FPS
    found: list[Pictures] = []
    labels: list[Labelled] = []
    for source, cut in zip(order, cuts, strict=True):
        film = pictures(source.path)
        labels += [each.at(len(found) / FPS) for each in source.labels]
        start, end = (round(second * FPS) for second in quiet(source.times, len(film) / FPS))
        calm = [*film[start : max(start + 1, end)]]
        calm += calm[::-1]
        number = round(max(2.0, empty * cut / sum(cuts)) * FPS)
        found += [*film, *(calm[n % len(calm)] for n in range(number))]
    small = [cv2.resize(each, (32, 18), interpolation=cv2.INTER_AREA) for each in found[::FPS]]
    return np.stack(small).astype(np.uint8), labels


def first_looks(overview: Overview, seconds: float, most: int) -> list[Span]:
    paths = LocalPlanner(QuestionReader(ENGLISH), "", duration_s=seconds, overview=overview, most=most).begin().paths
    return [Span(path.start_s, path.end_s) for path in paths]


def is_covered(task: Task, looks: Sequence[Span]) -> bool:
    """Whether a second of a fitting label, or all of a shorter label, lies within a look (+- TOLERANCE)."""
    spans = [(Span(max(0.0, each.start_s - TOLERANCE), each.end_s + TOLERANCE), each.seconds) for each in task.right]
    return any(look.shared(span) >= min(1.0, length) for look in looks for span, length in spans)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=["tune", "held"])
    parser.add_argument("--films", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--copies", type=int, default=2)
    parser.add_argument("--looks", type=int, nargs="+", default=[5, 9, 13])
    given = parser.parse_args()
    for half in [given.half] if given.half else ["tune", "held"]:
        for sources in groups(given.folder, half):
            shares: dict[int, list[tuple[float, float]]] = {looks: [] for looks in given.looks}
            for seed in range(1, given.films + 1):
                small, labels = joined(sources, given.minutes, given.copies, seed)
                overview, seconds, tasks = by_pictures(small), float(len(small)), questions(labels)
                for most in given.looks:
                    step = seconds / most
                    grid = [Span((n + 0.5) * step - CLIP_S / 2, (n + 0.5) * step + CLIP_S / 2) for n in range(most)]
                    ours = first_looks(overview, seconds, most)
                    shares[most].append(tuple(mean(is_covered(task, at) for task in tasks) for at in (ours, grid)))  # type: ignore[arg-type]
            shown = "; ".join(
                f"{most} looks: {mean(ours for ours, _ in each):.0%} (grid {mean(grid for _, grid in each):.0%})"
                for most, each in shares.items()
            )
            print(f"{half}: {' + '.join(each.name for each in sources)}: {shown}", flush=True)


if __name__ == "__main__":
    main()
