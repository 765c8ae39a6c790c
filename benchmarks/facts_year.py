"""A year of one person's conversations from templates, consolidated nightly on a real Neo4j.

    NEO4J_URI=... NEO4J_PASSWORD=... python -m benchmarks.facts_year [--seed 1] [--days 365] [--every 1]

Ground truth is in the ids of the turns: `item variant number`. 50 facts change, 100 repeat in other words, 20 are
contradicted (half within a conversation, half weeks later), and small talk in between.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from amr_neo4j import Memory
from amr_neo4j.domain.ports import Embedder, Vectors
from amr_neo4j.settings import load

NEW_YEAR = datetime(2025, 1, 1, 9, tzinfo=UTC)
CITIES = [
    "Porto",
    "Ghent",
    "Lyon",
    "Turin",
    "Leeds",
    "Bergen",
    "Graz",
    "Malmo",
    "Cork",
    "Basel",
    "Delft",
    "Vilnius",
    "Tartu",
    "Split",
    "Bruges",
    "Nantes",
]
FIRMS = [
    "Siemens",
    "Bosch",
    "Airbus",
    "Nokia",
    "Philips",
    "Ikea",
    "Shell",
    "Barclays",
    "Renault",
    "Ericsson",
    "Lufthansa",
    "Unilever",
]
FRIENDS = ["Tom", "Carla", "Jonas", "Mia", "Victor", "Nina", "Oscar", "Paula", "Simon", "Greta"]
FAVORITES = {
    "color": "red blue green yellow purple orange", "fruit": "mango apple banana pear cherry kiwi",
    "season": "spring summer autumn winter", "animal": "otter fox owl wolf panda horse",
    "month": "May June July August October", "day": "Monday Friday Saturday Sunday",
    "drink": "tea coffee lemonade cider juice", "sport": "tennis rugby rowing judo golf",
    "flower": "rose tulip lily daisy orchid", "number": "7 11 13 42 99",
}  # fmt: skip
LIKING = ["I love {}.", "I really like {}.", "I enjoy {}.", "I'm a big fan of {}.", "I adore {}."]
OWNING = ["I own {}.", "I have {}.", "I bought {}."]
MEANS_ALIKE = """
movies|films;cars|automobiles;hiking|hiking trips;bicycles|bikes;photos|photographs;kids|children;ships|boats
rabbits|bunnies;puppies|little dogs;kittens|little cats;soccer|football;the sea|the ocean;sweets|candy
shops|stores
jogging|going jogging;swimming|going swimming;camping|camping trips;fishing|going fishing;skiing|going skiing
sushi|eating sushi;pizza|eating pizza;crosswords|crossword puzzles;museums|visiting museums
spicy food|hot and spicy food
sunsets|watching sunsets;gardening|gardening work;chess|playing chess;karaoke|singing karaoke;board games|boardgames
thunderstorms|thunder storms;science fiction|sci-fi;detective novels|crime novels;comics|comic books;theatre|theater
holidays|vacations;autumn leaves|fall leaves;trains|railway trains;planes|airplanes;poems|poetry;cooking|cooking meals
"""
CUISINES = ["Italian", "Mexican", "Japanese", "Indian", "Greek", "Thai", "Korean", "Spanish", "Turkish", "Ethiopian"]
GENRES = ["jazz", "rock", "techno", "folk", "blues", "reggae", "classical", "country", "soul", "opera"]
INSTRUMENTS = ["piano", "guitar", "violin", "drums", "cello", "flute", "trumpet", "harp"]
THINGS = [
    "drone",
    "telescope",
    "canoe",
    "tent",
    "surfboard",
    "typewriter",
    "camera",
    "accordion",
    "scooter",
    "microscope",
    "kayak",
    "lathe",
]
HATED = [
    "olives",
    "mushrooms",
    "cilantro",
    "liver",
    "oysters",
    "snakes",
    "clowns",
    "traffic",
    "mondays",
    "spiders",
    "raisins",
    "beetroot",
]
HATED += ["anchovies", "techno-parties", "tofu", "marzipan", "liquorice", "sauerkraut", "okra", "turnips"]
SMALL_TALK = [
    "What a day.", "How are you?", "The weather is awful today.", "Do I live in Porto?", "Could you set a timer?",
    "Thanks, that helped.", "What should I cook tonight?", "I might go out later.", "Hm, not sure.", "Good morning!",
    "If I lived in Rome I would eat gelato.", "She said the train was late.", "Let me think about it.",
]  # fmt: skip


@dataclass(frozen=True)
class Item:
    """Something that is believed. values: what it is at first and later; variants: wordings of one value."""

    name: str
    kind: str
    values: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Said:
    """A turn. item, value: what it states, by their numbers; -1 for small talk."""

    at: datetime
    text: str
    item: int = -1
    value: int = 0


def changing() -> list[Item]:
    """50 facts of one value at a time."""
    made = [
        Item("home", "change", [[f"I live in {c}.", f"I moved to {c}."] for c in CITIES[:4]]),
        Item("work", "change", [[f"I work at {f}.", f"I work for {f}."] for f in FIRMS[:4]]),
    ]
    for topic, words in FAVORITES.items():
        say = [[f"My favorite {topic} is {w}.", f"{w} is my favorite {topic}."] for w in words.split()[:4]]
        made.append(Item(f"favorite {topic}", "change", say))
    for n, friend in enumerate(FRIENDS):
        homes, firms = CITIES[n : n + 4], FIRMS[n : n + 3]
        made.append(Item(f"{friend} home", "change", [[f"{friend} lives in {c}."] for c in homes]))
        made.append(Item(f"{friend} work", "change", [[f"{friend} works at {f}."] for f in firms]))
        for topic in ("color", "fruit"):
            words = FAVORITES[topic].split()[:3]
            made.append(
                Item(f"{friend} {topic}", "change", [[f"{friend}'s favorite {topic} is {w}."] for w in words])
            )
    return made[:50]


def repeating() -> list[Item]:
    """100 facts in several wordings."""
    objects = [tuple(pair.split("|")) for line in MEANS_ALIKE.split("\n") for pair in line.split(";") if pair]
    objects += [(f"{c} food", f"{c} cuisine") for c in CUISINES]
    objects += [(f"{g} music", f"listening to {g} music") for g in GENRES]
    objects += [(f"playing the {i}", f"playing {i}") for i in INSTRUMENTS]
    made = [Item(o[0], "repeat", [[say.format(words) for say in LIKING[:3] for words in o]]) for o in objects]
    made += [Item(t, "repeat", [[say.format(f"a {t}") for say in OWNING]]) for t in THINGS]
    rest = "castles waterfalls penguins lighthouses volcanoes origami pottery archery fencing ballet sailing knitting"
    rest += " astronomy calligraphy bonsai falconry juggling yoga pilates surfing snorkelling birdwatching baking"
    made += [
        Item(w, "repeat", [[say.format(w), say.format(f"the {w}" if n % 2 else w)]])
        for n, (w, say) in enumerate(zip(rest.split(), LIKING * 5, strict=False))
    ]
    return made[:100]


def contradicted() -> list[Item]:
    """20 facts whose opposite is said too."""
    return [Item(w, "contradict", [[f"I love {w}."], [f"I hate {w}."]]) for w in HATED[:20]]


def year(items: Sequence[Item], days: int, seed: int) -> list[Said]:
    """The turns of a year, in order of time."""
    chance = random.Random(seed)
    said: list[Said] = []

    def moment(day: float) -> datetime:
        return NEW_YEAR + timedelta(days=int(day), minutes=chance.randrange(600))

    for n, item in enumerate(items):
        if item.kind == "contradict":
            start = moment(chance.uniform(5, days - 60))
            later = timedelta(minutes=7) if n % 2 else timedelta(days=chance.randrange(20, 40))
            said += [Said(start, item.values[0][0], n, 0), Said(start + later, item.values[1][0], n, 1)]
            continue
        turns = sorted(chance.sample(range(20, days - 30), min(len(item.values), chance.randrange(2, 5)) - 1))
        start, ends = chance.uniform(0, 15), [*turns, days]
        for value, end in enumerate(ends):
            day, number = start if value == 0 else float(ends[value - 1]), 0
            while day < end:
                wordings = item.values[value]
                said.append(Said(moment(day), wordings[number % len(wordings)], n, value))
                day, number = day + chance.uniform(18, 35), number + 1
    said += [Said(moment(chance.uniform(0, days)), chance.choice(SMALL_TALK)) for _ in range(days * 2)]
    return sorted(said, key=lambda turn: (turn.at, turn.item))


class Remembering(Embedder):
    """An embedder that embeds each text once, as an index of stored vectors does."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model, self.dim = embedder.model, embedder.dim
        self.unrelated, self.alike = embedder.unrelated, embedder.alike
        self._known: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the embedder."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.asarray([self._known[text] for text in texts], np.float32).reshape(len(texts), self.dim)


