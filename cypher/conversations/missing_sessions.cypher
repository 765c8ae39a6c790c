// Those of some sessions that a user does not have, and if there are any, the sessions that the user has.
// params: group_id, user_id, session_ids, limit
UNWIND $session_ids AS session_id
OPTIONAL MATCH (s:Session {group_id: $group_id, user_id: $user_id, session_id: session_id})
WITH collect(CASE WHEN s IS NULL THEN session_id END) AS missing
RETURN missing, CASE WHEN size(missing) = 0 THEN [] ELSE COLLECT {
  MATCH (s:Session)
  WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.session_id IS NOT NULL
  RETURN s.session_id ORDER BY s.session_id LIMIT $limit
} END AS known
