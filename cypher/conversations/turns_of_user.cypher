// The ids of at most `limit` episodes of a user.
// params: group_id, user_id, limit
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.episode_id IS NOT NULL
RETURN e.episode_id AS episode_id LIMIT $limit
