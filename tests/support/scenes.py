"""The scenes of a group as they are in the graph, to compare them with those of a fresh ingest."""

from __future__ import annotations

from typing import Any

from amr_neo4j.store.database import Database

_SCENES = """
    MATCH (s:Scene {group_id: $g})
    RETURN s.video_id AS video_id, s.level AS level, s.t_start AS t_start, properties(s) AS all,
           [(s)-[:PART_OF]->(w) | [w.level, w.t_start]] AS within,
           [(e:Event)-[:PART_OF]->(s) | [e.clip_id, e.ordinal]] AS events
    ORDER BY video_id, level, t_start"""
# What depends on the name of the group and on the time of writing.
_LEFT_OUT = {"group_id", "scope_text", "created_at"}


def scenes_in(database: Database, group_id: str) -> list[dict[str, Any]]:
    records = database.driver.execute_query(_SCENES, g=group_id).records
    rows = [
        record.data() | {"all": {name: value for name, value in record["all"].items() if name not in _LEFT_OUT}}
        for record in records
    ]
    return [row | {"events": sorted(row["events"]), "within": sorted(row["within"])} for row in rows]


def is_whole(database: Database, group_id: str) -> bool:
    """Every event is in one scene, and every scene but the top ones in one; nothing waits to be made."""
    odd = """
        MATCH (n:Event|Scene {group_id: $g})
        WHERE COUNT { (n)-[:PART_OF]->(:Scene) } <> CASE n.level WHEN 1 THEN 0 ELSE 1 END
        RETURN count(n) AS odd"""
    [row] = database.driver.execute_query(odd, g=group_id).records
    return row["odd"] == 0 and not database.read("scenes/stale", group_id=group_id)
