"""How well `answer.confidence` is calibrated, and the numbers of recall/answer/confidence.yaml.

    python -m benchmarks.confidence ask ../shared/data --rows rows.jsonl [--sets worlds tvqa ...] [--every 8]
    python -m benchmarks.confidence fit --rows rows.jsonl

ask: asks questions of the sets in the database in use (NEO4J_URI, else the local one), a group per set that is
kept, and adds a row for each: its signs (`signs` of recall/answer/confidence.py), how it was worded, and if it is
supported. An answer is supported if the first event that it rests on is evidence; in the worlds that may be worked
on, if its text is right.

fit: prints for each set, with numbers that were fitted on the others, the expected calibration error (ten bins of
equal size), how large it would be by chance with so few questions, and what share of the plain, doubted and declined
answers are supported; then the numbers fitted on all sets. Each set weighs the same. It is a logistic regression with
a small ridge, by Newton's method.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from amr_neo4j.domain.event import Event
from amr_neo4j.domain.recall import Answer
from amr_neo4j.memory import Memory
from amr_neo4j.recall import pipeline
from amr_neo4j.recall.answer.confidence import confidence, signs
from benchmarks import worlds
from benchmarks.recall_quality import epic, ingested, locomo, said

WORLDS = ("car_park", "school_play", "airport", "clinic", "bakery", "ferry", "family", "depot", "office")
SETS = ("worlds", "tvqa", "nextgqa", "friendsqa", "beam", "egolife", "locomo", "epic")
BINS = 10
RIDGE = 1e-3
Row = dict[str, Any]
Values = npt.NDArray[np.float64]
# Takes the first event that an answer rests on, and the answer.
Supports = Callable[[Event | None, Answer], bool]
# (question, bounds, whether an answer is supported)
Asked = tuple[str, dict[str, Any], Supports]


@contextmanager
def recorded() -> Iterator[list[tuple[dict[str, float], Event | None]]]:
    """Within it, the signs and the first event of each answer are added to a list."""
    found: list[tuple[dict[str, float], Event | None]] = []

    def recording(parsed: Any, result: Any, candidates: Any) -> float:
        claims = result.nearest if hasattr(result, "nearest") else result.claims
        first = claims[0].events[0].event if claims else None
        found.append(({str(name): value for name, value in signs(parsed, result, candidates).items()}, first))
        return confidence(parsed, result, candidates)

    pipeline.confidence = recording
    try:
        yield found
    finally:
        pipeline.confidence = confidence


def asked(memory: Memory, questions: Sequence[Asked], name: str) -> Iterator[Row]:
    """The row of each question. An answer about the films themselves or without an event has none."""
    with recorded() as found:
        for question, bounds, supports in questions:
            found.clear()
            answer = memory.ask(question, **bounds)
            # An operator in doubt gives way to the best caption, whose confidence comes last.
            if found and found[-1][0]:
                measured, first = found[-1]
                caveat = worlds.has_caveat(answer)
                worded = "declined" if not answer.found else "doubted" if caveat else "plain"
                yield {"set": name, "signs": measured, "worded": worded, "supported": supports(first, answer)}


def of_worlds(_: Path, every: int) -> Iterator[Row]:
    """The worlds that may be worked on, all questions."""
    for world in WORLDS:
        with Memory.open(group=f"confidence-{world}") as memory:
            if not memory.videos():
                memory.ingest(worlds.WORLDS / f"{world}.analyses.jsonl")
            evening = {"as_of": worlds.asked_at(world)}
            questions = [(q["question"], evening, _is_right(q)) for q in worlds.questions(world)]
            yield from asked(memory, questions[::every], "worlds")


def _is_right(question: worlds.Question) -> Supports:
    return lambda first, answer: bool(question["evidence"]) and worlds.says(question, answer)


def of_films(name: str, scope: str) -> Callable[[Path, int], Iterator[Row]]:
    """TVQA+ or NExT-GQA in one video or episode, or over all."""

    def rows(folder: Path, every: int) -> Iterator[Row]:
        with Memory.open(group=f"general-{name}") as memory:
            path = folder / "general" / name
            if not memory.videos():
                _ingest(memory, path / "analyses.jsonl.gz")
            episodes: dict[str, list[str]] = defaultdict(list)
            for video in memory.videos():
                episodes[video.video_id.split("_seg")[0]].append(video.video_id)
            bounds: Callable[[Row], dict[str, Any]] = {
                "all": lambda q: {},
                "video": lambda q: {"videos": [q["video_id"]]},
                "episode": lambda q: {"videos": episodes[q["episode"]]},
            }[scope]
            questions = [
                (q["question"], bounds(q), _in_spans(q)) for q in _rows(path / "questions.jsonl.gz")[::every]
            ]
            yield from asked(memory, questions, f"{name} {scope}")

    return rows


def _in_spans(question: Row) -> Supports:
    spans = question.get("gold_spans") or [question["gold_span"]]

    def supports(first: Event | None, answer: Answer) -> bool:
        return (
            first is not None
            and first.video_id == question["video_id"]
            and any(min(first.time_end, end) > max(first.time_start, start) for start, end in spans)
        )

    return supports


def of_friends(scope: str) -> Callable[[Path, int], Iterator[Row]]:
    """FriendsQA in one scene, or over all."""

    def rows(folder: Path, every: int) -> Iterator[Row]:
        path = folder / "general" / "friendsqa"
        with Memory.open(group="general-friendsqa") as memory, tempfile.TemporaryDirectory() as scratch:
            if not memory.sessions(user_id="friends"):
                file = Path(scratch) / "turns.jsonl"
                file.write_bytes(gzip.decompress((path / "turns.jsonl.gz").read_bytes()))
                memory.import_chat(file, user_id="friends")
            questions = [
                (
                    q["question"],
                    {"user_id": "friends"} | ({"sessions": [q["session_id"]]} if scope == "session" else {}),
                    _is_turn(q["evidence_turns"]),
                )
                for q in _rows(path / "questions.jsonl.gz")[::every]
            ]
            yield from asked(memory, questions, f"friendsqa {scope}")

    return rows


def _is_turn(evidence: Sequence[str] | frozenset[str]) -> Supports:
    return lambda first, answer: bool(first and first.turn and first.turn.turn_id in evidence)


def of_beam(folder: Path, every: int) -> Iterator[Row]:
    """BEAM, the chats of each user."""
    path = folder / "general" / "beam"
    with Memory.open(group="general-beam") as memory:
        if not memory.stats().turns:
            chats: dict[tuple[str, str], list[Row]] = defaultdict(list)
            for turn in _rows(path / "turns.jsonl.gz"):
                said_then = {"actor": turn["actor"], "content": turn["content"], "turn_id": turn["turn_id"]}
                chats[turn["user_id"], turn["session_id"]].append(said_then | {"at": turn["valid_at"]})
            for (user, session), turns in chats.items():
                memory.remember(turns, user_id=user, session_id=session)
        questions = [
            (q["question"], {"user_id": q["user_id"]}, _is_turn(q["evidence_turns"]))
            for q in _rows(path / "questions.jsonl.gz")[::every]
        ]
        yield from asked(memory, questions, "beam")


def of_locomo(folder: Path, every: int) -> Iterator[Row]:
    """LoCoMo, each conversation a user's."""
    with Memory.open(group="confidence-locomo") as memory:
        for number, (talk, questions) in enumerate(locomo(folder / "locomo")):
            user = f"user-{number}"
            if not memory.sessions(user_id=user):
                said(memory, talk, user)
            some = [(q.text, {"user_id": user}, _is_turn(q.gold)) for q in questions[::every]]
            yield from asked(memory, some, "locomo")


