"""Ingest the EPIC-KITCHENS records: graph rate with cached vectors, keyless rate, first against last thousand.

    python benchmarks/epic_ingest.py ../shared/data/epic/events.jsonl.gz --uri bolt://127.0.0.1:7687 [--password ...]

Three runs into three groups of their own: end to end (embedding included, cache empty), graph alone (vectors from the
cache), and the graph run once more, which must change nothing. Records a second, absolute; the ratio of the time of
the last thousand records to that of the first is taken within the graph run.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

from amr_neo4j.domain.ports import Embedder
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.json_lines import analysed, read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load
from amr_neo4j.wiring.embedder import open_embedder
from benchmarks.embedding_cache import CachedEmbedder

sys.path.insert(0, str(Path(__file__).parents[1]))
from examples.epic_kitchens.convert import convert, read


def timed(memory: Memory, lines: list[str], group: str, embedder: Embedder) -> tuple[float, list[tuple[int, float]]]:
    """Seconds in all, and (records so far, seconds so far) after each clip."""
    marks, events, start = [], 0, time.perf_counter()
    clips = analysed(read_lines(lines, group_id=group))
    size = memory.settings.clips_per_transaction
    for receipt in ingest(clips, Committer(memory._parts.writer(), embedder, ENGLISH), clips_per_transaction=size):
        events += len(receipt.node_ids)
        marks.append((events, time.perf_counter() - start))
    return time.perf_counter() - start, marks


def stretch(marks: list[tuple[int, float]], first: int, last: int) -> float:
    """Seconds between having `first` records and having `last`."""
    at = lambda count: next(seconds for events, seconds in marks if events >= count)  # noqa: E731
    return at(last) - at(first) if first else at(last)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", type=Path)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    given = parser.parse_args()
    lines = [json.dumps(line) for line in convert(read(given.records))]
    with tempfile.TemporaryDirectory() as scratch:
        group = f"bench-{uuid4().hex[:8]}"
        settings = load(neo4j_uri=given.uri, neo4j_password=given.password, group=group, data_dir=Path(scratch))
        with Memory.open(settings) as memory:
            cached = CachedEmbedder(open_embedder(settings), Path(scratch) / "cache.sqlite")
            timed(memory, lines[:200], f"{group}-warm", open_embedder(settings))
            keyless, marks = timed(memory, lines, f"{group}-keyless", cached)
            records = marks[-1][0]
            graph, marks = timed(memory, lines, group, cached)
            again, _ = timed(memory, lines, group, cached)
            first, last = stretch(marks, 0, 1000), stretch(marks, records - 1000, records)
            print(f"records                        {records} in {len(lines)} clips")
            print(f"keyless, end to end            {records / keyless:8.0f} records/s ({keyless:.1f} s)")
            print(f"graph alone, cached vectors    {records / graph:8.0f} records/s ({graph:.1f} s)")
            print(f"first thousand, last thousand  {first:.2f} s, {last:.2f} s: ratio {last / first:.2f}")
            print(f"the same again                 {again:.1f} s")
            print(f"digest                         {memory.digest()}")


if __name__ == "__main__":
    main()
