// The superseded events with the given ids that are in the scope, as recall/events returns them.
// params: node_ids, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
UNWIND $node_ids AS node_id
MATCH (e:SupersededEvent {node_id: node_id})-[:IN_CLIP]->(c:Clip)
// <include recall/events rows>
