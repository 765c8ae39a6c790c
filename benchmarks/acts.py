"""What turns that forget, end, correct or do not mean something do to known facts: tests/gold/acts.

    python -m benchmarks.acts [open|aside] [--rules] [--show]

A case is a turn after another one. Its expectation:

gone     a fact of the turn before is taken back (or, but for a wish to forget, replaced)
stays    none is
nothing  the turn states nothing
else     the turn states this fact: subject, relation, value

Printed for each act: how many are right; how many could not be judged, since no fact was read from the turn before.
With --rules without the network. The part `aside` trains and chooses nothing: --show does not print it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from amr_neo4j.domain.fact import Triple, TurnContext, Understood
from amr_neo4j.domain.ports import StatementReader
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.embedders.pieces import Pieces
from amr_neo4j.embedders.span_model import SpanModel
from amr_neo4j.language.stems import stems
from amr_neo4j.local_models.registry import model_dir
from amr_neo4j.settings import load
from amr_neo4j.turn_reader.learned import LearnedReader
from amr_neo4j.turn_reader.understand import read_by_rules

ACTS = Path(__file__).parents[1] / "tests" / "gold" / "acts"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=("open", "aside"), default="open")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    network = SpanModel(Pieces(model_dir(load(), "reader")), model_dir(load(), "multilingual-e5"))
    reader: StatementReader = read_by_rules if given.rules else LearnedReader(network)
    counts: Counter[tuple[str, str]] = Counter()
    for line in (ACTS / f"{given.part}.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        found = verdict(case, reader)
        counts[case["act"], found] += 1
        if given.show and given.part == "open" and found == "wrong":
            print(" | ".join((case["lang"], case["before"], case["turn"], case["expected"])))
    for act in ("forget", "ends", "unmeant", "corrects", "plain"):
        right, wrong, unread = (counts[act, verdict] for verdict in ("right", "wrong", "unread"))
        print(
            f"{act:9} right {right:4} of {right + wrong:4} ({right / max(1, right + wrong):.2f}), not judged {unread}"
        )


def verdict(case: dict[str, str], reader: StatementReader) -> str:
    """Return "right", "wrong" or "unread"."""
    before, turn, lang = case["before"], case["turn"], case["lang"]
    known = [fact.triple for fact in reader(before, lang, TurnContext()).facts] if before else []
    read = reader(turn, lang, TurnContext((before,) if before else (), believed=tuple(known)))
    gone = taken_back(read, known, lang)
    replaced = {
        triple
        for fact in read.facts
        for triple in known
        if fact.strength == "plain"
        and relation_kind(triple.relation).single
        and triple[:2] == fact.triple[:2]
        and triple.object != fact.triple.object
    }
    match case["expected"]:
        case "gone" if not known:
            return "unread"
        case "gone":
            is_right = bool(gone or (replaced and case["act"] != "forget"))
        case "stays":
            is_right = not (gone or replaced)
        case "nothing":
            is_right = not read.facts
        case stated:
            subject, relation, value = [part.strip().casefold() for part in stated.split(",", 2)]
            wanted = ("you" if subject == "user" else subject, relation, {*value.split()})
            is_right = any(
                fact.triple[:2] == wanted[:2]
                and (set(fact.triple[2].split()) <= wanted[2] or wanted[2] <= set(fact.triple[2].split()))
                for fact in read.facts
            )
    return "right" if is_right else "wrong"


def taken_back(read: Understood, known: Sequence[Triple], lang: str) -> set[Triple]:
    """Return the known facts that a turn takes back: those it names, and those of which its words say all."""
    gone = {
        k
        for taken in (*read.retracted, *read.taken_back)
        for k in known
        if taken == k or (not taken.object and k[:2] == taken[:2])
    }
    for phrase in read.forgotten:
        words = stems(phrase, lang)
        gone |= {
            k
            for k in known
            if stems(k.object, lang) <= words or (k.subject != "you" and stems(k.subject, lang) <= words)
        }
    return gone


if __name__ == "__main__":
    main()
