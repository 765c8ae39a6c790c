// The ids of at most `limit` episodes of a session.
// params: group_id, user_id, session_id, limit
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = $session_id AND e.turn IS NOT NULL
RETURN e.episode_id AS episode_id LIMIT $limit
