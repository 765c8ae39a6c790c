"""Whether a live conversation is reminded of the fact that a question asks for, and search_memory of the right turn.

    python -m benchmarks.reminding [FILE] [--languages en de ...] [--show]

FILE (default: tests/gold/reminding.jsonl; reminding_search.jsonl beside it has sixty more needs) has a conversation a
line, in five languages, with several people in each. Each is that of a user of a new group in the database in use
(NEO4J_URI, else the local one). All are observed, then memory is opened anew and the questions are asked in a later
session. A quoted turn counts if it has the words. Printed for each language and kind of question:

user, other    of the user, of somebody else. believed: all that is asked for was read from the turns. reminded: it
               is in the hints. first: the first hint is of it. wrong person: a hint is a fact of somebody else
unsaid, world  what nobody said, and the world at large. nothing: no hint but the kinship of the person asked about.
               wrong person: a hint is of somebody else than the question
search         needs as an assistant words them. @1, @3: the first result, or one of the first three, rests on a right
               turn. share @3: the share of the right turns (three at most) that the first three results rest on
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from amr_neo4j import Fact, Hint, Memory, Recalled, TurnCitation
from amr_neo4j.domain.fact import SAID

GOLD = Path(__file__).parents[1] / "tests" / "gold" / "reminding.jsonl"
SESSION = "talk"
NOTHING = r"(?!)"
"""Matches no text."""


def states(wanted: dict[str, Any], stated: Fact | Hint) -> bool:
    """Whether it has the subject and the words of what a question asks for; of a quoted turn, the words."""
    if stated.triple.relation == SAID:
        return bool(re.search(wanted["text"], stated.text, re.I))
    subject = re.search(wanted["subject"], stated.triple.subject, re.I)
    return bool(subject and re.search(wanted["text"], stated.text, re.I))


def states_all(question: dict[str, Any], stated: Iterable[Fact | Hint]) -> bool:
    """Whether all that the question asks for is among them."""
    stated = list(stated)
    return all(any(states(wanted, each) for each in stated) for wanted in question["facts"])


def judge(question: dict[str, Any], hints: Sequence[Hint], believed: Sequence[Fact]) -> Mapping[str, float]:
    """Whether the hints for a question are right, 1 or 0 for each figure."""
    if question["kind"] in ("unsaid", "world"):
        others = [hint for hint in hints if not re.search(question.get("may", NOTHING), hint.text, re.I)]
        figures = {"nothing": not others}
        if question["kind"] == "unsaid":
            about = question.get("about", NOTHING)
            figures["wrong person"] = not all(re.search(about, hint.triple.subject, re.I) for hint in others)
        return figures
    figures = {
        "reminded": states_all(question, hints),
        "first": bool(hints) and any(states(wanted, hints[0]) for wanted in question["facts"]),
    }
    is_believed = states_all(question, believed)
    figures |= {f"{name} if believed": value for name, value in figures.items() if is_believed}
    wrong = question.get("wrong", NOTHING)
    return {
        "believed": is_believed,
        **figures,
        "wrong person": any(re.search(wrong, hint.text, re.I) for hint in hints),
    }


def judge_search(need: dict[str, Any], found: Sequence[Recalled]) -> Mapping[str, float]:
    """The figures of a search."""
    turns = [each.source.turn if isinstance(each.source, TurnCitation) else None for each in found[:3]]
    right = set(need["right"])
    hits = len(right & set(turns))
    return {"@1": bool(turns) and turns[0] in right, "@3": hits > 0, "share @3": hits / min(3, len(right))}


def has_failed(figures: Mapping[str, float]) -> bool:
    """Whether a figure is not what it ought to be."""
    return any(value != (name != "wrong person") for name, value in figures.items())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, default=GOLD)
    parser.add_argument("--languages", nargs="+", default=["en", "es", "fr", "de", "it"])
    parser.add_argument("--show", action="store_true", help="print what failed; not for data that is put aside")
    given = parser.parse_args()
    rows = [json.loads(each) for each in given.file.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["lang"] in given.languages]
    judged: defaultdict[tuple[str, str], list[Mapping[str, float]]] = defaultdict(list)

    def count(row: dict[str, Any], kind: str, figures: Mapping[str, float], shown: Sequence[object]) -> None:
        judged[row["lang"], kind].append(figures)
        judged["all", kind].append(figures)
        if given.show and has_failed(figures):
            print(f"{row['id']} {kind} {figures}", *shown, sep="\n    ")

    group = f"reminding-{time.time_ns()}"
    with Memory.open(group=group) as memory:
        for row in rows:
            chat = memory.chat(user_id=row["id"], session_id=SESSION)
            for actor, text in row["turns"]:
                chat.observe(text, actor=actor)
    with Memory.open(group=group) as memory:
        memory.embed_facts()
        for row in rows:
            believed = memory.facts(user_id=row["id"])
            chat = memory.chat(user_id=row["id"], session_id="later")
            for need in row.get("needs", ()):
                found = memory.search_memory(need["query"], user_id=row["id"])
                shown = [need["query"], need["right"], [(each.kind, each.text) for each in found]]
                count(row, "search", judge_search(need, found), shown)
            for question in row.get("questions", ()):
                hints = chat.observe(question["text"]).hints
                shown = [row["turns"], [fact.triple for fact in believed], question, [hint.text for hint in hints]]
                count(row, question["kind"], judge(question, hints, believed), shown)
    for language in (*given.languages, "all"):
        for kind in ("user", "other", "unsaid", "world", "search"):
            figures: defaultdict[str, list[float]] = defaultdict(list)
            for each in judged[language, kind]:
                for name, value in each.items():
                    figures[name].append(value)
            if figures:
                means = (f"{name} {sum(values) / len(values):.3f}" for name, values in figures.items())
                print(f"{language:4} {kind:7} {len(judged[language, kind]):4}  " + "  ".join(means), flush=True)


if __name__ == "__main__":
    main()
