"""After forget --scrub and a stop, no file of the data directory has the forgotten words."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory, localdb
from amr_neo4j.domain.tracked import TrackedItem
from amr_neo4j.ingest.frigate import line_of
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.settings import Settings
from amr_neo4j.spool import JOBS_FILE
from amr_neo4j.spool.jobs import JobSpool
from amr_neo4j.store.database import Database
from amr_neo4j.store.write import forgetting
from tests.support.chatting import rows

# Neo4j's record format: pages of 8 KiB with records of 41 bytes, of which 32 are four longs of packed values.
_PAGE, _RECORD, _HEADER = 8192, 41, 9


_LETTERS = "bdfgklmnprstvz"


class Markers:
    """A word for each property of each label, which nothing else contains.

    The words are not of ASCII alone, because Neo4j packs the bytes of such short words as they are.
    """

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self._chance = random.Random(42)

    def __call__(self, name: str) -> str:
        return self.words.setdefault(name, "ż" + "".join(self._chance.choices(_LETTERS, k=9)) + "ö")

    def left_in(self, folder: Path) -> dict[str, set[str]]:
        """The markers that files of a folder contain, by the name of the file."""
        found = {file.relative_to(folder).as_posix(): self._in(file) for file in folder.rglob("*") if file.is_file()}
        return {file: names for file, names in found.items() if names}

    def _in(self, file: Path) -> set[str]:
        data = file.read_bytes()
        packed = b"".join(_packed(data)) if file.name == "neostore.propertystore.db" else b""
        # What is between the two letters beyond ASCII: files may hold these in upper case, escaped or folded.
        middles = {name: word[1:-1] for name, word in self.words.items()}
        return {
            name
            for name, middle in middles.items()
            if middle.encode() in data or middle.encode("utf-16-le") in data or middle.encode() in packed
        }


def _packed(data: bytes) -> list[bytes]:
    """The bytes that property records may hold, shifted by each number of bits: packed text may begin at any bit."""
    starts = (start for page in range(0, len(data), _PAGE) for start in range(page, page + _PAGE - _RECORD, _RECORD))
    # Fillers are all alike, so a set is much smaller.
    records = {data[start + _HEADER : start + _RECORD] for start in starts}
    texts: list[bytes] = []
    for record in records:
        value = sum(int.from_bytes(record[8 * k : 8 * k + 8], "big") << (64 * k) for k in range(4))
        texts += [(value >> shift).to_bytes(32, "little") for shift in range(8)]
    return texts


def footage(word: Markers, tag: str, **also: str) -> list[str]:
    """Two clips with a marker in every property."""

    def w(name: str) -> str:
        return word(f"{tag} {name}")

    events = [
        {
            "time_start": 1.0 + 3 * n,
            "time_end": 3.0 + 3 * n,
            "summary": f"{w('summary')} {'long story ' * 40 * n}{w('end of a long summary')}",
            "actors": ["C1", "C2"],
            "objects": [
                {"name": w("object"), "spatial_description": f"on the {w('where')}"},
                {"name": f"big {w('other object')}"},
            ],
            "dialogue": [w("word said"), f"a whole sentence with {w('sentence said')}"],
            "actions": [
                {"actor": "C1", "verb": "open", "object": w("object"), "spatial_relation": w("spatial relation")},
                {"actor": "C2", "verb": w("verb"), "object": w("other object")},
            ],
            "boxes": [{"name": w("box"), "time": 1.5 + 3 * n, "left": 0.1, "top": 0.1, "right": 0.4, "bottom": 0.4}],
        }
        for n in range(3)
    ]
    people = [
        {"local_character_id": "C1", "name_or_description": w("name"), "speaker_id": "S1", "identity": w("identity")},
        {"local_character_id": "C2", "name_or_description": f"a {w('description')}", "person_id": w("person id")},
    ]
    said = [
        {"speaker_id": "S1", "utterance": text, "time_start": 1.5 + 3 * n, "time_end": 2.5 + 3 * n}
        for n, text in enumerate((w("utterance"), f"I like {w('liked')}."))
    ]
    analysis = {
        "clip_summary": w("clip summary"),
        "scene_type": w("scene"),
        "characters": people,
        "speaker_turns": said,
        "events": events,
    }
    whole = {"video_id": w("video"), "uri": f"/films/{w('uri')}.mp4", "place": w("place"), "wearer": w("wearer")}
    clip = whole | {"analysis": analysis} | also
    return [
        json.dumps(clip | {"clip_id": f"{w('clip')}{n}", "t_start": 20.0 * n, "t_end": 20.0 * n + 20})
        for n in range(2)
    ]


def talk(memory: Memory, word: Markers, tag: str, **whose: str) -> None:
    """Turns and a live turn with a marker in every property, and what is read from them."""

    def w(name: str) -> str:
        return word(f"{tag} {name}").capitalize()

    turns = [
        {"role": "user", "content": f"My dog is called {w('dog')}. I live in {w('city')}."},
        {"role": "user", "content": "long story " * 80 + w("end of a long turn")},
        {"role": "assistant", "content": w("answer"), "turn_id": w("turn id"), "speaker_id": w("speaker id")},
        {"role": "user", "content": "Look.", "shown": w("shown"), "metadata": {w("key"): w("value")}},
        {"role": "user", "actor": w("actor"), "content": f"I work at {w('firm')}."},
    ]
    memory.remember(turns, **whose)
    memory.chat(**whose).observe(f"My sister {w('sister')} lives in {w('town')}.")
    memory.extract(user_id=whose["user_id"])


def changes(memory: Memory, word: Markers, tag: str) -> None:
    """An item of a camera of which more becomes known, so that its event is superseded; and a merge of persons."""

    def w(name: str) -> str:
        return word(f"{tag} {name}")

    seen = TrackedItem(item_id=w("item"), camera=w("camera"), label="person", start=1.7e9, seen_until=1.7e9 + 5)
    known = seen.model_copy(
        update={
            "seen_until": 1.7e9 + 9,
            "ended": True,
            "sub_labels": (w("sub label"),),
            "plate": w("plate"),
            "zones": (w("zone"),),
            "title": w("title"),
            "description": f"Somebody brings a {w('described')}.",
            "attributes": {w("asked"): w("answered")},
        }
    )
    for item in (seen, known):
        memory.ingest_lines([line_of(item, ENGLISH).model_dump_json(exclude_defaults=True)])
    assert rows(memory, "MATCH (e:SupersededEvent {group_id: $group_id}) RETURN count(*)") != [0]
    memory.merge_persons(w("person id"), w("identity"))


def job(settings: Settings, word: Markers, tag: str) -> None:
    """A job of the server that has ended, with a marker as its file."""
    jobs = JobSpool(settings.data_dir / JOBS_FILE)
    whose = (settings.group, word(f"{tag} user") if tag == "user" else "")
    with jobs.transaction() as db:
        row = (tag, *whose, json.dumps({"places": [f"/films/{word(f'{tag} job')}.mp4"]}, ensure_ascii=False))
        db.execute(
            "INSERT INTO jobs (id, group_id, user_id, arguments, action, state, attempts, progress, result, error,"
            " created_at, changed_at) VALUES (?, ?, ?, ?, 'ingest', 'completed', 1, '{}', '{}', '', '', '')",
            row,
        )
    jobs.close()


KEPT = json.dumps(
    {
        "video_id": "kept",
        "clip_id": "c",
        "t_start": 0.0,
        "t_end": 10.0,
        "analysis": {
            "clip_summary": "",
            "events": [{"time_start": 1.0, "time_end": 2.0, "summary": "Carl tells a story."}],
        },
    }
)


def forget_each(memory: Memory, *named: dict[str, Any]) -> None:
    """Forget clips or events one by one, and overwrite once."""
    for each in named:
        memory.forget_videos(**each, scrub=each is named[-1])


# Door of forgetting -> what goes through it.
DOORS: dict[str, Callable[[Memory, Markers], object]] = {
    "video": lambda memory, word: memory.forget_videos(video_id=word("video video"), scrub=True),
    "clip": lambda memory, word: forget_each(
        memory, *({"video_id": word("clip video"), "clip_id": f"{word('clip clip')}{n}"} for n in range(2))
    ),
    "event": lambda memory, word: forget_each(
        memory, *({"event": event} for event in rows(memory, _EVENTS, video=word("event video")))
    ),
    "expired": lambda memory, word: memory.forget_expired(scrub=True),
    "before": lambda memory, word: memory.forget_videos(before=datetime(2021, 1, 1, tzinfo=UTC), scrub=True),
    "person": lambda memory, word: memory.forget_videos(person=word("person identity"), scrub=True),
    "session": lambda memory, word: memory.forget(user_id="anna", session_id=word("session session"), scrub=True),
    "turn": lambda memory, word: memory.forget(
        user_id="anna",
        episode_id=memory.conversation(word("turn session"), user_id="anna")[0].episode_id,
        scrub=True,
    ),
    "fact": lambda memory, word: memory.forget_facts(
        user_id="anna", subject="you", relation="lives_in", object=word("fact object"), scrub=True
    ),
    "user": lambda memory, word: memory.forget(user_id=word("user user"), scrub=True),
    "group": lambda memory, word: memory.forget_group(scrub=True),
}


_EVENTS = "MATCH (e:Event {group_id: $group_id, video_id: $video}) RETURN e.node_id"
_HEARD = "MATCH (f:Fact {group_id: $group_id, user_id: ''}) RETURN f.object"

# Door -> what stays: the clips of a person, and who else is in them; those of an event; the other turns of a session.
_STAYS = {
    "event": ("video", "uri", "clip", "place", "wearer", "scene"),
    "person": ("video", "uri", "clip", "place", "wearer", "scene", "description", "person id"),
    "turn": (
        *("session", "end of a long turn", "answer", "turn id", "speaker id", "shown", "key", "value"),
        *("actor", "firm", "sister", "town"),
    ),
}


@pytest.mark.soak
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("doors", [("video", "session"), *((door,) for door in DOORS)], ids="+".join)
def test_after_a_scrub_and_a_stop_no_file_has_a_forgotten_word(
    spare_server: Settings, doors: tuple[str, ...]
) -> None:
    """Neither the store nor its logs, its indexes, the queues or the files of the dense index."""
    word = Markers()
    localdb.destroy(spare_server)
    localdb.start(spare_server)
    settings = spare_server.model_copy(update={"group": word("group") if "group" in doors else "home"})
    with Memory.open(settings) as memory:
        for door in doors:
            if door in ("video", "user", "group"):
                job(settings, word, door)
            if door in ("video", "clip", "event", "expired", "before", "person", "group"):
                also = {"recorded_at": "2020-01-01T00:00:00+00:00"} if door in ("expired", "before") else {}
                memory.ingest_lines(footage(word, door, **also))
                assert [word(f"{door} liked")] == rows(memory, _HEARD), "what is liked in a film becomes a fact"
            if door in ("session", "turn", "expired", "user", "group"):
                user = word(f"{door} user") if door in ("user", "group") else "anna"
                talk(memory, word, door, user_id=user, session_id=word(f"{door} session"))
            if door == "group":
                changes(memory, word, door)
                memory.consolidate(user_id=word("group user"))
            if door == "fact":  # what a person wrote stands in no turn
                memory.remember(["I live in Ghent."], user_id="anna", session_id="fact")
                memory.consolidate(user_id="anna")
                [fact] = memory.facts(user_id="anna")
                memory.correct_fact(fact.fact_id, word("fact object"), user_id="anna")
        memory.ingest_lines([KEPT])
        memory.remember(["A story that stays."], user_id="anna", session_id="kept")
        memory.search("story", user_id="anna")
    localdb.stop(settings)
    stored = set().union(*word.left_in(settings.data_dir).values())
    assert stored == set(word.words), "every marker is stored, and found in the files"
    localdb.start(settings)
    retention = {"retention_days": 30.0, "chat_retention_days": 1e-6, "fact_retention_days": 1e-6}
    with Memory.open(settings.model_copy(update=retention)) as memory:
        for door in doors:
            DOORS[door](memory, word)
        if "group" not in doors:
            assert memory.search("story", user_id="anna", limit=3)
            assert memory.schema_damage() == {}
    localdb.stop(settings)
    stay = {f"{door} {name}" for door in doors for name in _STAYS.get(door, ())}
    left = {file: names - stay for file, names in word.left_in(settings.data_dir).items()}
    assert {file: names for file, names in left.items() if names} == {}


def test_each_scrub_writes_more_than_the_one_before_it_left_free(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Freed records are reused in no known order: those of the last fillers may come before what is forgotten."""
    monkeypatch.setattr(forgetting, "_FILLERS", 20)
    monkeypatch.setattr(forgetting, "_FEWEST_FILLERS", 50)
    monkeypatch.setattr(forgetting, "_FREED_AFTER_S", 0.0)
    monkeypatch.setattr(forgetting.schema, "remake", lambda *given: None)  # takes seconds
    there = [0]  # how many fillers there are after each write

    def write(name: str, /, **params: Any) -> list[Any]:
        if name == "scrub/fill":
            there.append(there[-1] + params["nodes"])
        if name == "scrub/clear":
            there.append(there[-1] - len(params["ids"]))
        return Database.write(database, name, **params)

    monkeypatch.setattr(database, "write", write)
    most = [0]
    for forgotten in (0, 3):
        forgetting.scrub(database, "episode", forgotten=forgotten, now=datetime.now(UTC))
        fills = [
            count for before, count, after in zip(there, there[1:], there[2:], strict=False) if before < count > after
        ]
        assert there[-1] == 0
        assert min(fills) > most[-1] + forgetting._FILLERS_OF_A_DELETION * forgotten
        most.append(max(fills))
        there[:] = [0]


