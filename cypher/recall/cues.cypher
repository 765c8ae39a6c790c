// What was said in the clips of events: their speaker turns, as JSON text.
// params: node_ids, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
UNWIND $node_ids AS node_id
MATCH (e:Event {node_id: node_id})-[:IN_CLIP]->(c:Clip)
WHERE
  // <include recall/scope events>
WITH e, c ORDER BY c.t_start
WITH e.node_id AS node_id, collect(coalesce(c.speaker_turns, '[]')) AS clips
RETURN collect([node_id, clips]) AS cues
