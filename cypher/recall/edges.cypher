// Every edge of the given events, each with the video and the times of its other end: what the read cache keeps.
// params: node_ids, group_id
UNWIND $node_ids AS node_id
MATCH (origin:Event {node_id: node_id})-[r:
  // <include recall/channels channels>
]-(e:Event)
WHERE origin.group_id = $group_id AND e.group_id = $group_id
RETURN collect([
  // <edge>
  node_id, startNode(r).node_id, endNode(r).node_id, type(r),
  // <include recall/channels payload>
  , e.video_id, e.time_start, e.time_end, CASE WHEN e.at IS NOT NULL THEN e.clock_start END
  // </edge>
]) AS edges
