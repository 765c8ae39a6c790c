// OBJECT_LIFECYCLE: from the last event with an object to the one that changes its state.
// params: group_id, edges [[from, to, gap, object, change]] (node_ids; seconds), now
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $edges AS row
MATCH (src:Event {node_id: row[0]})
CALL (src, row) {
  MATCH (dst:Event {node_id: row[1]})
  CREATE (src)-[l:OBJECT_LIFECYCLE]->(dst)
  SET l = row[4], l.object = row[3], l.group_id = $group_id, l.created_at = $now, l.time_gap = round(row[2], 3)
}
