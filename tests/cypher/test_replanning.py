"""Statements that are planned once (`CYPHER replan=skip`) get the same plan on an empty graph as on a large one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from amr_neo4j import localdb
from amr_neo4j.settings import Settings
from amr_neo4j.store.database import Database
from amr_neo4j.store.schema import migrate
from amr_neo4j.store.statements import data_path, packed, sent, statement

FOLDER = data_path("cypher")
NAMES = [path.relative_to(FOLDER).with_suffix("").as_posix() for path in sorted(FOLDER.rglob("*.cypher"))]
PLANNED_ONCE = [name for name in NAMES if "CYPHER replan=skip" in statement(name)]
# How a plan reaches nodes and relationships; the rest does not depend on their number.
ACCESS = re.compile(r"Seek|Scan|Expand|Cartesian|HashJoin|Sort|Top|Limit|Merge")
GROWN = """
MATCH (c:Counter) WITH count(c) AS there
UNWIND range(1, 3000) AS n
CREATE (e:Event {node_id: -n, group_id: $group_id, video_id: 'v' + n % 30, clip_id: 'c' + n, position: toString(n),
                 time_end: n, heard: n % 2 = 0}),
       (c:Clip {group_id: $group_id, video_id: 'v' + n % 30, clip_id: 'c' + n, status: 'committed'}),
       (p:Person {group_id: $group_id, scope: '', person_id: 'p' + n}),
       (o:Object {group_id: $group_id, place: '', name: 'o' + n}),
       (m:Embedding {kind: 'event', owner: toString(-n), model: 'm', group_id: $group_id, seq: -n}),
       (t:Episode {group_id: $group_id, user_id: 'u', episode_id: 'e' + n, session_id: 's', turn: n}),
       (w:Mention {group_id: $group_id, user_id: 'u', session_id: 's', turn: n, type: 'T', text: 'w'}),
       (c)<-[:IN_CLIP]-(e),
       (e)-[:INVOLVES {role: 'actor', key: 'p' + n, position: toString(n), seen: 'p', heard: 'p'}]->(p),
       (e)-[:USES {seq: 0, key: 'o' + n, position: toString(n)}]->(o),
       (e)-[:TEMPORAL]->(e), (e)-[:ENTITY_JUMP {key: 'p'}]->(e),
       (e)-[:OBJECT_LIFECYCLE {object: 'o'}]->(e), (e)-[:CROSS_MODAL {kind: 'person', subject: 's', key: 'p'}]->(e),
       (w)-[:MENTIONED_IN]->(t), (t)-[:NEXT]->(t), (w)-[:STATES {id: toString(n)}]->(w)
MERGE (v:Video {group_id: $group_id, video_id: 'v' + n % 30})
CREATE (c)-[:OF_VIDEO]->(v)
"""


@pytest.mark.soak
def test_a_plan_does_not_change_as_the_graph_grows(spare_server: Settings, group_id: str) -> None:
    """With `replan=skip`, a plan made on an empty graph is kept as the graph grows, so it must suit a large one."""
    there = localdb.start(spare_server)
    with Database(there.uri, there.username, there.password) as spare:
        migrate(spare)
        spare.driver.execute_query("MATCH (n) DETACH DELETE n")
        spare.driver.execute_query("CALL db.prepareForReplanning()")
        empty = {name: _access(spare, name) for name in PLANNED_ONCE}
        spare.driver.execute_query(GROWN, group_id=group_id)
        spare.driver.execute_query("CALL db.prepareForReplanning()")
        for name, before in empty.items():
            assert _access(spare, name) == before, name
        spare.driver.execute_query("MATCH (n) DETACH DELETE n")
    assert {"ingest/lock", "ingest/last_events", "ingest/write_clips", "ingest/write_edges"} <= empty.keys()
    assert not [name for name, plan in empty.items() if "Scan" in str(plan)]


def _access(database: Database, name: str) -> list[str]:
    """The graph-access operators of a new plan, with the index and the properties that each uses."""
    params = packed(name, dict.fromkeys(re.findall(r"\$(\w+)", statement(name))))
    text = "EXPLAIN " + sent(name).replace("replan=skip", "replan=force")
    with database.session() as session:
        plan = session.run(text, params).consume().plan
    assert plan
    lines = [line for line in _described(plan) if ACCESS.search(line.partition(" ")[0])]
    # Whether a property is read from the cache of the row is not how the node is reached.
    return [re.sub(r"cache\[([^\]]*)\]", r"\1", re.sub(r"anon_\d+", "anon", line)) for line in lines]


def _described(plan: dict[str, Any]) -> Iterator[str]:
    yield f"{plan['operatorType'].partition('@')[0]} {plan['args'].get('Details', '')}"
    for child in plan.get("children", []):
        yield from _described(child)
