// Who said the last turn of each session, and what.
// params: sessions [{group_id, user_id, session_id}]
UNWIND $sessions AS row
CALL (row) {
  MATCH (e:Episode)
  WHERE e.group_id = row.group_id AND e.user_id = row.user_id AND e.session_id = row.session_id AND e.turn IS NOT NULL
  RETURN e ORDER BY e.group_id DESC, e.user_id DESC, e.session_id DESC, e.turn DESC LIMIT 1
}
RETURN [row.group_id, row.user_id, row.session_id] AS session, e.actor_id AS actor_id, e.content AS content, e.turn AS turn
