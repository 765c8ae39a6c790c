// The edges that lead from events to other events.
// params: group_id, node_ids
UNWIND $node_ids AS node_id
MATCH (src:Event {node_id: node_id})
WHERE src.group_id = $group_id
MATCH (src)-[edge:
  // <include recall/channels channels>
]->(dst:Event)
RETURN node_id AS src, dst.node_id AS dst, type(edge) AS type, coalesce(edge.key, '') AS key