def test_fillers_of_a_scrub_that_was_killed_are_deleted(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgetting, "_FEWEST_FILLERS", 20)
    monkeypatch.setattr(forgetting, "_FREED_AFTER_S", 0.0)
    monkeypatch.setattr(forgetting.schema, "remake", lambda *given: None)  # takes seconds
    now = datetime.now(UTC)
    database.write("scrub/fill", nodes=3, now=now - timedelta(days=2), text="x" * 600, short_text="x")
    [other] = database.write("scrub/fill", nodes=2, now=now, text="x" * 600, short_text="x")
    forgetting.scrub(database, "episode", forgotten=0, now=now)
    left, _, _ = database.driver.execute_query("MATCH (f:Filler) RETURN elementId(f) AS id")
    assert {row["id"] for row in left} == {*other["ids"]}, "those of a scrub that runs at the same time stay"
    database.write("scrub/clear", ids=other["ids"])


@pytest.mark.parametrize("damaged", ["many", -5, 10**15, 2**63 - 1, [1], None, 1e300])
def test_a_damaged_count_of_fillers_counts_as_none(database: Database, damaged: Any) -> None:
    database.driver.execute_query("MERGE (k:Counter {name: 'fillers'}) SET k.next = $damaged", damaged=damaged)
    [row] = database.write("scrub/count_fillers", fewest=50, more=7, most=10**6)
    assert row["fillers"] == 50
