"""What two embedders find by their cosines, each alone and by the mean of their cosines. No database.

    python -m benchmarks.two_embedders [--locomo ../shared/data/locomo] [--every 3]

Questions about the kitchen in five languages, over its English events, and every few questions of LoCoMo over the
turns of their conversation. Printed: the share of questions whose evidence is first, and among ten; the mean is also
given of cosines that were scaled to one spread among the texts of a question.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import yaml

from amr_neo4j import settings
from amr_neo4j.model_roles import LOCAL_EMBEDDERS
from amr_neo4j.wiring.embedder import open_embedder
from benchmarks.recall_quality import locomo
from benchmarks.tongues import KITCHEN, LANGUAGES, kitchen, translated
from benchmarks.worlds import WORLDS

# (texts, questions, which texts are evidence of each question)
Set = tuple[list[str], list[str], list[set[int]]]


def of_kitchen() -> Iterator[tuple[str, Set]]:
    """Each language with the kitchen's events. Evidence is every event of a clip that answers."""
    table = yaml.safe_load((WORLDS / "translated.yaml").read_text("utf-8"))
    texts: list[str] = []
    clips: list[str] = []
    for path in KITCHEN:
        for clip in map(json.loads, path.read_text("utf-8").splitlines()):
            for event in clip["analysis"]["events"]:
                texts.append(event["summary"])
                clips.append(clip["clip_id"])
    asked = [each for each in kitchen()[1] if each["id"] in table["questions"]]
    for code in LANGUAGES:
        questions = [translated(each, code, table)["question"] for each in asked]
        evidence = [{i for i, clip in enumerate(clips) if clip in each["evidence"]} for each in asked]
        yield f"kitchen, {code}", (texts, questions, evidence)


def of_locomo(folder: Path, every: int) -> Iterator[Set]:
    """Each conversation with every few of its questions."""
    for talk, asked in locomo(folder):
        said = talk["conversation"]
        turns = [turn for name in said if re.fullmatch(r"session_\d+", name) for turn in said[name]]
        number = {turn["dia_id"]: i for i, turn in enumerate(turns)}
        some = [each for each in asked[::every] if each.gold & number.keys()]
        evidence = [{number[name] for name in each.gold if name in number} for each in some]
        yield [f"{turn['speaker']}: {turn['text']}" for turn in turns], [each.text for each in some], evidence


def found(cosines: np.ndarray, evidence: Sequence[set[int]]) -> np.ndarray:
    """Return (evidence is first, is among ten) of each question, (questions, 2)."""
    best = np.argsort(-cosines, axis=1)[:, :10]
    return np.array(
        [(row[0] in each, bool(each & set(row.tolist()))) for row, each in zip(best, evidence, strict=True)]
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--every", type=int, default=3)
    given = parser.parse_args()
    embedders = [open_embedder(settings.load(embedder=name)) for name in LOCAL_EMBEDDERS]
    sets = [(name, [one]) for name, one in of_kitchen()]
    if given.locomo:
        sets.append(("LoCoMo", list(of_locomo(given.locomo, given.every))))
    print("@1, @10 of:", *LOCAL_EMBEDDERS, "mean", "mean of scaled", sep="  ")
    for name, parts in sets:
        rows: list[list[np.ndarray]] = []
        for texts, questions, evidence in parts:
            each = [np.asarray(e.asking().embed(questions)) @ np.asarray(e.embed(texts)).T for e in embedders]
            scaled = [(c - c.mean(axis=1, keepdims=True)) / c.std(axis=1, keepdims=True) for c in each]
            rows.append([found(c, evidence) for c in (*each, np.mean(each, axis=0), np.mean(scaled, axis=0))])
        figures = [np.concatenate(column).mean(axis=0) for column in zip(*rows, strict=True)]
        asked = sum(len(questions) for _, questions, _ in parts)
        print(f"{name} ({asked}):", *(f"{first:.3f} {ten:.3f}" for first, ten in figures), sep="  ", flush=True)


if __name__ == "__main__":
    main()
