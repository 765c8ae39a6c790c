"""How long the first question of a user takes, right after many users have said much at once. No model.

    python -m benchmarks.burst [--turns 2000] [--users 40] [--rounds 20]

Uses the database of the settings, a group of its own for each round. Each round: the users talk in threads, a few at
a time; then one of them, in turn, asks about what they said last, with `ask` or, in every other round, search_memory.
Prints p50 and the worst, how many answers had what was said, and how long the rest took to be committed.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from amr_neo4j.memory import Memory

CITIES = ("Lisbon", "Turin", "Lyon", "Leeds", "Bonn", "Seville", "Graz", "Ghent", "Malmo", "Cork")
SAID = (
    "I had lunch with {name} in {city} today.",
    "My colleague {name} works at Firm{n}.",
    "We talked about the budget of project {n} for an hour.",
    "I like the {city} office more than the old one.",
    "Can you remind me of the meeting with {name}?",
)


def talk(memory: Memory, user: int, turns: int) -> None:
    """Say `turns` turns as one user. The last one names where a key is."""
    chat = memory.chat(user_id=f"user{user}", session_id="today")
    for n in range(turns - 1):
        chat.observe(SAID[n % len(SAID)].format(name=f"Nils{n}", n=n, city=CITIES[(n + user) % len(CITIES)]))
    chat.observe(f"I put the spare key of flat {user} under the blue flower pot.")


def one_round(number: int, turns: int, users: int) -> tuple[float, float, float, bool]:
    """Return seconds of the question, of the burst, until all was committed; whether the answer has what was said."""
    with Memory.open(group=f"burst-{time.time_ns()}") as memory:
        memory.chat(user_id="user0", session_id="before").observe("Good morning, I am back.")
        memory.ask("Where is the spare key?", user_id="user0")  # loads what any first question would wait for
        begin = time.perf_counter()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda user: talk(memory, user, turns // users), range(users)))
        spoken = time.perf_counter() - begin
        who = f"user{number % users}"
        ask: dict[bool, Callable[[], str]] = {
            False: lambda: memory.ask("Where is the spare key?", user_id=who).text,
            True: lambda: " ".join(found.text for found in memory.search_memory("the spare key", user_id=who)),
        }
        begin = time.perf_counter()
        answer = ask[number % 2 == 1]()
        took = time.perf_counter() - begin
        memory._parts.live_chats().wait(600)
        committed = time.perf_counter() - begin
    return took, spoken, committed, "flower pot" in answer


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2000)
    parser.add_argument("--users", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    took: list[float] = []
    right = 0
    for number in range(options.rounds):
        seconds, spoken, committed, has_it = one_round(number, options.turns, options.users)
        took.append(seconds)
        right += has_it
        print(
            f"{seconds * 1e3:8.0f} ms after a burst of {spoken:.1f} s; all committed after {committed:.1f} s;"
            f" {'answered' if has_it else 'NOT ANSWERED'} (load {os.getloadavg()[0]:.1f})",
            flush=True,
        )
    took.sort()
    print(f"p50 {took[len(took) // 2] * 1e3:.0f} ms, worst {took[-1] * 1e3:.0f} ms; {right} of {len(took)} answered")


if __name__ == "__main__":
    main()
