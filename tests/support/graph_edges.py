"""The edges and the chains of persons and objects of a group, in the form of `plain_graph`."""

from __future__ import annotations

from collections import defaultdict

from amr_neo4j.store.database import Database
from tests.support.plain_graph import Chain, Name, ObjectIndex, PersonIndex


def edges_of(database: Database, group_id: str) -> set:
    rows = database.driver.execute_query(
        """
        MATCH (a:Event {group_id: $group_id})-[r:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]->(b:Event)
        RETURN type(r) AS channel, coalesce(r.person, r.object, r.subject, '') AS subject,
               coalesce(r.time_gap, r.overlap, r.confidence) AS gap, r.key AS key,
               CASE type(r)
                 WHEN 'OBJECT_LIFECYCLE' THEN [toString(r.seq), r.verb, coalesce(r.from_state, ''), r.to_state]
                 WHEN 'CROSS_MODAL' THEN [r.kind, coalesce(r.evidence, '')] ELSE [] END AS what,
               [a.video_id, a.clip_id, a.ordinal] AS src, [b.video_id, b.clip_id, b.ordinal] AS dst
        """,
        group_id=group_id,
    ).records
    edges = [(r["channel"], r["subject"], tuple(r["src"]), tuple(r["dst"]), r["gap"], tuple(r["what"])) for r in rows]
    # Two people of equal name are distinguished by the key of their chain.
    assert len(edges) == len({(*edge, r["key"]) for edge, r in zip(edges, rows, strict=True)}), "an edge occurs twice"
    return set(edges)


def indices_of(database: Database, group_id: str) -> tuple[PersonIndex, ObjectIndex]:
    """The chains of INVOLVES and of USES, by timeline and identity, in the order of their positions."""
    persons: PersonIndex = defaultdict(list)
    for chain, name, parts in _chains(database, group_id, "INVOLVES", "Person"):
        persons[chain].append((name, tuple(sorted(part["role"] for part in parts))))
    objects: ObjectIndex = defaultdict(list)
    for chain, name, parts in _chains(database, group_id, "USES", "Object"):
        in_turn = sorted(parts, key=lambda part: part["seq"])
        objects[chain].append((name, tuple((p.get("verb"), p.get("from_state"), p.get("to_state")) for p in in_turn)))
    return persons, objects


def _chains(database: Database, group_id: str, relationship: str, label: str) -> list[tuple[Chain, Name, list[dict]]]:
    """(chain, event, what ties them) in the order of position; each chain has a key of its own."""
    rows = database.driver.execute_query(
        f"""
        MATCH (x:{label} {{group_id: $group_id}})<-[r:{relationship}]-(e:Event),
              (e)-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(v:Video)
        WITH DISTINCT x, e, v, r
        WITH x, e, v, r.key AS key, r.position AS position, collect(properties(r)) AS parts
        RETURN CASE WHEN v.recorded_at IS NULL THEN ['video', v.video_id] ELSE ['place', v.place] END
               + CASE WHEN x:Person THEN [x.scope, x.person_id] ELSE [x.name] END AS chain,
               [e.video_id, e.clip_id, e.ordinal] AS event, key, parts ORDER BY position
        """,  # pyright: ignore[reportArgumentType]
        group_id=group_id,
    ).records
    chains = {(row["key"], *row["chain"]) for row in rows}
    assert len(chains) == len({row["key"] for row in rows}) == len({tuple(row["chain"]) for row in rows})
    return [(tuple(row["chain"]), tuple(row["event"]), row["parts"]) for row in rows]
