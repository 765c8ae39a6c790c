// Turns of somebody, latest first.
// params: person_id, limit, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), known_at
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.actor_id = $person_id
  AND e.clock >= $since AND e.clock <= $until AND e.clock <= $as_of AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND (size($session_ids) = 0 OR e.session_id IN $session_ids) AND (size($persons) = 0 OR e.actor_id IN $persons)
WITH e ORDER BY e.clock DESC, e.vector_id DESC LIMIT $limit
RETURN collect(e.vector_id) AS vector_ids