def live(memory: Memory, said: Sequence[Said], days: int, every: int) -> dict[str, float]:
    """Say each day's turns, and consolidate at 23:00; returns seconds by what took them."""
    numbered = list(enumerate(said))
    spent: dict[str, float] = defaultdict(float)
    nights: list[float] = []
    for day in range(days + 1):
        end = NEW_YEAR.replace(hour=0) + timedelta(days=day + 1)
        today = [(n, turn) for n, turn in numbered if end - timedelta(days=1) <= turn.at < end]
        if today:
            turns: list[dict[str, Any]] = [
                {"content": t.text, "actor": "user", "at": t.at, "id": f"{t.item} {t.value} {n}"} for n, t in today
            ]
            report = memory.remember(turns, user_id="anna", session_id=f"day {day}")
            assert report.committed == len(turns), report
        if day % every == 0:
            start = time.perf_counter()
            night = memory.consolidate(user_id="anna", at=end - timedelta(hours=1))
            nights.append(time.perf_counter() - start)
            assert night.status == "completed", night
    spent["nights"], spent["night p50"] = len(nights), float(np.median(nights))
    spent["night max"] = max(nights)
    return spent


def judge(memory: Memory, items: Sequence[Item]) -> Iterator[str]:
    """Compare what is believed with the ground truth, a line each."""
    rows = memory._parts.database.read("digest/facts", group_id=memory.group_id)
    facts = {row["fact_id"]: row for row in rows}
    stated: dict[str, set[tuple[int, int]]] = {}
    for name, row in facts.items():
        own = [turn.split() for turn, via, similarity in row["turns"] if via is None and similarity is None]
        stated[name] = {(int(item), int(value)) for item, value, _ in own}
    by_item: dict[int, list[str]] = defaultdict(list)
    for name, sources in stated.items():
        for item in {item for item, _ in sources}:
            by_item[item].append(name)

    def active(name: str) -> bool:
        return facts[name]["status"] == "active"

    def of(kind: str) -> list[int]:
        return [n for n, item in enumerate(items) if item.kind == kind]

    known = [n for n in of("change") if by_item[n]]
    right = []
    for n in known:
        last = max(value for name in by_item[n] for item, value in stated[name] if item == n)
        right.append([(n, last) in stated[name] for name in by_item[n] if active(name)] == [True])
    wrong = [items[n].name for n, ok in zip(known, right, strict=True) if not ok]
    yield f"current value right: {sum(right)} of {len(known)} (of 50; others no rule reads) {wrong}"

    several = [n for n in of("repeat") if len(by_item[n]) > 1]
    merged = [n for n in several if sum(active(name) for name in by_item[n]) == 1]
    single = len([n for n in of("repeat") if len(by_item[n]) == 1])
    surplus = sum(len(by_item[n]) - 1 for n in several)
    gone = sum(len(by_item[n]) - max(1, sum(active(name) for name in by_item[n])) for n in several)
    left = [items[n].name for n in several if n not in merged]
    split = f"{len(merged)} of {len(several)} items; {single} never split"
    yield f"duplicates merged: {gone} of {surplus} facts ({split}) {left}"

    links = [(name, *link) for name, row in facts.items() for link in row["links"]]
    merges = [(a, b) for a, link, b, *_ in links if link == "MERGED_INTO"]
    false = [(a, b) for a, b in merges if not {i for i, _ in stated[a]} & {i for i, _ in stated[b]}]
    yield f"wrongly merged: {len(false)} of {len(merges)}"
    # A turn that says the opposite takes the older fact back at once. A run links what no turn takes back.
    taken_back = {(name, int(turn.split()[0])) for name, row in facts.items() for turn in row["taken_back_in"]}
    linked = [(a, b) for a, link, b, *_ in links if link == "CONTRADICTS"]
    said_both = [n for n in of("contradict") if len({value for name in by_item[n] for _, value in stated[name]}) == 2]
    found = [
        n for n in said_both
        if any((name, n) in taken_back and not active(name) for name in by_item[n])
        or any(a in by_item[n] and b in by_item[n] for a, b in linked)
    ]  # fmt: skip
    yield f"contradictions found: {len(found)} of {len(said_both)} (of 20; others no rule reads)"
    strangers = [(a, b) for a, b in linked if not {i for i, _ in stated[a]} & {i for i, _ in stated[b]}]
    strangers += [(name, item) for name, item in taken_back if item not in {i for i, _ in stated[name]}]
    yield f"unrelated facts retired: {len(strangers)} of {len(linked) + len(taken_back)}"
    kinds = defaultdict(int)
    for row in rows:
        kinds[row["status"]] += 1
    evidence = sum(row["evidence_count"] for row in rows)
    yield f"facts: {dict(kinds)}, evidence {evidence}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--every", type=int, default=1, help="days between runs")
    given = parser.parse_args()
    items = [*changing(), *repeating(), *contradicted()]
    said = year(items, given.days, given.seed)
    print(f"{len(items)} items, {len(said)} turns")
    with tempfile.TemporaryDirectory() as folder:
        settings = load(group=f"year-{uuid4()}", data_dir=Path(folder))
        with Memory.open(settings) as memory:
            memory._parts.embedder.use(Remembering(memory._parts.embedder()))
            spent = live(memory, said, given.days, given.every)
            print(*judge(memory, items), sep="\n")
    print(", ".join(f"{name} {value:.2f}" for name, value in spent.items()))


if __name__ == "__main__":
    main()
