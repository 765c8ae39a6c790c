// The names of a group's objects.
// params: group_id, limit
MATCH (o:Object)
WHERE o.group_id = $group_id AND o.name IS NOT NULL
RETURN DISTINCT o.name AS name ORDER BY name LIMIT $limit
