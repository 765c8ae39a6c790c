// Tie new events to the objects they use.
// params: group_id, objects [{place, name, words, uses [[node_id, properties]]}], now
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $objects AS row
MERGE (o:Object {group_id: $group_id, place: row.place, name: row.name}) ON CREATE SET o.created_at = $now
SET o.words = coalesce(row.words, o.words, row.name)
WITH o, row
UNWIND row.uses AS part
MATCH (e:Event {node_id: part[0]})
CREATE (e)-[r:USES]->(o)
SET r = part[1], r.created_at = $now
