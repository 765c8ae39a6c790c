// Every edge of the given events, each with the video of its other end: what the read cache keeps.
// params: node_ids, group_id
UNWIND $node_ids AS node_id
MATCH (origin:Event {node_id: node_id})-[r:
  // <include recall/channels channels>
]-(e:Event)
WHERE origin.group_id = $group_id AND e.group_id = $group_id
RETURN collect([
  // <edge>
  node_id, e.video_id, startNode(r).node_id, endNode(r).node_id, type(r),
  // <include recall/channels payload>
  // </edge>
]) AS edges
