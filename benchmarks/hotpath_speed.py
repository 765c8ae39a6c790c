"""Milliseconds per stage of live turns, alone and with many facts in memory; the spool is on this disk. No database.

    python -m benchmarks.hotpath_speed [--turns 200] [--facts 0 10000 100000] [--langs en,es,fr,de,it] [--users 16]
        [--rules] [--cpu]

Turns are those of tests/gold/dev, in turn from each language. --found N: with the database of the settings, in
a group of its own, how long until `search` has found what was said just before. --users N: N users talk at once, each
in a thread with an index of their own, beside one user alone, each with the first of --facts; the rules are shared,
and so is the spool. --pause: seconds between two turns of a user, 0 for as fast as it goes. Turns are read by rules
and the network, as in a chat; --rules: by rules alone. --cpu: time of this process on a CPU, for a busy machine;
waiting for the disk is not in it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, cycle, islice
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from amr_neo4j.app.chatting import about_facts
from amr_neo4j.conversations.record import one_episode
from amr_neo4j.domain.episode import Session
from amr_neo4j.domain.fact import KnownFact, Triple
from amr_neo4j.domain.hot_options import HotOptions
from amr_neo4j.fact_questions.answering import prepare
from amr_neo4j.language.languages import language
from amr_neo4j.live_chat.index import HotIndex
from amr_neo4j.live_chat.session import LiveChat, SpokenTurn
from amr_neo4j.memory import Memory
from amr_neo4j.settings import Settings, load
from amr_neo4j.spool.turns import Spool
from amr_neo4j.turn_reader.understand import Understander
from amr_neo4j.wiring.openers import open_statement_reader

GOLD = Path(__file__).parents[1] / "tests" / "gold" / "dev"
VERBS = ("likes", "dislikes", "owns", "has", "went_to", "participated_in")


class Times(NamedTuple):
    """Milliseconds."""

    mean: float
    p50: float
    p95: float

    @classmethod
    def of(cls, ordered: list[float]) -> Times:
        """Of values in order."""
        return cls(mean(ordered), ordered[len(ordered) // 2], ordered[int(0.95 * len(ordered))])


def turns(codes: list[str]) -> list[str]:
    """The gold turns, one of each language after the other."""
    files = [[json.loads(line)["text"] for line in (GOLD / f"{code}.jsonl").open()] for code in codes]
    return list(chain.from_iterable(zip(*files, strict=False)))


def facts(number: int) -> list[KnownFact]:
    """Facts of one user, half of them the user's own."""
    now = time.time()
    made: list[KnownFact] = []
    for n in range(number):
        triple = Triple("you" if n % 2 else f"person {n % 997}", VERBS[n % len(VERBS)], f"thing {n} of kind {n % 89}")
        made.append(KnownFact(triple, " ".join(triple), 0.7, now - n, f"s{n % 50}", "en"))
    return made


def run(
    number: int,
    said: list[str],
    codes: list[str],
    settings: Settings,
    clock: Callable[[], float],
    users: int = 1,
    pause: float = 0.0,
) -> dict[str, Times]:
    """stage -> times of the turns of all users, who talk at once, with a pause in seconds after each turn.

    settings: tell what reads the turns. clock: returns seconds, of which the times are made.
    """
    indexes = [HotIndex() for _ in range(users)]
    begin = clock()
    for index in indexes:
        index.load(facts(number))
    loaded = clock() - begin
    begin = clock()
    understander = Understander(codes, read=open_statement_reader(settings), prepare=prepare)
    prewarmed = clock() - begin
    understander.ready()
    compiled = clock() - begin
    print(
        f"{number:>7} facts, {users} at once: loaded in {loaded:.2f} s; prewarm {prewarmed:.2f} s, all compiled after"
        f" {compiled:.2f} s"
    )
    with tempfile.TemporaryDirectory() as folder, closing(Spool(Path(folder) / "turns.sqlite", "bench")) as spool:
        chats = [_chat(f"user{n}", index, understander, spool, codes, clock) for n, index in enumerate(indexes)]
        begin = clock()
        with ThreadPoolExecutor(users) as pool:
            list(pool.map(lambda chat: _talk(chat, said, pause), chats))
        spent = clock() - begin
    print(f"         {users * len(said) / spent:.0f} turns a second")
    return {
        stage: Times.of(sorted(chain.from_iterable(chat.metrics.times[stage] for chat in chats)))
        for stage in chats[0].metrics.times
    }


def _talk(chat: LiveChat, said: list[str], pause: float) -> None:
    for text in said:
        chat.observe(text)
        time.sleep(pause)


def _chat(
    user: str,
    index: HotIndex,
    understander: Understander,
    spool: Spool,
    codes: list[str],
    clock: Callable[[], float],
) -> LiveChat:
    session = Session("bench", user, "s1")

    def keep(turn: SpokenTurn) -> str:
        episode = one_episode({"content": turn.text, "at": turn.at}, session, turn.at, language("en"))
        spool.accept([replace(episode, changes=turn.changes)])
        return episode.episode_id

    now = lambda: datetime.now(UTC)  # noqa: E731
    return LiveChat(
        "s1",
        user_id="u",
        index=index,
        understand=understander.understand,
        ask=partial(about_facts, "u"),
        keep=keep,
        options=HotOptions(languages=tuple(codes)),
        now=now,
        clock=clock,
    )


def found_again(number: int) -> None:
    """Print how long a search takes that finds the turn observed just before it."""
    spent: list[float] = []
    with Memory.open(group=f"bench-found-{time.time_ns()}") as memory:
        chat = memory.chat(user_id="anna", session_id="s1")
        for n in range(number):
            chat.observe(f"My colleague Nils{n} works at Firm{n}.")
            begin = time.perf_counter()
            hits = memory.search(f"Where does Nils{n} work?", user_id="anna", limit=3)
            spent.append(1000 * (time.perf_counter() - begin))
            assert any(f"Nils{n}" in str(hit.event) for hit in hits), n
        memory.forget(user_id="anna")
    spent.sort()
    print(f"found again by search: p50 {spent[len(spent) // 2]:.0f}, p95 {spent[int(0.95 * len(spent))]:.0f} ms")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--facts", type=int, nargs="+", default=[0, 10_000, 100_000])
    parser.add_argument("--langs", default="en,es,fr,de,it")
    parser.add_argument("--users", type=int, default=1)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--found", type=int, default=0)
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    if options.found:
        found_again(options.found)
        return
    codes = options.langs.split(",")
    settings = load(turn_reader="rules") if options.rules else load()
    clock = time.process_time if options.cpu else time.perf_counter
    alone_and_together = (1, options.users) if options.users > 1 else (1,)
    said = list(islice(cycle(turns(codes)), options.turns))
    for number in options.facts[:1] if options.users > 1 else options.facts:
        for users in alone_and_together:
            for stage, times in run(number, said, codes, settings, clock, users, options.pause).items():
                print(f"         {stage:<10} mean {times.mean:6.2f}  p50 {times.p50:6.2f}  p95 {times.p95:6.2f} ms")


if __name__ == "__main__":
    main()
