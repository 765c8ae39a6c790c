"""A scripted vision model: its reply follows from the clip's name, and it fails at given rates.

Its other replies (who is who, the summary of an event) follow from the words that it is asked about.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from tests.support.model_script import Script, Step
from tests.support.seeing import REFINER

# Each fault as a step of the script.
FAULTS: dict[str, dict[str, Any]] = {
    "429": {"fault": "rate_limit", "retry_after": "0"},
    "5xx": {"fault": "overloaded"},
    "time-out": {"fault": "hang"},
    "dropped": {"fault": "drop_midway"},
    "unusable": {"reply": "I am sorry, there is nothing that I could tell."},
    "truncated": {"fault": "truncated"},
}
UNUSABLE = ("unusable", "truncated")
# Transient faults, at most three in a row: calls beside the analysis succeed before their five attempts are spent.
# A call that did not succeed would rightly leave a note on its clip, which an undisturbed run has not.
PASSING = ("429", "5xx", "dropped")
_IN_A_ROW = 3
_NUMBERED = re.compile(r'\{"event": (\d+), "summary": "([^"]*?)\.?"')
_TOLD = re.compile(r"^[\d.]+-[\d.]+ s: ([^.]*)\.", re.MULTILINE)
_PERSON = re.compile(r"^(C\d+): (.+)$", re.MULTILINE)
# A clip's name as the prompt has it (ingest/analyse.py, shown_as), and back.
_CLIP = re.compile(r"[a-j]{9}-[a-j]{9}")
_DIGITS = str.maketrans("abcdefghij", "0123456789")
_PEOPLE = ["Anna", "Ben", "girl in a black hoodie", "older man with glasses"]
_THINGS = ["cup", "phone", "keys", "red mug", "drawer"]
_DEEDS = ["picks up", "puts down", "opens", "looks at"]


class FilmModel(Script):
    """rates: of each of FAULTS, of all requests for an analysis; those of PASSING of others too.

    broken: clips at which it always goes wrong, and how. said: how often each clip got a whole analysis.
    asked: how many requests there were.
    """

    def __init__(self, rates: Mapping[str, float] | None = None, seed: int = 0) -> None:
        super().__init__()
        self._rates = rates or {}
        self._chance = random.Random(seed)
        self.broken: dict[str, str] = {}
        self.said: dict[str, int] = {}
        self.asked = 0
        self._failed_in_a_row: dict[str, int] = {}

    def take(self, path: str, body: dict[str, Any]) -> Step | None:
        if path.endswith("/embeddings"):
            return None
        with self._lock:
            self.asked += 1
            if body["model"] == REFINER:
                return self._refined(body["response_format"]["json_schema"]["name"], body["messages"][-1]["content"])
            [shown] = set(_CLIP.findall(str(body["messages"])))
            clip_id = shown.translate(_DIGITS)
            fault = self.broken.get(clip_id) or self._fault(self._rates)
            if not fault:
                self.said[clip_id] = self.said.get(clip_id, 0) + 1
            return Step.model_validate({"reply": analysis_of(clip_id)} | FAULTS.get(fault, {}))

    def _refined(self, shape: str, asked: str) -> Step:
        fault = self._fault({kind: rate for kind, rate in self._rates.items() if kind in PASSING})
        before = self._failed_in_a_row.get(asked, 0)
        fault = fault if before < _IN_A_ROW else ""
        self._failed_in_a_row[asked] = before + 1 if fault else 0
        return Step.model_validate({"reply": refined(shape, asked)} | FAULTS.get(fault, {}))

    def _fault(self, rates: Mapping[str, float]) -> str:
        [kind] = self._chance.choices([*rates, ""], [*rates.values(), 1 - sum(rates.values())])
        return kind


def analysis_of(clip_id: str) -> dict[str, Any]:
    """Up to three events with people, things and words, drawn from the name; times count from the clip's start."""
    chance = random.Random(clip_id)
    start, end = (int(part) / 1000 for part in clip_id.split("-"))
    return {
        "clip_summary": f"What happens in {clip_id}.",
        "scene_type": "kitchen",
        "characters": [{"local_character_id": "C1", "name_or_description": chance.choice(_PEOPLE)}],
        "speaker_turns": [],
        "events": [_event(chance, end - start) for _ in range(chance.randint(0, 3))],
    }


def refined(shape: str, asked: str) -> dict[str, Any]:
    """A reply of the requested schema, built from the words in the request."""
    events = [(int(number), summary) for number, summary in _NUMBERED.findall(asked)]
    people = [{"local_character_id": who, "person_id": _joined(words)} for who, words in _PERSON.findall(asked)]
    replies: dict[str, dict[str, Any]] = {
        "ShortIds": {"persons": people},
        "RefinedActions": {"events": [{"event": number, "actions": []} for number, _ in events]},
        "Summaries": {
            "summaries": [{"event": number, "summary": f"{words}, by the sink."} for number, words in events]
        },
        "MergedSummary": {"summary": f"{next(iter(_TOLD.findall(asked)), '')} and goes on."},
    }
    return replies[shape]


def _joined(words: str) -> str:
    return "_".join(word for word in words.lower().split() if word not in ("a", "in", "with"))


def _event(chance: random.Random, length: float) -> dict[str, Any]:
    begin, end = sorted(round(chance.uniform(0, length), 2) for _ in range(2))
    thing, verb = chance.choice(_THINGS), chance.choice(_DEEDS)
    return {
        "time_start": begin,
        "time_end": end,
        "summary": f"Somebody {verb} the {thing}.",
        "actors": ["C1"],
        "objects": [{"name": thing, "spatial_description": "on the counter"}],
        "dialogue": [],
        "actions": [{"actor": "C1", "verb": verb, "object": thing}],
    }
