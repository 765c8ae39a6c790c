// Node ids of the events that involve a person, latest first.
// params: person_id, limit, group_id, video_ids, persons, seconds, clock, latest, known_at (store/read/event_reader.py)
// The relationship index is read in order from the latest moment of the scope on, and stops at the limit.
MATCH (e:Event|SupersededEvent)-[r:INVOLVES]->(:Person)
WHERE r.group_id = $group_id AND r.person_id = $person_id AND r.at <= $latest
WITH e, r ORDER BY r.group_id DESC, r.person_id DESC, r.at DESC
WHERE
  // <include recall/scope events>
WITH DISTINCT e, r.at AS at LIMIT $limit
WITH e.node_id AS node_id, at ORDER BY at DESC, node_id DESC
RETURN collect(node_id) AS node_ids
