// The first turns of a user.
// params: group_id, user_id, limit
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.clock IS NOT NULL
RETURN e.content AS text ORDER BY e.clock LIMIT $limit
