// Vector ids of the turns that a person said, latest first.
// params: person_id, limit, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), ranges, known_at
MATCH (e:Episode)
WHERE e.actor_id = $person_id AND
  // <include recall/scope turns>
WITH e ORDER BY e.clock DESC, e.vector_id DESC LIMIT $limit
RETURN collect(e.vector_id) AS vector_ids
