"""How fast the embedders are and what they take: texts a second, one question alone, memory.

    python benchmarks/embedders.py [e5|multilingual-e5 ...]

Each is measured in a process of its own, which does not inherit OPENBLAS_CORETYPE: that variable can make numpy six
times slower.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

from amr_neo4j import settings
from amr_neo4j.model_roles import LOCAL_EMBEDDERS
from amr_neo4j.wiring.embedder import open_embedder

# of several lengths, as captions have
COLOURS, THINGS = ("red", "blue", "small", "old", "wet"), ("cup", "plate", "bread knife", "pan and its lid", "board")
PLACES = ("table", "shelf", "sink", "rack above the stove")
NARRATIONS = [
    f"take the {colour} {thing} from the {place}" for colour, thing, place in product(COLOURS, THINGS, PLACES)
]
TURN = (
    "Caroline: I went to the market on day {}, met an old friend there whom I had not seen for years, "
    "and we talked about our families until the shops closed."
)
TURNS = [TURN.format(day) for day in range(100)]
ROUNDS = 5
Embed = Callable[[list[str]], object]


def measure(name: str) -> dict[str, float | str]:
    """The figures of one embedder, in this process."""
    before = _resident_mb()
    start = time.perf_counter()
    embedder = open_embedder(settings.load(embedder=name))
    opened = time.perf_counter() - start
    asking = embedder.asking()
    alone = sorted(_seconds(asking.embed, [text]) for text in NARRATIONS)
    busy = sorted(_cpu_seconds(asking.embed, [text]) for text in NARRATIONS)
    return {
        "embedder": embedder.model,
        "open_s": round(opened, 2),
        "narrations_per_s": _per_second(embedder.embed, NARRATIONS),
        "turns_per_s": _per_second(embedder.embed, TURNS),
        "narrations_per_cpu_s": _per_second(embedder.embed, NARRATIONS, _cpu_seconds),
        "alone_cpu_ms_p50": round(1000 * statistics.median(busy), 1),
        "alone_ms_p50": round(1000 * statistics.median(alone), 1),
        "alone_ms_p95": round(1000 * alone[int(0.95 * len(alone))], 1),
        "memory_mb": round(_resident_mb() - before),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _per_second(embed: Embed, texts: list[str], seconds: Callable[[Embed, list[str]], float] | None = None) -> int:
    """The median of several rounds, after one to warm up. seconds: measures a round, else the clock on the wall."""
    embed(texts)
    return round(len(texts) / statistics.median((seconds or _seconds)(embed, texts) for _ in range(ROUNDS)))


def _seconds(embed: Embed, texts: list[str]) -> float:
    start = time.perf_counter()
    embed(texts)
    return time.perf_counter() - start


def _cpu_seconds(embed: Embed, texts: list[str]) -> float:
    """Of all threads: what the clock would show if nothing ran beside them, and less where two share the work."""
    start = time.process_time()
    embed(texts)
    return time.process_time() - start


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main(names: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    for name in names or LOCAL_EMBEDDERS:
        subprocess.run([sys.executable, __file__, "--here", name], env=environment, check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(measure(sys.argv[2]), indent=1))
    else:
        main(sys.argv[1:])
