"""Each property of an event and of a channel is read, shown and compared, or named here with the reason why not.

store/properties.yaml lists the properties. tests/cypher/test_statements.py compares recall/events and the fields
of an event.
"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from amr_neo4j.domain.event import PLAIN_VALUES, TEXT_LISTS, Channel, Edge, EventContent
from amr_neo4j.domain.views import EventView
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.store.integrity import properties
from amr_neo4j.store.statements import statement

ROOT = Path(__file__).parents[2]
PROPERTIES = properties()
EVENT = {*PROPERTIES.labels["Event"].key, *PROPERTIES.labels["Event"].more}
UPKEEP = {
    "links": "a count of relationships, which `amr doctor` compares",
    "unlinked": "read caches alone read it",
    "created_at": "a time of writing",
    "title": "a summary_text cut short, for Neo4j Browser",
}
INDEXED = {
    "position": "made of time_start, time_end, clip and ordinal, to sort by",
    "clock_start": "made of at, to search by",
    "scope_text": "hashed tokens of the scope, to search by",
    "clip_id": "the first of clip_ids",
}
LEFT_OUT = {
    "recall/events": {**UPKEEP, **INDEXED, "boxes": "pictures alone need them, by show/event"},
    "show/event": {**UPKEEP, **INDEXED},
    "digest/events": {
        **UPKEEP,
        "node_id": "drawn from a counter",
        "clock_start": "made of at",
        "clip_ids": "digest/superseded says what an event is merged from",
        "spatial_descriptions": "USES.spatial_description says it",
    },
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_statement_returns_each_property_of_an_event(name: str) -> None:
    assert EVENT - _returned(name, "e") == LEFT_OUT[name].keys()


def test_what_is_shown_of_an_event_is_a_field_of_its_view() -> None:
    views = {each.name for each in fields(EventView)}
    assert _returned("show/event", "e") & EVENT <= views
    # Only if it is asked for.
    assert views - set(re.findall(r" AS (\w+)", statement("show/event"))) == {"text_embedding"}


# Files that name every channel.
OF_ALL_CHANNELS = (
    "cypher/recall/channels.cypher",
    "cypher/ingest/write_edges.cypher",
    "cypher/analytics/channel_degrees.cypher",
    "cypher/analytics/orphans.cypher",
    "cypher/browser/scripts/around_an_event.cypher",
    "cypher/browser/style.grass",
    "amr_neo4j/store/properties.yaml",
    "amr_neo4j/recall/rank/channels.yaml",
    "docs/graph-model.md",
    "docs/glossary.md",
    "README.md",
)


@pytest.mark.parametrize("file", OF_ALL_CHANNELS)
def test_a_file_names_each_channel(file: str) -> None:
    words = set(re.findall(r"\w+", (ROOT / file).read_text(encoding="utf-8")))
    lacking = {channel.value for channel in Channel} - words
    assert not lacking, f"{file} lacks {lacking}"


def test_a_statement_that_names_each_channel_is_in_the_list() -> None:
    """Other statements take the types as a parameter, so a new channel cannot be missing there."""
    named = [
        path for path in (ROOT / "cypher").rglob("*.cypher") if all(name in path.read_text() for name in Channel)
    ]
    listed = {file for file in OF_ALL_CHANNELS if file.startswith("cypher/")}
    assert {path.relative_to(ROOT).as_posix() for path in named} <= listed


@pytest.mark.parametrize("channel", Channel)
def test_the_digest_has_each_property_of_a_channel(channel: Channel) -> None:
    assert PROPERTIES.links[channel].keys() <= _returned("digest/events", "r")


def test_each_channel_has_its_own_words_in_a_path() -> None:
    grammar = ENGLISH.grammar
    steps = {grammar.path_step(Edge(1, 2, channel, {}), forwards=True) for channel in Channel}
    assert len(steps) == len(Channel)
    unknown: Channel = "REFERS_TO"  # pyright: ignore[reportAssignmentType]
    with pytest.raises(AssertionError, match="REFERS_TO"):
        grammar.path_step(Edge(1, 2, unknown, {}), forwards=True)


def _returned(name: str, node: str) -> set[str]:
    """The properties of a node or relationship that a statement returns."""
    returned = re.sub(r"//.*|\bMATCH .*", "", statement(name)).partition("RETURN")[2]
    return set(re.findall(rf"\b{node}\.(\w+)", returned))


def test_each_value_of_an_event_is_stored() -> None:
    """A field of a type that neither list knows would be left out without an error."""
    stored = {*PLAIN_VALUES, *TEXT_LISTS, "actions", "at"}
    assert {each.name for each in fields(EventContent)} == stored
