"""Mentions and relations answer questions, are read as of a moment, and come in with the turns if settings say so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from amr_neo4j import Memory
from amr_neo4j.errors import InputError
from amr_neo4j.localdb import Connection
from tests.support.orwell import DOCUMENT

FIRST = datetime(2024, 1, 1, 10, tzinfo=UTC)


@pytest.fixture
def memory(neo4j_connection: Connection, group_id: str, tmp_path: Path) -> Iterator[Memory]:
    where = {"neo4j_uri": neo4j_connection.uri, "neo4j_password": neo4j_connection.password, "user": "u"}
    with Memory.open(group=group_id, data_dir=tmp_path, extract_mentions=True, **where) as memory:
        yield memory


def test_a_relation_answers_from_either_side(memory: Memory) -> None:
    memory.import_episodes(DOCUMENT)
    written = memory.ask("What did George Orwell write?")
    assert "wrote Animal Farm" in written.text and "wrote 1984" in written.text and "10:00 UTC" in written.text
    assert {cited.turn for cited in written.citations} == {1}
    # When it was said is not when it happened: the words of the turn stand beside its time.
    told = memory.ask("Who wrote 1984?").text
    assert told.startswith("George Orwell wrote 1984, said on 1 January 2024 at 10:00 UTC: “Animal Farm and 1984 are")
    assert "wrote" not in memory.ask("When did George Orwell write 1984?").text.split("[")[0].replace("write", "")


def test_mentions_are_read_as_of_both_times(memory: Memory) -> None:
    before = datetime.now(UTC)
    memory.import_episodes(DOCUMENT)
    after_first = FIRST + timedelta(seconds=5)
    assert {mention.turn for mention in memory.mentions(as_of=after_first)} == {0}
    assert not memory.relations(as_of=after_first) and memory.relations()
    assert not memory.mentions(known_at=before) and not memory.relations(known_at=before)
    assert len(memory.export_episodes(as_of=after_first)["episodes"]) == 1
    assert memory.export_episodes(known_at=before) == {"nodes": [], "edges": [], "episodes": []}


def test_turns_out_of_order_are_read_as_of_any_moment(memory: Memory) -> None:
    # The mention of the first turn is later than the relation that the second turn states of it.
    swapped = {
        "2024-01-01T10:00:00.000Z": "2024-01-01T10:00:15.000Z",
        "2024-01-01T10:00:15.000Z": "2024-01-01T10:00:00.000Z",
    }
    text = re.sub("|".join(swapped), lambda found: swapped[found[0]], json.dumps(DOCUMENT))
    memory.import_episodes(json.loads(text))
    between = FIRST + timedelta(seconds=5)
    assert {mention.turn for mention in memory.mentions(as_of=between)} == {1}
    assert not memory.relations(as_of=between)
    exported = memory.export_episodes(as_of=between)
    assert (len(exported["episodes"]), exported["edges"]) == (1, [])
    assert len(memory.relations()) == 2


def test_pages_of_an_export_make_the_whole_and_are_taken_in_in_order(memory: Memory) -> None:
    memory.import_episodes(DOCUMENT)
    whole, pages = memory.export_episodes(), list[dict[str, Any]]()
    while not pages or pages[-1]["next"]:
        pages.append(memory.export_episodes(limit=1, cursor=pages[-1]["next"] if pages else ""))
    assert [len(page["episodes"]) for page in pages] == [1, 1] and {page["total"] for page in pages} == {2}
    assert {part: [each for page in pages for each in page[part]] for part in whole} == whole
    # The edges of the second page name a node of the first one.
    assert {edge["source"] for edge in pages[1]["edges"]} - {node["id"] for node in pages[1]["nodes"]}
    for page in pages:
        report = memory.import_episodes(page, "other")
        assert report.committed == 1 and not report.errors
    copied = memory.export_episodes("other")
    assert [(edge["type"], edge["source"]) for edge in copied["edges"]] == [
        (edge["type"], edge["source"]) for edge in whole["edges"]
    ]
    with pytest.raises(InputError, match="no node is called"):
        memory.import_episodes(pages[1], "a third one")
    assert memory.export_episodes(limit=0)["total"] == 2


def test_the_nested_form_says_the_same(memory: Memory) -> None:
    memory.import_episodes(DOCUMENT)
    nested = memory.export_episodes(nested=True)
    assert nested["nodes"][0]["content"] == {"mention": "George Orwell", "turn": 0}
    assert nested["nodes"][0]["metadata"]["turn"] == "0" and "sourceId" in nested["edges"][0]
    flat = memory.export_episodes()
    assert memory.import_episodes(nested, user_id="other").committed == 2
    for part in ("nodes", "edges"):
        again = memory.export_episodes("other")[part]
        assert [each | {"createdAt": ""} for each in again] == [each | {"createdAt": ""} for each in flat[part]]


def test_ids_of_another_session_are_reported(memory: Memory) -> None:
    memory.import_episodes(DOCUMENT)
    assert memory.import_episodes(DOCUMENT).errors == []
    other = json.loads(json.dumps(DOCUMENT).replace("session_0", "session_1"))
    errors = memory.import_episodes(other).errors
    assert "mention_1 is in use in session session_0; this one got an id of its own" in errors


def test_turns_are_extracted_as_they_come(memory: Memory) -> None:
    memory.remember(["George Orwell is a British author", "Anna lives in Porto."], session_id="s")
    assert {mention.text for mention in memory.mentions()} >= {"George Orwell", "Anna", "Porto"}
    assert memory.ask("Where does Anna live?").text.startswith("Anna lives in Porto")
