// Events and those they were merged into, which tell of the same and are forgotten with them.
// params: group_id, node_ids
UNWIND $node_ids AS node_id
MATCH (e:Event|SupersededEvent {node_id: node_id})
WHERE e.group_id = $group_id
MATCH (e)-[:MERGED_INTO*0..]->(into:Event|SupersededEvent)
RETURN DISTINCT into.node_id AS node_id, into:Event AS is_live
