"""Events a second of a bulk ingest, beside a bare driver that writes the same rows in the same run. No model.

    python -m benchmarks.ingest_speed ../shared/data/epic --uri bolt://127.0.0.1:7687 [--password ...]
        [--sizes 1000,10000,20000] [--flat 1000000 [--merge]] [--clips 512] [--many]

Lines of EPIC-KITCHENS are taken in through the same functions as a file of JSON lines, with vectors supplied (random
ones of 384 dimensions): parsing, composing, edges, persons, objects, embeddings and receipts. Then what is in the
graph of each stretch is written once more by a bare driver into a group of its own, with the same labels, properties
and indexes: nodes and relationships by UNWIND and CREATE in batches of 2,000, its rows made before the clock starts.
Printed per stretch: both rates and their ratio, and the CPU time of this process; of the server too where its process
runs here (--server-pid), which says more than seconds on a busy machine. --flat: the first and the last
10,000 of so many events in place of --sizes; those between are taken in without a bare driver. --merge: events are
merged (MERGE_EVENTS_ENABLED), so that each clip is a transaction of its own. --many: also the commit lag of clips of
three events that come steadily, 300 a second for 20 s, from 100 sources with videos of their own, which share
transactions; the four seconds before are not measured. A clip is parsed, composed and committed by its source's
thread, and its lag runs from when it was due until its receipt is there.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from statistics import quantiles
from typing import Any, LiteralString, cast
from uuid import uuid4

import neo4j
import numpy as np

from amr_neo4j.cli.main import set_up_interpreter
from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.ingest.commit import Committer
from amr_neo4j.ingest.json_lines import analysed, read_lines
from amr_neo4j.ingest.pipeline import ingest
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load
from amr_neo4j.wiring.analyser import open_merging
from benchmarks.years import years
from examples.epic_kitchens.convert import convert, read

BATCH = 2000
DIM = 384
# Of --many.
EVENTS_OF_CLIP = 3
WARM_UP_SEC, MANY_SEC = 4, 20
# Events at each end of --flat.
MARK = 10_000


class Supplied(Embedder):
    """Vectors that cost nothing: one of a thousand random ones by the text."""

    model, dim, unrelated, alike = "supplied", DIM, 0.0, 1.0

    def __init__(self) -> None:
        table = np.random.default_rng(0).standard_normal((1000, DIM)).astype(np.float32)
        self._table = table / np.linalg.norm(table, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), dim)."""
        return self._table[[zlib.crc32(text.encode()) % 1000 for text in texts]]


_NODES: LiteralString = """
MATCH (n:Event|SupersededEvent|Clip|Video|Person|Object {group_id: $group})
WHERE n.created_at >= $since OR n.committed_at >= $since
RETURN labels(n)[0] AS label, properties(n) AS props"""
_EMBEDDINGS: LiteralString = """
MATCH (n:Embedding {group_id: $group}) WHERE n.created_at >= $since
RETURN 'Embedding' AS label, properties(n) AS props"""
_LINKS: LiteralString = """
MATCH (a {group_id: $group})-[r]->(b) WHERE r.created_at >= $since
RETURN type(r) AS type, labels(a)[0] AS src, properties(a) AS a, labels(b)[0] AS dst, properties(b) AS b,
       properties(r) AS props"""
# How a node is found again, per label.
KEYS = {
    "Event": ("node_id",),
    "SupersededEvent": ("node_id",),
    "Clip": ("group_id", "video_id", "clip_id"),
    "Video": ("group_id", "video_id"),
    "Person": ("group_id", "scope", "person_id"),
    "Object": ("group_id", "place", "name"),
}


@dataclass
class Rows:
    """What the graph holds of a stretch: label -> properties; (type, labels of its ends) -> keys and properties."""

    nodes: dict[str, list[dict[str, Any]]]
    links: dict[tuple[str, str, str], list[dict[str, Any]]]


def copied(driver: neo4j.Driver, group: str, into: str, since: datetime) -> Rows:
    """Return the rows of what a group got since then, as rows of the group `into`."""

    def moved(props: dict[str, Any]) -> dict[str, Any]:
        props = {**props, "group_id": into}
        if "node_id" in props:
            props["node_id"] = -1 - props["node_id"]  # unique, and below what counters draw
        if "owner" in props:
            props["owner"] = str(-1 - int(props["owner"]))
            props["seq"] = -1 - props["seq"]
        for name in ("key", "seen", "heard"):
            if isinstance(props.get(name), str):
                props[name] = props[name].replace(group, into)
        return props

    rows = Rows(defaultdict(list), defaultdict(list))
    with driver.session() as session:
        for text in (_NODES, _EMBEDDINGS):
            for found in session.run(text, group=group, since=since):
                rows.nodes[found["label"]].append(moved(dict(found["props"])))
        for found in session.run(_LINKS, group=group, since=since):
            ends = [
                {key: moved(dict(found[end]))[key] for key in KEYS[label]}
                for end, label in (("a", found["src"]), ("b", found["dst"]))
            ]
            row = {"a": ends[0], "b": ends[1], "props": moved(dict(found["props"]))}
            rows.links[found["type"], found["src"], found["dst"]].append(row)
    return rows


