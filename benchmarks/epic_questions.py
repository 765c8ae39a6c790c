"""Fresh questions about EPIC-KITCHENS records, of the kinds of the dev questions, with the evidence of their answers.

    python -m benchmarks.epic_questions ../shared/data/epic OUT_FOLDER [--each 100] [--seed 1]

Writes fresh_dev.jsonl, to choose by, and fresh_test.jsonl, to be looked at when all is chosen; the lines are those of
questions_dev.jsonl as far as recall_quality.py reads them. No question shares evidence with another, or with a dev
question. What is asked and in which words is in epic_questions.yaml. The evidence follows from the records. Deeds are
the same if their classes of verb and noun are. A question about one deed is about one that happened once in its
scope. What is heard during a deed overlaps it by OVERLAP_SEC.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import yaml

from amr_neo4j.language.en.sentences import gerund, past_tense
from examples.epic_kitchens.convert import in_plain_words, read

OVERLAP_SEC = 0.4
MOST_EVIDENCE = 8
# The classes of actions that end a state, by the state they leave.
STATES = {"open": "open or closed", "close": "open or closed", "turn-on": "on or off", "turn-off": "on or off"}
PUTS, TAKES = ("put", "insert"), ("take",)
Record = dict[str, Any]
Asking = Iterator["Question"]


@dataclass(frozen=True)
class Question:
    """evidence: records, the first being the action asked about. then: the second such action. words: what else
    the words name. wide: it is asked of all that its participant did, or of everybody if it has no participant."""

    kind: str
    evidence: Sequence[Record]
    then: Record | None = None
    words: Mapping[str, str] | None = None
    wide: bool = False


class Records:
    """The records by what the questions ask for."""

    def __init__(self, records: Sequence[Record]) -> None:
        in_order = sorted(records, key=lambda r: (r["video"], r["start"], r["stop"], r["id"]))
        self.deeds = [r for r in in_order if r["kind"] == "action"]
        self.videos = _grouped(self.deeds, "video")
        self.people = _grouped(self.deeds, "participant")
        self.sounds = _grouped((r for r in in_order if r["kind"] == "sound"), "video")
        self.notes = [r for r in in_order if r["kind"] == "note"]


def _grouped(records: Iterable[Record], *keys: str) -> dict[Any, list[Record]]:
    found: dict[Any, list[Record]] = defaultdict(list)
    for record in records:
        found[itemgetter(*keys)(record)].append(record)
    return found


def _alike(records: Iterable[Record]) -> dict[Any, list[Record]]:
    """The actions that are the same."""
    return _grouped(records, "verb_class", "noun_class")


def _once(records: Iterable[Record]) -> list[Record]:
    return [same[0] for same in _alike(records).values() if len(same) == 1]


def _of_nouns(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        for noun in dict.fromkeys(record["noun_classes"]):
            found[noun].append(record)
    return found


def _during(deed: Record, others: Iterable[Record]) -> list[Record]:
    return [o for o in others if min(o["stop"], deed["stop"]) - max(o["start"], deed["start"]) >= OVERLAP_SEC]


def of_things(records: Records) -> Asking:
    """Where a thing was put last, what became of it next, all that was done with it, how it was left."""
    for deeds in records.videos.values():
        for noun, done in _of_nouns(deeds).items():
            put = [r for r in done if r["noun_class"] == noun and r["verb_class"] in PUTS and len(r["nouns"]) > 1]
            if put:
                yield Question("last_put", put[-1:], words={"noun": noun})
            if 3 <= len(done) <= MOST_EVIDENCE:
                yield Question("lifecycle", done, words={"noun": noun})
            for deed, following in pairwise(done):
                if deed in _once(deeds) and deed["noun_class"] == noun:
                    yield Question("next_of_object", [deed, following])
            ending = [r for r in done if r["noun_class"] == noun and r["verb_class"] in STATES]
            if ending:
                yield Question("final_state", ending[-1:], words={"state": STATES[ending[-1]["verb_class"]]})


def of_people(records: Records) -> Asking:
    """Who did something, who used an object, what somebody does with it most often."""
    for same in _alike(records.deeds).values():
        if len(same) <= 3:
            yield Question("who_did", same, words={"who": ""}, wide=True)
    for noun, done in _of_nouns(records.deeds).items():
        people = {r["participant"] for r in done}
        if len(people) > 1 and len(done) <= MOST_EVIDENCE:
            yield Question("who_used", done, words={"who": "", "noun": noun}, wide=True)
    for deeds in records.people.values():
        for noun, done in _of_nouns(deeds).items():
            ways = sorted(_grouped(done, "verb_class").values(), key=len)
            if 3 <= len(ways[-1]) <= 5 and (len(ways) == 1 or len(ways[-2]) < len(ways[-1])):
                yield Question("habit", ways[-1], words={"noun": noun}, wide=True)


def of_time(records: Records) -> Asking:
    """What came right before, right after and between, how long it took, on which later day it was done again."""
    for deeds in records.videos.values():
        once = {deed["id"] for deed in _once(deeds)}
        for place, (deed, following) in enumerate(pairwise(deeds)):
            if deed["id"] in once:
                yield Question("after", [deed, following])
            if following["id"] in once:
                yield Question("before", [following, deed])
            for length in (4, 6):
                stretch = deeds[place : place + length]
                if len(stretch) == length and {stretch[0]["id"], stretch[-1]["id"]} <= once:
                    yield Question("between", stretch, then=stretch[-1])
        for done in _grouped(deeds, "noun_class").values():
            for deed, following in pairwise(done):
                if deed["verb_class"] in TAKES and following["verb_class"] in PUTS and deed["id"] in once:
                    yield Question("duration", [deed, following], then=following)
    yield from _days(records)


def _days(records: Records) -> Asking:
    for deeds in records.people.values():
        for same in _alike(deeds).values():
            first = [days[0] for days in _grouped(({**r, "day": r["at"][:10]} for r in same), "day").values()]
            if len(first) == 2:
                yield Question("next_day", sorted(first, key=lambda r: r["at"]), wide=True)


def of_senses(records: Records) -> Asking:
    """Sounds during an action, actions during a sound, the time of an action in a named session."""
    for video, deeds in records.videos.items():
        for deed in _once(deeds):
            heard = _during(deed, records.sounds[video])
            if 1 <= len(heard) <= 2:
                yield Question("sound_of_action", [deed, *heard])
        for same in _grouped(records.sounds[video], "sound").values():
            done = _during(same[0], deeds)
            if len(same) == 1 and 1 <= len(done) <= 2:
                yield Question("action_of_sound", [*done, same[0]], words={"sound": same[0]["sound"]})
    for note in records.notes:
        for deed in _once(records.videos[note["video"]]):
            yield Question("note_to_action", [deed, note], words={"note": note["text"]}, wide=True)


def of_deeds(records: Records) -> Asking:
    """When something was done, how often, and on which day."""
    for deeds in records.videos.values():
        for same in _alike(deeds).values():
            if len(same) == 1:
                yield Question("when", same)
            elif len(same) <= MOST_EVIDENCE:
                yield Question("count", same)
    for deeds in records.people.values():
        for same in _alike(deeds).values():
            if len(same) <= 3 and len({r["at"][:10] for r in same}) == 1:
                yield Question("which_day", same, wide=True)


class Wording:
    """Phrases questions, varying the wording."""

    def __init__(self, table: Mapping[str, Any], chance: random.Random) -> None:
        self._kinds, self._verbs, self._chance = table["kinds"], table["verbs"], chance

    def line(self, question: Question) -> Record:
        """The question as a line of the output file."""
        deed = question.evidence[0]
        words = {"who": deed["participant"], "video": deed["video"], "day": deed["at"][:10], **self._deed(deed)}
        then = {f"then_{name}": word for name, word in self._deed(question.then or deed).items()}
        words |= then | dict(question.words or {})
        kind = self._kinds[question.kind]
        text = self._chance.choice(kind["wordings"]).format(**words | {"noun": in_plain_words(words["noun"])})
        scope = {"participant": words["who"] or None, "video": None if question.wide else deed["video"]}
        return {
            "type": kind["type"],
            "subtype": question.kind,
            "question_para": text,
            "gold": [record["id"] for record in question.evidence],
            "scope": scope,
        }

    def _deed(self, deed: Record) -> dict[str, str]:
        do = self._chance.choice(self._verbs.get(deed["verb_class"], [in_plain_words(deed["verb_class"])]))
        doing, _, particle = gerund(do).partition(" ")
        it = f"{doing} it {particle}".strip() if not particle.endswith(("for", "of", "at")) else f"{gerund(do)} it"
        noun = in_plain_words(deed["noun_class"])
        return {"do": do, "doing": gerund(do), "did": past_tense(do), "doing_it": it, "noun": noun}


def questions(records: Sequence[Record], taken: set[str], each: int, chance: random.Random) -> Iterator[Record]:
    """Up to `each` questions of every type. taken: ids of the records that are evidence already."""
    table = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    known, wording = Records(records), Wording(table, chance)
    sources: list[Callable[[Records], Asking]] = [of_things, of_people, of_time, of_senses, of_deeds]
    of_kind: dict[str, list[Question]] = defaultdict(list)
    for question in (question for source in sources for question in source(known)):
        of_kind[question.kind].append(question)
    for kind, found in sorted(of_kind.items(), key=lambda pair: len(pair[1])):  # the rare types choose first
        wanted = round(table["kinds"][kind]["share"] * each / 100)
        for question in chance.sample(found, len(found)):
            ids = {record["id"] for record in question.evidence}
            if wanted and taken.isdisjoint(ids):
                taken |= ids
                wanted -= 1
                yield wording.line(question)


def main() -> None:
    """Write the two halves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--each", type=int, default=100, help="questions of every type")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    dev = (given.folder / "questions_dev.jsonl").read_text("utf-8").splitlines()
    taken = {gold for line in dev for gold in json.loads(line)["gold"]}
    records = list(read(given.folder / "events.jsonl.gz"))
    lines = [json.dumps(line) for line in questions(records, taken, given.each, random.Random(given.seed))]
    for half, name in enumerate(("fresh_dev", "fresh_test")):
        (given.out / f"{name}.jsonl").write_text("\n".join(lines[half::2]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
