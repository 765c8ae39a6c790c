// TEMPORAL: from each event of a video to the next one.
// params: group_id, edges [[from, to, gap]] (node_ids; seconds), now
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $edges AS row
MATCH (src:Event {node_id: row[0]})
CALL (src, row) {
  MATCH (dst:Event {node_id: row[1]})
  CREATE (src)-[:TEMPORAL {group_id: $group_id, created_at: $now, time_gap: round(row[2], 3)}]->(dst)
}
