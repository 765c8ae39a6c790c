"""Many users of one `amr serve` at once: how long calls take, what memory grows to, and what kills lose. No model.

    python -m benchmarks.server_load [--users 50] [--minutes 10] [--rate 20] [--events 10000] [--kills 0]

Starts `amr serve` with the database of the settings and fills a group of its own. Each user talks in an own
conversation (observe, then inject), asks and searches, on average so many requests a second together. With --kills,
the server is killed (SIGKILL) and started again so often, which takes the place of the minutes; clients send a turn
again, with its turn_id, until it is acknowledged. Prints the rate, p50 and p95 of each call ("both" is observe and
inject of a turn together), errors, the server's memory, and turns that were acknowledged and are not there, or are
there twice. The load of the machine stands beside.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from statistics import quantiles
from typing import Any

import urllib3

from amr_neo4j.server.keys import Keys
from amr_neo4j.settings import load

_PEOPLE = ("Ida", "Max", "Lena", "Otto", "Ruth", "Paul")
_THINGS = ("mug", "kettle", "bread knife", "red bag", "laptop", "towel", "umbrella", "key ring")
_PLACES = ("the table", "the shelf", "the drawer", "the chair", "the window sill", "the floor")
_EVENTS_OF_CLIP = 10
_SAID = (
    "I like {thing}s and I met {name} today.",
    "My colleague {name} works at Firm{n}.",
    "We talked about the budget of project {n} for an hour.",
    "I put the {thing} of flat {n} on {place}.",
)
QUESTIONS = ("Where is the {thing}?", "Who took the {thing}?", "What did {name} do?", "Where do I work?")
# Of ten rounds of a user: six turns, three questions, one search.
_ROUND = ("turn",) * 6 + ("ask",) * 3 + ("search",)


def words(chance: random.Random, n: int = 0) -> dict[str, Any]:
    """Return words for the gaps in a question or a turn."""
    return {
        "thing": chance.choice(_THINGS),
        "name": chance.choice(_PEOPLE),
        "place": chance.choice(_PLACES),
        "n": n,
    }


class Server:
    """`amr serve` in a process of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder, self.port = folder, port
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        assert not self._is_ready(), f"another server is at port {self.port}"
        command = [sys.executable, "-m", "amr_neo4j", "serve", "--port", str(self.port)]
        environment = os.environ | {"AMR_SERVE_REQUESTS_PER_MINUTE": "1000000"}
        with (self._folder / "serve.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log, env=environment)
        until = time.monotonic() + 600
        while not self._is_ready():
            assert time.monotonic() < until and self._process.poll() is None, "amr serve did not start"
            time.sleep(0.1)

    def _is_ready(self) -> bool:
        try:
            return urllib3.request("GET", f"http://127.0.0.1:{self.port}/health/ready", retries=False).status == 200
        except urllib3.exceptions.HTTPError:
            return False

    def end(self, number: int) -> None:
        """Send it a signal, and wait for its end."""
        assert self._process
        self._process.send_signal(number)
        self._process.wait(120)

    def memory_mb(self) -> float:
        assert self._process
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


class User:
    """One user, who talks, asks and searches. acknowledged: the ids of the turns that the server has on its disk."""

    def __init__(self, number: int, port: int, key: str, base: str, called: Called) -> None:
        self.number, self._called, self._chance = number, called, random.Random(number)
        self._url = f"http://127.0.0.1:{port}{base}"
        self._headers = {"Authorization": f"Bearer {key}"}
        self._pool = urllib3.PoolManager(maxsize=1, timeout=urllib3.Timeout(60), retries=False)
        self.acknowledged: list[str] = []
        self._rounds = 0

    def _call(self, what: str, path: str, **body: Any) -> float | None:
        """Call, again after a kill. Returns the seconds of the call that was acknowledged; None if none was."""
        begin = time.perf_counter()
        while True:
            try:
                reply = self._pool.request("POST", f"{self._url}{path}", json=body, headers=self._headers)
            except urllib3.exceptions.HTTPError as error:
                if not self._called.may_fail:
                    self._called.errors[f"{what} {type(error).__name__}"] += 1
                    return None
            else:
                if reply.status == 200:
                    took = time.perf_counter() - begin
                    self._called.took[what].append(took)
                    return took
                if reply.status != 503 or not self._called.may_fail:
                    self._called.errors[f"{what} {reply.status} {reply.data[:200]!r}"] += 1
                    return None
            time.sleep(0.2)
            begin = time.perf_counter()

    def go(self, until: float, pause_s: float) -> None:
        """Do rounds until then."""
        time.sleep(self._chance.uniform(0, pause_s))
        session = "/conversations/load"
        while True:
            self._rounds += 1
            n = self._rounds
            if time.monotonic() > until or self._called.is_over:
                return
            given = words(self._chance, n)
            what = self._chance.choice(_ROUND)
            if what == "turn":
                turn_id, text = f"{self.number}-{n}", self._chance.choice(_SAID).format(**given)
                observed = self._call("observe", f"{session}/observe", text=text, turn_id=turn_id)
                if observed is not None:
                    self.acknowledged.append(turn_id)
                injected = self._call("inject", f"{session}/inject", messages=[{"role": "user", "content": text}])
                if observed is not None and injected is not None:
                    self._called.took["both"].append(observed + injected)
            elif what == "ask":
                self._call("ask", "/ask", question=self._chance.choice(QUESTIONS).format(**given))
            else:
                self._call("search", "/search", text=f"{given['name']} and the {given['thing']}", limit=10)
            time.sleep(self._chance.expovariate(1 / pause_s))

    def kept(self) -> Counter[str]:
        """How often each turn id is in memory."""
        found, cursor = Counter[str](), ""
        while cursor is not None:
            asked = f"{self._url}/conversations/load?cursor={cursor}"
            reply = self._pool.request("GET", asked, headers=self._headers)
            if reply.status == 404:  # a user whose first turn was never acknowledged has no conversation
                return found
            assert reply.status == 200, reply.data[:300]
            found.update(turn["turn_id"] for turn in reply.json()["items"])
            cursor = reply.json()["next"]
        return found


class Called:
    """What the users saw. may_fail: the server is killed, so calls are sent again."""

    def __init__(self, *, may_fail: bool) -> None:
        self.may_fail, self.errors, self.is_over = may_fail, Counter[str](), False
        self.took = defaultdict[str, list[float]](list)


def lines(events: int) -> Iterator[bytes]:
    """Yield clips with about so many events, one JSON object a line."""
    chance = random.Random(7)
    for clip in range(events // _EVENTS_OF_CLIP):
        people = {f"C{n}": name for n, name in enumerate(_PEOPLE)}
        who = [{"local_character_id": n, "name_or_description": name, "role": "actor"} for n, name in people.items()]
        happened: list[dict[str, Any]] = []
        for n in range(_EVENTS_OF_CLIP):
            actor, thing = chance.choice(list(people)), chance.choice(_THINGS)
            summary = f"{people[actor]} puts the {thing} on {chance.choice(_PLACES)}."
            event = {"time_start": 3 * n, "time_end": 3 * n + 2, "summary": summary, "actors": [actor]}
            happened.append(event | {"objects": [{"name": thing}]})
        analysis = {"clip_summary": "", "characters": who, "events": happened}
        video, start = divmod(clip, 100)
        at = {"video_id": f"v{video}", "clip_id": f"c{start}", "t_start": 30 * start, "t_end": 30 * start + 30}
        yield json.dumps(at | {"analysis": analysis}).encode()


def fill(url: str, key: str, events: int) -> None:
    whole, headers = list(lines(events)), {"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"}
    for start in range(0, len(whole), 100):
        reply = urllib3.request(
            "POST", f"{url}/ingest/lines", body=b"\n".join(whole[start : start + 100]), headers=headers, timeout=600
        )
        assert reply.status == 200, reply.data[:500]


@contextmanager
def every(seconds: float, work: Callable[[], None]) -> Iterator[None]:
    """Context manager that calls `work` again and again in a thread."""
    done = threading.Event()

    def run() -> None:
        while not done.wait(seconds):
            work()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def report(called: Called, took: float, held: list[float]) -> None:
    for what, seconds in called.took.items():
        cuts = quantiles(seconds * 2 if len(seconds) == 1 else seconds, n=20)
        print(f"{what:8} {len(seconds) / took:6.1f}/s  p50 {cuts[9] * 1e3:6.0f}  p95 {cuts[18] * 1e3:6.0f} ms")
    for error, times in called.errors.most_common(5):
        print(f"error {times} times: {error}")
    if held:
        quarter = max(1, len(held) // 4)
        first, last = sum(held[quarter : 2 * quarter]) / quarter, sum(held[-quarter:]) / quarter
        print(f"memory: {held[0]:.0f} MB first, {first:.0f} MB in the second quarter, {last:.0f} MB in the last")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=20, help="rounds a second of all users")
    parser.add_argument("--events", type=int, default=10_000, help="that the group is filled with; 0 for none")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--port", type=int, default=8391)
    parser.add_argument("--group", default="", help="by default a new one")
    given = parser.parse_args()
    folder = load().data_dir.expanduser()
    group = given.group or f"load-{os.getpid()}"
    keys, now = Keys(folder), datetime.now(UTC)
    server, base = Server(folder, given.port), "/api/v1"
    server.start()
    rest = ["read", "write"]
    writer = keys.create(groups=[group], scopes=rest, now=now)[1]
    if given.events:
        begin = time.perf_counter()
        fill(f"http://127.0.0.1:{given.port}{base}", writer, given.events)
        print(f"{given.events} events in group {group}, {time.perf_counter() - begin:.0f} s", flush=True)
    called = Called(may_fail=bool(given.kills))
    names = [f"u{os.getpid()}-{number}" for number in range(given.users)]
    of_user = [keys.create(groups=[group], users=[name], scopes=rest, now=now)[1] for name in names]
    users = [User(number, given.port, key, base, called) for number, key in enumerate(of_user)]
    users[0].go(time.monotonic() + 30, 0.1)  # what any first call waits for is not measured
    called.took.clear()
    seconds, held, killed = inf if given.kills else 60 * given.minutes, list[float](), 0
    begin = time.monotonic()
    threads = [threading.Thread(target=user.go, args=(begin + seconds, given.users / given.rate)) for user in users]
    for thread in threads:
        thread.start()
    with (
        every(max(1.0, given.minutes), lambda: held.append(server.memory_mb())) if not given.kills else nullcontext()
    ):
        for killed in range(1, given.kills + 1):
            time.sleep(random.Random(killed).uniform(0.1, 5))
            server.end(signal.SIGKILL)
            server.start()
            called.is_over = killed == given.kills
        for thread in threads:
            thread.join()
    took = time.monotonic() - begin
    print(f"{given.users} users, {took:.0f} s, load {os.getloadavg()[1]:.1f}, {killed} kills")
    report(called, took, held)
    lost = doubled = 0
    for user in users:  # turns that wait on the server's disk come into the graph within a moment
        until = time.monotonic() + 60
        while not (kept := user.kept()).keys() >= set(user.acknowledged) and time.monotonic() < until:
            time.sleep(1)
        lost += sum(turn_id not in kept for turn_id in user.acknowledged)
        doubled += sum(times > 1 for turn_id, times in kept.items() if turn_id)
    acknowledged = sum(len(user.acknowledged) for user in users)
    print(f"{acknowledged} turns acknowledged, {lost} lost, {doubled} doubled", flush=True)
    server.end(signal.SIGTERM)
    keys.close()


if __name__ == "__main__":
    main()
