// The first turns of a group, by user.
// params: group_id, limit
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.clock IS NOT NULL
RETURN e.content AS text ORDER BY e.user_id, e.clock LIMIT $limit
