// A page of the sessions of a user with their number of turns, speakers, and first and last time, the latest first; and how
// many sessions there are.
// params: group_id, user_id, start, limit
CALL () {
  MATCH (s:Session)
  WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.session_id IS NOT NULL
  RETURN count(s) AS total
}
MATCH (s:Session)
WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.session_id IS NOT NULL
CALL (s) {
  MATCH (e:Episode)
  WHERE e.group_id = s.group_id AND e.user_id = s.user_id AND e.session_id = s.session_id AND e.turn IS NOT NULL
  WITH e ORDER BY e.group_id, e.user_id, e.session_id, e.turn
  RETURN count(e) AS turns, collect(DISTINCT e.actor) AS actors, min(e.valid_at) AS first_said, max(e.valid_at) AS last_said
}
RETURN s.session_id AS session_id, turns, actors, first_said, last_said, s.created_at AS created_at, total
ORDER BY last_said DESC, session_id SKIP $start LIMIT $limit
