"""An ingest is killed while it makes scenes: the next one completes them, and they are those of a fresh ingest."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from amr_neo4j import Memory
from amr_neo4j.localdb import Connection
from tests.support.real_ingest import Environment, settle, take_in
from tests.support.scenes import is_whole, scenes_in

# Prints the name of each statement by which scenes are made, before it runs, and "made" before the commit. So a slow
# machine is killed at as many places as a fast one.
_RUN = """
import sys
from amr_neo4j import Memory
from amr_neo4j.ingest import commit
from amr_neo4j.store.write import scenes
scenes._EVENTS_AT_ONCE, commit._BATCHES_BETWEEN_SCENES = 100, 1
remake = scenes._remake
def announced(run, **given):
    def telling(name, **params):
        print(name, flush=True)
        return run(name, **params)
    made = remake(telling, **given)
    print("made", flush=True)
    return made
scenes._remake = announced
with Memory.open() as memory:
    memory.ingest(sys.argv[1])
    print("done", flush=True)
"""
_DEEDS = ["pours", "cuts", "paints", "washes", "folds", "carries", "reads", "repairs"]
_THINGS = ["tea", "bread", "fence", "plate", "towel", "crate", "letter", "lamp"]


@pytest.fixture
def environment(neo4j_connection: Connection, group_id: str, monkeypatch: pytest.MonkeyPatch) -> Environment:
    return settle(neo4j_connection, group_id, monkeypatch)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("statement", ["scenes/events", "scenes/write", "made"])
def test_a_kill_within_the_last_remaking_is_made_good_by_the_same_ingest(
    environment: Environment, tmp_path: Path, statement: str
) -> None:
    """All clips are committed then, so the next ingest finds nothing new, and completes the scenes all the same."""
    film = film_of(tmp_path)
    fresh = scenes_of_fresh(film)
    assert killed(film, environment, together=1000, at=1, statement=statement)
    with Memory.open() as memory:
        assert not is_whole(memory._parts.database, memory.group_id)
    take_in(film)
    with Memory.open() as memory:
        assert is_whole(memory._parts.database, memory.group_id)
        assert scenes_in(memory._parts.database, memory.group_id) == fresh


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_kills_while_scenes_are_made_leave_those_of_a_fresh_ingest(environment: Environment, tmp_path: Path) -> None:
    film, moments = film_of(tmp_path), random.Random(11)
    fresh = scenes_of_fresh(film)
    kills = sum(
        killed(film, environment, together=20, at=moments.randrange(12), wait=moments.uniform(0, 0.03))
        for _ in range(4)
    )
    assert kills >= 2
    take_in(film)
    with Memory.open() as memory:
        assert is_whole(memory._parts.database, memory.group_id)
        assert scenes_in(memory._parts.database, memory.group_id) == fresh


def film_of(folder: Path) -> Path:
    """Half an hour, two captions in ten seconds. Who does what with what changes every few minutes."""
    seeded, lines = random.Random(5), list[str]()
    who, deed, thing = "Anna", _DEEDS[0], _THINGS[0]
    for number in range(180):
        if seeded.random() < 0.07:
            who, deed, thing = seeded.choice(["Anna", "Ben", "Ida"]), seeded.choice(_DEEDS), seeded.choice(_THINGS)
        if 90 < number < 105:
            continue
        events = [
            {
                "local_event_id": f"E{half}",
                "time_start": 5.0 * half,
                "time_end": 5.0 * half + 4.0,
                "summary": f"{who} {deed} the {thing} for the time {number * 2 + half}.",
                "actors": ["C1"],
                "objects": [{"name": thing, "spatial_description": ""}],
            }
            for half in range(2)
        ]
        people = [{"local_character_id": "C1", "role": "other", "name_or_description": who}]
        analysis = {"clip_summary": "", "scene_type": "home", "characters": people, "speaker_turns": []}
        clip = {"video_id": "film", "clip_id": f"c{number:03}", "t_start": number * 10, "t_end": number * 10 + 10}
        lines.append(json.dumps(clip | {"analysis": analysis | {"events": events}}))
    file = folder / "film.jsonl"
    file.write_text("\n".join(lines) + "\n")
    return file


def scenes_of_fresh(film: Path) -> list[dict]:
    with Memory.open(group=f"test-{uuid4()}") as memory:
        memory.ingest(film)
        found = scenes_in(memory._parts.database, memory.group_id)
    assert len(found) > 20
    return found


def killed(
    film: Path, environment: Environment, *, together: int, at: int, statement: str = "", wait: float = 0.0
) -> bool:
    """Kill an ingest `wait` seconds after the line of this number, counted from 0; False if it had ended by then.

    together: clips in a transaction, after which scenes are made. statement: only its lines count; empty: all do.
    """
    command = [sys.executable, "-c", _RUN, str(film)]
    variables = {**environment, "AMR_CLIPS_PER_TRANSACTION": str(together)}
    with subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = 0
        for line in process.stdout:
            if line == "done\n":
                return False
            if statement in ("", line.strip()):
                if said == at:
                    time.sleep(wait)
                    process.kill()
                    return True
                said += 1
    return False
