// Node ids of the events that involve a person in the given videos, latest first.
// params: chains [{key, video_id, start}] (store/read/event_reader.py), limit, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
// A chain is the events of one identity on one timeline, which the relationship index has in order.
UNWIND $chains AS chain
CALL (chain) {
  MATCH (last:Event)
  WHERE last.group_id = $group_id AND last.video_id = chain.video_id AND last.position >= chain.start
  RETURN last.position AS end ORDER BY last.group_id DESC, last.video_id DESC, last.position DESC LIMIT 1
}
CALL (chain, end) {
  MATCH (e:Event)-[r:INVOLVES]->(:Person)
  WHERE r.key = chain.key AND r.position >= chain.start AND r.position <= end
  WITH e, r ORDER BY r.key DESC, r.position DESC
  WHERE e.video_id = chain.video_id AND
  // <include recall/scope current_events>
  RETURN DISTINCT e LIMIT $limit
}
WITH DISTINCT e.node_id AS node_id, e.clock_start AS at ORDER BY at DESC, node_id DESC LIMIT $limit
RETURN collect(node_id) AS node_ids
