"""How often the explorer finds the labelled second of a video without a model, and with how many looks.

    python benchmarks/explorer.py VIDEO... --work FOLDER [--minutes 30] [--looks 2 4 6 9 12 18] [--overhead]

Beside VIDEO.mp4, labels made by eye are read from VIDEO.events.json. Each video is explored as it is, and repeated
and joined to a long one: copies at random places, between them its own first seconds, in which nothing happens,
played forwards and backwards. Questions are generated from the labels; people are named by the colour of their
clothes. An answer is right if its seconds are those of a label that the question fits, within 2 s. `pointed` are
right answers that say that nothing was recognised, and name the likeliest place. Of the answers that are not right,
`wrong` have no word of doubt, `closest wrong` are marked as the closest that was found, and `pointed wrong` name the
likeliest place. The grid is the same local analyser on as many clips at equal distances, with the same rule for the
answer. --overhead: time of 100 nodes beside clip and look. Needs `amr models install`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import random
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from amr_neo4j import perception
from amr_neo4j.app.exploring import overview_of
from amr_neo4j.domain.exploration import Decision, Look, ProposedPath, Segment, Span, Visit
from amr_neo4j.domain.ports import Looker
from amr_neo4j.explorer.export import exported
from amr_neo4j.explorer.local_planner import SURE, LocalPlanner
from amr_neo4j.explorer.lookers import LocalLooker
from amr_neo4j.explorer.loop import ExplorationLoop
from amr_neo4j.explorer.overview import Overview
from amr_neo4j.explorer.policy import Policy
from amr_neo4j.explorer.question_reader import QuestionReader
from amr_neo4j.files import private_folder, write_atomically
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.media.segment_cutter import SegmentCutter
from amr_neo4j.models.ledger import Ledger
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import open_local_analyser

TOLERANCE = 2.0
CLIP_S = 10.0
FPS = 10
EMPTY_S = 5.0
"""Seconds at the start of a labelled video in which nothing happens."""
TAKE = [
    "When is the {part} bottle taken?",
    "When does somebody pick up the bottle {where}?",
    "Who takes the bottle {where}?",
]
PUT = [
    "When is the {part} bottle put down?",
    "When does somebody put the bottle {where} back?",
    "Who puts down a bottle {where}?",
]
ENTER = ["When does a person in {look} come in?", "When does somebody in {look} enter?", "Who in {look} walks in?"]
STAY = ["When is a person in {look} at the table?", "When does somebody in {look} stay there?"]
LEAVE = ["When does a person in {look} leave?", "When does somebody in {look} walk out?", "Who in {look} goes away?"]
WHERE = {"left": "on the left", "middle": "in the middle", "right": "on the right"}


@dataclass(frozen=True)
class Task:
    """A question and the spans of the labels that it fits."""

    question: str
    right: tuple[Span, ...]

    def holds(self, span: Span) -> bool:
        return any(span.shared(Span(max(0.0, r.start_s - TOLERANCE), r.end_s + TOLERANCE)) > 0 for r in self.right)


@dataclass
class Film:
    name: str
    path: Path
    tasks: list[Task]


def labels(path: Path, *, exact: bool) -> Iterator[tuple[str, str, Span]]:
    """(kind of question, what fills it, span). exact: people by garment and colour, else by colour alone."""
    for entry in json.loads(path.read_text())["events"]:
        if "verb" in entry:
            yield entry["verb"], entry["object"].partition(":")[2], Span(entry["start"], entry["stop"])
        else:
            look = entry["look"].split(", ")
            clothes = next(part for part in look if part.split()[0] in ("grey", "black"))
            clothes = clothes if exact else clothes.split()[0]
            yield "enter", clothes, Span(entry["enter"], entry["enter"] + 1)
            yield "stay", clothes, Span(*entry["at_table"])
            yield "leave", clothes, Span(entry["leave"], entry["leave"] + 1)


def tasks(path: Path, offsets: Sequence[float], *, exact: bool = False) -> list[Task]:
    """Every question on the labels of a video whose copies start at these seconds."""
    by_question: dict[str, list[Span]] = {}
    forms = {"take": TAKE, "put": PUT, "enter": ENTER, "stay": STAY, "leave": LEAVE}
    for kind, what, span in labels(path, exact=exact):
        for form in forms[kind]:
            question = form.format(part=what, where=WHERE.get(what, ""), look=what)
            spans = [Span(span.start_s + at, span.end_s + at) for at in offsets]
            by_question.setdefault(question, []).extend(spans)
    return [Task(question, tuple(right)) for question, right in by_question.items()]


def film(video: Path, folder: Path, minutes: float, copies: int, seed: int, noise: int, *, exact: bool) -> Film:
    """The video repeated and joined to a long one with empty stretches between the copies.

    noise: of a camera in the dark, added to every picture (strength of ffmpeg's filter).
    """
    name = f"{video.stem}-{minutes:g}min-{seed}" + (f"-noise{noise}" if noise else "")
    path, seconds = folder / f"{name}.mp4", SegmentCutter(video, folder).duration_s
    share = random.Random(seed)
    cuts = [share.expovariate(1) for _ in range(copies + 1)]
    gaps = [round((minutes * 60 - copies * seconds) * cut / sum(cuts), 1) for cut in cuts]
    offsets = [sum(gaps[: n + 1]) + n * seconds for n in range(copies)]
    if not path.exists():
        _join(video, path, gaps, noise)
    return Film(name, path, tasks(video.with_suffix(".events.json"), offsets, exact=exact))


def _join(video: Path, path: Path, gaps: Sequence[float], noise: int) -> None:
    whole, calm = path.with_suffix(".whole.mp4"), path.with_suffix(".calm.mp4")
    encoded("-i", str(video), "-an", "-r", str(FPS), whole)
    there_and_back = "[0:v]split[a][b];[b]reverse[c];[a][c]concat=n=2"
    encoded("-t", str(EMPTY_S), "-i", str(video), "-an", "-r", str(FPS), "-filter_complex", there_and_back, calm)
    parts: list[Path] = []
    for number, gap in enumerate(gaps):
        part = path.with_suffix(f".gap{number}.mp4")
        encoded("-stream_loop", "-1", "-i", str(calm), "-t", str(gap), "-r", str(FPS), part)
        parts += [part, whole]
    concatenate(parts[:-1], path, noise)
    for part in {*parts, calm}:
        part.unlink(missing_ok=True)


def concatenate(parts: Sequence[Path], path: Path, noise: int = 0) -> None:
    """Join films of one size into one, encoded anew, so that no key picture marks a joint."""
    listed = path.with_suffix(".txt")
    listed.write_text("".join(f"file '{part.absolute()}'\n" for part in parts))
    grain = ["-vf", f"noise=alls={noise}:allf=t"] if noise else []
    encode = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "26", *grain, "-r", str(FPS), "-y", str(path)]
    given = ["-f", "concat", "-safe", "0", "-i", str(listed)]
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *given, *encode], check=True)
    listed.unlink()


def encoded(*arguments: str | Path) -> None:
    """Run ffmpeg with these inputs and filters; the last argument is the film it makes."""
    encode = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p", "-y"]
    *given, target = map(str, arguments)
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", *given, *encode, target], check=True)


class Cached:
    """Looks at each range once for all questions and runs: the analysis is the same, the fit is the question's."""

    def __init__(self, reader: QuestionReader, analyser: Any, folder: Path) -> None:
        """folder: where analyses are kept, pickled; a change of the local analyser makes new ones."""
        self._reader, self._analyser = reader, analyser
        self._folder, self._version = private_folder(folder.absolute()), _version()
        self._looks: dict[str, Look] = {}

    def looker(self, question: str) -> Looker:
        return _Weighed(self, question).look

    def seen(self, segment: Segment) -> Look:
        if segment.path not in self._looks:
            kept = self._folder / f"{Path(segment.path).stem}-{self._version}.pickle"
            if not kept.exists():
                look = LocalLooker(lambda: self._analyser, self._reader, "").look(segment)
                part = kept.with_suffix(".part")
                part.write_bytes(pickle.dumps(look))
                part.replace(kept)
            self._looks[segment.path] = pickle.loads(kept.read_bytes())
        return self._looks[segment.path]


def _version() -> str:
    """A digest of the local analyser's code and thresholds."""
    files = sorted(Path(perception.__file__).parent.iterdir())
    return hashlib.sha256(b"".join(file.read_bytes() for file in files if file.is_file())).hexdigest()[:8]


class _Weighed:
    def __init__(self, cached: Cached, question: str) -> None:
        self._cached, self._question = cached, question

    def look(self, segment: Segment) -> Look:
        seen, reader = self._cached.seen(segment), self._cached._reader
        assert seen.analysis
        one = LocalLooker(lambda: None, reader, self._question)  # type: ignore[arg-type, return-value]
        finds = [one._find(event, segment.span) for event in seen.analysis.events]
        return replace(seen, finds=tuple(sorted(finds, key=lambda find: -find.fit)), notes=())


@dataclass(frozen=True)
class Outcome:
    """Of a question. span: of the answer, None without one. guess: it only names the likeliest place.

    sure: it is no guess, and not merely the closest that was found.
    """

    task: Task
    span: Span | None
    guess: bool = False
    sure: bool = False
    looks: int = 0

    @classmethod
    def of(cls, task: Task, decision: Decision | None, looks: int) -> Outcome:
        if decision is None:
            return cls(task, None, looks=looks)
        return cls(task, decision.span, decision.guess, decision.confidence >= SURE, looks)

    @property
    def is_right(self) -> bool:
        return self.span is not None and self.task.holds(self.span)


def explored(
    task: Task, cut: SegmentCutter, cached: Cached, reader: QuestionReader, overview: Overview, looks: int
) -> Outcome:
    planner = LocalPlanner(reader, task.question, duration_s=cut.duration_s, overview=overview, most=looks)
    policy = Policy(max_looks=looks, patience=0)
    engine = ExplorationLoop(
        planner,
        cached.looker(task.question),
        cut,
        duration_s=cut.duration_s,
        policy=policy,
        clock=time.monotonic,
    )
    best = engine.run().best()
    return Outcome.of(task, best[0] if best else None, len(engine.tree.seen()))


def grid(task: Task, cut: SegmentCutter, cached: Cached, reader: QuestionReader, looks: int) -> Outcome:
    """The same analyser on clips at equal distances; the answer is what fits best, or the likeliest."""
    step = cut.duration_s / looks
    starts = [max(0.0, min((n + 0.5) * step - CLIP_S / 2, cut.duration_s - CLIP_S)) for n in range(looks)]
    looker, planner = (
        cached.looker(task.question),
        LocalPlanner(reader, task.question, duration_s=cut.duration_s, overview=Overview(), most=looks),
    )
    visits: list[Visit] = []
    for number, at in enumerate(starts):
        segment = cut(Span(at, at + CLIP_S))
        visits.append(Visit(f"P{number + 1}", 1, "", segment.span, segment, looker(segment), may_expand=False))
    planner.decide(visits)
    return Outcome.of(task, planner.conclude("exhausted"), looks)


def _shares(outcomes: Sequence[Outcome]) -> str:
    """Right, of them pointed; wrong, closest wrong, pointed wrong: cells of a table."""
    kinds = [
        [each.is_right for each in outcomes],
        [each.is_right and each.guess for each in outcomes],
        [each.span is not None and not each.is_right and each.sure for each in outcomes],
        [each.span is not None and not each.is_right and not each.sure and not each.guess for each in outcomes],
        [each.span is not None and not each.is_right and each.guess for each in outcomes],
    ]
    return " | ".join(f"{sum(kind) / len(outcomes):.0%}" for kind in kinds)


def measure(film: Film, folder: Path, budgets: Sequence[int], *, all_clips: bool = False) -> None:
    """Print the share of questions found with each number of looks."""
    reader = QuestionReader(ENGLISH)
    cached = Cached(reader, open_local_analyser(load(), Ledger()), folder / "looks")
    cut = SegmentCutter(film.path, folder / "segments")
    began = time.monotonic()
    overview = overview_of(cut)
    overview_s = time.monotonic() - began
    clips = cut.duration_s / CLIP_S
    print(f"\n{film.name}: {cut.duration_s:.0f} s, {clips:.0f} clips, {len(film.tasks)} questions")
    print(f"overview in {overview_s:.2f} s")
    kinds = "right | pointed | wrong | closest wrong | pointed wrong"
    print(f"| looks at most | of the clips | mean looks | {kinds} | grid: {kinds} |")
    print("|---" * 13 + "|")
    runs: list[Outcome] = []
    for budget in (each for each in budgets if each <= clips):
        runs = [explored(task, cut, cached, reader, overview, budget) for task in film.tasks]
        even = [grid(task, cut, cached, reader, budget) for task in film.tasks]
        mean = sum(run.looks for run in runs) / len(runs)
        print(f"| {budget} | {budget / clips:.0%} | {mean:.1f} | {_shares(runs)} | {_shares(even)} |", flush=True)
    tell_causes(film, cut, cached, runs, all_clips)


def tell_causes(film: Film, cut: SegmentCutter, cached: Cached, runs: Sequence[Outcome], all_clips: bool) -> None:
    """Print what was not found; with all_clips also why: unseen in any clip, answered otherwise, not looked at."""
    causes: dict[str, list[str]] = {}
    for run in runs:
        if run.is_right:
            continue
        cause = "not found" if run.span is None else "pointed wrong" if run.guess else "answered by something else"
        if all_clips and not _seen_at_all(run.task, cut, cached):
            cause = f"{cause}, and reported of no clip"
        causes.setdefault(cause, []).append(run.task.question)
    for cause, questions in causes.items():
        print(f"{cause}: {len(questions) / len(film.tasks):.0%}", *questions, sep="\n  ")


def _seen_at_all(task: Task, cut: SegmentCutter, cached: Cached) -> bool:
    """Whether the analyser reports what is asked for in any clip at all. If not, no planner can find it."""
    looker = cached.looker(task.question)
    starts = [n * CLIP_S for n in range(int(cut.duration_s // CLIP_S))]
    finds = [find for at in starts for find in looker(cut(Span(at, at + CLIP_S))).finds]
    return any(find.fit >= 0.5 and task.holds(find.span) for find in finds)


class _Talks:
    """A planner that expands for ever."""

    def resume(self, root: Decision, visits: Sequence[tuple[Visit, Decision]]) -> None:
        """Nothing is gone on with here."""

    def begin(self) -> Decision:
        paths = tuple(ProposedPath("", "probe", n * 10.0, n * 10.0 + 5) for n in range(100))
        return Decision("expand", "a grid", paths, confidence=0.5)

    def decide(self, visits: Sequence[Visit]) -> list[Decision]:
        return [Decision("discard", "nothing", confidence=0.5) for _ in visits]

    def more(self, unseen: Sequence[Span], looks: int) -> list[Decision]:
        return []

    def conclude(self, why: str) -> Decision:
        return Decision("terminate")


def overhead(folder: Path) -> None:
    """Time of 100 nodes without clip and model, with the tree written after each."""
    policy = Policy(max_looks=100, patience=0)
    look: Looker = lambda segment: Look("a street " * 50)  # noqa: E731
    clip: Callable[[Span], Segment] = lambda span: Segment(f"segment_{span.start_s:g}.mp4", span, 1000)  # noqa: E731
    facts = {"path": "film.mp4", "duration_s": 1000.0, "fingerprint": ""}

    def save(tree: Any, stopped: Any) -> None:
        document = exported(
            tree, question="What?", video=facts, policy=policy, stopped=stopped, planner="none", seconds=0.0
        )
        write_atomically(folder / "tree.json", json.dumps(document))

    began, used = time.perf_counter(), time.process_time()
    engine = ExplorationLoop(_Talks(), look, clip, duration_s=1000.0, policy=policy, clock=time.monotonic, save=save)
    engine.run()
    nodes = len(engine.tree.seen())
    spent, cpu = (1000 * each / nodes for each in (time.perf_counter() - began, time.process_time() - used))
    print(
        f"\noverhead of a node beside clip and look: {spent:.1f} ms, {cpu:.1f} ms of a core "
        f"({nodes} nodes, the tree written after each)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the explorer without a model.")
    parser.add_argument("videos", type=Path, nargs="*")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--looks", type=int, nargs="+", default=[2, 4, 6, 9, 12, 18])
    parser.add_argument("--noise", type=int, default=0, help="strength of noise added to the long film")
    parser.add_argument("--exact", action="store_true", help="name people by garment, which the analyser cannot see")
    parser.add_argument("--overhead", action="store_true")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    for video in given.videos:
        whole = Film(video.stem, video, tasks(video.with_suffix(".events.json"), [0.0], exact=given.exact))
        if not given.noise:
            measure(whole, given.work, [1, 2, 3, 4, 6])
        how = (given.minutes, given.copies, given.seed, given.noise)
        measure(film(video, given.work, *how, exact=given.exact), given.work, given.looks)
    if given.overhead:
        overhead(given.work)


if __name__ == "__main__":
    main()
