// The ids of a group's persons, those that were merged into others too.
// params: group_id, limit
MATCH (p:Person)
WHERE p.group_id = $group_id AND p.person_id IS NOT NULL
RETURN DISTINCT p.person_id AS name ORDER BY name LIMIT $limit
