"""Every statement file is planned by a real Neo4j: known names only, a seek on every key, no cartesian product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from amr_neo4j.domain.event import Channel
from amr_neo4j.store.database import Database
from amr_neo4j.store.neo4j_index import Neo4jIndex
from amr_neo4j.store.read.event_reader import EVENT_COLUMNS
from amr_neo4j.store.read.turn_events import _TurnRow
from amr_neo4j.store.statements import data_path, packed, sent, statement
from amr_neo4j.store.write.edges import EDGE_LISTS
from tests.support.plain_vectors import PlainVectors

FOLDER = data_path("cypher")
# These are no statements: conditions and the types of a pattern, which are planned as parts of others.
SCOPE, CHANNELS, LISTED = "recall/scope", "recall/channels", "show/listed"
FILES = {path.relative_to(FOLDER).with_suffix("").as_posix(): path for path in sorted(FOLDER.rglob("*.cypher"))}
NAMES = [name for name in FILES if name not in (SCOPE, CHANNELS, LISTED)]
# Statements of Cypher 25 with the vector index that filters, which Neo4j has from 2026.06 on.
LATER = {name for name in NAMES if "CYPHER 25" in statement(name)}
# These read the whole database. They run only if a constraint is missing, a node may have lost a part of its key, all
# that stays is written again, a scrub begins, or doctor --deep counts the events.
WHOLE = {
    "schema/duplicates",
    "forgetting/sweep",
    "forgetting/empty_vectors",
    "integrity/odd_nodes",
    "integrity/odd_links",
    "integrity/ids",
    "integrity/restore_parents",
    "scrub/kept",
    "scrub/left_over",
}
SCOPED = {"recall", "show", "analytics", "browser", "conversations", "facts"}
SCANS = (
    "NodeByLabelScan",
    "AllNodesScan",
    "NodeIndexScan",
    "CartesianProduct",
    *(f"{way}{scan}Scan" for way in ("Directed", "Undirected") for scan in ("AllRelationships", "RelationshipType")),
    *(f"{way}RelationshipIndexScan" for way in ("Directed", "Undirected")),
)


@pytest.fixture(scope="module", autouse=True)
def every_name_is_known(database: Database) -> None:
    _name_everything(database)


@pytest.fixture(scope="module")
def plans_later(database: Database) -> bool:
    """Whether the server plans LATER too."""
    return Neo4jIndex(database, PlainVectors(), "event", "m")._index_filters()


def _name_everything(database: Database) -> None:
    """Make each property, label and type of the schema known to the server, which warns of unknown ones."""
    database.driver.execute_query(
        """
        CREATE (e:Event:PlainText)-[:IN_CLIP]->(c:Clip)-[:OF_VIDEO]->(v:Video), (e)-[:PART_OF]->(o:Scene:PlainScene),
               (e)-[:INVOLVES {role: ''}]->(p:Person),
               (e)-[u:USES]->(:Object), (e)-[:TEMPORAL {time_gap: 0}]->(e), (e)-[:ENTITY_JUMP {person: ''}]->(e),
               (e)-[:OBJECT_LIFECYCLE {object: ''}]->(e), (e)-[:CROSS_MODAL {subject: ''}]->(e), (:Embedding),
               (m:Mention)-[:MENTIONED_IN]->(t:Episode)-[:NEXT]->(t)-[:SAID_BY]->(s:Speaker)-[:SAME_AS]->(p),
               (m)-[r:STATES]->(m), (n:Session),
               (p)-[:MERGED_INTO]->(p),
               (x:Fact)-[d:DERIVED_FROM]->(t), (x)-[f:CONTRADICTS]->(x), (x)-[:TAKEN_BACK_IN]->(t),
               (y:ForgottenFact), (z:ForgottenTurns), (w:ForgottenFootage),
               (x)-[:MERGED_INTO]->(x), (x)-[:DISTINCT_FROM]->(x), (i:FactUpkeep), (j:FactRun), (k:FactStep),
               (q:Filler)
        SET o += $properties, e += $properties, u += $properties, c += $properties, v += $properties, m.text = '',
            r += $properties, x += $properties, y += $properties, z += $properties, w += $properties,
            d += $properties, f += $properties
        DETACH DELETE e, c, v, o, p, m, t, s, n, x, y, z, w, i, j, k, q
        """,
        properties=dict.fromkeys(_properties(), "x"),
    )


def _properties() -> list[str]:
    text = "".join(statement(name) for name in NAMES)
    return sorted(set(re.findall(r"\b[a-z]\w*\.([a-z]\w*)\b", text)))


@pytest.mark.parametrize("name", NAMES)
def test_the_header_says_what_a_statement_does_and_takes(name: str) -> None:
    text = statement(name)
    assert text.startswith("// ")
    stated = re.search(r"^// params: (.*)$", text, re.MULTILINE)
    assert stated, f"{name} has no params line"
    body = re.sub(r"//.*", "", text)
    for param in set(re.findall(r"\$(\w+)", body)):
        assert re.search(rf"\b{param}\b", stated[1]), f"{name} takes ${param} without saying so"


@pytest.mark.parametrize("name", NAMES)
def test_plans_with_seeks_only_and_without_a_warning(name: str, database: Database, plans_later: bool) -> None:
    if name in LATER and not plans_later:
        pytest.skip("the server has no vector index that filters")
    params = packed(name, dict.fromkeys(re.findall(r"\$(\w+)", statement(name))))
    with database.driver.session(notifications_min_severity="INFORMATION") as session:
        summary = session.run("EXPLAIN " + sent(name), params).consume()
    assert not [status.status_description for status in summary.gql_status_objects if status.is_notification]
    if summary.plan and name not in WHOLE:
        operators = list(_operators(summary.plan))
        assert not [found for found in operators if found.startswith(SCANS)], operators


@pytest.mark.parametrize("name", [name for name in NAMES if name.split("/")[0] in SCOPED])
def test_reads_are_scoped(name: str) -> None:
    text = re.sub(r"//.*", "", statement(name))
    assert re.search(r"\$group(_id|\.group_id)\b", text)
    assert "$user_id" in text or not name.startswith("conversations/")


@pytest.mark.parametrize("filters", ["$seconds.since", "e.actor_id IN $persons", "scoped.person_id IN $persons"])
def test_the_scope_stands_once(filters: str) -> None:
    assert [name for name, path in FILES.items() if filters in path.read_text()] == [SCOPE]


def test_the_channels_stand_once() -> None:
    """Only recall/channels lists them, and statements that people paste into Neo4j Browser. Each lists them all."""
    listed = "|".join(channel.value for channel in Channel)
    named = [name for name, path in FILES.items() if listed in path.read_text()]
    assert named == [name for name, path in FILES.items() if f"{Channel.TEMPORAL}|" in path.read_text()]
    assert [name for name in named if name.split("/")[0] not in {"analytics", "browser"}] == [CHANNELS]
    assert set(EDGE_LISTS.values()) == {channel.value for channel in Channel}


@pytest.mark.parametrize(
    ("name", "section", "columns"),
    [("recall/events", "event", EVENT_COLUMNS), ("recall/turns", "turn", _TurnRow._fields)],
)
def test_the_columns_of_a_row_are_its_fields(name: str, section: str, columns: tuple[str, ...]) -> None:
    """In the same order. A column is a property, or computed and named in a comment."""
    lines = FILES[name].read_text().partition(f"// <{section}>\n")[2].partition(f"// </{section}>")[0].splitlines()
    named = [re.search(r"// (\w+)$", line) or re.search(r"[ec]\.(\w+)", line) for line in lines if line.strip()]
    assert [found and found[1] for found in named] == list(columns)


def _operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"]
    for child in plan.get("children", []):
        yield from _operators(child)