def of_epic(folder: Path, every: int) -> Iterator[Row]:
    """EPIC-KITCHENS, each question in its own scope."""
    [(lines, questions)] = epic(folder / "epic")
    with Memory.open(group="confidence-epic") as memory:
        stored = ingested(memory, lines)  # what is there already is told again, and not written

        def is_gold(gold: frozenset[str]) -> Supports:
            return lambda first, answer: bool(
                first and first.node_id in stored and stored[first.node_id].name in gold
            )

        yield from asked(
            memory, [(q.text, {"videos": q.videos}, is_gold(q.gold)) for q in questions[::every]], "epic"
        )


def of_life(folder: Path, every: int) -> Iterator[Row]:
    """Three days of EgoLife, each question at its moment; within 30 s of a target."""
    path = folder / "general" / "egolife"
    with Memory.open(group="general-egolife") as memory:
        if not memory.videos():
            _ingest(memory, path / "analyses.jsonl.gz")
        questions: list[Asked] = [
            (q["question"], {"as_of": datetime.datetime.fromisoformat(q["at"])}, _is_near(q["targets_s"]))
            for q in _rows(path / "questions.jsonl.gz")[::every]
        ]
        yield from asked(memory, questions, "egolife")


def _is_near(targets: Sequence[float], within: float = 30.0) -> Supports:
    def supports(first: Event | None, answer: Answer) -> bool:
        if first is None:
            return False
        midnight = (int(first.video_id.rsplit("DAY", 1)[1]) - 1) * 86_400
        begin, end = midnight + first.time_start, midnight + first.time_end
        return any(max(begin - at, at - end, 0) <= within for at in targets)

    return supports


