// Tie merged events to all clips that they are made of, and the superseded events to those that replace them.
// params: group_id, merged [{node_id, parts (node_ids), clip_ids}], now
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $merged AS row
MATCH (e:Event {node_id: row.node_id})
CALL (e, row) {
  UNWIND row.clip_ids AS clip_id
  MATCH (c:Clip {group_id: e.group_id, video_id: e.video_id, clip_id: clip_id})
  MERGE (c)<-[in:IN_CLIP]-(e) ON CREATE SET in.group_id = $group_id, in.created_at = $now
}
CALL (e, row) {
  UNWIND row.parts AS part
  MATCH (old:SupersededEvent {node_id: part})
  MERGE (old)-[into:MERGED_INTO]->(e) ON CREATE SET into.group_id = $group_id, into.at = $now, into.created_at = $now
}
