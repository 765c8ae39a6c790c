"""Questions in five languages over footage whose analyses are in English: tests/worlds/translated.yaml.

    python -m benchmarks.tongues [--languages de fr ...] [--worlds lab kitchen ...] [--show]

Each world goes into a new group of the database in use (NEO4J_URI, else the local one); all languages ask there.
Printed for each language: how often the evidence is first, how many answers are right, wrong without a word of
doubt, wrong behind one, declined; and what became of the unanswerable questions. "kept" are the worlds whose
translations chose nothing, "tuned" the others and the kitchen.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from amr_neo4j.memory import Memory
from benchmarks.worlds import WORLDS, Question, Span, asked_at, line, questions, rank, spans, verdict

# The worlds with translated questions.
NAMES = (
    *("car_park", "school_play", "airport", "clinic", "bakery", "depot"),
    *("lab", "farm", "warehouse", "wedding", "ferry", "family", "office"),
)
LANGUAGES = ("en", "de", "fr", "es", "it")
KEPT = NAMES[6:]
# How a caveat begins in the sentences of language/*/answers.yaml.
_CAVEAT = re.compile(
    r"(Vielleicht|Das Gedächtnis|Nichts|La mémoire|La memoria|Rien|D.après|Nada|Puede|Según|Niente|Secondo)\b"
)
_ROOT = Path(__file__).parents[1]
KITCHEN = sorted((_ROOT / "examples" / "kitchen").glob("*.jsonl"))


def kitchen() -> tuple[dict[str, Span], list[Question]]:
    """Return the clips of the kitchen as spans, and its questions in the form of those of the worlds."""
    clips: dict[str, Span] = {}
    for path in KITCHEN:
        for clip in map(json.loads, path.read_text("utf-8").splitlines()):
            clips[clip["clip_id"]] = (clip["video_id"], clip["t_start"], clip["t_end"])
    rows = (_ROOT / "tests" / "acceptance" / "kitchen_questions.jsonl").read_text("utf-8").splitlines()
    asked: list[Question] = []
    for number, row in enumerate(map(json.loads, rows), 1):
        evidence = [row["evidence"]["clip_id"], *row["evidence"].get("also", [])]
        asked.append(
            {
                "id": f"kitchen-{number:02}",
                "question": row["question"],
                "says": row["answer_words"],
                "never": [],
                "evidence": evidence,
            }
        )
    return clips, asked


def translated(question: Question, code: str, table: dict[str, Any]) -> Question:
    """Return a question in a language, with what its answer must say there."""
    if code == "en":
        return question
    says = [table["says"].get(each, {}).get(code, each) for each in question["says"]]
    return {**question, "question": table["questions"][question["id"]][code], "says": says}


def measure(
    world: str, codes: list[str], table: dict[str, Any], counts: dict[str, Counter[str]], *, show: bool
) -> None:
    """Ask all languages in one world and add what came of it to `counts`."""
    where, asked = kitchen() if world == "kitchen" else (spans(world), questions(world))
    part = "kept" if world in KEPT else "tuned"
    with Memory.open(group=f"tongues-{world}-{time.time_ns()}") as memory:
        for path in KITCHEN if world == "kitchen" else [WORLDS / f"{world}.analyses.jsonl"]:
            memory.ingest(path)
        evening = None if world == "kitchen" else asked_at(world)
        for code in codes:
            chosen = [each for each in asked if each["id"] in table["questions"]]
            for question in [translated(each, code, table) for each in chosen]:
                answer = memory.ask(question["question"], as_of=evening)
                hits = memory.search(question["question"], limit=5, all=True, as_of=evening)
                found = [hit.event for hit in hits]
                answerable = bool(question["evidence"])
                judged = verdict(question, answer)
                judged = "doubtful" if judged == "wrong" and _CAVEAT.match(answer.text) else judged
                place = rank([where[name] for name in question["evidence"]], found) if answerable else 0
                if show:
                    print(
                        f"{code} {question['id']} {judged:9}{place:3} {question['question']}\n     {answer.text}",
                        flush=True,
                    )
                for name in (f"{code} {part}", f"{code} all"):
                    counts[name][("" if answerable else "un ") + judged] += 1
                    counts[name].update(
                        {"@1": answerable and place == 1, "@5": answerable and place <= 5, "n": answerable}
                    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", nargs="+", default=list(LANGUAGES), choices=LANGUAGES)
    parser.add_argument("--worlds", nargs="+", default=[*NAMES, "kitchen"], choices=[*NAMES, "kitchen"])
    parser.add_argument("--show", action="store_true", help="print every question with its answer")
    given = parser.parse_args()
    table = yaml.safe_load((WORLDS / "translated.yaml").read_text("utf-8"))
    counts: dict[str, Counter[str]] = {
        f"{code} {part}": Counter() for code in given.languages for part in ("tuned", "kept", "all")
    }
    for world in given.worlds:
        measure(world, given.languages, table, counts, show=given.show)
    for name, counted in counts.items():
        if counted["n"]:
            print(line(name, counted))


if __name__ == "__main__":
    main()