def write_bare(driver: neo4j.Driver, rows: Rows) -> float:
    """Seconds to write them, label by label and type by type."""
    begin = time.perf_counter()
    for label, nodes in rows.nodes.items():
        for part in batches(nodes):
            make = "MERGE" if label in ("Video", "Person", "Object") else "CREATE"
            key = ", ".join(f"{name}: row.{name}" for name in KEYS.get(label, ()))
            found = f"MERGE (n:{label} {{{key}}})" if make == "MERGE" else f"CREATE (n:{label})"
            run(driver, f"UNWIND $rows AS row {found} SET n = row", part)
    for (kind, src, dst), links in rows.links.items():
        a = ", ".join(f"{name}: row.a.{name}" for name in KEYS[src])
        b = ", ".join(f"{name}: row.b.{name}" for name in KEYS[dst])
        for part in batches(links):
            ends = f"UNWIND $rows AS row MATCH (a:{src} {{{a}}}) MATCH (b:{dst} {{{b}}})"
            text = f"{ends} CREATE (a)-[r:{kind}]->(b) SET r = row.props"
            run(driver, text, part)
    return time.perf_counter() - begin


def run(driver: neo4j.Driver, text: str, rows: list[dict[str, Any]]) -> None:
    """A statement over rows."""
    driver.execute_query(cast("LiteralString", text), rows=rows)


