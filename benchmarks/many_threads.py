"""How many questions and searches a second one Memory answers for several threads at once. No model.

    python -m benchmarks.many_threads --group load [--seconds 10] [--threads 1 2 4 8]

Uses the database of the settings, and a group that benchmarks.server_load filled. "cores" is the CPU time of this
process for each second: Python runs one thread at a time, so what exceeds 1.0 was computed without its lock.
"""

from __future__ import annotations

import argparse
import os
import random
import threading
import time
from collections.abc import Callable

from amr_neo4j import Memory
from benchmarks.server_load import QUESTIONS, words


def rate(call: Callable[[random.Random], object], threads: int, seconds: float) -> str:
    until, done, begun = time.monotonic() + seconds, [0] * threads, time.process_time()

    def work(number: int) -> None:
        chance = random.Random(number)
        while time.monotonic() < until:
            call(chance)
            done[number] += 1

    started = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return f"{sum(done) / seconds:6.1f}/s {(time.process_time() - begun) / seconds:5.2f} cores"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", required=True)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 4, 8])
    given = parser.parse_args()
    with Memory.open(group=given.group) as memory:
        calls: dict[str, Callable[[random.Random], object]] = {
            "ask": lambda chance: memory.ask(chance.choice(QUESTIONS).format(**words(chance))),
            "search": lambda chance: memory.search("{name} and the {thing}".format(**words(chance)), limit=10),
        }
        for name, call in calls.items():
            rate(call, 2, 5)  # what any first call waits for
            for threads in given.threads:
                print(f"{name:7} {threads} threads: {rate(call, threads, given.seconds)}", flush=True)
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
