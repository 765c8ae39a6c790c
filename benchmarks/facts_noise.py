"""What search_memory brings back beyond what was asked: 40 cases of five people, on a real Neo4j.

    NEO4J_URI=... NEO4J_PASSWORD=... python -m benchmarks.facts_noise [--show] [--held]

--held: 20 cases of three others. A case (facts_noise.yaml) passes if each result has one of the wanted words, and
each of these is in a result.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import yaml

from amr_neo4j import Memory
from amr_neo4j.settings import load

CASES = Path(__file__).with_suffix(".yaml")
BEGIN = datetime(2026, 3, 1, 9, tzinfo=UTC)


def take_in(memory: Memory, people: Mapping[str, Sequence[str]]) -> None:
    """A turn a day, and a run over the facts at the end."""
    for who, said in people.items():
        turns = [
            {"content": text, "actor": "user", "at": BEGIN + timedelta(days=day)} for day, text in enumerate(said)
        ]
        memory.remember(turns, user_id=who, session_id="chat")
        memory.consolidate(user_id=who, at=BEGIN + timedelta(days=len(said)))
    memory.embed_facts()


def beyond(case: Mapping[str, Any], found: Sequence[str]) -> tuple[list[str], list[str]]:
    """(results that have nothing that is wanted, what is wanted and not found)."""
    texts = [text.casefold() for text in found]
    noise = [text for text in texts if not any(words in text for words in case["wanted"])]
    return noise, [words for words in case["wanted"] if not any(words in text for text in texts)]


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="print the cases that do not pass")
    parser.add_argument("--group", default="", help="a group that an earlier run has filled")
    parser.add_argument("--held", action="store_true", help="the 20 held cases, which no rule is made by")
    given = parser.parse_args()
    table = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    table = table["held"] if given.held else table
    passed, all_of, noise, missing = Counter[str](), Counter[str](), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        group = given.group or f"noise-{uuid4()}"
        with Memory.open(load(group=group, data_dir=Path(folder)), notify=lambda line: None) as memory:
            if not given.group:
                take_in(memory, table["people"])
            for case in table["cases"]:
                found = [each.text for each in memory.search_memory(case["query"], user_id=case["who"])]
                more, less = beyond(case, found)
                noise, missing = noise + len(more), missing + len(less)
                all_of[case["kind"]] += 1
                passed[case["kind"]] += not more and not less
                if given.show and (more or less):
                    print(f"{case['kind']}: {case['query']} beyond: {more} missing: {less}")
    print(group, {kind: f"{passed[kind]} of {number}" for kind, number in all_of.items()})
    print(f"passed {passed.total()} of {all_of.total()}; {noise} results beyond what was asked, {missing} not found")


if __name__ == "__main__":
    main()