def batches(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """At most BATCH at a time."""
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


def server_cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    if not pid:
        return 0.0
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def bulk(memory: Memory, lines: Iterator[str], clips: int, *, merge: bool = False) -> tuple[int, float, float]:
    """Take lines in; returns events, seconds, and seconds of CPU in this process."""
    begin, cpu, events = time.perf_counter(), time.process_time(), 0
    read_clips = analysed(read_lines(lines, group_id=memory.group_id))
    parts, embedder = memory._parts, Supplied()
    merging = open_merging(parts.settings, parts.writer(), embedder, parts.ledger) if merge else None
    committer = Committer(parts.writer(), embedder, ENGLISH, merging=merging)
    for receipt in ingest(read_clips, committer, clips_per_transaction=clips):
        assert receipt.outcome == "committed", receipt
        events += len(receipt.node_ids)
    return events, time.perf_counter() - begin, time.process_time() - cpu


def stretches(lines: Iterator[dict[str, Any]], sizes: Sequence[int]) -> Iterator[Iterator[str]]:
    """The lines up to each number of events; each is to be used up before the next."""
    held = 0

    def until(size: int) -> Iterator[str]:
        nonlocal held
        while held < size:
            line = next(lines)
            held += len(line["analysis"]["events"])
            yield json.dumps(line)

    return map(until, sizes)


def forget(driver: neo4j.Driver, *groups: str) -> None:
    """Delete all nodes of the groups; events first, since a person of a million events is more than memory holds."""
    with driver.session() as session:
        for group in groups:
            for label in (":Event|SupersededEvent|Embedding", ""):
                text = (
                    f"MATCH (n{label} {{group_id: $g}}) CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF 2000 ROWS"
                )
                session.run(cast("LiteralString", text), g=group).consume()


def cut_clips(lines: Iterator[dict[str, Any]], *, sources: int, each: int) -> list[list[str]]:
    """Of each source `each` clips of three events, in order. Every video belongs to one source."""
    queues: list[list[str]] = [[] for _ in range(sources)]
    for _, of_video in groupby(lines, key=lambda line: line["video_id"]):
        queue = min(queues, key=len)
        if len(queue) >= each:
            break
        for line in of_video:
            events = line["analysis"]["events"][:EVENTS_OF_CLIP]
            if len(events) == EVENTS_OF_CLIP:
                queue.append(json.dumps(line | {"analysis": line["analysis"] | {"events": events}}))
    return [queue[:each] for queue in queues]


def small_commits(memory: Memory, lines: Iterator[dict[str, Any]], *, sources: int, pace: int, pid: int) -> None:
    """Commit clips that come from many sources at a steady pace; measure how long after it came each is committed."""
    took: list[tuple[float, float]] = []
    committer = Committer(memory._parts.writer(), Supplied(), ENGLISH)
    queues = cut_clips(lines, sources=sources, each=(WARM_UP_SEC + MANY_SEC) * pace // sources)
    begin = time.perf_counter()
    measured = begin + WARM_UP_SEC

    def come(source: int) -> None:
        dues = [begin + (number * sources + source) / pace for number in range(len(queues[source]))]

        def as_they_come() -> Iterator[str]:
            for due, line in zip(dues, queues[source], strict=True):
                time.sleep(max(0.0, due - time.perf_counter()))
                yield line

        receipts = ingest(analysed(read_lines(as_they_come(), group_id=memory.group_id)), committer)
        for due, receipt in zip(dues, receipts, strict=True):
            assert receipt.outcome == "committed", receipt
            took.append((due, time.perf_counter() - due))

    with ThreadPoolExecutor(sources) as pool:
        done = [pool.submit(come, source) for source in range(sources)]
        time.sleep(WARM_UP_SEC)
        cpu, server = time.process_time(), server_cpu(pid)
        for source in done:
            source.result()
    seconds = time.perf_counter() - measured
    cpu, server = time.process_time() - cpu, server_cpu(pid) - server
    after = sum(due + lag >= measured for due, lag in took)
    cuts = quantiles([lag for due, lag in took if due >= measured], n=20)
    row = f"{sources} sources, {after / seconds:.0f} clips/s of {pace}: "
    row += f"commit lag p50 {cuts[9]:.3f} p95 {cuts[18]:.3f} s, ms of CPU a clip {cpu / after * 1e3:.2f} here"
    row += f" {server / after * 1e3:.2f} in the server" if pid else ""
    print(f"{row}; load {os.getloadavg()[0]:.1f}", flush=True)


def main() -> None:
    """Print the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    parser.add_argument("--sizes", default="1000,10000,20000")
    parser.add_argument("--flat", type=int, default=0, help="events; only the first and last 10,000 are compared")
    parser.add_argument("--merge", action="store_true")
    parser.add_argument("--clips", type=int, default=512, help="clips of a transaction at most")
    parser.add_argument("--server-pid", type=int, default=0)
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--sources", type=int, default=100, help="of --many")
    parser.add_argument("--pace", type=int, default=300, help="clips a second of --many")
    parser.add_argument("--no-bare", action="store_true")
    given = parser.parse_args()
    if given.flat and given.flat <= 2 * MARK:
        parser.error(f"--flat: more than {2 * MARK:,} events, of which the first and last {MARK:,} are compared")
    set_up_interpreter()  # as every amr command does
    sizes = [MARK, given.flat - MARK, given.flat] if given.flat else [int(size) for size in given.sizes.split(",")]
    lines = years(list(convert(read(given.folder / "events.jsonl.gz"))))
    group = f"ingest-{uuid4().hex[:8]}"
    driver = neo4j.GraphDatabase.driver(given.uri, auth=("neo4j", given.password))
    with tempfile.TemporaryDirectory() as scratch, driver:
        settings = load(neo4j_uri=given.uri, neo4j_password=given.password, group=group, data_dir=Path(scratch))
        with Memory.open(settings) as memory:
            held = 0
            for number, lines_of in enumerate(stretches(lines, sizes)):
                is_between = bool(given.flat) and number == 1  # too many lines to hold, or to write once more
                part = lines_of if is_between else iter(list(lines_of))
                since, pid = datetime.now(UTC), given.server_pid
                used = [server_cpu(pid)]
                events, seconds, cpu = bulk(memory, part, given.clips, merge=given.merge)
                held += events
                used.append(server_cpu(pid))
                row = f"{held:8,} events: {events / seconds:6.0f}/s, us of CPU each {cpu / events * 1e6:.0f} here"
                if pid:
                    row += f" {(used[1] - used[0]) / events * 1e6:.0f} in the server"
                if not given.no_bare and not is_between:
                    rows = copied(driver, group, f"{group}-bare", since)
                    used.append(server_cpu(pid))
                    bare = write_bare(driver, rows)
                    used.append(server_cpu(pid))
                    row += f"; bare driver {events / bare:6.0f}/s, ratio {bare / seconds:.2f}"
                    if pid:
                        row += f", {(used[3] - used[2]) / events * 1e6:.0f} us in the server"
                print(f"{row}; load {os.getloadavg()[0]:.1f}", flush=True)
            if given.many:
                small_commits(memory, lines, sources=given.sources, pace=given.pace, pid=given.server_pid)
        forget(driver, group, f"{group}-bare")


if __name__ == "__main__":
    main()
