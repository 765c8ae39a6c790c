// The events with these ids that were merged into others later, and lie in the scope: as recall/events.
// params: node_ids, group_id, video_ids, persons, seconds, clock, known_at (store/scoping.py)
UNWIND $node_ids AS node_id
MATCH (e:SupersededEvent {node_id: node_id})-[:IN_CLIP]->(c:Clip)
// <include recall/events told>
