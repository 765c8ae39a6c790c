"""After forget --scrub and a stop, no file of the data directory has the forgotten words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from amr_neo4j import Memory, localdb
from amr_neo4j.settings import Settings

# A short text is packed into a property record, a long one is in the file of strings.
SHORT, LONG = "żanzibarquök", "xylophonqueen"
LONG_SEEN, KEPT_SEEN = "trombonevulture", "balalaikaotter"
KEPT_SHORT, KEPT_LONG = "kępingwörd", "marimbaking"
# Neo4j's record format: pages of 8 KiB with records of 41 bytes, of which 32 are four longs of packed values.
_PAGE, _RECORD, _HEADER = 8192, 41, 9


def test_forgotten_words_are_overwritten(spare_server: Settings, group_id: str) -> None:
    localdb.start(spare_server)
    settings = spare_server.model_copy(update={"group": group_id})
    with Memory.open(settings) as memory:
        memory.remember([SHORT, "long story " * 80 + LONG], user_id="anna", session_id="secret")
        memory.remember([KEPT_SHORT, "long story " * 80 + KEPT_LONG], user_id="anna", session_id="other")
        memory.search("story", user_id="anna")
    with Memory.open(settings) as memory:
        assert memory.forget(user_id="anna", session_id="secret", scrub=True).episodes == 2
        assert memory.search("story", user_id="anna", limit=3)
    localdb.stop(settings)
    assert files_with(KEPT_LONG, settings.data_dir) >= {"neostore.propertystore.db.strings"}
    assert files_with(KEPT_SHORT, settings.data_dir) >= {"neostore.propertystore.db"}, "packed text is found"
    assert files_with(LONG, settings.data_dir) == set()
    assert files_with(SHORT, settings.data_dir) == set()


@pytest.mark.soak
def test_forgotten_footage_is_overwritten(spare_server: Settings, group_id: str) -> None:
    localdb.start(spare_server)
    settings = spare_server.model_copy(update={"group": group_id})
    with Memory.open(settings) as memory:
        lines = [
            line("secret", f"{LONG_SEEN} " + "long story " * 80),
            line("other", f"{KEPT_SEEN} " + "long story " * 80),
        ]
        assert memory.ingest_lines(lines).committed == 2
        memory.search("story")
        assert memory.forget_videos(video_id="secret", scrub=True).events == 1
        assert [hit.event.video_id for hit in memory.search("story")] == ["other"]
    localdb.stop(settings)
    assert files_with(KEPT_SEEN, settings.data_dir) >= {"neostore.propertystore.db.strings"}
    assert files_with(LONG_SEEN, settings.data_dir) == set()


def line(video_id: str, summary: str) -> str:
    said = {"clip_summary": summary, "events": [{"time_start": 1.0, "time_end": 2.0, "summary": summary}]}
    return json.dumps({"video_id": video_id, "clip_id": "c", "t_start": 0.0, "t_end": 10.0, "analysis": said})


def files_with(word: str, folder: Path) -> set[str]:
    """The names of the files that contain a word: as it is, or packed by Neo4j."""
    return {file.name for file in folder.rglob("*") if file.is_file() and _contains(file, word)}


def _contains(file: Path, word: str) -> bool:
    data = file.read_bytes()
    if word.encode() in data or word.encode("utf-16-le") in data:
        return True
    return file.name == "neostore.propertystore.db" and _packs(data, word.encode())


def _packs(data: bytes, word: bytes) -> bool:
    """Whether a property record holds the word: its bytes begin at any bit."""
    for page in range(0, len(data), _PAGE):
        for start in range(page, page + _PAGE - _RECORD, _RECORD):
            longs = data[start + _HEADER : start + _RECORD]
            if any(longs):
                value = sum(int.from_bytes(longs[8 * k : 8 * k + 8], "big") << (64 * k) for k in range(4))
                if any(word in (value >> shift).to_bytes(32, "little") for shift in range(8)):
                    return True
    return False
