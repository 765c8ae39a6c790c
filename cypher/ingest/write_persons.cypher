// Tie new events to their persons.
// params: group_id, persons [{scope, person_id, name, parts [[node_id, properties]]}], now
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $persons AS row
MERGE (p:Person {group_id: $group_id, scope: row.scope, person_id: row.person_id})
  ON CREATE SET p.created_at = $now, p.name = row.name
WITH p, row
UNWIND row.parts AS part
MATCH (e:Event {node_id: part[0]})
CREATE (e)-[r:INVOLVES]->(p)
SET r = part[1], r.created_at = $now
