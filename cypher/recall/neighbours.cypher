// The edges of the given channels that touch one of the given events, in either direction.
// params: node_ids, channels, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
UNWIND $node_ids AS node_id
MATCH (origin:Event {node_id: node_id})-[r:
  // <include recall/channels channels>
]-(e:Event)
WHERE type(r) IN $channels AND origin.group_id = $group_id AND
  // <include recall/scope current_events>
WITH DISTINCT r
RETURN collect([startNode(r).node_id, endNode(r).node_id, type(r),
  // <include recall/channels payload>
]) AS edges
