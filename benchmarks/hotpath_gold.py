"""Precision and recall of the hot path's facts on gold statements.

Usage: python benchmarks/hotpath_gold.py FOLDER [--errors] [--rules]

FOLDER holds one JSON Lines file per language; each line has lang, kind, context, text, triples and
maybe retracts, and may: triples that are neither right nor wrong.
Prints one row per language and kind, and per relation: found, expected, precision and recall with Wilson 95 %
intervals; then how many of the turns that state nothing gave facts, and milliseconds a turn.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from amr_neo4j.domain.fact import TurnContext
from amr_neo4j.domain.ports import StatementReader
from amr_neo4j.settings import load
from amr_neo4j.turn_reader.language_kit import language_kit
from amr_neo4j.turn_reader.lines import fold
from amr_neo4j.turn_reader.understand import read_by_rules
from amr_neo4j.wiring.openers import open_statement_reader

ARTICLES = frozenset(
    re.findall(
        r"\w+",
        "a an the el la los las un una unos unas le les une des du il lo gli i uno"
        " der die das den dem ein eine einen einem",
    )
)
Key = tuple[str, str]


def wilson(right: int, total: int) -> str:
    """A share with its 95 % interval (Wilson 1927)."""
    if not total:
        return "     -          "
    z, share = 1.96, right / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return f"{share:.2f} ({middle - half:.2f}-{middle + half:.2f})"


def canonical(triple: list[str] | tuple[str, ...], lang: str) -> tuple[str, ...]:
    """Lower case, without articles at the start; the number that a duration begins with in digits."""
    subject, relation, named = (_bare(part.lower().strip()) for part in triple)
    first, _, rest = named.partition(" ")
    value = language_kit(lang).numerals.get(fold(first)) if relation == "duration" and rest else None
    return subject, relation, named if value is None else f"{value} {rest}"


def _bare(text: str) -> str:
    for prefix in ("l'", "un'"):
        text = text.removeprefix(prefix)
    words = text.split()
    while len(words) > 1 and words[0] in ARTICLES:
        words = words[1:]
    return " ".join(words)


class Tally:
    """Counts of found, expected and right triples by any key."""

    def __init__(self) -> None:
        self.found: Counter[Key] = Counter()
        self.expected: Counter[Key] = Counter()
        self.right: Counter[Key] = Counter()

    def add(self, key: Key, found: set[tuple[str, ...]], expected: set[tuple[str, ...]]) -> None:
        """Counts one turn."""
        self.found[key] += len(found)
        self.expected[key] += len(expected)
        self.right[key] += len(found & expected)

    def print(self) -> None:
        """One row a key."""
        for key in sorted(self.found.keys() | self.expected.keys()):
            found, expected, right = self.found[key], self.expected[key], self.right[key]
            name = f"{key[0]:5} {key[1]:18}"
            print(f"{name} found {found:4} of {expected:4}  P {wilson(right, found)}  R {wilson(right, expected)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--errors", action="store_true", help="print each turn that differs")
    parser.add_argument("--lang", default="")
    parser.add_argument("--rules", action="store_true", help="without the network, though it is installed")
    options = parser.parse_args()
    rows = [
        json.loads(line) for path in sorted(options.folder.glob("*.jsonl")) for line in path.open() if line.strip()
    ]
    rows = [row for row in rows if not options.lang or row["lang"] == options.lang]
    for code in {row["lang"] for row in rows}:
        language_kit(code).frames.compile()
    read = read_by_rules if options.rules else open_statement_reader(load())
    read("", "en", TurnContext())  # loads the network
    kinds, relations, empty, spent = Tally(), Tally(), Counter[str](), list[float]()
    for row in rows:
        _count(read, row, kinds, relations, empty, spent, options.errors)
    kinds.print()
    relations.print()
    for code in sorted({row["lang"] for row in rows}):
        print(f"{code}: facts in {wilson(empty[code + ' false'], empty[code])} of {empty[code]} empty turns")
        ends = empty[code + " ends"]
        print(f"{code}: relation right for {wilson(empty[code + ' canonical'], ends)} of {ends} found pairs of ends")
    spent.sort()
    print(
        f"ms a turn: p50 {spent[len(spent) // 2]:.2f}, p95 {spent[int(len(spent) * 0.95)]:.2f}, max {spent[-1]:.2f}"
    )


def _count(
    read: StatementReader,
    row: dict[str, Any],
    kinds: Tally,
    relations: Tally,
    empty: Counter[str],
    spent: list[float],
    errors: bool,
) -> None:
    lang, kind = row["lang"], row["kind"]
    start = time.perf_counter()
    understood = read(row["text"], lang, TurnContext(row["context"]))
    spent.append((time.perf_counter() - start) * 1000)
    # The gold labels what holds for good: a stay is none of its relations, and "whatever it was" names no fact.
    found = {canonical(fact.triple, lang) for fact in understood.facts if fact.strength != "momentary"}
    found -= {canonical(triple, lang) for triple in row.get("may") or []}
    expected = {canonical(triple, lang) for triple in row["triples"]}
    back = {canonical(triple, lang) for triple in understood.retracted if triple.object}
    wanted = {canonical(triple, lang) for triple in row.get("retracts") or []}
    kinds.add((lang, kind), found, expected)
    kinds.add((lang, "all"), found, expected)
    for relation in {triple[1] for triple in found | expected}:
        relations.add(
            ("all", relation), {t for t in found if t[1] == relation}, {t for t in expected if t[1] == relation}
        )
    ends = {(subject, named): relation for subject, relation, named in expected}
    same = [(relation, ends[subject, named]) for subject, relation, named in found if (subject, named) in ends]
    empty[lang + " ends"] += len(same)
    empty[lang + " canonical"] += sum(one == other for one, other in same)
    kinds.add((lang, "retracts"), back, wanted)
    if not expected:
        empty[lang] += 1
        empty[lang + " false"] += bool(found)
    hedged = any(fact.hedged for fact in understood.facts)
    if errors and (found != expected or back != wanted or (expected and hedged != bool(row.get("hedged")))):
        print(f"{kind[0]} {row['text']} {row['context'] or ''}")
        print("    missed", sorted(expected - found), "false", sorted(found - expected))
        if back != wanted or hedged != bool(row.get("hedged")):
            print("    retracted", sorted(back), "wanted", sorted(wanted), "hedged", hedged)


if __name__ == "__main__":
    main()