def _rows(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _ingest(memory: Memory, path: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "analyses.jsonl"
        file.write_bytes(gzip.decompress(path.read_bytes()))
        memory.ingest(file)


PARTS: Mapping[str, Sequence[Callable[[Path, int], Iterator[Row]]]] = {
    "worlds": (of_worlds,),
    "tvqa": (of_films("tvqa", "episode"), of_films("tvqa", "all")),
    "nextgqa": (of_films("nextgqa", "video"), of_films("nextgqa", "all")),
    "friendsqa": (of_friends("session"), of_friends("all")),
    "beam": (of_beam,),
    "egolife": (of_life,),
    "locomo": (of_locomo,),
    "epic": (of_epic,),
}


def fitted(rows: Sequence[Row], names: Sequence[str]) -> Values:
    """The intercept and the weight of each sign, shape (1 + signs,). Each set weighs the same."""
    sizes: dict[str, int] = defaultdict(int)
    for row in rows:
        sizes[row["set"]] += 1
    x, y = _arrays(rows, names)
    weight = np.array([1 / sizes[row["set"]] for row in rows])
    weight *= len(rows) / weight.sum()
    beta = np.zeros(x.shape[1])
    ridge = RIDGE * len(rows) * np.diag([0.0, *[1.0] * len(names)])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        gradient = x.T @ (weight * (y - p)) - ridge @ beta
        beta = beta + np.linalg.solve((x * (weight * p * (1 - p))[:, None]).T @ x + ridge, gradient)
    return beta


def _arrays(rows: Sequence[Row], names: Sequence[str]) -> tuple[Values, Values]:
    x = np.array([[1.0, *(row["signs"][name] for name in names)] for row in rows])
    return x, np.array([float(row["supported"]) for row in rows])


def calibration_error(sure: Values, supported: Values) -> float:
    """The expected calibration error over BINS bins of equal size."""
    bins = np.array_split(np.argsort(sure, kind="stable"), min(BINS, len(sure)))
    return sum(len(part) * abs(sure[part].mean() - supported[part].mean()) for part in bins) / len(sure)


def error_by_chance(sure: Values) -> float:
    """The calibration error that answers of exactly these probabilities would have on average, by 200 draws."""
    draws = np.random.default_rng(0).random((200, len(sure))) < sure
    return float(np.mean([calibration_error(sure, each.astype(np.float64)) for each in draws]))


def report(rows: Sequence[Row]) -> None:
    """Print the calibration of each set by numbers of the others, and the numbers fitted on all."""
    names = list(rows[0]["signs"])
    of_set: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        of_set[row["set"]].append(row)
    for name, part in of_set.items():
        beta = fitted([row for row in rows if row["set"].split()[0] != name.split()[0]], names)
        x, y = _arrays(part, names)
        sure = 1 / (1 + np.exp(-x @ beta))
        error = f"error {calibration_error(sure, y):.3f} (by chance {error_by_chance(sure):.3f})"
        cells = f"{error}  supported {y.mean():.3f}, expected {sure.mean():.3f}"
        for worded in ("plain", "doubted", "declined"):
            some = [row["supported"] for row in part if row["worded"] == worded]
            cells += f"  {worded} {sum(some)}/{len(some)}"
        print(f"{name:18} n {len(part):4}  {cells}")
    beta = fitted(rows, names)
    print(
        "intercept", round(beta[0], 3), {name: round(value, 3) for name, value in zip(names, beta[1:], strict=True)}
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("do", choices=["ask", "fit"])
    parser.add_argument("folder", type=Path, nargs="?", help="the data sets")
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--every", type=int, default=1, help="ask every n-th question alone")
    given = parser.parse_args()
    if given.do == "fit":
        report([json.loads(line) for line in given.rows.read_text("utf-8").splitlines()])
        return
    with given.rows.open("a", encoding="utf-8") as out:
        for name in given.sets:
            for rows in PARTS[name]:
                for row in rows(given.folder, given.every):
                    out.write(json.dumps(row) + "\n")
                    out.flush()


if __name__ == "__main__":
    main()
