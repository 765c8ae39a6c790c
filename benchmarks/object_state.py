"""Where objects are and how they are, asked of a memory of the EPIC-KITCHENS records on a real Neo4j.

    python -m benchmarks.object_state ../shared/data/epic --uri bolt://127.0.0.1:7687 [--password ...] [--show]

place: for every object of a kitchen whose last put-like narration names a place, whether `ask` cites that narration
and names the place. state: for the 200 objects of epic_state_labels.tsv (participant, object, state), whether the
change that `ask` cites leaves the object in that state. They were drawn at random, and labelled before this was first
run, by reading what was narrated of them last. Both are scoped to the participant's videos.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from amr_neo4j.domain.event import Event
from amr_neo4j.language.en.content import all_forms
from amr_neo4j.language.en.identities import object_key
from amr_neo4j.language.en.verbs import transition
from amr_neo4j.memory import Memory
from amr_neo4j.settings import load
from benchmarks.recall_quality import Stored, ingested
from examples.epic_kitchens.convert import convert, in_plain_words, read

LABELS = Path(__file__).parent / "epic_state_labels.tsv"
PUT_LIKE = {"put", "insert", "hang", "drop"}
Record = dict[str, Any]
Thing = tuple[str, str]


def lives(records: Sequence[Record]) -> dict[Thing, list[Record]]:
    """(participant, object) -> its actions, in their order."""
    found: dict[Thing, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda record: (record["at"], record["start"], record["stop"])):
        if record["kind"] == "action":
            found[record["participant"], object_key(in_plain_words(record["noun"]))].append(record)
    return found


def places(found: dict[Thing, list[Record]]) -> Iterator[tuple[Thing, Record]]:
    """The objects whose last put-like narration names a place, each with that narration."""
    for thing, life in sorted(found.items()):
        put = [record for record in life if record["verb_class"] in PUT_LIKE]
        if put and len(put[-1]["nouns"]) > 1:
            yield thing, put[-1]


def state_of(event: Event, name: str) -> str:
    """The state in which an event leaves an object."""
    done = [transition(a.verb, name, a.spatial_relation) for a in event.actions if object_key(a.object) == name]
    return next((change.to_state for change in reversed(done) if change and change.to_state), "none")


class Asked:
    """A memory asked about the objects of each participant."""

    def __init__(self, memory: Memory, records: Sequence[Record], stored: Mapping[int, Stored]) -> None:
        self._memory, self._stored = memory, stored
        self._videos: dict[str, list[str]] = defaultdict(list)
        for video in sorted({record["video"] for record in records}):
            self._videos[video.split("_")[0]].append(video)

    def place(self, thing: Thing, put: Record) -> tuple[bool, str]:
        """Whether the last place is right, and the answer."""
        answer = self._memory.ask(f"Where was the {thing[1]} last put?", videos=self._videos[thing[0]])
        cited = {self._stored[citation.node_id].name for citation in answer.citations}
        place = all_forms(in_plain_words(put["nouns"][-1]))
        return put["id"] in cited and bool(place & all_forms(answer.text)), answer.text

    def state(self, thing: Thing, label: str) -> tuple[bool, str]:
        """Whether the state is right, and the answer."""
        answer = self._memory.ask(f"What is the state of the {thing[1]}?", videos=self._videos[thing[0]])
        cited = {citation.node_id for citation in answer.citations}
        states = {state_of(hit.event, thing[1]) for hit in answer.evidence if hit.event.node_id in cited}
        return (states or {"none"}) == {label}, answer.text


def main() -> None:
    """Print both accuracies, each with its n."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", default="")
    parser.add_argument("--show", action="store_true", help="print what is answered wrongly")
    given = parser.parse_args()
    records = list(read(given.folder / "events.jsonl.gz"))
    labels = [line.split("\t") for line in LABELS.read_text("utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as scratch:
        group = f"objects-{time.time_ns()}"
        settings = load(neo4j_uri=given.uri, neo4j_password=given.password, data_dir=Path(scratch), group=group)
        with Memory.open(settings) as memory:
            asked = Asked(memory, records, ingested(memory, list(convert(records))))
            answers = [(thing, *asked.place(thing, put)) for thing, put in places(lives(records))]
            report("last place", answers, show=given.show)
            report("state", [((p, o), *asked.state((p, o), state)) for p, o, state in labels], show=given.show)


def report(name: str, answers: Sequence[tuple[Thing, bool, str]], *, show: bool) -> None:
    """Print the accuracy; with `show` also the wrong answers."""
    right = sum(is_right for _, is_right, _ in answers)
    print(f"{name:12}{right / len(answers):7.3f}   n = {len(answers)}")
    for (participant, name_), is_right, text in answers:
        if show and not is_right:
            print(f"  {participant} {name_}: {text}")


if __name__ == "__main__":
    main()
