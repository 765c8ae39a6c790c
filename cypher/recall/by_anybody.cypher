// Node ids of the events that involve any person, latest first.
// params: limit, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
// No index has the persons of a group in order of time, so all of them are read and the latest are kept.
MATCH (e:Event|SupersededEvent)-[r:INVOLVES]->(:Person)
WHERE r.group_id = $group_id AND r.person_id IS NOT NULL AND r.at IS NOT NULL
  AND
  // <include recall/scope events>
WITH DISTINCT e, r.at AS at ORDER BY at DESC, e.node_id DESC LIMIT $limit
RETURN collect(e.node_id) AS node_ids
