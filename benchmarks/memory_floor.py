"""Cosines of a model's queries to turns that answer them and to turns that do not, for the floor of search_memory.

    python -m benchmarks.memory_floor [--languages en]

Queries and turns are the needs of tests/gold/reminding.jsonl. Printed for two ways to embed a turn, with its speaker
and as it is stored: percentiles of the cosines to right turns, to other turns of the conversation, and to its
reactions and greetings; and the share of right and of other turns at or over some floors. No database.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from amr_neo4j.domain.episode import embedded_text, spoken_text
from amr_neo4j.settings import load
from amr_neo4j.wiring.embedder import open_embedder

GOLD = Path(__file__).parents[1] / "tests" / "gold" / "reminding.jsonl"
FLOORS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", nargs="+", default=["en"])
    given = parser.parse_args()
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["lang"] in given.languages and row.get("needs")]
    settings = load()
    states = open_embedder(settings)
    asks = states.asking()
    for name, text_of in (("with the speaker", spoken_text), ("as stored", embedded_text)):
        cosines: dict[str, list[float]] = {"right": [], "other": [], "short": []}
        for row in rows:
            turns = states.embed([text_of(actor, text, "") for actor, text in row["turns"]])
            queries = asks.embed([need["query"] for need in row["needs"]])
            for need, query in zip(row["needs"], queries, strict=True):
                for place, cosine in enumerate(turns @ query):
                    is_short = len(row["turns"][place][1].split()) <= 3
                    kind = "right" if place in need["right"] else "short" if is_short else "other"
                    cosines[kind].append(float(cosine))
        print(name)
        for kind, values in cosines.items():
            if values:
                p = np.percentile(values, [5, 25, 50, 75, 95])
                over = "  ".join(f"{floor}: {np.mean(np.array(values) >= floor):.2f}" for floor in FLOORS)
                print(f"  {kind:6} {len(values):5}  p5 to p95 {' '.join(f'{each:.2f}' for each in p)}  over {over}")


if __name__ == "__main__":
    main()
