// Who said the last turn of each of a user's sessions, and what.
// params: group_id, user_id, session_ids
UNWIND $session_ids AS session_id
CALL (session_id) {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = session_id AND e.turn IS NOT NULL
  RETURN e ORDER BY e.group_id DESC, e.user_id DESC, e.session_id DESC, e.turn DESC LIMIT 1
}
RETURN session_id, e.actor_id AS actor_id, e.content AS content, e.turn AS turn
