// Node ids of the events that involve any person, latest first.
// params: limit, group_id, video_ids, persons, seconds, clock, latest, known_at (store/read/event_reader.py)
// No index has the persons of a group together in order of time, so the latest events of each person are read as by_person does.
MATCH (p:Person) USING INDEX p:Person(group_id, person_id)
WHERE p.group_id = $group_id AND p.person_id IS NOT NULL
WITH DISTINCT p.person_id AS person_id
CALL (person_id) {
  MATCH (e:Event|SupersededEvent)-[r:INVOLVES]->(:Person)
  WHERE r.group_id = $group_id AND r.person_id = person_id AND r.at <= $latest
  WITH e, r ORDER BY r.group_id DESC, r.person_id DESC, r.at DESC
  WHERE
    // <include recall/scope events>
  RETURN DISTINCT e, r.at AS at LIMIT $limit
}
WITH DISTINCT e, at ORDER BY at DESC, e.node_id DESC LIMIT $limit
RETURN collect(e.node_id) AS node_ids
