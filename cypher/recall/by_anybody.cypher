// Node ids of the events that involve any person, latest first.
// params: limit, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
// No index has the persons of a group in order of time, so all of them are read and the latest are kept.
// The hint keeps the planner from scanning all events where most of them are of the group.
MATCH (e:Event|SupersededEvent)-[r:INVOLVES]->() USING INDEX r:INVOLVES(group_id, person_id, at)
WHERE r.group_id = $group_id AND r.person_id IS NOT NULL AND r.at IS NOT NULL
  AND
  // <include recall/scope events>
WITH DISTINCT e, r.at AS at ORDER BY at DESC, e.node_id DESC LIMIT $limit
RETURN collect(e.node_id) AS node_ids
