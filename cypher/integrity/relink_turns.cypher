// Replace what follows turns by NEXT to their next turn.
// params: group_id, turns [{turn, next (null: none)}], now
UNWIND $turns AS row
MATCH (e:Episode {vector_id: row.turn})
WHERE e.group_id = $group_id
OPTIONAL MATCH (e)-[wrong:NEXT]->()
DELETE wrong
WITH DISTINCT e, row
MATCH (after:Episode {vector_id: row.next})
MERGE (e)-[n:NEXT]->(after) ON CREATE SET n.group_id = $group_id, n.created_at = $now
