// Node ids of the events in which something is done to one of these objects, latest first.
// params: names, states (of to_state; empty: any), limit, group_id, video_ids, persons, seconds, clock, latest, known_at (store/read/event_reader.py)
// For each object the relationship index is read in order from the latest moment of the scope on, and stops at the limit.
UNWIND $names AS name
CALL (name) {
  MATCH (e:Event|SupersededEvent)-[r:USES]->(:Object)
  WHERE r.group_id = $group_id AND r.name = name AND r.at <= $latest
  WITH e, r ORDER BY r.group_id DESC, r.name DESC, r.at DESC
  WHERE r.verb IS NOT NULL AND (size($states) = 0 OR r.to_state IN $states) AND
  // <include recall/scope events>
  RETURN DISTINCT e, r.at AS at LIMIT $limit
}
WITH DISTINCT e.node_id AS node_id, at ORDER BY at DESC, node_id DESC LIMIT $limit
RETURN collect(node_id) AS node_ids
